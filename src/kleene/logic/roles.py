"""What a predicate of a C program's memory stands for; predicates of TVP programs have no role.

Whoever makes a predicate says what it is for. Whoever needs to know asks for the role, not for the form of the name.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class RoleKind(Enum):
    """The kinds of predicates of the memory model (`semantics/vocabulary`)."""

    POINTER = auto()
    TEMPORARY = auto()
    MARKER = auto()
    OBJECT = auto()
    UNDEFINED_POINTER = auto()
    UNDEFINED_TEMPORARY = auto()
    UNDEFINED_CELL = auto()
    INTEGER = auto()
    INTEGER_CELL = auto()
    SIZE = auto()
    HEAP = auto()
    FREED = auto()
    OUTSIDE = auto()
    OPAQUE = auto()
    DEREFERENCED = auto()
    CELL = auto()
    UNION = auto()
    FOREST = auto()
    CUT = auto()
    CLOSURE = auto()
    WHOLE_CLOSURE = auto()
    REACHED = auto()
    WHOLE_REACHED = auto()
    SHARED = auto()
    CROWDED = auto()
    ON_CYCLE = auto()
    SELF_LOOP = auto()
    HAS_CELL = auto()
    NOT_NULL = auto()
    CHILD = auto()
    LEADS_BACK = auto()
    LANE = auto()
    HELD = auto()
    OLD = auto()
    SAME = auto()
    BEFORE = auto()
    SAME_AS_BEFORE = auto()
    TOUCHED = auto()
    COUNT = auto()
    ODD = auto()


@dataclass(frozen=True, slots=True)
class Role:
    """The kind of a predicate, and what it is about.

    `of` is a variable, a cell or a group of cells. `root` is the predicate of the pointer from which something is
    reached, `back` the cells that lead back. A pointer points to `offset`; an integer has a `value`.
    """

    kind: RoleKind
    of: str = ""
    root: str = ""
    back: str = ""
    offset: int = 0
    value: int = 0
