"""The base of the lowering: the current file, the automaton under construction, conversions.

The parts of the lowering (values, effects, calls, statements, initialisers) share one `LoweringContext`, and call each
other through it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kleene.c.builder import Builder
from kleene.c.clang import kind, unary_operator
from kleene.c.unit import Unit
from kleene.cfa.expressions import AddressOf, Cast, Constant, Expression, FloatConstant, FunctionAddress, Variable
from kleene.cfa.operations import Assign, Place
from kleene.cfa.types import ArrayType, FloatType, FunctionType, IntegerType, PointerType, Type, VoidType

if TYPE_CHECKING:
    from kleene.c.calls import Calls
    from kleene.c.declarations.initializers import Initializers
    from kleene.c.declarations.variable_arrays import VariableArrays
    from kleene.c.effects import Effects
    from kleene.c.statements import Statements
    from kleene.c.values import Values

_NO_OBJECT = frozenset(
    (
        "CONDITIONAL_OPERATOR",
        "BINARY_OPERATOR",
        "COMPOUND_ASSIGNMENT_OPERATOR",
        "CALL_EXPR",
        "CSTYLE_CAST_EXPR",
        "StmtExpr",
    )
)
"""Expressions that are values, never objects: none of them is an array or a function."""


class UnsupportedConstruct(Exception):
    """Something of C that is not modelled; becomes an Unsupported operation at its place."""

    def __init__(self, reason: str, cursor: Any) -> None:
        super().__init__(reason)
        self.reason = reason
        self.cursor = cursor


class LoweringContext:
    """The shared state of the lowering of one function, or of one global's initialiser; and its parts.

    The parts call each other through this: the value of an expression may contain calls, statements and initialisers.
    """

    values: Values
    effects: Effects
    calls: Calls
    initializers: Initializers
    statements: Statements
    arrays: VariableArrays

    def __init__(self, unit: Unit, function: str, make: Callable[[Unit, str], LoweringContext]) -> None:
        self.unit = unit
        self.function = function
        self._make = make
        self.builder = Builder(function, unit.linkage.globals)
        self.at_file_scope = False
        self.body: Any = None
        """The body of the function."""
        self.lists: dict[str, Variable] = {}
        """The numbers that stand for the variables of type `va_list` (`library/variadic.py`)."""

    @cached_property
    def exposed(self) -> frozenset[str]:
        """The names behind an `&` in the function, as they are written: a call may change such variables."""
        if self.body is None:
            return frozenset()
        addresses = (c for c in self.body.walk_preorder() if kind(c) == "UNARY_OPERATOR" and unary_operator(c) == "&")
        named = (part for address in addresses for part in address.walk_preorder() if kind(part) == "DECL_REF_EXPR")
        return frozenset(str(part.spelling) for part in named)

    def sibling(self, name: str) -> LoweringContext:
        """An empty context for another object of the same file, such as a static variable."""
        return self._make(self.unit, name)

    def place(self, cursor: Any) -> Place:
        location = cursor.location
        if location.line == 0:
            location = cursor.extent.start
        file = location.file
        return Place(file.name if file else self.unit.file, location.line, location.column, self.function)

    def type(self, cursor: Any) -> Type:
        """The type of an expression; libclang gives the type of an array before its decay to a pointer."""
        type_ = self.unit.types.read(cursor.type)
        return self.unit.types.decay(type_) if kind(cursor) in _NO_OBJECT else type_

    def pointer_to(self, type_: Type) -> PointerType:
        return self.unit.types.pointer(type_)

    def must_be_there(self, name: str, declaration: Any, cursor: Any) -> None:
        """Refuse the use of a weak name that no file and no model of the user defines."""
        missing = "" if name in self.unit.linkage.models else self.unit.linkage.symbols.why_missing(name, declaration)
        if missing:
            raise UnsupportedConstruct(missing, cursor)

    def assign(self, cursor: Any, target: Expression, value: Expression) -> None:
        self.builder.emit(Assign(self.place(cursor), target, self.convert(value, target.type, cursor)))

    def as_temporary(self, cursor: Any, value: Expression) -> Expression:
        """The value kept in a new temporary, safe from later changes."""
        target = self.builder.temporary(value.type)
        self.builder.emit(Assign(self.place(cursor), target, value))
        return target

    def convert(self, value: Expression, type_: Type, cursor: Any) -> Expression:
        """The value converted as by a cast; arrays and functions decay."""
        source = value.type
        if isinstance(type_, VoidType) or source == type_:
            return value
        if isinstance(type_, ArrayType | FunctionType):  # of a parameter that is written so
            return self.convert(value, self.unit.types.decay(type_), cursor)
        if isinstance(value, FunctionAddress):
            return FunctionAddress(value.name, type_) if isinstance(type_, PointerType) else Cast(value, type_)
        if isinstance(source, ArrayType):
            decayed = AddressOf(value, self.pointer_to(source.element))
            return self.convert(decayed, type_, cursor)
        if isinstance(source, FunctionType):
            return value
        if isinstance(value, Constant) and not isinstance(type_, FloatType):
            return _convert_constant(value, type_)
        if isinstance(value, Constant) and isinstance(type_, FloatType) and abs(value.value) <= _EXACT:
            return FloatConstant(float(value.value), type_)
        return Cast(value, type_)


_EXACT = 1 << 24
"""Integers up to here are numbers of every floating-point type but `_Float16`."""


def _convert_constant(value: Constant, type_: Type) -> Expression:
    if isinstance(type_, IntegerType):
        return Constant(type_.wrap(value.value), type_)
    if isinstance(type_, PointerType):
        return Constant(value.value & ((1 << type_.size * 8) - 1), type_)
    return Cast(value, type_)


def strip(cursor: Any) -> Any:
    """The expression without parentheses and implicit conversions."""
    while kind(cursor) in ("PAREN_EXPR", "UNEXPOSED_EXPR"):
        inner = list(cursor.get_children())
        if len(inner) != 1 or kind(inner[0]) in ("TYPE_REF", "MEMBER_REF"):
            break
        cursor = inner[0]
    return cursor


def strip_parentheses(cursor: Any) -> Any:
    while kind(cursor) == "PAREN_EXPR":
        cursor = next(iter(cursor.get_children()))
    return cursor
