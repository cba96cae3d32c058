"""The strategy of a check: its phases as rows, and the driver that runs them.

Each row has the condition of a phase and its share of the time. `kleene check --explain-strategy` prints the
rows, with the attempts of the shape analysis and of FESA and the tactics of refinement. A new phase is one row and one
test.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from kleene.analysis.c.budget import Budget
from kleene.analysis.c.options import CheckOptions
from kleene.analysis.c.shape.analyse import analyse
from kleene.analysis.c.shape.run import gave_up
from kleene.analysis.c.verdicts import conclude, prove, record, without_calls
from kleene.cfa.expressions import Field, Index, PointerOffset, walk
from kleene.cfa.operations import Assume, expressions
from kleene.cfa.program import CProgram
from kleene.cfa.types import IntegerType
from kleene.core.verdict import NO_PROMISE, UNDEFINED, Verdict, kinds_of, violated_properties
from kleene.diagnostics import Limit, LimitReached
from kleene.domains.explicit.explore import MOST_STEPS, Explorer
from kleene.domains.explicit.outside.lengths import LengthSearch
from kleene.domains.explicit.outside.vocabulary import vocabulary_of
from kleene.passes.facts.memory import constant_of
from kleene.passes.preparation import Prepared
from kleene.passes.rewrite import operations_of
from kleene.results.check import CheckReport
from kleene.results.shape import ShapeResult

if TYPE_CHECKING:
    from kleene.results.fesa import FesaResult

ALL = 1.0
"""All of the time that is left."""
UNLIMITED = float("inf")
"""Seconds of a phase that its share alone limits."""
GLANCE_STEPS = 1_000
"""Steps of exact exploration before anything else, some 30 ms: straight-line programs end, simple errors show up."""
FIRST_LOOK_SECONDS = 0.3
"""Seconds of exact exploration before a long analysis: most errors of small programs show up in less."""
HEAD_START_SECONDS = 0.3
"""Seconds of the processor after which the shape analysis waits for exact exploration: most small proofs take less."""
LARGE_EDGES = 150
"""Operations in the functions of a program from which it is large, if it has arrays: it is looked at before it is
prepared for the shape analysis, which may take many seconds. Examples of one idea have up to 110, containers of real
projects 200 and more."""
LARGE_LOOK_SECONDS = 1.5
"""Seconds of the look at a large program: with a table of 193 buckets, errors show up in 0.5 to 0.8."""
LENGTHS_LOOK_SECONDS = 0.7
"""Seconds of runs on long texts before a long analysis: 38 of 42 overflows show up in less."""
LENGTHS_SECONDS = 5.0
"""Most seconds of runs on long texts after an analysis with alarms."""
LEAST_SECONDS = 0.3
"""Seconds that must be left for a phase that confirms or repeats something."""
AFTER_ERROR_SECONDS = 0.3
"""Seconds of a phase that searches further errors, once some property is FALSE."""
ANALYSIS_AFTER_ERROR_SECONDS = 3.0
"""Most seconds of an analysis of the other properties, once a run has shown an error that leaves C without promises."""
REFINEMENT_SHARE = 0.6
"""Share of the time left for refinement: the fallback needs the rest."""
ANALYSIS_SHARE = 0.75
"""Share of the time left for the abstract analysis and for the fallback: runs must confirm their alarms."""
PATHS_SHARE = 1 / 3
"""Share of the time left for path formulas: exact exploration has the rest."""
PATHS_SECONDS = 5.0
"""Most seconds for path formulas."""
FESA_SHARE = 0.8
"""Share of the time left for FESA, after the shape analysis: exact exploration has the rest."""
FESA_SECONDS = 30.0
"""Most seconds for FESA after the shape analysis: its proofs take 3 to 10."""
ASSERTIONS_SHARE = 0.5
"""Share of the time left for refinement after the shape analysis: FESA and exact exploration have the rest."""
ASSERTIONS_SECONDS = 20.0
"""Most seconds for refinement after the shape analysis: proofs of field assertions take 1 to 11."""
LONG_LOOK_SECONDS = 10.0
"""Most seconds of exact exploration after all other phases."""
LONG_TEXTS, MANY_OPERATIONS = "with long texts", "with many operations on few keys"
"""How a finding of the search over lengths was made."""
ASSERTIONS = frozenset(("assert", "unreach"))
"""Properties that numbers in memory may decide."""


@dataclass
class Check:
    """One check on its way: the program, the options, the time, and the report so far."""

    prepared: Prepared
    executed: CProgram
    """The program that is run: another one than the analysed one where contracts replace functions."""
    options: CheckOptions
    budget: Budget
    report: CheckReport
    explorer: Explorer | None = None
    """The exact exploration so far; the next look goes on with it."""
    has_looked: bool = False
    """Whether more than a glance was taken."""
    lengths: LengthSearch | None = None
    """The search over lengths of texts so far; the next one goes on with it."""

    @cached_property
    def is_large(self) -> bool:
        """Whether its preparation may take long: it has many operations, and indices that are computed."""
        if sum(len(f.cfa.edges) for f in self.executed.functions.values()) < LARGE_EDGES:
            return False
        nodes = (n for o in operations_of(self.executed) for x in expressions(o) for n in walk(x))
        return any(isinstance(n, Index | PointerOffset) and constant_of(n.index) is None for n in nodes)

    @property
    def is_shape_analysis(self) -> bool:
        return self.options.refine is None and self.options.domain not in ("explicit", "fesa")

    @property
    def open_properties(self) -> list[str]:
        return [name for name, verdict in self.report.properties.items() if verdict is Verdict.UNKNOWN]

    @property
    def is_violated(self) -> bool:
        return Verdict.FALSE in self.report.properties.values()

    @property
    def fails(self) -> bool:
        """Whether malloc may fail."""
        return self.options.read.malloc_may_fail


@dataclass(frozen=True)
class Phase:
    """One phase of a check.

    `share` is the part of the remaining time that it gets, `most` a bound in seconds, and `after_error` the bound once
    some property is FALSE: a second error is worth little time. `least` seconds must be left.
    """

    name: str
    purpose: str
    run: Callable[[Check, float], None]
    applies: Callable[[Check], bool]
    share: float = ALL
    most: float = UNLIMITED
    after_error: float = UNLIMITED
    least: float = 0.0
    interrupts: bool = False
    """Whether the shape analysis waits for it after its head start."""


def run_phases(check: Check) -> None:
    """Run the phases in their order, as long as a property is open and time is left."""
    for phase in PHASES:
        if check.open_properties and check.budget.left > phase.least and phase.applies(check):
            most = min(phase.most, phase.after_error) if check.is_violated else phase.most
            check.options.tell(phase.name)
            try:
                phase.run(check, check.budget.part(phase.share, most))
            except LimitReached as stop:  # between two parts of a phase that have limits of their own
                if stop.limit is not Limit.INTERRUPTION:
                    raise
                return


def strategy_lines() -> list[str]:
    """The phases, attempts and tactics as text (`--explain-strategy`)."""
    from kleene.analysis.c.fesa import FESA_ATTEMPTS
    from kleene.analysis.c.shape.attempts import ATTEMPTS
    from kleene.refine.tactics import TACTICS

    names = [*(p.name for p in PHASES), *(a.name for a in ATTEMPTS), *(a.name for a in FESA_ATTEMPTS)]
    width = max(map(len, names)) + len("  ")
    lines = ["phases of a check, in this order:"]
    for phase in PHASES:
        bounds = [f"{phase.share:.0%} of the time left"] if phase.share < ALL else []
        bounds += [f"at most {phase.most:g} s"] if phase.most < UNLIMITED else []
        lines.append(f"  {phase.name:<{width}}{phase.purpose}" + (f" ({', '.join(bounds)})" if bounds else ""))
    lines.append("attempts of the shape analysis, until one has no alarms:")
    for attempt in ATTEMPTS:
        share = f" ({attempt.share:.0%} of the time left)" if attempt.share < ALL else ""
        lines.append(f"  {attempt.name:<{width}}{attempt.purpose}{share}")
    lines.append("attempts of FESA (--domain fesa), until one has no warnings:")
    lines += [f"  {plan.name:<{width}}{plan.purpose}" for plan in FESA_ATTEMPTS]
    lines.append("tactics of refinement (--refine), until one changes the abstraction:")
    lines += [f"  {tactic.name}" for tactic in TACTICS]
    return lines


def _look_for_calls(check: Check, seconds: float) -> None:
    report = check.report
    prove(report, [n for n in without_calls(check.prepared.source) if n in report.properties], "there is no such call")


def _glance(check: Check, seconds: float) -> None:
    _run_exactly(check, seconds, GLANCE_STEPS)


def _explore(check: Check, seconds: float) -> None:
    check.has_looked = True
    _run_exactly(check, seconds, MOST_STEPS)


def _run_exactly(check: Check, seconds: float, max_steps: int) -> None:
    """Run the program on all inputs within bounds, from where the exploration before stopped."""
    report, explorer = check.report, check.explorer or Explorer(check.executed, malloc_may_fail=check.fails)
    check.explorer = None  # in case of an interruption
    exploration = check.budget.within(seconds, lambda: explorer.run(max_steps=max_steps, seconds=seconds))
    if isinstance(exploration, LimitReached):
        return
    check.explorer = explorer
    report.exploration = exploration
    for shown in exploration.findings:
        record(report, shown, "")
    touched = {n for c in exploration.findings for n in violated_properties(c.fault.kind, c.fault.detail)}
    undefined = any(c.fault.kind in UNDEFINED for c in exploration.findings)
    if exploration.complete and not exploration.possible and not undefined:
        prove(report, [name for name in report.properties if name not in touched], "exhaustive exploration")


def _search_lengths(check: Check, seconds: float) -> None:
    """Run the program on long texts, on many of them, and on few keys."""
    search = check.lengths or LengthSearch(check.executed, malloc_may_fail=check.fails)
    check.lengths = search
    outcome = check.budget.within(seconds, lambda: search.run(seconds))
    if not isinstance(outcome, LimitReached):
        for shown, is_by_keys in zip(outcome.findings, outcome.by_keys, strict=True):
            record(check.report, shown, MANY_OPERATIONS if is_by_keys else LONG_TEXTS)


def _may_depend_on_lengths(check: Check) -> bool:
    """Whether such runs are worth trying (again): blocks, or trees, depend on what comes from outside."""
    if check.lengths is not None:
        return not check.lengths.outcome.exhausted
    vocabulary = vocabulary_of(check.executed)
    return vocabulary.depends_on_lengths or vocabulary.depends_on_keys


def _refine(check: Check, seconds: float) -> None:
    """Refine an abstraction until it proves the open properties, or until a run confirms its error path."""
    from kleene.analysis.c.refinement import confirming_runs, refine, shape_result  # imports the solver

    report, settings, names = check.report, check.options.refine, check.open_properties
    assert settings is not None
    refined = check.budget.within(
        seconds, lambda: refine(check.prepared, names, settings, malloc_may_fail=check.fails, seconds=seconds)
    )
    if isinstance(refined, str | LimitReached):
        report.shape = gave_up(str(refined), time.monotonic())
        return
    report.refinement = refined
    report.shape = shape_result(refined)
    conclude(report, report.shape)
    runs = check.budget.within(
        seconds, lambda: confirming_runs(check.prepared.source, refined, malloc_may_fail=check.fails)
    )
    for shown in runs if not isinstance(runs, LimitReached) else ():
        record(report, shown, "")


def _hit_limit(report: CheckReport) -> bool:
    """True if refinement hit a limit other than those of time and of structures, which each analysis has for itself."""
    return report.refinement is not None and report.refinement.limit not in (None, Limit.TIME, Limit.STRUCTURES)


def _ends_all(report: CheckReport) -> bool:
    """Whether another analysis is of no use: refinement hit a limit, or behind its error C promises nothing."""
    return _hit_limit(report) or NO_PROMISE in (report.refinement.reason if report.refinement is not None else "")


def _fall_back(check: Check, seconds: float) -> None:
    """Check the open properties without refinement: `--refine` must never prove less."""
    report = check.report
    refused = report.shape.reason if report.refinement is None and report.shape is not None else ""
    result = _abstract_result(check, seconds)
    before = dict(report.properties)
    conclude(report, result)
    proved = [name for name, verdict in report.properties.items() if verdict is not before[name]]
    outcome = f"proves {', '.join(proved)}" if proved else "does not decide it either"
    instead = f"the analysis that tracks everything ({result.proof}) {outcome}"
    report.fallback = f"{refused}: {instead}" if refused else instead
    if result.complete:
        report.shape = result


def _analyse(check: Check, seconds: float) -> None:
    if _is_undefined(check):  # it may show one more error, and proves nothing
        seconds = min(seconds, ANALYSIS_AFTER_ERROR_SECONDS)
    end = time.monotonic() + seconds
    while check.open_properties:
        try:
            check.report.shape = _abstract_result(check, end - time.monotonic())
        except _FewerOpen:
            if _is_undefined(check):
                return  # behind undefined behaviour the analysis proves nothing
            continue
        conclude(check.report, check.report.shape)
        return


def _is_undefined(check: Check) -> bool:
    """Whether a run has shown an error behind which C promises nothing."""
    return any(run.fault.kind in UNDEFINED for run in check.report.traces)


class _FewerOpen(Exception):
    """A run has decided a property meanwhile: the analysis begins anew, without the facts that only this one needs."""


def _look_in_between(check: Check) -> Callable[[], None]:
    """What the shape analysis does when its head start is over: look at runs, and stop if they decide a property.

    A large program has no head start, and a longer look.
    """
    looks, open_before = [phase for phase in PHASES if phase.interrupts], check.open_properties
    end = time.process_time() + (0.0 if check.is_large else HEAD_START_SECONDS)
    least = LARGE_LOOK_SECONDS if check.is_large else 0.0

    def look() -> None:
        if looks and not check.has_looked and time.process_time() >= end:
            for phase in [phase for phase in looks if phase.applies(check)]:
                if check.open_properties:
                    phase.run(check, check.budget.part(phase.share, max(phase.most, least)))
            if check.open_properties != open_before:
                raise _FewerOpen

    return look


def _abstract_result(check: Check, seconds: float) -> ShapeResult | FesaResult:
    """The analysis that can prove programs with unbounded heaps."""
    options, fails, kinds = check.options, check.fails, kinds_of(check.open_properties)
    look = _look_in_between(check)

    def tell(progress: str) -> None:
        options.tell(progress)
        look()

    unfinished: list[ShapeResult] = []

    def compute() -> ShapeResult | FesaResult:
        if options.domain == "fesa":
            from kleene.analysis.c.fesa import analyse_fesa

            counts = options.instrumentation
            return analyse_fesa(check.prepared, malloc_may_fail=fails, seconds=seconds, instrumentation=counts)
        if check.is_large:
            look()
        return analyse(
            check.prepared,
            malloc_may_fail=fails,
            seconds=seconds,
            max_structures=options.max_structures,
            only_class=options.shape_class,
            kinds=kinds,
            whole_heaps=options.whole_heaps,
            tell=tell,
            unfinished=unfinished,
        )

    start = time.monotonic()
    result = check.budget.within(seconds, compute)
    if isinstance(result, LimitReached):
        result = gave_up(str(result), start)
    return _with_structures(result, unfinished) if isinstance(result, ShapeResult) else result


def _with_structures(result: ShapeResult, unfinished: Sequence[ShapeResult]) -> ShapeResult:
    """A result without an end, with the structures of the largest run if it has less to show itself."""
    largest = max(unfinished, key=lambda r: r.structures, default=None)
    if largest is None or result.complete or result.alarms or result.structures >= largest.structures:
        return result
    return replace(largest, alarms=[], ways=frozenset(), reason=result.reason, seconds=result.seconds)


def _analyse_by_fesa(check: Check, seconds: float) -> None:
    """Ask FESA about what the shape analysis leaves open; its alarms are not reported."""
    from kleene.analysis.c.fesa import analyse_fesa

    result = check.budget.within(
        seconds, lambda: analyse_fesa(check.prepared, malloc_may_fail=check.fails, seconds=seconds)
    )
    if not isinstance(result, LimitReached):
        before = len(check.report.proofs)
        conclude(check.report, result)
        if len(check.report.proofs) > before:
            check.report.shape = result


def _refine_assertions(check: Check, seconds: float) -> None:
    """Ask refinement about assertions that the shape analysis leaves open: it has predicates over several members."""
    from kleene.analysis.c.refinement import RefineSettings, refine, shape_result  # imports the solver

    report, names = check.report, check.open_properties
    refined = check.budget.within(
        seconds, lambda: refine(check.prepared, names, RefineSettings(), malloc_may_fail=check.fails, seconds=seconds)
    )
    if isinstance(refined, str | LimitReached):
        return
    result, before = shape_result(refined), len(report.proofs)
    conclude(report, result)
    if len(report.proofs) > before:
        report.refinement, report.shape = refined, result


def _compares_members(check: Check) -> bool:
    """Whether assertions alone are open, no error is known, and the program compares numbers in objects."""
    if check.options.refine is not None or not _may_help(check) or not ASSERTIONS.issuperset(check.open_properties):
        return False
    conditions = [o.condition for o in operations_of(check.executed) if isinstance(o, Assume)]
    return any(isinstance(n, Field) and isinstance(n.type, IntegerType) for c in conditions for n in walk(c))


def _may_help(check: Check) -> bool:
    """Whether another domain may prove what is open: no error is known, and no construct without any meaning is met.

    Only the shape analysis understands contracts in formulas.
    """
    alarms = check.report.shape.alarms if check.report.shape is not None else []
    if check.options.domain != "all" or check.is_violated or check.executed is not check.prepared.source:
        return False
    without_meaning = {(o.place, o.reason) for o in check.prepared.source.unsupported_operations()}
    return not any(a.kind == "unsupported" and (a.place, a.text) in without_meaning for a in alarms)


def _confirm(check: Check, seconds: float) -> None:
    """Ask path formulas about the alarms that keep a property open."""
    from kleene.analysis.c.confirm import confirm  # imports the solver

    report, names = check.report, set(check.open_properties)
    alarms = [a for a in report.shape.alarms if names & set(violated_properties(a.kind, ""))] if report.shape else []
    shape = report.shape if isinstance(report.shape, ShapeResult) else None
    answer = check.budget.within(
        seconds, lambda: confirm(check.prepared, shape, alarms, malloc_may_fail=check.fails, seconds=seconds)
    )
    if isinstance(answer, LimitReached):
        return
    report.confirmation = answer
    for shown in answer.findings:
        record(report, shown, "by a path formula")
    if answer.proved:
        prove(report, list(report.properties), "every path followed")


PHASES = (
    Phase("error calls", "a program without such calls cannot reach one", _look_for_calls, lambda check: True),
    Phase("glance", f"exact exploration: {GLANCE_STEPS:,} steps", _glance, lambda check: True, most=FIRST_LOOK_SECONDS),
    Phase(
        "first look",
        "exact exploration before FESA and refinement: shallow errors, bounded programs",
        _explore,
        lambda check: not check.is_shape_analysis,
        most=FIRST_LOOK_SECONDS,
    ),
    Phase(
        "refinement",
        "an abstraction that is found automatically (--refine)",
        _refine,
        lambda check: check.options.refine is not None,
        share=REFINEMENT_SHARE,
    ),
    Phase(
        "fallback",
        "all of memory is tracked, where refinement gave up",
        _fall_back,
        lambda check: check.options.refine is not None and not _ends_all(check.report),
        share=ANALYSIS_SHARE,
        least=LEAST_SECONDS,
    ),
    Phase(
        "abstract analysis",
        "shape analysis, or FESA (--domain fesa)",
        _analyse,
        lambda check: check.options.refine is None and check.options.domain != "explicit",
        share=ANALYSIS_SHARE,
    ),
    Phase(
        "look in between",
        f"the first look of a shape analysis: when it takes {HEAD_START_SECONDS:g} s, or after it",
        _explore,
        lambda check: check.is_shape_analysis and not check.has_looked,
        most=FIRST_LOOK_SECONDS,
        interrupts=True,
    ),
    Phase(
        "long texts in between",
        "runs on short lines of what the program names, on long ones, and of many operations, after the look",
        _search_lengths,
        lambda check: check.is_shape_analysis and check.lengths is None and _may_depend_on_lengths(check),
        most=LENGTHS_LOOK_SECONDS,
        after_error=AFTER_ERROR_SECONDS,
        interrupts=True,
    ),
    Phase(
        "long texts",
        "runs on lines of what the program names, on long arguments and lines, on many of them, and of many operations",
        _search_lengths,
        lambda check: check.options.domain != "explicit" and _may_depend_on_lengths(check),
        share=PATHS_SHARE,
        most=LENGTHS_SECONDS,
        after_error=AFTER_ERROR_SECONDS,
        least=LEAST_SECONDS,
    ),
    Phase(
        "path formulas",
        "runs towards the alarms of the analysis",
        _confirm,
        lambda check: check.options.domain != "explicit" and check.executed is check.prepared.source,
        share=PATHS_SHARE,
        most=PATHS_SECONDS,
        after_error=AFTER_ERROR_SECONDS,
        least=LEAST_SECONDS,
    ),
    Phase(
        "field assertions",
        "refinement, for assertions about members that the shape analysis leaves open",
        _refine_assertions,
        _compares_members,
        share=ASSERTIONS_SHARE,
        most=ASSERTIONS_SECONDS,
        least=LEAST_SECONDS,
    ),
    Phase(
        "FESA",
        "one graph and one Boolean function, for what the shape analysis leaves open",
        _analyse_by_fesa,
        _may_help,
        share=FESA_SHARE,
        most=FESA_SECONDS,
        after_error=ANALYSIS_AFTER_ERROR_SECONDS,
        least=LEAST_SECONDS,
    ),
    Phase(
        "long look",
        "exact exploration again",
        _explore,
        lambda check: True,
        most=LONG_LOOK_SECONDS,
        after_error=AFTER_ERROR_SECONDS,
        least=LEAST_SECONDS,
    ),
)
"""The phases in their order. `benchmarks/constants.py` measures the shares and bounds (docs/reference/constants.md)."""
