"""Whether the bytes of arrays in structs are used in another way than by their elements."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Protocol

from kleene.cfa.expressions import Deref, Expression, Field, Index, Variable, walk
from kleene.cfa.operations import (
    Allocate,
    Assign,
    DeclareLocal,
    Free,
    MemCopy,
    MemSet,
    Operation,
    Realloc,
    Specified,
    expressions,
)
from kleene.cfa.program import CProgram
from kleene.cfa.types import ArrayType, RecordType, Type, is_scalar
from kleene.passes.calls.recursive_functions import with_one_automaton
from kleene.passes.facts.blocks_of_pointers import Blocks
from kleene.passes.facts.memory import constant_of

Spots = dict[str, list[tuple[int, int]]]
"""The bytes of the arrays in each struct, from the first one to the one behind the last."""


class MemberArrays(Protocol):
    """The arrays that become pointers."""

    @property
    def spots(self) -> Spots: ...

    @property
    def escape(self) -> bool:
        """Whether the program has addresses of their elements in variables or in memory."""

    def has_arrays(self, type_: Type | None) -> bool: ...

    def is_member(self, lvalue: Expression) -> bool: ...


def has_other_uses(before: CProgram, after: CProgram, arrays: MemberArrays, handled: Collection[Operation]) -> bool:
    """Whether a program, before or after its arrays became pointers, uses their bytes in another way."""
    if _has_other_objects(before, arrays.spots):
        return True
    return _Uses(with_one_automaton(after), arrays, handled).exist()


def _has_other_objects(program: CProgram, spots: Spots) -> bool:
    """Whether structs with arrays are in arrays, unions, parameters or variables that have values from the start."""
    for layout in program.records.values():
        for member in layout.fields:
            in_array = isinstance(member.type, ArrayType) and _holds(member.type, spots)
            if in_array or (layout.union and _holds(member.type, spots)):
                return True
    variables = {g.variable for g in program.globals if g.initial or g.external}
    declared: set[Variable] = set()
    for function in program.functions.values():
        variables.update(function.parameters)
        declared.update(e.label.variable for e in function.cfa.edges if isinstance(e.label, DeclareLocal))
        variables.update(v for v in function.locals if v not in declared)
    arrays = [v for v in declared | {g.variable for g in program.globals} if isinstance(v.type, ArrayType)]
    return any(_holds(v.type, spots) for v in (*variables, *arrays))


def _holds(type_: Type, spots: Spots) -> bool:
    while isinstance(type_, ArrayType):
        type_ = type_.element
    return isinstance(type_, RecordType) and type_.name in spots


class _Uses:
    """The uses of objects in one automaton; `handled` are the operations on whole structs that are rewritten."""

    def __init__(self, program: CProgram, arrays: MemberArrays, handled: Collection[Operation]) -> None:
        self.cfa, self.arrays, self.handled = program.main.cfa, arrays, handled
        self.ends = {o.place for o in handled if isinstance(o, Free)}
        """The places where structs end; the variables of recursive functions have other names here."""
        self.blocks = Blocks(program, self.cfa)
        self.kinds: dict[object, list[tuple[int, int]]] = {}
        for name, spots in arrays.spots.items():
            for kind in self.blocks.memory.sizes:
                if int(kind) == program.records[name].type.size and str(kind) in (str(int(kind)), name):
                    self.kinds.setdefault(kind, []).extend(spots)

    def exist(self) -> bool:
        moved = self.blocks.moved_kinds
        if not self.blocks.known or moved is None or moved & self.kinds.keys():
            return True
        return any(self._is_other(edge.label) for edge in self.cfa.edges)

    def _is_other(self, operation: Operation) -> bool:
        if operation in self.handled or (isinstance(operation, Free) and operation.place in self.ends):
            return False
        match operation:
            case Specified():
                return True
            case Allocate(element=element):
                made, own = self.blocks.of_allocation(operation), self.arrays.has_arrays(element)
                whole = element is not None and constant_of(operation.size) == element.size and not operation.stack
                if (own and not whole) or (made in self.kinds and not own):
                    return True
            case MemSet(pointer=pointer, size=size):
                return self._touches(self.blocks.places(pointer), constant_of(size))
            case MemCopy(destination=to, source=source, size=size):
                return any(self._touches(self.blocks.places(p), constant_of(size)) for p in (to, source))
            case Realloc(pointer=pointer):
                return self._touches(self.blocks.places(pointer), None)
            case Free(pointer=pointer) if self.arrays.escape and not operation.stack:
                if self._touches(self.blocks.places(pointer), None):  # its arrays would go on to exist
                    return True
            case Assign(target=target, value=value) if isinstance(target.type, RecordType | ArrayType):
                sides = [self.blocks.address_places(side) for side in (target, value)]
                return self.arrays.has_arrays(target.type) or any(
                    self._touches(places, target.type.size) for places in sides
                )
        return any(self._is_other_access(node) for x in expressions(operation) for node in walk(x))

    def _is_other_access(self, node: Expression) -> bool:
        if not isinstance(node, Deref | Field | Index | Variable) or not is_scalar(node.type):
            return False
        if isinstance(node, Variable) and self.blocks.memory.kind(node) != "object":
            return False
        places = self.blocks.address_places(node)
        if not self.arrays.is_member(node):
            return self._touches(places, node.type.size)
        return places is None or not all(
            any(offset == start for start, _ in self.kinds.get(kind, ())) for kind, offset in places
        )

    def _touches(self, places: Collection[tuple[object, int]] | None, size: int | None) -> bool:
        """Whether some bytes from a place on, or all that there are, may be those of an array."""
        end = math.inf if size is None else size
        return any(
            offset < last and first < offset + end
            for kind, offset in places or ()
            for first, last in self.kinds.get(kind, ())
        )
