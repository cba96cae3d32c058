"""How the functions of a library are to be called: inferred by executing clients.

For each function the readings of `operations` are tried in their order. A trial explores a client of the operations
accepted so far and of the reading, exactly and within bounds. The first reading without an error is accepted. If all
have one, the function has an error on an input that the other operations make. A trial only selects a reading: what
is proved is proved by the analysis of the client (`check`).
"""

from __future__ import annotations

from dataclasses import replace

from kleene.analysis.c.budget import Budget
from kleene.analysis.c.library.blame.outside import doubt_about
from kleene.analysis.c.library.client.places import ends_its_object, keeper_of_text, leaving_operation
from kleene.analysis.c.library.contracts.stored import StoredContracts
from kleene.analysis.c.library.generality.separation import STATIC
from kleene.analysis.c.library.inference.attempts import (
    Deferred,
    Inferred,
    Rejected,
    Tried,
    adds_block,
    breaks_own_block,
    ends_wrongly,
    failing,
    fails_elsewhere,
    follows_datum,
    frees_datum,
    frees_stored,
    is_guess,
    is_wrong_guess_of,
    most_telling,
    points_inside,
)
from kleene.analysis.c.library.inference.doubts import (
    ender_of,
    failure_at_null,
    failures_as_siblings,
    has_objects,
    links_itself,
    needs_more_than_zeros,
    usual_failures,
)
from kleene.analysis.c.library.inference.order import place_in_order
from kleene.analysis.c.library.inference.other_ways import (
    if_status_is_another,
    if_texts_last,
    is_accepted_otherwise,
    other_failures,
)
from kleene.analysis.c.library.inference.reasons import (
    ANSWERS,
    BY_FREE,
    CHANGED,
    FOLLOWS,
    FREES,
    INSIDE,
    LINKS_ITSELF,
    LINKS_LOOSE,
    NO_TIME,
    NOT_UNDERSTOOD,
    NOT_ZEROS,
    REFERS,
    SHARES,
    VARIADIC,
    never_called,
)
from kleene.analysis.c.library.inference.sparing import reject_sharing, spare
from kleene.analysis.c.library.inference.trials import (
    LONG_STATES,
    QUICK_STATES,
    TRIAL_STATES,
    ClientFolder,
    consistent_error,
)
from kleene.analysis.c.library.inference.tries import Tries
from kleene.analysis.c.library.inference.weaker import admit_null
from kleene.analysis.c.library.interface.exports import ExportedFunction, Interface
from kleene.analysis.c.library.interface.object_types import (
    records_of,
)
from kleene.analysis.c.library.readings.candidates import says_add, says_end
from kleene.analysis.c.library.readings.operations import (
    CALLBACKS,
    KEPT_RESULTS,
    OBJECTS,
    Fate,
    Operation,
    Outcome,
    Role,
)

