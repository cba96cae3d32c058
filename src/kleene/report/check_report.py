"""Reports of `kleene check`: text for the terminal, JSON for machines (design.md section 1)."""

from __future__ import annotations

import json
from typing import Any, Protocol

from kleene.core.verdict import Finding, Verdict

CHECK_SCHEMA = "kleene.check/1"


class Checked(Protocol):
    """What these reports need to know of a check."""

    files: tuple[str, ...]
    properties: dict[str, Verdict]
    proved_by: dict[str, str]
    findings: list[Finding]
    reason: str
    seconds: float
    exploration: Any
    shape: Any
    warnings: tuple[str, ...]

    @property
    def verdict(self) -> Verdict: ...


def check_text(report: Checked, *, traces: bool = False) -> str:
    """The verdict of each property, the findings, and why something is unknown."""
    lines = [f"{', '.join(report.files)}: {report.verdict}"]
    for name, verdict in report.properties.items():
        how = report.proved_by.get(name, "")
        lines.append(f"  {name:<11}{verdict!s:<8}" + (f"  {how}" if how else ""))
    for finding in report.findings:
        lines.append(str(finding))
        if finding.inputs and finding.confirmed:
            lines.append(f"    inputs: {' '.join(map(str, finding.inputs))}")
        if traces and finding.trace:
            lines += [f"    {step.file}:{step.line}: {step.text}" for step in finding.trace]
    if report.reason:
        lines.append(f"unknown because: {report.reason}")
    return "\n".join([*lines, _work(report), ""])


def _work(report: Checked) -> str:
    parts = [f"{report.seconds:.2f} s"]
    if report.exploration is not None:
        parts.append(f"{report.exploration.states} states explored")
    if report.shape is not None:
        parts.append(f"{report.shape.structures} structures ({report.shape.shape_class})")
    return "; ".join(parts)


def check_json(report: Checked) -> str:
    return json.dumps(check_document(report), indent=2) + "\n"


def check_document(report: Checked) -> dict[str, Any]:
    """The documented form of a result."""
    statistics: dict[str, Any] = {
        "domain": "shape" if report.shape is not None else "explicit",
        "structures": report.shape.structures if report.shape else 0,
        "states": report.exploration.states if report.exploration else 0,
        "seconds": round(report.seconds, 3),
        "refinements": {"tracking": 0, "shape_class": 0},
        "shape_classes": [report.shape.shape_class] if report.shape else [],
        "solver_calls": 0,
        "proved_by": report.proved_by,
    }
    return {
        "schema": CHECK_SCHEMA,
        "file": report.files[0] if len(report.files) == 1 else list(report.files),
        "verdict": str(report.verdict),
        "properties": {name: str(verdict) for name, verdict in report.properties.items()},
        "findings": [_finding(f) for f in report.findings],
        "statistics": statistics,
        "reason": report.reason or None,
        "warnings": list(report.warnings),
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "kind": finding.kind,
        "file": finding.file,
        "line": finding.line,
        "column": finding.column,
        "function": finding.function,
        "status": finding.status,
        "message": finding.message,
        "inputs": list(finding.inputs),
        "trace": [
            {"file": s.file, "line": s.line, "column": s.column, "function": s.function, "text": s.text}
            for s in finding.trace
        ],
    }
