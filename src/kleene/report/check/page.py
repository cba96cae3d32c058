"""The result of a check as one self-contained page: verdicts, findings with their runs as films, shapes by line."""

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
from kleene.report.check.fesa_words import FesaInvariant
from kleene.report.check.film_view import film_document, sources_of
from kleene.report.check.line_shapes import LineShapes
from kleene.report.check.refinement_page import ending, round_views
from kleene.report.check.shape_words import Invariant, for_drawing
from kleene.report.check.trace import TraceLine, lines_of
from kleene.report.drawing.fesa_picture import state_svg
from kleene.report.drawing.heap_picture import heap_dot
from kleene.report.drawing.picture import DrawingOptions
from kleene.report.drawing.svg import svg_of_dot
from kleene.report.findings.baseline import suppression_warnings
from kleene.report.findings.source_lines import source_line, source_lines
from kleene.report.findings.view import finding_views, heap_words
from kleene.report.pages import Album, Figure, caption_of, render
from kleene.results.check import CheckReport
from kleene.semantics.contracts.programs import contract_at
from kleene.structures.structure import Structure

_MOST_LINES = 400
"""Statements of a run that the page shows; the last ones are kept, because they lead to the error."""
_MOST_SHAPES = 12
"""Shapes that are drawn at a loop head where there is no script."""
_MOST_DRAWINGS = 300
"""Shapes that are drawn for the lines of the source: 3 kB and 10 ms each. Others are there in words."""
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
class _FindingView:
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


@dataclass(frozen=True)
class _Loop:
    """The shapes at one loop head, in words and pictures."""

    place: str
    source: str
    words: list[str]
    figures: list[Figure]
    left_out: int


@dataclass(frozen=True)
class Shapes:
    """What an analysis found: the shapes at loop heads and returns, those at every line, or the states of FESA."""

    invariants: Sequence[Invariant] = ()
    lines: Sequence[LineShapes] = ()
    states: Sequence[FesaInvariant] = ()


def check_html(report: CheckReport, shapes: Shapes | None = None) -> str:
    """The page of a check; of runs and results that are very large it shows a part, and says so."""
    shapes = shapes or Shapes()
    drawn = [[for_drawing(s, i.names) for s in i.structures[:_MOST_SHAPES]] for i in shapes.invariants]
    by_line = list(dict.fromkeys(s.drawn for line in shapes.lines for s in line.shapes))[:_MOST_DRAWINGS]
    twice = [structure for structure in by_line for _ in range(2)]
    announced = [*(s for structures in drawn for s in structures), *twice]
    album = Album(DrawingOptions(rotate=True, names=False), announced)
    loops = [_loop(i, structures, album) for i, structures in zip(shapes.invariants, drawn, strict=True)]
    loops += [_states(i) for i in shapes.states]
    films: list[dict[str, Any]] = []
    findings = [_finding_view(report, number, films) for number in _different(report)]
    lines = [_line(line, frozenset(by_line), album) for line in shapes.lines]
    places = [*_film_places(films), *((line.file, line.line) for line in shapes.lines)]
    return render(
        "check.html.j2",
        album,
        data={"films": films, "sources": sources_of(places), "lines": lines},
        title=f"{', '.join(report.files)}: {report.verdict}",
        report=report,
        verdict_class=_CLASSES[str(report.verdict)],
        classes=_CLASSES,
        totals=_totals(report),
        findings=findings,
        loops=loops,
        has_lines=bool(lines),
        warnings=suppression_warnings(finding_views(report.findings, report.traces, with_flow=False)),
        rounds=round_views(report.refinement),
        ending=ending(report.refinement, report.fallback),
        names=", ".join(report.files),
        complete=report.shape is not None and report.shape.complete,
        **({} if announced else {"legend": ()}),
    )


def _film_places(films: Sequence[dict[str, Any]]) -> Iterator[tuple[str, int]]:
    for film in films:
        yield film["place"]
        yield from ((step[0], step[1]) for step in film["steps"])


def _line(line: LineShapes, drawn: frozenset[Structure], album: Album) -> dict[str, Any]:
    """The shapes at a line as the page's script reads them."""
    shapes = [
        {
            "structure": album.number(s.facts),
            "drawing": album.symbol(s.drawn) if s.drawn in drawn else None,
            "caption": caption_of(s.drawn, number),
            "words": s.words,
        }
        for number, s in enumerate(line.shapes, 1)
    ]
    return {
        "file": line.file,
        "line": line.line,
        "function": line.function,
        "loop": line.is_loop,
        "count": line.count,
        "shapes": shapes,
    }


_CLASSES = {"TRUE": "verified", "FALSE": "messages", "UNKNOWN": "incomplete"}


def _totals(report: CheckReport) -> list[tuple[str, str]]:
    shown = [("time", f"{report.seconds:.2f} s")]
    if report.exploration is not None:
        shown.append(("states explored", f"{report.exploration.states:,}"))
    if report.shape is not None:
        shown.append(("structures", f"{report.shape.structures:,}"))
        shown.append(("shape class", report.shape.shape_class))
    if report.coverage is not None:
        shown.append(("real runs", str(report.coverage)))
    return shown


def _different(report: CheckReport) -> list[int]:
    """The numbers of the findings, without repetitions."""
    first: dict[str, int] = {}
    for number, finding in enumerate(report.findings):
        first.setdefault(str(finding), number)
    return list(first.values())


def _finding_view(report: CheckReport, number: int, films: list[dict[str, Any]]) -> _FindingView:
    """The view of one finding; its film is added to `films`."""
    finding = report.findings[number]
    kind = finding.kind.replace("_", " ")
    title = kind[:1].upper() + kind[1:]
    if number >= len(report.traces):
        return _FindingView(finding, title, _excerpt(finding), [], 0)
    confirmed: Confirmed = report.traces[number]
    trace = confirmed.trace
    lines = lines_of(confirmed)
    left_out = max(0, len(lines) - _MOST_LINES)
    lines = lines[left_out:]
    heaps = trace.heaps(line.last + 1 for line in lines)
    films.append(film_document(confirmed, lines, heaps))
    offending = _offending(trace) if finding.kind in ("precondition", "postcondition") else None
    end = _draw(trace, heaps[lines[-1].last + 1]) if lines else None
    return _FindingView(
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


def _loop(invariant: Invariant, drawn: Sequence[Structure], album: Album) -> _Loop:
    place = invariant.place
    return _Loop(
        f"{Path(place.file).name}:{place.line}, {place.function}",
        source_line(place.file, place.line).strip(),
        invariant.words,
        [
            album.figure(s, caption_of(s, n), facts=for_drawing(whole, invariant.names, derived=True))
            for n, (s, whole) in enumerate(zip(drawn, invariant.structures, strict=False), 1)
        ],
        len(invariant.structures) - len(drawn),
    )


def _states(invariant: FesaInvariant) -> _Loop:
    """A loop head of the FESA domain: one picture, and the relations of each node in words."""
    place = invariant.place
    caption = "solid: in all vectors; dashed: in some; dotted circle: another instance of the summary"
    drawn = [Figure(Markup(state_svg(invariant.state.vectors, invariant.cells)), caption)]
    source = source_line(place.file, place.line).strip()
    where = f"{Path(place.file).name}:{place.line}, {place.function}"
    return _Loop(where, source, invariant.words, drawn if invariant.state.vectors.dims else [], 0)
