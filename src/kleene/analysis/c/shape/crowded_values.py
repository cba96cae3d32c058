"""When numbers are left out first: structures multiply because numbers tell them, or their nodes, apart."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property

from kleene.engine.fixpoint import Reached
from kleene.logic.roles import RoleKind
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.passes.facts.integers import Constants
from kleene.structures.structure import Structure

SAMPLED_STRUCTURES = 512
"""Structures of a location that are compared: each takes some microseconds."""
VALUES_FACTOR = 4
"""Numbers are left out if this gives so many times fewer structures: with fewer, the proof may need them."""


def is_in_nodes(predicate: Predicate) -> bool:
    """Whether a predicate is about a number in nodes."""
    return predicate.is_a(RoleKind.INTEGER_CELL)


def is_counted(constants: Constants) -> Callable[[Predicate], bool]:
    """Whether a predicate says more of a number that is computed than whether it is 0."""
    counted = constants.counted
    names = {str(key) for key in counted if not isinstance(key, int)}

    def holds(predicate: Predicate) -> bool:
        role = predicate.role
        if role is None or role.value == 0:
            return False
        if role.kind is RoleKind.INTEGER_CELL:
            return role.offset in counted
        return role.kind is RoleKind.INTEGER and role.of in names

    return holds


@dataclass(frozen=True)
class ValuesLook:
    """Finds out whether a run would have far fewer structures if some predicates did not tell structures apart."""

    vocabulary: Vocabulary
    is_left_out: Callable[[Predicate], bool] = is_in_nodes

    def __call__(self, reached: Reached[Structure]) -> bool:
        largest = max(reached.stores.values(), key=len, default=None)
        if largest is None or not self._has_values:
            return False
        every = largest.elements()
        sample = every[:: max(1, len(every) // SAMPLED_STRUCTURES)]
        return VALUES_FACTOR * len({self._shape(structure) for structure in sample}) < len(sample)

    @cached_property
    def _has_values(self) -> bool:
        return any(self.is_left_out(p) and p.abstraction for p in self.vocabulary)

    @cached_property
    def _telling(self) -> tuple[list[int], list[int]]:
        """The rails of the other predicates that tell structures apart: without and with nodes."""
        told = [p for p in self.vocabulary if p.abstraction and not self.is_left_out(p)]
        rails = [(p.arity, 2 * self.vocabulary.index(p.name) + rail) for p in told for rail in (0, 1)]
        return [rail for arity, rail in rails if arity == 0], [rail for arity, rail in rails if arity == 1]

    def _shape(self, structure: Structure) -> Hashable:
        facts, names = self._telling
        values = structure.values
        vectors = [values[rail] for rail in names]
        nodes = frozenset(tuple(vector >> u & 1 for vector in vectors) for u in range(structure.size))
        return tuple(values[rail] for rail in facts), nodes
