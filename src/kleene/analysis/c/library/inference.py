"""How the functions of a library are to be called: inferred by executing clients.

For each function the readings of `operations` are tried in their order. A trial explores a client of the operations
accepted so far and of the reading, exactly and within bounds. The first reading without an error is accepted. If all
have one, the function has an error on an input that the other operations make. A trial only selects a reading: what
is proved is proved by the analysis of the client (`check`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from kleene.analysis.c.budget import Budget
from kleene.analysis.c.library.client import CLIENT, Client, can_walk, executed_operations, write_client
from kleene.analysis.c.library.interface import ExportedFunction, Interface
from kleene.analysis.c.library.operations import (
    Fate,
    ObjectTypes,
    Operation,
    Outcome,
    Role,
    initialised_by,
    object_types,
    readings,
)
from kleene.analysis.c.verdicts import finding_of
from kleene.c.input.database import read_database
from kleene.c.options import ReadOptions
from kleene.c.reader import read_program
from kleene.cfa.program import CProgram
from kleene.diagnostics import LimitReached
from kleene.domains.explicit.explore import Confirmed, Exploration, explore

TRIAL_STATES = 1_500
"""States that a trial explores: enough for objects of three elements and every operation on them."""
TRIAL_SECONDS = 3.0
"""Seconds of a trial, for functions with many inputs."""
SHARE = 0.5
"""The part of the time that trials may take together."""


@dataclass(frozen=True)
class Rejected:
    """A function without an admissible reading: the most plausible reading, and its error."""

    operation: Operation
    client: Client
    error: Confirmed


@dataclass
class Inferred:
    """The accepted operations, and the functions without one."""

    types: ObjectTypes
    accepted: list[Operation] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    untried: dict[str, str] = field(default_factory=dict)
    """Functions that were not tried, with the reason."""


class ClientFolder:
    """Writes clients beside nothing of the user's: into a temporary folder, with the library by its absolute path."""

    def __init__(self, folder: Path, interface: Interface, options: ReadOptions) -> None:
        self.folder = folder
        self.interface = interface
        self.options = _for_client(interface.file, options)

    def write(self, types: ObjectTypes, operations: list[Operation]) -> tuple[Client, CProgram]:
        client = write_client(self.interface, types, operations, str(Path(self.interface.file).resolve()))
        path = self.folder / CLIENT
        path.write_text(client.text, encoding="utf-8")
        return client, read_program([str(path)], self.options)


def _for_client(file: str, options: ReadOptions) -> ReadOptions:
    """The options of the library's own entry in the compilation database, for the client that includes it."""
    if not options.database:
        return options
    return replace(options, database="", flags=(*read_database(options.database).flags_of(file), *options.flags))


def infer(interface: Interface, clients: ClientFolder, budget: Budget, *, malloc_may_fail: bool) -> Inferred:
    """Select a reading for each function."""
    return _Inference(interface, clients, budget, malloc_may_fail=malloc_may_fail).run()


class _Inference:
    """The selection for one file.

    A function whose readings all fail inside the same accepted operation is not to blame alone: that operation is taken
    back, and tried again at the end. A reading that no explored run executes is not accepted before the end either.
    """

    def __init__(self, interface: Interface, clients: ClientFolder, budget: Budget, *, malloc_may_fail: bool) -> None:
        self.interface = interface
        self.clients = clients
        self.budget = budget
        self.malloc_may_fail = malloc_may_fail
        self.inferred = Inferred(object_types(interface))
        self.until = budget.spent + SHARE * budget.left
        self.waiting: list[ExportedFunction] = []
        self.taken_back: set[str] = set()

    def run(self) -> Inferred:
        types = self.inferred.types
        self.waiting = sorted(self.interface.functions, key=lambda f: _phase(f, types))
        again: set[str] = set()
        while self.waiting:
            function = self.waiting.pop(0)
            if self.budget.spent > self.until:
                self.inferred.untried[function.name] = "no time was left to infer its precondition: raise --timeout"
            elif not self._select(function, last_chance=function.name in again or not self.waiting):
                again.add(function.name)
                self.waiting.append(function)
        return self.inferred

    def _select(self, function: ExportedFunction, *, last_chance: bool) -> bool:
        """Accept or reject a function; false if it should be tried again when others were accepted."""
        types, accepted = self.inferred.types, self.inferred.accepted
        possible = [o for o in readings(function, types) if can_walk(self.interface, types, o)]
        if not possible:
            self.inferred.untried[function.name] = NOT_UNDERSTOOD
            return True
        failures: list[Rejected] = []
        idle = False
        for operation in possible:
            if self.budget.spent > self.until:
                return False
            client, program = self.clients.write(types, [*accepted, operation])
            trial = run_trial(program, self.budget, malloc_may_fail=self.malloc_may_fail)
            error = next((c for c in trial.findings if c.fault.detail != "exit"), None)
            if error is not None:
                failures.append(Rejected(operation, client, error))
            elif function.name in trial.entered:
                accepted.append(operation)
                return True
            else:
                idle = True
        if idle and not last_chance:
            return False
        if not failures:
            self.inferred.untried[function.name] = NEVER_CALLED
            return True
        if self._take_back(failures, function):
            return self._select(function, last_chance=last_chance)
        self.inferred.rejected.append(_most_telling(failures))
        return True

    def _take_back(self, failures: list[Rejected], function: ExportedFunction) -> bool:
        """Take back the accepted operation in which all readings fail; false if there is no such operation."""
        blamed = {_failing(rejected) for rejected in failures} - {function.name}
        candidates = [o for o in self.inferred.accepted if {o.function.name} == blamed and not o.makes]
        if not candidates or candidates[0].function.name in self.taken_back:
            return False
        self.taken_back.add(candidates[0].function.name)
        self.inferred.accepted.remove(candidates[0])
        self.waiting.append(candidates[0].function)
        return True


NOT_UNDERSTOOD = "its parameters are not understood: write a client, or give it a contract (--contracts)"
NEVER_CALLED = "no operation makes an argument for it: add a function that makes such an object, or write a client"


def run_trial(program: CProgram, budget: Budget, *, malloc_may_fail: bool) -> Exploration:
    """Explore a client exactly, within the bounds of a trial."""
    result = budget.within(
        TRIAL_SECONDS,
        lambda: explore(
            program,
            max_states=TRIAL_STATES,
            seconds=TRIAL_SECONDS,
            malloc_may_fail=malloc_may_fail,
            stop_at_first=True,
        ),
    )
    return Exploration(reason=str(result)) if isinstance(result, LimitReached) else result


def _failing(rejected: Rejected) -> str:
    """The function that the failing run calls last."""
    executed = executed_operations(finding_of(rejected.error), rejected.client)
    return executed[-1].function.name if executed else rejected.operation.function.name


def _most_telling(failures: list[Rejected]) -> Rejected:
    """The reading with the longest failing run: wrong readings fail at once. Blocks that change hands come last."""

    def key(rejected: Rejected) -> tuple[bool, int]:
        operation = rejected.operation
        guessed = (
            (Role.BLOCK in operation.roles and not initialised_by(operation.function))
            or operation.fate is Fate.RELEASED
            or operation.outcome is Outcome.FREED
        )
        return (not guessed, len(rejected.error.trace.steps))

    return max(failures, key=key)


def _phase(function: ExportedFunction, types: ObjectTypes) -> int:
    """Functions that make objects come first, then those that end them: they show what others break."""
    first = readings(function, types)[:1]
    if first and first[0].makes:
        return 0
    return 1 if first and first[0].ends else 2
