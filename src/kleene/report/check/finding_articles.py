"""A finding on a page: the source around it, and the run that shows it as a film."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from kleene.core.verdict import Finding
from kleene.domains.explicit.explore import Confirmed
from kleene.domains.explicit.heap import Heap
from kleene.domains.explicit.interpreter import Trace
from kleene.report.check.film_view import film_document
from kleene.report.check.trace import TraceLine, lines_of
from kleene.report.drawing.heap_picture import heap_dot
from kleene.report.drawing.svg import svg_of_dot
from kleene.report.findings.source_lines import source_line, source_lines
from kleene.report.findings.view import heap_words
from kleene.semantics.contracts.programs import contract_at

_MOST_LINES = 400
"""Statements of a run that the page shows; the last ones are kept, because they lead to the error."""
_CONTEXT = 3
"""Lines of source before and after a finding."""


@dataclass(frozen=True)
class _Row:
    """One line of a trace: the place, the source line and the step."""

    number: int
    where: str
    source: str
    depth: int
    text: str
    note: str
    last: bool


@dataclass(frozen=True)
class FindingArticle:
    """A finding with the source around it and its run; `film` is the number of its film on the page."""

    finding: Finding
    title: str
    excerpt: list[tuple[int, str, bool]]
    rows: list[_Row]
    left_out: int
    offending: Markup | None = None
    """The heap that a contract was checked on."""
    film: int | None = None
    end: Markup | None = None
    """The heap at the end, for those who run no scripts."""


def finding_article(finding: Finding, confirmed: Confirmed | None, films: list[dict[str, Any]]) -> FindingArticle:
    """The view of one finding; the film of the run that confirms it is added to `films`."""
    kind = finding.kind.replace("_", " ")
    title = kind[:1].upper() + kind[1:]
    if confirmed is None:
        return FindingArticle(finding, title, _excerpt(finding), [], 0)
    trace = confirmed.trace
    lines = lines_of(confirmed)
    left_out = max(0, len(lines) - _MOST_LINES)
    lines = lines[left_out:]
    heaps = trace.heaps(line.last + 1 for line in lines)
    films.append(film_document(confirmed, lines, heaps))
    offending = _offending(trace) if finding.kind in ("precondition", "postcondition") else None
    end = _draw(trace, heaps[lines[-1].last + 1]) if lines else None
    return FindingArticle(
        finding, title, _excerpt(finding), _rows(trace, lines), left_out, offending, len(films) - 1, end
    )


def _draw(trace: Trace, heap: Heap) -> Markup:
    return Markup(svg_of_dot(heap_dot(heap, trace.program), label=heap_words(heap)))


def _offending(trace: Trace) -> Markup | None:
    """The heap before the contract steps at the end of a run: the arguments of a call, or the result of a body."""
    number = len(trace.steps)
    while number and contract_at(trace.steps[number - 1].operation.place.function)[0]:
        number -= 1
    return None if number == len(trace.steps) else _draw(trace, trace.heap(number))


def _rows(trace: Trace, lines: Sequence[TraceLine]) -> list[_Row]:
    rows = []
    for number, line in enumerate(lines, 1):
        place = line.place
        where = str(place.line) if len(trace.program.files) == 1 else f"{Path(place.file).name}:{place.line}"
        source = source_line(place.file, place.line).strip()
        source = "" if source.rstrip("; ") == line.text else source
        rows.append(_Row(number, where, source, line.depth - 1, line.text, line.note, number == len(lines)))
    return rows


def _excerpt(finding: Finding) -> list[tuple[int, str, bool]]:
    lines = source_lines(finding.file)
    around = range(max(1, finding.line - _CONTEXT), min(len(lines), finding.line + _CONTEXT) + 1)
    return [(n, lines[n - 1], n == finding.line) for n in around]


def film_places(films: Sequence[dict[str, Any]]) -> Iterator[tuple[str, int]]:
    """The files and lines that films show."""
    for film in films:
        yield film["place"]
        yield from ((step[0], step[1]) for step in film["steps"])
