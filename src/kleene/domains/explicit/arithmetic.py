"""Arithmetic and comparisons as the C standard has them, on numbers, pointers and unknown inputs.

Signed overflow wraps (docs/assumptions.md). What cannot be expressed on unknown inputs gives a new unknown number
in the right range, which over-approximates; a decision that depends on an input raises Split.
"""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable, Sequence

from kleene.cfa.types import FloatType, IntegerType, Type
from kleene.domains.explicit.state import State
from kleene.domains.explicit.values import (
    RETURNED_NULL,
    UNKNOWN,
    Constraint,
    Linear,
    NotModelled,
    Pointer,
    Split,
    Undefined,
    Unknown,
    Value,
)

_FEW_CASES = 16
"""Cases of an operand up to this many are told apart before an operation on unknown numbers."""
_TRIED = (-1, 0, 1, 2, 3)
"""Of more numbers, these and the ends of their range: most errors at the bounds of a block show with short blocks."""
_ALIGNMENT = 8
"""Bytes: the least alignment of blocks on the heap that hold any object."""
_PAGE = 4096
"""Bytes at both ends of the address space where no object lies."""
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def integer_operation(symbol: str, a: int, b: int, type_: IntegerType) -> int:
    """The C value of `a symbol b` in the type."""
    if symbol == "+":
        result = a + b
    elif symbol == "-":
        result = a - b
    elif symbol == "*":
        result = a * b
    elif symbol in "/%":
        result = _divide(symbol, a, b)
    elif symbol in ("<<", ">>"):
        if not 0 <= b < type_.bits:
            raise NotModelled("shift by a negative number or by too many bits")
        result = a << b if symbol == "<<" else a >> b
    elif symbol == "&":
        result = a & b
    elif symbol == "|":
        result = a | b
    else:
        result = a ^ b
    return type_.wrap(result)


def _divide(symbol: str, a: int, b: int) -> int:
    """Division towards zero, and its remainder (C17, 6.5.5)."""
    if b == 0:
        raise NotModelled("division by zero")
    quotient = abs(a) // abs(b)
    if (a < 0) != (b < 0):
        quotient = -quotient
    return quotient if symbol == "/" else a - b * quotient


def float_operation(symbol: str, a: float, b: float, type_: FloatType) -> float:
    if symbol == "+":
        result = a + b
    elif symbol == "-":
        result = a - b
    elif symbol == "*":
        result = a * b
    elif b == 0:
        raise NotModelled("floating-point division by zero")
    else:
        result = a / b
        if type_.bits not in _REAL_BITS and result * b != a:
            raise NotModelled(_PRECISE)
    return round_to(result, type_)


_REAL_BITS = (32, 64)
"""The bits of floating-point types that we compute as C does: those of `float` and `double`."""
_EXACT = 1 << 53
"""Integers up to here are the same numbers in `double` and in `long double`."""
_PRECISE = "arithmetic on floating-point numbers other than float and double"


def round_to(value: float, type_: FloatType) -> float:
    if type_.bits not in _REAL_BITS and not (value.is_integer() and abs(value) < _EXACT):
        raise NotModelled(_PRECISE)
    if type_.bits != 32:
        return value
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        raise NotModelled("floating-point overflow") from None


def operate(state: State, symbol: str, a: Value, b: Value, type_: Type) -> Value:
    """`a symbol b` for any values; the fast case of two integers is the caller's."""
    if isinstance(type_, FloatType):
        return float_operation(symbol, as_float(a), as_float(b), type_)
    assert isinstance(type_, IntegerType)
    if isinstance(a, Undefined) or isinstance(b, Undefined) or isinstance(a, float) or isinstance(b, float):
        raise NotModelled(f"operator {symbol} on an undefined value")
    if isinstance(a, Pointer) or isinstance(b, Pointer):
        return _on_addresses(state, symbol, a, b)
    if isinstance(a, int) and isinstance(b, int):
        return integer_operation(symbol, a, b, type_)
    return _on_unknown(state, symbol, a, b, type_)


def _foreign(*values: Value) -> Unknown | None:
    """A number among the values that brings its own operations."""
    return next((v for v in values if isinstance(v, Unknown) and not isinstance(v, Linear)), None)


def _low_bits(state: State, symbol: str, pointer: Pointer, number: int) -> Value:
    """Flags in the low bits of an address: blocks of malloc begin at multiples of `_ALIGNMENT` (C17, 7.22.3)."""
    if state.blocks[pointer.block].kind != "heap":
        raise NotModelled(f"operator {symbol} on the address of a variable")
    low = pointer.offset & (_ALIGNMENT - 1)
    start = pointer.offset - low
    if symbol == "&" and 0 <= number < _ALIGNMENT:
        return low & number
    if symbol == "&" and number | (_ALIGNMENT - 1) in (-1, (1 << 32) - 1, (1 << 64) - 1):
        return Pointer(pointer.block, start + (low & number))
    if symbol != "&" and 0 <= number < _ALIGNMENT:
        return Pointer(pointer.block, start + (low | number if symbol == "|" else low ^ number))
    raise NotModelled(f"operator {symbol} on an address as a number")


