"""Runs of a program whose states are searched in an invariant: the second line of defence behind a proof.

A state that the invariant does not cover refutes the proof, even if the run itself has no error. So does a run that
violates a proved property.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Set
from dataclasses import dataclass, field

from kleene.core.verdict import LEAKS
from kleene.coverage.inputs import PlannedInputs, named_numbers, plans
from kleene.coverage.invariants import Invariant
from kleene.coverage.views import Program, Stack
from kleene.domains.explicit.interpreter import lost_blocks
from kleene.domains.explicit.liveness import Liveness
from kleene.domains.explicit.machine import Ended
from kleene.domains.explicit.state import State
from kleene.domains.explicit.values import NotModelled, Violation

MOST_RUNS = 2_000
"""Runs for one proof."""
MOST_STEPS = 4_000
"""Steps of one run: enough for twenty rounds of three nested loops of a few statements."""
_STATES_AT_LOCATION = 6
"""Number of states per run that are searched at a location other than a loop head."""
_STATES_AT_HEAD = 24
"""Number of states per run that are searched at a loop head."""
_RUNS_SHARE = 0.7
"""The share of the time for runs; the rest is for a closer look at their states."""
_RUNS_WITHOUT_NEWS = 210
"""Runs in a row without a new state after which the rest of the time is for a closer look: every plan five times."""


@dataclass(frozen=True)
class Refuted:
    """A state of a run that a proof does not know, or an error that it excludes."""

    location: str
    place: str
    inputs: tuple[int, ...]
    what: str

    def __str__(self) -> str:
        inputs = f" (inputs: {' '.join(map(str, self.inputs))})" if self.inputs else ""
        return f"{self.place}: a run comes to {self.location} with a state that it does not cover{inputs}: {self.what}"


@dataclass
class Coverage:
    """The extent of the search: states, runs, seconds, locations."""

    states: int = 0
    runs: int = 0
    seconds: float = 0.0
    refuted: Refuted | None = None
    locations: set[str] = field(default_factory=set)

    def added_to(self, other: Coverage | None) -> Coverage:
        """Both together."""
        if other is None:
            return self
        seconds, locations = self.seconds + other.seconds, self.locations | other.locations
        return Coverage(self.states + other.states, self.runs + other.runs, seconds, self.refuted, locations)

    def __str__(self) -> str:
        return f"covered {self.states} states of {self.runs} runs"


class Runs:
    """Runs one program against one invariant; `kinds` are the errors that the proof excludes."""

    def __init__(self, program: Program, invariant: Invariant, kinds: Set[str]) -> None:
        self.program, self.invariant, self.kinds = program, invariant, kinds
        functions = program.original.functions.values()
        self.heads = frozenset(head for f in functions for head in f.cfa.loop_heads)
        self.heads |= {program.original.functions[n].cfa.entry for n in program.original.recursive_functions}
        self.named = named_numbers(program.original)
        self.liveness = Liveness(program.original)
        self.coverage = Coverage()
        self.end = 0.0

    def check(self, seconds: float, *, max_runs: int = MOST_RUNS) -> Coverage:
        """Run until the time is over, or a state is not covered."""
        start = time.monotonic()
        self.end = start + seconds * (_RUNS_SHARE if self.invariant.looks_closer else 1)
        coverage, quiet = self.coverage, 0
        for plan in plans(malloc_may_fail=self.program.machine.malloc_may_fail):
            known = self.invariant.different, len(coverage.locations)
            self._run(PlannedInputs(plan, self.named))
            coverage.runs += 1
            quiet = 0 if (self.invariant.different, len(coverage.locations)) != known else quiet + 1
            over = time.monotonic() > self.end or coverage.runs >= max_runs or quiet >= _RUNS_WITHOUT_NEWS
            if coverage.refuted is not None or over:
                break
        self.end = start + seconds
        self._look_closer()
        coverage.seconds = time.monotonic() - start
        return coverage

    def _run(self, inputs: PlannedInputs) -> None:
        machine, coverage = self.program.machine, self.coverage
        state = machine.start(inputs)
        stack = Stack(self.program, state)
        visits: Counter[str] = Counter()
        for _ in range(MOST_STEPS):
            frame = state.frames[-1]
            location, function = frame.location, frame.function
            visits[location] += 1
            if visits[location] <= (_STATES_AT_HEAD if location in self.heads else _STATES_AT_LOCATION):
                self._look(stack, inputs)
                if coverage.refuted is not None or time.monotonic() > self.end:
                    return
            else:
                stack.follow()
            try:
                if machine.step(state) is None:
                    return
            except Violation as violation:
                if violation.kind in self.kinds:
                    step = machine.step_at(location, function)
                    place = str(violation.place or (step.operation.place if step else ""))
                    what = f"the run fails: {violation.kind}: {violation.message}"
                    coverage.refuted = Refuted(location, place, tuple(inputs.used), what)
                return
            except Ended as end:
                if end.status is not None and self.kinds & LEAKS:
                    self._check_leaks(state, location, function, inputs)
                return
            except NotModelled:
                return

    def _check_leaks(self, state: State, location: str, function: str, inputs: PlannedInputs) -> None:
        """At the end of a run, which is enough: what is lost stays lost."""
        machine = self.program.machine
        lost = lost_blocks(machine, state, self.liveness.dead_temporaries)
        left = [n for n, block in state.blocks.items() if block.kind == "heap" and block.alive]
        gone = lost or (left if "memory_cleanup" in self.kinds else [])
        if gone:
            step = machine.step_at(location, function)
            what = f"{state.blocks[gone[0]].label} is {'lost' if lost else 'not freed at the end'}"
            place = str(step.operation.place) if step is not None else ""
            self.coverage.refuted = Refuted(location, place, tuple(inputs.used), f"the run fails: {what}")

    def _look(self, stack: Stack, inputs: PlannedInputs) -> None:
        view, coverage = stack.view(), self.coverage
        if view is None:
            return
        empty = self.invariant.empty(view.location)
        if empty is None:
            return
        what = "no state at all is known there" if empty else self.invariant.problem(view)
        coverage.states = self.invariant.states
        coverage.locations.add(view.location)
        if what is not None:
            frame = stack.state.frames[-1]
            step = self.program.machine.step_at(frame.location, frame.function)
            place = str(step.operation.place) if step is not None else ""
            coverage.refuted = Refuted(view.location, place, tuple(inputs.used), what)

    def _look_closer(self) -> None:
        """The rest of the time: states with all that follows by definitions."""
        looks = self.invariant.closer_looks()
        while self.coverage.refuted is None and time.monotonic() < self.end:
            location, what = next(looks, ("", None))
            if not location:
                return
            if what is not None:
                self.coverage.refuted = Refuted(location, "", (), what)
