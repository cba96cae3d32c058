"""How the functions of a library are to be called: inferred by executing clients.

For each function the readings of `operations` are tried in their order. A trial explores a client of the operations
accepted so far and of the reading, exactly and within bounds. The first reading without an error is accepted. If all
have one, the function has an error on an input that the other operations make. A trial only selects a reading: what
is proved is proved by the analysis of the client (`check`).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from kleene.analysis.c.budget import Budget
from kleene.analysis.c.library.client.places import executed_operations, leaving_operation
from kleene.analysis.c.library.client.text import CLIENT
from kleene.analysis.c.library.client.walks import can_walk
from kleene.analysis.c.library.contracts.stored import StoredContracts
from kleene.analysis.c.library.generality.separation import STATIC
from kleene.analysis.c.library.inference.attempts import (
    Deferred,
    Inferred,
    Rejected,
    Tried,
    adds_block,
    failing,
    follows_datum,
    frees_datum,
    is_guess,
    is_wrong_guess_of,
    may_be_ignored,
    most_telling,
)
from kleene.analysis.c.library.inference.reasons import (
    BY_FREE,
    CHANGED,
    FOLLOWS,
    FREES,
    NO_TIME,
    NOT_UNDERSTOOD,
    NOT_ZEROS,
    SHARES,
    VARIADIC,
    never_called,
)
from kleene.analysis.c.library.inference.trials import (
    QUICK_STATES,
    TRIAL_STATES,
    ClientFolder,
    null_tests,
    run_trial,
    steps_of,
)
from kleene.analysis.c.library.interface.exports import ExportedFunction, Interface
from kleene.analysis.c.library.interface.object_types import (
    ObjectTypes,
    object_types,
    record_of,
    records_of,
)
from kleene.analysis.c.library.readings.candidates import readings, says_end
from kleene.analysis.c.library.readings.operations import (
    ELEMENTS,
    OBJECTS,
    REPLACING,
    STATUS,
    Fate,
    Operation,
    Outcome,
    Role,
)
from kleene.analysis.c.verdicts import finding_of
from kleene.cfa.operations import Allocate, Assign

SHARE = 0.5
"""The part of the time that trials may take together."""


class Inference:
    """The selection for one file.

    A function whose readings all fail inside the same accepted operation is not to blame alone: that operation is taken
    back, and tried again at the end. A function whose most plausible reading needs elements that no operation makes yet
    is deferred. A reading is accepted only if no other one without an error executes more of the library, and if no
    reading with an error executes more of the function: a reading that calls a function with NULL only hides errors.
    """

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
        self.waiting: list[ExportedFunction] = []
        self.taken_back: set[str] = set()
        self.stored = stored
        self.refuted: set[Operation] = set()
        self._trials: dict[tuple[tuple[Operation, ...], int], Tried] = {}

    def run(self) -> Inferred:
        types = self.inferred.types
        self.waiting = sorted(self.interface.functions, key=lambda f: _phase(f, types))
        deferred: list[Deferred] = []
        while self.waiting or deferred:
            if not self.waiting:
                rest = self._next_of(deferred)  # it may take back others, which wait then
                self.waiting += rest
                deferred = []
                continue
            function = self.waiting.pop(0)
            if self.budget.spent > self.until:
                self.inferred.untried[function.name] = NO_TIME
                continue
            accepted = len(self.inferred.accepted)
            tried = self._select(function)
            if tried is not None:
                deferred.append(Deferred(function, tried))
            elif len(self.inferred.accepted) > accepted:
                self.waiting += [d.function for d in deferred]
                deferred = []
        self._doubt_enders()
        self._admit_null()
        return self.inferred

    def read_again(self, operation: Operation) -> Operation | None:
        """Another reading in place of one with an error that its trial was too short to show; None if there is none.

        A function that ends objects, as its name says, does so in the other reading, too.
        """
        self.refuted.add(operation)
        self.until = self.budget.spent + SHARE * self.budget.left
        before = self._try(operation, QUICK_STATES)
        if operation in self.inferred.accepted:
            self.inferred.accepted.remove(operation)
        possible = self._possible(operation.function)
        ends = operation.ends and says_end(operation.function)
        best = self._best(self._try_all([o for o in possible if o not in self.refuted and (o.ends or not ends)]))
        if best is None or len(best.own) < len(before.own):
            return None
        self.inferred.accepted.append(best.operation)
        return best.operation

    def _doubt_enders(self) -> None:
        """A type of which the library makes objects has a function that ends them, if a name says so.

        Without this rule, a function that forgets to free the header, or a block of the object, would be read as one
        that empties the object. A function of such a name that is rejected already is the one.
        """
        types = self.inferred.types
        for name in (types.constructed | types.initialised) - types.empty_is_null:
            taking = [o for o in self.inferred.accepted if name in o.records_in(*OBJECTS)]
            named = [o for o in taking if says_end(o.function) and o.fate is Fate.KEPT]
            named = [o for o in named if o.function.name not in self.stored.readings]
            rejected = [r.operation.function for r in self.inferred.rejected]
            ended = any(o.ends for o in taking) or any(says_end(f) and name in records_of(f) for f in rejected)
            if not named or ended:
                continue
            self.inferred.accepted.remove(named[0])
            fate = Fate.ENDED if name in types.constructed else Fate.RELEASED
            failed = self._try(replace(named[0], fate=fate), TRIAL_STATES)
            if failed.rejected is not None:
                self.inferred.rejected.append(failed.rejected)
            else:
                self.inferred.accepted.append(named[0])

    def _admit_null(self) -> None:
        """A function that compares an object with NULL may get NULL, if that is no error: the weaker precondition."""
        for operation in list(self.inferred.accepted):
            if operation.function.name in self.stored.readings or self.budget.spent > self.until:
                continue
            program = self.clients.write(self.inferred.types, self.inferred.accepted)[1]
            tested = null_tests(program.functions[operation.function.name])
            places = [i for i, role in enumerate(operation.roles) if role is Role.OBJECT and i in tested]
            if not places or operation.records_in(Role.OBJECT)[0] in self.inferred.types.iterators:
                continue
            roles = tuple(Role.OBJECT_OR_NULL if i in places else r for i, r in enumerate(operation.roles))
            place = self.inferred.accepted.index(operation)
            self.inferred.accepted.remove(operation)
            weaker = self._try(replace(operation, roles=roles), TRIAL_STATES)
            self.inferred.accepted.insert(place, weaker.operation if weaker.is_admissible else operation)

    def _next_of(self, deferred: list[Deferred]) -> list[ExportedFunction]:
        """All other functions wait for elements that no operation makes: accept the reading that executes most."""
        ready = [(t.executed, d) for d in deferred if (t := self._best(d.tried)) is not None]
        chosen = max(ready, key=lambda pair: pair[0])[1] if ready else deferred[0]
        self._decide(chosen.function, chosen.tried)
        return [d.function for d in deferred if d is not chosen]

    def _select(self, function: ExportedFunction) -> list[Tried] | None:
        """Accept or reject a function; its trials if it should be tried again when others were accepted."""
        possible = self._possible(function)
        if not possible:
            changed = function.name in self.stored.readings
            reason = VARIADIC if function.variadic else NOT_UNDERSTOOD
            self.inferred.untried[function.name] = CHANGED.format(self.stored.file) if changed else reason
            return None
        tried = self._try_all(possible)
        if tried and tried[0].is_idle:
            return tried
        self._decide(function, tried)
        return None

    def _possible(self, function: ExportedFunction) -> list[Operation]:
        """The readings to try whose elements the client can reach."""
        return [o for o in self._readings(function) if can_walk(self.interface, self.inferred.types, o)]

    def _readings(self, function: ExportedFunction) -> list[Operation]:
        """The readings to try: the stored one, or all."""
        if function.name not in self.stored.readings:
            return [o for o in readings(function, self.inferred.types) if o not in self.refuted]
        operation = self.stored.operation(function, self.inferred.types)
        return [] if operation is None else [operation]

    def _decide(self, function: ExportedFunction, tried: list[Tried]) -> None:
        """Accept the best reading, or reject the function, or leave it open."""
        best = self._best(tried)
        if best is not None and best.trial.exploration.possible and self._with_other_status(function):
            return
        if best is not None:
            hidden = best.hides(tried)
            ender = self._ender_of(best.operation)
            if ender is not None:
                self.inferred.untried[function.name] = BY_FREE.format(ender)
            elif hidden is None and (null := self._failure_at_null(best)):
                self.inferred.rejected.append(null)
            elif hidden is None:
                self.inferred.accepted.append(best.operation)
            elif usual := self._usual_failures(tried) or self._failures_as_siblings(tried):
                self.inferred.rejected.append(most_telling(usual))
            else:
                self._doubt(best, hidden)
            return
        sharing = [t for t in tried if t.trial.shared and t.trial.error is None]
        longer = [self._try(t.operation, TRIAL_STATES) for t in sharing]  # is it wrong that they share a block?
        failures = [r for t in (*longer, *tried) if (r := t.rejected) is not None]
        if self._take_back_makers(tried, function):
            self._decide(function, self._try_all(self._possible(function)))
        elif adding := [r for r in failures if adds_block(r)]:
            self._reject(most_telling(adding))
        elif longer and self._take_back_for_given(failures, function):
            self._decide(function, self._try_all(self._possible(function)))
        elif any(t.trial.error is None for t in longer):
            self.inferred.untried[function.name] = SHARES
        elif self.budget.spent > self.until or any(t.trial.cut_short for t in tried):
            self.inferred.untried[function.name] = NO_TIME
        elif failures and tried[0].is_idle and self._take_back(failures, function):
            self._decide(function, self._try_all(self._possible(function)))  # the other waits until elements are made
        elif not failures or tried[0].is_idle:
            self.inferred.untried[function.name] = never_called(function, self.interface)
        elif self._texts_last(function) or self._with_other_status(function) or self._with_amounts(function, failures):
            return
        elif any(follows_datum(r.error.fault) for r in failures):
            self.inferred.untried[function.name] = FOLLOWS
        elif linked := [r for t in (*longer, *tried) if t.trial.shared and (r := t.rejected) is not None]:
            self._reject(most_telling(linked))  # two objects share a block, and that is the error
        elif self._take_back(failures, function):
            self.waiting.insert(0, function)
        elif any(frees_datum(r) for r in failures) and not any(Role.OWNED in r.operation.roles for r in failures):
            self.inferred.untried[function.name] = FREES
        elif self._needs_more_than_zeros(failures):
            self.inferred.untried[function.name] = NOT_ZEROS
        elif self._has_objects(failures) and not is_wrong_guess_of(most_telling(failures)):
            self._reject(most_telling(failures))
        else:
            self.inferred.untried[function.name] = never_called(function, self.interface)

    def _reject(self, rejected: Rejected) -> None:
        """Reject a function, or the one that has left it a pointer to a freed block.

        One that makes objects still makes them where it does not dereference NULL.
        """
        leaving = leaving_operation(rejected.error, rejected.client)
        if leaving in self.inferred.accepted and leaving.function != rejected.operation.function:
            self.inferred.accepted.remove(leaving)
            self.inferred.rejected.append(replace(rejected, operation=leaving))
            self.waiting.insert(0, rejected.operation.function)
            return
        self.inferred.rejected.append(rejected)
        maker, fault = rejected.operation, rejected.error.fault
        if not maker.makes or fault.kind != "null_dereference" or maker.records_in(*OBJECTS):
            return
        self.clients.spared.add(fault.place)
        self._trials.clear()
        if self._try(maker, TRIAL_STATES).is_admissible:
            self.inferred.accepted.append(maker)
        else:
            self.clients.spared.remove(fault.place)

    def _usual_failures(self, tried: list[Tried]) -> list[Rejected]:
        """Errors of readings in which the result replaces the object, as it does in the other functions of its type."""
        usual = {(record_of(o.function.result), o.outcome) for o in self.inferred.accepted if o.outcome in REPLACING}
        failures = [r for t in tried if (r := t.rejected) is not None]
        failures = [r for r in failures if (record_of(r.operation.function.result), r.operation.outcome) in usual]
        return [r for r in failures if r.operation.roles == failures[0].operation.roles]

    def _ender_of(self, operation: Operation) -> str | None:
        """The function that should end a result which only `free` ends without an error.

        A copy of a header that shares the nodes of the object is safe if the caller frees it and does no more.
        """
        name = record_of(operation.function.result)
        if operation.outcome is not Outcome.FREED or name not in operation.records_in(*OBJECTS):
            return None
        enders = (f.name for f in self.interface.functions if says_end(f) and name in records_of(f))
        return None if operation.function.name in self.stored.readings else next(enders, None)

    def _texts_last(self, function: ExportedFunction) -> bool:
        """Accept a function if texts that were stored outlive the objects; false if that does not help."""
        before = list(self.inferred.accepted)
        lasting = [o if o.function.name in self.stored.readings else _with_lasting_texts(o) for o in before]
        possible = [_with_lasting_texts(o) for o in self._possible(function)]
        if lasting == before and not any(Role.LASTING_TEXT in o.roles for o in possible):
            return False
        self.inferred.accepted = lasting
        best = self._best(self._try_all(possible))
        self.inferred.accepted = before if best is None else [*lasting, best.operation]
        return best is not None

    def _with_amounts(self, function: ExportedFunction, failures: list[Rejected]) -> bool:
        """Accept a function if numbers of elements are so small that no size overflows; false if that does not help."""
        before = list(self.inferred.accepted)
        small = [o if o.function.name in self.stored.readings else o.with_amounts() for o in before]
        possible = [o.with_amounts() for o in self._possible(function)]
        is_same = small == before and possible == self._possible(function)
        if is_same or all(r.error.fault.kind != "out_of_bounds" for r in failures):
            return False
        self.inferred.accepted = small
        best = self._best(self._try_all(possible))
        self.inferred.accepted = before if best is None else [*small, best.operation]
        return best is not None

    def _with_other_status(self, function: ExportedFunction) -> bool:
        """Accept a function if the result of a maker says the opposite of what was read; false if that does not help.

        A block that is no object was taken for one: only the functions that use it show that, by an error or by
        members that nothing has set.
        """
        before = self.inferred.accepted
        for place, maker in enumerate(before):
            if maker.outcome in STATUS and maker.function.name not in self.stored.readings:
                opposite = replace(maker, outcome=next(o for o in STATUS if o is not maker.outcome))
                self.inferred.accepted = [*before[:place], opposite, *before[place + 1 :]]
                best = self._best(self._try_all(self._possible(function)))
                if best is not None and not best.trial.exploration.possible:
                    self.inferred.accepted.append(best.operation)
                    return True
        self.inferred.accepted = before
        return False

    def _needs_more_than_zeros(self, failures: list[Rejected]) -> bool:
        """Whether the first call with a block of zeros fails: the client has to initialise it in another way."""
        told = most_telling(failures)
        zeros = self.inferred.types.zeroed & set(told.operation.records_in(*OBJECTS))
        return bool(zeros) and len(executed_operations(finding_of(told.error), told.client)) <= 1

    def _has_objects(self, failures: list[Rejected]) -> bool:
        """Whether an error is more than a call with NULL or garbage of a type of which nothing makes an object."""
        made = self.inferred.made
        wanted = set(failures[0].operation.records_in(*OBJECTS, *ELEMENTS))
        makers = {failures[0].operation.makes}
        if any(isinstance(step.operation, Allocate) for step in failures[0].error.trace.steps):
            makers |= set(failures[0].operation.records_in(Role.ADDRESS))  # it makes the object, where NULL is empty
            makers.add(record_of(failures[0].operation.function.result))
        return all(self.inferred.types.elements.get(name, name) in made | makers for name in wanted)

    def _try_all(self, possible: list[Operation]) -> list[Tried]:
        """Try readings until one executes the whole function, or no other roles are left."""
        tried: list[Tried] = []
        admitted: set[tuple[Role, ...]] = set()
        certain = False
        for operation in possible:
            if self.budget.spent > self.until:
                break
            if operation.roles in admitted or (is_guess(operation) and certain):
                continue
            if not may_be_ignored(operation, tried) or self._is_element(operation, tried):
                continue
            attempt = self._try(operation, QUICK_STATES)
            if (attempt.is_admissible and not attempt.is_whole) or attempt.is_too_short:
                attempt = self._try(operation, TRIAL_STATES)
            tried.append(attempt)
            if attempt.is_admissible:
                admitted.add(operation.roles)
                certain = certain or not is_guess(operation)
                if attempt.is_whole or operation.ends or operation.makes:
                    break
        return tried

    def _is_element(self, operation: Operation, tried: list[Tried]) -> bool:
        """Whether a block that the client could hand in is an element: there are some, and the function takes them."""
        handed_in = self.inferred.types.handed_in & set(operation.records_in(Role.BLOCK))
        return bool(handed_in) and any(
            t.is_called and handed_in & set(t.operation.records_in(*ELEMENTS)) for t in tried
        )

    def _try(self, operation: Operation, states: int) -> Tried:
        """The trial of a reading beside the accepted ones; one that was made already, with as many states, is known."""
        key = (*self.inferred.accepted, operation), states
        if key not in self._trials:
            self._trials[key] = self._execute(operation, states)
        return self._trials[key]

    def _execute(self, operation: Operation, states: int) -> Tried:
        client, program = self.clients.write(
            self.inferred.types,
            [*self.inferred.accepted, operation],
            begins_with_two=Role.SECOND in operation.roles,
        )
        trial = run_trial(client, program, self.budget, states, malloc_may_fail=self.malloc_may_fail)
        own = steps_of(program, operation.function.name)
        clients = {name for name, f in program.functions.items() if Path(f.place.file).name == CLIENT}
        executed = sum(function not in clients for function, _ in trial.exploration.visited)
        return Tried(operation, client, trial, own, executed)

    def _best(self, tried: list[Tried]) -> Tried | None:
        """The admissible reading that executes most; a longer trial must admit it, too."""
        while True:
            admissible = [t for t in tried if t.is_admissible]
            if not admissible:
                return None
            best = max(admissible, key=lambda t: (not t.trial.exploration.possible, t.executed))
            longer = self._try(best.operation, TRIAL_STATES)
            if longer.is_admissible:
                return longer
            tried[tried.index(best)] = longer

    def _doubt(self, best: Tried, hidden: Tried) -> None:
        """Leave a function open: its error may be hidden by a reading that does not execute the wrong code."""
        assert hidden.trial.error is not None
        self.inferred.untried[best.operation.function.name] = (
            f"as '{'; '.join(best.operation.words())}' it has no error, but parts of it are never executed; "
            f"as '{'; '.join(hidden.operation.words())}' it has one: {hidden.trial.error.fault}"
        )

    def _failure_at_null(self, best: Tried) -> Rejected | None:
        """The error of a call with NULL for an element, where the function compares it with NULL itself."""
        operation = best.operation
        if best.is_whole or Role.ELEMENT not in operation.roles or operation.function.name in self.stored.readings:
            return None
        program = self.clients.write(self.inferred.types, [*self.inferred.accepted, operation])[1]
        function = program.functions[operation.function.name]
        assigned = {edge.label.target for edge in function.cfa.edges if isinstance(edge.label, Assign)}
        tested = {i for i in null_tests(function) if function.parameters[i] not in assigned}
        roles = tuple(
            Role.ELEMENT_OR_NULL if role is Role.ELEMENT and i in tested else role
            for i, role in enumerate(operation.roles)
        )
        if roles == operation.roles:
            return None
        rejected = self._try(replace(operation, roles=roles), QUICK_STATES).rejected
        return rejected if rejected and failing(rejected) == operation.function.name else None

    def _failures_as_siblings(self, tried: list[Tried]) -> list[Rejected]:
        """Errors of readings in which a function is called as another one with the same parameters is."""
        siblings = {(tuple(p.type.text for p in o.function.parameters), o.roles) for o in self.inferred.accepted}
        failures = [r for t in tried if (r := t.rejected) is not None]
        return [
            r
            for r in failures
            if (tuple(p.type.text for p in r.operation.function.parameters), r.operation.roles) in siblings
        ]

    def _take_back(self, failures: list[Rejected], function: ExportedFunction) -> bool:
        """Take back the accepted operation in which all readings, or the most plausible one, fail; false if none is."""
        blamed = {failing(rejected) for rejected in failures} - {function.name}
        blamed = blamed if len(blamed) == 1 else {failing(failures[0])}
        candidates = [o for o in self.inferred.accepted if {o.function.name} == blamed and not o.makes]
        if not candidates or self.taken_back & {candidates[0].function.name, function.name}:
            return False
        self.taken_back.add(candidates[0].function.name)
        self.inferred.accepted.remove(candidates[0])
        self.waiting.append(candidates[0].function)
        return True

    def _take_back_for_given(self, failures: list[Rejected], function: ExportedFunction) -> bool:
        """Take back an operation that loses an object which a function makes a part of another one; false if none does.

        An operation that unlinks elements shows its reading only when some operation links them.
        """
        given = [r for r in failures if Role.GIVEN in r.operation.roles and failing(r) != function.name]
        return bool(given) and self._take_back(given[:1], function)

    def _take_back_makers(self, tried: list[Tried], function: ExportedFunction) -> bool:
        """Take back operations whose results are no new objects: the library keeps them in its own variables.

        Such a maker has no error if the caller only reads its result.
        """
        types = {name for t in tried if t.trial.shared and STATIC in t.trial.shared for name in t.client.objects}
        makers = [o for o in self.inferred.accepted if o.makes in types and not o.records_in(*OBJECTS)]
        makers = [o for o in makers if o.outcome is Outcome.NEW and o.function.name not in self.taken_back]
        makers = [o for o in makers if len(types) == 1 and self._has_other_reading(o)]
        for operation in makers:
            self.taken_back.add(operation.function.name)
            self.refuted.add(operation)
            self.inferred.accepted.remove(operation)
            self.waiting.append(operation.function)
        return bool(makers)

    def _has_other_reading(self, operation: Operation) -> bool:
        """Whether an accepted function has no error in another reading, without those that need its objects."""
        before = list(self.inferred.accepted)
        self.inferred.accepted = [o for o in before if operation.makes not in (*o.records_in(*OBJECTS), o.makes)]
        others = [o for o in self._possible(operation.function) if o != operation]
        best = self._best(self._try_all(others)) if others else None
        self.inferred.accepted = before
        return best is not None


def _with_lasting_texts(operation: Operation) -> Operation:
    """The reading whose texts are stored."""
    return operation.with_roles({Role.TEXT: Role.LASTING_TEXT})


def _phase(function: ExportedFunction, types: ObjectTypes) -> int:
    """Functions that make objects come first, then those that end them: they show what others break."""
    first = readings(function, types)[:1]
    if first and first[0].makes and not first[0].records_in(*OBJECTS):
        return 0
    return 1 if first and first[0].ends else 2
