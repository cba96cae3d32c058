"""The contents of a memory cell, and the errors of operations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from kleene.cfa.operations import Place
from kleene.cfa.types import IntegerType

if TYPE_CHECKING:
    from kleene.domains.explicit.state import State


class Pointer(NamedTuple):
    """The address of a byte of a block. The null pointer is the integer 0."""

    block: int
    offset: int


class Unknown:
    """A number that depends on inputs that are not chosen yet; never in runs.

    `Linear` is computed with in `arithmetic`; a number of another theory brings its own operations.
    """

    __slots__ = ()

    def operate(self, state: State, symbol: str, a: int | Unknown, b: int | Unknown, type_: IntegerType) -> Value:
        """`a symbol b` in the type, where this is one of the two."""
        raise NotImplementedError

    def decide(self, state: State, symbol: str, a: int | Unknown, b: int | Unknown) -> int:
        """1 or 0 for a comparison in which this is one of the two; raises Split if both are possible."""
        raise NotImplementedError

    def fit(self, state: State, type_: IntegerType) -> Value:
        """This converted to the type."""
        raise NotImplementedError

    def concrete(self, state: State) -> int:
        """The one number that this is; raises Split if there are several."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Linear(Unknown):
    """An unknown input plus a constant, the numbers of explorations."""

    symbol: int
    offset: int

    def __str__(self) -> str:
        return f"s{self.symbol}{self.offset:+d}" if self.offset else f"s{self.symbol}"


class Undefined:
    """The value of a cell that was never written."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "undefined"


UNDEFINED = Undefined()
Value = Union[int, float, Pointer, Unknown, Undefined]  # noqa: UP007 (used as a value in annotations of closures)

NULL_BLOCK = 0
UNDEFINED_BLOCK = -1
UNKNOWN = "unknown"
"""The kind of block that a pointer parameter of the entry points to, if it is not NULL."""
RETURNED_NULL = "returned null"
"""The kind of block that stands for the null pointer where unknown code returned it."""
GARBAGE = "garbage"
"""The kind of block for an invalid address, in runs that choose the values of uninitialised pointers."""


@dataclass(frozen=True, slots=True)
class Fault:
    """An error that a run shows; a report has it as a finding.

    `detail` of a leak: `lost` (no pointer left) or `exit` (still held at the end).
    """

    kind: str
    place: Place
    message: str
    detail: str = ""
    block: int | None = field(default=None, compare=False)
    """The number of the block that the error is about, in the run that shows it."""

    def __str__(self) -> str:
        return f"{self.place}: {self.kind}: {self.message}"


class Violation(Exception):
    """Raised by an operation with an error; `place` is set if it differs from the operation's own place."""

    def __init__(self, kind: str, message: str, block: int | None = None) -> None:
        super().__init__(message)
        self.block = block
        self.place: Place | None = None
        self.kind = kind
        self.message = message


class NotModelled(Exception):
    """Raised if the effect of an operation is unknown."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


Constraint = tuple[int, int, int]
"""(a, b, c): symbol a - symbol b <= c; symbol 0 is the number 0."""


class Split(Exception):
    """Raised where the next step depends on an unknown input: one alternative of constraints for each case."""

    def __init__(self, alternatives: list[list[Any]]) -> None:
        super().__init__("split")
        self.alternatives = alternatives
