"""What an element of an array consists of: a pointer, or a struct of pointers and numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from kleene.cfa.expressions import Deref, Expression, Field, Index
from kleene.cfa.program import CProgram
from kleene.cfa.types import ArrayType, FloatType, IntegerType, PointerType, RecordType, Type
from kleene.passes.facts.memory import constant_of
from kleene.passes.scalars import Part, parts_of

MOST_POINTERS = 4
"""Pointers in an element that are followed: each has facts of its own."""


@dataclass(frozen=True)
class Shape:
    """The scalars of an element."""

    element: Type
    parts: tuple[Part, ...]

    @property
    def size(self) -> int:
        """Bytes of an element."""
        return self.element.size

    @cached_property
    def pointers(self) -> tuple[int, ...]:
        """The offsets of the pointers."""
        return tuple(p.offset for p in self.parts if isinstance(p.type, PointerType))

    @property
    def is_struct(self) -> bool:
        return bool(self.parts[0].path)

    def root(self, lvalue: Expression) -> Deref | None:
        """The element of which an lvalue would be a part, if it is in the array."""
        while isinstance(lvalue, Field | Index):
            lvalue = lvalue.base
        return lvalue if isinstance(lvalue, Deref) else None

    def member(self, lvalue: Expression) -> int | None:
        """Which of the pointers of an element an lvalue would be, if it is in the array."""
        offset = self._offset(lvalue) if isinstance(lvalue.type, PointerType) else None
        return self.pointers.index(offset) if offset in self.pointers else None

    def is_number(self, lvalue: Expression) -> bool:
        """Whether an lvalue would be bytes of an element beside its pointers, if it is in the array."""
        offset = self._offset(lvalue) if isinstance(lvalue.type, IntegerType | FloatType) else None
        if offset is None:
            return False
        end = offset + lvalue.type.size
        pointers = [(p.offset, p.offset + p.type.size) for p in self.parts if isinstance(p.type, PointerType)]
        return end <= self.size and all(end <= first or last <= offset for first, last in pointers)

    def _offset(self, lvalue: Expression) -> int | None:
        """Where an lvalue begins in an element; None if that is not known, or if it is no part of one."""
        whole = self.root(lvalue)
        if whole is None or whole.type.size != self.size or isinstance(whole.type, RecordType) != self.is_struct:
            return None
        return _offset(lvalue)


def _offset(lvalue: Expression) -> int | None:
    """Where an lvalue begins in the object that a pointer leads to; None if that depends, or if it has no bytes."""
    offset = 0
    while isinstance(lvalue, Field | Index):
        if isinstance(lvalue, Field):
            if lvalue.bit_width is not None:
                return None
            offset += lvalue.offset
        else:
            index, array = constant_of(lvalue.index), lvalue.base.type
            if index is None or not isinstance(array, ArrayType) or not 0 <= index < array.count:
                return None
            offset += index * lvalue.type.size
        lvalue = lvalue.base
    return offset


def shape_of(element: Type, program: CProgram) -> Shape | None:
    """What elements of a type consist of; None if that is not known, or there is no pointer to follow."""
    parts = parts_of(element, program)
    shape = Shape(element, tuple(parts)) if parts else None
    return shape if shape is not None and 0 < len(shape.pointers) <= MOST_POINTERS else None
