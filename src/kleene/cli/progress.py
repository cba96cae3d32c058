"""Progress of a long run, on a terminal only."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any


class Progress:
    """A listener that shows location, structures and elapsed time, a few times a second."""

    def __init__(self, *, enabled: bool) -> None:
        self._enabled = enabled and sys.stderr.isatty()
        self._start = self._last = time.monotonic()
        self._steps = 0

    def on_location(self, location: str, batch: int) -> None:
        self._steps += batch
        now = time.monotonic()
        if self._enabled and now - self._last > 0.2:
            self._last = now
            text = f"{location}: {self._steps} structures processed, {now - self._start:.1f} s"
            sys.stderr.write(f"\r\x1b[K{text[:100]}")
            sys.stderr.flush()

    def on_edge(self, edge: Any, source: Any, results: Sequence[Any]) -> None:
        """Only locations are shown."""

    def done(self) -> None:
        if self._enabled:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
