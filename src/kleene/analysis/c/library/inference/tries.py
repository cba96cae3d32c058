"""Tries readings of one function beside those of others that are accepted."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from kleene.analysis.c.budget import Budget
from kleene.analysis.c.library.blame.breaking import Breach, Observer, breaking_operation
from kleene.analysis.c.library.client.text import CLIENT, Client
from kleene.analysis.c.library.client.walks import can_walk
from kleene.analysis.c.library.contracts.stored import StoredContracts
from kleene.analysis.c.library.inference.attempts import Inferred, Tried, is_guess, may_be_ignored
from kleene.analysis.c.library.inference.trials import (
    LONG_STATES,
    QUICK_STATES,
    TRIAL_STATES,
    ClientFolder,
    run_trial,
    steps_of,
)
from kleene.analysis.c.library.interface.exports import ExportedFunction, Interface
from kleene.analysis.c.library.interface.object_types import object_types, records_of
from kleene.analysis.c.library.readings.candidates import hands_out, readings, says_add, says_unlink
from kleene.analysis.c.library.readings.operations import ELEMENTS, KEPT_RESULTS, Fate, Operation, Outcome, Role
from kleene.cfa.operations import Allocate, Call, Free, Realloc, Return
from kleene.cfa.operations import Operation as CfaOperation
from kleene.cfa.program import CProgram
from kleene.cfa.types import RecordType
from kleene.domains.explicit.explore import Confirmed
from kleene.passes.facts.memory import constant_of

MOST_ALIKE = 2
"""Operations of a kind in a short trial: one alone may make objects of one shape only."""
SHARE = 0.5
"""The part of the time that trials may take together."""


class Tries:
    """The trials for one file, and the operations that they have accepted so far."""

    def __init__(
        self,
        interface: Interface,
        clients: ClientFolder,
        budget: Budget,
        stored: StoredContracts,
        *,
        malloc_may_fail: bool,
    ) -> None:
        self.interface = interface
        self.clients = clients
        self.budget = budget
        self.malloc_may_fail = malloc_may_fail
        self.inferred = Inferred(object_types(interface))
        self.until = budget.spent + SHARE * budget.left
        self.stored = stored
        self.refuted: set[Operation] = set()
        """Readings that later trials have shown to be wrong."""
        self._known: dict[tuple[tuple[Operation, ...], int], Tried] = {}

    @property
    def is_over(self) -> bool:
        """Whether the time for trials is over."""
        return self.budget.spent > self.until

    def renew(self) -> None:
        """Give the trials their part of the time that is left now."""
        self.until = self.budget.spent + SHARE * self.budget.left

    def forget(self) -> None:
        """Forget trials, where the programs of clients have changed."""
        self._known.clear()

    def possible(self, function: ExportedFunction) -> list[Operation]:
        """The readings to try whose elements the client can reach."""
        reachable = (o for o in self._readings(function) if can_walk(self.interface, self.inferred.types, o))
        return [o for o in reachable if self._may_release(o) and self._may_say(o) and self._may_end(o)]

    def _may_say(self, operation: Operation) -> bool:
        """Whether the number that a maker returns may be read so: one that returns -1 says that it has failed.

        Else one that forgets a block where it fails would be read as one that makes an object there.
        """
        made = operation.initialises or Role.MADE in operation.roles
        says_more = operation.outcome in (Outcome.SET_IF_MADE, Outcome.IGNORED)
        if not made or not says_more or operation.function.name in self.stored.readings:
            return True
        return operation.function.name not in self._negative

    def _may_end(self, operation: Operation) -> bool:
        """Whether an element may end: the function frees something, or its name says so (it may have forgotten to)."""
        function = operation.function
        if operation.fate is not Fate.ENDED or not operation.takes_element or says_unlink(function):
            return True
        return function.name in self.stored.readings or function.name in self._freeing

    def _may_release(self, operation: Operation) -> bool:
        """Whether the caller may free an element that it gets back: it has handed in such blocks, or a name says so.

        Else a function that forgets to free an element of the library would be read as one that hands it out.
        """
        elements = {*operation.records_in(*ELEMENTS)} - self.inferred.types.initialised
        if operation.fate is not Fate.RELEASED or not elements or hands_out(operation.function):
            return True
        given = {name for o in self.inferred.accepted for name in o.records_in(Role.BLOCK)}
        return operation.function.name in self.stored.readings or elements <= given - self._allocated

    @cached_property
    def _negative(self) -> frozenset[str]:
        """The functions that return a negative constant."""
        return frozenset(
            name
            for name, label in self._labels
            if isinstance(label, Return) and label.value is not None and (constant_of(label.value) or 0) < 0
        )

    @cached_property
    def _freeing(self) -> frozenset[str]:
        """The functions that may free a block: they reach `free`, code of another file or a function of the client."""
        program = self.clients.write(self.inferred.types, [])[1]
        own = {n for n, label in self._labels if isinstance(label, Free | Realloc) or _calls_others(label, program)}
        return frozenset(n for n in program.functions if own & set(program.reached_from(n)))

    def _few(self, operation: Operation) -> list[Operation]:
        """The accepted operations of a short trial: some that make and fill the objects, and some that end them.

        Runs of few operations go deeper: that a list which is reversed in place is no second list shows in the third.
        """
        accepted = self.inferred.accepted
        records = set(records_of(operation.function))
        own = [o for o in accepted if records & {*records_of(o.function), o.makes}] if records else accepted
        ending = [o for o in own if o.ends][:MOST_ALIKE]
        making = [o for o in own if o.makes or o.outcome in KEPT_RESULTS][:MOST_ALIKE]
        filling = [o for o in own if o not in ending and o.function.name in self.allocating][:MOST_ALIKE]
        return [o for o in accepted if o in ending or o in making or o in filling]

    @cached_property
    def allocating(self) -> frozenset[str]:
        """The functions that may allocate a block."""
        program = self.clients.write(self.inferred.types, [])[1]
        own = {n for n, label in self._labels if isinstance(label, Allocate) or _calls_others(label, program)}
        return frozenset(n for n in program.functions if own & set(program.reached_from(n)))

    @cached_property
    def _allocated(self) -> frozenset[str]:
        """The records that functions of the library allocate."""
        elements = (label.element for _, label in self._labels if isinstance(label, Allocate))
        return frozenset(element.name for element in elements if isinstance(element, RecordType))

    @cached_property
    def _labels(self) -> list[tuple[str, CfaOperation]]:
        """The operations of the functions of the library, each with the name of its function."""
        functions = self.clients.write(self.inferred.types, [])[1].functions
        own = ((n, f) for n, f in functions.items() if Path(f.place.file).name != CLIENT)
        return [(name, edge.label) for name, function in own for edge in function.cfa.edges]

    def _readings(self, function: ExportedFunction) -> list[Operation]:
        """The readings to try: the stored one, or all."""
        if function.name not in self.stored.readings:
            return [o for o in readings(function, self.inferred.types) if o not in self.refuted]
        operation = self.stored.operation(function, self.inferred.types)
        return [] if operation is None else [operation]

    def rest_of(self, tried: list[Tried], possible: Sequence[Operation]) -> list[Tried]:
        """Try readings that were left out because one with the same roles had no error, which it has in the end."""
        known = {t.operation for t in tried}
        roles = {(t.operation.roles, t.operation.fate) for t in tried if t.trial.error is not None}
        rest = [o for o in possible if o not in known]
        return self.all_of([o for o in rest if (o.roles, o.fate) in roles], tried)

    def best_of(self, possible: list[Operation]) -> Tried | None:
        """The admissible one among some readings that executes most, also if it is left out at first."""
        tried = self.all_of(possible)
        while (best := self.best(tried)) is None and (rest := self.rest_of(tried, possible)):
            tried += rest
        return best

    def all_of(self, possible: list[Operation], before: Sequence[Tried] = ()) -> list[Tried]:
        """Try readings until one executes the whole function, or no other roles are left; `before` were tried."""
        tried: list[Tried] = []
        admitted: set[tuple[Role, ...]] = set()
        certain = False
        for operation in possible:
            if self.is_over:
                break
            if operation.roles in admitted or (is_guess(operation) and certain):
                continue
            known = [*before, *tried]
            if not may_be_ignored(operation, known) or self._is_element(operation, known):
                continue
            attempt = self.one(operation, QUICK_STATES)
            if attempt.is_idle or (attempt.is_admissible and not attempt.is_whole):
                attempt = self.one(operation, TRIAL_STATES)
            if attempt.is_too_short and operation.takes_element:
                attempt = self.one(operation, LONG_STATES)
            tried.append(attempt)
            if attempt.is_admissible:
                admitted.add(operation.roles)
                certain = certain or not is_guess(operation)
                if attempt.is_whole or operation.ends or operation.makes:
                    break
        return tried

    def _is_element(self, operation: Operation, tried: list[Tried]) -> bool:
        """Whether a block that the client could hand in is an element: there are some, and the function takes them.

        A function that adds blocks by its name gets one if another one with the same parameters does.
        """
        handed_in = self.inferred.types.handed_in & set(operation.records_in(Role.BLOCK))
        if says_add(operation.function) and any(_is_sibling(operation, o) for o in self.inferred.accepted):
            return False
        return bool(handed_in) and any(
            t.is_called and handed_in & set(t.operation.records_in(*ELEMENTS)) for t in tried
        )

    def one(self, operation: Operation, states: int) -> Tried:
        """The trial of a reading beside the accepted ones; one that was made already, with as many states, is known."""
        key = (*self.inferred.accepted, operation), states
        if key not in self._known:
            self._known[key] = self._execute(operation, states)
        return self._known[key]

    def breach_in(self, run: Confirmed, client: Client, operations: Sequence[Operation]) -> Breach | None:
        """The one among some operations that breaks, in a failing run, what the others keep."""

        def observe_without(operation: Operation) -> Observer | None:
            return self.observe([o for o in operations if o.function != operation.function])

        return breaking_operation(run, client, self.interface.records, observe_without)

    def observe(self, operations: list[Operation]) -> Observer | None:
        """What the states between some operations say of facts; None if there is no time."""
        client, program = self.clients.write(self.inferred.types, operations)
        observer = Observer(client, self.interface.records)
        may_fail = self.malloc_may_fail
        trial = run_trial(client, program, self.budget, QUICK_STATES, malloc_may_fail=may_fail, also=observer)
        observer.has_error = trial.error is not None
        return None if trial.cut_short else observer

    def _execute(self, operation: Operation, states: int) -> Tried:
        others = self.inferred.accepted if states != QUICK_STATES else self._few(operation)
        client, program = self.clients.write(
            self.inferred.types,
            [*others, operation],
            begins_with_two=Role.SECOND in operation.roles,
        )
        trial = run_trial(client, program, self.budget, states, malloc_may_fail=self.malloc_may_fail)
        own = steps_of(program, operation.function.name)
        clients = {name for name, f in program.functions.items() if Path(f.place.file).name == CLIENT}
        executed = sum(function not in clients for function, _ in trial.exploration.visited)
        return Tried(operation, client, trial, own, executed)

    def best(self, tried: list[Tried]) -> Tried | None:
        """The admissible reading that executes most; a longer trial must admit it, too."""
        while True:
            admissible = [t for t in tried if t.is_admissible]
            if not admissible:
                return None
            best = max(admissible, key=lambda t: (not t.trial.exploration.possible, t.executed))
            longer = self.one(best.operation, TRIAL_STATES)
            if longer.is_admissible:
                return longer
            if longer.is_too_short:  # the one that came to the function was longer still
                return best
            tried[tried.index(best)] = longer


def _calls_others(label: CfaOperation, program: CProgram) -> bool:
    """Whether an operation calls a function that is not in the program, or one through a pointer."""
    return isinstance(label, Call) and not (isinstance(label.function, str) and label.function in program.functions)


def _is_sibling(operation: Operation, other: Operation) -> bool:
    """Whether another function has the same parameters, in the same roles."""
    types = [[p.type for p in o.function.parameters] for o in (operation, other)]
    return operation.roles == other.roles and types[0] == types[1]
