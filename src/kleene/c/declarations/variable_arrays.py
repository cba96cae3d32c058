"""Arrays of variable length: blocks of the stack with a computed size, which end with their scope (C17, 6.7.6.2).

An array is a pointer to its block. An expression whose type is such an array has the value of this pointer, as after
its decay. The lengths in a type are fixed where its declaration is reached, of a typedef too. libclang does not give
the lengths of a type, so they are followed from the declaration through subscripts and pointer arithmetic; other ways
are refused.
"""

from __future__ import annotations

from typing import Any

from kleene.c.clang import binary_operator, initializer, kind, unary_operator
from kleene.c.lowering import LoweringContext, UnsupportedConstruct
from kleene.c.type_reader import is_variable_array
from kleene.cfa.expressions import Binary, Comparison, Constant, Expression, PointerOffset
from kleene.cfa.operations import Allocate, Assume, Error, Free
from kleene.cfa.types import IntegerType, PointerType, Type

_TRANSPARENT = ("PAREN_EXPR", "UNEXPOSED_EXPR")
_STEPS = ("++", "--", "p++", "p--")


class VariableArrays:
    """The arrays of variable length of one function, and the pointers to such arrays."""

    def __init__(self, lower: LoweringContext) -> None:
        self.lower = lower
        self._lengths: list[tuple[Any, tuple[Expression, ...]]] = []
        """The lengths in the types of declarations, from the outermost."""

    def declare(self, cursor: Any) -> None:
        """A local array: its block begins here and ends with the scope."""
        lengths = self.note(cursor)
        if initializer(cursor) is not None or not lengths:
            what = f"an array '{cursor.spelling}' of variable length whose length is not written at its declaration"
            raise UnsupportedConstruct(what, cursor)
        for length in lengths:
            self._require_positive(cursor, length)
        element, place, builder = self._element(cursor.type), self.lower.place(cursor), self.lower.builder
        pointer = builder.declare(cursor.spelling, self.lower.pointer_to(element), place)
        self.lower.unit.bind(cursor, pointer)
        size = self._bytes(lengths, element)
        builder.emit(Allocate(place, pointer, size, element, may_fail=False, stack=True, scoped=True))
        builder.at_end(pointer, lambda end: Free(end, pointer, stack=True))

    def name(self, cursor: Any) -> None:
        """A typedef: its lengths are computed here, once for all that is declared by its name."""
        if _array_of(cursor.underlying_typedef_type) is not None:
            for length in self.note(cursor):
                self._require_positive(cursor, length)

    def note(self, cursor: Any) -> tuple[Expression, ...]:
        """Compute the lengths in the type of a declaration, if they are written there."""
        type_ = _array_of(cursor.type)
        if type_ is None:
            return ()
        first = initializer(cursor) if kind(cursor) == "VAR_DECL" else None
        written = [c for c in cursor.get_children() if c.kind.is_expression() and (first is None or c != first)]
        depth = _depth(type_)
        is_pointer = kind(cursor) == "PARM_DECL" and is_variable_array(cursor.type) and depth == 1  # to one element
        named = self._lengths_by_name(cursor)
        if len(written) + len(named) < depth or is_pointer:
            return ()
        lengths = (*(self._number(c) for c in reversed(written)), *named)[:depth]
        self._lengths.append((cursor, lengths))
        return lengths

    def _lengths_by_name(self, cursor: Any) -> tuple[Expression, ...]:
        """The lengths of the type by whose name a variable is declared, or what is measured."""
        for part in cursor.get_children():
            if kind(part) == "TYPE_REF":
                return next((known for declared, known in self._lengths if declared == part.referenced), ())
        return ()

    def _number(self, cursor: Any) -> Expression:
        """The value of a length, which later changes of its variables leave alone."""
        return self.lower.as_temporary(cursor, self.lower.values.value(cursor))

    def _require_positive(self, cursor: Any, length: Expression) -> None:
        builder, place = self.lower.builder, self.lower.place(cursor)
        zero = Constant(0, length.type)
        signed = isinstance(length.type, IntegerType) and length.type.signed
        positive = Comparison(">" if signed else "!=", length, zero)
        good, bad = builder.new(), builder.new()
        builder.branch(builder.here, Assume(place, positive), good)
        builder.branch(builder.here, Assume(place, positive, truth=False), bad)
        message = f"the length of the array {cursor.spelling} is less than 1"
        builder.branch(bad, Error(place, "out_of_bounds", message), builder.exit)
        builder.here = good

    def _element(self, type_: Any) -> Type:
        """The type of the innermost elements, which has a constant size."""
        array = _array_of(type_)
        while array is not None and array.kind.name == "VARIABLEARRAY":
            array = array.element_type.get_canonical()
        assert array is not None
        return self.lower.unit.types.read(array)

    def _product(self, lengths: tuple[Expression, ...]) -> Expression | None:
        word = self.lower.values.size_type()
        result: Expression | None = None
        for length in lengths:
            factor = self.lower.convert(length, word, None)
            result = factor if result is None else Binary("*", result, factor, word)
        return result

    def _bytes(self, lengths: tuple[Expression, ...], element: Type) -> Expression:
        count = self._product(lengths)
        assert count is not None
        return count if element.size == 1 else Binary("*", count, Constant(element.size, count.type), count.type)

    def lengths(self, cursor: Any) -> tuple[Expression, ...]:
        """The lengths in the type of an array, or of what a pointer to arrays points to."""
        name, inner = kind(cursor), list(cursor.get_children())
        if name == "DECL_REF_EXPR":
            for declaration, lengths in self._lengths:
                if declaration == cursor.referenced:
                    return lengths
        elif name in _TRANSPARENT and len(inner) == 1:
            known = self.lengths(inner[0])
            return known[1:] if is_variable_array(inner[0].type) and not is_variable_array(cursor.type) else known
        elif name == "ARRAY_SUBSCRIPT_EXPR" or (name == "UNARY_OPERATOR" and unary_operator(cursor) == "*"):
            known = self.lengths(inner[0])
            return known[1:] if is_variable_array(inner[0].type) else known
        elif name == "UNARY_OPERATOR" and unary_operator(cursor) in ("&", *_STEPS):
            return self.lengths(inner[0])
        elif name in ("BINARY_OPERATOR", "COMPOUND_ASSIGNMENT_OPERATOR") and binary_operator(cursor)[0] in "+-":
            return self.lengths(inner[0] if _array_of(inner[0].type) is not None else inner[1])
        raise UnsupportedConstruct("an array of variable length whose length is not written at its declaration", cursor)

    def size(self, cursor: Any) -> Expression | None:
        """`sizeof` of an expression whose type is such an array, or of a name for one; None for other operands."""
        inner = list(cursor.get_children())
        if len(inner) == 1 and kind(inner[0]) == "TYPE_REF" and is_variable_array(inner[0].referenced.type):
            lengths = self._lengths_by_name(cursor)
            return self._bytes(lengths, self._element(inner[0].referenced.type)) if lengths else None
        if len(inner) != 1 or not is_variable_array(inner[0].type):
            return None
        return self._bytes(self.lengths(inner[0]), self._element(inner[0].type))

    def element(self, pointer: Expression, cursor: Any) -> Expression:
        """A row of an array, as a pointer to its first element: the target of `pointer`."""
        return self.lower.convert(pointer, self.lower.pointer_to(self._element(cursor.type)), cursor)

    def offset(self, pointer: Expression, index: Expression, cursor: Any) -> Expression:
        """`pointer + index`, where `pointer` points to arrays and `cursor` is the sum or what it points to."""
        element = self._element(cursor.type)
        own = self.lower.pointer_to(element)
        count = self._product(self.lengths(cursor))
        assert count is not None and isinstance(pointer.type, PointerType)
        number = Binary("*", self.lower.convert(index, count.type, cursor), count, count.type)
        signed = self.lower.convert(number, self.lower.values.difference_type(), cursor)
        moved = PointerOffset(self.lower.convert(pointer, own, cursor), signed, element.size, own)
        return self.lower.convert(moved, pointer.type, cursor)


def _array_of(type_: Any) -> Any:
    """The array of variable length that a type is, or that it points to."""
    canonical = type_.get_canonical()
    if canonical.kind.name == "POINTER":
        canonical = canonical.get_pointee().get_canonical()
    return canonical if canonical.kind.name == "VARIABLEARRAY" else None


def _depth(type_: Any) -> int:
    depth = 0
    while type_.kind.name == "VARIABLEARRAY":
        depth, type_ = depth + 1, type_.element_type.get_canonical()
    return depth
