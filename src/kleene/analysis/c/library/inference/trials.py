"""Trials: clients are written into a temporary folder, read, and explored exactly within bounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from kleene.analysis.c.budget import Budget
from kleene.analysis.c.library.blame.answers import contradicts_itself
from kleene.analysis.c.library.client.allocators import harmless_functions
from kleene.analysis.c.library.client.text import CLIENT, MAIN, Client, write_client
from kleene.analysis.c.library.client.walks import FOUND
from kleene.analysis.c.library.client.watch import Watch
from kleene.analysis.c.library.generality.hooks import left_to_clients, live_steps, unset_hooks
from kleene.analysis.c.library.generality.never_null import never_null
from kleene.analysis.c.library.generality.separation import (
    Shared,
    examines_data,
    objects_in_state,
    shared_in_state,
    stale_blocks,
)
from kleene.analysis.c.library.generality.stored_data import stored_arguments
from kleene.analysis.c.library.generality.tested_hooks import open_conditions, tested_members
from kleene.analysis.c.library.inference.bounded import Bounds, explored
from kleene.analysis.c.library.inference.spared import with_spared, without_exits
from kleene.analysis.c.library.interface.exports import Interface
from kleene.analysis.c.library.interface.object_types import ObjectTypes, object_types
from kleene.analysis.c.library.readings.candidates import can_call_back
from kleene.analysis.c.library.readings.operations import NEVER_NULL, Operation
from kleene.c.input.database import read_database
from kleene.c.options import ReadOptions
from kleene.c.reader import read_program
from kleene.c.unit import ERRORS
from kleene.cfa.expressions import Comparison, walk
from kleene.cfa.operations import Place
from kleene.cfa.program import CProgram, Function
from kleene.diagnostics import LimitReached
from kleene.domains.explicit.explore import Confirmed, Exploration
from kleene.domains.explicit.state import State
from kleene.passes.facts.memory import constant_of

QUICK_STATES = 300
"""States of a first trial: most wrong readings fail within them."""
TRIAL_STATES = 1_500
"""States that a trial explores: enough for objects of three elements and every operation on them."""
LONG_STATES = 6_000
"""States of a trial where another reading, with an error, executes more: a table needs an element, and it again."""
TRIAL_SECONDS = 15.0
"""Seconds of a trial, thirty times what 1,500 states take on an idle machine; one that hits them decides nothing."""


class ClientFolder:
    """Writes clients beside nothing of the user's: into a temporary folder, with the library by its absolute path."""

    def __init__(self, folder: Path, interface: Interface, options: ReadOptions) -> None:
        self.folder = folder
        self.interface = interface
        harmless = tuple(f"{name}=pure" for name in harmless_functions(interface))
        self.spared: set[Place] = set()
        """Where operations do not test what they allocate: runs of the clients end there, if there is no memory."""
        self.options = _for_client(interface.file, replace(options, extern=(*options.extern, *harmless)))

    def write(
        self,
        types: ObjectTypes,
        operations: list[Operation],
        *,
        general: bool = False,
        begins_with_two: bool = False,
        with_data: bool = False,
        watches: bool = False,
        one_other: bool = False,
    ) -> tuple[Client, CProgram]:
        """The client of some operations and its program; `with_data` has several stored pointers in a trial, too.

        With `one_other`, all data is NULL beside the one that it watches.
        """
        included = str(Path(self.interface.file).resolve())
        any_datum = with_data or (general and not watches and self._examines_data(types, operations))
        watch = self._watch(types, operations, one_other) if watches else None
        client = write_client(
            self.interface,
            types,
            operations,
            included,
            general=general,
            any_datum=any_datum,
            begins_with_two=begins_with_two,
            watch=watch,
            hooks=self.hooks,
        )
        return client, self._read(client)

    def _read(self, client: Client) -> CProgram:
        path = self.folder / CLIENT
        path.write_text(client.text, encoding="utf-8")
        return with_spared(without_exits(read_program([str(path)], self.options)), self.spared)

    @cached_property
    def hooks(self) -> dict[str, tuple[str, ...]]:
        """The members for functions that the library leaves to its clients, for each record."""
        if not self.interface.hooks:
            return {}
        included = str(Path(self.interface.file).resolve())
        program = self._read(write_client(self.interface, object_types(self.interface), [], included))
        left = left_to_clients(program, tested_members(program))
        known = [(r, f) for (r, _), f in left.items() if (r, f) in self.interface.hooks]
        known = [hook for hook in known if can_call_back(self.interface.hooks[hook].callback)]
        return {record: tuple(f for r, f in known if r == record) for record, _ in known}

    def _examines_data(self, types: ObjectTypes, operations: list[Operation]) -> bool:
        return bool(self.interface.payload) or examines_data(self.write(types, operations)[1])

    def _watch(self, types: ObjectTypes, operations: list[Operation], one_other: bool) -> Watch:
        program = self.write(types, operations)[1]
        stored = stored_arguments(program, [o.function.name for o in operations])
        return Watch(stored, not one_other and examines_data(program))

    def read_with_errors(self) -> CProgram:
        """The last client that was written, with all kinds of error calls."""
        return read_program([str(self.folder / CLIENT)], replace(self.options, errors=ERRORS))


