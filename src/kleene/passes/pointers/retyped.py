"""Pointers that are read and written as pointers of another type, through an address that is known.

``void release(void *at) { void **p = at; free(*p); *p = NULL; }`` with ``release(&table->buckets)``: after inlining,
``*p`` is ``table->buckets`` as a `void *` while `table` is the same. What takes its address hides the member from all
analyses of arrays and of struct members, so it is read and written itself, with a conversion. (Copy propagation of
addresses, forward over all paths, as in `attempts/known_addresses.py`, which keeps types.)
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from kleene.cfa.dataflow import solve_forward
from kleene.cfa.expressions import AddressOf, Cast, Deref, Expression, Field, Variable, walk, without_casts
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    Assign,
    Assume,
    Call,
    DeclareLocal,
    EndScope,
    Enter,
    Free,
    Invoke,
    Leave,
    Operation,
    Skip,
    Specified,
    address_taken,
    expressions,
)
from kleene.cfa.program import CProgram
from kleene.cfa.types import PointerType
from kleene.passes.facts.liveness import defined_variables, starts
from kleene.passes.promote import without_unused
from kleene.passes.rewrite import rewrite

Known = frozenset[tuple[Variable, Expression]]
"""Pointers, each with the variable or member that it points to."""


def with_retyped_pointers(program: CProgram) -> CProgram:
    """The program with variables and members in the place of what reads and writes them as another pointer."""
    functions = {name: replace(f, cfa=_retyped(f.cfa)) for name, f in program.functions.items()}
    return replace(program, functions=functions)


def _retyped(cfa: Cfa[Operation]) -> Cfa[Operation]:
    """Until nothing changes: a variable whose address is not taken any more may say where a member is."""
    while True:
        changed = _once_retyped(cfa)
        if changed == cfa:
            return cfa
        cfa = changed


def _once_retyped(cfa: Cfa[Operation]) -> Cfa[Operation]:
    if not any(_retypes(n) for e in cfa.edges for x in expressions(e.label) for n in walk(x)):
        return cfa
    exposed = address_taken(edge.label for edge in cfa.edges)
    nothing: Known = frozenset()

    def agree(_: str, known: Known, new: Known) -> Known | None:
        return known & new if not known <= new else None

    at = solve_forward(
        cfa, dict.fromkeys(starts(cfa), nothing), lambda edge, before: _after(edge.label, before, exposed), agree
    )
    edges = tuple(_read_and_written(edge, dict(at.get(edge.source, nothing))) for edge in cfa.edges)
    if edges == cfa.edges:
        return cfa
    return _without_unused_addresses(Cfa(cfa.entry, edges), {v for known in at.values() for v, _ in known})


def _retypes(node: Expression) -> bool:
    """Whether it makes a pointer to a pointer to something else of another pointer, or of an address."""
    if not isinstance(node, Cast) or not _to_pointer(node.type):
        return False
    return isinstance(without_casts(node), Variable | AddressOf)


def _to_pointer(type_: object) -> bool:
    return isinstance(type_, PointerType) and isinstance(type_.target, PointerType)


def _without_unused_addresses(cfa: Cfa[Operation], pointers: Set[Variable]) -> Cfa[Operation]:
    """The automaton without pointers that nothing reads any more; a pointer may have been read by such a one only."""
    while True:
        fewer = without_unused(cfa, pointers)
        if fewer == cfa:
            return cfa
        cfa = fewer


def _after(operation: Operation, before: Known, exposed: Set[Variable]) -> Known:
    if isinstance(operation, Call | Invoke | Enter | Leave | Specified):
        return frozenset()
    changed = set(defined_variables(operation))
    if isinstance(operation, EndScope):
        changed |= set(operation.variables)
    if isinstance(operation, DeclareLocal):
        changed.add(operation.variable)
    if not isinstance(operation, Assume | DeclareLocal | EndScope | Free | Skip) and not _writes_variable(operation):
        changed |= exposed
    kept = {(v, lvalue) for v, lvalue in before if v not in changed and changed.isdisjoint(_base(lvalue))}
    if isinstance(operation, EndScope | DeclareLocal):
        kept = {(v, lvalue) for v, lvalue in kept if changed.isdisjoint(walk(lvalue))}
    if isinstance(operation, Assign) and isinstance(operation.target, Variable) and operation.target not in exposed:
        target, value = operation.target, without_casts(operation.value)
        if isinstance(value, AddressOf) and _is_known(value.target) and target not in walk(value):
            kept.add((target, value.target))
        kept |= {(target, lvalue) for v, lvalue in before if v == value and target not in walk(lvalue)}
    return frozenset(kept)


def _writes_variable(operation: Operation) -> bool:
    """Whether it changes one variable and nothing else."""
    return isinstance(operation, Assign) and isinstance(operation.target, Variable)


def _is_known(lvalue: Expression) -> bool:
    """Whether an lvalue is a pointer: a variable, or a member of what a variable points to."""
    if not isinstance(lvalue.type, PointerType):
        return False
    return isinstance(lvalue, Variable) or bool(_base(lvalue))


def _base(lvalue: Expression) -> tuple[Variable, ...]:
    """The variable that says where a member is: a variable itself is always in one place."""
    if not isinstance(lvalue, Field):
        return ()
    while isinstance(lvalue, Field):
        lvalue = lvalue.base
    pointer = lvalue.pointer if isinstance(lvalue, Deref) else None
    return (pointer,) if isinstance(pointer, Variable) else ()


def _read_and_written(edge: Edge[Operation], known: dict[Variable, Expression]) -> Edge[Operation]:
    """The edge with what pointers of another type point to; only where a value is read, or such a pointer is set."""
    label = edge.label
    if not known or not isinstance(label, Assign | Assume | Free):
        return edge
    if any(isinstance(n, AddressOf) and _target(n.target, known) for x in expressions(label) for n in walk(x)):
        return edge

    def value(node: Expression) -> Expression:
        lvalue = _target(node, known)
        return node if lvalue is None else Cast(lvalue, node.type)

    new: Operation
    match label:
        case Assign(target=target):
            written, read = _target(target, known), rewrite(label.value, value)
            new = replace(label, value=read)
            if written is not None:
                new = replace(label, target=written, value=Cast(read, written.type))
        case Assume():
            new = replace(label, condition=rewrite(label.condition, value))
        case Free():
            new = replace(label, pointer=rewrite(label.pointer, value))
    return edge if new == label else replace(edge, label=new)


def _target(node: Expression, known: dict[Variable, Expression]) -> Expression | None:
    """The lvalue that is read or written as a pointer of another type."""
    if not isinstance(node, Deref) or not isinstance(node.type, PointerType):
        return None
    pointer = without_casts(node.pointer)
    lvalue = known.get(pointer) if isinstance(pointer, Variable) else None
    if lvalue is None or lvalue.type == node.type or lvalue.type.size != node.type.size:
        return None
    return lvalue
