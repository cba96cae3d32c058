"""The run of a finding as a film: its steps, the operations of the entry function as chapters, and the heaps.

The result is plain data, which the page's script shows step by step beside the source.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kleene.domains.explicit.explore import Confirmed
from kleene.domains.explicit.heap import Heap
from kleene.report.check.trace import TraceLine
from kleene.report.drawing.film import Film
from kleene.report.findings.source_lines import source_lines
from kleene.semantics.contracts.programs import without_contract

_AROUND = 60
"""Lines of source that are kept before and after each line of interest: a file may have a hundred thousand."""


@dataclass(frozen=True)
class Chapter:
    """A part of a run: one call by the entry function, or its own statements between two calls."""

    title: str
    first: int


def chapters_of(lines: Sequence[TraceLine]) -> list[Chapter]:
    """The parts of a run, in order. A run without calls is one part."""
    chapters: list[Chapter] = []
    outermost = min((line.depth for line in lines), default=0)
    inside = False
    for number, line in enumerate(lines):
        calls = line.depth == outermost and number + 1 < len(lines) and lines[number + 1].depth > outermost
        if calls:
            chapters.append(Chapter(line.text, number))
        elif line.depth == outermost and (not chapters or inside):
            name = without_contract(line.place.function) or "start"
            chapters.append(Chapter(f"{name}, line {line.place.line}", number))
        inside = calls or line.depth > outermost
    return chapters


def film_document(confirmed: Confirmed, lines: Sequence[TraceLine], heaps: Mapping[int, Heap]) -> dict[str, Any]:
    """The film of a run; `heaps` has the heap after each line, by the number of the next step."""
    film = Film(confirmed.trace.program)
    chapters = chapters_of(lines)
    steps = []
    for line in lines:
        place = line.place
        frame = film.add(heaps[line.last + 1])
        steps.append([place.file, place.line, line.depth - 1, line.text, line.note, frame])
    return {
        **film.document(),
        "steps": steps,
        "chapters": [[c.title, c.first] for c in chapters] if len(chapters) > 1 else [],
        "message": confirmed.fault.message,
        "place": [confirmed.fault.place.file, confirmed.fault.place.line],
    }


def sources_of(places: Iterable[tuple[str, int]]) -> dict[str, list[tuple[int, str]]]:
    """The source around some places, by file: numbered lines. Gaps are where numbers are missing."""
    wanted: dict[str, set[int]] = {}
    for file, line in places:
        wanted.setdefault(file, set()).update(range(max(1, line - _AROUND), line + _AROUND + 1))
    sources = {}
    for file, numbers in wanted.items():
        lines = source_lines(file)
        sources[file] = [(n, lines[n - 1]) for n in sorted(numbers) if n <= len(lines)]
    return sources
