"""Limits on a run: structures, messages, time, memory. Reaching one ends the run with a partial result."""

from __future__ import annotations

import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from kleene.diagnostics import LimitReached


def peak_memory() -> int:
    """The largest resident size of this process so far, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise `LimitReached` in the block after so many seconds (in the main thread of a Unix process)."""
    if seconds is None:
        yield
        return

    def strike(number: int, frame: FrameType | None) -> None:
        raise LimitReached(f"the time limit of {seconds:g} s was reached")

    previous = signal.signal(signal.SIGALRM, strike)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def check_memory(limit: int | None) -> None:
    if limit is not None and peak_memory() > limit:
        raise LimitReached(f"the memory limit of {limit >> 20} MiB was reached")
