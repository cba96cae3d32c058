"""Lowering of the compiler's atomic operations, as in a program of one thread, and of arithmetic that tells overflow.

GCC manual, "Legacy __sync Built-in Functions" and "Built-in Functions to Perform Arithmetic with Overflow Checking".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from kleene.c.lowering import UnsupportedConstruct
from kleene.cfa.expressions import Binary, Cast, Comparison, Constant, Deref, Expression
from kleene.cfa.operations import Assign, Assume
from kleene.cfa.types import BOOL, INT, LONG_LONG, IntegerType, PointerType, is_scalar

if TYPE_CHECKING:
    from kleene.c.calls import Calls

_UPDATE = re.compile(r"__sync_(?:fetch_and_(add|sub|or|and|xor)|(add|sub|or|and|xor)_and_fetch)(?:_\d+)?")
_OPERATORS = {"add": "+", "sub": "-", "or": "|", "and": "&", "xor": "^", "mul": "*"}
_WIDE = 64
"""Bits of the widest numbers that are computed with."""


def atomic_operation(c: Calls, cursor: Any, name: str, arguments: list[Any]) -> Expression:
    """The value of a `__sync` function, after its effect."""
    values = [c.argument(a) for a in arguments]
    pointer = values[0] if values else None
    if pointer is None or not isinstance(pointer.type, PointerType) or not is_scalar(pointer.type.target):
        raise UnsupportedConstruct(f"{name} of something that is not a number or a pointer", cursor)
    type_, place = pointer.type.target, c.lower.place(cursor)
    where = Deref(c.lower.as_temporary(cursor, pointer), type_)
    old = c.lower.as_temporary(cursor, where)
    given = [Cast(v, type_) for v in values[1:]]
    update = _UPDATE.fullmatch(name)
    if update is not None and isinstance(type_, IntegerType):
        new = Binary(_OPERATORS[update[1] or update[2]], old, given[0], type_)
        c.lower.builder.emit(Assign(place, where, new))
        return old if update[1] else c.lower.as_temporary(cursor, where)
    if name.startswith("__sync_lock_test_and_set"):
        c.lower.builder.emit(Assign(place, where, given[0]))
        return old
    if name.startswith("__sync_lock_release"):
        c.lower.builder.emit(Assign(place, where, Constant(0, type_)))
        return old
    if "_compare_and_swap" in name:
        _swap_if_same(c, place, where, Comparison("==", old, given[0]), given[1])
        return Cast(Comparison("==", old, given[0]), BOOL) if "_bool_" in name else old
    raise UnsupportedConstruct(f"{name} is not supported", cursor)


def _swap_if_same(c: Calls, place: Any, where: Expression, same: Comparison, new: Expression) -> None:
    builder = c.lower.builder
    yes, end = builder.new(), builder.new()
    builder.branch(builder.here, Assume(place, same, True), yes)
    builder.branch(builder.here, Assume(place, same, False), end)
    builder.here = yes
    builder.emit(Assign(place, where, new))
    builder.connect(builder.here, end, place)
    builder.here = end


def overflow(c: Calls, cursor: Any, arguments: list[Any]) -> Expression:
    """``__builtin_add_overflow(a, b, &r)`` and the like: r is the wrapped result; whether it is not the true one."""
    a, b, pointer = (c.argument(x) for x in arguments)
    kind = pointer.type.target if isinstance(pointer.type, PointerType) else None
    operator = _OPERATORS[cursor.spelling.removeprefix("__builtin_").partition("_")[0]]
    types = [a.type, b.type, kind]
    if not all(isinstance(t, IntegerType) for t in types) or not isinstance(kind, IntegerType):
        raise UnsupportedConstruct(f"{cursor.spelling} of something that is not a number", cursor)
    place = c.lower.place(cursor)
    where = Deref(c.lower.as_temporary(cursor, pointer), kind)
    if all(isinstance(t, IntegerType) and 2 * t.bits <= _WIDE for t in types):
        wide = c.lower.as_temporary(cursor, Binary(operator, Cast(a, LONG_LONG), Cast(b, LONG_LONG), LONG_LONG))
        c.lower.builder.emit(Assign(place, where, Cast(wide, kind)))
        return Cast(Comparison("!=", Cast(where, LONG_LONG), wide), BOOL)
    if kind.signed or any(t != kind for t in types):
        raise UnsupportedConstruct(f"{cursor.spelling} of numbers of {_WIDE} bits with a sign", cursor)
    left, right = c.lower.as_temporary(cursor, a), c.lower.as_temporary(cursor, b)
    c.lower.builder.emit(Assign(place, where, Binary(operator, left, right, kind)))
    if operator == "+":
        return Cast(Comparison("<", where, left), BOOL)
    if operator == "-":
        return Cast(Comparison("<", left, right), BOOL)
    zero, maximum = Constant(0, kind), Constant(kind.maximum, kind)
    divisor = Binary("+", right, Cast(Comparison("==", right, zero), kind), kind)
    too_large = Comparison(">", left, Binary("/", maximum, divisor, kind))
    return Cast(Binary("&", Comparison("!=", right, zero), too_large, INT), BOOL)
