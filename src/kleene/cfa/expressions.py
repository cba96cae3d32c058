"""Typed C expressions without side effects; what C evaluates in between is made explicit by edges and temporaries.

Lvalues are `Variable`, `Field`, `Index`, `Deref` and `StringLiteral`. An lvalue used where a value is needed is
read. Nothing here is lazy: `&&`, `||` and `?:` are branches of the automaton, so evaluating an expression
evaluates all of it.
All implicit conversions are explicit `Cast`s; arithmetic has operands of one type, except the count of a shift.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Union, get_args

from kleene.cfa.types import INT, ArrayType, IntegerType, PointerType, Type

GHOST_OFFSET = 1 << 32
"""Offset of the first ghost of an object. Ghosts are facts about an object that an analysis adds, none of its bytes."""
OPEN_GHOST_OFFSET = 1 << 56
"""Offset of the first ghost that is also about variables: bytes that are zero do not determine it."""


def is_later_ghost(offset: int) -> bool:
    """Whether a cell is a ghost of another condition than the first one of an analysis."""
    return offset % OPEN_GHOST_OFFSET >= 2 * GHOST_OFFSET


@dataclass(frozen=True, slots=True)
class Constant:
    """An integer, or a pointer made from one: the null pointer is a Constant 0 of a pointer type."""

    value: int
    type: Type

    def __str__(self) -> str:
        if isinstance(self.type, PointerType):
            return "NULL" if self.value == 0 else f"({self.type}){self.value}"
        if isinstance(self.type, IntegerType) and not self.type.signed and not self.type.boolean:
            return f"{self.value}u"
        return str(self.value)


@dataclass(frozen=True, slots=True)
class ReturnedNull(Constant):
    """The null pointer as the result of a function without a body: that it may return one is an assumption."""

    source: str = ""

    __str__ = Constant.__str__


@dataclass(frozen=True, slots=True)
class FloatConstant:
    """A floating-point number."""

    value: float
    type: Type

    def __str__(self) -> str:
        return repr(self.value)


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable, unique by name in its function (or in the program, when global). Temporaries start with `$`."""

    name: str
    type: Type
    is_global: bool = False

    def __hash__(self) -> int:  # the name tells most variables apart, and keeps its hash
        return hash(self.name)

    @property
    def is_temporary(self) -> bool:
        return self.name.startswith("$") or self.name.rpartition(".")[2].startswith("$")

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Field:
    """A member of the record lvalue `base`; offset in bytes, bit-fields with their place in it."""

    base: Expression
    name: str
    type: Type
    offset: int
    bit_offset: int = 0
    bit_width: int | None = None

    def __str__(self) -> str:
        name = self.name or "<anonymous>"
        if isinstance(self.base, Deref) and not isinstance(self.base.pointer, PointerOffset):
            return f"{_operand(self.base.pointer)}->{name}"
        return f"{_operand(self.base)}.{name}"


@dataclass(frozen=True, slots=True)
class Index:
    """An element of the array lvalue `base`; `checked` if the index was compared with the array's bounds before."""

    base: Expression
    index: Expression
    type: Type
    checked: bool = False

    def __str__(self) -> str:
        return f"{_operand(self.base)}[{self.index}]"


@dataclass(frozen=True, slots=True)
class Deref:
    """The target of the pointer, as a `type`."""

    pointer: Expression
    type: Type

    def __str__(self) -> str:
        if isinstance(self.pointer, PointerOffset):
            return f"{_operand(self.pointer.pointer)}[{self.pointer.index}]"
        return f"*{_operand(self.pointer)}"


@dataclass(frozen=True, slots=True)
class StringLiteral:
    """A string literal with its terminating zero: an array that lives for ever."""

    value: bytes
    type: Type

    def __str__(self) -> str:
        return '"' + self.value[:-1].decode("latin-1").encode("unicode_escape").decode() + '"'


