"""The shapes that reports of a check show, with the names of the source: at loop heads, at every line, FESA states."""

from __future__ import annotations

from kleene.analysis.c.source_names import source_names
from kleene.passes.preparation import Prepared
from kleene.report.check.fesa_words import FesaInvariant, fesa_invariants
from kleene.report.check.line_shapes import LineShapes, line_shapes, merge_lines
from kleene.report.check.page import Shapes, check_html
from kleene.report.check.shape_words import Invariant, invariants_of
from kleene.results.check import CheckReport
from kleene.results.fesa import FesaResult
from kleene.results.shape import ShapeResult


def check_page(report: CheckReport) -> str:
    """The page of a check, with all shapes."""
    return check_html(report, Shapes(loop_shapes(report), shapes_by_line(report), fesa_states(report)))


def loop_shapes(report: CheckReport) -> list[Invariant]:
    """The shapes at loop heads and returns; none if the shape analysis did not run."""
    shapes = _shapes_of(report)
    every = [invariant for shape, names in shapes for invariant in invariants_of(shape, names)]
    if len(shapes) > 1:  # slices may say the same
        every = list({(i.place, i.where, tuple(i.words)): i for i in every}.values())
    return sorted(every, key=lambda i: (i.place.file, i.place.line, i.place.column, i.where))


def shapes_by_line(report: CheckReport) -> list[LineShapes]:
    """The shapes at every line that the shape analysis reached."""
    return merge_lines([line for shape, names in _shapes_of(report) for line in line_shapes(shape, names)])


def fesa_states(report: CheckReport) -> list[FesaInvariant]:
    """The states at loop heads, if the FESA domain was used."""
    return fesa_invariants(report.shape) if isinstance(report.shape, FesaResult) else []


def _shapes_of(report: CheckReport) -> list[tuple[ShapeResult, dict[str, dict[str, str]]]]:
    """The shape analysis of a check, or its slices, with the names of variables; only what has structures."""
    shape, prepared = report.shape, report.prepared
    if not isinstance(shape, ShapeResult) or prepared is None:
        return []
    if not shape.slices:
        return [(shape, _names(report))] if shape.reached is not None else []
    followed = [(own, own.followed) for own in shape.slices if own.reached is not None and own.followed is not None]
    return [
        (own, source_names(Prepared(prepared.source, by.slice)))
        for own, by in followed
        if by.slice is not None and by.slice.describes(by.memory)
    ]


def _names(report: CheckReport) -> dict[str, dict[str, str]]:
    prepared = report.prepared
    assert prepared is not None
    if isinstance(report.shape, ShapeResult) and report.shape.apart != prepared.source.apart:
        prepared = prepared.by_calls or prepared
    refined = report.refinement if report.shape is not None and report.shape.partial else None
    return source_names(prepared, whole_scope=bool(refined and refined.task.whole_scope))
