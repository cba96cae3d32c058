"""Lowering of `printf` and the like: their arguments are evaluated, and texts among them are read to their end.

`sprintf` and `snprintf` with a known format become calls of functions of our library, one for each piece, so what they
write, and what does not fit, follows from the bodies. Widths and precisions are not supported there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from kleene.c.lowering import UnsupportedConstruct
from kleene.cfa.expressions import AddressOf, Cast, Constant, Expression, StringLiteral, Variable
from kleene.cfa.operations import Assign, Call, Print
from kleene.cfa.types import (
    CHAR,
    INT,
    LONG_LONG,
    UNSIGNED,
    UNSIGNED_LONG_LONG,
    ArrayType,
    IntegerType,
    PointerType,
    Type,
)

if TYPE_CHECKING:
    from kleene.c.calls import Calls

_DIRECTIVE = re.compile(r"%[-+ #0']*(\*|\d*)(?:(\.)(\*|\d*))?(?:hh|h|ll|l|L|q|j|z|t)?(.?)", re.DOTALL)
_NUMBERS = "diouxXeEfFgGaAcp"
READ_TEXT = "__kleene_read_text"
"""The function of our library that reads a text to its end, or a number of characters."""


def print_formatted(c: Calls, cursor: Any, format_: Any, arguments: list[Any], wanted: Type | None) -> Any:
    """``printf(format, arguments)``."""
    text = c._text(format_)
    if text is not None:
        return print_text(c, cursor, text, arguments, wanted)
    if arguments:
        raise UnsupportedConstruct("output by a format that is not a literal", cursor)
    return print_text(c, cursor, None, [format_], wanted)


def print_text(c: Calls, cursor: Any, format_: str | None, arguments: list[Any], wanted: Type | None) -> Any:
    """Output by a format; without one, the arguments are texts."""
    values = tuple(c.argument(a) for a in arguments)
    texts = values if format_ is None else _texts(format_, values, cursor)
    for text, most in _bounded_texts(format_ or "", values):
        c.lower.unit.linkage.needed[READ_TEXT] = None
        c.lower.builder.emit(Call(c.lower.place(cursor), READ_TEXT, (text, most)))
    c.lower.builder.emit(Print(c.lower.place(cursor), format_, values, tuple(t for t in texts if not _is_literal(t))))
    return c._havoc(cursor, "printf", None, wanted) if wanted is not None else None


def _texts(format_: str, values: tuple[Expression, ...], cursor: Any) -> tuple[Expression, ...]:
    """The arguments that a format takes for texts."""
    left = iter(values)
    texts: list[Expression] = []
    for width, point, precision, letter in _DIRECTIVE.findall(format_.replace("%%", "")):
        for star in (width, precision):
            if star == "*":
                next(left, None)
        value = next(left, None)
        if value is None:
            raise UnsupportedConstruct("output with fewer arguments than conversions", cursor)
        if letter == "s" and isinstance(value.type, PointerType) and value.type.target.size == 1:
            texts += [] if point else [value]
        elif letter not in _NUMBERS:
            raise UnsupportedConstruct(f"output by %{point}{precision}{letter}", cursor)
    return tuple(texts)


def _bounded_texts(format_: str, values: tuple[Expression, ...]) -> list[tuple[Expression, Expression]]:
    """The texts of which a format takes no more than some characters, and how many."""
    left = iter(values)
    texts: list[tuple[Expression, Expression]] = []
    for width, point, precision, letter in _DIRECTIVE.findall(format_.replace("%%", "")):
        if width == "*":
            next(left, None)
        most = next(left, None) if precision == "*" else Constant(int(precision or 0), INT)
        value = next(left, None)
        if letter == "s" and point and value is not None and most is not None and not _is_literal(value):
            texts.append((value, most))
    return texts


def _is_literal(value: Expression) -> bool:
    while isinstance(value, Cast | AddressOf):
        value = value.operand if isinstance(value, Cast) else value.target
    return isinstance(value, StringLiteral)


_PIECE = re.compile(r"%(?:hh|h|ll|l|j|z|t)?([diouxcs])|%%|[^%]+")
_BASES = {"u": 10, "o": 8, "x": 16}
ENDLESS = -1
"""The size of a target of which `sprintf` knows nothing: converted to `size_t`, the largest number."""


def write_formatted(
    c: Calls, cursor: Any, target: Expression, size: Expression | None, format_: Any, arguments: list[Any]
) -> Expression:
    """``snprintf(target, size, format, arguments)``; without a size, ``sprintf``. The value is the length."""
    text = c._text(format_)
    if text is None:
        raise UnsupportedConstruct("a text written by a format that is not a literal", cursor)
    pieces = list(_PIECE.finditer(text))
    if sum(len(p.group()) for p in pieces) != len(text):
        raise UnsupportedConstruct("a text written with a width, a precision or a floating-point number", cursor)
    if len(arguments) < sum(p.group(1) is not None for p in pieces):
        raise UnsupportedConstruct("a text written with fewer arguments than conversions", cursor)
    return _Writer(c, cursor, target, size).write(pieces, [c.argument(a) for a in arguments])


class _Writer:
    """The pieces of one text."""

    def __init__(self, c: Calls, cursor: Any, target: Expression, size: Expression | None) -> None:
        self.c, self.cursor = c, cursor
        word = c.lower.values.difference_type()
        self.word = IntegerType(word.size * 8, signed=False, name="unsigned long")
        self.pointer = PointerType(CHAR, word.size)
        self.target = self._keep(Cast(target, self.pointer))
        limit = Constant(self.word.wrap(ENDLESS), self.word) if size is None else Cast(size, self.word)
        self.size = self._keep(limit)
        self.at = self._keep(Constant(0, self.word))

    def write(self, pieces: list[re.Match[str]], values: list[Expression]) -> Expression:
        left = iter(values)
        for piece in pieces:
            letter = piece.group(1)
            if letter is None:
                self._text(piece.group().replace("%%", "%"))
            else:
                self._value(letter, next(left))
        length = self.c.lower.builder.temporary(INT)
        self._call("__kleene_end_text", (), length)
        return length

    def _keep(self, value: Expression) -> Variable:
        kept = self.c.lower.builder.temporary(value.type)
        self.c.lower.builder.emit(Assign(self.c.lower.place(self.cursor), kept, value))
        return kept

    def _call(self, name: str, more: tuple[Expression, ...], result: Variable) -> None:
        self.c.lower.unit.linkage.needed[name] = None
        arguments = (self.target, self.size, self.at, *more)
        self.c.lower.builder.emit(Call(self.c.lower.place(self.cursor), name, arguments, result))

    def _text(self, text: str) -> None:
        self._call("__kleene_put_text", (text_literal(text, self.pointer),), self.at)

    def _value(self, letter: str, value: Expression) -> None:
        if letter == "s":
            self._call("__kleene_put_text", (Cast(value, self.pointer),), self.at)
        elif not isinstance(value.type, IntegerType):
            raise UnsupportedConstruct(f"a text written by %{letter} of something that is no number", self.cursor)
        elif letter == "c":
            self._call("__kleene_put_character", (Cast(value, INT),), self.at)
        elif letter in "di":
            self._call("__kleene_put_signed", (Cast(_as(value, value.type, signed=True), LONG_LONG),), self.at)
        else:
            number = Cast(_as(value, value.type, signed=False), UNSIGNED_LONG_LONG)
            self._call("__kleene_put_number", (number, Constant(_BASES[letter], UNSIGNED)), self.at)


def text_literal(text: str, type_: Type) -> Expression:
    """A pointer to a text that the program does not contain as such."""
    data = text.encode("latin-1") + b"\0"
    return AddressOf(StringLiteral(data, ArrayType(CHAR, len(data))), type_)


def _as(value: Expression, type_: IntegerType, *, signed: bool) -> Expression:
    """The number as one with or without a sign, of its own width."""
    wanted: Type = IntegerType(type_.bits, signed=signed)
    return value if value.type == wanted else Cast(value, wanted)
