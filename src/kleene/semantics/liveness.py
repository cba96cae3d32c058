"""Which variables are still needed: dead ones are forgotten, since the number of structures is what kills the analysis."""

from __future__ import annotations

from collections.abc import Set

from kleene.cfa.expressions import AddressOf, Expression, Variable, walk
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import (
    Allocate,
    Assign,
    DeclareLocal,
    EndScope,
    Error,
    Exit,
    Havoc,
    Operation,
    Realloc,
    expressions,
)
from kleene.cfa.types import PointerType


def defined(operation: Operation) -> Variable | None:
    """The variable that the operation overwrites as a whole."""
    if isinstance(operation, Assign | Allocate | Realloc | Havoc) and isinstance(operation.target, Variable):
        return operation.target
    if isinstance(operation, DeclareLocal):
        return operation.variable
    return None


def used(operation: Operation) -> frozenset[Variable]:
    """The variables whose value the operation reads."""
    if isinstance(operation, DeclareLocal | EndScope):
        return frozenset()
    found = set()
    target = getattr(operation, "target", None)
    for expression in expressions(operation):
        if expression is target and isinstance(expression, Variable):
            continue
        found |= _read(expression)
    return frozenset(found)


def _read(expression: Expression) -> set[Variable]:
    if isinstance(expression, AddressOf) and isinstance(expression.target, Variable):
        return set()
    return {node for node in walk(expression) if isinstance(node, Variable)}


def live_before(cfa: Cfa[Operation], tracked: Set[Variable]) -> dict[str, frozenset[Variable]]:
    """For each location, the tracked variables whose value some path from there reads before writing it."""
    live: dict[str, frozenset[Variable]] = {name: frozenset() for name in cfa.locations}
    waiting = list(cfa.locations)
    while waiting:
        location = waiting.pop()
        needed: set[Variable] = set()
        for edge in cfa.leaving(location):
            after = set(live[edge.target])
            after.discard(defined(edge.label))
            needed |= after | used(edge.label)
            if isinstance(edge.label, Exit | Error):
                needed |= {v for v in tracked if isinstance(v.type, PointerType)}  # they still hold their blocks
        needed &= tracked
        if needed != live[location]:
            live[location] = frozenset(needed)
            waiting += [edge.source for edge in cfa.entering(location)]
    return live
