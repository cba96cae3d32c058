"""Progress of a run: which function and line is analysed, and how many structures there are."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from kleene.cfa.graph import Edge
from kleene.semantics.translate import Translation

Tell = Callable[[str], None]
TELLING_SECONDS = 0.25
"""Seconds between two words about the progress: as often as a person can read."""


def silent(progress: str) -> None:
    """Tell nobody."""


class Counts(Protocol):
    """Knows how many structures a run has made."""

    generated: int


@dataclass
class Teller:
    """A listener of the engine that says where it is."""

    tell: Tell
    translation: Translation
    how: str
    counts: Counts
    _next: float = 0.0

    def on_location(self, location: str, batch: int) -> None:
        if self.tell is silent or (now := time.monotonic()) < self._next:
            return
        place = self.translation.places.get(location)
        if place is not None and place.line:
            self._next = now + TELLING_SECONDS
            loop = "loop in " if location in self.translation.cfa.loop_heads else ""
            where = f"{loop}{place.function or 'the program'}, line {place.line}"
            self.tell(f"{where}: {batch:,} new, {self.counts.generated:,} structures ({self.how})")

    def on_edge(self, edge: Edge[Any], source: Any, results: Sequence[Any]) -> None:
        """Nothing to tell."""