@dataclass(frozen=True, slots=True)
class AddressOf:
    """The address of an lvalue; for an array also its decayed pointer (then `type` points to its element)."""

    target: Expression
    type: Type

    def __str__(self) -> str:
        decays = isinstance(self.target.type, ArrayType) and self.type != PointerType(self.target.type, self.type.size)
        return str(self.target) if decays else f"&{_operand(self.target)}"


@dataclass(frozen=True, slots=True)
class FunctionAddress:
    """The address of a function."""

    name: str
    type: Type

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Unary:
    """`-`, `~` or `!` (of a number or pointer: 1 if it is zero)."""

    operator: str
    operand: Expression
    type: Type

    def __str__(self) -> str:
        return f"{self.operator}{_operand(self.operand)}"


@dataclass(frozen=True, slots=True)
class Binary:
    """`+ - * / % << >> & | ^` of numbers."""

    operator: str
    left: Expression
    right: Expression
    type: Type

    def __str__(self) -> str:
        return f"{_operand(self.left)} {self.operator} {_operand(self.right)}"


@dataclass(frozen=True, slots=True)
class PointerOffset:
    """A pointer moved by `index` elements of `scale` bytes; the index is signed or unsigned by its type."""

    pointer: Expression
    index: Expression
    scale: int
    type: Type

    def __str__(self) -> str:
        return f"{_operand(self.pointer)} + {_operand(self.index)}"


@dataclass(frozen=True, slots=True)
class PointerDifference:
    """The distance of two pointers in elements of `scale` bytes."""

    left: Expression
    right: Expression
    scale: int
    type: Type

    def __str__(self) -> str:
        return f"{_operand(self.left)} - {_operand(self.right)}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """`== != < <= > >=` of two numbers or two pointers; an int."""

    operator: str
    left: Expression
    right: Expression
    type: Type = field(default=INT)

    @property
    def is_equation(self) -> bool:
        return self.operator in ("==", "!=")

    def __str__(self) -> str:
        return f"{_operand(self.left)} {self.operator} {_operand(self.right)}"


@dataclass(frozen=True, slots=True)
class Cast:
    """The value converted to `type`: between numbers, between pointers, or from one to the other."""

    operand: Expression
    type: Type

    def __str__(self) -> str:
        return f"({self.type}){_operand(self.operand)}"


Expression = Union[  # noqa: UP007 (the alias names classes that refer back to it)
    Constant,
    ReturnedNull,
    FloatConstant,
    Variable,
    Field,
    Index,
    Deref,
    StringLiteral,
    AddressOf,
    FunctionAddress,
    Unary,
    Binary,
    PointerOffset,
    PointerDifference,
    Comparison,
    Cast,
]
EXPRESSION_KINDS: tuple[type[Expression], ...] = get_args(Expression)
"""The classes of expressions."""

ARITHMETIC: Mapping[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
}
"""Operators on integers whose result is then wrapped to its type."""
NEGATED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
"""The comparison that holds exactly where the other one does not."""
MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""The comparison that says the same with its sides exchanged."""
_ATOMS = Constant | FloatConstant | Variable | Field | Index | StringLiteral | FunctionAddress


def _operand(expression: Expression) -> str:
    text = str(expression)
    if isinstance(expression, Constant) and expression.value < 0:
        return f"({text})"
    if isinstance(expression, _ATOMS | Cast | Deref | Unary):
        return text
    return text if text.isidentifier() else f"({text})"


_PARTS: dict[type, tuple[str, ...]] = {
    Field: ("base",),
    Unary: ("operand",),
    Cast: ("operand",),
    Deref: ("pointer",),
    AddressOf: ("target",),
    Index: ("base", "index"),
    PointerOffset: ("pointer", "index"),
    Binary: ("left", "right"),
    Comparison: ("left", "right"),
    PointerDifference: ("left", "right"),
}
"""The attributes that hold the direct subexpressions of each kind, left to right; the other kinds have none."""


def base_pointer(lvalue: Expression) -> Expression | None:
    """The pointer through which a member is reached, without others on the way."""
    while isinstance(lvalue, Field):
        lvalue = lvalue.base
    return lvalue.pointer if isinstance(lvalue, Deref) else None


