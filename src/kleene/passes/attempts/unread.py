"""Members that nothing reads: what is stored in them is replaced by NULL.

A binomial heap whose nodes have pointers to their parents is then a forest to the analysis, if no function reads
these pointers. A block that only such a member points to counts as lost, so this is one attempt of several. (Dead
stores, as in a compiler; here of whole members, by the places where pointers may point.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

from kleene.cfa.expressions import (
    AddressOf,
    Constant,
    Deref,
    Expression,
    Field,
    Index,
    Variable,
    children,
    has_dereference,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    Allocate,
    Assign,
    Assume,
    DeclareLocal,
    EndScope,
    Enter,
    Error,
    Exit,
    Free,
    HandOut,
    Havoc,
    Invoke,
    Leave,
    MemSet,
    Operation,
    Print,
    Return,
    Skip,
    expressions,
)
from kleene.cfa.types import PointerType
from kleene.passes.facts.memory import Memory, Place, Unmodelled
from kleene.passes.rewrite import Choice, expand_edges

_UNDERSTOOD = (
    Allocate
    | Assign
    | Assume
    | DeclareLocal
    | EndScope
    | Enter
    | Error
    | Exit
    | Free
    | HandOut
    | Havoc
    | Invoke
    | Leave
    | MemSet
    | Return
    | Skip
)
"""Operations that read memory by their expressions only."""


def is_understood(operation: Operation) -> bool:
    """Whether an operation reads memory by its expressions only."""
    return isinstance(operation, _UNDERSTOOD) or (isinstance(operation, Print) and not operation.texts)


def unread_cells(memory: Memory) -> frozenset[Place]:
    """The pointer cells that some operation writes and none reads; none if an operation may read memory otherwise."""
    written: set[Place] = set()
    read: set[Place] = set()
    try:
        for operation in (*_initial(memory), *(edge.label for edge in memory.cfa.edges)):
            if not is_understood(operation):
                return frozenset()
            target = operation.target if isinstance(operation, Assign) else None
            for expression in expressions(operation):
                for lvalue in read_lvalues(expression, memory, is_place=expression is target):
                    for place in memory.address_places(lvalue):
                        read.update(memory.overlapped_pointers(place, lvalue.type.size))
            if target is not None and isinstance(target.type, PointerType) and _is_in_memory(target, memory):
                written |= memory.address_places(target)
    except Unmodelled:
        return frozenset()
    given = {place for a in _initial(memory) if isinstance(a, Assign) for place in memory.address_places(a.target)}
    return frozenset(place for place in written & memory.cell_of.keys() if place not in read | given)


def without_unread_cells(memory: Memory) -> Cfa[Operation]:
    """The automaton of the memory with NULL in the cells that nothing reads."""
    unread = unread_cells(memory)
    if not unread:
        return memory.cfa
    numbers = count()

    def expand(edge: Edge[Operation]) -> list[Choice] | None:
        label = edge.label
        if not isinstance(label, Assign) or not isinstance(label.target.type, PointerType):
            return None
        if isinstance(label.value, Constant) or not _is_in_memory(label.target, memory):
            return None
        if not memory.address_places(label.target) <= unread:
            return None
        stored = replace(label, value=Constant(0, label.target.type))
        if not has_dereference(label.value):
            return [Choice(None, (stored,))]
        ignored = Variable(f"$unread{next(numbers)}", label.value.type)
        return [Choice(None, (replace(label, target=ignored), stored))]

    return expand_edges(memory.cfa, expand, "%")


def _initial(memory: Memory) -> list[Operation]:
    return [assignment for item in memory.program.globals for assignment in item.initial]


def _is_in_memory(lvalue: Expression, memory: Memory) -> bool:
    return not isinstance(lvalue, Variable) or memory.kind(lvalue) == "object"


def read_lvalues(expression: Expression, memory: Memory, *, is_place: bool) -> Iterator[Expression]:
    """The lvalues in memory that an expression reads; with `is_place` the expression itself is only addressed."""
    match expression:
        case Field(base=base):
            yield from read_lvalues(base, memory, is_place=True)
        case Index(base=base, index=index):
            yield from read_lvalues(base, memory, is_place=True)
            yield from read_lvalues(index, memory, is_place=False)
        case Deref(pointer=pointer):
            yield from read_lvalues(pointer, memory, is_place=False)
        case AddressOf(target=target):
            yield from read_lvalues(target, memory, is_place=True)
            return
        case Variable():
            if memory.kind(expression) != "object":
                return
        case _:
            for part in children(expression):
                yield from read_lvalues(part, memory, is_place=False)
            return
    if not is_place:
        yield expression
