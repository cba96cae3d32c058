"""The result of a check as one self-contained page: verdicts, findings with their runs as films, shapes by line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from kleene.report.check.fesa_words import FesaInvariant
from kleene.report.check.film_view import sources_of
from kleene.report.check.finding_articles import film_places, finding_article
from kleene.report.check.line_shapes import LineShapes
from kleene.report.check.refinement_page import ending, round_views
from kleene.report.check.shape_words import Invariant, for_drawing
from kleene.report.drawing.fesa_picture import state_svg
from kleene.report.drawing.picture import DrawingOptions
from kleene.report.findings.baseline import suppression_warnings
from kleene.report.findings.source_lines import source_line
from kleene.report.findings.view import finding_views
from kleene.report.pages import Album, Figure, caption_of, render
from kleene.results.check import CheckReport
from kleene.structures.structure import Structure

MOST_SHAPES = 12
"""Shapes that are drawn at a loop head where there is no script."""
_MOST_DRAWINGS = 300
"""Shapes that are drawn for the lines of the source: 3 kB and 10 ms each. Others are there in words."""


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
    drawn = [[for_drawing(s, i.names) for s in i.structures[:MOST_SHAPES]] for i in shapes.invariants]
    by_line = list(dict.fromkeys(s.drawn for line in shapes.lines for s in line.shapes))[:_MOST_DRAWINGS]
    twice = [structure for structure in by_line for _ in range(2)]
    announced = [*(s for structures in drawn for s in structures), *twice]
    album = Album(DrawingOptions(rotate=True, names=False), announced)
    loops = [loop_article(i, structures, album) for i, structures in zip(shapes.invariants, drawn, strict=True)]
    loops += [_states(i) for i in shapes.states]
    films: list[dict[str, Any]] = []
    findings = [
        finding_article(report.findings[n], report.traces[n] if n < len(report.traces) else None, films)
        for n in _different(report)
    ]
    lines = [_line(line, frozenset(by_line), album) for line in shapes.lines]
    places = [*film_places(films), *((line.file, line.line) for line in shapes.lines)]
    return render(
        "check.html.j2",
        album,
        data={"films": films, "sources": sources_of(places), "lines": lines},
        title=f"{', '.join(report.files)}: {report.verdict}",
        report=report,
        verdict_class=VERDICT_CLASSES[str(report.verdict)],
        classes=VERDICT_CLASSES,
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


VERDICT_CLASSES = {"TRUE": "verified", "FALSE": "messages", "UNKNOWN": "incomplete"}


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


def loop_article(invariant: Invariant, drawn: Sequence[Structure], album: Album) -> _Loop:
    """The shapes at a loop head; `drawn` are those with a picture."""
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
