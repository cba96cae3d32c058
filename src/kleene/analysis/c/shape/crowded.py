"""When some predicates are left out first: structures multiply because of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Set
from dataclasses import dataclass
from functools import cached_property

from kleene.engine.fixpoint import Reached
from kleene.logic.roles import RoleKind
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.structures.structure import Structure

SAMPLED_STRUCTURES = 512
"""Structures of a location that are compared: each takes some microseconds."""
CROWDED_FACTOR = 4
"""Predicates are left out if this gives so many times fewer structures: with fewer, the proof may need them."""


@dataclass(frozen=True)
class CrowdedLook:
    """Finds out whether a run would have far fewer structures if some predicates did not tell anything apart."""

    vocabulary: Vocabulary
    is_left_out: Callable[[Predicate], bool]

    def __call__(self, reached: Reached[Structure]) -> bool:
        if not self._has_any:
            return False
        largest = max(reached.stores.values(), key=len, default=None)
        if largest is None:
            return False
        every = largest.elements()
        sample = every[:: max(1, len(every) // SAMPLED_STRUCTURES)]
        return CROWDED_FACTOR * len({self._shape(structure) for structure in sample}) < len(sample)

    @cached_property
    def _has_any(self) -> bool:
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


def crowded_values(vocabulary: Vocabulary, running: Set[str]) -> CrowdedLook:
    """Structures multiply because of numbers in nodes, or of numbers that run."""

    def is_left_out(predicate: Predicate) -> bool:
        role = predicate.role
        is_running = role is not None and role.kind is RoleKind.INTEGER and role.of in running
        return is_running or predicate.is_a(RoleKind.INTEGER_CELL)

    return CrowdedLook(vocabulary, is_left_out)


_CLOSED = frozenset(
    (RoleKind.REACHED, RoleKind.WHOLE_REACHED, RoleKind.SHARED, RoleKind.CROWDED, RoleKind.ON_CYCLE, RoleKind.SELF_LOOP)
)
"""Predicates about the closure of a group of cells."""


def crowded_returns(vocabulary: Vocabulary, back: Set[str]) -> CrowdedLook:
    """Structures multiply because of where back pointers lead, and whether they lead back."""

    def is_left_out(predicate: Predicate) -> bool:
        role = predicate.role
        if role is None:
            return False
        return role.kind is RoleKind.LEADS_BACK or (role.kind in _CLOSED and _cell_of(role.of) in back)

    return CrowdedLook(vocabulary, is_left_out)


def _cell_of(group: str) -> str:
    """The cell of a group of one: its name may say where its targets begin, or that there are several."""
    return group.partition("+")[0].removesuffix("*")
