"""When numbers are left out first: structures multiply because of numbers in nodes, or of numbers that run."""

from __future__ import annotations

from collections.abc import Hashable, Set
from dataclasses import dataclass
from functools import cached_property

from kleene.engine.fixpoint import Reached
from kleene.logic.roles import RoleKind
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.structures.structure import Structure

SAMPLED_STRUCTURES = 512
"""Structures of a location that are compared: each takes some microseconds."""
VALUES_FACTOR = 4
"""Numbers are left out if this gives so many times fewer structures: with fewer, the proof may need them."""


@dataclass(frozen=True)
class ValuesLook:
    """Finds out whether a run would have far fewer structures if these numbers did not tell anything apart."""

    vocabulary: Vocabulary
    running: Set[str] = frozenset()
    """The names of variables that are left out too."""

    def __call__(self, reached: Reached[Structure]) -> bool:
        if not self._has_values:
            return False
        largest = max(reached.stores.values(), key=len, default=None)
        if largest is None:
            return False
        every = largest.elements()
        sample = every[:: max(1, len(every) // SAMPLED_STRUCTURES)]
        return VALUES_FACTOR * len({self._shape(structure) for structure in sample}) < len(sample)

    @cached_property
    def _has_values(self) -> bool:
        return any(self._is_left_out(p) and p.abstraction for p in self.vocabulary)

    def _is_left_out(self, predicate: Predicate) -> bool:
        role = predicate.role
        is_running = role is not None and role.kind is RoleKind.INTEGER and role.of in self.running
        return is_running or predicate.is_a(RoleKind.INTEGER_CELL)

    @cached_property
    def _telling(self) -> tuple[list[int], list[int]]:
        """The rails of the other predicates that tell structures apart: without and with nodes."""
        told = [p for p in self.vocabulary if p.abstraction and not self._is_left_out(p)]
        rails = [(p.arity, 2 * self.vocabulary.index(p.name) + rail) for p in told for rail in (0, 1)]
        return [rail for arity, rail in rails if arity == 0], [rail for arity, rail in rails if arity == 1]

    def _shape(self, structure: Structure) -> Hashable:
        facts, names = self._telling
        values = structure.values
        vectors = [values[rail] for rail in names]
        nodes = frozenset(tuple(vector >> u & 1 for vector in vectors) for u in range(structure.size))
        return tuple(values[rail] for rail in facts), nodes
