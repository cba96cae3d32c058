"""Precision: the pointers, cells, integers and instrumentation predicates that a translation tracks.

Untracked values are unknown, never absent: an untracked pointer may point to any object, and an untracked cell may hold
any pointer of its type. So every precision is sound, and a lower one is cheaper.
(Beyer, Henzinger, Théoduloz, Zufferey. Shape refinement through explicit heap analysis, FASE 2010, section 2.3:
tracked and separating pointers, field assertions.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from kleene.cfa.expressions import Variable
from kleene.logic.vocabulary import Predicate
from kleene.semantics.vocabulary.groups import Group
from kleene.transformers.action import Rule


@dataclass(frozen=True)
class Roots:
    """The unary predicates of pointers and named objects: all that are tracked, those that separate nodes; and data."""

    tracked: tuple[str, ...]
    separating: tuple[str, ...]
    data: tuple[str, ...] = ()
    """The predicates of objects with some constant in an integer cell."""
    inside: tuple[str, ...] = ()
    """Those of separating pointers to a place inside an object."""
    edges: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The edges of the objects that a pointer may point to."""

    def of_edges(self, edges: frozenset[str]) -> Roots:
        """Only the pointers to objects with some of these edges."""

        def own(names: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(name for name in names if self.edges.get(name, frozenset()) & edges)

        return Roots(own(self.tracked), own(self.separating), self.data, own(self.inside), self.edges)


@dataclass(frozen=True)
class Instrumentation:
    """The instrumentation predicates of a shape class beside those that groups need, and their rules."""

    predicates: tuple[Predicate, ...]
    rules: tuple[Rule, ...] = ()


Instrument = Callable[[Sequence[Group], Roots], Instrumentation]


@dataclass(frozen=True)
class Precision:
    """Names of tracked pointers, cells and integers; None means all. `instrument` makes instrumentation predicates.

    `active` maps each variable to the locations where it is tracked; a missing variable is tracked where it is live.
    """

    pointers: frozenset[str] | None = None
    separating: frozenset[str] | None = None
    cells: frozenset[str] | None = None
    integers: frozenset[str] | None = None
    integer_cells: frozenset[int] | None = None
    untracked_integers: frozenset[str] = frozenset()
    instrument: Instrument | None = field(default=None, compare=False)
    active: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def active_at(self, variable: str, location: str) -> bool:
        return variable not in self.active or location in self.active[variable]

    def tracks(self, pointer: str) -> bool:
        return self.pointers is None or pointer in self.pointers

    def separates(self, pointer: str) -> bool:
        return self.separating is None or pointer.rstrip("'") in self.separating

    def tracks_cell(self, cell: str) -> bool:
        return self.cells is None or cell in self.cells

    def tracks_integer(self, key: Variable | int) -> bool:
        if isinstance(key, Variable):
            tracked = self.integers is None or key.name in self.integers
            return tracked and key.name not in self.untracked_integers
        return self.integer_cells is None or key in self.integer_cells


EVERYTHING = Precision()