def _for_client(file: str, options: ReadOptions) -> ReadOptions:
    """The options of the library's own entry in the compilation database, for the client that includes it."""
    if not options.database:
        return options
    return replace(options, database="", flags=(*read_database(options.database).flags_of(file), *options.flags))


@dataclass
class Trial:
    """The exploration of a client, and two of its objects that share a block."""

    exploration: Exploration
    shared: Shared | None = None
    alive: set[str] = field(default_factory=set)
    """The variables that lead to an object in some state."""

    elements: set[str] = field(default_factory=set)
    """The element types of which some run passes an element."""

    is_stale: bool = False
    """Whether some object has a pointer to a block that was freed."""

    cut_short: bool = False
    """Whether the time ended it: which errors it shows then depends on the load of the machine."""

    def add(self, other: Trial) -> None:
        """What another trial of the same operations has seen."""
        self.exploration.visited |= other.exploration.visited
        self.shared = self.shared or other.shared
        self.alive |= other.alive
        self.elements |= other.elements

    @property
    def error(self) -> Confirmed | None:
        """An error other than an object that is left at the end: the client may not be able to end it yet."""
        return next((c for c in self.exploration.findings if c.fault.detail != "exit"), None)


def run_trial(
    client: Client,
    program: CProgram,
    budget: Budget,
    states: int,
    *,
    malloc_may_fail: bool,
    also: Callable[[State], None] | None = None,
    stops_at_first: bool = True,
) -> Trial:
    """Explore a client exactly, within the bounds of a trial; `also` sees each state at the head of a loop, too.

    Runs that do not fail go on behind the first error if it does not stop there.
    """
    trial = Trial(Exploration())

    def observe(state: State) -> None:
        if also is not None:
            also(state)
        trial.shared = trial.shared or shared_in_state(state, client.variables, MAIN, client.lent)
        trial.is_stale = trial.is_stale or bool(stale_blocks(state, client.variables, MAIN))
        trial.alive.update(objects_in_state(state, client.variables, MAIN))

    result = explored(
        program,
        budget,
        Bounds(states, TRIAL_SECONDS),
        malloc_may_fail=malloc_may_fail,
        stop_at_first=stops_at_first,
        observe=observe,
    )
    trial.cut_short = isinstance(result, LimitReached) or result.out_of_time
    trial.exploration = Exploration(reason=str(result)) if isinstance(result, LimitReached) else result
    trial.elements = _walked_elements(client, program, trial.exploration)
    return trial


def consistent_error(run: Confirmed, budget: Budget) -> Confirmed | None:
    """An error of a failing run's client in which its functions do not contradict themselves; None if none is found."""
    if not contradicts_itself(run):
        return run
    program, may_fail = run.trace.program, run.trace.malloc_may_fail
    result = explored(program, budget, Bounds(TRIAL_STATES, TRIAL_SECONDS), malloc_may_fail=may_fail)
    found = [] if isinstance(result, LimitReached) else result.findings
    return next((c for c in found if c.fault.detail != "exit" and not contradicts_itself(c)), None)


def _walked_elements(client: Client, program: CProgram, exploration: Exploration) -> set[str]:
    """The element types whose walk reaches an element in some run."""
    lines = {number for number, line in enumerate(client.text.splitlines(), start=1) if line == FOUND}

    def finds(walk: str) -> bool:
        edges = program.functions[walk].cfa.edges if walk in program.functions else ()
        return any(e.label.place.line in lines and (walk, e.source) in exploration.visited for e in edges)

    return {name for name, walk in client.walks.items() if finds(walk)}


def steps_of(program: CProgram, function: str) -> frozenset[str]:
    """The locations of a function from which a run makes a step, unless it needs a hook that nothing sets."""
    return live_steps(program.functions[function].cfa, unset_hooks(program), frozenset(), never_null(program))


def steps_for(program: CProgram, operation: Operation) -> frozenset[str]:
    """The locations of a function from which a run makes a step in a reading: what needs NULL is no part of some."""
    function = program.functions[operation.function.name]
    pairs = zip(function.parameters, operation.roles, strict=True)
    given = frozenset(p for p, role in pairs if role in NEVER_NULL)
    return live_steps(function.cfa, unset_hooks(program), given, never_null(program))


def null_tests(function: Function) -> set[int]:
    """The parameters that a function compares with NULL, by place; an assertion says that NULL is not admissible."""
    tests = open_conditions(function.cfa)
    sides = [(n.left, n.right) for test in tests for n in walk(test) if isinstance(n, Comparison)]
    compared = {left for left, right in sides if constant_of(right) == 0}
    return {i for i, parameter in enumerate(function.parameters) if parameter in compared}
