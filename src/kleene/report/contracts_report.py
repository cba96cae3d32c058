"""The result of `kleene contracts` for each procedure, as text, JSON (`kleene.contracts/1`) and HTML.

The JSON is documented in docs/reference/contracts-json.md; `schemas/contracts.schema.json` is its JSON Schema.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kleene.report.pages import DEFAULT_DRAWING, Album, caption_of, render
from kleene.report.run.json import json_text, structure_document
from kleene.report.show import show_text
from kleene.structures.structure import Structure

CONTRACTS_SCHEMA = "kleene.contracts/1"
VERIFIED, VIOLATED, UNDECIDED, ASSUMED = "verified", "violated", "undecided", "assumed"
_SHOWN = 3
"""So many structures show one violation."""
_WORDS = {
    VERIFIED: "keeps its specification",
    VIOLATED: "may break a specification",
    UNDECIDED: "was not decided",
    ASSUMED: "has no body: its specification is assumed",
}


@dataclass(frozen=True)
class BodyViolation:
    """A condition that may fail in a body: where, what, and structures (or stores) on which it does."""

    location: str
    what: str
    structures: tuple[Structure, ...]
    undecided: str | None = None
    """Why it is not known whether the condition fails there."""

    def __str__(self) -> str:
        why = "may fail" if self.undecided is None else f"was not decided ({self.undecided})"
        return f"at {self.location}: {self.what} {why}"


@dataclass
class BodyResult:
    """The result of one procedure."""

    name: str
    verdict: str = ASSUMED
    violations: list[BodyViolation] = field(default_factory=list)
    reasons: dict[str, None] = field(default_factory=dict)
    entry: int = 0
    structures: int = 0
    seconds: float = 0.0

    @property
    def reason(self) -> str | None:
        return "; ".join(self.reasons) or None

    def settle(self) -> None:
        """Compute the verdict from violations and reasons."""
        failing = any(v.undecided is None for v in self.violations)
        self.verdict = VIOLATED if failing else UNDECIDED if self.violations or self.reasons else VERIFIED

    def add(self, violation: BodyViolation) -> None:
        """One more violation; of one condition at one place only the first structures are kept."""
        for i, known in enumerate(self.violations):
            if (known.location, known.what, known.undecided) == (
                violation.location,
                violation.what,
                violation.undecided,
            ):
                both = dict.fromkeys((*known.structures, *violation.structures))
                self.violations[i] = replace(known, structures=tuple(both)[:_SHOWN])
                return
        self.violations.append(replace(violation, structures=violation.structures[:_SHOWN]))


def contracts_text(results: Sequence[BodyResult]) -> str:
    """A line for each procedure; below it the possible violations, with structures that show them."""
    parts = []
    for result in results:
        parts.append(f"{_line(result)}\n")
        for violation in result.violations:
            parts.append(f"  {violation}\n")
            parts += [f"    {line}\n" for line in show_text(violation.structures).rstrip().splitlines()]
    return "".join(parts)


def contracts_json(program: str, results: Sequence[BodyResult]) -> str:
    document: dict[str, Any] = {
        "schema": CONTRACTS_SCHEMA,
        "program": program,
        "procedures": [
            {
                "name": r.name,
                "verdict": r.verdict,
                "reason": r.reason,
                "entry": r.entry,
                "structures": r.structures,
                "seconds": round(r.seconds, 6),
                "violations": [
                    {
                        "location": v.location,
                        "what": v.what,
                        "structures": [structure_document(s) for s in v.structures],
                    }
                    for v in r.violations
                ],
            }
            for r in results
        ],
    }
    return json_text(document)


def contracts_html(program: str, results: Sequence[BodyResult]) -> str:
    """One self-contained page: every violation with its structures."""
    album = Album(DEFAULT_DRAWING, [s for r in results for v in r.violations for s in v.structures])
    violations = [
        (f"{r.name} {v}", [album.figure(s, caption_of(s, number)) for number, s in enumerate(v.structures, 1)])
        for r in results
        for v in r.violations
    ]
    lines = [_line(r) for r in results]
    return render("contracts.html.j2", album, title=program, lines=lines, violations=violations)


def _line(result: BodyResult) -> str:
    reason = f": {result.reason}" if result.reason else ""
    count = f" ({result.structures} structures, {result.seconds:.2f} s)" if result.verdict != ASSUMED else ""
    return f"{result.name} {_WORDS[result.verdict]}{reason}{count}"
