"""Weaker preconditions of functions that are accepted: NULL in place of an object or of a function of the client.

NULL is admissible where it is no error. It is also admissible where code of the library compares what it gets with
NULL: then a function that calls it without a test is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import replace

from kleene.analysis.c.library.client.calls import can_be_omitted
from kleene.analysis.c.library.generality.tested_hooks import asserted_hooks, tested_hooks
from kleene.analysis.c.library.inference.attempts import Rejected, failing
from kleene.analysis.c.library.inference.trials import TRIAL_STATES, null_tests
from kleene.analysis.c.library.inference.tries import Tries
from kleene.analysis.c.library.readings.operations import DROPS, OR_NULL, Operation, Role
from kleene.cfa.program import CProgram
from kleene.cfa.types import VoidType
from kleene.domains.explicit.operations import NULL_CALL


def admit_null(tries: Tries) -> None:
    """Let each function get NULL where that is admissible, and texts that end with the call.

    All functions are tried at once: NULL fails at the first call, so one trial shows that it is admissible everywhere.
    If it is not, they are tried one by one.
    """
    program = tries.clients.write(tries.inferred.types, tries.inferred.accepted)[1]
    _weaken(tries, lambda operation: _with_null_objects(tries, operation, program))
    _weaken(tries, lambda operation: operation.with_roles({Role.LASTING_TEXT: Role.TEXT}))  # one of the others keeps it
    asserted = asserted_hooks(program)
    if _weaken_at_once(tries, lambda operation: _with_null_hooks(operation, asserted)):
        return
    for operation in _inferred(tries):
        for place, role in enumerate(operation.roles):
            is_asserted = (operation.function.name, place) in asserted
            if role in OR_NULL and not is_asserted and operation in tries.inferred.accepted:
                operation = _without_hook(tries, operation, place, program)


def _with_null_hooks(operation: Operation, asserted: Set[tuple[str, int]]) -> Operation:
    """The reading in which functions of the client may be NULL, but for those of which the library asserts it not."""
    name = operation.function.name
    roles = (r if (name, i) in asserted else OR_NULL.get(r, r) for i, r in enumerate(operation.roles))
    return replace(operation, roles=tuple(roles))


def _inferred(tries: Tries) -> list[Operation]:
    """The accepted readings that are not given."""
    return [o for o in tries.inferred.accepted if o.function.name not in tries.stored.readings]


def _with_null_objects(tries: Tries, operation: Operation, program: CProgram) -> Operation:
    """The reading in which objects and variables that the function compares with NULL may be NULL."""
    tested = null_tests(program.functions[operation.function.name])
    of_iterator = set(operation.records_in(Role.OBJECT)) & tries.inferred.types.iterators.keys()

    def weaker(place: int, role: Role) -> Role:
        if place not in tested:
            return role
        if role is Role.RESULT and can_be_omitted(operation.function.parameters[place].type):
            return Role.RESULT_OR_NULL
        return Role.OBJECT_OR_NULL if role is Role.OBJECT and not of_iterator else role

    return replace(operation, roles=tuple(weaker(i, role) for i, role in enumerate(operation.roles)))


def _weaken(tries: Tries, change: Callable[[Operation], Operation]) -> None:
    if not _weaken_at_once(tries, change):
        for operation in _inferred(tries):
            if (other := change(operation)) != operation:
                _weaker(tries, operation, other)


def _weaken_at_once(tries: Tries, change: Callable[[Operation], Operation]) -> bool:
    """Whether all functions were read in a weaker way; false if only some of them may be."""
    given = _inferred(tries)
    before = list(tries.inferred.accepted)
    changed = [change(o) if o in given else o for o in before]
    differing = [i for i, operation in enumerate(before) if changed[i] != operation]
    if len(differing) < 2 or tries.is_over:
        return not differing
    last = differing[-1]
    tries.inferred.accepted[:] = [*changed[:last], *changed[last + 1 :]]
    is_admissible = tries.one(changed[last], TRIAL_STATES).is_admissible
    tries.inferred.accepted[:] = changed if is_admissible else before
    return is_admissible


def _without_hook(tries: Tries, operation: Operation, place: int, program: CProgram) -> Operation:
    """The reading in which a function of the client may be NULL, if the library tests it or if it is no error.

    A function that calls it without a test is rejected, where another place in the library has one.
    """
    roles = (*operation.roles[:place], OR_NULL[operation.roles[place]], *operation.roles[place + 1 :])
    other = replace(operation, roles=roles)
    accepted = tries.inferred.accepted
    while (weaker := _weaker(tries, operation, other)) is operation and _is_tested(tries, operation, place, program):
        rejected = _unguarded(tries, operation, other)
        if rejected is None:
            return operation
        tries.inferred.rejected.append(rejected)
        accepted[:] = [o for o in accepted if o.function != rejected.operation.function]
        if operation not in accepted:
            return operation
    return weaker


def _unguarded(tries: Tries, operation: Operation, other: Operation) -> Rejected | None:
    """The function that calls NULL in the trial of a weaker reading, with the error; None if that is no such error."""
    place = tries.inferred.accepted.index(operation)
    tries.inferred.accepted.remove(operation)
    rejected = tries.one(other, TRIAL_STATES).rejected
    tries.inferred.accepted.insert(place, operation)
    if rejected is None or rejected.error.fault.message != NULL_CALL or tries.is_over:
        return None
    name = failing(rejected)
    wrong = other if name == other.function.name else None
    wrong = wrong or next((o for o in tries.inferred.accepted if o.function.name == name), None)
    return None if wrong is None or name in tries.stored.readings else replace(rejected, operation=wrong)


def _is_tested(tries: Tries, operation: Operation, place: int, program: CProgram) -> bool:
    """Whether the library tests a function of the client, or one of the same name that is to end data, too.

    A function that returns something, such as a comparison, may be missing where it is not needed, and needed else.
    """
    parameter = operation.function.parameters[place]
    if not isinstance(parameter.type.callback[0].type, VoidType):
        return False
    tested = tested_hooks(program)
    if (operation.function.name, place) in tested:
        return True
    alike = (
        (o.function.name, i)
        for o in tries.inferred.accepted
        for i, (p, role) in enumerate(zip(o.function.parameters, o.roles, strict=True))
        if role in DROPS and (p.name, p.type.text) == (parameter.name, parameter.type.text)
    )
    return operation.roles[place] in DROPS and any(one in tested for one in alike)


def _weaker(tries: Tries, operation: Operation, other: Operation) -> Operation:
    """The other reading in place of an accepted one, if it has no error."""
    if tries.is_over:
        return operation
    accepted = tries.inferred.accepted
    place = accepted.index(operation)
    accepted.remove(operation)
    weaker = tries.one(other, TRIAL_STATES)
    chosen = weaker.operation if weaker.is_admissible else operation
    accepted.insert(place, chosen)
    return chosen