def children(expression: Expression) -> tuple[Expression, ...]:
    """The direct subexpressions, left to right."""
    parts = _PARTS.get(type(expression))
    return () if parts is None else tuple([getattr(expression, part) for part in parts])


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and everything in it, outermost first."""
    if type(expression) not in _PARTS:  # most are variables and constants
        return iter((expression,))
    found: list[Expression] = []
    stack = [expression]
    while stack:
        node = stack.pop()
        found.append(node)
        for part in reversed(_PARTS.get(type(node), ())):
            stack.append(getattr(node, part))
    return iter(found)


def root_variable(lvalue: Expression) -> Variable | None:
    """The variable that an lvalue is a part of; None if it is in the object that a pointer points to."""
    while not isinstance(lvalue, Variable):
        if isinstance(lvalue, Deref) or not children(lvalue):
            return None
        lvalue = children(lvalue)[0]
    return lvalue


def member_base(lvalue: Expression) -> tuple[Expression, int]:
    """The object that an lvalue is a member of, or a member of a member, and the offset in it."""
    offset = 0
    while isinstance(lvalue, Field):
        offset += lvalue.offset
        lvalue = lvalue.base
    return lvalue, offset


def variables(expression: Expression) -> frozenset[Variable]:
    return frozenset(node for node in walk(expression) if isinstance(node, Variable))


def map_variables(expression: Expression, rename: dict[Variable, Variable]) -> Expression:
    """The expression with variables replaced; unchanged parts are shared."""
    if isinstance(expression, Variable):
        return rename.get(expression, expression)
    parts = children(expression)
    if not parts:
        return expression
    mapped = tuple(map_variables(part, rename) for part in parts)
    if all(new is old for new, old in zip(mapped, parts, strict=True)):
        return expression
    return _rebuild(expression, mapped)


def _rebuild(expression: Expression, parts: tuple[Expression, ...]) -> Expression:
    match expression:
        case Field(_, name, type_, offset, bit_offset, bit_width):
            return Field(parts[0], name, type_, offset, bit_offset, bit_width)
        case Unary(operator, _, type_):
            return Unary(operator, parts[0], type_)
        case Cast(_, type_):
            return Cast(parts[0], type_)
        case Deref(_, type_):
            return Deref(parts[0], type_)
        case AddressOf(_, type_):
            return AddressOf(parts[0], type_)
        case Index(_, _, type_, checked):
            return Index(parts[0], parts[1], type_, checked)
        case PointerOffset(_, _, scale, type_):
            return PointerOffset(parts[0], parts[1], scale, type_)
        case PointerDifference(_, _, scale, type_):
            return PointerDifference(parts[0], parts[1], scale, type_)
        case Binary(operator, _, _, type_):
            return Binary(operator, parts[0], parts[1], type_)
        case Comparison(operator, _, _, type_):
            return Comparison(operator, parts[0], parts[1], type_)
    raise AssertionError(f"no parts in {expression}")


def has_dereference(expression: Expression) -> bool:
    """Whether evaluating the expression reads or writes through a pointer or an index."""
    return any(isinstance(node, Deref | Index) for node in walk(expression))


def target_of(pointer: Expression, type_: Type) -> Expression:
    """The target of a pointer; of the address of a variable or member of that type, this one itself."""
    return pointer.target if isinstance(pointer, AddressOf) and pointer.target.type == type_ else Deref(pointer, type_)


def without_casts(value: Expression) -> Expression:
    """The value that is converted; a number that is only a part of an address stays one."""
    while isinstance(value, Cast) and not _is_part_of_address(value):
        value = value.operand
    return value


def _is_part_of_address(number: Cast) -> bool:
    """Whether a conversion to an integer, which is not that to a truth value, leaves out bits of a pointer."""
    if not isinstance(number.type, IntegerType) or number.type.boolean:
        return False
    inner: Expression = number
    while isinstance(inner, Cast):
        inner = inner.operand
    return isinstance(inner.type, PointerType) and number.type.size < inner.type.size
