"""Branches that the numbers of a program contradict: the automaton without them.

Zones of the numbers (`relations`) are computed for all locations first, and equations modulo powers of two
(`congruences`). A test is left out if it contradicts one of the two on every way to it, such as ``x != y`` of two
counters that advance together. A heap domain that analyses the rest has a numeric domain beside it, as the paper on
FESA suggests for its future work (section 6).
"""

from __future__ import annotations

from kleene.cfa.expressions import has_dereference
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assume, Operation
from kleene.passes.facts.congruences import Congruences
from kleene.passes.facts.memory import Memory
from kleene.passes.facts.relations.questions import Relations, relations_of


def without_contradictions(memory: Memory) -> Cfa[Operation]:
    """The automaton of the memory without tests that cannot hold; the names of locations stay."""
    relations, congruences = relations_of(memory), Congruences(memory, memory.cfa)
    return Cfa(memory.cfa.entry, tuple(e for e in memory.cfa.edges if not _is_contradicted(e, relations, congruences)))


def _is_contradicted(edge: Edge[Operation], relations: Relations, congruences: Congruences) -> bool:
    """Whether no state at the source satisfies the test; tests that access memory stay, as they may fail."""
    if not isinstance(edge.label, Assume) or has_dereference(edge.label.condition):
        return False
    if congruences.contradict(edge.label.condition, edge.source, truth=edge.label.truth):
        return True
    states = relations.at.get(edge.source, {})
    return bool(states) and all(relations.after(edge.label, state.copy()) is None for state in states.values())
