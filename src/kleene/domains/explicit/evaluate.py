"""Expressions compiled to closures over a state: one for the value, one for the address of an lvalue.

An address is a pair (block, bit). Block 0 stands for addresses that are numbers, block -1 for undefined pointers;
they may be computed with, but not read or written through.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping

from kleene.cfa.expressions import (
    AddressOf,
    Binary,
    Cast,
    Comparison,
    Constant,
    Deref,
    Expression,
    Field,
    FloatConstant,
    FunctionAddress,
    Index,
    PointerDifference,
    PointerOffset,
    ReturnedNull,
    StringLiteral,
    Unary,
    Variable,
)
from kleene.cfa.types import ArrayType, FloatType, IntegerType, PointerType, RecordLayout, RecordType, Type
from kleene.domains.explicit.arithmetic import (
    as_float,
    compare_addresses,
    compare_numbers,
    concrete,
    decide,
    fit,
    integer_operation,
    operate,
    pointer_from,
    round_to,
    to_float,
)
from kleene.domains.explicit.entry import ARGUMENTS, UNWRITTEN, look_at_arguments
from kleene.domains.explicit.memory import STREAM, Block
from kleene.domains.explicit.state import State
from kleene.domains.explicit.values import (
    GARBAGE,
    NULL_BLOCK,
    RETURNED_NULL,
    UNDEFINED,
    UNDEFINED_BLOCK,
    UNKNOWN,
    NotModelled,
    Pointer,
    Undefined,
    Unknown,
    Value,
    Violation,
)

GIVE_MODEL = "it is unknown code; say what it gives with --extern or --models"
"""The advice where a result of unknown code is NULL by assumption only."""
NO_ADDRESS = "dereference of a number that is no address"
NO_BLOCK = "free of a number that is no address"
Evaluate = Callable[[State], Value]
Locate = Callable[[State], tuple[int, int]]
NULL_MESSAGE = "dereference of a null pointer"
UNINITIALIZED_MESSAGE = "dereference of an uninitialized pointer"
_NULL_PAGE = 4096
_GONE = {"heap": "freed", STREAM: "closed"}


def outside_label(source: str) -> str:
    """A value of unknown code in words: the result of a function, or what a variable of another file has."""
    return f"what {source}() returns" if source.isidentifier() else f"the value of {source}"


def bit_width(expression: Expression) -> int:
    """The number of bits of the object that an lvalue designates."""
    if isinstance(expression, Field) and expression.bit_width is not None:
        return expression.bit_width
    return expression.type.size * 8


_LONGEST_NUMBER = 64
"""Bits of the longest number: what is longer is a part of a block, and its length tells why it does not fit."""


def access(state: State, number: int, bit: int, width: int) -> Block:
    """The block to read or write; a Violation if C forbids it."""
    if number == UNDEFINED_BLOCK:
        raise Violation("uninitialized_pointer", UNINITIALIZED_MESSAGE)
    if number == NULL_BLOCK:
        if bit < _NULL_PAGE * 8:
            raise Violation("null_dereference", NULL_MESSAGE)
        raise Violation("dangling_dereference", NO_ADDRESS)
    block = alive(state, number)
    if block.kind == GARBAGE:
        raise Violation("uninitialized_pointer", UNINITIALIZED_MESSAGE)
    if block.kind == ARGUMENTS:
        block = look_at_arguments(state, number)
    if block.kind == RETURNED_NULL:
        state.tainted = state.tainted or f"{block.label} is NULL"
        raise Violation("null_dereference", f"{block.label} may be NULL: {GIVE_MODEL}")
    if block.kind in ("opaque", "function", UNKNOWN):
        raise NotModelled(f"access to {block.label}")
    if bit < 0 or bit + width > block.size * 8:
        several = f"{width // 8} bytes at " if width > _LONGEST_NUMBER else ""
        where = f"{several}offset {bit // 8} of {block.label} with {block.size} bytes"
        raise Violation("out_of_bounds", where, number)
    return block


def alive(state: State, number: int) -> Block:
    """A block; a Violation if it was freed or has ended."""
    block = state.blocks[number]
    if not block.alive:
        gone = _GONE.get(block.kind, "out of scope")
        raise Violation("dangling_dereference", f"{block.label} is {gone}", number)
    return block


def as_address(value: Value) -> tuple[int, int]:
    """A pointer value as (block, bit)."""
    if type(value) is Pointer:
        return value.block, value.offset * 8
    if isinstance(value, Undefined):
        return UNDEFINED_BLOCK, 0
    if isinstance(value, int):
        return NULL_BLOCK, value * 8
    raise NotModelled("dereference of an unknown number")


def as_pointer(number: int, bit: int) -> Value:
    if number > 0:
        return Pointer(number, bit >> 3)
    return UNDEFINED if number == UNDEFINED_BLOCK else bit >> 3


class Compiler:
    """Compiles the expressions of one program. Globals, strings and functions have fixed blocks."""

    def __init__(
        self,
        fixed: dict[str, int],
        strings: dict[bytes, int],
        functions: dict[str, int],
        records: Mapping[str, RecordLayout],
    ) -> None:
        self.records = records
        self.fixed = fixed
        self.strings = strings
        self.functions = functions
        self._values: dict[Expression, Evaluate] = {}
        self._places: dict[int, tuple[Expression, Locate]] = {}

    def value(self, expression: Expression) -> Evaluate:
        """Compile an expression to a function that returns its value. Not for whole records."""
        value = self._values.get(expression)
        if value is None:
            value = self._values[expression] = self._value(expression)
        return value

    def _value(self, expression: Expression) -> Evaluate:
        match expression:
            case ReturnedNull(source=source):
                label = outside_label(source)
                return lambda state: Pointer(state.new_block(RETURNED_NULL, 0, label), 0)
            case FloatConstant(value=real, type=type_):
                assert isinstance(type_, FloatType)
                return lambda state: round_to(real, type_)
            case Constant(value=number):
                return lambda state: number
            case Variable() | Field() | Index() | Deref():
                return self._load(expression)
            case AddressOf(target=target):
                locate = self.address(target)
                return lambda state: as_pointer(*locate(state))
            case FunctionAddress(name=name):
                pointer = Pointer(self.functions[name], 0)
                return lambda state: pointer
            case Unary():
                return self._unary(expression)
            case Binary():
                return self._binary(expression)
            case PointerOffset():
                return self._offset(expression)
            case PointerDifference():
                return self._difference(expression)
            case Comparison():
                return self._comparison(expression)
            case Cast():
                return self._cast(expression)
            case StringLiteral():
                return self._load(expression)

    def place(self, lvalue: Expression, state: State) -> tuple[int, int]:
        """The address of an lvalue of the program now; it is compiled on first use."""
        known = self._places.get(id(lvalue))
        if known is None:
            known = self._places[id(lvalue)] = lvalue, self.address(lvalue)
        return known[1](state)

    def address(self, expression: Expression, *, accessed: bool = False) -> Locate:
        """Compile an lvalue to a function that returns its address; if it is `accessed`, its indices must exist."""
        match expression:
            case Variable(name=name, is_global=True):
                fixed = (self.fixed[name], 0)
                return lambda state: fixed
            case Variable():
                return _local(expression)
            case Field(base=base, offset=offset, bit_offset=bit_offset):
                inner = self.address(base, accessed=accessed)
                shift = offset * 8 + bit_offset

                def of_field(state: State) -> tuple[int, int]:
                    number, bit = inner(state)
                    return number, bit + shift

                return of_field if shift else inner
            case Index(base=base, index=index):
                most = self._most(base) if accessed else None
                return self._element(base, index, expression.type.size * 8, most)
            case Deref(pointer=pointer):
                value = self.value(pointer)
                return lambda state: as_address(value(state))
            case StringLiteral(value=text):
                string = (self.strings[text], 0)
                return lambda state: string
            case Cast(operand=operand):
                return self.address(operand)
        raise NotModelled(f"{expression} has no address")

    def _element(self, base: Expression, index: Expression, width: int, most: float | None) -> Locate:
        inner, position = self.address(base), self.value(index)

        def of_element(state: State) -> tuple[int, int]:
            number, bit = inner(state)
            at = position(state)
            return number, bit + width * (at if type(at) is int else concrete(state, at))

        if most is None:
            return of_element
        count = most

        def of_member(state: State) -> tuple[int, int]:
            number, bit = inner(state)
            found = position(state)
            at = found if type(found) is int else concrete(state, found)
            if not 0 <= at < count and number > 0 and alive(state, number):
                raise Violation("out_of_bounds", f"index {at} of the array {base}", number)
            return number, bit + width * at

        return of_member

    def _most(self, array: Expression) -> float | None:
        """How many elements an array in a struct has; None if it is no such array, or in a union.

        What is behind a last member may be part of it: ``char text[];``, ``char text[1];``.
        """
        if not (isinstance(array, Field) and isinstance(array.type, ArrayType)):
            return None
        layout = self.records.get(array.base.type.name) if isinstance(array.base.type, RecordType) else None
        if layout is None or layout.union:
            return None
        end = array.offset + array.type.size
        is_last = array.type.count <= 1 or all(member.offset < end for member in layout.fields)
        return math.inf if is_last else array.type.count

    def _load(self, expression: Expression) -> Evaluate:
        locate = self.address(expression, accessed=True)
        width = bit_width(expression)
        type_ = expression.type
        finish = reader(type_, width)

        def load(state: State) -> Value:
            number, bit = locate(state)
            block = access(state, number, bit, width)
            cell = block.cells.get(bit)
            if cell is not None and cell[0] == width:
                value = cell[1]
                if type(value) is Pointer:
                    return value
            else:
                value = block.load(bit, width)
            return finish(state, number, bit, value)

        return load

    def _unary(self, expression: Unary) -> Evaluate:
        operand, type_, symbol = self.value(expression.operand), expression.type, expression.operator

        def negate(state: State) -> Value:
            value = operand(state)
            if symbol == "!":
                return compare_numbers(state, "==", value, 0)
            if isinstance(type_, FloatType):
                return -as_float(value)
            if symbol == "-":
                return operate(state, "-", 0, value, type_)
            return operate(state, "-", operate(state, "-", 0, value, type_), 1, type_)

        return negate

    def _binary(self, expression: Binary) -> Evaluate:
        left, right = self.value(expression.left), self.value(expression.right)
        symbol, type_ = expression.operator, expression.type

        def compute(state: State) -> Value:
            a, b = left(state), right(state)
            if type(a) is int and type(b) is int and isinstance(type_, IntegerType):
                return integer_operation(symbol, a, b, type_)
            return operate(state, symbol, a, b, type_)

        return compute

    def _offset(self, expression: PointerOffset) -> Evaluate:
        pointer, index, scale = self.value(expression.pointer), self.value(expression.index), expression.scale
        word = IntegerType(expression.type.size * 8, signed=True)
        mask = (1 << word.bits) - 1

        def move(state: State) -> Value:
            start, count = pointer(state), index(state)
            distance = word.wrap(scale * (count if type(count) is int else concrete(state, count)))
            if type(start) is Pointer:
                return Pointer(start.block, start.offset + distance)
            if isinstance(start, int):
                return (start + distance) & mask
            if isinstance(start, Unknown):
                raise NotModelled("arithmetic on a pointer that is an unknown number")
            return start

        return move

    def _difference(self, expression: PointerDifference) -> Evaluate:
        left, right, scale = self.value(expression.left), self.value(expression.right), expression.scale

        def distance(state: State) -> Value:
            a, b = left(state), right(state)
            if type(a) is Pointer and type(b) is Pointer and a.block == b.block:
                return (a.offset - b.offset) // scale
            if isinstance(a, int) and isinstance(b, int):
                return (a - b) // scale
            if type(a) is Pointer and isinstance(b, int) and scale == 1:
                return Pointer(a.block, a.offset - b)
            raise NotModelled("difference of pointers to different objects")

        return distance

    def _comparison(self, expression: Comparison) -> Evaluate:
        left, right, symbol = self.value(expression.left), self.value(expression.right), expression.operator
        if isinstance(expression.left.type, PointerType):
            return lambda state: compare_addresses(state, symbol, left(state), right(state))
        return lambda state: compare_numbers(state, symbol, left(state), right(state))

    def _cast(self, expression: Cast) -> Evaluate:
        operand, type_, source = self.value(expression.operand), expression.type, expression.operand.type
        if isinstance(type_, RecordType) or isinstance(source, RecordType):
            raise NotModelled(f"conversion of {source} to {type_}")
        if isinstance(type_, PointerType):
            return lambda state: _to_pointer(state, operand(state), type_)
        if isinstance(type_, FloatType):
            return lambda state: to_float(operand(state), type_)
        if isinstance(type_, IntegerType):
            narrower = type_.bits < source.size * 8
            return lambda state: _to_integer(state, operand(state), type_, narrower=narrower)
        return operand


def _local(variable: Variable) -> Locate:
    name, size = variable.name, variable.type.size

    def of_local(state: State) -> tuple[int, int]:
        number = state.locals.get(name)
        if number is None:
            number = state.new_block("stack", size, name)
            state.locals[name] = number
        return number, 0

    return of_local


def reader(type_: Type, width: int) -> Callable[[State, int, int, Value], Value]:
    """The conversion of a loaded value: undefined numbers become inputs, numbers get their sign."""
    if isinstance(type_, IntegerType):
        minimum, maximum = type_.minimum, type_.maximum
        if width != type_.bits:
            minimum, maximum = (-(1 << width - 1), (1 << width - 1) - 1) if type_.signed else (0, (1 << width) - 1)
        narrow = IntegerType(width, type_.signed) if width != type_.bits else type_

        def read_integer(state: State, number: int, bit: int, value: Value) -> Value:
            if type(value) is int:
                return value if minimum <= value <= maximum else narrow.wrap(value)
            if isinstance(value, Undefined):
                value = state.draw(minimum, maximum, UNWRITTEN)
                state.writable(number).store(bit, width, value)
            elif isinstance(value, Unknown):
                return fit(state, value, narrow)
            elif isinstance(value, float):
                raise NotModelled("a floating-point number read as an integer")
            return value

        return read_integer
    if isinstance(type_, FloatType):
        return _read_float(type_)

    def read_pointer(state: State, number: int, bit: int, value: Value) -> Value:
        if isinstance(value, Unknown):
            return pointer_from(state, value, IntegerType(width, signed=False))
        if isinstance(value, Undefined) and state.source.chooses_garbage:
            value = _garbage(state, number, bit)
            state.writable(number).store(bit, width, value)
        return value

    return read_pointer


def _garbage(state: State, number: int, bit: int) -> Value:
    """The value of an unwritten pointer: NULL or, for the input 1, an invalid address."""
    chosen = state.draw(0, 1, "uninitialized pointer", ("garbage", number, bit))
    if isinstance(chosen, int | Unknown) and decide(state, "==", chosen, 0):
        return 0
    return Pointer(state.new_block(GARBAGE, 0, "an uninitialized pointer"), 0)


def _read_float(type_: FloatType) -> Callable[[State, int, int, Value], Value]:
    def read_float(state: State, number: int, bit: int, value: Value) -> Value:
        if isinstance(value, float):
            return value
        if value == 0:
            return 0.0
        if isinstance(value, int) and type_.bits in (32, 64):
            code = "I" if type_.bits == 32 else "Q"
            packed = struct.pack(f"<{code}", value & ((1 << type_.bits) - 1))
            return float(struct.unpack("<f" if type_.bits == 32 else "<d", packed)[0])
        raise NotModelled("a floating-point number that is unknown or undefined")

    return read_float


def _to_pointer(state: State, value: Value, type_: PointerType) -> Value:
    if isinstance(value, Unknown):
        return pointer_from(state, value, IntegerType(type_.size * 8, signed=False))
    if type(value) is int:
        return value & ((1 << type_.size * 8) - 1)
    return value


def _to_integer(state: State, value: Value, type_: IntegerType, *, narrower: bool) -> Value:
    if type(value) is int:
        return type_.wrap(value)
    if isinstance(value, Unknown):
        return fit(state, value, type_)
    if isinstance(value, float):
        if value != value or not type_.minimum - 1 < value < type_.maximum + 1:
            raise NotModelled("conversion of a floating-point number that does not fit")
        return int(value != 0) if type_.boolean else int(value)
    if isinstance(value, Pointer):
        if type_.boolean:
            return compare_addresses(state, "!=", value, 0)
        if state.blocks[value.block].kind == RETURNED_NULL:
            return value.offset
        if narrower:
            raise NotModelled("part of an address as a number")
        return value
    raise NotModelled("an undefined pointer as a number")
