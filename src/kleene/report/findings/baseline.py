"""Known findings: those of an earlier SARIF file, and those that comments in the source suppress.

A comment ``// kleene: ignore[memory_leak] freed by the operating system`` is on the line of the finding or on the
line above it; several kinds are separated by commas. Without a reason it does nothing, and is reported.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kleene.diagnostics import InputError
from kleene.report.findings.source_lines import source_line
from kleene.report.findings.view import FindingView

_COMMENT = re.compile(r"(?://|/\*)\s*kleene:\s*ignore\s*\[([\w\s,]*)\]\s*(.*?)\s*(?:\*/.*)?$")


@dataclass(frozen=True)
class Baseline:
    """The fingerprints and the undecided properties of an earlier check."""

    fingerprints: frozenset[str]
    open_properties: dict[str, frozenset[str]]


def read_baseline(text: str, file: str) -> Baseline:
    """The baseline in a SARIF file that `--sarif` wrote; another file is an input error."""
    from kleene.report.formats.sarif import FINGERPRINT

    try:
        runs = json.loads(text)["runs"]
        results = [result for run in runs for result in run["results"]]
        marks = {str(result["partialFingerprints"][FINGERPRINT]) for result in results}
        entries = [entry for run in runs for entry in run["properties"]["openProperties"].items()]
        return Baseline(frozenset(marks), {str(name): frozenset(map(str, open_)) for name, open_ in entries})
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise InputError(
            f"{file}: this is no baseline: give a file that 'kleene check --sarif FILE' wrote"
        ) from problem


def compare(views: Sequence[FindingView], baseline: Baseline | None) -> list[FindingView]:
    """The findings, each with its suppression and whether the baseline has it."""
    compared = []
    for view in views:
        is_known = baseline is not None and view.fingerprint in baseline.fingerprints
        compared.append(replace(view, suppressed=suppression(view) or None, is_known=is_known))
    return compared


def suppression(view: FindingView) -> str:
    """The reason that a comment gives for ignoring the finding; empty if there is none."""
    return next((reason for kinds, reason in _comments(view) if view.finding.kind in kinds and reason), "")


def suppression_warnings(views: Sequence[FindingView]) -> list[str]:
    """A line for each comment that would suppress a finding if it gave a reason."""
    warnings: dict[str, None] = {}
    for view in views:
        for kinds, reason in _comments(view):
            if view.finding.kind in kinds and not reason:
                place = f"{view.finding.file}:{view.finding.line}"
                warnings[f"{place}: 'kleene: ignore' does nothing without a reason: write one behind the bracket"] = (
                    None
                )
    return list(warnings)


def _comments(view: FindingView) -> list[tuple[set[str], str]]:
    finding = view.finding
    comments = []
    for line in (finding.line, finding.line - 1):
        match = _COMMENT.search(source_line(finding.file, line))
        if match:
            comments.append(({kind.strip() for kind in match[1].split(",")}, match[2]))
    return comments
