"""The FESA part of `kleene check`: a C program analysed with one points-to graph and one Boolean function."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from kleene.analysis.limits import Watchdog
from kleene.cfa.expressions import Variable, walk
from kleene.cfa.graph import Cfa
from kleene.cfa.inline import inline
from kleene.cfa.operations import DeclareLocal, Operation, expressions
from kleene.cfa.program import CProgram
from kleene.diagnostics import LimitReached
from kleene.domains.fesa.domain import FesaDomain
from kleene.domains.fesa.flags import rank
from kleene.domains.fesa.functions import Diagrams, Statistics
from kleene.domains.fesa.heap import Heap, Options, State
from kleene.domains.fesa.vectors import Vectors
from kleene.engine.fixpoint import Reached, Schedule, solve
from kleene.semantics.memory import Memory
from kleene.semantics.prepare import prepared, without_dead_ends
from kleene.semantics.steps import Alarm
from kleene.semantics.tail_calls import without_tail_recursion

MEMORY = 4 << 30


@dataclass
class FesaResult:
    """What the analysis says; no alarms at all, and complete, is a proof."""

    alarms: list[Alarm]
    complete: bool
    reason: str
    seconds: float
    structures: int = 0
    shape_class: str = "FESA"
    notes: list[str] = field(default_factory=list)
    statistics: Statistics = field(default_factory=Statistics)
    reached: Reached[State] | None = None
    cfa: Cfa[Operation] | None = None
    domain: FesaDomain | None = None
    initial: State | None = None
    parents: bool = True
    """Whether lost blocks were looked for; if not, the alarms have one that was found before."""

    name = "fesa"

    @property
    def proof(self) -> str:
        """How a property is proved."""
        return "FESA"


def analyse_fesa(
    program: CProgram, *, malloc_may_fail: bool, seconds: float, instrumentation: bool = True, reduce: bool = True
) -> FesaResult:
    """Analyse a program; with `instrumentation` off, as in the rows marked '-' of the paper's Table 1.

    Variables are forgotten when they are not read again. If that seems to lose a block, they are kept to the end of
    their scope the second time. If a block still seems to be lost, the analysis goes on past that for the other
    errors, and does without parents if that takes long.
    """
    start = time.monotonic()
    program = without_tail_recursion(program)
    if program.recursive_functions & set(program.reachable_functions):
        return FesaResult([], False, "recursion is not handled by the FESA domain", 0.0)
    try:
        inlined = prepared(inline(program))
    except LimitReached as limit:
        return FesaResult([], False, str(limit), time.monotonic() - start)
    cfa = without_dead_ends(inlined.main.cfa)
    external = _external(inlined, cfa)
    if external:
        return FesaResult([], False, f"external variable {external[0]}", time.monotonic() - start)
    options = Options(
        out_counter=instrumentation,
        in_counter=instrumentation,
        reduce=reduce and instrumentation,
        permanent=frozenset(v.name for v in _permanent(inlined, cfa)),
    )
    run = _Run(inlined, cfa, options, malloc_may_fail)
    lost: list[Alarm] = []
    plan: Plan | None = Plan()
    result = FesaResult([], False, "there is no time left", 0.0)
    while plan is not None and (left := seconds - (time.monotonic() - start)) > 0:
        result = run.analyse(left * plan.share, plan)
        leaks = [alarm for alarm in result.alarms if alarm.kind == "memory_leak"]
        lost = leaks or lost
        plan = None if result.complete else plan.after_leak() if leaks and plan.stop_at_leak else plan.after_limit()
    result.alarms = sorted({*result.alarms, *(() if result.parents else lost)}, key=_in_source_order)
    result.seconds = time.monotonic() - start
    return result


def _in_source_order(alarm: Alarm) -> tuple[str, int, int, str, str]:
    return alarm.place.file, alarm.place.line, alarm.place.column, alarm.kind, alarm.text


FEW = 700


@dataclass(frozen=True)
class Plan:
    """How one attempt goes: how long variables are kept, and what happens when a block seems to be lost.

    `crowded` is the number of nodes of a function above which states are summarised everywhere.
    """

    whole_scope: bool = False
    stop_at_leak: bool = True
    parents: bool = True
    crowded: int = 4_000
    share: float = 0.4
    """The share of the remaining time that the attempt may take."""

    def after_leak(self) -> Plan:
        """What to try when a block seems to be lost."""
        if not self.whole_scope:
            return Plan(whole_scope=True)
        return replace(self, stop_at_leak=False, share=0.25)

    def after_limit(self) -> Plan | None:
        """What to try when time or memory was not enough."""
        if self.crowded > FEW:
            return replace(self, crowded=FEW, share=0.6)
        if not self.stop_at_leak and self.parents:
            return replace(self, parents=False, share=1.0)
        return None


@dataclass(frozen=True)
class _Run:
    """One program, prepared."""

    program: CProgram
    cfa: Cfa[Operation]
    options: Options
    malloc_may_fail: bool

    def analyse(self, seconds: float, plan: Plan) -> FesaResult:
        start = time.monotonic()
        space = Diagrams(order=rank)
        options = replace(self.options, parents=plan.parents, crowded=plan.crowded)
        domain = FesaDomain(
            Memory(self.program, self.cfa, typed=True),
            self.cfa,
            space,
            options,
            malloc_may_fail=self.malloc_may_fail,
            whole_scope=plan.whole_scope,
            stop_at_leak=plan.stop_at_leak,
        )
        initial = domain.start(_initial(domain, self.program, Heap(Vectors.everything(space), options)))
        try:
            with Watchdog(seconds, MEMORY):
                reached = solve(self.cfa, domain, [initial], Schedule())
        except LimitReached as limit:  # struck while the engine was handling another limit
            reached = Reached({name: domain.store() for name in self.cfa.locations}, complete=False, reason=str(limit))
        alarms = [Alarm(w.kind, w.place, w.text) for w in domain.warnings]
        return FesaResult(
            sorted(alarms, key=_in_source_order),
            reached.complete,
            reached.reason or "",
            time.monotonic() - start,
            reached.generated,
            notes=list(domain.notes),
            statistics=space.statistics,
            reached=reached,
            cfa=self.cfa,
            domain=domain,
            initial=initial,
            parents=plan.parents,
        )


def _initial(domain: FesaDomain, program: CProgram, heap: Heap) -> Heap:
    """Before main: the globals are zero, then their initialisers."""
    transfer = domain.transfer
    for item in program.globals:
        if item.constant and not item.initial:  # a string literal: its characters are not written anywhere
            transfer.unknown(heap, item.variable)
        else:
            transfer.zero(heap, item.variable)
    for variable in (*_undeclared(transfer.memory, domain.cfa), *program.main.parameters):
        transfer.parameter(heap, variable)
    parts = [heap]
    for item in program.globals:
        for assignment in item.initial:
            parts = [after for part in parts for after in transfer.apply(part, assignment)]
    return parts[0]


def _permanent(program: CProgram, cfa: Cfa[Operation]) -> list[Variable]:
    """The variables that exist all the time."""
    return [*(g.variable for g in program.globals), *_undeclared(Memory(program, cfa), cfa)]


def _undeclared(memory: Memory, cfa: Cfa[Operation]) -> list[Variable]:
    """Objects that the C reader has made for its own use, and never declares."""
    declared = {e.label.variable for e in cfa.edges if isinstance(e.label, DeclareLocal)}
    return [v for v in memory.objects if not v.is_global and v not in declared]


def _external(program: CProgram, cfa: Cfa[Operation]) -> list[str]:
    """The variables that are used and whose values are not known, since they belong to another file."""
    used = {n for e in cfa.edges for x in expressions(e.label) for n in walk(x) if isinstance(n, Variable)}
    return [g.variable.name for g in program.globals if g.external and g.variable in used]
