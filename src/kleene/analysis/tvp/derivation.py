"""The derivation graph: which stored structure leads to which by an action (thesis section 8.3).

It is made from the result, not from the way to it: every action is applied to every stored structure once more, and
each outcome is found again in a stored structure that covers it. So every run of the program on a store that an input
structure represents is a path of the graph.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kleene.cfa.graph import Cfa
from kleene.diagnostics import InternalCheckError
from kleene.domains.shape.domain import ShapeDomain
from kleene.report.run.result import State, Transition, Transitions
from kleene.structures.embedding import embeds
from kleene.structures.structure import Structure
from kleene.transformers.action import Action


def derivation_graph(
    cfa: Cfa[Action],
    domain: ShapeDomain,
    initial: Sequence[Structure],
    stored: Mapping[str, Sequence[Structure]],
) -> Transitions:
    """The graph over the stored structures; `domain` is one whose messages nobody reads."""
    index = {name: {s: k for k, s in enumerate(structures)} for name, structures in stored.items()}

    def state_of(location: str, structure: Structure) -> State:
        number = index[location].get(structure)
        if number is None:
            covering = (k for k, other in enumerate(stored[location]) if embeds(structure, other))
            number = next(covering, None)
        if number is None:
            raise InternalCheckError(f"the result at '{location}' does not cover {structure!r}")
        index[location][structure] = number
        return location, number

    starts = dict.fromkeys(state_of(cfa.entry, s) for s in domain.initial(initial))
    edges: dict[Transition, None] = {}
    for edge in cfa.edges:
        for number, structure in enumerate(stored[edge.source]):
            for result in domain.post(edge, [structure]):
                target = state_of(edge.target, result)
                edges[Transition((edge.source, number), str(edge.label), target)] = None
    return Transitions(tuple(starts), tuple(edges))
