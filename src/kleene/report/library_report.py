"""The result of `kleene check --library`: text for the terminal, JSON (`kleene.library/1`), contracts as C comments."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from kleene.core.verdict import Verdict
from kleene.report.check.text_and_json import finding_lines
from kleene.report.findings.view import finding_views
from kleene.results.library import LIBRARY_SCHEMA, FunctionVerdict, LibraryReport

WORDS = {Verdict.TRUE: "proved", Verdict.FALSE: "ERROR", Verdict.UNKNOWN: "unknown"}


def library_text(report: LibraryReport, *, contracts: bool = False) -> str:
    """A line for each function, the errors with the operations that lead to them, and the invariants."""
    proved = sum(f.verdict is Verdict.TRUE for f in report.functions)
    lines = [f"{report.file}: {report.verdict} ({proved} of {len(report.functions)} functions proved)"]
    width = max((len(f.name) for f in report.functions), default=0)
    for function in report.functions:
        words = "; ".join(function.precondition)
        lines.append(f"  {function.name:<{width}}  {WORDS[function.verdict]:<8}{words}".rstrip())
    lines += _open_lines(report)
    for function in report.functions:
        lines += _error_lines(function, report.file)
    for name, facts in report.invariants.items():
        lines.append(f"between two calls, every object p of type {name} * satisfies:")
        lines += [f"  - {fact}" for fact in facts] or ["  - nothing that has a word"]
    lines += [f"assumed: {assumption}" for assumption in report.assumptions]
    lines += [f"contract: {breach}" for breach in report.breaches]
    if contracts:
        lines += ["", *contract_lines(report)]
    if report.reason:
        lines.append(f"unknown because: {report.reason}")
    return "\n".join([*lines, f"{report.seconds:.2f} s", ""])


def _open_lines(report: LibraryReport) -> list[str]:
    """Why functions are UNKNOWN, and what to do: each reason once, with the functions that have it."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for function in report.functions:
        if function.verdict is Verdict.UNKNOWN:
            reasons.setdefault((function.reason, function.advice), []).append(function.name)
    lines = []
    for (reason, advice), names in reasons.items():
        whose = "all functions" if len(names) == len(report.functions) > 1 else ", ".join(names)
        lines.append(f"{whose} unknown because: {reason}")
        lines += [f"what to do: {advice}"] * bool(advice)
    return lines


def _error_lines(function: FunctionVerdict, file: str) -> list[str]:
    """The operations that lead to an error, its place, and the notes that are about the library, not the client."""
    if function.finding is None or function.verdict is not Verdict.FALSE:
        return []
    runs = [function.run] if function.run is not None else []
    own = str(Path(file).resolve())
    lines = [f"{function.name}: operations: {' '.join(function.sequence)}"]
    for view in finding_views([function.finding], runs, with_flow=False):
        notes = tuple(
            replace(note, place=replace(note.place, file=file)) if note.place.file == own else note
            for note in view.notes
            if Path(note.place.file).exists()  # the client does not any more
        )
        is_moved = bool(runs) and runs[0].fault.place.line != function.finding.line
        shown = replace(view, notes=notes, calls=(), statement="" if is_moved else view.statement)
        lines += finding_lines(shown)
    return lines


def contract_lines(report: LibraryReport) -> list[str]:
    """The inferred contracts, each above the declaration of its function."""
    lines = [f"/* Contracts inferred by Kleene for {report.file}. */"]
    for function in report.functions:
        if function.contract:
            lines += ["", function.contract, f"{function.head};"]
        elif function.no_contract:
            words = "; ".join(function.precondition) or "no precondition"
            lines += ["", f"/* {words}", f"   ({function.no_contract}: no formula) */", f"{function.head};"]
    return lines


def library_json(report: LibraryReport) -> str:
    """The result as JSON (docs/reference/library-json.md)."""
    return json.dumps(library_document(report), indent=2) + "\n"


def library_document(report: LibraryReport) -> dict[str, Any]:
    return {
        "schema": LIBRARY_SCHEMA,
        "file": report.file,
        "verdict": str(report.verdict),
        "functions": [_function(f) for f in report.functions],
        "invariants": {name: list(facts) for name, facts in report.invariants.items()},
        "assumptions": list(report.assumptions),
        "breaches": list(report.breaches),
        "client": report.client,
        "model": None if report.model is None else asdict(report.model),
        "reason": report.reason or None,
        "seconds": round(report.seconds, 3),
    }


def _function(function: FunctionVerdict) -> dict[str, Any]:
    finding = function.finding
    document: dict[str, Any] = {
        "name": function.name,
        "declaration": function.head,
        "line": function.line,
        "verdict": str(function.verdict),
        "precondition": list(function.precondition),
        "contract": function.contract or None,
        "no_contract": function.no_contract or None,
        "reading": None if function.reading is None else asdict(function.reading),
        "reason": function.reason or None,
        "advice": function.advice or None,
    }
    if finding is not None:
        document["finding"] = {
            "kind": finding.kind,
            "file": finding.file,
            "line": finding.line,
            "column": finding.column,
            "status": finding.status,
            "message": finding.message,
            "operations": list(function.sequence),
            "inputs": list(finding.inputs),
        }
    return document
