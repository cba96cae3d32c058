"""Lowering of initialisers: designated, nested, partial, with braces left out (C17, 6.7.9).

clang gives the list as it was written, so this module has the rules that assign its parts to members.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kleene.c.clang import initializer, kind, string_units
from kleene.c.declarations.designators import Designator, Overriding, designators
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
from kleene.cfa.types import ArrayType, FloatType, IntegerType, RecordField, RecordLayout, RecordType, Type

_MANY = 32


class _Items:
    """The elements of a list, consumed from the left."""

    def __init__(self, cursors: list[Any]) -> None:
        self._cursors = cursors
        self._next = 0

    def peek(self) -> Any:
        return self._cursors[self._next] if self._next < len(self._cursors) else None

    def put_back(self, cursor: Any) -> None:
        self._next -= 1
        self._cursors[self._next] = cursor

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
            parts = Overriding()
            self._collect(target, inner, parts)
            self._emit(target, cursor, parts.values)
        elif not self.lower.effects.assign_call(target, cursor):
            self.lower.assign(cursor, target, self.lower.values.value(cursor))

    def _emit(self, target: Expression, cursor: Any, values: Mapping[Expression, Any]) -> None:
        """Zero the parts that the list does not mention, then assign the others.

        The value of a range (`[0 ... 3] = f()`) is computed once, as gcc does.
        """
        if not self.lower.at_file_scope:
            self._zero_rest(target, cursor, set(values))
        computed: dict[int, Expression] = {}
        for lvalue, value in values.items():
            if isinstance(value, int):
                if value or not self.lower.at_file_scope:
                    self.lower.assign(cursor, lvalue, Constant(value, lvalue.type))
            elif value.hash in computed:
                self.lower.assign(value, lvalue, computed[value.hash])
            elif self.lower.effects.assign_call(lvalue, value):
                computed[value.hash] = lvalue
            else:
                computed[value.hash] = self.lower.values.value(value)
                self.lower.assign(value, lvalue, computed[value.hash])

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

    def _collect(self, target: Expression, cursor: Any, parts: Overriding) -> None:
        """Collect the assignments of a braced list, or of a string, to the parts of `target`."""
        if isinstance(target.type, ArrayType) and not target.type.count:  # the object is larger than its type
            raise UnsupportedConstruct("initialiser of a flexible array member", cursor)
        if kind(cursor) == "STRING_LITERAL" and isinstance(target.type, ArrayType):
            units = string_units(cursor, target.type.element.size)
            for index in range(min(len(units), target.type.count)):
                parts.give(self._element(target, index), _signed_value(units[index], target.type.element))
            return
        items = _Items(list(cursor.get_children()))
        if not isinstance(target.type, ArrayType | RecordType):
            if items.peek() is not None:
                self._part(target, items, parts)
            else:
                parts.give(target, 0)
            return
        first = items.peek()
        characters = isinstance(target.type, ArrayType) and isinstance(target.type.element, IntegerType)
        if characters and first is not None and kind(strip(first)) == "STRING_LITERAL":
            self._collect(target, strip(first), parts)
            return
        self._aggregate(target, items, parts, braced=True)

    def _aggregate(
        self, target: Expression, items: _Items, parts: Overriding, *, braced: bool = False, position: int = 0
    ) -> None:
        """The next elements of the list go to the parts of an array or a struct, from a position on."""
        members = self._parts(target)
        while items.peek() is not None:
            item = items.peek()
            if self._is_designated(item):
                if not braced:
                    return
                items.take()
                items.put_back(list(item.get_children())[-1])
                steps = designators(item, target.type, self.lower.unit.types.records)
                position = self._designated(target, steps, items, parts) + 1
                continue
            if position >= len(members):
                if braced:
                    items.take()
                    continue
                return
            self._part(members[position], items, parts)
            position += 1

    def _part(self, part: Expression, items: _Items, parts: Overriding) -> None:
        """The next elements of the list go to `part`."""
        inner = strip(items.peek())
        if kind(inner) == "INIT_LIST_EXPR":
            items.take()
            parts.override(part)
            self._collect(part, inner, parts)
        elif not isinstance(part.type, ArrayType | RecordType):
            parts.give(part, items.take())
        elif isinstance(part.type, ArrayType) and kind(inner) == "STRING_LITERAL":
            items.take()
            parts.override(part)
            self._collect(part, inner, parts)
        elif isinstance(part.type, RecordType) and self.lower.type(inner) == part.type:
            parts.give(part, items.take())
        else:
            self._aggregate(part, items, parts, braced=False)

    def _parts(self, target: Expression) -> list[Expression]:
        if isinstance(target.type, ArrayType):
            return [self._element(target, i) for i in range(target.type.count)]
        members = self._members(target)
        return [_member(target, f) for f in (members[:1] if self._layout(target).union else members)]

    def _layout(self, target: Expression) -> RecordLayout:
        assert isinstance(target.type, RecordType)
        return self.lower.unit.types.records[target.type.name]

    def _members(self, target: Expression) -> list[RecordField]:
        return [f for f in self._layout(target).fields if f.name or f.bit_width is None]

    @staticmethod
    def _is_designated(item: Any) -> bool:
        return kind(item) == "UNEXPOSED_EXPR" and item.type.kind.name == "VOID"

    def _designated(self, target: Expression, steps: Sequence[Designator], items: _Items, parts: Overriding) -> int:
        """Apply `.a.b[3] = value`, and go on behind that place as far as `target` does; its position in `target`."""
        step, *rest = steps
        if isinstance(step, RecordField):
            places = [_member(target, step)]
            union = self._layout(target).union
            position = 0 if union else self._members(target).index(step)
            if union and not parts.has_part_of(places[0]):
                parts.override(target)
        else:
            places = [self._element(target, index) for index in step]
            position = step[-1]
        if not rest:
            for place in places[:-1]:
                self._part(place, _Items([items.peek()]), parts)
            self._part(places[-1], items, parts)
        elif len(places) > 1:
            raise UnsupportedConstruct("range designator followed by others", items.peek())
        else:
            inner = self._designated(places[0], rest, items, parts)
            self._aggregate(places[0], items, parts, position=inner + 1)
        return position


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
