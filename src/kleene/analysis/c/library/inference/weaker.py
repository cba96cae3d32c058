"""Weaker preconditions of functions that are accepted: NULL in place of an object or of a function of the client.

NULL is admissible where it is no error. It is also admissible where code of the library compares what it gets with
NULL: then a function that calls it without a test is wrong.
"""

from __future__ import annotations

from dataclasses import replace

from kleene.analysis.c.library.generality.tested_hooks import tested_hooks
from kleene.analysis.c.library.inference.attempts import Rejected, failing
from kleene.analysis.c.library.inference.trials import TRIAL_STATES, null_tests
from kleene.analysis.c.library.inference.tries import Tries
from kleene.analysis.c.library.readings.operations import DROPS, OR_NULL, Operation, Role
from kleene.cfa.program import CProgram
from kleene.cfa.types import VoidType
from kleene.domains.explicit.operations import NULL_CALL


def admit_null(tries: Tries) -> None:
    """Let each function get NULL where that is admissible, and texts that end with the call."""
    for operation in list(tries.inferred.accepted):
        if operation.function.name in tries.stored.readings or operation not in tries.inferred.accepted:
            continue
        program = tries.clients.write(tries.inferred.types, tries.inferred.accepted)[1]
        tested = null_tests(program.functions[operation.function.name])
        objects = [i for i, role in enumerate(operation.roles) if role is Role.OBJECT and i in tested]
        if objects and operation.records_in(Role.OBJECT)[0] not in tries.inferred.types.iterators:
            roles = tuple(Role.OBJECT_OR_NULL if i in objects else r for i, r in enumerate(operation.roles))
            operation = _weaker(tries, operation, replace(operation, roles=roles))
        if Role.LASTING_TEXT in operation.roles:  # one of the others keeps its texts
            operation = _weaker(tries, operation, operation.with_roles({Role.LASTING_TEXT: Role.TEXT}))
        for place, role in enumerate(operation.roles):
            if role in OR_NULL and operation in tries.inferred.accepted:
                operation = _without_hook(tries, operation, place, program)


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
