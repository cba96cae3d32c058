"""The independent check of a result: is it a post-fixpoint? (design.md section 6, point 2)

It shares nothing with the iteration: for every edge and every stored element, `post` must be covered at the target.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from kleene.cfa.graph import Cfa
from kleene.core.domain import AbstractDomain
from kleene.engine.fixpoint import Reached

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
