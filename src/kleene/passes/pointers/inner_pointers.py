"""Pointers into arrays that become lists of slots: no one may move such a pointer, or see more than an element by it.

A slot has a link behind its element, and the next element is elsewhere. So ``p = &items[0]; p[1].next = 0;`` would
write the link. Types say which pointers these are: that of the address, and those to which pointers of such types are
converted anywhere in the program.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from kleene.cfa.expressions import AddressOf, Cast, Expression, Field, Index, PointerOffset, Variable, walk
from kleene.cfa.operations import Operation, expressions
from kleene.cfa.program import CProgram
from kleene.cfa.types import ArrayType, IntegerType, PointerType, Type, VoidType


def left_by_pointers(program: CProgram, operations: Iterable[Operation], arrays: Iterable[Variable]) -> set[Variable]:
    """The arrays of which a pointer to an element may be moved to another one, or be taken for a larger object."""
    nodes = [n for o in operations for x in expressions(o) for n in walk(x)]
    return {array for array in arrays if _is_left(program, nodes, array)}


def _is_left(program: CProgram, nodes: Sequence[Expression], array: Variable) -> bool:
    addresses = {n.type for n in nodes if isinstance(n, AddressOf) and _is_in(n.target, array)}
    if not addresses:
        return False
    assert isinstance(array.type, ArrayType)
    pointers = _converted(nodes, addresses)
    if any(isinstance(t, IntegerType) for t in pointers) or _has_unions(program, pointers):
        return True
    seen = {t.target for t in pointers if isinstance(t, PointerType)}
    if any(not isinstance(t, VoidType) and t.size > array.type.element.size for t in seen):
        return True
    return any(isinstance(n, PointerOffset) and n.pointer.type in pointers for n in nodes)


def _is_in(lvalue: Expression, array: Variable) -> bool:
    while isinstance(lvalue, Field | Index):
        lvalue = lvalue.base
    return lvalue == array


def _converted(nodes: Sequence[Expression], types: Set[Type]) -> set[Type]:
    """The types to which pointers of some types are converted, by way of others, too; truth values are none."""
    casts = {(n.operand.type, n.type) for n in nodes if isinstance(n, Cast)}
    found = set(types)
    while more := {new for old, new in casts if old in found and not _is_truth(new)} - found:
        found |= more
    return found


def _is_truth(type_: Type) -> bool:
    return isinstance(type_, IntegerType) and type_.boolean


def _has_unions(program: CProgram, pointers: Set[Type]) -> bool:
    """Whether a pointer of such a type may be read as another one from a union."""
    return any(layout.union and any(f.type in pointers for f in layout.fields) for layout in program.records.values())
