"""Lowering of `scanf` and `fscanf`, whose input may be anything, and of `sscanf`, which reads a text of the program.

The format must be known: numbers, characters, words, and for `sscanf` also sets (`%[^,]`), spaces and literal text.
`sscanf` becomes one call of a function of our library for each part of the format; each returns the rest of the text,
or NULL where it does not match.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from kleene.c.library.printing import text_literal
from kleene.c.lowering import UnsupportedConstruct
from kleene.cfa.expressions import Binary, Cast, Comparison, Constant, Deref, Expression, Variable
from kleene.cfa.operations import READ_COUNT, READ_NUMBER, Assign, Assume, Call, Havoc, Place
from kleene.cfa.types import CHAR, INT, LONG_LONG, IntegerType, PointerType, is_scalar

if TYPE_CHECKING:
    from kleene.c.calls import Calls

_CONVERSION = re.compile(r"%(\*?)(\d*)(hh|h|ll|l|j|z|t|L|q)?(.)")
_REALS = "aAeEfFgG"
_NUMBERS = f"diouxXc{_REALS}"
_SCAN_WORD = "__kleene_scan_word"
_PART = re.compile(r"(\s+)|%(\*?)(\d*)(hh|h|ll|l|j|z|t)?(?:([duxcs])|\[(\^?)([^\]^-]+)\])|([^%\s]+)")
_BASES = {"d": 10, "u": 10, "x": 16}
NO_WIDTH = -1
"""Stands for a conversion of texts without a width: as many characters as there are."""
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
    stored = [(length, letter, width) for skipped, width, length, letter in conversions if not skipped]
    if any(letter not in _NUMBERS + "s" or (letter == "c" and width) for _, width, _, letter in conversions):
        raise UnsupportedConstruct("scanf of anything but numbers, words and characters", cursor)
    if len(arguments) < len(stored):
        raise UnsupportedConstruct("scanf with fewer arguments than conversions", cursor)
    pointers = [c.argument(argument) for argument in arguments]
    for pointer, (length, letter, _) in zip(pointers, stored, strict=False):
        if letter != "s":
            _require_size(c, cursor, pointer, length, letter)
    place, end = c.lower.place(cursor), c.lower.builder.new()
    count = c.lower.builder.temporary(INT)
    c.lower.builder.emit(Havoc(place, count, READ_COUNT))
    _cut(c, place, count, ">=", -1)
    _cut(c, place, count, "<=", len(stored))
    if re.match(r"\s*%c", text):  # an existing character always matches
        _only_if(c, place, Comparison("!=", count, Constant(0, INT)), None)
    for number, (pointer, (_, letter, width)) in enumerate(zip(pointers, stored, strict=False), start=1):
        _only_if(c, place, Comparison(">=", count, Constant(number, INT)), end)
        if letter == "s":
            _call(c, place, _SCAN_WORD, (pointer, Constant(int(width or NO_WIDTH), INT)))
        else:
            read = _read(c, place, pointer, cursor)
            c.lower.builder.emit(Assign(place, Deref(pointer, read.type), read))
    c.lower.builder.connect(c.lower.builder.here, end, place)
    c.lower.builder.here = end
    return count


def _require_size(c: Calls, cursor: Any, pointer: Expression, length: str, letter: str) -> None:
    """Refuse a conversion that writes more or fewer bytes than its argument points to."""
    target = pointer.type.target if isinstance(pointer.type, PointerType) else pointer.type
    if letter == "c":
        size = None if length else 1
    else:
        size = (_REAL_BYTES if letter in _REALS else _BYTES).get(length)
    if target.size != (c.lower.unit.types.pointer_size if size == _WORD else size):
        raise UnsupportedConstruct(f"scanf of '%{length}{letter}' to a number of another size", cursor)


def scan_text(c: Calls, cursor: Any, source: Any, format_: Any, arguments: list[Any]) -> Expression:
    """``sscanf(source, format, arguments)``: the number of conversions, or -1 if the text ends before the first one."""
    text = c._text(format_)
    parts = list(_PART.finditer(text)) if text is not None else []
    if text is None or sum(len(p.group()) for p in parts) != len(text):
        raise UnsupportedConstruct("sscanf of anything but numbers, words, sets and characters", cursor)
    place, builder = c.lower.place(cursor), c.lower.builder
    rest, before = builder.temporary(_text_type(c)), builder.temporary(_text_type(c))
    count, failed, end = builder.temporary(INT), builder.new(), builder.new()
    skips = builder.temporary(INT)
    pointers = [c.argument(argument) for argument in arguments]
    builder.emit(Assign(place, rest, Cast(c.argument(source), rest.type)))
    builder.emit(Assign(place, count, Constant(0, INT)))
    for part in parts:
        spaces, skipped, width, length, letter, negated, set_, literal = part.groups()
        if spaces is not None:
            _call(c, place, "__kleene_scan_spaces", (rest,), rest)
            continue
        builder.emit(Assign(place, before, rest))
        builder.emit(Assign(place, skips, Constant(int(letter in ("d", "u", "x", "s")), INT)))
        if literal is not None:
            _call(c, place, "__kleene_scan_literal", (rest, text_literal(literal, rest.type)), rest)
        else:
            target = None if skipped else _next(pointers, cursor)
            if target is not None and letter not in ("s", None):
                _require_size(c, cursor, target, length or "", letter)
            _convert(c, cursor, rest, target, letter, width, negated, set_)
        _only_if(c, place, Comparison("!=", rest, Constant(0, rest.type)), failed)
        if literal is None and not skipped:
            builder.emit(Assign(place, count, Binary("+", count, Constant(1, INT), INT)))
    builder.connect(builder.here, end, place)
    builder.here = failed
    _only_if(c, place, Comparison("==", count, Constant(0, INT)), end)
    _call(c, place, "__kleene_scan_failure", (before, skips), count)
    builder.connect(builder.here, end, place)
    builder.here = end
    return count


def _text_type(c: Calls) -> PointerType:
    return PointerType(CHAR, c.lower.values.difference_type().size)


def _next(pointers: list[Expression], cursor: Any) -> Expression:
    if not pointers:
        raise UnsupportedConstruct("sscanf with fewer arguments than conversions", cursor)
    return pointers.pop(0)


def _convert(
    c: Calls,
    cursor: Any,
    rest: Variable,
    target: Expression | None,
    letter: str | None,
    width: str,
    negated: str | None,
    set_: str | None,
) -> None:
    """One conversion of `sscanf`: `rest` becomes what is behind it, or NULL if it does not match."""
    place, most = c.lower.place(cursor), Constant(int(width or NO_WIDTH), INT)
    if letter == "s" or set_ is not None:
        if target is None:
            raise UnsupportedConstruct("sscanf that skips a text", cursor)
        if letter == "s":
            _call(c, place, "__kleene_scan_text_word", (rest, target, most), rest)
        else:
            inside = Constant(0 if negated else 1, INT)
            _call(
                c, place, "__kleene_scan_set", (rest, target, most, text_literal(set_ or "", rest.type), inside), rest
            )
        return
    if width:
        raise UnsupportedConstruct("sscanf of a number with a width", cursor)
    if letter == "c":
        value = c.lower.builder.temporary(CHAR)
        _call(c, place, "__kleene_scan_character", (rest,), value)
        _call(c, place, "__kleene_scan_behind_character", (rest,), rest)
    else:
        value = c.lower.builder.temporary(LONG_LONG)
        base = Constant(_BASES[letter or "d"], INT)
        _call(c, place, "__kleene_scan_number", (rest, base), value)
        _call(c, place, "__kleene_scan_behind_number", (rest, base), rest)
    if target is not None:
        if not isinstance(target.type, PointerType) or not isinstance(target.type.target, IntegerType):
            raise UnsupportedConstruct("sscanf to something that is not a number", cursor)
        _assign_if(c, place, rest, Deref(target, target.type.target), Cast(value, target.type.target))


def _assign_if(c: Calls, place: Place, rest: Variable, target: Expression, value: Expression) -> None:
    """Assign the value where `rest` is not NULL."""
    builder = c.lower.builder
    end = builder.new()
    _only_if(c, place, Comparison("!=", rest, Constant(0, rest.type)), end)
    builder.emit(Assign(place, target, value))
    builder.connect(builder.here, end, place)
    builder.here = end


def _call(c: Calls, place: Place, name: str, arguments: tuple[Expression, ...], result: Variable | None = None) -> None:
    """Call a function of our library."""
    c.lower.unit.linkage.needed[name] = None
    c.lower.builder.emit(Call(place, name, arguments, result))


def _read(c: Calls, place: Place, pointer: Expression, cursor: Any) -> Variable:
    """Any value of the type that the argument points to."""
    if not isinstance(pointer.type, PointerType) or not is_scalar(pointer.type.target):
        raise UnsupportedConstruct("scanf to something that is not a number", cursor)
    read = c.lower.builder.temporary(pointer.type.target)
    c.lower.builder.emit(Havoc(place, read, READ_NUMBER))
    return read


def _cut(c: Calls, place: Place, number: Variable, symbol: str, limit: int) -> None:
    """Replace a number beyond a limit by the limit."""
    builder = c.lower.builder
    end, beyond = builder.new(), builder.new()
    _only_if(c, place, Comparison(symbol, number, Constant(limit, INT)), beyond)
    builder.connect(builder.here, end, place)
    builder.here = beyond
    builder.emit(Assign(place, number, Constant(limit, INT)), end)
    builder.here = end


def _only_if(c: Calls, place: Place, condition: Comparison, otherwise: int | None) -> None:
    """Go on where the condition holds; where not, at `otherwise`, or nowhere."""
    yes, no = c.lower.builder.new(), c.lower.builder.new() if otherwise is None else otherwise
    c.lower.builder.branch(c.lower.builder.here, Assume(place, condition, True), yes)
    c.lower.builder.branch(c.lower.builder.here, Assume(place, condition, False), no)
    c.lower.builder.here = yes
