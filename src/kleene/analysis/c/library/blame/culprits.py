"""The operation of a finding of a client: where it is, which run shows it, and which operation was before it."""

from __future__ import annotations

from kleene.analysis.c.library.blame.breaking import Breach
from kleene.analysis.c.library.client.places import executed_operations, keeper_of_text, leaving_operation
from kleene.analysis.c.library.client.text import Client
from kleene.analysis.c.library.inference.tries import Tries
from kleene.analysis.c.library.readings.operations import Operation, Role
from kleene.core.verdict import Finding
from kleene.domains.explicit.explore import Confirmed
from kleene.results.check import CheckReport


def culprit(check: CheckReport, client: Client, operations: list[Operation]) -> tuple[Operation, Finding] | None:
    """The operation in which a finding is, confirmed findings first, then those whose path is known.

    What makes objects is not blamed for a suspicion: the others could not be called without it.
    """
    by_name = {o.function.name: o for o in operations}
    blamed = []
    for finding in check.findings:
        executed = executed_operations(finding, client)
        last = executed[-1] if executed else by_name.get(finding.function)
        if last is not None and (finding.confirmed or not last.makes):
            blamed.append((not finding.confirmed, not executed, last, finding))
    return min(blamed, key=lambda b: b[:2])[2:] if blamed else None


def run_of(check: CheckReport, finding: Finding) -> Confirmed | None:
    """The run that shows a finding; None for a suspicion."""
    number = check.findings.index(finding)
    return check.traces[number] if finding.confirmed and number < len(check.traces) else None


def breach_of(tries: Tries, run: Confirmed | None, client: Client, operations: list[Operation]) -> Breach | None:
    """The operation that breaks, in the run of a finding, what the others keep."""
    breach = tries.breach_in(run, client, operations) if run is not None else None
    return breach if breach is not None and breach.operation in operations else None


def leaver_of(run: Confirmed | None, client: Client, operations: list[Operation]) -> Operation | None:
    """The operation that has left a pointer to the freed block of a finding."""
    operation = leaving_operation(run, client) if run is not None else None
    return operation if operation in operations else None


def keeps_text(run: Confirmed | None, client: Client, operations: list[Operation]) -> bool:
    """Let the texts of an operation outlive the object, if the error of a run is that one of them was freed."""
    keeping = keeper_of_text(run, client) if run is not None else None
    if keeping is None or keeping not in operations:
        return False
    operations[operations.index(keeping)] = keeping.with_roles({Role.TEXT: Role.LASTING_TEXT})
    return True
