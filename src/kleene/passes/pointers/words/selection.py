"""Which variables and members are words of a pointer and flags, without regard to control flow.

An integer as wide as a pointer is a word if a pointer is assigned to it, or if it is converted to a pointer; a pointer
is one if it may have flags. An integer that gets anything else than a pointer with flags, such as a hash of an address
or the difference of two, stays a number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from kleene.cfa.expressions import (
    AddressOf,
    Binary,
    Cast,
    Constant,
    Deref,
    Expression,
    Field,
    Variable,
    walk,
)
from kleene.cfa.operations import Assign, Call, Havoc, Specified, expressions
from kleene.cfa.program import CProgram
from kleene.cfa.types import FunctionType, IntegerType, PointerType, RecordType, Type
from kleene.passes.facts.memory import constant_of
from kleene.passes.pointers.words.types import LARGEST_MASK
from kleene.passes.rewrite import operations_of

Key = tuple[str, ...]
"""Names the variables, members or targets of pointers that are words together."""
FLAG_OPERATORS = frozenset("&|^")


def key_of(lvalue: Expression) -> Key | None:
    """The key of an lvalue; None if it cannot be a word."""
    match lvalue:
        case Variable(name=name):
            return (name,)
        case Field(base=base, name=name, bit_width=None) if isinstance(base.type, RecordType):
            return (base.type.name, name, str(lvalue.offset))
        case Deref(type=type_):
            return ("*", str(type_))
    return None


@dataclass
class Words:
    """The words of a program, and the bits of their flags."""

    program: CProgram
    keys: set[Key] = field(default_factory=set)
    numbers: set[Key] = field(default_factory=set)
    """The keys of what must stay a number, or a pointer without flags."""
    mask: int = 0

    def __post_init__(self) -> None:
        self.bits = self.program.pointer_size * 8
        self.operations = operations_of(self.program)
        self.nodes = [n for o in self.operations for x in expressions(o) for n in walk(x)]
        self.stored = [(o.target, o.value) for o in self.operations if isinstance(o, Assign)]
        self.numbers |= set(self._kept())

    @property
    def is_followed(self) -> bool:
        """Whether there are words, and nothing that the rewriting does not know."""
        return (
            bool(self.keys) and self.mask <= LARGEST_MASK and not any(isinstance(o, Specified) for o in self.operations)
        )

    def _kept(self) -> Iterator[Key]:
        """What gets its value elsewhere: parameters, results of calls, inputs, variables of other files."""
        for function in self.program.functions.values():
            yield from ((v.name,) for v in function.parameters)
        yield from ((g.variable.name,) for g in self.program.globals if g.external)
        for operation in self.operations:
            target = operation.result if isinstance(operation, Call) else getattr(operation, "target", None)
            if isinstance(operation, Call | Havoc) and target is not None and (key := key_of(target)) is not None:
                yield key

    def select(self) -> None:
        """Find the words among what need not stay a number."""
        self.keys, self.mask = set(), 0
        while True:
            before = len(self.keys), self.mask
            for target, value in self.stored:
                if self.carries(value) if isinstance(target.type, IntegerType) else self.may_have_flags(value):
                    self._add(target)
            for node in self.nodes:
                if isinstance(node, Cast) and _points_to_object(node.type):
                    for leaf in self._leaves(node.operand):
                        self._add(leaf)
            self._add_by_address()
            self.mask = self._widest_mask()
            if (len(self.keys), self.mask) == before:
                return

    def _add(self, lvalue: Expression) -> None:
        key = key_of(lvalue)
        if key is not None and key not in self.numbers and self._is_wide(lvalue.type):
            self.keys.add(key)

    def _is_wide(self, type_: Type) -> bool:
        """Whether a type has room for a pointer."""
        if isinstance(type_, IntegerType):
            return type_.bits == self.bits and not type_.function
        return isinstance(type_, PointerType)

    def _add_by_address(self) -> None:
        """What pointers to words point to are words, and what a pointer to a word may point to."""
        for node in self.nodes:
            if isinstance(node, AddressOf) and self._is_wide(node.target.type):
                pointed = ("*", str(node.target.type))
                if key_of(node.target) in self.keys and pointed not in self.numbers:
                    self.keys.add(pointed)
                elif pointed in self.keys:
                    self._add(node.target)

    def is_word(self, lvalue: Expression) -> bool:
        return key_of(lvalue) in self.keys and self._is_wide(lvalue.type)

    def carries(self, value: Expression) -> bool:
        """Whether an integer is a pointer, with flags or without."""
        match value:
            case Cast(operand=operand, type=IntegerType(bits=bits)) if bits >= self.bits:
                return _points_to_object(operand.type) or self.carries(operand)
            case Binary(operator=operator, left=left, right=right) if operator in "+-&|^":
                if operator == "&" and any(
                    constant is not None and 0 <= constant <= LARGEST_MASK
                    for constant in map(constant_of, (left, right))
                ):
                    return False
                return self.carries(left) or self.carries(right)
            case Variable() | Field() | Deref():
                return isinstance(value.type, IntegerType) and self.is_word(value)
        return False

    def may_have_flags(self, value: Expression) -> bool:
        """Whether a pointer, or an integer that holds one, may have flags."""
        match value:
            case Constant(value=number):
                return bool(number & self.mask)
            case Cast(operand=operand):
                return self.may_have_flags(operand)
            case Binary(operator="&", left=left, right=right):
                sides = [s for s in (left, right) if constant_of(s) is None]
                kept = [c for c in map(constant_of, (left, right)) if c is not None]
                return all(self.may_have_flags(s) for s in sides) and all(c & self.mask for c in kept)
            case Binary(operator=("+" | "-")):
                constant = constant_of(value.right)
                tagged = constant is None or 0 < constant <= self.mask
                return bool(self.mask) and (tagged or self.may_have_flags(value.left))
            case Binary():
                return bool(self.mask)
            case Variable() | Field() | Deref():
                return self.is_word(value) and bool(self.mask)
        return False

    def _leaves(self, value: Expression) -> Iterator[Expression]:
        """The lvalues that an integer which becomes a pointer is made of."""
        match value:
            case Cast(operand=operand):
                yield from self._leaves(operand)
            case Binary(operator=operator, left=left, right=right) if operator in FLAG_OPERATORS:
                yield from self._leaves(left)
                yield from self._leaves(right)
            case Binary(operator=("+" | "-"), left=left):
                yield from self._leaves(left)
            case Variable() | Field() | Deref() if isinstance(value.type, IntegerType):
                yield value

    def _widest_mask(self) -> int:
        """All bits up to the highest one that the program clears, sets or tests in a word."""
        bits = self.mask
        for node in self.nodes:
            if isinstance(node, Binary) and node.operator in FLAG_OPERATORS:
                for word, other in ((node.left, node.right), (node.right, node.left)):
                    constant = constant_of(other)
                    if constant is not None and self.carries(without_narrowing(word)):
                        bits |= self.flag_bits(node.operator, constant)
        return (1 << bits.bit_length()) - 1

    def flag_bits(self, operator: str, constant: int) -> int:
        """The bits of flags that an operation with a constant is about: those cleared, set, changed or tested."""
        constant = IntegerType(self.bits, signed=False).wrap(constant)
        cleared = ~constant & ((1 << self.bits) - 1)
        if operator == "&" and cleared <= 2 * LARGEST_MASK + 1:
            return cleared
        return constant if constant <= LARGEST_MASK else 0


def _points_to_object(type_: Type) -> bool:
    """Whether a type is a pointer, but none to a function: functions become numbers."""
    return isinstance(type_, PointerType) and not isinstance(type_.target, FunctionType)


def without_narrowing(value: Expression) -> Expression:
    """A number before it was converted to fewer bits: the lowest ones stay the same."""
    while (
        isinstance(value, Cast) and isinstance(value.type, IntegerType) and isinstance(value.operand.type, IntegerType)
    ):
        if value.type.boolean:
            break
        value = value.operand
    return value
