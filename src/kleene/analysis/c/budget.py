"""The time of one check: a deadline, and the parts of it that phases get."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from kleene.analysis.limits import GRACE, within
from kleene.diagnostics import LimitReached

Result = TypeVar("Result")


@dataclass(frozen=True)
class Budget:
    """The time that the user gave, from `start` on. Limits are reported as the user gave them."""

    start: float
    seconds: float

    @property
    def left(self) -> float:
        """Seconds until the deadline."""
        return self.seconds - (time.monotonic() - self.start)

    @property
    def spent(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.start

    def part(self, share: float, most: float) -> float:
        """A share of the remaining time, at most `most` seconds."""
        return min(share * self.left, most)

    def within(self, seconds: float, compute: Callable[[], Result]) -> Result | LimitReached:
        """The result of `compute`, or the limit: it is interrupted soon after its part of the time."""
        return within(seconds + GRACE, compute, stated=f"{self.seconds:g} s")
