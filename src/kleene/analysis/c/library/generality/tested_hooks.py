"""Parameters for functions of the client that code of the library compares with NULL, there or where they are kept.

A library that tests ``l->drop`` before it calls it lets its clients pass NULL. A call without such a test is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kleene.analysis.c.library.generality.hooks import NO_HOOK, Hook, hook_of, live_steps
from kleene.cfa.expressions import Comparison, Expression, Unary, Variable, walk, without_casts
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Assign, Assume, Call, Operation
from kleene.cfa.program import CProgram
from kleene.cfa.types import FunctionType, PointerType
from kleene.passes.facts.memory import constant_of

_Holder = tuple[str, Variable] | Hook
"""What may hold a function of the client: a variable of a function, or a member."""


def tested_hooks(program: CProgram) -> set[tuple[str, int]]:
    """The parameters whose value some code compares with NULL: functions by name, parameters by place."""
    return _parameters(program, _tested(program))


def asserted_hooks(program: CProgram) -> set[tuple[str, int]]:
    """The parameters of which some code asserts that they are not NULL, there or where they are kept."""
    return _parameters(program, _asked(program, closed_conditions))


def _parameters(program: CProgram, holders: set[_Holder]) -> set[tuple[str, int]]:
    return {
        (name, place)
        for name, function in program.functions.items()
        for place, parameter in enumerate(function.parameters)
        if (name, parameter) in holders
    }


def tested_members(program: CProgram) -> set[Hook]:
    """The members for functions of the client that some code compares with NULL."""
    return {(holder[0], holder[1]) for holder in _tested(program) if isinstance(holder[1], int)}


def _tested(program: CProgram) -> set[_Holder]:
    return _asked(program, open_conditions)


def _asked(program: CProgram, conditions: Callable[[Cfa[Operation]], list[Expression]]) -> set[_Holder]:
    """What some conditions compare with NULL, and what is assigned to it or passed as it."""
    edges = [(name, edge.label) for name, function in program.functions.items() for edge in function.cfa.edges]
    tested = {
        _holder(name, value)
        for name, function in program.functions.items()
        for condition in conditions(function.cfa)
        for value in _compared(condition)
    }
    flows: list[tuple[_Holder, _Holder]] = []
    for name, label in edges:
        if isinstance(label, Assign):
            flows.append((_holder(name, label.value), _holder(name, label.target)))
        elif isinstance(label, Call) and isinstance(label.function, str) and label.function in program.functions:
            parameters = program.functions[label.function].parameters
            pairs = zip(label.arguments, parameters, strict=False)
            flows += [(_holder(name, value), (label.function, p)) for value, p in pairs]
    tested.discard(NO_HOOK)
    while more := {source for source, target in flows if target in tested} - tested - {NO_HOOK}:
        tested |= more
    return tested


def _holder(function: str, value: Expression) -> _Holder:
    """The variable or member that an expression reads, or none: only pointers to functions count."""
    value = without_casts(value)
    if not isinstance(value.type, PointerType) or not isinstance(value.type.target, FunctionType):
        return NO_HOOK
    if isinstance(value, Variable):
        return ("" if value.is_global else function), value
    return hook_of(value)


def open_conditions(cfa: Cfa[Operation]) -> list[Expression]:
    """The conditions of which both outcomes may return: an assertion states that NULL is not admissible."""
    return _conditions(cfa, closed=False)


def closed_conditions(cfa: Cfa[Operation]) -> list[Expression]:
    """The conditions of assertions: one of their outcomes never returns."""
    return _conditions(cfa, closed=True)


def _conditions(cfa: Cfa[Operation], *, closed: bool) -> list[Expression]:
    returning = live_steps(cfa, {})
    tests = [edge for edge in cfa.edges if isinstance(edge.label, Assume)]
    asserting = {edge.source for edge in tests if edge.target not in returning}
    return [e.label.condition for e in tests if isinstance(e.label, Assume) and (e.source in asserting) is closed]


def _compared(condition: Expression) -> Iterator[Expression]:
    """What a condition compares with NULL."""
    for node in walk(condition):
        if isinstance(node, Comparison) and constant_of(node.right) == 0:
            yield node.left
        elif isinstance(node, Unary) and node.operator == "!":
            yield node.operand
    yield condition
