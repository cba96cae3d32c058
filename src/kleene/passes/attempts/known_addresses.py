"""Pointers to members whose object is known: the member is read and written directly.

In ``t = &root->left; ... *t = right;`` the target of `t` is ``root->left`` while neither variable changes. An analysis
that follows `t` would have to tell which member of which node it points to, and what is known of ``root->left`` would
not be known of ``*t``. (Copy propagation of addresses, forward over all paths.)

Numbers are read and written through the pointer that a variable is a copy of: what a function is known to do to
``q->key`` of its parameter is known of ``p->key`` of the caller. Pointers in memory are left, so that `p` need not be
followed for longer.
"""

from __future__ import annotations

from dataclasses import replace

from kleene.cfa.dataflow import solve_forward
from kleene.cfa.expressions import AddressOf, Deref, Expression, Field, Variable, walk
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, Call, Enter, Invoke, Leave, Operation, Specified
from kleene.cfa.types import IntegerType
from kleene.passes.facts.liveness import defined_variables, starts
from kleene.passes.facts.memory import Memory
from kleene.passes.rewrite import rewrite, rewrite_operation

Addresses = frozenset[tuple[Variable, Expression]]
"""Pointers, each with the member that it points to, or with the variable that it is a copy of."""


def with_known_addresses(memory: Memory) -> Cfa[Operation]:
    """The automaton with the members themselves where all paths agree on what a pointer points to."""
    cfa = memory.cfa
    nothing: Addresses = frozenset()

    def after(edge: Edge[Operation], before: Addresses) -> Addresses:
        return _after(edge.label, before, memory)

    def agree(_: str, known: Addresses, new: Addresses) -> Addresses | None:
        return known & new if not known <= new else None

    at = solve_forward(cfa, dict.fromkeys(starts(cfa), nothing), after, agree)
    if not any(at.values()):
        return cfa
    edges = tuple(_with_members(edge, at.get(edge.source, nothing)) for edge in cfa.edges)
    return Cfa(cfa.entry, edges) if any(new is not old for new, old in zip(edges, cfa.edges, strict=True)) else cfa


def _with_members(edge: Edge[Operation], known: Addresses) -> Edge[Operation]:
    pairs = sorted(known, key=str)  # any of several is right, and always the same
    members = {v: lvalue for v, lvalue in pairs if isinstance(lvalue, Field)}
    copies = {v for v, lvalue in pairs if isinstance(lvalue, Variable)}
    originals = {v: lvalue for v, lvalue in pairs if isinstance(lvalue, Variable) and lvalue not in copies}

    def change(node: Expression) -> Expression:
        if isinstance(node, Field) and isinstance(node.type, IntegerType):
            return rewrite(node, through_copies)
        member = members.get(node.pointer) if isinstance(node, Deref) and isinstance(node.pointer, Variable) else None
        return member if member is not None and member.type == node.type else node

    def through_copies(node: Expression) -> Expression:
        if isinstance(node, Deref) and isinstance(node.pointer, Variable) and node.pointer in originals:
            return replace(node, pointer=originals[node.pointer])
        return node

    label = rewrite_operation(edge.label, change) if known else edge.label
    return edge if label == edge.label else Edge(edge.source, label, edge.target)


def _after(operation: Operation, before: Addresses, memory: Memory) -> Addresses:
    if isinstance(operation, Call | Invoke | Enter | Leave | Specified):
        return frozenset()
    changed = set(defined_variables(operation))
    kept = {(v, member) for v, member in before if v not in changed and changed.isdisjoint(walk(member))}
    if isinstance(operation, Assign) and isinstance(operation.target, Variable):
        target, value = operation.target, operation.value
        if isinstance(value, AddressOf) and _is_member(value.target, memory) and target not in walk(value):
            kept.add((target, value.target))
        kept |= {(target, m) for v, m in before if v == value and target not in walk(m)}
        if isinstance(value, Variable) and value != target and value.type == target.type:
            kept |= {(target, value)} if memory.kind(value) == "pointer" else set()
    return frozenset((v, member) for v, member in kept if memory.kind(v) == "pointer")


def _is_member(lvalue: Expression, memory: Memory) -> bool:
    """Whether an lvalue is a member of what a variable outside memory points to."""
    if not isinstance(lvalue, Field):
        return False
    while isinstance(lvalue, Field):
        lvalue = lvalue.base
    pointer = lvalue.pointer if isinstance(lvalue, Deref) else None
    return isinstance(pointer, Variable) and memory.kind(pointer) == "pointer"
