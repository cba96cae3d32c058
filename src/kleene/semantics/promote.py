"""Pointers that always hold the address of one variable are replaced by that variable.

After inlining, a parameter such as ``struct node **l`` that was passed ``&list`` has exactly one assignment,
``l = &list``. Then ``*l`` is `list`, and if all uses of ``&list`` vanish that way, `list` need not be a memory object.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from kleene.cfa.expressions import AddressOf, Cast, Deref, Expression, Variable, children, walk
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    Allocate,
    Assign,
    DeclareLocal,
    EndScope,
    Enter,
    Havoc,
    Invoke,
    Operation,
    Realloc,
    Skip,
    expressions,
)
from kleene.semantics.liveness import defined, starts, used
from kleene.semantics.rewrite import rewrite_operation


def promoted(cfa: Cfa[Operation]) -> Cfa[Operation]:
    """The automaton with dereferences of constant addresses replaced, until nothing more can be."""
    while True:
        constants = _constant_addresses(cfa)
        if not constants:
            return cfa
        changed = _replaced(cfa, constants)
        if changed.edges == cfa.edges:
            return cfa
        cfa = changed


def address_taken(operations: Iterable[Operation]) -> frozenset[Variable]:
    """The variables whose address (or a member's address) some expression takes."""
    found: set[Variable] = set()
    for operation in operations:
        for expression in expressions(operation):
            for node in walk(expression):
                if isinstance(node, AddressOf):
                    found |= set(_lvalue_root(node.target))
    return frozenset(found)


def _lvalue_root(expression: Expression) -> list[Variable]:
    while True:
        if isinstance(expression, Variable):
            return [expression]
        if isinstance(expression, Deref) or not children(expression):
            return []
        expression = children(expression)[0]


def _constant_addresses(cfa: Cfa[Operation]) -> dict[Variable, Variable]:
    """Pointer variables with one assignment in the whole program, of the address of a whole variable."""
    assigned: Counter[Variable] = Counter()
    value: dict[Variable, Variable] = {}
    taken = address_taken(edge.label for edge in cfa.edges)
    for edge in cfa.edges:
        operation = edge.label
        target = (
            getattr(operation, "target", None) if isinstance(operation, Assign | Allocate | Realloc | Havoc) else None
        )
        if isinstance(operation, Assign) and isinstance(target, Variable):
            assigned[target] += 1
            pointed = _address(operation.value)
            if pointed is not None:
                value[target] = pointed
        elif isinstance(target, Variable):
            assigned[target] += 1
        elif isinstance(operation, Enter | Invoke):
            assigned.update(defined(operation))
    candidates = {p: x for p, x in value.items() if assigned[p] == 1 and p not in taken and not p.is_global and p != x}
    doubtful = _doubtful(cfa, candidates)
    return {p: x for p, x in candidates.items() if p not in doubtful}


def _doubtful(cfa: Cfa[Operation], candidates: dict[Variable, Variable]) -> set[Variable]:
    """Candidates that some path reads before their assignment, or after the life of the variable they point to."""
    start = frozenset((p, "unset") for p in candidates)
    reached: dict[str, frozenset[tuple[Variable, str]]] = dict.fromkeys(starts(cfa), start)
    waiting = list(reached)
    doubtful: set[Variable] = set()
    while waiting:
        location = waiting.pop()
        for edge in cfa.leaving(location):
            facts = set(reached[location])
            doubtful |= {p for p, _ in facts if p in candidates and p in used(edge.label)}
            after = frozenset(_facts_after(edge.label, facts, candidates))
            merged = reached.get(edge.target, frozenset()) | after
            if merged != reached.get(edge.target):
                reached[edge.target] = merged
                waiting.append(edge.target)
    return doubtful


def _facts_after(
    operation: Operation, facts: set[tuple[Variable, str]], candidates: dict[Variable, Variable]
) -> set[tuple[Variable, str]]:
    """What may be wrong with a candidate after an operation: it is 'unset', or its variable has 'ended'."""
    if isinstance(operation, Assign) and operation.target in candidates:
        return {fact for fact in facts if fact[0] != operation.target}
    if isinstance(operation, DeclareLocal):
        if operation.variable in candidates:
            facts = facts | {(operation.variable, "unset")}
        return facts
    if isinstance(operation, EndScope):
        return facts | {(p, "ended") for p, x in candidates.items() if x in operation.variables}
    return facts


def _address(value: Expression) -> Variable | None:
    while isinstance(value, Cast):
        value = value.operand
    if isinstance(value, AddressOf) and isinstance(value.target, Variable):
        return value.target
    return None


def _replaced(cfa: Cfa[Operation], constants: dict[Variable, Variable]) -> Cfa[Operation]:
    def simplify(node: Expression) -> Expression:
        if isinstance(node, Deref) and isinstance(node.pointer, Variable) and node.pointer in constants:
            target = constants[node.pointer]
            if target.type == node.type:
                return target
        return node

    edges = [replace(e, label=rewrite_operation(e.label, simplify)) for e in cfa.edges]
    read = {v for edge in edges for v in used(edge.label)}
    return Cfa(cfa.entry, tuple(_without_unused(e, constants, read) for e in edges))


def _without_unused(edge: Edge[Operation], constants: dict[Variable, Variable], read: set[Variable]) -> Edge[Operation]:
    """Drop the assignment of a constant address that nothing reads any more."""
    operation = edge.label
    if isinstance(operation, Assign) and operation.target in constants and operation.target not in read:
        return replace(edge, label=Skip(operation.place))
    return edge
