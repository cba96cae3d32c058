"""The result of assume, alpha, meet and transform: JSON (schema `kleene.symbolic/1`), TVS, text and one HTML page.

The JSON is documented in docs/reference/symbolic-json.md; `schemas/symbolic.schema.json` is its JSON Schema.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from kleene.report.run.json import json_text, structure_document
from kleene.report.show import show_html, show_text
from kleene.structures.structure import Structure

SYMBOLIC_SCHEMA = "kleene.symbolic/1"


@dataclass(frozen=True)
class Violation:
    """A precondition (or the postcondition of a body) that may be broken, and stores on which it is."""

    call: str
    condition: str
    structures: tuple[Structure, ...]
    kind: str = "requires"


@dataclass(frozen=True)
class SymbolicReport:
    """The result of a symbolic operation for reports: plain values, no solver."""

    operation: str
    program: str
    structures: tuple[Structure, ...]
    stores: Sequence[Structure | None]
    most_precise: bool
    reason: str | None
    solver_calls: int
    seconds: float
    backend: str
    formula: str | None = None
    actions: tuple[str, ...] = ()
    violations: tuple[Violation, ...] = ()
    statistics: dict[str, int] = field(default_factory=dict)
    body_of: str | None = None
    minimal: bool = False
    """Structures that are embedded in others are left out."""


def symbolic_document(report: SymbolicReport) -> dict[str, Any]:
    """The report as plain dictionaries, lists, strings and numbers."""
    vocabulary = next((s.vocabulary for s in report.structures), None)
    return {
        "schema": SYMBOLIC_SCHEMA,
        "operation": report.operation,
        "program": report.program,
        "formula": report.formula,
        "actions": list(report.actions),
        "most_precise": report.most_precise,
        "minimal": report.minimal,
        "reason": report.reason,
        "solver_calls": report.solver_calls,
        "seconds": round(report.seconds, 6),
        "backend": report.backend,
        "calls": dict(sorted(report.statistics.items())),
        "violations": [
            {"call": v.call, v.kind: v.condition, "structures": [structure_document(s) for s in v.structures]}
            for v in report.violations
        ],
        "predicates": [] if vocabulary is None else [p.name for p in vocabulary.declared],
        "structures": [structure_document(s) for s in report.structures],
        "stores": [None if s is None else structure_document(s) for s in report.stores],
    }


def symbolic_json(report: SymbolicReport) -> str:
    return json_text(symbolic_document(report))


def symbolic_text(report: SymbolicReport, *, structures: bool = True) -> str:
    """A summary for the terminal, the structures first."""
    parts = [show_text(report.structures) + "\n"] if structures and report.structures else []
    for violation in report.violations:
        parts.append(f"{violation.call}: {violation.kind} may fail: {violation.condition}\n")
        parts.append(show_text(violation.structures) + "\n")
    return "".join(parts) + summary_line(report) + "\n"


def summary_line(report: SymbolicReport) -> str:
    if report.body_of is not None:
        outcome = "may break its specification" if report.violations else f"was not decided: {report.reason}"
        outcome = "keeps its specification" if report.most_precise and not report.violations else outcome
        return f"{report.operation}: the body of {report.body_of} {outcome}; {report.seconds:.2f} s ({report.backend})"
    count = len(report.structures)
    left_out = " (those embedded in others are left out)" if report.minimal else ""
    precise = "most precise" if report.most_precise else f"not known to be most precise: {report.reason}"
    return (
        f"{report.operation}: {count} structure{'' if count == 1 else 's'}, {precise}{left_out}; "
        f"{report.solver_calls} solver calls, {report.seconds:.2f} s ({report.backend})"
    )


def symbolic_html(report: SymbolicReport) -> str:
    """One self-contained page; the title names the operation and its outcome."""
    shown: Sequence[Structure] = (*report.structures, *(s for v in report.violations for s in v.structures))
    about = report.formula or "; ".join(report.actions)
    return show_html(shown, title=f"{report.program}: {about} - {summary_line(report)}")
