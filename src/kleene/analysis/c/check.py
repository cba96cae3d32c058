"""`kleene check` as a library function: C files in, a verdict for each property out.

The phases of a check are in `strategy`, the rules of verdicts in `verdicts`. After them, real runs attack every proof
of an abstract analysis (`coverage`).
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from kleene.analysis.c.budget import Budget
from kleene.analysis.c.coverage import cover, seconds_for
from kleene.analysis.c.options import CheckOptions
from kleene.analysis.c.shape.classes import CLASSES
from kleene.analysis.c.strategy import Check, run_phases
from kleene.analysis.c.verdicts import MORE_TIME, explain, explain_unread, reopen_cleanup
from kleene.analysis.limits import interruptible, within
from kleene.c.reader import read_units
from kleene.cfa.program import CProgram
from kleene.core.verdict import Verdict
from kleene.diagnostics import LimitReached, UsageError
from kleene.passes.preparation import Prepared
from kleene.results.check import CheckReport


def check(paths: Sequence[str], options: CheckOptions) -> CheckReport:
    """Check a C program (one or several files)."""
    start = time.monotonic()
    if options.shape_class is not None and options.shape_class not in CLASSES:
        raise UsageError(f"there is no shape class '{options.shape_class}'; there are: {', '.join(CLASSES)}")
    read = within(options.timeout, lambda: read_units(paths, options.read), stated=f"{options.timeout:g} s")
    if isinstance(read, LimitReached):
        unknown = dict.fromkeys(options.properties, Verdict.UNKNOWN)
        seconds = time.monotonic() - start
        return CheckReport(tuple(paths), unknown, {}, [], f"reading: {read}", seconds, advice=MORE_TIME)
    program, problems = read
    report = check_program(program, options, start)
    report.unread = tuple(problems)
    if problems:
        explain_unread(report)
    return report


def check_program(
    program: CProgram, options: CheckOptions, start: float, concrete: CProgram | None = None
) -> CheckReport:
    """Check a program; the time limit of the options counts from `start`.

    `concrete` is the program to execute, if it differs from the analysed one.
    """
    report = CheckReport(program.files, dict.fromkeys(options.properties, Verdict.UNKNOWN), {}, [], "", 0.0)
    report.prepared = Prepared(program)
    one = Check(report.prepared, concrete or program, options, Budget(start, options.timeout), report)
    with interruptible():
        run_phases(one)
        if options.read.cleanup_at_abort:
            reopen_cleanup(report)
        attack(report, options, one.executed, program)
    explain(report, options.timeout)
    report.seconds = one.budget.spent
    return report


def attack(report: CheckReport, options: CheckOptions, executed: CProgram, analysed: CProgram) -> None:
    """Test the proofs of the abstract analyses by real runs; raises InternalCheckError if a run refutes one."""
    for result, names in report.proofs:
        coverage = cover(
            executed,
            analysed,
            result,
            names,
            malloc_may_fail=options.read.malloc_may_fail,
            seconds=seconds_for(options.self_check, result.seconds),
        )
        if coverage is not None:
            report.coverage = coverage.added_to(report.coverage)
