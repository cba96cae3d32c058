"""Path formulas: the constraints of a path on the inputs, over the memory model of the exact interpreter.

The interpreter follows the path with unknown inputs (`terms`); each decision of the path is a constraint on them. A
path formula is a disjunction of cases: one case, unless the path leaves a choice open that must be explicit (whether
an allocation fails, or the value of an index that depends on an input). Blocks are numbered in the order of
allocation, so a fresh block differs from all others; freed blocks, sizes and unwritten values are those of the
interpreter (docs/assumptions.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from kleene.cfa.graph import Edge
from kleene.cfa.operations import Allocate, Operation, Realloc
from kleene.cfa.program import CProgram
from kleene.core.verdict import LEAKS
from kleene.domains.explicit.interpreter import lost_blocks
from kleene.domains.explicit.liveness import Liveness
from kleene.domains.explicit.machine import Ended, Machine
from kleene.domains.explicit.state import State
from kleene.domains.explicit.values import NotModelled, Split, Violation
from kleene.paths.formulas.terms import Constraints, SymbolicInputs, constraints_of

MOST_CASES = 32
"""Cases of one path (targets of pointers, values of indices): more are left open."""


@dataclass(frozen=True, slots=True)
class PathStep:
    """An edge of the path; `succeeds` is the outcome of an allocation (None: the path leaves it open)."""

    edge: Edge[Operation]
    succeeds: bool | None = None

    @property
    def operation(self) -> Operation:
        return self.edge.label

    def __str__(self) -> str:
        ends = {True: " (succeeds)", False: " (fails)", None: ""}[self.succeeds]
        return f"{self.operation.place}: {self.operation}{ends}"


@dataclass(frozen=True)
class Input:
    """One input that the path draws: a term with its type, or the value that the path prescribes."""

    why: str
    value: int = 0
    term: Any = None
    type: Any = None


@dataclass
class Case:
    """One way along the path. `states[k]` and `marks[k]` are the state and the number of constraints before step k.

    `end` is how the last step ended, if it did not lead on.
    """

    state: State
    states: tuple[State, ...] = ()
    marks: tuple[int, ...] = ()
    end: Exception | None = None

    @property
    def constraints(self) -> tuple[Any, ...]:
        return constraints_of(self.state).terms

    @property
    def partial(self) -> bool:
        return constraints_of(self.state).partial

    def before_last(self) -> Case:
        """The same case before its last step."""
        return Case(self.states[-1], self.states[:-1], self.marks[:-1])

    def step_of(self, number: int) -> int:
        """The step of the path that gave a constraint."""
        return next((k - 1 for k, mark in enumerate(self.marks) if mark > number), len(self.marks) - 1)

    def inputs(self) -> list[Input]:
        """The inputs in the order in which a run takes them."""
        inputs = []
        for kind, entry in self.state.history.entries() if self.state.history else []:
            if kind == "value":
                inputs.append(Input(entry[1], entry[0]))
            elif kind == "input":
                inputs.append(Input(entry[2], 0, entry[0], entry[1]))
        return inputs


@dataclass
class PathFormula:
    """The path, and the cases that reach its end with the error `goal` (any kind for "", none asked for: None).

    `dead` are the cases that stop before the end or have no such error, each with its last step. `open` has the reasons
    why a case could not be followed: with one, an empty list of cases proves nothing.
    """

    program: CProgram
    steps: tuple[PathStep, ...]
    goal: str | None
    malloc_may_fail: bool
    cases: list[Case] = field(default_factory=list)
    dead: list[tuple[Case, int]] = field(default_factory=list)
    open: list[str] = field(default_factory=list)

    @property
    def constraints(self) -> list[tuple[Any, ...]]:
        """One conjunction for each case."""
        return [case.constraints for case in self.cases]

    def __str__(self) -> str:
        lines = [str(step) for step in self.steps]
        for case in self.cases:
            lines += ["case:", *(f"  {term}" for term in case.constraints)]
        return "\n".join(lines)


def path_of(steps: Sequence[PathStep | Edge[Operation]]) -> tuple[PathStep, ...]:
    return tuple(s if isinstance(s, PathStep) else PathStep(s) for s in steps)


def encode(
    program: CProgram,
    path: Sequence[PathStep | Edge[Operation]],
    *,
    goal: str | None = None,
    malloc_may_fail: bool,
    machine: Machine | None = None,
) -> PathFormula:
    """The formula of a path from the entry of the program (usually `inline`d) along edges of its automata.

    With a `goal`, the last operation must end in that kind of error ("" for any): `memory_leak` after an operation
    that loses a block, `memory_cleanup` at an end of the program where some block is not freed.
    """
    steps = path_of(path)
    formula = PathFormula(program, steps, goal, malloc_may_fail)
    walker = Walker(machine or Machine(program, malloc_may_fail=malloc_may_fail))
    cases = [Case(walker.start())]
    for position, step in enumerate(steps):
        following: list[Case] = []
        for case in cases:
            successors = list(walker.follow(case, step))
            followed = [c for c in successors if _stays(c, step, formula, last=position == len(steps) - 1)]
            if not followed:
                formula.dead.append((case, position))
            following += followed
        if len(following) > MOST_CASES:
            formula.open.append(f"{step.operation.place}: more than {MOST_CASES} cases")
            following = following[:MOST_CASES]
        cases = following
    for case in cases:
        if goal is None or not steps or _shows(walker, case, goal):
            formula.cases.append(case)
        else:
            formula.dead.append((case.before_last(), len(steps) - 1))
    return formula


def _stays(case: Case, step: PathStep, formula: PathFormula, *, last: bool) -> bool:
    """Whether a case follows the path; records the reason if the interpreter cannot follow it."""
    if isinstance(case.end, NotModelled):
        formula.open.append(f"{step.operation.place}: {case.end.reason}")
        return False
    if case.end is not None:
        return last and (formula.goal is not None or isinstance(case.end, Ended))
    return case.state.frames[-1].location == step.edge.target or (last and _leaves(case, step))


def _leaves(case: Case, step: PathStep) -> bool:
    """Whether a step is a call or a return: the next edge determines its target."""
    return not hasattr(step.operation, "condition")


def _shows(walker: Walker, case: Case, goal: str) -> bool:
    if isinstance(case.end, Violation):
        return goal in ("", case.end.kind)
    if not goal or goal in LEAKS:
        return bool(walker.leaks(case, at_end=goal != "memory_leak"))
    return False


class Walker:
    """Leads the interpreter; states are not changed once they are in a case."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.inputs = SymbolicInputs()
        self.liveness = Liveness(machine.program)

    def start(self) -> State:
        return self.machine.start(self.inputs, store=Constraints())

    def follow(self, case: Case, step: PathStep) -> Iterator[Case]:
        """The cases after the operation at the place where the case is; none if that is not the path's."""
        state = case.state
        if state.frames[-1].location != step.edge.source:
            return
        self.inputs.malloc = step.succeeds if isinstance(step.operation, Allocate | Realloc) else None
        marks = (*case.marks, len(constraints_of(state).terms))
        for successor, end in self.step(state.clone()):
            yield Case(successor, (*case.states, state), marks, end)

    def step(self, state: State) -> Iterator[tuple[State, Exception | None]]:
        """All ways through one operation; the state given is used up."""
        waiting = [state]
        while waiting:
            state = waiting.pop()
            try:
                self.machine.step(state)
            except Split as split:
                for alternative in split.alternatives:
                    twin = state.clone()
                    if twin.assume(alternative):
                        waiting.append(twin)
            except (Violation, NotModelled, Ended) as end:
                yield state, end
            else:
                if state.tainted:
                    yield state, NotModelled(state.tainted)
                else:
                    yield state, None

    def leaks(self, case: Case, *, at_end: bool) -> list[int]:
        """The lost blocks; at the end of the program, also those that are not freed."""
        state = case.state
        lost = lost_blocks(self.machine, state, self.liveness.dead_temporaries)
        if lost or not at_end:
            return lost
        if isinstance(case.end, Ended) and case.end.status is not None:
            return [n for n, b in state.blocks.items() if b.kind == "heap" and b.alive]
        return []