def _is_no_address(number: int) -> bool:
    """Whether no object lies at an address: in the first page, at the very end, or outside of what machines address."""
    return 0 < number < _PAGE or number % (1 << 32) >= (1 << 32) - _PAGE or number >= 1 << 47


def _on_addresses(state: State, symbol: str, a: Value, b: Value) -> Value:
    """Arithmetic on an address kept in an integer."""
    if symbol == "+" and isinstance(a, Pointer) and isinstance(b, int):
        return Pointer(a.block, a.offset + b)
    if symbol == "+" and isinstance(b, Pointer) and isinstance(a, int):
        return Pointer(b.block, b.offset + a)
    if symbol == "-" and isinstance(a, Pointer) and isinstance(b, int):
        return Pointer(a.block, a.offset - b)
    if symbol == "-" and isinstance(a, Pointer) and isinstance(b, Pointer) and a.block == b.block:
        return a.offset - b.offset
    pointer, number = (a, b) if isinstance(a, Pointer) else (b, a)
    if symbol in "&|^" and isinstance(pointer, Pointer) and isinstance(number, int):
        return _low_bits(state, symbol, pointer, number)
    raise NotModelled(f"operator {symbol} on an address as a number")


def _on_unknown(state: State, symbol: str, a: int | Unknown, b: int | Unknown, type_: IntegerType) -> Value:
    foreign = _foreign(a, b)
    if foreign is not None:
        return foreign.operate(state, symbol, a, b, type_)
    assert isinstance(a, int | Linear) and isinstance(b, int | Linear)
    if symbol == "+" and isinstance(a, Linear) and isinstance(b, int):
        return fit(state, Linear(a.symbol, a.offset + b), type_)
    if symbol == "+" and isinstance(b, Linear) and isinstance(a, int):
        return fit(state, Linear(b.symbol, b.offset + a), type_)
    if symbol == "-" and isinstance(a, Linear) and isinstance(b, int):
        return fit(state, Linear(a.symbol, a.offset - b), type_)
    if symbol == "-" and isinstance(a, Linear) and isinstance(b, Linear) and a.symbol == b.symbol:
        return type_.wrap(a.offset - b.offset)
    if symbol in "*&" and 0 in (a, b):
        return 0
    for value in (a, b):
        if isinstance(value, Linear) and span(state, value) <= _FEW_CASES:
            concrete(state, value)
    low, high = _result_range(state, symbol, a, b, type_)
    return state.derive(low, high, (symbol, a, b, type_))


def _result_range(state: State, symbol: str, a: int | Linear, b: int | Linear, type_: IntegerType) -> tuple[int, int]:
    """Bounds of the result of an operation that constraints cannot express."""
    (alow, ahigh), (blow, bhigh) = bounds(state, a), bounds(state, b)
    low, high = type_.minimum, type_.maximum
    if symbol in "/%" and blow <= 0 <= bhigh:
        if isinstance(b, Linear):
            decide(state, "==", b, 0)
            (blow, bhigh) = bounds(state, b)
        if blow == bhigh == 0:
            raise NotModelled("division by zero")
    if symbol in ("<<", ">>") and (blow < 0 or bhigh >= type_.bits):
        raise NotModelled("shift by an unknown number of bits")
    if symbol in ("+", "-", "*"):
        if symbol == "-":
            blow, bhigh = -bhigh, -blow
        function = operator.mul if symbol == "*" else operator.add
        corners = [function(x, y) for x in (alow, ahigh) for y in (blow, bhigh)]
        if type_.minimum <= min(corners) and max(corners) <= type_.maximum:
            low, high = min(corners), max(corners)
    elif symbol == "%":
        size = max(abs(blow), abs(bhigh)) - 1
        low, high = (-size if alow < 0 else 0), size if ahigh > 0 else 0
    elif symbol == "/":
        size = max(abs(alow), abs(ahigh))
        low, high = (0 if alow >= 0 and blow > 0 else max(low, -size)), min(high, size)
    elif symbol == "&" and (alow >= 0 or blow >= 0):
        low, high = 0, min(ahigh if alow >= 0 else high, bhigh if blow >= 0 else high)
    elif symbol == ">>" and alow >= 0:
        low, high = 0, ahigh
    return low, high


