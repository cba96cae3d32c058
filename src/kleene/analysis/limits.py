"""Limits on a run: structures, messages, time, memory. Reaching one ends the run with a partial result."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, TypeVar

from kleene.diagnostics import Limit, LimitReached

Result = TypeVar("Result")
_TICK = 0.1
"""Seconds between two looks at time and memory."""
MOST_MEMORY = 4 << 30
"""Bytes after which an analysis gives up: half the memory of a usual machine with two cores."""
GRACE = 0.3
"""Seconds that a phase may take beyond its share before it is interrupted wherever it is."""
_SOON = 0.002
"""Seconds until the next look where the program may not be interrupted now."""
_QUIET = 0.5
"""Seconds before a limit is raised again, if something swallowed it."""
_FOREIGN = ("z3", "weakref")
"""Packages whose code may not be left in the middle."""
_STATUS = "/proc/self/status"
_STAT = "/proc/self/stat"
_STAT_BEGAN = 19
"""The place of the time when the process began, behind its name; in clock ticks since the system was started."""
_STATUS_BYTES = 1 << 14
"""More than the file has: it is a page or less."""


DEEPEST = 20_000
"""Calls inside each other in an analysis: formulas about numbers with many values are deep. Python allows 1,000."""


@contextlib.contextmanager
def deep_formulas() -> Iterator[None]:
    """Allow deep recursion inside."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def peak_memory() -> int:
    """The largest resident size of this process so far, in bytes.

    Read from `/proc` if it exists: `ru_maxrss` also counts the process that started this one.
    """
    peak = _resident(b"VmHWM:")
    if peak is not None:
        return peak
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def resident_memory() -> int:
    """The resident size of this process now, in bytes: one large analysis must not end those after it."""
    now = _resident(b"VmRSS:")
    return peak_memory() if now is None else now


def release_memory() -> None:
    """Give memory that is free back to the system: what a step took that was stopped must not stop the next ones."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):  # other C libraries give it back by themselves
        ctypes.CDLL(None).malloc_trim(0)


def process_age() -> float:
    """Seconds since the process began, with the start of Python and the imports; 0 where the system does not say it."""
    with contextlib.suppress(OSError, ValueError, IndexError, AttributeError):
        fields = Path(_STAT).read_text(encoding="utf-8").rpartition(")")[2].split()
        began = int(fields[_STAT_BEGAN]) / os.sysconf("SC_CLK_TCK")
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - began)
    return 0.0


def _resident(field: bytes) -> int | None:
    """A size of the process in bytes; None if the system does not say it."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        status = os.open(_STATUS, os.O_RDONLY)
        try:
            text = os.read(status, _STATUS_BYTES)
        finally:
            os.close(status)
        return int(text.partition(field)[2].split(None, 1)[0]) * 1024
    return None


class _Timer:
    """The one timer of the process, and the watchdogs that it wakes, the outermost first."""

    def __init__(self) -> None:
        self._watchdogs: list[Watchdog] = []
        self._previous: Callable[[int, FrameType | None], Any] | int | None = None

    @property
    def stated(self) -> str:
        """The limit of the outermost watchdog."""
        return self._watchdogs[0].stated if self._watchdogs else ""

    def add(self, watchdog: Watchdog) -> None:
        self._watchdogs.append(watchdog)
        if len(self._watchdogs) == 1:
            self._previous = signal.signal(signal.SIGALRM, self._wake)
            self.look_in(_TICK)

    def remove(self, watchdog: Watchdog) -> None:
        self._watchdogs.remove(watchdog)
        if not self._watchdogs:
            signal.setitimer(signal.ITIMER_REAL, 0)
            if self._previous is not signal.SIG_DFL:  # by default, an alarm on its way would end the process
                signal.signal(signal.SIGALRM, self._previous)

    def look_in(self, seconds: float) -> None:
        signal.setitimer(signal.ITIMER_REAL, min(_TICK, max(1e-6, seconds)), _TICK)

    def _wake(self, number: int, frame: FrameType | None) -> None:
        if self._watchdogs and _is_delicate(frame):
            self.look_in(_SOON)
            return
        for watchdog in tuple(self._watchdogs):
            watchdog.tick()


_TIMER = _Timer()


