"""What the trials of a function leave in doubt: errors that a reading hides, and failures that show none."""

from __future__ import annotations

from dataclasses import replace

from kleene.analysis.c.library.blame.allocations import failed_allocations
from kleene.analysis.c.library.blame.heap_facts import Ends, Truth
from kleene.analysis.c.library.client.places import executed_operations
from kleene.analysis.c.library.inference.attempts import Rejected, Tried, failing, most_telling
from kleene.analysis.c.library.inference.trials import QUICK_STATES, null_tests
from kleene.analysis.c.library.inference.tries import Tries
from kleene.analysis.c.library.interface.object_types import record_of, records_of
from kleene.analysis.c.library.readings.candidates import says_end
from kleene.analysis.c.library.readings.operations import (
    ELEMENTS,
    OBJECTS,
    REPLACING,
    Operation,
    Outcome,
    Role,
)
from kleene.analysis.c.verdicts import finding_of
from kleene.cfa.operations import Allocate, Assign


def usual_failures(tries: Tries, tried: list[Tried]) -> list[Rejected]:
    """Errors of readings in which the result replaces the object, as it does in the other functions of its type."""
    usual = {(record_of(o.function.result), o.outcome) for o in tries.inferred.accepted if o.outcome in REPLACING}
    failures = [r for t in tried if (r := t.rejected) is not None]
    failures = [r for r in failures if (record_of(r.operation.function.result), r.operation.outcome) in usual]
    return [r for r in failures if r.operation.roles == failures[0].operation.roles]


def ender_of(tries: Tries, operation: Operation) -> str | None:
    """The function that should end a result which only `free` ends without an error.

    A copy of a header that shares the nodes of the object is safe if the caller frees it and does no more.
    """
    name = record_of(operation.function.result)
    if operation.outcome is not Outcome.FREED or name not in operation.records_in(*OBJECTS):
        return None
    enders = (f.name for f in tries.interface.functions if says_end(f) and name in records_of(f))
    return None if operation.function.name in tries.stored.readings else next(enders, None)


def needs_more_than_zeros(tries: Tries, failures: list[Rejected]) -> bool:
    """Whether the first call with a block of zeros fails: the client has to initialise it in another way.

    A function that does not test what it allocates fails on any object.
    """
    told = most_telling(failures)
    if any(True for _ in failed_allocations(told.error, told.client)):
        return False
    zeros = tries.inferred.types.zeroed & set(told.operation.records_in(*OBJECTS))
    return bool(zeros) and len(executed_operations(finding_of(told.error), told.client)) <= 1


def has_objects(tries: Tries, failures: list[Rejected]) -> bool:
    """Whether an error is more than a call with NULL or garbage of a type of which nothing makes an object."""
    made = tries.inferred.made
    wanted = set(failures[0].operation.records_in(*OBJECTS, *ELEMENTS))
    makers = {failures[0].operation.makes}
    if any(isinstance(step.operation, Allocate) for step in failures[0].error.trace.steps):
        makers |= set(failures[0].operation.records_in(Role.ADDRESS))  # it makes the object, where NULL is empty
        makers.add(record_of(failures[0].operation.function.result))
    return all(tries.inferred.types.elements.get(name, name) in made | makers for name in wanted)


def failure_at_null(tries: Tries, best: Tried) -> Rejected | None:
    """The error of a call with NULL for an element, where the function compares it with NULL itself."""
    operation = best.operation
    if best.is_whole or Role.ELEMENT not in operation.roles or operation.function.name in tries.stored.readings:
        return None
    program = tries.clients.write(tries.inferred.types, [*tries.inferred.accepted, operation])[1]
    function = program.functions[operation.function.name]
    assigned = {edge.label.target for edge in function.cfa.edges if isinstance(edge.label, Assign)}
    tested = {i for i in null_tests(function) if function.parameters[i] not in assigned}
    roles = tuple(
        Role.ELEMENT_OR_NULL if role is Role.ELEMENT and i in tested else role for i, role in enumerate(operation.roles)
    )
    if roles == operation.roles:
        return None
    rejected = tries.one(replace(operation, roles=roles), QUICK_STATES).rejected
    return rejected if rejected and failing(rejected) == operation.function.name else None


def links_itself(tries: Tries, operation: Operation) -> bool:
    """Whether a function that gets an object and an element of it links a cycle, which the other functions never do.

    It is to be called with two objects then, or with a node that is part of none.
    """
    own = set(operation.records_in(*OBJECTS)) & set(operation.records_in(*ELEMENTS))
    if not own or operation.function.name in tries.stored.readings:
        return False
    every = tries.observe(tries.inferred.accepted)
    others = tries.observe([o for o in tries.inferred.accepted if o != operation])
    if every is None or others is None:
        return False
    cyclic = [f for f, truths in every.truths.items() if isinstance(f, Ends) and Truth.BROKEN in truths]
    return any(Truth.BROKEN not in others.truths[f] for f in cyclic)


def failures_as_siblings(tries: Tries, tried: list[Tried]) -> list[Rejected]:
    """Errors of readings in which a function is called as another one with the same parameters is."""
    siblings = {(tuple(p.type.text for p in o.function.parameters), o.roles) for o in tries.inferred.accepted}
    failures = [r for t in tried if (r := t.rejected) is not None]
    return [
        r
        for r in failures
        if (tuple(p.type.text for p in r.operation.function.parameters), r.operation.roles) in siblings
    ]
