"""All executions of a program, breadth first, within bounds: finds shallow errors, proves finite programs.

Inputs stay unknown until a decision depends on them; states that differ only in the names of blocks and inputs are
explored once (`canonical`). An error counts only if `run` shows it on inputs that satisfy the path.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any

from kleene.cfa.operations import Place
from kleene.cfa.program import CProgram
from kleene.domains.explicit.canonical import Canonical
from kleene.domains.explicit.constraints import EMPTY, Store
from kleene.domains.explicit.interpreter import Trace, run
from kleene.domains.explicit.machine import Ended, Machine
from kleene.domains.explicit.state import State, UnknownInputs
from kleene.domains.explicit.values import Fault, NotModelled, Split, Violation

MOST_STATES = 50_000
"""States of an exploration by default."""
MOST_STEPS = 5_000_000
"""Steps of an exploration by default."""
MOST_SECONDS = 10.0
"""Seconds of an exploration by default."""
_STEPS_OF_TURN = 5_000
"""Steps of one path before another one has its turn."""
_ROUNDS_APART = 8
"""Rounds of loops without a decision between two comparisons of a state with those before: some have no end."""
_REPLAYS_OF_SITE = 10
"""Paths to one error at one place that are replayed."""
_REPLAYS_OF_PATH = 24
"""Runs for one path whose inputs its constraints do not determine."""
_CONSTANTS_TRIED = 8
"""Runs among these whose inputs are all near one number, 0 to 7; later ones draw theirs."""
_DRAWN = (-8, 24)
"""The smallest and the largest number that is drawn."""


@dataclass(frozen=True)
class Confirmed:
    """An error with the run that shows it; `trace.inputs` replays it."""

    fault: Fault
    trace: Trace


@dataclass
class Exploration:
    """The result of an exploration. `exhausted`: every execution was followed to its end or to a known state."""

    exhausted: bool = False
    reason: str = ""
    findings: list[Confirmed] = field(default_factory=list)
    possible: list[Fault] = field(default_factory=list)
    unsupported: dict[Place, str] = field(default_factory=dict)
    visited: set[tuple[str, str]] = field(default_factory=set)
    """The functions and locations from which some execution made a step."""
    states: int = 0
    steps: int = 0
    seconds: float = 0.0
    out_of_time: bool = False
    """Whether it ended at the limit of its time: what it says depends on the machine."""

    @property
    def complete(self) -> bool:
        """Whether the exploration is a proof: exhausted, without unsupported operations."""
        return self.exhausted and not self.unsupported

    @property
    def proved(self) -> bool:
        """A proof that no execution has any error."""
        return self.complete and not self.findings and not self.possible

    def __str__(self) -> str:
        verdict = (
            "exhausted: no error in any execution" if self.proved else "exhausted" if self.exhausted else self.reason
        )
        lines = [f"{verdict} ({self.states} states, {self.steps} steps, {self.seconds:.2f} s)"]
        lines += [f"confirmed {c.fault}" for c in self.findings]
        lines += [f"possible {f}" for f in self.possible]
        lines += [f"unsupported {place}: {reason}" for place, reason in self.unsupported.items()]
        return "\n".join(lines)


def explore(
    program: CProgram,
    *,
    max_states: int = MOST_STATES,
    max_steps: int = MOST_STEPS,
    seconds: float = MOST_SECONDS,
    malloc_may_fail: bool,
    stop_at_first: bool = False,
    observe: Callable[[State], None] | None = None,
    most_blocks: int | None = None,
    enumerated: int | None = None,
) -> Exploration:
    """Follow all executions within the bounds; `stop_at_first` ends at a confirmed error that is no leak at exit.

    `observe` sees each new state at a loop head. A state with more than `most_blocks` blocks of the heap is not
    followed. Of an index or a size with more than `enumerated` values, some are tried.
    """
    explorer = Explorer(program, malloc_may_fail=malloc_may_fail, enumerated=enumerated)
    explorer.observe, explorer.most_blocks = observe, most_blocks
    return explorer.run(max_states=max_states, max_steps=max_steps, seconds=seconds, stop_at_first=stop_at_first)


class Explorer:
    """An exploration that goes on with each call of `run`; an exception in `run` leaves it unusable."""

    def __init__(self, program: CProgram, *, malloc_may_fail: bool, enumerated: int | None = None) -> None:
        self.machine = Machine(program, malloc_may_fail=malloc_may_fail)
        self.canonical = Canonical(self.machine)
        self.result = Exploration()
        self.observe: Callable[[State], None] | None = None
        self.most_blocks: int | None = None
        self._left_out = False
        self._source = UnknownInputs()
        if enumerated is not None:
            self._source.enumerated = enumerated
        self.seen: set[Any] = set()
        self.queue: list[tuple[int, int, State, bool]] = []
        """The states to go on from, those with the fewest turns first; with the number of those before them."""
        self.queued = 0
        self.attempts: dict[Any, int] = {}
        self._at: Any = None
        self.confirmed: set[Any] = set()
        functions = [program.functions[name] for name in program.reachable_functions]
        self.heads = {head for f in functions for head in f.cfa.loop_heads}
        self.heads |= {program.functions[n].cfa.entry for n in program.recursive_functions}
        self.library_heads = {h for f in functions if f.place.file in program.library for h in f.cfa.loop_heads}
        self.merges = {point for f in functions for point in f.cfa.merge_points} - self.heads
        self._wait(self.machine.start(self._source))

    def run(
        self,
        *,
        max_states: int = MOST_STATES,
        max_steps: int = MOST_STEPS,
        seconds: float,
        stop_at_first: bool = False,
    ) -> Exploration:
        """Go on for some seconds; the other bounds are those of `explore`, for all calls together."""
        result = self.result
        started, before = time.monotonic(), result.seconds
        result.reason, result.out_of_time = "", False
        while self.queue:
            *_, state, forked = heappop(self.queue)
            self._follow(state, min(_STEPS_OF_TURN, max_steps - result.steps), forked=forked)
            if self._out_of_bounds(max_states, max_steps, started, seconds):
                break
            if stop_at_first and any(c.fault.detail != "exit" for c in result.findings):
                result.reason = "stopped at the first error"
                break
        else:
            result.exhausted = not self._left_out
            result.reason = f"bound reached: {self.most_blocks} blocks of the heap" if self._left_out else ""
        if self._source.bounded:
            result.unsupported.setdefault(self.machine.program.main.place, self._source.bounded)
        result.seconds = before + time.monotonic() - started
        result.possible = [f for f in result.possible if (f.kind, f.place) not in self.confirmed]
        return result

    def _out_of_bounds(self, max_states: int, max_steps: int, started: float, seconds: float) -> bool:
        result = self.result
        if result.states >= max_states:
            result.reason = f"bound reached: {max_states} states"
        elif result.steps >= max_steps:
            result.reason = f"bound reached: {max_steps} steps"
        elif time.monotonic() - started >= seconds:
            result.reason, result.out_of_time = f"time limit of exact exploration: {seconds:.3g} s", True
        return bool(result.reason)

    def _wait(self, state: State, *, forked: bool = False) -> None:
        self.queued += 1
        heappush(self.queue, (state.turns, self.queued, state, forked))

    def _follow(self, state: State, steps: int, *, forked: bool) -> None:
        """Step the state until it ends, splits, is known, or comes to a loop of the program, or as often as it may.

        Loops of the library cost nothing while nothing is decided: else a word that is read would wait for all runs
        that read none.
        """
        machine, heads, merges, visited = self.machine, self.heads, self.merges, self.result.visited
        rounds = 0
        for _ in range(steps):
            frame = state.frames[-1]
            visited.add((frame.function, frame.location))
            try:
                step = machine.step(state)
            except Split as split:
                self._split(state, split, forked=forked)
                return
            except (Violation, NotModelled, Ended) as end:
                self._end(state, end, frame.location, frame.function)
                return
            if step is None:
                self._at = frame.location
                self._note_lost(state)
                return
            state.age += 1
            self.result.steps += 1
            location = state.frames[-1].location
            if location in heads or (forked and location in merges):
                rounds += 1
                is_library = location in self.library_heads
                is_compared = forked or not is_library or rounds % _ROUNDS_APART == 0
                if is_compared and (self._is_known(state) or self._is_large(state)):
                    return
                if forked and location in merges:  # it waits for those that may come here, too, and is not behind them
                    self._wait(state)
                    return
                if forked or not is_library:
                    break
        state.turns += 1
        self._wait(state)

    def _split(self, state: State, split: Split, *, forked: bool) -> None:
        twins = [state.clone() for _ in split.alternatives[1:]]
        possible = [s for s, a in zip((state, *twins), split.alternatives, strict=True) if s.assume(a)]
        step = self.machine.step_at(state.frames[-1].location, state.frames[-1].function)
        is_decision = len(possible) > 1 and (step is None or not step.is_assumption)
        for twin in possible:
            self._wait(twin, forked=forked or is_decision)

    def _is_known(self, state: State) -> bool:
        """Whether an equal state was here before; leaks are noticed here."""
        key, lost = self.canonical.key(state)
        self._at = state.frames[-1].location
        for block in lost:
            self._report(state, "memory_leak", block.place, f"{block.label} is lost", "lost")
        if key in self.seen:
            return True
        self.seen.add(key)
        self.result.states += 1
        if self.observe is not None:
            self.observe(state)
        return False

    def _is_large(self, state: State) -> bool:
        if self.most_blocks is None or len(state.blocks) <= self.most_blocks:
            return False
        large = sum(block.kind == "heap" for block in state.blocks.values()) > self.most_blocks
        self._left_out |= large
        return large

    def _note_lost(self, state: State) -> None:
        for number in self.canonical.leaks(state):
            block = state.blocks[number]
            self._report(state, "memory_leak", block.place, f"{block.label} is lost", "lost")

    def _end(self, state: State, end: Exception, location: str, function: str) -> None:
        step = self.machine.step_at(location, function)
        assert step is not None
        place = self._at = step.operation.place
        state.age += 1
        self._note_lost(state)
        if isinstance(end, Violation):
            self._report(state, end.kind, end.place or place, end.message, "")
        elif isinstance(end, NotModelled):
            self.result.unsupported.setdefault(place, end.reason)
        elif isinstance(end, Ended) and end.status is not None:
            lost = set(self.canonical.leaks(state))
            for number, block in state.blocks.items():
                if block.kind == "heap" and block.alive and number not in lost:
                    self._report(state, "memory_leak", block.place, f"{block.label} is not freed at the end", "exit")

    def _report(self, state: State, kind: str, place: Place | None, message: str, detail: str) -> None:
        """Confirm an error by a run; each kind at each place once."""
        site = (kind, place, detail, self._at)
        if site in self.confirmed or self.attempts.get(site, 0) >= _REPLAYS_OF_SITE:
            return
        self.attempts[site] = self.attempts.get(site, 0) + 1
        if not state.tainted and self._confirm(state, kind, detail):
            self.confirmed.add(site)
            return
        assert place is not None
        fault = Fault(kind, place, message, detail)
        if fault not in self.result.possible:
            self.result.possible.append(fault)

    def _confirm(self, state: State, kind: str, detail: str) -> bool:
        """Whether a run on inputs that fit the path shows the error; several are tried where the path is not exact."""
        store, order, exact = path_constraints(state)
        for attempt in range(1 if exact else _REPLAYS_OF_PATH):
            trace = run(
                self.machine.program,
                inputs_for(store, order, attempt),
                state.age,
                malloc_may_fail=self.machine.malloc_may_fail,
                machine=self.machine,
            )
            shown = [f for f in trace.faults if f.kind == kind and f.detail == detail]
            for fault in shown:
                known = {(c.fault.kind, c.fault.place, c.fault.detail) for c in self.result.findings}
                self.confirmed.add((fault.kind, fault.place))
                if (kind, fault.place, detail) not in known:
                    self.result.findings.append(Confirmed(fault, trace))
            if shown:
                return True
        return False


def path_constraints(state: State) -> tuple[Store, list[tuple[int | None, int]], bool]:
    """The constraints of a state's path; its inputs in order (symbol, or None and a value); whether they are exact."""
    store: Store = EMPTY
    order: list[tuple[int | None, int]] = []
    exact = True
    for kind, entry in state.history.entries() if state.history else []:
        if kind == "value":
            order.append((None, entry[0]))
        elif kind == "assume":
            restricted = store.restrict(entry)
            store = restricted if restricted is not None else store
        else:
            store = store.with_symbol(entry[0], entry[1], entry[2])
            if kind == "input":
                order.append((entry[0], 0))
            else:
                exact = False
    return store, order, exact


def inputs_for(store: Store, order: list[tuple[int | None, int]], attempt: int) -> list[int]:
    """Inputs that satisfy the constraints: near one small number, later near random ones."""
    chooser = random.Random(attempt)
    values = store.solution(lambda: attempt if attempt < _CONSTANTS_TRIED else chooser.randint(*_DRAWN))
    return [values[symbol] if symbol is not None else value for symbol, value in order]