MOST_BLAMING = 6
"""Failing readings of a function whose runs are searched for an operation that breaks what the others keep."""


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
        self.stored = stored
        self.tries = Tries(interface, clients, budget, stored, malloc_may_fail=malloc_may_fail)
        self.inferred = self.tries.inferred
        self.waiting: list[ExportedFunction] = []
        self.taken_back: set[str] = set()
        """Makers that were taken back, each once."""
        self.taken_for: set[tuple[str, str]] = set()
        """Functions that were taken back, each with the one that was accepted in its place: neither twice."""

    def run(self) -> Inferred:
        types = self.inferred.types
        self.waiting = sorted(self.interface.functions, key=lambda f: place_in_order(f, types))
        deferred: list[Deferred] = []
        while self.waiting or deferred:
            if not self.waiting:
                rest = self._next_of(deferred)  # it may take back others, which wait then
                self.waiting += rest
                deferred = []
                continue
            function = self.waiting.pop(0)
            if self.tries.is_over:
                self.inferred.untried[function.name] = NO_TIME
                continue
            accepted = len(self.inferred.accepted)
            tried = self._select(function)
            if tried is not None:
                deferred.append(Deferred(function, tried))
            elif len(self.inferred.accepted) > accepted:
                self.waiting += [d.function for d in deferred]
                deferred = []
        self._reconsider()
        for operation in [o for o in self.inferred.accepted if links_itself(self.tries, o)]:
            self.inferred.accepted.remove(operation)
            self.inferred.untried[operation.function.name] = LINKS_ITSELF
        reject_sharing(self.tries)
        self._doubt_enders()
        admit_null(self.tries)
        return self.inferred

    def _reconsider(self) -> None:
        """Read functions again that got an object beside the one of which it may be an element.

        They may have been accepted when no function made elements: then code that needs one was never executed.
        """
        types = self.inferred.types
        for operation in list(self.inferred.accepted):
            beside = operation.records_in(Role.OBJECT, Role.OBJECT_OR_NULL)
            apart = [name for name in beside if types.elements.get(name) in beside]
            if apart and operation.function.name not in self.stored.readings and not self.tries.is_over:
                self.inferred.accepted.remove(operation)
                self._decide(operation.function, self._tried_again(operation.function))

    def read_again(self, operation: Operation) -> Operation | None:
        """Another reading in place of one with an error that its trial was too short to show; None if there is none.

        A function that ends objects, as its name says, does so in the other reading, too.
        """
        self.tries.refuted |= {operation, self._without_null(operation)}
        self.tries.renew()
        if operation in self.inferred.accepted:
            self.inferred.accepted.remove(operation)
        before = self.tries.one(self._without_null(operation), QUICK_STATES)
        possible = self.tries.possible(operation.function)
        ends = operation.ends and says_end(operation.function)
        best = self.tries.best_of([o for o in possible if o not in self.tries.refuted and (o.ends or not ends)])
        if best is None or len(best.own) < len(before.own):
            return None
        weaker = replace(best.operation, roles=operation.roles)
        is_weaker = best.operation.roles == self._without_null(operation).roles
        if is_weaker and self.tries.one(weaker, TRIAL_STATES).is_admissible:
            best = self.tries.one(weaker, TRIAL_STATES)
        self.inferred.accepted.append(best.operation)
        return best.operation

    def _without_null(self, operation: Operation) -> Operation:
        """The reading as it was before NULL was admitted (`admit_null`) in place of an object."""
        headless = self.inferred.types.empty_is_null & set(operation.records_in(Role.OBJECT_OR_NULL))
        return operation if headless else operation.with_roles({Role.OBJECT_OR_NULL: Role.OBJECT})

    def has_others(self, operation: Operation) -> bool:
        """Whether the result of a function may be kept in another way, which no trial has refuted."""
        possible = [o for o in self.tries.possible(operation.function) if o.outcome in KEPT_RESULTS]
        alike = [o for o in possible if (o.roles, o.fate) == (operation.roles, operation.fate)]
        return any(o != operation and o not in self.tries.refuted for o in alike)

    def _doubt_enders(self) -> None:
        """A type of which the library makes objects has a function that ends them, if a name says so.

        Without this rule, a function that forgets to free the header, or a block of the object, would be read as one
        that empties the object. A function of such a name that is rejected already is the one.
        """
        types = self.inferred.types
        for name in (types.constructed | types.initialised) - types.empty_is_null:
            taking = [o for o in self.inferred.accepted if name in o.records_in(*OBJECTS)]
            named = [o for o in taking if says_end(o.function) and o.fate is Fate.KEPT]
            named = [o for o in named if o.function.name not in self.stored.readings and _takes_no_more(o)]
            rejected = [r.operation.function for r in self.inferred.rejected]
            ended = any(o.ends or (says_end(o.function) and Role.ADDRESS in o.roles) for o in taking) or any(
                says_end(f) and name in records_of(f) for f in rejected
            )
            if not named or ended:
                continue
            self.inferred.accepted.remove(named[0])
            fate = Fate.ENDED if name in types.constructed else Fate.RELEASED
            failed = self.tries.one(replace(named[0], fate=fate), TRIAL_STATES)
            if failed.rejected is not None:
                self.inferred.rejected.append(failed.rejected)
            else:
                self.inferred.accepted.append(named[0])

    def _next_of(self, deferred: list[Deferred]) -> list[ExportedFunction]:
        """All other functions wait for elements that no operation makes: accept the reading that executes most.

        Functions that link what they get come first: the others show what they do with elements only then.
        """
        ready = [(t, d) for d in deferred if (t := self.tries.best(d.tried)) is not None]
        linking = [d for d in deferred if any(map(_links, d.tried))]
        if linking and not any(d in linking for _, d in ready):
            chosen = linking[0]
        else:
            chosen = max(ready, key=lambda pair: (_links(pair[0]), pair[0].executed))[1] if ready else deferred[0]
        self._decide(chosen.function, chosen.tried)
        return [d.function for d in deferred if d is not chosen]

    def _select(self, function: ExportedFunction) -> list[Tried] | None:
        """Accept or reject a function; its trials if it should be tried again when others were accepted."""
        possible = self.tries.possible(function)
        if not possible:
            changed = function.name in self.stored.readings
            reason = VARIADIC if function.variadic else NOT_UNDERSTOOD
            self.inferred.untried[function.name] = CHANGED.format(self.stored.file) if changed else reason
            return None
        tried = self.tries.all_of(possible)
        if tried and tried[0].is_idle:
            return tried
        self._decide(function, tried)
        return None

    def _tried_again(self, function: ExportedFunction) -> list[Tried]:
        return self.tries.all_of(self.tries.possible(function))

    def _decide(self, function: ExportedFunction, tried: list[Tried]) -> None:
        """Accept the best reading, or reject the function, or leave it open."""
        best = self.tries.best(tried)
        if best is None and (rest := self.tries.rest_of(tried, self.tries.possible(function) if tried else [])):
            self._decide(function, [*tried, *rest])
            return
        if best is not None and best.trial.exploration.possible and if_status_is_another(self.tries, function):
            return
        if best is not None:
            best = self._longer(best, tried)
            hidden = best.hides(tried)
            ender = ender_of(self.tries, best.operation)
            if ender is not None:
                self.inferred.untried[function.name] = BY_FREE.format(ender)
            elif hidden is None and (null := failure_at_null(self.tries, best)):
                self.inferred.rejected.append(null)
            elif hidden is None:
                self.inferred.accepted.append(best.operation)
            elif usual := usual_failures(self.tries, tried) or failures_as_siblings(self.tries, tried):
                self.inferred.rejected.append(most_telling(usual))
            else:
                self._doubt(best, hidden)
            return
        sharing = [t for t in tried if t.trial.shared and t.trial.error is None]
        longer = [self.tries.one(t.operation, TRIAL_STATES) for t in sharing]  # is it wrong that they share a block?
        failures = [r for t in (*longer, *tried) if (r := t.rejected) is not None]
        if self._take_back_makers(tried, function):
            self._decide(function, self._tried_again(function))
        elif adding := [r for r in failures if adds_block(r)]:
            self._reject(most_telling(adding))
        elif longer and self._take_back_for_given(failures, function):
            self._decide(function, self._tried_again(function))
        elif any(t.trial.error is None for t in longer):
            self.inferred.untried[function.name] = SHARES
        elif self.tries.is_over or any(t.trial.cut_short for t in tried):
            self.inferred.untried[function.name] = NO_TIME
        elif any(keeper_of_text(r.error, r.client) for r in failures) and if_texts_last(self.tries, function):
            return
        elif failures and tried[0].is_idle and self._take_back(failures, function):
            self._decide(
                function, self.tries.all_of(self.tries.possible(function))
            )  # the other waits until elements are made
        elif wrong := [r for r in failures if ends_wrongly(r) and has_objects(self.tries, [r])]:
            self._reject(most_telling(wrong))
        elif not failures or tried[0].is_idle:
            self.inferred.untried[function.name] = never_called(function, self.interface, self._wrong_makers(function))
        elif self._links_block(function, failures) or is_accepted_otherwise(self.tries, function, failures):
            return
        elif wrong := [r for r in failures if breaks_own_block(r)]:
            self._reject(most_telling(wrong))
        elif self._take_back([r for r in failures if fails_elsewhere(r)], function):
            self.waiting.insert(0, function)
        elif any(follows_datum(r.error.fault, r.client) for r in failures):
            self.inferred.untried[function.name] = FOLLOWS
        elif linked := [r for t in (*longer, *tried) if t.trial.shared and (r := t.rejected) is not None]:
            self._reject(most_telling(linked))  # two objects share a block, and that is the error
        elif self._breaks_others(failures[0]):
            self._reject(failures[0])
        elif self._take_back(failures, function) or (_frees_data(failures) and self._leaves_to_another(failures)):
            self.waiting.insert(0, function)
        elif _frees_data(failures):
            self.inferred.untried[function.name] = FREES
        elif needs_more_than_zeros(self.tries, failures):
            self.inferred.untried[function.name] = NOT_ZEROS
        elif any(map(points_inside, [*failures, *other_failures(self.tries, function, failures)])):
            self.inferred.untried[function.name] = INSIDE
        elif has_objects(self.tries, failures) and not is_wrong_guess_of(most_telling(failures)):
            self._reject(self._with_breach(failures) or most_telling(failures))
        else:
            self.inferred.untried[function.name] = never_called(function, self.interface, self._wrong_makers(function))

    def _links_block(self, function: ExportedFunction, failures: list[Rejected]) -> bool:
        """Whether a function links a node of its caller, not an element: decided by a trial with a block; else false.

        It adds something, as its name says, and allocates nothing: an element is linked already.
        """
        operation = failures[0].operation
        if not says_add(function) or function.name in self.tries.allocating:
            return False
        if Role.ELEMENT not in operation.roles or not operation.takes_object:
            return False
        block = operation.with_roles({Role.ELEMENT: Role.BLOCK})
        tried = self.tries.one(replace(block, fate=Fate.KEPT), TRIAL_STATES)
        if tried.is_admissible:
            self.inferred.accepted.append(tried.operation)
        elif tried.rejected is not None and not is_wrong_guess_of(tried.rejected):
            self._reject(tried.rejected)
        else:
            self.inferred.untried[function.name] = LINKS_LOOSE
        return True

    def _wrong_makers(self, function: ExportedFunction) -> list[str]:
        """The functions with an error that should make the objects which a function takes."""
        makers = [r.operation for r in self.inferred.rejected if r.operation.makes in records_of(function)]
        return [o.function.name for o in makers]

    def _breaks_others(self, rejected: Rejected) -> bool:
        """Whether another operation fails on an object that the function has broken, in its most plausible reading.

        Else the other one would be taken back, and be wrong in all readings when the function was accepted without it.
        """
        if failing(rejected) == rejected.operation.function.name or is_guess(rejected.operation):
            return False
        operations = [*self.inferred.accepted, rejected.operation]
        breach = self.tries.breach_in(rejected.error, rejected.client, operations)
        return breach is not None and breach.operation == rejected.operation

    def _with_breach(self, failures: list[Rejected]) -> Rejected | None:
        """A failing run in which another operation breaks what the function needs; None if there is none.

        A function that is right fails in all readings where another one is wrong.
        """
        for rejected in failures[:MOST_BLAMING]:
            operations = [*self.inferred.accepted, rejected.operation]
            breach = self.tries.breach_in(rejected.error, rejected.client, operations)
            if breach is not None and breach.operation.function != rejected.operation.function:
                return rejected
        return None

    def _reject(self, rejected: Rejected) -> None:
        """Reject a function, or the one that has left it an object on which it fails."""
        if doubt := doubt_about(rejected.error, rejected.client, self.interface):
            self.inferred.untried[rejected.operation.function.name] = doubt
            return
        error = consistent_error(rejected.error, self.tries.budget)
        if error is None:
            self.inferred.untried[rejected.operation.function.name] = ANSWERS
            return
        rejected = replace(rejected, error=error)
        if spare(self.tries, rejected):
            self.waiting.insert(0, rejected.operation.function)
            return
        accepted = self.inferred.accepted
        breach = self.tries.breach_in(rejected.error, rejected.client, [*accepted, rejected.operation])
        to_blame = leaving_operation(rejected.error, rejected.client) if breach is None else breach.operation
        if to_blame in accepted and to_blame.function != rejected.operation.function:
            read_wrongly = ends_its_object(rejected.error, rejected.client, to_blame)
            if read_wrongly and self.read_again(to_blame) is not None:
                self.waiting.insert(0, rejected.operation.function)
                return
            if to_blame in accepted:
                accepted.remove(to_blame)
            words = breach.words if breach is not None else ""
            if breach is not None and breach.takes_reference:
                self.inferred.untried[to_blame.function.name] = REFERS
            else:
                self.inferred.rejected.append(replace(rejected, operation=to_blame, breach=words))
            self.waiting.insert(0, rejected.operation.function)
            return
        if breach is not None and failing(rejected) != rejected.operation.function.name:
            rejected = replace(rejected, breach=breach.words)
        self.inferred.rejected.append(rejected)

    def _longer(self, best: Tried, tried: list[Tried]) -> Tried:
        """A longer trial of a reading, if one with an error executes more of the function than its trial did."""
        if best.hides(tried) is None or not best.trial.exploration.reason.startswith("bound"):
            return best
        longer = self.tries.one(best.operation, LONG_STATES)
        return longer if longer.is_admissible else best

    def _doubt(self, best: Tried, hidden: Tried) -> None:
        """Leave a function open: its error may be hidden by a reading that does not execute the wrong code."""
        assert hidden.trial.error is not None
        self.inferred.untried[best.operation.function.name] = (
            f"as '{'; '.join(best.operation.words())}' it has no error, but parts of it are never executed; "
            f"as '{'; '.join(hidden.operation.words())}' it has one: {hidden.trial.error.fault}"
        )

    def _take_back(self, failures: list[Rejected], function: ExportedFunction) -> bool:
        """Take back the accepted operation in which all readings, or the most plausible one, fail; false if none is.

        Where the caller frees a result, another function fails on what is gone; that says nothing if there are others.
        """
        failures = [r for r in failures if r.operation.outcome is not Outcome.FREED] or failures
        if not failures:
            return False
        blamed = {failing(rejected) for rejected in failures} - {function.name}
        blamed = blamed if len(blamed) == 1 else {failing(failures[0])}
        candidates = [o for o in self.inferred.accepted if {o.function.name} == blamed and not o.makes]
        pairs = [(o.function.name, function.name) for o in candidates[:1]]
        if not pairs or self.taken_for & {pairs[0], pairs[0][::-1]}:
            return False
        self.taken_for.add(pairs[0])
        self.inferred.accepted.remove(candidates[0])
        self.waiting.append(candidates[0].function)
        return True

    def _leaves_to_another(self, failures: list[Rejected]) -> bool:
        """Leave open an accepted function that ends an object with its data, if another one ends the object alone.

        A client calls the one or the other: with the first one alone, functions that store data would be left open.
        """
        names = {failing(rejected) for rejected in failures}
        enders = [o for o in self.inferred.accepted if o.ends]
        freeing = [o for o in enders if {o.function.name} == names and o.function.name not in self.stored.readings]
        ended = {name for o in freeing for name in o.records_in(*OBJECTS)}
        if not any(o not in freeing and ended & set(o.records_in(*OBJECTS)) for o in enders):
            return False
        self.inferred.accepted.remove(freeing[0])
        self.inferred.untried[freeing[0].function.name] = FREES
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
            self.tries.refuted.add(operation)
            self.inferred.accepted.remove(operation)
            self.waiting.append(operation.function)
        return bool(makers)

    def _has_other_reading(self, operation: Operation) -> bool:
        """Whether an accepted function has no error in another reading, without those that need its objects."""
        before = list(self.inferred.accepted)
        self.inferred.accepted = [o for o in before if operation.makes not in (*o.records_in(*OBJECTS), o.makes)]
        others = [o for o in self.tries.possible(operation.function) if o != operation]
        best = self.tries.best(self.tries.all_of(others)) if others else None
        self.inferred.accepted = before
        return best is not None


def _links(tried: Tried) -> bool:
    """Whether a function makes elements of what it gets."""
    return says_add(tried.operation.function) and bool({Role.GIVEN, Role.LOOSE} & set(tried.operation.roles))


def _takes_no_more(operation: Operation) -> bool:
    """Whether an operation gets an object, and beside it functions only: with a key, it ends one of the elements."""
    return all(role in (*OBJECTS, *CALLBACKS) for role in operation.roles)


def _frees_data(failures: list[Rejected]) -> bool:
    """Whether a function frees what clients store, whatever its own arguments are.

    Where it frees what it gets itself, readings in which this is a block show whether it does so rightly.
    """
    owning = [r for r in failures if Role.OWNED in r.operation.roles]
    return any(map(frees_stored, failures)) or (any(map(frees_datum, failures)) and all(map(frees_datum, owning)))