def bounds(state: State, value: int | Linear) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else state.store.range_of(value)


def span(state: State, value: Linear) -> int:
    low, high = state.store.range_of(value)
    return high - low + 1


def fit(state: State, value: Unknown, type_: IntegerType) -> Value:
    """The value converted to the type: wrapped once if its range allows only that, split if it crosses a limit."""
    if not isinstance(value, Linear):
        return value.fit(state, type_)
    low, high = state.store.range_of(value)
    if low == high:
        return type_.wrap(low)
    if type_.boolean:
        return decide(state, "!=", value, 0)
    if type_.minimum <= low and high <= type_.maximum:
        return value
    turns = (low - type_.minimum) >> type_.bits
    if turns == (high - type_.minimum) >> type_.bits:
        return Linear(value.symbol, value.offset - (turns << type_.bits))
    if (high - low) >> type_.bits > 1:
        return state.derive(type_.minimum, type_.maximum, ("wrap", value, type_))
    edge = type_.minimum + ((turns + 1) << type_.bits) - value.offset
    raise Split([[(value.symbol, 0, edge - 1)], [(0, value.symbol, -edge)]])


def concrete(state: State, value: Value, *, ends: bool = True) -> int:
    """The one number that a value is; splits into its possibilities, or into some if there are many.

    Without `ends`, the greatest ones are not among them: large blocks take long, and show what small ones show.
    """
    if isinstance(value, int):
        return value
    if not isinstance(value, Linear):
        if isinstance(value, Unknown):
            return value.concrete(state)
        raise NotModelled("a number is needed here")
    low, high = state.store.range_of(value)
    if low == high:
        return low
    numbers: Sequence[int] = range(low - value.offset, high - value.offset + 1)
    if high - low >= state.source.enumerated:
        state.source.bounded = "of an index or size with many values only some are tried"
        few = [n for n in _TRIED if low <= n <= high and n < state.source.enumerated]
        tried = {low, low + 1, *few, *((high - 1, high) if ends else ())}
        numbers = [n - value.offset for n in sorted(tried, key=abs, reverse=True)]
    raise Split([[(value.symbol, 0, n), (0, value.symbol, -n)] for n in numbers])


def pointer_from(state: State, value: Unknown, type_: IntegerType) -> Value:
    """A pointer made from an unknown number: the number itself, or one of a few."""
    if isinstance(value, Linear) and span(state, value) > state.source.enumerated:
        return fit(state, value, type_)
    return type_.wrap(concrete(state, value))


def decide(state: State, symbol: str, a: int | Unknown, b: int | Unknown) -> int:
    """1 or 0 for a comparison; splits if both are possible."""
    foreign = _foreign(a, b)
    if foreign is not None:
        return foreign.decide(state, symbol, a, b)
    assert isinstance(a, int | Linear) and isinstance(b, int | Linear)
    x, xo = (a.symbol, a.offset) if isinstance(a, Linear) else (0, a)
    y, yo = (b.symbol, b.offset) if isinstance(b, Linear) else (0, b)
    if x == y:
        return int(_COMPARE[symbol](xo, yo))
    if symbol in (">", ">="):
        x, xo, y, yo = y, yo, x, xo
        symbol = "<" if symbol == ">" else "<="
    if x and y:
        _without_holes(state, x, y)
    k = yo - xo
    yes: list[list[Constraint]]
    no: list[list[Constraint]]
    if symbol in ("<", "<="):
        bound = k - 1 if symbol == "<" else k
        yes, no = [[(x, y, bound)]], [[(y, x, -bound - 1)]]
    else:
        yes, no = [[(x, y, k), (y, x, -k)]], [[(x, y, k - 1)], [(y, x, -k - 1)]]
        if 0 in (x, y) and state.store.may_have_holes(x or y):
            no = [[(x, x, k)]] if y == 0 else [[(y, y, -k)]]
        if symbol == "!=":
            yes, no = no, yes
    possible = [alternative for alternative in yes if state.store.restrict(alternative) is not None]
    impossible = [alternative for alternative in no if state.store.restrict(alternative) is not None]
    if possible and impossible:
        raise Split([*possible, *impossible])
    return int(bool(possible))


def _without_holes(state: State, *symbols: int) -> None:
    """Inputs that are to be related have bounds only: one that is not a number is less or more."""
    for symbol in symbols:
        hole = state.store.hole_of(symbol)
        if hole is not None:
            raise Split([[(symbol, 0, hole - 1)], [(0, symbol, -hole - 1)]])


