"""Tests that never hold: what an allocator that ends the program without memory returns is compared with NULL.

What is behind such a test is no part of a function (`live_steps`). Where pointers are not NULL on all paths is a
forward analysis of one function, which knows what its callees return. It is sound: a store through a pointer may
change all that is in memory.
"""

from __future__ import annotations

from collections.abc import Collection

from kleene.cfa.expressions import (
    AddressOf,
    Comparison,
    Constant,
    Expression,
    Unary,
    Variable,
    root_variable,
    walk,
    without_casts,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    Allocate,
    Assign,
    Assume,
    Call,
    DeclareLocal,
    EndScope,
    Operation,
    Return,
    address_taken,
)
from kleene.cfa.program import CProgram
from kleene.cfa.types import PointerType
from kleene.passes.facts.memory import constant_of

Facts = frozenset[Expression]
"""Variables and places in memory whose pointers are not NULL."""


def never_null(program: CProgram) -> frozenset[str]:
    """The functions that return a pointer, and never NULL."""
    found = frozenset[str]()
    while more := {n for n, f in program.functions.items() if n not in found and _returns_block(f.cfa, found)}:
        found |= more
    return found


def impossible(cfa: Cfa[Operation], returning: Collection[str]) -> frozenset[Edge[Operation]]:
    """The conditions that need NULL where there is none; `returning` are functions that never return NULL."""
    known = _facts(cfa, returning)
    return frozenset(e for e in cfa.edges if e.source in known and _contradicts(e.label, known[e.source]))


def _returns_block(cfa: Cfa[Operation], returning: Collection[str]) -> bool:
    known = _facts(cfa, returning)
    returned = [
        (e.label.value, known[e.source]) for e in cfa.edges if isinstance(e.label, Return) and e.source in known
    ]
    return bool(returned) and all(
        value is not None and isinstance(value.type, PointerType) and _is_block(value, facts)
        for value, facts in returned
    )


def _facts(cfa: Cfa[Operation], returning: Collection[str]) -> dict[str, Facts]:
    """What is not NULL at each location on all paths to it; nothing is stored for locations that none reaches."""
    hidden = address_taken(edge.label for edge in cfa.edges)
    known: dict[str, Facts] = {cfa.entry: frozenset()}
    waiting = [cfa.entry]
    while waiting:
        location = waiting.pop()
        for edge in cfa.leaving(location):
            if _contradicts(edge.label, known[location]):
                continue
            after = frozenset(f for f in _after(edge.label, known[location], returning) if not _reads(f, hidden))
            joined = after & known.get(edge.target, after)
            if joined != known.get(edge.target):
                known[edge.target] = joined
                waiting.append(edge.target)
    return known


def _after(operation: Operation, facts: Facts, returning: Collection[str]) -> Facts:
    """What is not NULL after an operation; one of another kind may change all."""
    match operation:
        case Assume():
            pointer, is_null = asked(operation)
            return facts if pointer is None or is_null else facts | {without_casts(pointer)}
        case Assign(target=target, value=value):
            return _stored(facts, target) | ({target} if _is_block(value, facts) else frozenset())
        case Allocate(target=target, may_fail=may_fail):
            return _stored(facts, target) | (frozenset() if may_fail else {target})
        case Call(function=function, result=result):
            kept = frozenset(f for f in facts if isinstance(f, Variable) and not f.is_global)
            if result is None:
                return kept
            return _stored(kept, result) | ({result} if function in returning else frozenset())
        case DeclareLocal(variable=variable):
            return _stored(facts, variable)
        case EndScope(variables=variables):
            return frozenset(f for f in facts if not _reads(f, variables))
        case _:
            return frozenset()


def _stored(facts: Facts, target: Expression) -> Facts:
    """What is left of facts when a target is written: a place in memory may be any other one, and a global variable."""
    if isinstance(target, Variable) and not target.is_global:
        return frozenset(f for f in facts if not _reads(f, (target,)))
    return frozenset(f for f in facts if isinstance(f, Variable) and not f.is_global)


def _reads(fact: Expression, variables: Collection[Expression]) -> bool:
    return any(node in variables for node in walk(fact))


def _is_block(value: Expression, facts: Facts) -> bool:
    value = without_casts(value)
    if isinstance(value, AddressOf):
        return root_variable(value.target) is not None
    return value in facts or (isinstance(value, Constant) and value.value != 0)


def _contradicts(operation: Operation, facts: Facts) -> bool:
    if not isinstance(operation, Assume):
        return False
    pointer, is_null = asked(operation)
    return is_null and pointer is not None and without_casts(pointer) in facts


def asked(operation: Operation) -> tuple[Expression | None, bool]:
    """What a condition asks of a pointer, and whether it is to be NULL or 0; None for other operations."""
    if not isinstance(operation, Assume):
        return None, False
    condition, truth = operation.condition, operation.truth
    while isinstance(condition, Unary) and condition.operator == "!":
        condition, truth = condition.operand, not truth
    if not isinstance(condition, Comparison) or constant_of(condition.right) != 0:
        return condition, not truth
    return (
        (condition.left, (condition.operator == "==") is truth) if condition.operator in ("==", "!=") else (None, False)
    )
