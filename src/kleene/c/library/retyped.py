"""Bytes that a program reads as another type than it wrote them: numbers may hide pointers there.

Unknown code that is given such a number, or finds it in a variable that it can reach, may use the pointer. A pointer is
hidden by a conversion to a number, by a union, by a pointer to its bytes that has another type, and by a copy of bytes.
The reading of single bytes of a pointer is not supported, so that loops over bytes hide nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from kleene.cfa.expressions import Cast, Constant, Expression, walk
from kleene.cfa.operations import Allocate, Call, MemCopy, Realloc, expressions
from kleene.cfa.program import CProgram
from kleene.cfa.types import ArrayType, FunctionType, IntegerType, PointerType, RecordType, Type, VoidType


@dataclass
class Retyped:
    """The types that one program reads bytes of pointers as."""

    program: CProgram

    def may_hold_pointers(self, type_: Type) -> bool:
        """Whether an object of the type may hold pointers, in the open or hidden."""
        if self.holds_pointers(type_):
            return True
        if self._in_bytes:
            return type_.size >= self.program.pointer_size
        return self._in_words and self._has_words(type_)

    def holds_pointers(self, type_: Type) -> bool:
        """Whether a scalar of an object of the type is a pointer; true if the members are not known."""
        return any(isinstance(part, PointerType | FunctionType | None) for part in self._parts(type_))

    def is_converted(self, type_: PointerType) -> bool:
        """Whether the program may make a pointer of the type from one of another type."""
        return type_ in self._converted

    @cached_property
    def _nodes(self) -> tuple[Expression, ...]:
        return tuple(n for o in self.program.operations for x in expressions(o) for n in walk(x))

    @cached_property
    def _views(self) -> tuple[tuple[Type, Type], ...]:
        """Types of objects whose bytes may be read as the second type, but for copies of bytes."""
        casts = [n for n in self._nodes if isinstance(n, Cast) and not isinstance(n.operand, Constant)]
        views = [
            (n.operand.type.target, n.type.target)
            for n in casts
            if isinstance(n.operand.type, PointerType) and isinstance(n.type, PointerType)
        ]
        for layout in self.program.records.values():
            if layout.union:
                views += [(a.type, b.type) for a in layout.fields for b in layout.fields if a.type != b.type]
        return tuple(dict.fromkeys(views))

    @cached_property
    def _copies(self) -> tuple[tuple[Type, Type], ...]:
        """Types of objects whose bytes are copied to an object of the second type."""
        copies = (o for o in self.program.operations if isinstance(o, MemCopy))
        return tuple(dict.fromkeys((_target(o.source), _target(o.destination)) for o in copies))

    @cached_property
    def _in_words(self) -> bool:
        """Whether numbers of the size of a pointer may hide one."""
        casts = (n for n in self._nodes if isinstance(n, Cast) and isinstance(n.operand.type, PointerType))
        if any(not isinstance(n.type, PointerType) for n in casts):
            return True
        return any(self._is_open(a) and not self.holds_pointers(b) and self._has_words(b) for a, b in self._views)

    @cached_property
    def _in_bytes(self) -> bool:
        """Whether any bytes may hide a pointer."""
        unions = (
            (a.type, b.type)
            for layout in self.program.records.values()
            if layout.union
            for a in layout.fields
            for b in layout.fields
        )
        width = self.program.pointer_size
        if any(self.holds_pointers(a) and not self._fits(b) and b.size >= width for a, b in unions):
            return True
        return any((self._is_open(a) or self._hides(a)) and not self._fits(b) for a, b in self._copies)

    def _fits(self, type_: Type) -> bool:
        """Whether pointers in an object of the type are seen by its type, or by that of its words."""
        return self.holds_pointers(type_) or (self._in_words and self._has_words(type_))

    def _hides(self, type_: Type) -> bool:
        return self._in_words and self._has_words(type_)

    def _is_open(self, type_: Type) -> bool:
        """Whether an object may hold pointers as far as its type says; one behind `void *` may."""
        return isinstance(type_, VoidType) or self.holds_pointers(type_)

    def _has_words(self, type_: Type) -> bool:
        width = self.program.pointer_size
        return any(isinstance(part, IntegerType) and part.size >= width for part in self._parts(type_))

    @cached_property
    def _converted(self) -> frozenset[Type]:
        casts = (n for n in self._nodes if isinstance(n, Cast) and isinstance(n.type, PointerType))
        direct = {n.type for n in casts if n.operand.type != n.type and not isinstance(n.operand, Constant)}
        views = [view for view in (*self._views, *self._copies) if view[0] != view[1]]
        inner = {part for view in views for type_ in view for part in self._parts(type_)}
        made = set(direct | inner | set(self._results()))
        return frozenset(part for part in made if isinstance(part, PointerType))

    def _results(self) -> Iterator[Type]:
        """The types of variables that get new blocks, or results of functions of another type (`void *`)."""
        for operation in self.program.operations:
            if isinstance(operation, Allocate | Realloc):
                yield operation.target.type
            elif isinstance(operation, Call) and operation.result is not None:
                name = operation.function
                function = self.program.functions.get(name) if isinstance(name, str) else None
                if not isinstance(name, str) or (function and function.type.result != operation.result.type):
                    yield operation.result.type

    def _parts(self, type_: Type) -> Iterator[Type | None]:
        """The scalars of an object; None for those of a struct whose members are not known."""
        if isinstance(type_, ArrayType):
            yield from self._parts(type_.element)
        elif isinstance(type_, RecordType):
            layout = self.program.records.get(type_.name)
            if layout is None:
                yield None
            for field in layout.fields if layout is not None else ():
                yield from self._parts(field.type)
        else:
            yield type_


def uncast(expression: Expression) -> Expression:
    while isinstance(expression, Cast):
        expression = expression.operand
    return expression


def _target(pointer: Expression) -> Type:
    """What a pointer leads to by its type before conversions."""
    type_ = uncast(pointer).type
    return type_.target if isinstance(type_, PointerType) else VoidType()