def compare_numbers(state: State, symbol: str, a: Value, b: Value) -> int:
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        if isinstance(a, int | Unknown) and isinstance(b, int | Unknown):
            return decide(state, symbol, a, b)
        raise NotModelled("comparison of an unknown number with an address")
    if isinstance(a, Undefined | Pointer) or isinstance(b, Undefined | Pointer):
        return compare_addresses(state, symbol, a, b)
    return int(_COMPARE[symbol](a, b))


def compare_addresses(state: State, symbol: str, a: Value, b: Value) -> int:
    """Comparison of pointers; where C leaves the answer open, either may come, and the state is tainted by it."""
    if isinstance(a, Unknown) or isinstance(b, Unknown):  # a pointer made from a number
        if isinstance(a, int | Unknown) and isinstance(b, int | Unknown):
            return decide(state, symbol, a, b)
        raise NotModelled("comparison of an address with an unknown number")
    if isinstance(a, Undefined) or isinstance(b, Undefined):
        return _open_choice(state, symbol, a, b, "comparison of an uninitialized pointer")
    a, b = plain_null(state, a), plain_null(state, b)
    if isinstance(a, Pointer) and isinstance(b, Pointer):
        if a.block == b.block:
            return int(_COMPARE[symbol](a.offset, b.offset))
        for one in (a, b):
            if state.blocks[one.block].kind == UNKNOWN:
                raise NotModelled(f"comparison with {state.blocks[one.block].label}")
        if symbol not in ("==", "!="):
            raise NotModelled("order of pointers to different objects")
        if _may_share_address(state, a, b):
            return _open_choice(state, symbol, a, b, "comparison of a pointer to a block that is gone")
        return int(symbol == "!=")
    if isinstance(a, int) and isinstance(b, int):
        return int(_COMPARE[symbol](a, b))
    number = a if isinstance(a, int) else b
    if isinstance(number, int) and _is_no_address(number) and symbol in ("==", "!="):
        return int(symbol == "!=")
    if not isinstance(number, int) or number != 0:
        raise NotModelled("comparison of an address with a number")
    pointer = a if isinstance(a, Pointer) else b
    if isinstance(pointer, Pointer) and state.blocks[pointer.block].kind == UNKNOWN and not _exists(state, pointer):
        if pointer.offset:
            raise NotModelled("arithmetic on a null pointer")
        return int(_COMPARE[symbol](0, 0))
    if symbol in ("==", "!="):
        return int(symbol == "!=")
    return int(_COMPARE[symbol](0 if a == 0 else 1, 0 if b == 0 else 1))


def plain_null(state: State, value: Value) -> Value:
    """A null pointer of unknown code as the number that it is."""
    if isinstance(value, Pointer) and state.blocks[value.block].kind == RETURNED_NULL:
        return value.offset
    return value


def _exists(state: State, pointer: Pointer) -> bool:
    """Whether a pointer that the entry is given points to something; chosen when it is first asked for, and kept."""
    known = state.blocks[pointer.block].cells.get(0)
    if known is not None:
        return bool(known[1])
    why = f"{state.blocks[pointer.block].label} exists"
    chosen = state.draw(0, 1, why, ("exists", pointer.block))
    answer = chosen if isinstance(chosen, int) else decide(state, "!=", chosen, 0)  # type: ignore[arg-type]
    state.tainted = state.tainted or "a pointer that the entry is given"
    state.writable(pointer.block).store(0, 1, answer)
    return bool(answer)


def _may_share_address(state: State, a: Pointer, b: Pointer) -> bool:
    """Whether one block may have been put where the other was, after its end."""
    first, second = state.blocks.get(a.block), state.blocks.get(b.block)
    if first is None or second is None or first.kind != second.kind:
        return False
    return (not first.alive and second.birth > first.death) or (not second.alive and first.birth > second.death)


def _open_choice(state: State, symbol: str, a: Value, b: Value, why: str) -> int:
    if symbol in ("!=", ">", ">="):
        same = {"!=": "==", ">": "<=", ">=": "<"}[symbol]
        return 1 - _open_choice(state, same, a, b, why)
    state.tainted = state.tainted or why
    chosen = state.draw(0, 1, why, ("open", symbol, id(a) if isinstance(a, Undefined) else a, id(b)))
    return chosen if isinstance(chosen, int) else decide(state, "!=", chosen, 0)  # type: ignore[arg-type]


def to_float(value: Value, type_: FloatType) -> float:
    """The value converted; rounding a number twice, to `double` and then to `float`, may give another one."""
    if isinstance(value, int) and type_.bits < 64 and abs(value) > _EXACT and int(float(value)) != value:
        raise NotModelled("a conversion of a large number to float")
    return round_to(as_float(value), type_)


def as_float(value: Value) -> float:
    if isinstance(value, int | float):
        return float(value)
    raise NotModelled("floating-point arithmetic on an unknown or undefined value")
