"""Lowering of `scanf` and `fscanf` with a known format of numbers and characters: input that may be anything."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from kleene.c.lowering import UnsupportedConstruct
from kleene.cfa.expressions import Comparison, Constant, Deref, Expression, Variable
from kleene.cfa.operations import Assign, Assume, Havoc, Place
from kleene.cfa.types import INT, PointerType, is_scalar

if TYPE_CHECKING:
    from kleene.c.calls import Calls

_CONVERSION = re.compile(r"%(\*?)(\d*)(hh|h|ll|l|j|z|t|L|q)?(.)")
_REALS = "aAeEfFgG"
_NUMBERS = f"diouxXc{_REALS}"
_WORD = 0
"""Stands for the bytes of a pointer, which are those of `long` too."""
_BYTES = {"": 4, "hh": 1, "h": 2, "l": _WORD, "ll": 8, "q": 8, "j": 8, "z": _WORD, "t": _WORD}
"""The bytes of integers by the letters before a conversion (C17, 7.21.6.2)."""
_REAL_BYTES = {"": 4, "l": 8}


def scan(c: Calls, cursor: Any, format_: Any, arguments: list[Any]) -> Expression:
    """Some count of conversions succeeds, or -1 at the end of the input; that many targets are written."""
    text = c._text(format_)
    if text is None:
        raise UnsupportedConstruct("scanf with a format that is not known", cursor)
    conversions = _CONVERSION.findall(text.replace("%%", ""))
    stored = [(length, letter) for skipped, _, length, letter in conversions if not skipped]
    if any(letter not in _NUMBERS or (letter == "c" and width) for _, width, _, letter in conversions):
        raise UnsupportedConstruct("scanf of anything but numbers and characters", cursor)
    if len(arguments) < len(stored):
        raise UnsupportedConstruct("scanf with fewer arguments than conversions", cursor)
    pointers = [c._argument(argument) for argument in arguments]
    for pointer, (length, letter) in zip(pointers, stored, strict=False):
        target = pointer.type.target if isinstance(pointer.type, PointerType) else pointer.type
        if target.size != _bytes(length, letter, c.lower.unit.types.pointer_size):
            raise UnsupportedConstruct(f"scanf of '%{length}{letter}' to a number of another size", cursor)
    place, end = c.lower.place(cursor), c.lower.builder.new()
    count = c.lower.builder.temporary(INT)
    c.lower.builder.emit(Havoc(place, count, "scanf"))
    _only_if(c, place, Comparison(">=", count, Constant(-1, INT)), None)
    _only_if(c, place, Comparison("<=", count, Constant(len(stored), INT)), None)
    if re.match(r"\s*%c", text):  # an existing character always matches
        _only_if(c, place, Comparison("!=", count, Constant(0, INT)), None)
    for number, pointer in enumerate(pointers[: len(stored)], start=1):
        _only_if(c, place, Comparison(">=", count, Constant(number, INT)), end)
        read = _read(c, place, pointer, cursor)
        c.lower.builder.emit(Assign(place, Deref(pointer, read.type), read))
    c.lower.builder.connect(c.lower.builder.here, end, place)
    c.lower.builder.here = end
    return count


def _bytes(length: str, letter: str, word: int) -> int | None:
    """How many bytes a conversion writes; None if C does not say."""
    if letter == "c":
        return None if length else 1
    size = (_REAL_BYTES if letter in _REALS else _BYTES).get(length)
    return word if size == _WORD else size


def _read(c: Calls, place: Place, pointer: Expression, cursor: Any) -> Variable:
    """Any value of the type that the argument points to."""
    if not isinstance(pointer.type, PointerType) or not is_scalar(pointer.type.target):
        raise UnsupportedConstruct("scanf to something that is not a number", cursor)
    read = c.lower.builder.temporary(pointer.type.target)
    c.lower.builder.emit(Havoc(place, read, "scanf"))
    return read


def _only_if(c: Calls, place: Place, condition: Comparison, otherwise: int | None) -> None:
    """Go on where the condition holds; where not, at `otherwise`, or nowhere."""
    yes, no = c.lower.builder.new(), c.lower.builder.new() if otherwise is None else otherwise
    c.lower.builder.branch(c.lower.builder.here, Assume(place, condition, True), yes)
    c.lower.builder.branch(c.lower.builder.here, Assume(place, condition, False), no)
    c.lower.builder.here = yes
