"""What of a program's memory a translation tracks: some pointers, cells and integers, and chosen instrumentation.

What is not tracked is unknown, never absent: an untracked pointer is read as one that may point to any object, an
untracked cell as one that may hold any pointer of its type. So every precision is sound, and less is cheaper.
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


@dataclass(frozen=True)
class Instrumentation:
    """The instrumentation predicates of a shape class beside those that groups need, and their rules."""

    predicates: tuple[Predicate, ...]
    rules: tuple[Rule, ...] = ()


Instrument = Callable[[Sequence[Group], Roots], Instrumentation]


@dataclass(frozen=True)
class Precision:
    """Names of what is tracked; None stands for everything. `instrument` makes the instrumentation predicates.

    `active` are the locations at which a variable is tracked; one that is not in it is wherever it is live.
    """

    pointers: frozenset[str] | None = None
    separating: frozenset[str] | None = None
    cells: frozenset[str] | None = None
    integers: frozenset[str] | None = None
    integer_cells: frozenset[int] | None = None
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
            return self.integers is None or key.name in self.integers
        return self.integer_cells is None or key in self.integer_cells


EVERYTHING = Precision()
