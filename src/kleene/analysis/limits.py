"""Limits on a run: structures, messages, time, memory. Reaching one ends the run with a partial result."""

from __future__ import annotations

import contextlib
import resource
import signal
import sys
import threading
import time
from pathlib import Path
from types import FrameType, TracebackType

from kleene.diagnostics import LimitReached

_TICK = 0.1
_STATUS = Path("/proc/self/status")


def peak_memory() -> int:
    """The largest resident size of this process so far, in bytes.

    Where the system tells, that of the program itself: `ru_maxrss` also counts the process that started it.
    """
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


class Watchdog:
    """Raises `LimitReached` in its block when time or memory is used up.

    In the main thread of a Unix process a timer looks ten times a second, so that one long step cannot escape it;
    elsewhere only `check` does, which the analysis calls after each location.
    """

    def __init__(self, seconds: float | None, memory: int | None, *, spent: float = 0.0) -> None:
        self._seconds = seconds
        self._memory = memory
        self._deadline = None if seconds is None else time.monotonic() + seconds - spent
        self._armed = False
        self._quiet_until = 0.0
        self._timer = False
        self.struck = False

    def check(self) -> None:
        if self._deadline is not None and time.monotonic() >= self._deadline:
            self.struck = True
            raise LimitReached(f"the time limit of {self._seconds:g} s was reached")
        if self._memory is not None and peak_memory() > self._memory:
            self.struck = True
            raise LimitReached(f"the memory limit of {self._memory >> 20} MiB was reached")

    def _tick(self, number: int, frame: FrameType | None) -> None:
        # Raise again only after a while: the first exception is on its way, unless something swallowed it.
        now = time.monotonic()
        if self._armed and now >= self._quiet_until:
            try:
                self.check()
            except LimitReached:
                self._quiet_until = now + 1
                raise

    def __enter__(self) -> Watchdog:
        limited = self._deadline is not None or self._memory is not None
        in_main = threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer")
        if limited and in_main:
            self._previous = signal.signal(signal.SIGALRM, self._tick)
            self._timer = self._armed = True
            first = _TICK
            if self._deadline is not None:
                first = min(first, max(1e-6, self._deadline - time.monotonic()))
            signal.setitimer(signal.ITIMER_REAL, first, _TICK)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._armed = False
        if self._timer:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._previous)
