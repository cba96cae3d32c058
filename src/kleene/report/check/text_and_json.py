"""Reports of `kleene check`: text for the terminal, JSON for machines (docs/reference/check-json.md)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from kleene.core.verdict import Finding, Verdict
from kleene.diagnostics import Diagnostic, visible
from kleene.report.findings.baseline import suppression_warnings
from kleene.report.findings.source_lines import position_of
from kleene.report.findings.view import FindingView, finding_views
from kleene.report.findings.view_json import view_document
from kleene.results.check import CheckReport

CHECK_SCHEMA = "kleene.check/1"
_MOST_POSSIBLE = 3
"""Largest number of printed findings without a confirming run."""


@dataclass(frozen=True)
class Expected:
    """The expected verdict of a task file for a set of properties, and the actual one."""

    property_file: str
    names: tuple[str, ...]
    expected: Verdict | None
    verdict: Verdict

    @property
    def status(self) -> str:
        if self.expected is None:
            return "no expectation"
        if self.verdict is Verdict.UNKNOWN:
            return "unknown"
        return "correct" if self.verdict is self.expected else "wrong"


def check_text(
    report: CheckReport,
    views: Sequence[FindingView] | None = None,
    *,
    traces: bool = False,
    expected: Sequence[Expected] = (),
    invariants: Sequence[str] = (),
) -> str:
    """The verdict of each property, the findings (`views`: only these), and why something is unknown."""
    shown = finding_views(report.findings, report.traces, with_flow=False) if views is None else views
    lines = [f"{visible(', '.join(report.files))}: {report.verdict}"]
    for name, verdict in report.properties.items():
        how = report.proved_by.get(name) or report.shown_by.get(name, "")
        lines.append(f"  {name:<11}{verdict!s:<8}{how}".rstrip())
    possible = [view for view in shown if not view.finding.confirmed]
    for view in [v for v in shown if v.finding.confirmed] + possible[:_MOST_POSSIBLE]:
        lines += finding_lines(view)
        number = report.findings.index(view.finding)
        if number < len(report.replays):
            lines.append(f"    {report.replays[number]}")
        if traces:
            lines += trace_lines(report, number)
    more = len(possible) - _MOST_POSSIBLE
    if more > 0:
        lines.append(f"... and {more} more possible finding{'s' if more > 1 else ''} (--json and --html list all)")
    lines += invariants
    lines += [f"assumes: {assumption}" for assumption in report.assumptions]
    lines += [f"note: {note}" for note in getattr(report.shape, "notes", [])[:_MOST_POSSIBLE]]
    for entry in expected:
        said = f", expected {entry.expected}: {entry.status}" if entry.expected else ""
        lines.append(f"{entry.property_file}: {entry.verdict}{said}")
    if report.reason:
        lines.append(f"unknown because: {report.reason}")
        if report.advice:
            lines.append(f"what to do: {report.advice}")
    if report.reason and report.refinement is not None:
        from kleene.report.check.refinement_text import left_lines  # imports the solver

        lines += left_lines(report.refinement)
    if report.refinement is None and report.fallback:
        lines.append(f"no refinement: {report.fallback}")
    return "\n".join([*lines, _work(report), ""])


def finding_lines(view: FindingView) -> list[str]:
    """A finding as compilers print theirs: the place, the source line with a caret, notes, and the inputs."""
    finding = view.finding
    heading = str(finding).removeprefix(f"{finding.file}:{finding.line}:{finding.column}: ")
    lines = _with_caret(finding.file, finding.line, finding.column, heading)
    for note in view.notes:
        lines += _with_caret(note.place.file, note.place.line, note.place.column, f"note: {note.text}")
    if view.statement:
        lines.append(f"    statement: {view.statement}")
    if view.calls:
        lines.append(f"    calls: {in_short(view.calls)}")
    if finding.inputs and finding.confirmed:
        lines.append(f"    inputs: {in_short([str(value) for value in finding.inputs])}")
    return lines


_MANY = 4
"""Repetitions that are counted: three are read at a glance."""


def in_short(words: Sequence[str]) -> str:
    """Names or numbers in a row, with a number in the place of many repetitions."""
    groups = [(word, len(list(same))) for word, same in groupby(words)]
    return " ".join(f"{w}*{n}" if n >= _MANY else " ".join([w] * n) for w, n in groups)


def _with_caret(file: str, line: int, column: int, text: str) -> list[str]:
    return str(Diagnostic(text, position_of(file, line, column))).split("\n")


def trace_lines(report: CheckReport, number: int) -> list[str]:
    """The run of a finding, one line for each statement, indented by the depth of calls; else the suspected path."""
    if number >= len(report.traces):
        return [f"    line {step.line}  {step.text}" for step in report.findings[number].trace]
    from kleene.report.check.trace import lines_of

    shown = lines_of(report.traces[number])
    files = {line.place.file for line in shown}
    places = [f"{line.place.file if len(files) > 1 else 'line'}:{line.place.line}" for line in shown]
    places = [place.replace("line:", "line ") for place in places]
    width = max(map(len, places), default=0)
    return [
        f"    {place:<{width}}  {'  ' * (line.depth - 1)}{line.text}" + (f"    ({line.note})" if line.note else "")
        for place, line in zip(places, shown, strict=True)
    ]


def _work(report: CheckReport) -> str:
    parts = [f"{report.seconds:.2f} s"]
    if report.exploration is not None:
        parts.append(f"{report.exploration.states} states explored")
    if report.shape is not None:
        parts.append(f"{report.shape.structures} structures ({report.shape.shape_class})")
    if report.refinement is not None:
        parts.append(f"{len(report.refinement.rounds)} rounds of refinement")
    if report.coverage is not None:
        parts.append(str(report.coverage))
    return "; ".join(parts)


def check_json(
    report: CheckReport,
    views: Sequence[FindingView] | None = None,
    *,
    expected: Sequence[Expected] = (),
    invariants: Sequence[Any] | None = None,
) -> str:
    return json.dumps(check_document(report, views, expected=expected, invariants=invariants), indent=2) + "\n"


def check_document(
    report: CheckReport,
    views: Sequence[FindingView] | None = None,
    *,
    expected: Sequence[Expected] = (),
    invariants: Sequence[Any] | None = None,
) -> dict[str, Any]:
    """The documented form of a result (docs/reference/check-json.md)."""
    viewed = finding_views(report.findings, report.traces) if views is None else views
    by_text = {str(view.finding): view for view in viewed}
    statistics: dict[str, Any] = {
        "domain": report.shape.name if report.shape is not None else "explicit",
        "structures": report.shape.structures if report.shape else 0,
        "states": report.exploration.states if report.exploration else 0,
        "seconds": round(report.seconds, 3),
        "refinements": _refinements(report),
        "shape_classes": [report.shape.shape_class] if report.shape else [],
        "solver_calls": report.solver_calls,
        "proved_by": report.proved_by,
        "shown_by": report.shown_by,
        "coverage": _coverage(report),
    }
    document = {
        "schema": CHECK_SCHEMA,
        "file": report.files[0] if len(report.files) == 1 else list(report.files),
        "verdict": str(report.verdict),
        "properties": {name: str(verdict) for name, verdict in report.properties.items()},
        "findings": [_finding(report, n, f, by_text[str(f)]) for n, f in enumerate(report.findings)],
        "statistics": statistics,
        "reason": report.reason or None,
        "advice": report.advice or None,
        "warnings": suppression_warnings(viewed),
        "assumptions": [
            {"name": a.name, "model": a.model, "text": a.text, "given": a.given} for a in report.assumptions
        ],
        "unread": [_place_and_text(problem) for problem in report.unread],
    }
    if expected:
        document["expected"] = [
            {
                "property_file": e.property_file,
                "properties": list(e.names),
                "expected": str(e.expected) if e.expected else None,
                "verdict": str(e.verdict),
                "status": e.status,
            }
            for e in expected
        ]
    if invariants is not None:
        document["invariants"] = [
            {
                "file": i.place.file,
                "line": i.place.line,
                "function": i.place.function,
                "where": i.where,
                "shapes": i.words,
            }
            for i in invariants
        ]
    return document


def _place_and_text(problem: Diagnostic) -> dict[str, Any]:
    place = problem.position
    where = {"file": place.file, "line": place.line, "column": place.column} if place is not None else {}
    return {**where, "message": problem.message}


def _coverage(report: CheckReport) -> dict[str, Any] | None:
    """The states of runs that were looked up in the invariants of proofs."""
    coverage = report.coverage
    if coverage is None:
        return None
    return {
        "states": coverage.states,
        "runs": coverage.runs,
        "locations": len(coverage.locations),
        "seconds": round(coverage.seconds, 3),
    }


def _refinements(report: CheckReport) -> dict[str, int | str]:
    refined = report.refinement
    if refined is None:
        return {"tracking": 0, "shape_class": 0}
    return {
        "tracking": refined.counts.tracking,
        "shape_class": refined.counts.shape_class,
        "rounds": len(refined.rounds),
        "abstraction": str(refined.abstraction),
    }


def _finding(report: CheckReport, number: int, finding: Finding, view: FindingView) -> dict[str, Any]:
    trace = report.traces[number].trace if number < len(report.traces) else None
    replay = report.replays[number] if number < len(report.replays) else None
    replayed = {"replay": {"status": replay.status, "text": replay.text}} if replay is not None else {}
    return {
        "kind": finding.kind,
        "file": finding.file,
        "line": finding.line,
        "column": finding.column,
        "function": finding.function,
        "status": finding.status,
        "message": finding.message,
        "inputs": list(finding.inputs),
        "input_reasons": list(trace.reasons) if trace is not None else [],
        **replayed,
        "trace": [
            {"file": s.file, "line": s.line, "column": s.column, "function": s.function, "text": s.text}
            for s in finding.trace
        ],
        **view_document(view),
    }