class _Interruption:
    """Ctrl-C as a limit: from the first one on, every watchdog strikes, so that nothing is begun any more."""

    def __init__(self) -> None:
        self._is_asked = False
        self._previous: dict[int, Any] = {}

    def check(self) -> None:
        if self._is_asked:
            raise LimitReached("interrupted", Limit.INTERRUPTION)

    def _ask(self, number: int, frame: FrameType | None) -> None:
        if self._is_asked:  # the user insists
            raise KeyboardInterrupt
        self._is_asked = True
        if _is_delicate(frame):
            _TIMER.look_in(_SOON)
        else:
            self.check()

    @contextlib.contextmanager
    def catch(self) -> Iterator[None]:
        """In this block, Ctrl-C and a request to terminate are limits; the second one is an exception again."""
        if self._previous or threading.current_thread() is not threading.main_thread():
            yield
            return
        signals = [s for s in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(s) is signal.default_int_handler]
        self._previous = {number: signal.signal(number, self._ask) for number in signals}
        try:
            yield
        finally:
            for number, handler in self._previous.items():
                signal.signal(number, handler)
            self._previous, self._is_asked = {}, False


_INTERRUPTION = _Interruption()
interruptible = _INTERRUPTION.catch


class Watchdog:
    """Raises `LimitReached` in its block when time or memory is used up.

    In the main thread of a Unix process a timer looks ten times a second, so that one long step cannot escape it;
    elsewhere only `check` does, which the analysis calls after each location. Watchdogs nest: a timer looks for all of
    them, the outermost first. `stated` is the limit as the user gave it; watchdogs inside take it over for messages.
    """

    def __init__(
        self, seconds: float | None, memory: int | None, *, spent: float = 0.0, stated: str | None = None
    ) -> None:
        self.stated = _TIMER.stated or stated or ("" if seconds is None else f"{seconds:g} s")
        self._memory = memory
        self._deadline = None if seconds is None else time.monotonic() + seconds - spent
        self._quiet_until = 0.0
        self._watches = False
        self.struck = False

    def check(self) -> None:
        _INTERRUPTION.check()
        if self._deadline is not None and time.monotonic() >= self._deadline:
            self.struck = True
            raise LimitReached(f"the time limit of {self.stated} was reached", Limit.TIME)
        if self._memory is not None and resident_memory() > self._memory:
            self.struck = True
            raise LimitReached(f"the memory limit of {self._memory >> 20} MiB was reached", Limit.MEMORY)

    def tick(self) -> None:
        """Look, but not again at once: the first exception is on its way, unless something swallowed it."""
        now = time.monotonic()
        if now >= self._quiet_until:
            try:
                self.check()
            except LimitReached:
                self._quiet_until = now + _QUIET
                raise

    def __enter__(self) -> Watchdog:
        limited = self._deadline is not None or self._memory is not None
        in_main = threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer")
        if limited and in_main:
            self._watches = True
            _TIMER.add(self)
            if self._deadline is not None:
                _TIMER.look_in(self._deadline - time.monotonic())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._watches:
            _TIMER.remove(self)
        if isinstance(error, LimitReached) and error.limit is Limit.MEMORY:
            release_memory()


def _is_delicate(frame: FrameType | None) -> bool:
    """Whether an exception would be lost here, or do harm: in a destructor, or between the solver and its wrapper."""
    if frame is not None and frame.f_globals.get("__name__") == __name__:
        return True
    while frame is not None:
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if package in _FOREIGN or frame.f_code.co_name == "__del__" or _is_called_by_collector(frame):
            return True
        frame = frame.f_back
    return False


def _is_called_by_collector(frame: FrameType) -> bool:
    """Whether the garbage collector called this function: Python prints exceptions of such functions and goes on."""
    return any(getattr(callback, "__code__", None) is frame.f_code for callback in gc.callbacks)


def within(seconds: float, compute: Callable[[], Result], *, stated: str | None = None) -> Result | LimitReached:
    """The result of `compute`, or the limit if it takes longer; the limit interrupts any computation."""
    try:
        with Watchdog(seconds, None, stated=stated) as watchdog:
            watchdog.check()
            return compute()
    except LimitReached as limit:
        return limit


def stated_limit(seconds: float) -> str:
    """A limit of time in the words of the user, where one was given."""
    return _TIMER.stated or f"{seconds:g} s"
