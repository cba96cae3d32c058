"""Lowering of initialisers: designated, nested, partial, with braces left out (C17, 6.7.9).

clang gives the list as it was written, so this module has the rules that assign its parts to members.
"""

from __future__ import annotations

from typing import Any

from kleene.c.clang import evaluate, initializer, kind, string_units
from kleene.c.declarations.opaque import computes
from kleene.c.lowering import LoweringContext, UnsupportedConstruct, strip
from kleene.c.type_reader import is_constant
from kleene.cfa.expressions import (
    AddressOf,
    Constant,
    Expression,
    Field,
    FloatConstant,
    Index,
    Variable,
)
from kleene.cfa.operations import Assign, MemSet
from kleene.cfa.program import Global
from kleene.cfa.types import ArrayType, FloatType, IntegerType, RecordField, RecordType, Type

_MANY = 32


class _Items:
    """The elements of a list, consumed from the left."""

    def __init__(self, cursors: list[Any]) -> None:
        self._cursors = cursors
        self._next = 0

    def peek(self) -> Any:
        return self._cursors[self._next] if self._next < len(self._cursors) else None

    def take(self) -> Any:
        self._next += 1
        return self._cursors[self._next - 1]


class Initializers:
    """Initialisation of objects."""

    def __init__(self, lower: LoweringContext) -> None:
        self.lower = lower

    def initialize(self, target: Expression, cursor: Any) -> None:
        """Give an object the value of an initialiser."""
        inner = strip(cursor)
        if kind(inner) == "INIT_LIST_EXPR" or (kind(inner) == "STRING_LITERAL" and isinstance(target.type, ArrayType)):
            pairs: list[tuple[Expression, Any]] = []
            self._collect(target, inner, pairs)
            self._emit(target, cursor, pairs)
        elif not self.lower.effects.assign_call(target, cursor):
            self.lower.assign(cursor, target, self.lower.values.value(cursor))

    def _emit(self, target: Expression, cursor: Any, pairs: list[tuple[Expression, Any]]) -> None:
        """Zero the parts that the list does not mention, then assign the others."""
        assigned = {lvalue for lvalue, _ in pairs}
        if not self.lower.at_file_scope:
            self._zero_rest(target, cursor, assigned)
        for lvalue, value in pairs:
            if isinstance(value, int):
                if value or not self.lower.at_file_scope:
                    self.lower.assign(cursor, lvalue, Constant(value, lvalue.type))
            elif not self.lower.effects.assign_call(lvalue, value):
                self.lower.assign(value, lvalue, self.lower.values.value(value))

    def _zero_rest(self, target: Expression, cursor: Any, assigned: set[Expression]) -> None:
        leaves = self._leaves(target, assigned)
        place = self.lower.place(cursor)
        if len(leaves) > _MANY:
            address = AddressOf(target, self.lower.pointer_to(target.type))
            size = Constant(target.type.size, self.lower.values.difference_type())
            self.lower.builder.emit(MemSet(place, address, Constant(0, size.type), size))
            return
        for leaf in leaves:
            zero = FloatConstant(0.0, leaf.type) if isinstance(leaf.type, FloatType) else Constant(0, leaf.type)
            self.lower.builder.emit(Assign(place, leaf, zero))

    def _leaves(self, target: Expression, assigned: set[Expression]) -> list[Expression]:
        """The scalar parts of an object that no assignment covers; of a union, those of its largest member."""
        if target in assigned:
            return []
        if isinstance(target.type, ArrayType):
            count = target.type.count
            parts = [self._element(target, i) for i in range(count)]
        elif isinstance(target.type, RecordType):
            layout = self.lower.unit.types.records.get(target.type.name)
            members = [f for f in layout.fields if f.name or f.bit_width is None] if layout else []
            parts = [_member(target, f) for f in members]
            if layout is not None and layout.union and parts:
                if any(self._overlaps(part, assigned) for part in parts):
                    return []
                parts = [max(parts, key=lambda p: p.type.size)]
        else:
            return [target]
        return [leaf for part in parts for leaf in self._leaves(part, assigned)]

    @staticmethod
    def _overlaps(part: Expression, assigned: set[Expression]) -> bool:
        for lvalue in assigned:
            inner: Expression | None = lvalue
            while inner is not None:
                if inner == part:
                    return True
                inner = inner.base if isinstance(inner, Field | Index) else None
        return False

    def _element(self, array: Expression, index: int) -> Expression:
        assert isinstance(array.type, ArrayType)
        return Index(array, Constant(index, self.lower.values.difference_type()), array.type.element)

    def _collect(self, target: Expression, cursor: Any, pairs: list[tuple[Expression, Any]]) -> None:
        """Collect the assignments of a braced list, or of a string, to the parts of `target`."""
        if isinstance(target.type, ArrayType) and not target.type.count:  # the object is larger than its type
            raise UnsupportedConstruct("initialiser of a flexible array member", cursor)
        if kind(cursor) == "STRING_LITERAL" and isinstance(target.type, ArrayType):
            units = string_units(cursor, target.type.element.size)
            for index in range(min(len(units), target.type.count)):
                pairs.append((self._element(target, index), _signed_value(units[index], target.type.element)))
            return
        items = _Items(list(cursor.get_children()))
        if not isinstance(target.type, ArrayType | RecordType):
            if items.peek() is not None:
                self._part(target, items, pairs)
            else:
                pairs.append((target, 0))
            return
        first = items.peek()
        characters = isinstance(target.type, ArrayType) and isinstance(target.type.element, IntegerType)
        if characters and first is not None and kind(strip(first)) == "STRING_LITERAL":
            self._collect(target, strip(first), pairs)
            return
        self._aggregate(target, items, pairs, braced=True)

    def _aggregate(
        self, target: Expression, items: _Items, pairs: list[tuple[Expression, Any]], *, braced: bool
    ) -> None:
        parts = self._parts(target)
        position = 0
        while items.peek() is not None:
            item = items.peek()
            if self._is_designated(item):
                if not braced:
                    return
                position = self._designation(target, items.take(), pairs) + 1
                continue
            if position >= len(parts):
                if braced:
                    items.take()
                    continue
                return
            self._part(parts[position], items, pairs)
            position += 1

    def _part(self, part: Expression, items: _Items, pairs: list[tuple[Expression, Any]]) -> None:
        """The next elements of the list go to `part`."""
        inner = strip(items.peek())
        if kind(inner) == "INIT_LIST_EXPR":
            items.take()
            self._collect(part, inner, pairs)
        elif not isinstance(part.type, ArrayType | RecordType):
            pairs.append((part, items.take()))
        elif isinstance(part.type, ArrayType) and kind(inner) == "STRING_LITERAL":
            items.take()
            self._collect(part, inner, pairs)
        elif isinstance(part.type, RecordType) and self.lower.type(inner) == part.type:
            pairs.append((part, items.take()))
        else:
            self._aggregate(part, items, pairs, braced=False)

    def _parts(self, target: Expression) -> list[Expression]:
        if isinstance(target.type, ArrayType):
            return [self._element(target, i) for i in range(target.type.count)]
        assert isinstance(target.type, RecordType)
        layout = self.lower.unit.types.records[target.type.name]
        members = [f for f in layout.fields if f.name or f.bit_width is None]
        return [_member(target, f) for f in (members[:1] if layout.union else members)]

    @staticmethod
    def _is_designated(item: Any) -> bool:
        return kind(item) == "UNEXPOSED_EXPR" and item.type.kind.name == "VOID"

    def _designation(self, target: Expression, item: Any, pairs: list[tuple[Expression, Any]]) -> int:
        """Apply `.a.b[3] = value`; the position of its first step in `target`."""
        *designators, value = item.get_children()
        ranges: list[tuple[Expression, int]] = [(target, 0)]
        first: int | None = None
        steps = [d for d in designators if kind(d) != "TYPE_REF"]
        number = 0
        while number < len(steps):
            step = steps[number]
            number += 1
            lvalue = ranges[0][0]
            if kind(step) == "MEMBER_REF":
                if not step.spelling or "(" in step.spelling:
                    continue
                ranges = [(self.lower.values.field(lvalue, step.spelling, item), 0)]
                position = self._position(target, step.spelling)
            else:
                low = high = int(evaluate(step) or 0)
                rest = steps[number:]
                element = lvalue.type.element if isinstance(lvalue.type, ArrayType) else None
                if rest and kind(rest[0]) != "MEMBER_REF" and not isinstance(element, ArrayType):
                    high = int(evaluate(rest[0]) or 0)
                    number += 1
                ranges = [(self._element(lvalue, i), 0) for i in range(low, high + 1)]
                position = high
            first = position if first is None else first
            if len(ranges) > 1 and number < len(steps):
                raise UnsupportedConstruct("range designator followed by others", item)
        for lvalue, _ in ranges:
            self._part(lvalue, _Items([value]), pairs)
        return first or 0

    def _position(self, target: Expression, name: str) -> int:
        if not isinstance(target.type, RecordType):
            return 0
        layout = self.lower.unit.types.records[target.type.name]
        if layout.union:
            return 0
        path = layout.path_to(name, self.lower.unit.types.records)
        members = [f for f in layout.fields if f.name or f.bit_width is None]
        return members.index(path[0]) if path else 0


def _member(target: Expression, field: RecordField) -> Expression:
    return Field(target, field.name, field.type, field.offset, field.bit_offset, field.bit_width)


def _signed_value(byte: int, element: Type) -> int:
    return element.wrap(byte) if isinstance(element, IntegerType) else byte


def global_variable(lowering: LoweringContext, variable: Variable, cursor: Any) -> Global:
    """A global with the assignments of its initialiser, lowered into an empty context.

    An initialiser that is not modelled makes its value unknown.
    """
    return global_with(lowering, variable, initializer(cursor), constant=is_constant(cursor.type))


def global_with(lowering: LoweringContext, variable: Variable, start: Any, *, constant: bool) -> Global:
    """A global with the assignments of an initialiser, if there is one."""
    if start is None:
        return Global(variable, constant=constant)
    lowering.at_file_scope = True
    try:
        lowering.initializers.initialize(variable, start)
    except UnsupportedConstruct:
        return Global(variable, external=True, constant=constant)
    operations = [edge.label for edge in lowering.builder.finish().edges]
    assigns = tuple(op for op in operations if isinstance(op, Assign))
    if len(assigns) != len(operations) or computes(assigns):
        return Global(variable, external=True, constant=constant)
    return Global(variable, assigns, constant=constant)
