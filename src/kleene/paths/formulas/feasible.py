"""Is a path possible? A model of its formula is a list of inputs, and the interpreter shows whether they do it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Union

import z3

from kleene.cfa.program import CProgram
from kleene.core.verdict import kind_in_runs
from kleene.domains.explicit.interpreter import Trace, run
from kleene.domains.explicit.values import Fault
from kleene.paths.formulas.encode import Case, PathFormula
from kleene.paths.formulas.terms import STEPS, solver_for

MOST_STEPS = 5_000
"""Steps of a run that is to show an error."""


_SMALL_INPUTS = 12
"""First inputs of a run for which a small number is tried, so that people can read them."""
_SMALL = 99
"""The largest number that counts as small."""


@dataclass(frozen=True)
class Feasible:
    """The path is feasible on these inputs, in the order of a run; `reasons` has the purpose of each input."""

    inputs: tuple[int, ...]
    reasons: tuple[str, ...]
    case: Case


@dataclass(frozen=True)
class Infeasible:
    """No input leads along the path to its goal; `core` are steps whose conditions contradict each other."""

    core: tuple[int, ...]


@dataclass(frozen=True)
class Undecided:
    """The solver gave up, or something on the path is not modelled."""

    reason: str


Answer = Union[Feasible, Infeasible, Undecided]  # noqa: UP007 (an alias of classes, used in annotations)


def feasible(formula: PathFormula, limit: int = STEPS) -> Answer:
    """Ask the solver about each case; `limit` is in Z3's resource steps."""
    furthest = max((position for _, position in formula.dead), default=0)
    core: set[int] = {position for _, position in formula.dead if position == furthest and not formula.cases}
    doubts = list(formula.open)
    for case in formula.cases:
        solver = solver_for((), limit)
        switches = [z3.Bool(f"step:{number}") for number in range(len(case.constraints))]
        solver.add(*(z3.Implies(s, term) for s, term in zip(switches, case.constraints, strict=True)))
        answer = solver.check(*switches)
        if answer == z3.sat:
            return _solution(case, _readable(solver, switches, case))
        if answer == z3.unknown:
            doubts.append(f"the solver gave up ({solver.reason_unknown()})")
        elif case.partial:
            doubts.append("a number with many values was tried with some of them")
        else:
            numbers = {s.get_id(): number for number, s in enumerate(switches)}
            core |= {case.step_of(numbers[s.get_id()]) for s in solver.unsat_core()}
    doubts += ["a number with many values was tried with some of them" for case, _ in formula.dead if case.partial]
    if doubts:
        return Undecided(doubts[0])
    return Infeasible(tuple(sorted(core)))


def _readable(solver: Any, switches: list[Any], case: Case) -> Any:
    """A model with small numbers for the first inputs, if possible."""
    model = solver.model()
    chosen = list(switches)
    for given in [i for i in case.inputs() if i.term is not None][:_SMALL_INPUTS]:
        switch = z3.Bool(f"small:{given.term}")
        bits = given.term.size()
        if bits < 8:
            continue
        small = z3.And(given.term >= -_SMALL, given.term <= _SMALL) if given.type.signed else z3.ULE(given.term, _SMALL)
        solver.add(z3.Implies(switch, small))
        if solver.check(*chosen, switch) == z3.sat:
            chosen.append(switch)
            model = solver.model()
    return model


def _solution(case: Case, model: Any) -> Feasible:
    values: list[int] = []
    inputs = case.inputs()
    for given in inputs:
        if given.term is None:
            values.append(given.value)
        else:
            number = model.eval(given.term, model_completion=True).as_long()
            values.append(given.type.wrap(number))
    return Feasible(tuple(values), tuple(given.why for given in inputs), case)


def replay(program: CProgram, inputs: Sequence[int], *, malloc_may_fail: bool, steps: int = MOST_STEPS) -> Trace:
    """The run of the program (not inlined, or inlined) on the inputs, with the garbage that they choose."""
    return run(program, inputs, steps, malloc_may_fail=malloc_may_fail, choose_garbage=True)


def fault_of_run(trace: Trace, kind: str, line: int | None = None) -> Fault | None:
    """The fault of that kind (at that line) in the run, unless the run depends on what C leaves open."""
    if trace.tainted:
        return None
    wanted = kind_in_runs(kind)
    for fault in trace.faults:
        if fault.kind == wanted and (line is None or fault.place.line == line):
            return fault
    return None
