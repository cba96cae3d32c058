"""Progress of long work, on a terminal only: the current step, its speed, and the remaining time.

It is written to standard error by rich, which also respects `NO_COLOR` and dumb terminals; nothing is written to pipes.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

_REFRESH = 0.2
"""Seconds between two changes of the line: more often is not read."""


class Spinner:
    """One line with the current step and its duration."""

    def __init__(self, *, enabled: bool) -> None:
        self._enabled = enabled and sys.stderr.isatty()
        self._bar: Bar | None = None

    def say(self, text: str) -> None:
        """Show a text; markup in it is not interpreted, since it may come from a program."""
        if not self._enabled:
            return
        if self._bar is None:
            from rich.console import Console
            from rich.progress import Progress as Bar
            from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

            columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
            self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task(text, total=None)
            self._bar.start()
        else:
            self._bar.update(self._task, description=text)

    def stop(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def __enter__(self) -> Spinner:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


class Progress:
    """A listener of a run: location, structures, rate, elapsed time and, with a limit, the time left."""

    def __init__(self, *, enabled: bool, timeout: float | None = None) -> None:
        self._spinner = Spinner(enabled=enabled)
        self._timeout = timeout
        self._start = self._last = time.monotonic()
        self._steps = 0

    def on_location(self, location: str, batch: int) -> None:
        self._steps += batch
        now = time.monotonic()
        if now - self._last > _REFRESH:
            self._last = now
            elapsed = now - self._start
            left = f", at most {max(0.0, self._timeout - elapsed):.0f} s left" if self._timeout else ""
            rate = self._steps / elapsed
            self._spinner.say(f"{location}: {self._steps} structures, {rate:.0f} a second{left}")

    def on_edge(self, edge: Any, source: Any, results: Sequence[Any]) -> None:
        """Only locations are shown."""

    def stop(self) -> None:
        self._spinner.stop()


class CountProgress:
    """A bar for work that is counted, with the rate and the time left; `say` prints a line above it."""

    def __init__(self, total: int, *, enabled: bool) -> None:
        self._total = total
        self._bar: Bar | None = None
        if enabled and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            columns = (TextColumn("checking"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
            self._bar = Bar(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task("", total=total)
            self._bar.start()

    def advance(self) -> None:
        if self._bar is not None:
            self._bar.advance(self._task)

    def __enter__(self) -> CountProgress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
