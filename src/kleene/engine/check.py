"""The independent check of a result: is it a post-fixpoint? (design.md section 6, point 2)

It shares nothing with the iteration: for every edge and every stored element, `post` must be covered at the target.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

from kleene.cfa.graph import Cfa
from kleene.core.domain import AbstractDomain, Store
from kleene.engine.fixpoint import Reached
from kleene.engine.tabulate import Activation, ByLocation, CallDomain, Key

Label = TypeVar("Label")
Element = TypeVar("Element")


def uncovered(
    cfa: Cfa[Label],
    domain: AbstractDomain[Label, Element],
    initial: Sequence[Element],
    reached: Reached[Element],
    *,
    at_most: int = 10,
) -> list[str]:
    """Descriptions of what the result does not cover; an empty list means that it is a post-fixpoint."""
    problems = []
    entry = reached.stores[cfa.entry]
    for element in domain.initial(initial):
        if not entry.covers(element):
            problems.append(f"{cfa.entry} (input): {domain.explain_not_covered(element, entry)}")
    for edge in cfa.edges:
        target = reached.stores[edge.target]
        for source in reached.stores[edge.source].elements():
            for element in domain.post(edge, [source]):
                if not target.covers(element):
                    reason = domain.explain_not_covered(element, target)
                    problems.append(f"{edge.source} -> {edge.target} ({edge.label}): {reason}")
                    if len(problems) >= at_most:
                        return problems
    return problems


def uncovered_calls(
    domain: CallDomain[Label, Element], initial: Sequence[Element], reached: Reached[Element], *, at_most: int = 10
) -> list[str]:
    """The same for a program with procedures, whose result has stores for each procedure and context."""
    stores = reached.stores
    assert isinstance(stores, ByLocation)
    known: dict[Key, Activation[Any, Element]] = {a.key: a for a in stores.activations}
    return list(islice(_problems(domain, initial, known), at_most))


def _problems(
    domain: CallDomain[Label, Element], initial: Sequence[Element], known: dict[Key, Activation[Any, Element]]
) -> Iterator[str]:
    def missing(elements: Sequence[Element], where: Activation[Any, Element] | None, location: str) -> Iterator[str]:
        store: Store[Element] = domain.store()
        if where is not None:
            store = where.stores.get(location, store)
        for element in elements:
            if not store.covers(element):
                yield f"{location}: {domain.explain_not_covered(element, store)}"

    main = known["", None]
    yield from missing(domain.initial(initial), main, main.procedure.cfa.entry)
    for activation in known.values():
        for edge in activation.procedure.cfa.edges:
            if edge.source not in activation.stores:
                continue
            name = domain.callee(edge.label)
            for source in activation.stores[edge.source].elements():
                if name is None:
                    yield from missing(domain.post(edge, [source]), activation, edge.target)
                    continue
                for entry in domain.enter(edge, source):
                    callee = known.get((name, domain.context(entry)))
                    if callee is None:
                        yield f"{edge.source} ({edge.label}): the callee was never entered"
                        continue
                    yield from missing([entry], callee, callee.procedure.cfa.entry)
                    if callee.procedure.exit in callee.stores:
                        ends = callee.stores[callee.procedure.exit].elements()
                        yield from missing(domain.resume(edge, source, ends), activation, edge.target)
