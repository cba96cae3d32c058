"""The independent check of a result: is it a post-fixpoint? (docs/concepts/engine.md)

It shares nothing with the iteration: for every edge and every stored element, `post` must be covered at the target. In
a program with procedures, an activation must cover every call: its entry must cover the entry elements of the callee,
and the target of the call must cover the results for all its exit elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TypeVar

from kleene.cfa.graph import Cfa, Edge
from kleene.core.domain import AbstractDomain, Store
from kleene.engine.fixpoint import Reached
from kleene.engine.tabulate import Activation, CallDomain, Tabulated

Label = TypeVar("Label")
Element = TypeVar("Element")


def uncovered_elements(
    cfa: Cfa[Label],
    domain: AbstractDomain[Label, Element],
    initial: Sequence[Element],
    reached: Reached[Element],
    *,
    at_most: int = 10,
) -> list[str]:
    """Descriptions of uncovered elements; an empty list means that the result is a post-fixpoint."""
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


def uncovered_by_calls(
    domain: CallDomain[Label, Element],
    initial: Sequence[Element],
    reached: Tabulated[Label, Element],
    *,
    at_most: int = 10,
) -> list[str]:
    """Descriptions of uncovered elements; an empty list means that the activations are closed."""
    main = reached.activations[0]
    entry = main.procedure.cfa.entry
    problems = list(_missing(domain, main, entry, domain.initial(initial), "input"))
    steps = (problem for a in reached.activations for problem in _open_steps(domain, a, reached.activations))
    return [*problems, *islice(steps, at_most)][:at_most]


def _open_steps(
    domain: CallDomain[Label, Element],
    activation: Activation[Label, Element],
    activations: Sequence[Activation[Label, Element]],
) -> Iterator[str]:
    """The steps that lead out of an activation, and its calls that no activation covers."""
    for location, store in activation.stores.items():
        for edge in activation.procedure.cfa.leaving(location):
            name = domain.callee(edge.label)
            for element in store.elements():
                if name is None:
                    yield from _missing(domain, activation, edge.target, domain.post(edge, [element]), str(edge.label))
                    continue
                fitting = [a for a in activations if a.name == name]
                for begun in domain.enter(edge, [element])[0]:
                    if not any(_covers_call(domain, activation, edge, element, begun, a) for a in fitting):
                        yield f"{location} -> {edge.target} ({edge.label}): no activation covers this call"


def _covers_call(
    domain: CallDomain[Label, Element],
    caller: Activation[Label, Element],
    edge: Edge[Label],
    element: Element,
    begun: Element,
    callee: Activation[Label, Element],
) -> bool:
    """Whether an activation covers a call, and the target covers the results for its exit elements."""
    if not _at(domain, callee, callee.procedure.cfa.entry).covers(begun):
        return False
    ends = _at(domain, callee, callee.procedure.exit).elements()
    after = _at(domain, caller, edge.target)
    return all(after.covers(after_call) for after_call in domain.resume(edge, element, begun, ends))


def _missing(
    domain: CallDomain[Label, Element],
    activation: Activation[Label, Element],
    location: str,
    elements: Sequence[Element],
    how: str,
) -> Iterator[str]:
    store = _at(domain, activation, location)
    for element in elements:
        if not store.covers(element):
            yield f"{location} ({how}): {domain.explain_not_covered(element, store)}"


def _at(domain: CallDomain[Label, Element], activation: Activation[Label, Element], location: str) -> Store[Element]:
    return activation.stores.get(location) or domain.store()
