"""C integers as mathematical integers, for interpolants: linear where C is, with wrap-around made explicit.

Bit-vectors decide whether a path is feasible (`terms`); interpolants use linear predicates, which people and refinement
can read. A nonlinear term is None, "any number", which can only make the relation of a step larger.
"""

from __future__ import annotations

from typing import Any

import z3

from kleene.cfa.types import IntegerType


def number(value: int) -> Any:
    return z3.IntVal(value)


def is_number(term: Any) -> bool:
    return bool(z3.is_int_value(term))


def within(term: Any, type_: IntegerType) -> Any:
    return z3.And(term >= type_.minimum, term <= type_.maximum)


def wrap_term(term: Any, type_: IntegerType) -> Any:
    """The term converted to the type."""
    if is_number(term):
        return number(type_.wrap(term.as_long()))
    if type_.boolean:
        return z3.If(term != 0, number(1), number(0))
    turned = (term - type_.minimum) % (1 << type_.bits) + type_.minimum
    return z3.If(within(term, type_), term, turned)


def converts_freely(source: IntegerType, target: IntegerType) -> bool:
    """Whether every number of the source is one of the target."""
    return target.minimum <= source.minimum and source.maximum <= target.maximum


def operate(symbol: str, a: Any, b: Any) -> Any:
    """The mathematical value of `a symbol b`, or None where it is not linear."""
    if symbol == "+":
        return a + b
    if symbol == "-":
        return a - b
    if symbol == "*" and (is_number(a) or is_number(b)):
        return a * b
    if not is_number(b):
        return None
    count = b.as_long()
    if symbol == "<<" and 0 <= count < 64:
        return a * (1 << count)
    if symbol == ">>" and 0 <= count < 64:
        return a / (1 << count)
    if symbol == "&" and count >= 0 and (count + 1) & count == 0:
        return a % (count + 1)
    if symbol in "/%" and count > 0:
        quotient = z3.If(a >= 0, a / count, -((-a) / count))
        return quotient if symbol == "/" else a - count * quotient
    return None
