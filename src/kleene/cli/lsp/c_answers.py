"""The outcome of a check of a C program as diagnostics, and the shapes at its lines as text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lsprotocol import types

from kleene.cli.lsp.places import place_of, range_of, uri_of
from kleene.diagnostics import Position
from kleene.report.findings.source_lines import position_of

_SOURCE = "kleene"
_MOST_STEPS = 60
"""Steps of a run that are listed with a finding; the last ones lead to the error."""
_MOST_WORDS = 12
"""Shapes that a hover lists."""


def diagnostics_of(outcome: Mapping[str, Any], file: str) -> list[types.Diagnostic]:
    """What the editor marks in a file. A finding has its run as related information."""
    marks = [_error(error) for error in outcome.get("errors", ())]
    marks += [_finding(f) for f in outcome.get("findings", ()) if _same(f["file"], file) and f["suppressed"] is None]
    if outcome.get("verdict") == "UNKNOWN" and not marks:
        marks.append(_mark(None, f"UNKNOWN: {outcome['reason']}", types.DiagnosticSeverity.Information, "unknown"))
    return marks


def shapes_at(outcome: Mapping[str, Any], file: str, line: int) -> str:
    """The shapes before a line (from 1) as Markdown; empty if nothing is known of it."""
    for entry in outcome.get("lines", ()):
        if entry["line"] == line and _same(entry["file"], file):
            words = [f"- {text}" for text in entry["words"][:_MOST_WORDS]]
            more = len(entry["words"]) - _MOST_WORDS
            words += [f"- … and {more} more"] if more > 0 else []
            return "\n".join([f"**Heaps before line {line}**", "", *words])
    return ""


def _finding(finding: Mapping[str, Any]) -> types.Diagnostic:
    position = position_of(finding["file"], finding["line"], finding["column"])
    confirmed = finding["confirmed"]
    severity = types.DiagnosticSeverity.Error if confirmed else types.DiagnosticSeverity.Warning
    message = finding["message"] + ("" if confirmed else " (possible)")
    mark = _mark(position, message, severity, finding["kind"])
    related = [(note, note["text"]) for note in finding["notes"]]
    steps = finding["steps"][-_MOST_STEPS:]
    first = len(finding["steps"]) - len(steps) + 1
    related += [(step, f"step {number}: {step['text']}") for number, step in enumerate(steps, first)]
    mark.related_information = [
        types.DiagnosticRelatedInformation(_location(place), text) for place, text in related if place["file"]
    ]
    return mark


def _error(error: Mapping[str, Any]) -> types.Diagnostic:
    position = position_of(error["file"], error["line"], error["column"]) if error["file"] else None
    return _mark(position, error["message"], types.DiagnosticSeverity.Error, "input")


def _mark(position: Position | None, message: str, severity: types.DiagnosticSeverity, code: str) -> types.Diagnostic:
    return types.Diagnostic(range_of(position), message, severity=severity, code=code, source=_SOURCE)


def _location(place: Mapping[str, Any]) -> types.Location:
    position = position_of(place["file"], place["line"], place["column"])
    start = place_of(position.line, position.column, position.text)
    return types.Location(uri_of(place["file"]), types.Range(start, start))


def _same(one: str, other: str) -> bool:
    return Path(one).resolve() == Path(other).resolve()
