"""What is decided of each exported function: proved, wrong with a run, or open with a reason."""

from __future__ import annotations

from dataclasses import replace

from kleene.analysis.c.library.blame.outside import doubt_about
from kleene.analysis.c.library.client.places import in_library, sequence_of, with_breach
from kleene.analysis.c.library.inference.attempts import Rejected
from kleene.analysis.c.library.inference.reasons import EXECUTES_WRONG
from kleene.analysis.c.library.interface.exports import Interface
from kleene.analysis.c.library.readings.operations import Operation
from kleene.analysis.c.verdicts import finding_of
from kleene.core.verdict import Finding, Verdict
from kleene.domains.explicit.explore import Confirmed
from kleene.results.library import FunctionVerdict


class Verdicts:
    """The verdicts of one file."""

    def __init__(self, interface: Interface) -> None:
        self.interface = interface
        self.of: dict[str, FunctionVerdict] = {}
        """The verdict of each function, by its name."""
        self.known: dict[str, Operation] = {}
        """The reading of each function that was decided; one that was not tried has none."""

    @property
    def wrong(self) -> set[str]:
        return {name for name, verdict in self.of.items() if verdict.verdict is Verdict.FALSE}

    @property
    def proved(self) -> set[str]:
        return {name for name, verdict in self.of.items() if verdict.verdict is Verdict.TRUE}

    def blame_once(self) -> None:
        """Leave functions open whose error is in an exported function that they call, and that is wrong itself."""
        wrong = {name: v for name, v in self.of.items() if v.verdict is Verdict.FALSE and v.finding is not None}
        for name, verdict in wrong.items():
            called = next(
                (other for other in wrong if other != name and _is_error_of(other, verdict, wrong[other])), None
            )
            if called is not None:
                self.of[name] = replace(
                    verdict,
                    verdict=Verdict.UNKNOWN,
                    reason=EXECUTES_WRONG.format(called),
                    finding=None,
                    run=None,
                    sequence=(),
                )

    def note_wrong_makers(self, name: str, wrong: set[str]) -> None:
        """State that a function is proved on the objects that others make, where these have no error."""
        verdict = self.of[name]
        notes = tuple(f"objects are made where {maker} has no error" for maker in sorted(wrong))
        self.of[name] = replace(verdict, precondition=(*verdict.precondition, *notes))

    def reject(self, rejected: Rejected) -> None:
        if doubt := doubt_about(rejected.error, rejected.client, self.interface):
            self.decide(rejected.operation, Verdict.UNKNOWN, doubt)
            return
        finding, run = finding_of(rejected.error), rejected.error
        sequence = sequence_of(finding, rejected.client)
        told = with_breach(in_library(finding, rejected.client, self.interface, run), rejected.breach)
        self.decide(rejected.operation, Verdict.FALSE, told.message, told, run, sequence)

    def leave_open(self, name: str, reason: str) -> None:
        function = next(f for f in self.interface.functions if f.name == name)
        self.of[name] = FunctionVerdict(name, function.head, function.line, Verdict.UNKNOWN, reason=reason)

    def decide(
        self,
        operation: Operation,
        verdict: Verdict,
        reason: str,
        finding: Finding | None = None,
        run: Confirmed | None = None,
        sequence: tuple[str, ...] = (),
        left_out: str = "",
        advice: str = "",
    ) -> None:
        function = operation.function
        self.known[function.name] = operation
        known = self.of.get(function.name)
        if known is not None and known.verdict is Verdict.FALSE:  # it makes the objects of others, and has an error
            return
        words = [*operation.words(), *([f"objects are made without {left_out}"] if left_out else [])]
        self.of[function.name] = FunctionVerdict(
            function.name,
            function.head,
            function.line,
            verdict,
            tuple(words),
            reason,
            advice,
            finding=finding,
            run=run,
            sequence=sequence,
            reading=operation.stored,
        )


def _is_error_of(name: str, verdict: FunctionVerdict, other: FunctionVerdict) -> bool:
    """Whether the error of a function is in another exported one, or is that of another one that it executes.

    An object that the other one breaks fails in the same place, whoever calls it.
    """
    finding, shown = verdict.finding, other.finding
    if finding is None or shown is None:
        return False
    if finding.function == name:
        return True
    places = [(each.kind, each.file, each.line, each.column) for each in (finding, shown)]
    program = verdict.run.trace.program if verdict.run is not None else None
    if places[0] != places[1] or program is None:
        return False
    return name in program.reached_from(verdict.name) and verdict.name not in program.reached_from(name)
