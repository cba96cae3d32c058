"""The result of a check as one self-contained page: verdicts, findings with their runs and heaps, and loop shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from kleene.core.verdict import Finding
from kleene.domains.explicit.interpreter import Trace
from kleene.report.check.fesa_words import FesaInvariant
from kleene.report.check.refinement_page import ending, round_views
from kleene.report.check.shape_words import Invariant, for_drawing
from kleene.report.check.trace import TraceLine, lines_of
from kleene.report.drawing.fesa_picture import state_svg
from kleene.report.drawing.heap_picture import Film
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
_MOST_HEAPS = 80
_MOST_SHAPES = 12
_CONTEXT = 3


@dataclass(frozen=True)
class _Row:
    """One line of a trace: the place, the source line, the step, and the heap if it changed."""

    number: int
    where: str
    source: str
    depth: int
    text: str
    note: str
    svg: Markup | None
    last: bool


@dataclass(frozen=True)
class _Found:
    """A finding with the source around it and its run."""

    finding: Finding
    title: str
    excerpt: list[tuple[int, str, bool]]
    rows: list[_Row]
    left_out: int
    offending: Markup | None = None
    """The heap that a contract was checked on."""


@dataclass(frozen=True)
class _Loop:
    """The shapes at one loop head, in words and pictures."""

    place: str
    source: str
    words: list[str]
    figures: list[Figure]
    left_out: int


def check_html(report: CheckReport, invariants: Sequence[Invariant] = (), states: Sequence[FesaInvariant] = ()) -> str:
    """The page of a check; pictures of runs that are very long are drawn for their last steps only."""
    drawn = [[for_drawing(s, i.names) for s in i.structures[:_MOST_SHAPES]] for i in invariants]
    album = Album(DrawingOptions(rotate=True, names=False), [s for structures in drawn for s in structures])
    loops = [_loop(i, structures, album) for i, structures in zip(invariants, drawn, strict=True)]
    loops += [_states(i) for i in states]
    return render(
        "check.html.j2",
        album,
        title=f"{', '.join(report.files)}: {report.verdict}",
        report=report,
        verdict_class=_CLASSES[str(report.verdict)],
        classes=_CLASSES,
        totals=_totals(report),
        findings=[_found(report, number) for number in _different(report)],
        loops=loops,
        warnings=suppression_warnings(finding_views(report.findings, report.traces, with_flow=False)),
        rounds=round_views(report.refinement),
        ending=ending(report.refinement, report.fallback),
        names=", ".join(report.files),
        complete=report.shape is not None and report.shape.complete,
        **({} if drawn else {"legend": ()}),
    )


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


def _found(report: CheckReport, number: int) -> _Found:
    finding = report.findings[number]
    rows: list[_Row] = []
    left_out, offending = 0, None
    if number < len(report.traces):
        trace: Trace = report.traces[number].trace
        lines = lines_of(report.traces[number])
        left_out = max(0, len(lines) - _MOST_LINES)
        rows = _rows(trace, lines[left_out:])
        offending = _offending(trace) if finding.kind in ("precondition", "postcondition") else None
    kind = finding.kind.replace("_", " ")
    return _Found(finding, kind[:1].upper() + kind[1:], _excerpt(finding), rows, left_out, offending)


def _offending(trace: Trace) -> Markup | None:
    """The heap before the contract steps at the end of a run: the arguments of a call, or the result of a body."""
    number = len(trace.steps)
    while number and contract_at(trace.steps[number - 1].operation.place.function)[0]:
        number -= 1
    if number == len(trace.steps):
        return None
    heap = trace.heap(number)
    return Markup(svg_of_dot(Film(trace.program).picture(heap), label=heap_words(heap)))


def _rows(trace: Trace, lines: list[TraceLine]) -> list[_Row]:
    """The lines with the heap after each, where it differs from the one before."""
    first_drawn = max(0, len(lines) - _MOST_HEAPS)
    film = Film(trace.program)
    rows = []
    for position, line in enumerate(lines):
        svg = None
        last = position == len(lines) - 1
        if position >= first_drawn:
            heap = trace.heap(line.last + 1)
            if last or film.changes(heap):
                svg = Markup(svg_of_dot(film.picture(heap), label=heap_words(heap)))
        place = line.place
        where = str(place.line) if len(trace.program.files) == 1 else f"{Path(place.file).name}:{place.line}"
        source = source_line(place.file, place.line).strip()
        source = "" if source.rstrip("; ") == line.text else source
        rows.append(_Row(position + 1, where, source, line.depth - 1, line.text, line.note, svg, last))
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
        [album.figure(s, caption_of(s, n)) for n, s in enumerate(drawn, 1)],
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
