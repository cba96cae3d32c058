"""The shapes that reports of a check show, with the names of the source: at loop heads, at every line, FESA states."""

from __future__ import annotations

from kleene.analysis.c.source_names import source_names
from kleene.report.check.fesa_words import FesaInvariant, fesa_invariants
from kleene.report.check.line_shapes import LineShapes, line_shapes
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
    shape = _shape_of(report)
    return invariants_of(shape, _names(report)) if shape is not None else []


def shapes_by_line(report: CheckReport) -> list[LineShapes]:
    """The shapes at every line that the shape analysis reached."""
    shape = _shape_of(report)
    return line_shapes(shape, _names(report)) if shape is not None else []


def fesa_states(report: CheckReport) -> list[FesaInvariant]:
    """The states at loop heads, if the FESA domain was used."""
    return fesa_invariants(report.shape) if isinstance(report.shape, FesaResult) else []


def _shape_of(report: CheckReport) -> ShapeResult | None:
    """The shape analysis of a check, if it has structures."""
    shape = report.shape
    if not isinstance(shape, ShapeResult) or shape.reached is None or report.prepared is None:
        return None
    return shape


def _names(report: CheckReport) -> dict[str, dict[str, str]]:
    prepared = report.prepared
    assert prepared is not None
    if isinstance(report.shape, ShapeResult) and report.shape.apart != prepared.source.apart:
        prepared = prepared.by_calls or prepared
    refined = report.refinement if report.shape is not None and report.shape.partial else None
    return source_names(prepared, whole_scope=bool(refined and refined.task.whole_scope))
