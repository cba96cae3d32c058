"""Lowering of `scanf` and `fscanf`, whose input may be anything, and of `sscanf`, which reads a text of the program.

The format must be known: numbers, characters, words, sets (`%[^,]`), and for `sscanf` also spaces and literal text.
`sscanf` becomes one call of a function of our library for each part of the format; each returns the rest of the text,
or NULL where it does not match.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kleene.c.library.printing import text_literal
from kleene.c.lowering import UnsupportedConstruct
from kleene.cfa.expressions import (
    Binary,
    Cast,
    Comparison,
    Constant,
    Expression,
    PointerDifference,
    Variable,
    target_of,
)
from kleene.cfa.operations import READ_COUNT, READ_NUMBER, Assign, Assume, Call, Havoc, Place
from kleene.cfa.types import CHAR, INT, LONG_LONG, FloatType, IntegerType, PointerType, is_scalar

if TYPE_CHECKING:
    from kleene.c.calls import Calls

_PART = re.compile(
    r"(?P<spaces>\s+)|(?P<percent>%%)|(?P<literal>[^%\s]+)"
    r"|%(?P<skipped>\*?)(?P<width>\d*)(?P<length>hh|h|ll|l|j|z|t|L|q)?"
    r"(?:\[(?P<negated>\^?)(?P<set>\]?[^\]]*)\]|(?P<letter>[a-zA-Z]))"
)
_RANGE = re.compile(r"(.)-(.)", re.DOTALL)
_SPACES = " \t\n\v\f\r"
_REALS = "aAeEfFgG"
_BASES = {"d": 10, "u": 10, "x": 16, "X": 16, "o": 8, "i": 0}
"""The bases of integers by their letters; 0 stands for that of a literal of C."""
_COUNT_OF_CHARACTERS = "n"
NO_WIDTH = -1
"""Stands for a conversion without a width: as many characters as there are."""
_WORD = 0
"""Stands for the bytes of a pointer, which are those of `long` too."""
_BYTES = {"": 4, "hh": 1, "h": 2, "l": _WORD, "ll": 8, "q": 8, "j": 8, "z": _WORD, "t": _WORD}
"""The bytes of integers by the letters before a conversion (C17, 7.21.6.2)."""
_REAL_BYTES = {"": 4, "l": 8}
_REAL_VALUES = {"": ("strtof", FloatType(32)), "l": ("strtod", FloatType(64))}
"""The functions of our library that compute numbers with a fraction, by the letters before a conversion."""


@dataclass(frozen=True)
class _Conversion:
    """A part of a format that begins with `%`."""

    is_skipped: bool
    width: int
    length: str
    letter: str
    """`s` for words and for sets."""
    set: str
    """The characters of a set, or those that a word does not have."""
    is_inside: bool
    """Whether the characters are those of the set, not all others."""
    is_word: bool
    written: str
    """The set as the format writes it, with ranges."""

    @staticmethod
    def of(part: re.Match[str]) -> _Conversion:
        width = int(part["width"] or NO_WIDTH)
        set_, inside = (_SPACES, False) if part["set"] is None else (_members(part["set"]), not part["negated"])
        letter = part["letter"] or "s"
        is_word = part["letter"] == "s"
        return _Conversion(
            bool(part["skipped"]), width, part["length"] or "", letter, set_, inside, is_word, part["set"] or ""
        )

    @property
    def is_real(self) -> bool:
        return self.letter in _REALS

    @property
    def skips_spaces(self) -> bool:
        """Whether spaces before it do not count."""
        return self.letter in _BASES or self.is_real or self.is_word

    @property
    def is_known(self) -> bool:
        """Whether C says what it does; a width of 0 and a range that runs backwards are left to the implementation."""
        if self.width == 0 or any(end < start for start, end in _RANGE.findall(self.written)):
            return False
        if self.letter == "c":
            return self.width in (NO_WIDTH, 1)
        return self.letter in _BASES or self.is_real or (self.letter == "s" and not self.length)


def _members(set_: str) -> str:
    """The characters of a set; a range stands for those between its ends."""
    return _RANGE.sub(lambda m: "".join(map(chr, range(ord(m[1]), ord(m[2]) + 1))), set_)


def _parts(c: Calls, format_: Any) -> list[re.Match[str]] | None:
    """The parts of a format; None if it is not known or has others."""
    text = c._text(format_)
    parts = list(_PART.finditer(text)) if text is not None else []
    return None if text is None or sum(len(p.group()) for p in parts) != len(text) else parts


def scan(c: Calls, cursor: Any, format_: Any, arguments: list[Any]) -> Expression:
    """Some count of conversions succeeds, or -1 at the end of the input; that many targets are written."""
    parts = _parts(c, format_)
    conversions = [_Conversion.of(part) for part in parts or () if part.group().startswith("%") and not part["percent"]]
    stored = [conversion for conversion in conversions if not conversion.is_skipped]
    if parts is None or not all(conversion.is_known for conversion in conversions):
        raise UnsupportedConstruct("scanf of anything but numbers, words, sets and characters", cursor)
    if len(arguments) < len(stored):
        raise UnsupportedConstruct("scanf with fewer arguments than conversions", cursor)
    pointers = [c.argument(argument) for argument in arguments]
    for pointer, conversion in zip(pointers, stored, strict=False):
        if conversion.letter != "s":
            _require_size(c, cursor, pointer, conversion)
    place, end = c.lower.place(cursor), c.lower.builder.new()
    count = c.lower.builder.temporary(INT)
    c.lower.builder.emit(Havoc(place, count, READ_COUNT))
    _cut(c, place, count, ">=", -1)
    _cut(c, place, count, "<=", len(stored))
    if next((part.group() for part in parts if part["spaces"] is None), None) == "%c":
        _only_if(c, place, Comparison("!=", count, Constant(0, INT)), None)  # an existing character always matches
    for number, (pointer, conversion) in enumerate(zip(pointers, stored, strict=False), start=1):
        _only_if(c, place, Comparison(">=", count, Constant(number, INT)), end)
        if conversion.letter == "s":
            _call(c, place, "__kleene_scan_field", (pointer, *_field(c, conversion)))
        else:
            read = _read(c, place, pointer, cursor)
            c.lower.builder.emit(Assign(place, target_of(pointer, read.type), read))
    c.lower.builder.connect(c.lower.builder.here, end, place)
    c.lower.builder.here = end
    return count


def _field(c: Calls, conversion: _Conversion) -> tuple[Expression, ...]:
    """The width and the characters of a word or set, as arguments."""
    set_ = text_literal(conversion.set, _text_type(c))
    return Constant(conversion.width, INT), set_, Constant(int(conversion.is_inside), INT)


def _require_size(c: Calls, cursor: Any, pointer: Expression, conversion: _Conversion) -> None:
    """Refuse a conversion that writes more or fewer bytes than its argument points to."""
    target = pointer.type.target if isinstance(pointer.type, PointerType) else pointer.type
    length = conversion.length
    if conversion.letter == "c":
        size = None if length else 1
    else:
        size = (_REAL_BYTES if conversion.is_real else _BYTES).get(length)
    if target.size != (c.lower.unit.types.pointer_size if size == _WORD else size):
        raise UnsupportedConstruct(f"scanf of '%{length}{conversion.letter}' to a number of another size", cursor)


def scan_text(c: Calls, cursor: Any, source: Any, format_: Any, arguments: list[Any]) -> Expression:
    """``sscanf(source, format, arguments)``: the number of conversions, or -1 if the text ends before the first one."""
    parts = _parts(c, format_)
    if parts is None:
        raise UnsupportedConstruct("sscanf with a format that is not known", cursor)
    place, builder = c.lower.place(cursor), c.lower.builder
    start, rest, before = (builder.temporary(_text_type(c)) for _ in range(3))
    count, failed, end = builder.temporary(INT), builder.new(), builder.new()
    skips = builder.temporary(INT)
    pointers = [c.argument(argument) for argument in arguments]
    builder.emit(Assign(place, start, Cast(c.argument(source), rest.type)))
    builder.emit(Assign(place, rest, start))
    builder.emit(Assign(place, count, Constant(0, INT)))
    for part in parts:
        if part["spaces"] is not None:
            _call(c, place, "__kleene_scan_spaces", (rest,), rest)
            continue
        conversion = None if part["literal"] or part["percent"] else _Conversion.of(part)
        if conversion is not None and conversion.letter == _COUNT_OF_CHARACTERS:
            _count_characters(c, cursor, conversion, rest, start, pointers)
            continue
        skips_spaces = bool(part["percent"]) if conversion is None else conversion.skips_spaces
        builder.emit(Assign(place, before, rest))
        builder.emit(Assign(place, skips, Constant(int(skips_spaces), INT)))
        if skips_spaces:
            _call(c, place, "__kleene_scan_spaces", (rest,), rest)
        if conversion is None:
            literal = text_literal("%" if part["percent"] else part.group(), rest.type)
            _call(c, place, "__kleene_scan_literal", (rest, literal), rest)
        else:
            _convert(c, cursor, rest, None if conversion.is_skipped else _next(pointers, cursor), conversion)
        _only_if(c, place, Comparison("!=", rest, Constant(0, rest.type)), failed)
        if conversion is not None and not conversion.is_skipped:
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


def _count_characters(
    c: Calls, cursor: Any, conversion: _Conversion, rest: Variable, start: Variable, pointers: list[Expression]
) -> None:
    """``%n``: the number of characters so far, which counts as no conversion."""
    target = _next(pointers, cursor)
    _require_size(c, cursor, target, conversion)
    number = _target(cursor, target)
    done = PointerDifference(rest, start, 1, c.lower.values.difference_type())
    c.lower.builder.emit(Assign(c.lower.place(cursor), number, Cast(done, number.type)))


def _convert(c: Calls, cursor: Any, rest: Variable, target: Expression | None, conversion: _Conversion) -> None:
    """One conversion of `sscanf`: `rest` becomes what is behind it, or NULL if it does not match."""
    place, builder, width = c.lower.place(cursor), c.lower.builder, Constant(conversion.width, INT)
    if not conversion.is_known:
        raise UnsupportedConstruct("sscanf of anything but numbers, words, sets and characters", cursor)
    if conversion.letter == "s":
        function, stored = ("skip", ()) if target is None else ("scan", (target,))
        _call(c, place, f"__kleene_{function}_set", (rest, *stored, *_field(c, conversion)), rest)
        return
    if target is not None:
        _require_size(c, cursor, target, conversion)
    if conversion.letter == "c":
        value = builder.temporary(CHAR)
        _call(c, place, "__kleene_scan_character", (rest,), value)
        _call(c, place, "__kleene_scan_behind_character", (rest,), rest)
    elif conversion.is_real:
        if conversion.width != NO_WIDTH:
            raise UnsupportedConstruct("sscanf of a number with a fraction and a width", cursor)
        name, type_ = _REAL_VALUES[conversion.length]
        value = builder.temporary(type_)
        _call(c, place, name, (rest, Constant(0, PointerType(rest.type, rest.type.size))), value)
        _call(c, place, "__kleene_scan_behind_real", (rest,), rest)
    else:
        value = builder.temporary(LONG_LONG)
        base = Constant(_BASES[conversion.letter], INT)
        _call(c, place, "__kleene_scan_number", (rest, base, width), value)
        _call(c, place, "__kleene_scan_behind_number", (rest, base, width), rest)
    if target is not None:
        stored_to = _target(cursor, target)
        _assign_if(c, place, rest, stored_to, Cast(value, stored_to.type))


def _target(cursor: Any, pointer: Expression) -> Expression:
    """The number that an argument points to."""
    if not isinstance(pointer.type, PointerType) or not isinstance(pointer.type.target, IntegerType | FloatType):
        raise UnsupportedConstruct("sscanf to something that is not a number", cursor)
    return target_of(pointer, pointer.type.target)


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
