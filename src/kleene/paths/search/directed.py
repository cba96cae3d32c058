"""Directed symbolic execution: paths towards the places of alarms, each followed as far as its formula allows.

Exact exploration is breadth first and relates inputs only by differences; here the search is deep, and conditions on
inputs are bit-vectors. Forks wait in one pool, and four orders select from it in turn: nearest to an alarm, newest,
oldest, random. An error counts if the interpreter shows it on the inputs of a model. If the search follows every path
to its end and leaves no question open, that is a proof.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from kleene.cfa.program import CProgram
from kleene.domains.explicit.canonical import Canonical
from kleene.domains.explicit.explore import Confirmed
from kleene.domains.explicit.machine import Ended, Machine
from kleene.domains.explicit.state import State
from kleene.domains.explicit.values import NotModelled, Split, Violation
from kleene.paths.formulas.encode import Case
from kleene.paths.formulas.feasible import fault_of_run, replay
from kleene.paths.formulas.models import Model, Models
from kleene.paths.formulas.terms import Constraints, SymbolicInputs, Term, constraints_of
from kleene.paths.search.distance import Distances

_STEPS_OF_TURN = 2_000
"""Steps of one path before another one has its turn."""
_STEPS_BETWEEN_LOOKS = 50
"""Steps between two looks at the clock."""
_LARGE_STATE = 100
"""Blocks of a state from which on it is compared with others less often, as this is expensive."""
_VISITS_BETWEEN_COMPARISONS = 16
"""Visits of locations between two comparisons of large states."""
_MOST_PATHS = 4_000
"""Unfinished paths: more are given up, and then the search proves nothing."""
_REPLAYS_OF_SITE = 4
"""Runs that try to show one error at one place."""
_SECONDS_AFTER_ERROR = 1.0
"""Seconds to continue after the first error."""
_INPUTS = (0, 1, 1, 1, 2, 5, -1)
"""First values of new inputs: small numbers, 1 more often, as most loops continue with it."""
_ORDERS, _HABITS = 4, 3
"""Ways to choose the next path, and ways to choose inputs, which take turns."""


@dataclass
class Outcome:
    """The result of a search: errors with their runs, and the effort."""

    findings: list[Confirmed] = field(default_factory=list)
    paths: int = 0
    steps: int = 0
    seconds: float = 0.0
    exhausted: bool = False
    doubts: set[str] = field(default_factory=set)

    @property
    def proved(self) -> bool:
        """Whether the search followed every path to its end, left no question open, and saw no error."""
        return self.exhausted and not self.doubts and not self.findings


@dataclass
class _Node:
    """A path in progress: its state, and inputs that take it, but for the last `new` constraints if they are not yet
    known to be possible."""

    state: State
    model: Model
    new: int = 0


class Search:
    """One search. `targets` are the locations of alarms; without any, no direction is better than another."""

    def __init__(self, program: CProgram, targets: Iterable[str], *, malloc_may_fail: bool) -> None:
        self.program = program
        self.machine = Machine(program, malloc_may_fail=malloc_may_fail)
        self.canonical = Canonical(self.machine)
        self.distances = Distances(program, targets)
        self.inputs = SymbolicInputs()
        self.models = Models()
        functions = [program.functions[name] for name in program.reachable_functions]
        self.heads = {head for f in functions for head in f.cfa.loop_heads}
        self.heads |= {program.functions[name].cfa.entry for name in program.recursive_functions}
        self.pool: list[_Node] = []
        self.aside: list[_Node] = []
        self.seen: set[Any] = set()
        self.outcome = Outcome()
        self._attempts: dict[Any, int] = {}
        self._chooser = random.Random(0)
        self._turn = 0
        self._visits = 0
        self._deadline = 0.0

    def run(self, seconds: float, wanted: frozenset[tuple[str, int]] | None = None) -> Outcome:
        """Search until the time is over, or every wanted (kind, line) is found; not much longer after an error."""
        start = time.monotonic()
        self._deadline = start + seconds
        known = 0
        state = self.machine.start(self.inputs, store=Constraints())
        self.pool.append(_Node(state, {}))
        while (self.pool or self._resume()) and time.monotonic() < self._deadline:
            node = self._take()
            if self._possible(node):
                self._follow(node)
            if len(self.outcome.findings) > known:
                known = len(self.outcome.findings)
                self._deadline = min(self._deadline, time.monotonic() + _SECONDS_AFTER_ERROR)
            if wanted is not None and wanted <= {(c.fault.kind, c.fault.place.line) for c in self.outcome.findings}:
                break
        else:
            self.outcome.exhausted = not self.pool and not self.aside
        if self.models.gave_up:
            self.outcome.doubts.add("the solver gave up")
        if self.inputs.bounded:
            self.outcome.doubts.add(self.inputs.bounded)
        if self.inputs.chose_garbage:
            self.outcome.doubts.add("an uninitialized pointer is read")
        self.outcome.seconds = time.monotonic() - start
        return self.outcome

    def _resume(self) -> bool:
        """If no path can lead to an alarm any more, continue with the paths laid aside, for a proof."""
        if self.outcome.findings or self.outcome.doubts:
            return False
        self.pool, self.aside = self.aside, []
        self.distances = Distances(self.program, ())
        return bool(self.pool)

    def _take(self) -> _Node:
        """The next path to follow; new inputs of it are small numbers, in turn the same and different ones."""
        pool = self.pool
        self._turn += 1
        order = self._turn % _ORDERS
        habit = self._turn // _ORDERS % _HABITS
        self.inputs.habit = (lambda: habit % 2) if habit < 2 else (lambda: self._chooser.choice(_INPUTS))
        if order == 0:
            place = min(range(len(pool)), key=lambda n: self.distances.of(pool[n].state))
        elif order == 1:
            place = len(pool) - 1
        elif order == 2:
            place = 0
        else:
            place = self._chooser.randrange(len(pool))
        return pool.pop(place)

    def _follow(self, node: _Node) -> None:
        """Step a path; at a fork stay on the side of its model, and keep the other for later."""
        state = node.state
        self.inputs.model = node.model
        for count in range(_STEPS_OF_TURN):
            if count % _STEPS_BETWEEN_LOOKS == 0 and time.monotonic() > self._deadline:
                break
            frame = state.frames[-1]
            location = frame.location
            try:
                step = self.machine.step(state)
            except Split as split:
                if not self._fork(node, split):
                    return
                continue
            except (Violation, NotModelled, Ended) as end:
                self._end(node, end, location)
                return
            self.outcome.steps += 1
            state.age += 1
            if state.tainted:
                self.outcome.doubts.add(state.tainted)
                return
            if step is None:
                self._report_leak(node, location)
                return
            if not self.distances.hopeful(state):
                self.aside.append(node)
                return
            if state.frames[-1].location in self.heads:
                self._visits += 1
                if (
                    len(state.blocks) < _LARGE_STATE or self._visits % _VISITS_BETWEEN_COMPARISONS == 0
                ) and self._is_known(node):
                    return
        self._keep(node)

    def _keep(self, node: _Node) -> None:
        if len(self.pool) >= _MOST_PATHS:
            self.outcome.doubts.add("there are too many paths")
            self.pool.pop(self._chooser.randrange(len(self.pool)))
        self.pool.append(node)

    def _fork(self, node: _Node, split: Split) -> bool:
        """Go on with the alternative that the model takes; the others wait."""
        state = node.state
        taken: list[Any] | None = None
        for alternative in split.alternatives:
            terms = [term for term in alternative if not isinstance(term, str)]
            if taken is None and all(self.models.holds(term, node.model) for term in terms):
                taken = alternative
            if len(terms) < len(alternative):
                self.outcome.doubts.add("a number with many values was tried with some of them")
            if alternative is taken:
                continue
            twin = state.clone()
            twin.assume(alternative)
            self._keep(_Node(twin, node.model, len(terms)))
        if taken is not None:
            state.assume(taken)
        return taken is not None

    def _possible(self, node: _Node) -> bool:
        """Whether there are inputs for a path that waited; the node gets them."""
        terms = constraints_of(node.state).terms
        split = len(terms) - node.new
        model = self.models.extend(terms[:split], terms[split:], node.model)
        if model is None:
            return False
        node.model, node.new = dict(model), 0
        return True

    def _is_known(self, node: _Node) -> bool:
        """Whether the search has seen an equal state with the same constraints on its values."""
        key, lost = self.canonical.key(node.state)
        if lost:
            self._confirm(node, "memory_leak", "")
        cells = [value for block in node.state.blocks.values() for _, value in block.cells.values()]
        held = [value.expression for value in cells if isinstance(value, Term)]
        if held:
            related = self.models.related_terms(constraints_of(node.state).terms, held)
            key = (key, frozenset(term.get_id() for term in related))
        if key in self.seen:
            return True
        self.seen.add(key)
        return False

    def _report_leak(self, node: _Node, location: str) -> None:
        if self.canonical.leaks(node.state):
            self._confirm(node, "memory_leak", location)

    def _end(self, node: _Node, end: Exception, location: str) -> None:
        self.outcome.paths += 1
        node.state.age += 1
        if node.state.tainted:
            self.outcome.doubts.add(node.state.tainted)
            return
        self._report_leak(node, location)
        held = any(b.kind == "heap" and b.alive for b in node.state.blocks.values())
        if isinstance(end, Violation):
            self._confirm(node, end.kind, location)
        elif isinstance(end, NotModelled):
            self.outcome.doubts.add(end.reason)
        elif isinstance(end, Ended) and end.status is not None and held:
            self._confirm(node, "memory_leak", location)

    def _confirm(self, node: _Node, kind: str, location: str) -> None:
        """Keep an error of the run on the path's inputs; each kind at each place once."""
        self.outcome.doubts.add("an error is possible")
        site = (kind, location)
        if self._attempts.get(site, 0) >= _REPLAYS_OF_SITE:
            return
        self._attempts[site] = self._attempts.get(site, 0) + 1
        inputs = [node.model.get(str(i.term), 0) if i.term is not None else i.value for i in Case(node.state).inputs()]
        types = [i.type for i in Case(node.state).inputs()]
        values = [t.wrap(v) if t is not None else v for v, t in zip(inputs, types, strict=True)]
        trace = replay(self.program, values, malloc_may_fail=self.machine.malloc_may_fail, steps=node.state.age + 1)
        known = {(c.fault.kind, c.fault.place, c.fault.detail) for c in self.outcome.findings}
        for fault in trace.faults:
            place = (fault.kind, fault.place, fault.detail)
            if place not in known and fault_of_run(trace, fault.kind) is not None:
                known.add(place)
                self.outcome.findings.append(Confirmed(fault, trace))
