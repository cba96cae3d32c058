"""Lowering of `printf` and the like: their arguments are evaluated, and texts among them are read to their end."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from kleene.c.lowering import UnsupportedConstruct
from kleene.cfa.expressions import AddressOf, Cast, Constant, Expression, StringLiteral
from kleene.cfa.operations import Call, Print
from kleene.cfa.types import INT, PointerType, Type

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
    values = tuple(c._argument(a) for a in arguments)
    texts = values if format_ is None else _texts(format_, values, cursor)
    for text, most in _bounded(format_ or "", values):
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


def _bounded(format_: str, values: tuple[Expression, ...]) -> list[tuple[Expression, Expression]]:
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
