"""`kleene check` as a library function: C files in, a verdict for each property out.

Exact exploration finds shallow errors and proves programs with bounded heaps; the shape domain proves the others; what
it suspects, path formulas and a longer exploration confirm. FALSE needs a run that shows the error; everything that is
neither proved nor confirmed is UNKNOWN with its reason.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from kleene.analysis.c.coverage import cover, seconds_for
from kleene.analysis.c.fesa import analyse_fesa
from kleene.analysis.c.options import CheckOptions
from kleene.analysis.c.shape import analyse
from kleene.analysis.c.shape_classes import CLASSES
from kleene.analysis.limits import GRACE, within
from kleene.c.reader import read_program
from kleene.cfa.operations import DeclareLocal, EndScope, Error, Skip, Specified, Unsupported
from kleene.cfa.program import CProgram
from kleene.core.verdict import PROPERTIES, UNDEFINED, Finding, FindingStep, Verdict, kinds_of
from kleene.diagnostics import LimitReached, UsageError
from kleene.domains.explicit.explore import Confirmed, explore
from kleene.domains.explicit.interpreter import exits
from kleene.passes.preparation import Prepared
from kleene.results.check import CheckReport
from kleene.results.fesa import FesaResult
from kleene.results.shape import ShapeResult
from kleene.semantics.translate import Alarm

if TYPE_CHECKING:
    from kleene.results.confirmation import Confirmation

Result = TypeVar("Result")
SHARE = 0.75
"""Share of the time for the abstract analysis; the rest is for confirming its alarms."""
REFINE_SHARE = 0.6
"""Share of the time for refinement; the analysis without refinement gets the rest."""
FIRST_LOOK = 0.3
"""Seconds of exact exploration before the abstract analysis."""
PATHS = 5.0
"""Seconds for path formulas that confirm alarms of the abstract analysis."""
LONG_LOOK = 10.0
"""Seconds for exact exploration that confirms alarms of the abstract analysis."""
_ENDING = 5_000
"""Steps that a run may take after a leak before the check stops waiting for its exit."""


def check(paths: Sequence[str], options: CheckOptions) -> CheckReport:
    """Check a C program (one or several files)."""
    start = time.monotonic()
    if options.shape_class is not None and options.shape_class not in CLASSES:
        raise UsageError(f"there is no shape class '{options.shape_class}'; there are: {', '.join(CLASSES)}")
    program = within(options.timeout, lambda: read_program(paths, options.read), stated=f"{options.timeout:g} s")
    if isinstance(program, LimitReached):
        unread = dict.fromkeys(options.properties, Verdict.UNKNOWN)
        return CheckReport(tuple(paths), unread, {}, [], f"reading: {program}", time.monotonic() - start)
    return check_program(program, options, start)


def check_program(
    program: CProgram, options: CheckOptions, start: float, concrete: CProgram | None = None
) -> CheckReport:
    """Check a program; the time limit of the options counts from `start`.

    `concrete` is the program to execute, if it differs from the analysed one.
    """
    report = CheckReport(program.files, dict.fromkeys(options.properties, Verdict.UNKNOWN), {}, [], "", 0.0)
    report.warnings = program.warnings
    report.prepared = prepared = Prepared(program)
    _decide(prepared, options, report, start, concrete)
    report.seconds = time.monotonic() - start
    return report


def _decide(
    prepared: Prepared, options: CheckOptions, report: CheckReport, start: float, concrete: CProgram | None
) -> None:
    program = prepared.source
    executed = concrete or program

    def left() -> float:
        return options.timeout - (time.monotonic() - start)

    _prove(report, [n for n in _without_calls(program) if n in report.properties], "there is no such call")
    _explore(executed, options, report, min(FIRST_LOOK, left()))
    if options.refine is not None and Verdict.UNKNOWN in report.properties.values() and left() > 0:
        _refine(prepared, options, report, left() * REFINE_SHARE)
        if Verdict.UNKNOWN in report.properties.values() and left() > FIRST_LOOK and not _limited(report):
            _fall_back(prepared, options, report, left() * SHARE)
    elif options.domain != "explicit" and Verdict.UNKNOWN in report.properties.values() and left() > 0:
        report.shape = _abstract(prepared, options, report, left() * SHARE)
        _conclude(report, report.shape)
    decided = Verdict.FALSE in report.properties.values()  # then a second error is worth little time
    paths = options.domain != "explicit" and concrete is None
    if paths and Verdict.UNKNOWN in report.properties.values() and left() > FIRST_LOOK:
        _confirm(prepared, options, report, min(FIRST_LOOK if decided else PATHS, left() / 3))
    if Verdict.UNKNOWN in report.properties.values() and left() > FIRST_LOOK:
        decided = Verdict.FALSE in report.properties.values()
        _explore(executed, options, report, min(FIRST_LOOK if decided else LONG_LOOK, left()))
    if options.read.cleanup_at_abort:
        _reopen_cleanup(report)
    attack(report, options, executed, program)
    _explain(report)


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


def _reopen_cleanup(report: CheckReport) -> None:
    """Retract a proof of `memcleanup` if an error call is possible: the analysis stops there and sees no leak."""
    calls = [report.properties.get(name, Verdict.TRUE) for name in ("unreach", "assert")]
    if report.properties.get("memcleanup") is Verdict.TRUE and set(calls) != {Verdict.TRUE}:
        report.properties["memcleanup"] = Verdict.UNKNOWN
        del report.proved_by["memcleanup"]


def _refine(prepared: Prepared, options: CheckOptions, report: CheckReport, seconds: float) -> None:
    """Refine an abstraction until it proves the open properties, or until a run confirms its error path."""
    from kleene.analysis.c.refinement import confirmed, refine, shape_result  # imports the solver

    assert options.refine is not None
    open_properties = [name for name, verdict in report.properties.items() if verdict is Verdict.UNKNOWN]
    fails = options.read.malloc_may_fail
    settings = options.refine
    refined = _timed(
        options, seconds, lambda: refine(prepared, open_properties, settings, malloc_may_fail=fails, seconds=seconds)
    )
    if isinstance(refined, str | LimitReached):
        report.shape = ShapeResult("none", [], False, str(refined), 0, 0, 0.0)
        return
    report.refinement = refined
    report.shape = shape_result(refined)
    _conclude(report, report.shape)
    shown_runs = _timed(options, seconds, lambda: confirmed(prepared.source, refined, malloc_may_fail=fails))
    for shown in shown_runs if not isinstance(shown_runs, LimitReached) else ():
        _record(report, shown, "")


def _limited(report: CheckReport) -> bool:
    """True if refinement hit a limit other than `--timeout`."""
    return report.refinement is not None and report.refinement.limit not in ("", "--timeout")


def _fall_back(prepared: Prepared, options: CheckOptions, report: CheckReport, seconds: float) -> None:
    """Check the properties that refinement leaves open without refinement: `--refine` must never prove less."""
    refused = report.shape.reason if report.refinement is None and report.shape is not None else ""
    found = _abstract(prepared, options, report, seconds)
    before = dict(report.properties)
    _conclude(report, found)
    proved = [name for name, verdict in report.properties.items() if verdict is not before[name]]
    outcome = f"proves {', '.join(proved)}" if proved else "does not decide it either"
    report.fallback = f"{refused}{': ' if refused else ''}the analysis that tracks everything ({found.proof}) {outcome}"
    if found.complete:
        report.shape = found


def _abstract(
    prepared: Prepared, options: CheckOptions, report: CheckReport, seconds: float
) -> ShapeResult | FesaResult:
    """The analysis that can prove programs with unbounded heaps."""
    fails = options.read.malloc_may_fail
    kinds = kinds_of(name for name, verdict in report.properties.items() if verdict is Verdict.UNKNOWN)

    def compute() -> ShapeResult | FesaResult:
        if options.domain == "fesa":
            counts = options.instrumentation
            return analyse_fesa(prepared, malloc_may_fail=fails, seconds=seconds, instrumentation=counts)
        return analyse(
            prepared,
            malloc_may_fail=fails,
            seconds=seconds,
            max_structures=options.max_structures,
            only_class=options.shape_class,
            kinds=kinds,
        )

    result = _timed(options, seconds, compute)
    return ShapeResult("none", [], False, str(result), 0, 0, seconds) if isinstance(result, LimitReached) else result


def _timed(options: CheckOptions, seconds: float, compute: Callable[[], Result]) -> Result | LimitReached:
    """One phase, which is interrupted soon after its share of the time; limits are reported as the user gave them."""
    return within(seconds + GRACE, compute, stated=f"{options.timeout:g} s")


def _explore(program: CProgram, options: CheckOptions, report: CheckReport, seconds: float) -> None:
    fails = options.read.malloc_may_fail
    exploration = _timed(options, seconds, lambda: explore(program, seconds=seconds, malloc_may_fail=fails))
    if isinstance(exploration, LimitReached):
        return
    report.exploration = exploration
    for shown in exploration.findings:
        _record(report, shown, "")
    touched = {n for c in exploration.findings for n in _violated(c.finding.kind, c.finding.detail)}
    undefined = any(c.finding.kind in UNDEFINED for c in exploration.findings)
    if exploration.complete and not exploration.possible and not undefined:
        _prove(report, [name for name in report.properties if name not in touched], "exhaustive exploration")


def _confirm(prepared: Prepared, options: CheckOptions, report: CheckReport, seconds: float) -> None:
    """Ask path formulas about the alarms that keep a property open."""
    from kleene.analysis.c.confirm import confirm  # imports the solver

    open_properties = {name for name, verdict in report.properties.items() if verdict is Verdict.UNKNOWN}
    alarms = [a for a in report.shape.alarms if open_properties & set(_violated(a.kind, ""))] if report.shape else []
    shape = report.shape if isinstance(report.shape, ShapeResult) else None
    fails = options.read.malloc_may_fail
    answer = _timed(options, seconds, lambda: confirm(prepared, shape, alarms, malloc_may_fail=fails, seconds=seconds))
    if isinstance(answer, LimitReached):
        return
    report.confirmation = answer
    for shown in report.confirmation.findings:
        _record(report, shown, "by a path formula")
    if report.confirmation.proved:
        _prove(report, list(report.properties), "every path followed")


def _record(report: CheckReport, confirmed: Confirmed, how: str) -> None:
    """Keep a finding that violates something that is checked; the properties that it violates are FALSE.

    A finding from a path (`how`) is kept only if it decides a property: the number of the others depends on time.
    """
    found = confirmed.finding
    violated = [name for name in _violated(found.kind, found.detail) if name in report.properties]
    decided = [name for name in violated if report.properties[name] is Verdict.UNKNOWN]
    decided = [name for name in decided if name != "memcleanup" or _ends_normally(confirmed)]
    place = (found.kind, found.place, found.detail)
    known = any((c.finding.kind, c.finding.place, c.finding.detail) == place for c in report.traces)
    if not known and (decided if how else violated):
        report.findings.append(_finding(confirmed))
        report.traces.append(confirmed)
    for name in decided:
        report.properties[name] = Verdict.FALSE
        if how:
            report.shown_by[name] = how


def _ends_normally(confirmed: Confirmed) -> bool:
    """Whether the program exits if it continues with the same inputs: then the lost blocks are never freed."""
    return exits(confirmed.trace, _ENDING)


def _prove(report: CheckReport, names: Sequence[str], how: str) -> None:
    for name in names:
        if report.properties[name] is Verdict.UNKNOWN:
            report.properties[name] = Verdict.TRUE
            report.proved_by[name] = how


def _without_calls(program: CProgram) -> list[str]:
    """The properties about error calls that the program cannot violate, since it has no such call."""
    reachable = [program.functions[name] for name in program.reachable_functions]
    kinds = {e.label.kind for f in reachable for e in f.cfa.edges if isinstance(e.label, Error)}
    unknown = any(isinstance(e.label, Unsupported | Specified) for f in reachable for e in f.cfa.edges)
    return [] if unknown else [name for name in ("unreach", "assert") if not set(PROPERTIES[name]) & kinds]


def _violated(kind: str, detail: str) -> list[str]:
    """The properties that an error violates, the most specific first."""
    if kind == "memory_leak":
        return ["memcleanup"] if detail == "exit" else ["memsafety", "memcleanup"]
    return [name for name, kinds in PROPERTIES.items() if kind in kinds]


def _finding(confirmed: Confirmed) -> Finding:
    found, place = confirmed.finding, confirmed.finding.place
    steps = tuple(
        FindingStep(
            s.operation.place.file,
            s.operation.place.line,
            s.operation.place.column,
            s.operation.place.function,
            _text(s),
        )
        for s in confirmed.trace.steps
    )
    return Finding(
        found.kind,
        place.file,
        place.line,
        place.column,
        place.function,
        "confirmed",
        found.message,
        steps,
        tuple(confirmed.trace.inputs),
    )


def _text(step: object) -> str:
    return str(step).partition(": ")[2] or str(step)


def _conclude(report: CheckReport, shape: ShapeResult | FesaResult) -> None:
    """Record the proofs of a complete abstract analysis: all properties without alarms."""
    if not shape.complete or any(alarm.kind == "unsupported" for alarm in shape.alarms):
        return
    raised = {alarm.kind for alarm in shape.alarms}
    if raised & UNDEFINED:  # the analysis stops at such an error
        return
    open_properties = [name for name, verdict in report.properties.items() if verdict is Verdict.UNKNOWN]
    for name in report.properties:
        kinds = set(PROPERTIES[name]) | ({"memory_leak"} if name == "memcleanup" else set())
        if not raised & kinds:
            _prove(report, [name], shape.proof)
    proved = tuple(name for name in open_properties if report.properties[name] is Verdict.TRUE)
    if proved:
        report.proofs.append((shape, proved))


def _explain(report: CheckReport) -> None:
    """The reason for UNKNOWN, and the possible findings behind it."""
    open_properties = [name for name, verdict in report.properties.items() if verdict is Verdict.UNKNOWN]
    if not open_properties:
        return
    shape = report.shape
    reasons = [report.refinement.reason] if report.refinement is not None and report.refinement.reason else []
    undefined = next((f for f in report.findings if f.confirmed and f.kind in UNDEFINED), None)
    if shape is not None:
        unsupported = [a for a in shape.alarms if a.kind == "unsupported"]
        if unsupported:
            first = unsupported[0]
            reasons.append(f"{first.place}: not supported: {first.text}")
        elif not shape.complete:
            reasons.append(shape.reason)
        known = {(f.kind, f.line) for f in report.findings}
        for alarm in shape.alarms:
            violated = _violated(alarm.kind, "")
            relevant = alarm.kind != "unsupported" and set(violated) & set(open_properties)
            if relevant and (alarm.kind, alarm.place.line) not in known:
                report.findings.append(_possible(alarm, report.confirmation))
                reasons.append(f"{alarm.place}: possible {alarm.kind}: {_answer(alarm, report.confirmation)}")
    elif report.exploration is not None:
        reasons.append(report.exploration.reason)
    if undefined is not None:
        reasons.append(f"what happens after the error at {undefined.file}:{undefined.line} is undefined")
    elif "memcleanup" in open_properties and not reasons:
        reasons.append("what is not freed at an error call is not looked at (ask for memcleanup alone)")
    report.reason = reasons[0] if reasons else "the analysis did not decide"


def _answer(alarm: Alarm, confirmation: Confirmation | None) -> str:
    """The reason why an alarm has no confirming run."""
    return (confirmation.answers.get(alarm, "") if confirmation is not None else "") or "no run shows it"


def _possible(alarm: Alarm, confirmation: Confirmation | None) -> Finding:
    place = alarm.place
    kind = "memory_leak" if alarm.kind == "memory_cleanup" else alarm.kind
    path = confirmation.paths.get(alarm, []) if confirmation is not None else []
    steps = tuple(
        FindingStep(o.place.file, o.place.line, o.place.column, o.place.function, str(o))
        for o in (edge.label for edge in path)
        if not isinstance(o, DeclareLocal | EndScope | Skip)
    )
    return Finding(kind, place.file, place.line, place.column, place.function, "possible", alarm.text, steps)
