"""The FESA part of `kleene check`: a C program analysed with one points-to graph and one Boolean function."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

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
from kleene.semantics.promote import promoted
from kleene.semantics.steps import Alarm

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

    @property
    def proof(self) -> str:
        """How a property is proved."""
        return "FESA"


def analyse_fesa(
    program: CProgram, *, malloc_may_fail: bool, seconds: float, instrumentation: bool = True, reduce: bool = True
) -> FesaResult:
    """Analyse a program; with `instrumentation` off, as in the rows marked '-' of the paper's Table 1."""
    start = time.monotonic()
    if program.recursive_functions & set(program.reachable_functions):
        return FesaResult([], False, "recursion is not handled by the FESA domain", 0.0)
    try:
        inlined = inline(program)
    except LimitReached as limit:
        return FesaResult([], False, str(limit), time.monotonic() - start)
    cfa = promoted(inlined.main.cfa)
    external = _external(inlined, cfa)
    if external:
        return FesaResult([], False, f"external variable {external[0]}", time.monotonic() - start)
    memory = Memory(inlined, cfa)
    permanent = frozenset(v.name for v in (*(g.variable for g in program.globals), *_undeclared(memory, cfa)))
    options = Options(
        out_counter=instrumentation, in_counter=instrumentation, reduce=reduce and instrumentation, permanent=permanent
    )
    space = Diagrams(order=rank)
    domain = FesaDomain(memory, cfa, space, options, malloc_may_fail=malloc_may_fail)
    initial = domain.start(_initial(domain, inlined, Heap(Vectors.everything(space), options)))
    with Watchdog(seconds, MEMORY):
        reached = solve(cfa, domain, [initial], Schedule())
    alarms = [Alarm(w.kind, w.place, w.text) for w in domain.warnings]
    return FesaResult(
        sorted(alarms, key=lambda a: (a.place.file, a.place.line, a.place.column, a.kind, a.text)),
        reached.complete,
        reached.reason or "",
        time.monotonic() - start,
        reached.generated,
        statistics=space.statistics,
        reached=reached,
        cfa=cfa,
        domain=domain,
        initial=initial,
    )


def _initial(domain: FesaDomain, program: CProgram, heap: Heap) -> Heap:
    """Before main: the globals are zero, then their initialisers."""
    transfer = domain.transfer
    for item in program.globals:
        transfer.zero(heap, item.variable)
    for variable in (*_undeclared(transfer.memory, domain.cfa), *program.main.parameters):
        transfer.parameter(heap, variable)
    parts = [heap]
    for item in program.globals:
        for assignment in item.initial:
            parts = [after for part in parts for after in transfer.apply(part, assignment)]
    return parts[0]


def _undeclared(memory: Memory, cfa: Cfa[Operation]) -> list[Variable]:
    """Objects that the C reader has made for its own use, and never declares."""
    declared = {e.label.variable for e in cfa.edges if isinstance(e.label, DeclareLocal)}
    return [v for v in memory.objects if not v.is_global and v not in declared]


def _external(program: CProgram, cfa: Cfa[Operation]) -> list[str]:
    """The variables that are used and whose values are not known, since they belong to another file."""
    used = {n for e in cfa.edges for x in expressions(e.label) for n in walk(x) if isinstance(n, Variable)}
    return [g.variable.name for g in program.globals if g.external and g.variable in used]
