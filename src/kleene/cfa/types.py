"""C types as the control-flow automaton sees them: sizes and layouts are already decided, names are resolved.

A record (struct or union) is known by its name; its fields are in `CProgram.records`, so that types may be recursive.
Qualifiers (const, volatile) and typedefs are gone. Every type has a `size` in bytes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Union


@dataclass(frozen=True, slots=True)
class VoidType:
    """No value. Its size is 1, as in GNU C pointer arithmetic."""

    size: int = 1

    def __str__(self) -> str:
        return "void"


@dataclass(frozen=True, slots=True)
class IntegerType:
    """An integer of some width; characters, _Bool and enumerations too.

    With `function`, the address of a function, which an analysis may number as it likes: 0 is no function.
    """

    bits: int
    signed: bool
    name: str = field(compare=False, default="int")
    boolean: bool = False
    function: bool = False

    @property
    def size(self) -> int:
        return self.bits // 8

    @property
    def minimum(self) -> int:
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def maximum(self) -> int:
        if self.boolean:
            return 1
        return (1 << (self.bits - self.signed)) - 1

    def has(self, value: int) -> bool:
        """Whether a number is one of this type."""
        return self.minimum <= value <= self.maximum

    def wrap(self, value: int) -> int:
        """The value that conversion to this type gives (modulo 2 to the width; _Bool: is it non-zero)."""
        if self.boolean:
            return int(value != 0)
        if self.has(value):
            return value
        value &= (1 << self.bits) - 1
        return value - (1 << self.bits) if value > self.maximum else value

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class FloatType:
    """A floating-point number of 32, 64 or more bits."""

    bits: int
    name: str = field(compare=False, default="double")

    @property
    def size(self) -> int:
        return self.bits // 8

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class PointerType:
    """A pointer; the data model determines `size` (4 or 8).

    With `count`, a pointer to the first of so many elements, which are all of their block, as passes make it for an
    array that is a variable or a member.
    """

    target: Type
    size: int = 4
    count: int = field(compare=False, default=0)

    def __hash__(self) -> int:
        return hash(self.target) + 1  # sizes are the same in one program

    def __str__(self) -> str:
        if isinstance(self.target, FunctionType):
            return self.target.declare("(*)")
        if isinstance(self.target, ArrayType):
            return f"{self.target.element} (*)[{self.target.count}]"
        return f"{self.target}*" if isinstance(self.target, PointerType) else f"{self.target} *"


@dataclass(frozen=True, slots=True)
class RecordType:
    """A struct or union by name, such as `struct node`; `complete` is false where only its name is known."""

    name: str
    size: int = field(compare=False, default=0)
    complete: bool = field(compare=False, default=True)

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class ArrayType:
    """An array of `count` elements; 0 for a flexible array member or an array of unknown length."""

    element: Type
    count: int

    @property
    def size(self) -> int:
        return self.element.size * self.count

    def __str__(self) -> str:
        suffix = f"[{self.count}]"
        inner = self.element
        while isinstance(inner, ArrayType):
            suffix += f"[{inner.count}]"
            inner = inner.element
        return f"{inner}{suffix}"


@dataclass(frozen=True, slots=True)
class FunctionType:
    """The type of a function; `prototyped` is false for `f()`, which accepts any arguments."""

    result: Type
    parameters: tuple[Type, ...] = ()
    variadic: bool = False

    size: int = field(default=1, compare=False)

    def declare(self, name: str) -> str:
        parts = [str(p) for p in self.parameters] + (["..."] if self.variadic else [])
        return f"{self.result} {name}({', '.join(parts) or 'void'})"

    def __str__(self) -> str:
        return self.declare("").replace(" (", "(")


Type = Union[  # noqa: UP007 (the alias names classes that refer back to it)
    VoidType, IntegerType, FloatType, PointerType, RecordType, ArrayType, FunctionType
]

VOID = VoidType()
INT = IntegerType(32, signed=True, name="int")
UNSIGNED = IntegerType(32, signed=False, name="unsigned int")
CHAR = IntegerType(8, signed=True, name="char")
BOOL = IntegerType(8, signed=False, name="_Bool", boolean=True)
LONG_LONG = IntegerType(64, signed=True, name="long long")
UNSIGNED_LONG_LONG = IntegerType(64, signed=False, name="unsigned long long")


@dataclass(frozen=True, slots=True)
class RecordField:
    """One member: `offset` in bytes from the start; bit-fields also have `bit_offset` within it and `bit_width`.

    An anonymous struct or union member has the name "" and its own type.
    """

    name: str
    type: Type
    offset: int
    bit_offset: int = 0
    bit_width: int | None = None


@dataclass(frozen=True, slots=True)
class RecordLayout:
    """The members of a struct (`union` false) or union, in declaration order; `alignment` in bytes."""

    type: RecordType
    fields: tuple[RecordField, ...]
    union: bool = False
    alignment: int = 1

    def path_to(self, name: str, records: dict[str, RecordLayout]) -> tuple[RecordField, ...]:
        """The members on the way to the member `name`, through anonymous members; empty without such a member."""
        for member in self.fields:
            if member.name == name and name:
                return (member,)
        for member in self.fields:
            if not member.name and isinstance(member.type, RecordType) and member.type.name in records:
                rest = records[member.type.name].path_to(name, records)
                if rest:
                    return (member, *rest)
        return ()

    def __str__(self) -> str:
        inner = " ".join(f"{f.type} {f.name}@{f.offset};" for f in self.fields)
        return f"{self.type} {{ {inner} }}"


def is_scalar(type_: Type) -> bool:
    """Whether values of the type are single numbers or pointers."""
    return isinstance(type_, IntegerType | FloatType | PointerType)


def rereads(written: IntegerType, read: IntegerType) -> bool:
    """Whether the bytes of a number of one type, read as another, are that number converted to it.

    So it is between types of one width (two's complement, C17 6.2.6.2); a byte that is no _Bool is no value of it.
    Of bytes that were written as anything else (several numbers, part of one, a pointer, floating point, nothing at
    all) no domain but the exact interpreter knows the number.
    """
    same_kind = written.bits == read.bits and written.function == read.function
    return written == read or (same_kind and not read.boolean)


def shared_type(types: Collection[IntegerType]) -> IntegerType | None:
    """A type that can store all numbers of the given types at the same bytes; None if there is none."""
    numbers = {t for t in types if not t.boolean} or set(types)
    if len({(t.bits, t.function) for t in types}) != 1:
        return None
    return numbers.pop() if len(numbers) == 1 else IntegerType(numbers.pop().bits, signed=True)


def same_layout(first: RecordLayout, second: RecordLayout) -> bool:
    """Whether two records of different files may be taken for one: same members at the same places."""

    def shape(layout: RecordLayout) -> list[tuple[str, int, int, int | None, str]]:
        return [(f.name, f.offset, f.bit_offset, f.bit_width, str(f.type)) for f in layout.fields]

    return (first.type.size, first.union, shape(first)) == (second.type.size, second.union, shape(second))


def may_be_one(first: Type, second: Type, records: Mapping[str, RecordLayout]) -> bool:
    """Whether declarations of these types in two files may be of one variable: its bytes mean the same in both."""
    match first, second:
        case IntegerType(), IntegerType():
            return (first.bits, first.signed, first.boolean) == (second.bits, second.signed, second.boolean)
        case ArrayType(), ArrayType():
            return may_be_one(first.element, second.element, records)
        case RecordType(), RecordType():
            one, other = records.get(first.name), records.get(second.name)
            return one is None or other is None or one is other or _members_agree(one, other, records)
        case (PointerType(), PointerType()) | (FloatType(), FloatType()):
            return first.size == second.size
    return first == second


def _members_agree(first: RecordLayout, second: RecordLayout, records: Mapping[str, RecordLayout]) -> bool:
    """Whether two records have members of the same names and types at the same places."""

    def places(layout: RecordLayout) -> dict[tuple[str, int, int, int | None], Type]:
        return {(f.name, f.offset, f.bit_offset, f.bit_width): f.type for f in layout.fields}

    one, other = places(first), places(second)
    if (first.type.size, first.union, one.keys()) != (second.type.size, second.union, other.keys()):
        return False
    return all(may_be_one(type_, other[place], records) for place, type_ in one.items())
