"""The result of `kleene check`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kleene.cfa.program import Assumption
from kleene.core.verdict import Finding, Verdict
from kleene.diagnostics import Diagnostic

if TYPE_CHECKING:
    from kleene.coverage.runs import Coverage
    from kleene.domains.explicit.explore import Confirmed, Exploration
    from kleene.passes.preparation import Prepared
    from kleene.refine.loop import Refined
    from kleene.results.confirmation import Confirmation
    from kleene.results.fesa import FesaResult
    from kleene.results.replay import Replay
    from kleene.results.shape import ShapeResult


@dataclass
class CheckReport:
    """The result: a verdict for each property, findings, and how they were reached."""

    files: tuple[str, ...]
    properties: dict[str, Verdict]
    proved_by: dict[str, str]
    findings: list[Finding]
    reason: str
    seconds: float
    exploration: Exploration | None = None
    shape: ShapeResult | FesaResult | None = None
    traces: list[Confirmed] = field(default_factory=list)
    refinement: Refined | None = None
    advice: str = ""
    """What the user can do about an UNKNOWN."""
    fallback: str = ""
    """The outcome of the analysis after refinement gave up."""
    shown_by: dict[str, str] = field(default_factory=dict)
    confirmation: Confirmation | None = None
    prepared: Prepared | None = None
    """The program that the abstract results are about."""
    replays: list[Replay] = field(default_factory=list)
    """The outcomes of compiled runs for the findings with a run, in their order (`--replay`)."""
    proofs: list[tuple[ShapeResult | FesaResult, tuple[str, ...]]] = field(default_factory=list)
    """The abstract analyses that proved properties, and these."""
    unread: tuple[Diagnostic, ...] = ()
    """The errors of files that do not compile: the verdicts are about the others, and these are unknown code."""
    coverage: Coverage | None = None
    """The states of runs that were looked up in the invariants of the proofs."""

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """What the verdicts assume of code that is not there, and proofs of numbers that are stored."""
        if self.prepared is None:
            return ()
        return self.prepared.assumptions if self.proofs else self.prepared.source.assumptions

    @property
    def solver_calls(self) -> int:
        return self.confirmation.solver_calls if self.confirmation is not None else 0

    @property
    def verdict(self) -> Verdict:
        values = set(self.properties.values())
        if Verdict.FALSE in values:
            return Verdict.FALSE
        return Verdict.UNKNOWN if Verdict.UNKNOWN in values else Verdict.TRUE
