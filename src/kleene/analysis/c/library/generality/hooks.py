"""Members for functions of the client, such as ``void (*free)(void *)``, that no function of the library sets.

A client that calls exported functions only leaves them NULL. So the invariant says that they are, and the code behind
``if (l->free)`` is no part of a proof. A member that the library calls without a test must be set by its clients: they
do so when an object is made.
"""

from __future__ import annotations

from collections.abc import Collection, Set

from kleene.analysis.c.library.generality.never_null import asked, impossible
from kleene.cfa.expressions import AddressOf, Expression, Field, Variable, walk, without_casts
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Assign, Call, Error, Exit, Operation, Return, expressions
from kleene.cfa.program import CProgram
from kleene.cfa.types import FunctionType, PointerType, RecordType
from kleene.passes.facts.memory import constant_of

Hook = tuple[str, int]
"""A member: the name of its struct, and its offset."""
NO_HOOK: Hook = ("", 0)


def unset_hooks(program: CProgram) -> dict[Hook, str]:
    """The names of members for functions that are always NULL, or not initialised."""
    hooks = {
        (record, field.offset): field.name
        for record, layout in program.records.items()
        for field in layout.fields
        if not layout.union and isinstance(field.type, PointerType) and isinstance(field.type.target, FunctionType)
    }
    for operation in program.operations:
        if isinstance(operation, Assign) and _sets(operation):
            hooks.pop(hook_of(operation.target), None)
        for node in (n for x in expressions(operation) for n in walk(x) if isinstance(n, AddressOf)):
            hooks.pop(hook_of(node.target), None)
    return hooks


def left_to_clients(program: CProgram, tested: Set[Hook]) -> dict[Hook, str]:
    """The names of members for functions that clients must set: the library calls, and neither sets nor tests them.

    Where an exported function has a parameter of the type of such a member, it should have set it.
    """
    unset = unset_hooks(program)
    offered = {str(p.type) for function in program.functions.values() for p in function.parameters}
    called = {
        (hook_of(without_casts(operation.function)), str(operation.function.type))
        for operation in program.operations
        if isinstance(operation, Call) and not isinstance(operation.function, str)
    }
    wanted = {hook for hook, type_ in called if type_ not in offered}
    return {hook: name for hook, name in unset.items() if hook in wanted - tested}


def live_steps(
    cfa: Cfa[Operation],
    unset: dict[Hook, str],
    given: frozenset[Variable] = frozenset(),
    returning_blocks: Collection[str] = (),
) -> frozenset[str]:
    """The locations from which a run makes a step and can return, while hooks are NULL and `given` is not.

    Nor is what some functions return. What is behind a test for NULL there is never executed.
    Where every path ends the program, an assertion or a test has failed: such a call has no admissible arguments.
    """
    assigned = {edge.label.target for edge in cfa.edges if isinstance(edge.label, Assign)}
    fixed = given - assigned
    never = impossible(cfa, returning_blocks)
    tests = (e for e in cfa.edges if e not in never)
    edges = tuple(e for e in tests if not _needs_hook(e.label, unset) and not _needs_null(e.label, fixed))
    returning = {edge.source for edge in edges if isinstance(edge.label, Return)}
    waiting = [edge for edge in edges if not isinstance(edge.label, Error | Exit)]
    while more := {edge.source for edge in waiting if edge.target in returning} - returning:
        returning |= more
    left = Cfa(cfa.entry, edges)
    return frozenset(edge.source for edge in edges) & left.reachable & returning


def hook_of(lvalue: Expression) -> Hook:
    """The member that an lvalue is, or none."""
    if isinstance(lvalue, Field) and isinstance(lvalue.base.type, RecordType):
        return lvalue.base.type.name, lvalue.offset
    return NO_HOOK


def _sets(operation: Assign) -> bool:
    """Whether a hook gets a function: something else than NULL and the same hook of another object."""
    value = without_casts(operation.value)
    return constant_of(value) != 0 and (hook_of(value) != hook_of(operation.target) or hook_of(value) == NO_HOOK)


def _needs_hook(operation: Operation, unset: dict[Hook, str]) -> bool:
    """Whether a condition holds only if a hook is not NULL."""
    pointer, is_null = asked(operation)
    return pointer is not None and not is_null and hook_of(pointer) in unset


def _needs_null(operation: Operation, given: Set[Expression]) -> bool:
    """Whether a condition holds only if a variable is NULL that is not."""
    pointer, is_null = asked(operation)
    return is_null and pointer in given
