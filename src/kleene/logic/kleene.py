"""Kleene's three truth values (thesis Table 1, Def. 2.1)."""

from __future__ import annotations

from enum import Enum


class Kleene(Enum):
    """0, 1/2 or 1. `UNKNOWN` means 'either', so there is no `bool()` of a Kleene value."""

    FALSE = 0
    UNKNOWN = 1
    TRUE = 2

    def __bool__(self) -> bool:
        raise TypeError("a Kleene value is not a Boolean: compare it with Kleene.TRUE or Kleene.FALSE")

    def __and__(self, other: Kleene) -> Kleene:
        return self if self.value <= other.value else other

    def __or__(self, other: Kleene) -> Kleene:
        return self if self.value >= other.value else other

    def __invert__(self) -> Kleene:
        return _NEGATION[self]

    def join(self, other: Kleene) -> Kleene:
        """Least upper bound in the information order: 1/2 unless both agree."""
        return self if self is other else Kleene.UNKNOWN

    def leq(self, other: Kleene) -> bool:
        """True iff this value is at least as definite as the other (information order)."""
        return self is other or other is Kleene.UNKNOWN

    @property
    def definite(self) -> bool:
        return self is not Kleene.UNKNOWN

    def __str__(self) -> str:
        return _TEXT[self]

    @staticmethod
    def parse(text: str) -> Kleene:
        """The value written as ``0``, ``1`` or ``1/2``."""
        return _PARSED[text.replace(" ", "")]

    @staticmethod
    def of(must: bool, may: bool) -> Kleene:
        """The value with the given rails: must = 'is 1', may = 'is not 0'."""
        return Kleene.TRUE if must else Kleene.UNKNOWN if may else Kleene.FALSE


_NEGATION = {Kleene.FALSE: Kleene.TRUE, Kleene.UNKNOWN: Kleene.UNKNOWN, Kleene.TRUE: Kleene.FALSE}
_TEXT = {Kleene.FALSE: "0", Kleene.UNKNOWN: "1/2", Kleene.TRUE: "1"}
_PARSED = {"0": Kleene.FALSE, "1/2": Kleene.UNKNOWN, "1": Kleene.TRUE}
