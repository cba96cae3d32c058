"""Initialisers that make all elements of an array zero, one after the other, as one operation on the array."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from kleene.cfa.expressions import AddressOf, Constant, Expression, Field, Index
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, MemSet, Operation, Skip
from kleene.cfa.program import CProgram
from kleene.cfa.types import INT, ArrayType, IntegerType, PointerType
from kleene.passes.facts.memory import Unmodelled, constant_of, leaves


def with_zeroed_arrays(
    program: CProgram, cfa: Cfa[Operation], is_wanted: Callable[[Expression], bool]
) -> Cfa[Operation]:
    """The automaton with a `memset` for the last of the assignments that make an array zero, and nothing for others."""
    new: dict[Edge[Operation], Operation] = {}
    for edge in cfa.edges:
        array = _zeroed_array(edge.label, is_wanted)
        if array is None or edge in new:
            continue
        run = list(_run(cfa, edge, array, is_wanted))
        if _covers(program, array, run):
            new |= {e: Skip(e.label.place) for e in run[:-1]}
            new[run[-1]] = _memset(program, array, run[-1])
    return Cfa(cfa.entry, tuple(replace(e, label=new.get(e, e.label)) for e in cfa.edges)) if new else cfa


def _zeroed_array(operation: Operation, is_wanted: Callable[[Expression], bool]) -> Expression | None:
    """The array of which an element, or a member of one, becomes zero."""
    if not isinstance(operation, Assign) or constant_of(operation.value) != 0:
        return None
    place = operation.target
    while isinstance(place, Field | Index):
        if isinstance(place, Index) and constant_of(place.index) is None:
            return None
        place = place.base
        if isinstance(place.type, ArrayType) and is_wanted(place):
            return place
    return None


def _run(
    cfa: Cfa[Operation], start: Edge[Operation], array: Expression, is_wanted: Callable[[Expression], bool]
) -> Iterator[Edge[Operation]]:
    """The assignments to an array that follow each other."""
    edge = start
    while _zeroed_array(edge.label, is_wanted) == array:
        yield edge
        following = cfa.leaving(edge.target)
        if len(following) != 1 or len(cfa.entering(edge.target)) != 1:
            return
        edge = following[0]


def _covers(program: CProgram, array: Expression, run: list[Edge[Operation]]) -> bool:
    assert isinstance(array.type, ArrayType)
    element, count = array.type.element, array.type.count
    try:
        parts = {leaf.offset for leaf in leaves(element, program)}
    except Unmodelled:
        return False
    zeroed = {_offset(e.label.target, array) for e in run if isinstance(e.label, Assign)}
    return all(k * element.size + offset in zeroed for k in range(count) for offset in parts)


def _offset(lvalue: Expression, array: Expression) -> int:
    offset = 0
    while lvalue != array:
        assert isinstance(lvalue, Field | Index)
        if isinstance(lvalue, Field):
            offset += lvalue.offset
        else:
            offset += (constant_of(lvalue.index) or 0) * lvalue.type.size
        lvalue = lvalue.base
    return offset


def _memset(program: CProgram, array: Expression, edge: Edge[Operation]) -> MemSet:
    assert isinstance(array.type, ArrayType)
    word = IntegerType(program.pointer_size * 8, signed=False, name="unsigned long")
    address = AddressOf(array, PointerType(array.type.element, program.pointer_size))
    return MemSet(edge.label.place, address, Constant(0, INT), Constant(array.type.size, word))
