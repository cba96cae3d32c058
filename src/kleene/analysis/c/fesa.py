"""The FESA part of `kleene check`: a C program analysed with one points-to graph and one Boolean function."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from kleene.analysis.limits import MOST_MEMORY, Watchdog, within
from kleene.cfa.expressions import Variable
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import DeclareLocal, Operation
from kleene.cfa.program import CProgram
from kleene.core.verdict import LEAKS, UNDEFINED
from kleene.diagnostics import LimitReached
from kleene.domains.fesa.calls.calling import CallingFesaDomain, procedures
from kleene.domains.fesa.directions import MOST_WAYS, Slots, one_way_forests
from kleene.domains.fesa.domain import Stop
from kleene.domains.fesa.flags import rank
from kleene.domains.fesa.functions import Diagrams
from kleene.domains.fesa.heap import Heap, Inner, Options, State
from kleene.domains.fesa.inner import inner_structures
from kleene.domains.fesa.vectors import Vectors
from kleene.engine.fixpoint import Reached, Schedule, solve
from kleene.engine.tabulate import tabulate
from kleene.passes.attempts.contradictions import without_contradictions
from kleene.passes.attempts.ends import with_held_ends
from kleene.passes.facts.lifetimes import Keep
from kleene.passes.facts.memory import Memory
from kleene.passes.preparation import Prepared
from kleene.passes.prepare import without_dead_ends
from kleene.passes.zero_one_images import with_images
from kleene.results.fesa import FesaResult
from kleene.semantics.steps.context import Alarm


def analyse_fesa(
    prepared: Prepared, *, malloc_may_fail: bool, seconds: float, instrumentation: bool = True, reduce: bool = True
) -> FesaResult:
    """Analyse a program; with `instrumentation` off, as in the rows marked '-' of the paper's Table 1.

    Plans are tried in this order, until one has no warnings. First, variables are forgotten when they are dead.
    Where structures contain others, one of the inner ones is then followed apart, also with nodes of variables
    apart from summaries. If a block seems lost, variables are kept during loops, then all parents have one
    direction, then variables are kept to the end of their scope. If warnings remain, nodes are named by their
    roles: first with one state per location as in the paper, then with one state per set of NULL variables. Then
    nodes with pointers from variables stay apart from summaries, until the first warning. Assertions that compare
    numbers with each other are checked on images of the numbers: next, once nothing else is open. If a block still
    seems lost, the other errors are checked without parents. Without instrumentation, leaks are checked last and
    only if no other memory error remains, because parents are an instrumentation too.
    """
    start = time.monotonic()
    run = _ready(prepared, seconds, malloc_may_fail=malloc_may_fail, instrumentation=instrumentation, reduce=reduce)
    if isinstance(run, str):
        return FesaResult([], False, run, time.monotonic() - start)
    result = _Attempts(run, start + seconds).best(instrumentation=instrumentation)
    result.seconds = time.monotonic() - start
    return result


def analyse_by_attempt(
    prepared: Prepared, attempt: FesaAttempt, *, malloc_may_fail: bool, seconds: float, instrumentation: bool = True
) -> FesaResult:
    """One plan alone. The tests use it: an earlier plan would hide the errors of this one."""
    run = _ready(prepared, seconds, malloc_may_fail=malloc_may_fail, instrumentation=instrumentation)
    return FesaResult([], False, run, 0.0) if isinstance(run, str) else run.analyse(seconds, attempt)


def _ready(
    prepared: Prepared, seconds: float, *, malloc_may_fail: bool, instrumentation: bool, reduce: bool = True
) -> _Run | str:
    """The program in the form that plans analyse, or why there is none."""
    memory = within(seconds, lambda: _memory(prepared))
    if isinstance(memory, LimitReached):
        return str(memory)
    if undefined := memory.program.without_definition(memory.cfa):
        return next(iter(undefined.values()))
    options = Options(
        out_counter=instrumentation,
        in_counter=instrumentation,
        reduce=reduce and instrumentation,
        permanent=frozenset(v.name for v in _permanent(memory)),
    )
    return _Run(memory, options, malloc_may_fail)


def _memory(prepared: Prepared) -> Memory:
    return Memory(prepared.inlined, without_dead_ends(prepared.cfa), typed=True)


def _unsafe(result: FesaResult) -> bool:
    """Whether memory safety is open anyway, whether blocks are lost or not."""
    return bool(_kinds(result) & UNDEFINED)


def _kinds(result: FesaResult) -> set[str]:
    return {alarm.kind for alarm in result.alarms}


ASSERTED = frozenset(("assertion", "unreach_call"))
"""Alarms of programs whose memory is safe."""


def _follows_numbers(row: FesaAttempt) -> bool:
    """Whether a row may help where assertions alone are open."""
    return bool(row.related_numbers or row.by or row.sizes)


def _clean(result: FesaResult) -> bool:
    return result.complete and not result.alarms


def _ran_out(result: FesaResult) -> bool:
    """Whether more time or memory might prove the program."""
    return not result.complete and not result.alarms


def _better(result: FesaResult, other: FesaResult) -> FesaResult:
    return other if other.complete and (not result.complete or _kinds(other) < _kinds(result)) else result


def _in_source_order(alarm: Alarm) -> tuple[str, int, int, str, str]:
    return alarm.place.file, alarm.place.line, alarm.place.column, alarm.kind, alarm.text


MANY_NODES = 4_000
"""Nodes of a Boolean function above which states are summarised at every location, not at loop heads alone."""
FORGETTING_PART = 4
"""Relations are forgotten in functions that have this part of `MANY_NODES` more: summarising had no effect there."""
MANY_NODES_OF_CASES = 15_000
"""The same where a location has states for cases: merging and rings of rings need more, and most states are small."""
FEW_NODES = 700
"""The same for a run that repeats another one because that ran out of time or memory."""
FIRST_SHARE = 0.1
"""Share of the time left for the first try of each row."""
ROW_SHARE = 0.4
"""Share of the time left for a row whose tries are not shorter."""
SUMMARISING_SHARE = 0.6
"""Share of the time left for the run with `FEW_NODES`."""
RETRIES_SHARE = 0.8
"""Share of the time left for all second tries, of rows that ran out of time, together."""


@dataclass(frozen=True)
class FesaAttempt:
    """One way to analyse a program with FESA: lifetimes of variables, tracked facts, the warnings that end it."""

    name: str = "plain"
    purpose: str = "variables are forgotten when they are not read again"
    keep: Keep = "live"
    stop_at: Stop = "leak"
    parents: bool = True
    crowded: int | None = None
    """Nodes of a function above which states are summarised everywhere; None for the usual number."""
    apart: bool = False
    by_role: bool = False
    """Whether nodes are named after the variables that hold or reach them: states that are joined are confused less."""
    by_cases: bool = False
    """Whether locations have several states, by which variables are NULL."""
    share: float = ROW_SHARE
    """The share of the remaining time that the attempt may take."""
    first_share: float = FIRST_SHARE
    """The same for its first try among others."""
    related_numbers: bool = False
    """Whether the numbers of two cells of a summary are related."""
    inner: bool = False
    """Whether one structure inside another is followed apart."""
    way: int = 0
    """Which of the directions all parents have (`directions`), from 1 on; 0 for any direction of each."""
    sizes: bool = False
    """Whether the numbers of blocks are related to those of variables."""
    by: str = ""
    """What the numbers of the program are followed as: themselves, images (`order`), or fewer tests (`numbers`)."""

    @property
    def limits(self) -> tuple[int, int]:
        """Nodes of a function above which states are summarised everywhere, and above which relations are forgotten."""
        many = MANY_NODES_OF_CASES if self.by_cases else MANY_NODES
        return self.crowded or many, many + many // FORGETTING_PART


def _keeping_attempt(keep: Keep, name: str, purpose: str, **parts: bool | Stop | str) -> FesaAttempt:
    """A row whose variables are kept through loops or to the end of their scope."""
    words = {"live": "", "loop": ", kept in loops", "scope": ", kept in scope"}[keep]
    return replace(FesaAttempt(name + words, purpose, keep=keep), **parts)  # type: ignore[arg-type]


PLAIN = FesaAttempt()
FESA_ATTEMPTS = (
    PLAIN,
    FesaAttempt("inner", "one of the structures inside another is followed apart", inner=True, stop_at="warning"),
    FesaAttempt(
        "inner, apart",
        "one of the structures inside another is followed apart, with nodes of variables apart from summaries",
        first_share=ROW_SHARE,
        inner=True,
        apart=True,
        by_role=True,
        by_cases=True,
        stop_at="warning",
    ),
    FesaAttempt("kept in loops", "variables are kept as long as a loop runs", keep="loop"),
    *(
        FesaAttempt(f"one way, {way}", "parents of blocks have one direction: along `next`, or along `prev`", way=way)
        for way in range(1, MOST_WAYS + 1)
    ),
    *(
        _keeping_attempt(keep, name, purpose, by_role=True, by_cases=cases)
        for name, purpose, cases in (
            ("roles", "nodes are named after the variables that reach them", False),
            ("cases", "one state for each answer to which variables are NULL", True),
        )
        for keep in ("live", "loop")
    ),
    FesaAttempt("kept in scope", "variables are kept to the end of their scope", keep="scope"),
    *(
        _keeping_attempt(
            keep, "apart", "nodes of variables are kept apart from summaries", apart=True, stop_at="warning"
        )
        for keep in ("live", "loop", "scope")
    ),
    FesaAttempt(
        "sizes",
        "numbers of blocks are related to counters",
        sizes=True,
        by_role=True,
        by_cases=True,
    ),
    FesaAttempt("numbers", "tests that contradict zones or equations of numbers are left out", by="numbers"),
    FesaAttempt("neighbours", "the numbers of two cells of a summary are related", related_numbers=True),
    *(
        _keeping_attempt(
            "live",
            name,
            "0 and 1 stand for numbers that are compared with each other",
            related_numbers=True,
            by_role=cases,
            by_cases=cases,
            by="order",
        )
        for name, cases in (("order", False), ("order, cases", True))
    ),
    _keeping_attempt(
        "scope",
        "order, apart",
        "0 and 1 stand for numbers, and nodes of variables are kept apart from summaries",
        related_numbers=True,
        apart=True,
        by_role=True,
        by_cases=True,
        stop_at="warning",
        by="order",
    ),
)
"""The rows in their order. Those that keep variables longer are for blocks that seem to be lost."""


@dataclass
class _Attempts:
    """The attempts at one program, the cheap ones that usually succeed first."""

    run: _Run
    end: float
    lost: list[Alarm] = field(default_factory=list)

    def best(self, *, instrumentation: bool) -> FesaResult:
        result = self._try_attempts(instrumentation=instrumentation)
        if not result.parents:
            if not self.lost and not _unsafe(result):
                result = replace(result, complete=False, reason="there was no time to look for lost blocks")
            result.alarms = sorted({*result.alarms, *self.lost}, key=_in_source_order)
        return result

    def _try_attempts(self, *, instrumentation: bool) -> FesaResult:
        if not instrumentation:
            result = self._patient(replace(PLAIN, parents=False))
            if not result.complete or _unsafe(result):
                return result
            result = self._patient(PLAIN)
        else:
            result = self._sharpest()
        if result.complete and not self.lost_now(result):
            self.lost = []
        return self._past_leaks() if self.lost else result

    def _sharpest(self) -> FesaResult:
        """Try each plan for a short time until one has no warnings; then retry those that ran out of time or memory."""
        result = first = self._attempt(replace(PLAIN, share=FIRST_SHARE))
        if any(alarm.kind == "unsupported" for alarm in first.alarms):
            return first
        tired = [] if first.complete or self.lost_now(first) else [replace(PLAIN, crowded=FEW_NODES)]
        tired += [PLAIN] if _ran_out(first) else []
        rows = list(self._sharper(first))
        while rows and not _clean(result):
            numeric = [row for row in rows if result.complete and _kinds(result) <= ASSERTED and _follows_numbers(row)]
            plan = (numeric or rows)[0]
            rows.remove(plan)
            other = self._attempt(replace(plan, share=ROW_SHARE if numeric else plan.first_share))
            result = _better(result, other)
            tired += [plan] if _ran_out(other) else []
        if _clean(result):
            return result
        for number, plan in enumerate(tired):
            if not _clean(result):
                result = _better(result, self._attempt(replace(plan, share=RETRIES_SHARE / (len(tired) - number))))
        return result

    def _sharper(self, first: FesaResult) -> Iterator[FesaAttempt]:
        """The rows that may help after the first one."""
        longer = not first.complete or bool(self.lost_now(first))
        wrong = bool(_kinds(first) - LEAKS)
        rows = (row for row in FESA_ATTEMPTS[1:] if longer or not (row.keep != "live" or row.way))
        rows = (row for row in rows if wrong or (row.by and not first.complete) or not _follows_numbers(row))
        return (row for row in rows if self.run.applies(row))

    def _past_leaks(self) -> FesaResult:
        """A block seems to be lost, and memory safety is open: what else is wrong."""
        quick = self._patient(replace(PLAIN, parents=False))
        if quick.complete and not _unsafe(quick):
            return quick
        full = self._attempt(replace(PLAIN, keep="scope", stop_at="nothing", share=RETRIES_SHARE))
        return full if full.complete else quick

    def _patient(self, plan: FesaAttempt) -> FesaResult:
        """An attempt, and if time or memory is not enough another one that summarises more."""
        result = self._attempt(plan)
        if result.complete or self.lost_now(result):
            return result
        return self._attempt(replace(plan, crowded=FEW_NODES, share=SUMMARISING_SHARE))

    def _attempt(self, plan: FesaAttempt) -> FesaResult:
        left = self.end - time.monotonic()
        if left <= 0:
            return FesaResult([], False, "there is no time left", 0.0)
        result = self.run.analyse(left * plan.share, plan)
        self.lost = self.lost_now(result) or self.lost
        return result

    @staticmethod
    def lost_now(result: FesaResult) -> list[Alarm]:
        return [alarm for alarm in result.alarms if alarm.kind == "memory_leak"]


@dataclass
class _Run:
    """One program, prepared."""

    memory: Memory
    options: Options
    malloc_may_fail: bool
    _held: dict[str, Memory] = field(default_factory=dict)

    @cached_property
    def _images(self) -> Memory:
        """The program on images of the numbers that assertions compare with each other."""
        return Memory(self.memory.program, with_images(self.memory), typed=True)

    @cached_property
    def _possible(self) -> Memory:
        """The program without tests that contradict what is known of its numbers."""
        return Memory(self.memory.program, without_contradictions(self.memory), typed=True)

    def _by_numbers(self, plan: FesaAttempt) -> Memory:
        """The program with the numbers that an attempt follows."""
        return {"": lambda: self.memory, "order": lambda: self._images, "numbers": lambda: self._possible}[plan.by]()

    def followed(self, plan: FesaAttempt) -> Memory:
        """The program as an attempt follows it: with nodes apart, variables hold the members at which loops end."""
        memory = self._by_numbers(plan)
        if not plan.apart:
            return memory
        if plan.by not in self._held:
            self._held[plan.by] = Memory(memory.program, with_held_ends(memory), typed=True)
        return self._held[plan.by]

    def applies(self, plan: FesaAttempt) -> bool:
        """Whether an attempt does anything that the others do not."""
        if plan.inner and (self._inner is None or procedures(self.memory.cfa)):
            return False
        if plan.way > len(self._one_way):
            return False
        return not plan.by or self._by_numbers(plan).cfa != self.memory.cfa

    @cached_property
    def _one_way(self) -> list[Slots]:
        return one_way_forests(self.memory)

    @cached_property
    def _inner(self) -> Inner | None:
        return inner_structures(self.memory)

    def analyse(self, seconds: float, plan: FesaAttempt) -> FesaResult:
        start = time.monotonic()
        memory = self.followed(plan)
        cfa, space = memory.cfa, Diagrams(order=rank)
        options = replace(
            self.options,
            parents=plan.parents,
            crowded=plan.limits[0],
            limit=plan.limits[1],
            apart=plan.apart,
            by_role=plan.by_role,
            by_cases=plan.by_cases,
            related_numbers=plan.related_numbers,
            sizes=plan.sizes,
            back=self._one_way[plan.way - 1] if plan.way and self.applies(plan) else frozenset(),
            inner=self._inner if plan.inner and self.applies(plan) else None,
        )
        domain = CallingFesaDomain(
            memory,
            cfa,
            space,
            options,
            malloc_may_fail=self.malloc_may_fail,
            keep=plan.keep,
            stop_at=plan.stop_at,
        )
        empty = Heap(Vectors.everything(space), options)
        initial = within(seconds, lambda: domain.start(_initial(domain, memory.program, empty)))
        if isinstance(initial, LimitReached):
            return FesaResult([], False, str(initial), time.monotonic() - start)
        try:
            with Watchdog(seconds - (time.monotonic() - start), MOST_MEMORY):
                reached = _solve(cfa, domain, initial)
        except LimitReached as limit:  # struck while the engine was handling another limit
            reached = Reached({name: domain.store() for name in cfa.locations}, complete=False, reason=str(limit))
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
            cfa=cfa,
            domain=domain,
            initial=initial,
            parents=plan.parents,
            by=plan.by,
            source=self.memory,
        )


def _solve(cfa: Cfa[Operation], domain: CallingFesaDomain, initial: State) -> Reached[State]:
    if not domain.procedures:
        return solve(cfa, domain, [initial], Schedule())
    return tabulate(cfa, domain.procedures, domain, [initial], Schedule())


def _initial(domain: CallingFesaDomain, program: CProgram, heap: Heap) -> Heap:
    """Before main: the globals are zero, then their initialisers."""
    transfer = domain.transfer
    for item in program.globals:
        if item.constant and not item.initial:  # a string literal: its characters are not written anywhere
            transfer.unknown(heap, item.variable)
        else:
            transfer.zero(heap, item.variable)
    for variable in _undeclared_objects(transfer.memory):
        transfer.declare(heap, variable)
    parts = [heap]
    for item in program.globals:
        for assignment in item.initial:
            parts = [after for part in parts for after in transfer.apply(part, assignment)]
    return parts[0]


def _permanent(memory: Memory) -> list[Variable]:
    """The variables that exist all the time."""
    return [*(g.variable for g in memory.program.globals), *_undeclared_objects(memory)]


def _undeclared_objects(memory: Memory) -> list[Variable]:
    """Objects that the C reader has made for its own use, and never declares."""
    declared = {e.label.variable for e in memory.cfa.edges if isinstance(e.label, DeclareLocal)}
    return [v for v in memory.objects if not v.is_global and v not in declared]
