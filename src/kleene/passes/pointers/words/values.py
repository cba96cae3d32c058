"""Expressions over words: an integer or a pointer as a pointer and flags.

What the rewriting takes for granted becomes a guard, a condition that must not hold where the expression is evaluated:
a pointer with flags is dereferenced, a flag does not fit, a pointer without a value becomes a number.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from kleene.cfa.expressions import (
    ARITHMETIC,
    AddressOf,
    Binary,
    Cast,
    Comparison,
    Constant,
    Deref,
    Expression,
    Field,
    Index,
    PointerOffset,
    Unary,
    Variable,
)
from kleene.cfa.types import CHAR, INT, IntegerType, PointerType, Type
from kleene.passes.facts.memory import constant_of
from kleene.passes.pointers.words.selection import FLAG_OPERATORS, Words, without_narrowing
from kleene.passes.pointers.words.types import TAG_SUFFIX, tag_type, word_type
from kleene.passes.rewrite import with_parts

USED_WITH_FLAGS = "a pointer with flags in its low bits is used as a pointer"
TOO_LARGE = "a number that may be more than flags in the low bits of a pointer"
NO_VALUE = "a pointer that may have no value becomes a number"


@dataclass(frozen=True)
class Word:
    """A pointer and its flags. `source` is a pointer of the program that may have no value: then nor have the flags."""

    pointer: Expression
    tag: Expression
    source: Expression | None = None


@dataclass
class WordValues:
    """Rewrites the expressions of one operation; `guards` are the conditions under which it is not followed."""

    words: Words
    taken: frozenset[str]
    """The names of the variables whose address is taken."""
    guards: list[tuple[Expression, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.mask = self.words.mask
        self.size = self.words.program.pointer_size
        self.tag = tag_type(self.mask)
        self.number_type = IntegerType(8 * self.size, signed=False, name="unsigned long")
        self.type = word_type(self.mask, self.size)

    # Lvalues --------------------------------------------------------------------------------------------------

    def lvalue(self, lvalue: Expression) -> Expression:
        """An lvalue of the rewritten program; of a word, its pointer."""
        type_ = self.type if self.words.is_word(lvalue) else lvalue.type
        match lvalue:
            case Variable():
                return replace(lvalue, type=type_)
            case Field(base=base):
                return replace(lvalue, base=self.lvalue(base), type=type_)
            case Deref(pointer=pointer):
                return replace(lvalue, pointer=self.pointer(pointer), type=type_)
            case Index(base=base, index=index):
                return replace(lvalue, base=self.lvalue(base), index=self.number(index))
        return self.value(lvalue)

    def tag_of(self, lvalue: Expression) -> Expression:
        """The flags of a word; `lvalue` is its rewritten pointer."""
        if not self.mask:
            return Constant(0, self.tag)
        match lvalue:
            case Variable(name=name) if name not in self.taken:
                return Variable(name + TAG_SUFFIX, self.tag, lvalue.is_global)
            case Field(name=name):
                return replace(lvalue, name=name + TAG_SUFFIX, type=self.tag)
            case Deref():
                return replace(lvalue, type=self.tag)
        address = AddressOf(lvalue, PointerType(self.type, self.size))
        return Deref(Cast(address, PointerType(self.tag, self.size)), self.tag)

    # Words ----------------------------------------------------------------------------------------------------

    def word(self, value: Expression) -> Word | None:
        """A value as a pointer and flags; None if it is not of this form."""
        match value:
            case Variable() | Field() | Deref() if self.words.is_word(value):
                pointer = self.lvalue(value)
                return Word(pointer, self.tag_of(pointer))
            case Constant(value=number):
                return self._constant(number)
            case Cast(operand=operand, type=type_) if self._is_kept(type_) and self._is_kept(operand.type):
                word = self.word(operand)
                if word is None or not isinstance(type_, PointerType):
                    return word
                return replace(word, pointer=Cast(word.pointer, type_))
            case Cast(type=IntegerType()) if (converted := constant_of(value)) is not None:
                return self._constant(converted)
            case Binary(operator=operator, left=left, right=right) if self.words.carries(value):
                return self._combined(operator, left, right)
        if not isinstance(value.type, PointerType):
            return self._flags_of_null(value)
        pointer = self.pointer(value)
        return Word(pointer, Constant(0, self.tag), None if isinstance(value, AddressOf) else pointer)

    def _is_kept(self, type_: Type) -> bool:
        """Whether a conversion to a type keeps a word as it is."""
        return isinstance(type_, PointerType) or (
            isinstance(type_, IntegerType) and type_.bits == self.number_type.bits
        )

    def _constant(self, number: int) -> Word:
        number = self.number_type.wrap(number)
        pointer = Constant(number & ~self.mask, PointerType(CHAR, self.size))
        return Word(pointer, Constant(number & self.mask, self.tag))

    def _flags_of_null(self, number: Expression) -> Word | None:
        """A word that gets flags without a pointer, such as the color of another one."""
        if not self.mask or not self._is_small(number):
            return None
        return Word(Constant(0, PointerType(CHAR, self.size)), Cast(self.number(number), self.tag))

    def _combined(self, operator: str, left: Expression, right: Expression) -> Word | None:
        if operator not in FLAG_OPERATORS | {"+", "-"}:
            return None
        if operator != "-" and not self.words.carries(left):
            left, right = right, left
        if not self.words.carries(left) or self.words.carries(right):
            return None
        word, constant = self.word(left), constant_of(right)
        if word is None:
            return None
        if operator == "&":
            if constant is None or self.number_type.wrap(constant | self.mask) != self.number_type.maximum:
                return None
            return replace(word, tag=self._flags("&", word.tag, Constant(constant & self.mask, self.tag)))
        if operator in "+-" and constant is not None and not 0 <= constant <= self.mask:
            return self._moved(word, constant if operator == "+" else -constant)
        flags = self._flags_in(right)
        return None if flags is None else self._with_flags(word, operator, flags)

    def _moved(self, word: Word, distance: int) -> Word:
        """A word whose pointer is moved by some bytes."""
        shift = IntegerType(self.number_type.bits, signed=True, name="long")
        start = Cast(word.pointer, PointerType(CHAR, self.size))
        return replace(word, pointer=PointerOffset(start, Constant(shift.wrap(distance), shift), 1, start.type))

    def _with_flags(self, word: Word, operator: str, flags: Expression) -> Word:
        if operator in "+-":
            wide = Binary(operator, Cast(word.tag, INT), Cast(flags, INT), INT)
            if constant_of(wide) is None or not 0 <= (constant_of(wide) or 0) <= self.mask:
                limit = Constant(self.mask, INT) if operator == "+" else Constant(0, INT)
                self.guards.append((Comparison(">" if operator == "+" else "<", wide, limit), TOO_LARGE))
        return replace(word, tag=self._flags(operator, word.tag, flags))

    def _flags(self, operator: str, left: Expression, right: Expression) -> Expression:
        a, b = constant_of(left), constant_of(right)
        if a is not None and b is not None:
            return Constant(self.tag.wrap(ARITHMETIC[operator](a, b)), self.tag)
        for side, other in ((left, b), (right, a)):
            if other == (self.mask if operator == "&" else 0) and (operator != "-" or side is left):
                return side
        if operator == "&" and 0 in (a, b):
            return Constant(0, self.tag)
        return Binary(operator, left, right, self.tag)

    def _flags_in(self, number: Expression) -> Expression | None:
        """A number as flags; a guard where it may be too large for them. None if it is too large."""
        constant = constant_of(number)
        if constant is not None:
            return Constant(constant, self.tag) if 0 <= constant <= self.mask else None
        if not self.mask:
            return None
        value = self.number(number)
        if not self._is_small(number):
            self.guards.append(
                (Comparison(">", Cast(value, self.number_type), Constant(self.mask, self.number_type)), TOO_LARGE)
            )
        return Cast(value, self.tag)

    def _is_small(self, number: Expression) -> bool:
        """Whether a number fits into flags, whatever its parts are."""
        constant = constant_of(number)
        if constant is not None:
            return 0 <= constant <= self.mask
        match number:
            case Cast(operand=operand, type=IntegerType() as type_):
                return self._is_small(operand) and type_.maximum >= self.mask
            case Binary(operator="&", left=left, right=right):
                return self._is_small(left) or self._is_small(right)
            case Binary(operator="|" | "^", left=left, right=right):
                return self._is_small(left) and self._is_small(right)
            case Comparison() | Unary(operator="!"):
                return True
        return False

    # Values ---------------------------------------------------------------------------------------------------

    def value(self, value: Expression) -> Expression:
        """A value that is no word in the rewritten program."""
        return self.pointer(value) if isinstance(value.type, PointerType) else self.number(value)

    def pointer(self, value: Expression) -> Expression:
        """A pointer that is used as such, so it must not have flags."""
        match value:
            case Cast(operand=operand) if isinstance(operand.type, PointerType):
                return replace(value, operand=self.pointer(operand))
            case Variable() | Field() | Deref() | Cast() if self._may_be_word(value):
                word = self.word(value)
                if word is not None:
                    self._forbid_flags(word)
                    return Cast(word.pointer, value.type)
            case AddressOf(target=target):
                return replace(value, target=self.lvalue(target))
        if isinstance(value, Variable | Field | Deref | Index):
            return self.lvalue(value)
        return with_parts(value, self.value)

    def _may_be_word(self, value: Expression) -> bool:
        return isinstance(value, Cast) or self.words.is_word(value)

    def _forbid_flags(self, word: Word) -> None:
        if constant_of(word.tag) != 0:
            condition = Comparison("!=", word.tag, Constant(0, self.tag))
            self.guards.append((condition, USED_WITH_FLAGS))

    def number(self, value: Expression) -> Expression:
        """A number; the address in a word is any number."""
        match value:
            case Binary(operator="&") if (flags := self._tested_flags(value)) is not None:
                return Cast(flags, value.type)
            case Comparison(operator=("==" | "!=")) if (parts := self.compared_words(value)) is not None:
                return self._comparison(value.operator, *parts)
            case Unary(operator="!", operand=operand) if self.is_word_value(operand):
                return self.number(Comparison("==", operand, Constant(0, operand.type)))
            case Variable() | Field() | Deref() if self.words.is_word(value):
                return Cast(self.lvalue(value), value.type)
            case Variable() | Field() | Deref() | Index():
                return self.lvalue(value)
            case Cast(operand=operand) if self.words.is_word(operand):
                return replace(value, operand=Cast(self.lvalue(operand), self.number_type))
        return with_parts(value, self.value)

    def _tested_flags(self, value: Binary) -> Expression | None:
        """The flags that a test such as ``w & 1`` gives."""
        for side, other in ((value.left, value.right), (value.right, value.left)):
            constant, inner = constant_of(other), without_narrowing(side)
            if constant is not None and 0 <= constant <= self.mask and self.words.carries(inner):
                word = self.word(inner)
                if word is not None:
                    self.require_value(word)
                    return self._flags("&", word.tag, Constant(constant, self.tag))
        return None

    def require_value(self, word: Word) -> None:
        """The flags of a pointer without a value are not known."""
        if word.source is not None and constant_of(word.source) is None and self.mask:
            self.guards.append((Comparison("!=", word.source, word.source), NO_VALUE))

    def is_word_value(self, value: Expression) -> bool:
        """Whether an expression is a pointer or an integer that may hold one."""
        return isinstance(value.type, PointerType) or self.words.carries(value)

    def compared_words(self, value: Comparison) -> tuple[Word, Word] | None:
        """The words whose pointers and flags a comparison is about."""
        sides = (value.left, value.right)
        if not any((self.is_word_value(s) and self.words.may_have_flags(s)) or self.words.carries(s) for s in sides):
            return None
        words = [self.word(side) for side in sides]
        first, second = words
        return None if first is None or second is None else (first, second)

    def _comparison(self, operator: str, first: Word, second: Word) -> Expression:
        pointers = Comparison(operator, *alike(first.pointer, second.pointer, self.type))
        if constant_of(first.tag) is not None and constant_of(first.tag) == constant_of(second.tag):
            return pointers
        flags = Comparison(operator, first.tag, second.tag)
        return Binary("&" if operator == "==" else "|", pointers, flags, INT)


def alike(first: Expression, second: Expression, type_: Type) -> tuple[Expression, Expression]:
    """Two pointers of one type."""
    return Cast(first, type_), Cast(second, type_)
