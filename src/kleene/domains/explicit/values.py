"""What a memory cell can hold, and what can go wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Union

from kleene.cfa.operations import Place


class Pointer(NamedTuple):
    """The address of a byte of a block. The null pointer is the integer 0."""

    block: int
    offset: int


@dataclass(frozen=True, slots=True)
class Linear:
    """An unknown input plus a constant; only in explorations, never in runs."""

    symbol: int
    offset: int

    def __str__(self) -> str:
        return f"s{self.symbol}{self.offset:+d}" if self.offset else f"s{self.symbol}"


class Undefined:
    """The value of what was never written."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "undefined"


UNDEFINED = Undefined()
Value = Union[int, float, Pointer, Linear, Undefined]  # noqa: UP007 (used as a value in annotations of closures)

NULL_BLOCK = 0
UNDEFINED_BLOCK = -1


@dataclass(frozen=True, slots=True)
class Finding:
    """An error of the program. `detail` of a leak: `lost` (no pointer left) or `exit` (still held at the end)."""

    kind: str
    place: Place
    message: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.place}: {self.kind}: {self.message}"


class Violation(Exception):
    """Raised where an operation does what it must not."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


class NotModelled(Exception):
    """Raised where nothing can be said about what happens next."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


Constraint = tuple[int, int, int]
"""(a, b, c): symbol a - symbol b <= c; symbol 0 is the number 0."""


class Split(Exception):
    """Raised where the next step depends on an unknown input: one alternative of constraints for each case."""

    def __init__(self, alternatives: list[list[Constraint]]) -> None:
        super().__init__("split")
        self.alternatives = alternatives
