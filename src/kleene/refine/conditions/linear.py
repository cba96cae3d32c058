"""Linear conditions on integer variables: the nullary predicates of an abstraction.

A condition compares a sum over the variables with 0. It is a fact about a state, not an expression of the program: an
order is one of unbounded integers; an equality of variables of one type is one modulo 2 to their width, as the machine
computes (so ``x == y + 1`` is kept where both sides wrap around).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import gcd

from kleene.cfa.expressions import Binary, Cast, Constant, Expression, Unary, Variable
from kleene.cfa.types import IntegerType

Sum = tuple[dict[Variable, int], int]
"""The factors of variables, and a constant."""


@dataclass(frozen=True)
class Condition:
    """``Σ factor * variable + constant`` is 0 (`equal`, modulo `modulus`), or is at most 0."""

    terms: tuple[tuple[Variable, int], ...]
    constant: int
    equal: bool

    @property
    def variables(self) -> frozenset[Variable]:
        return frozenset(variable for variable, _ in self.terms)

    @property
    def modulus(self) -> int:
        """What a sum of variables of one type wraps around at; 0 if their types differ, or for an order."""
        types = {variable.type for variable in self.variables}
        type_ = next(iter(types))
        one = self.equal and len(types) == 1 and isinstance(type_, IntegerType) and not type_.boolean
        return 1 << type_.bits if one and isinstance(type_, IntegerType) else 0

    def holds(self, values: Mapping[Variable, int]) -> bool:
        total = sum(factor * values[variable] for variable, factor in self.terms) + self.constant
        if self.modulus:
            return total % self.modulus == 0
        return total == 0 if self.equal else total <= 0

    def __str__(self) -> str:
        left = [v.name if f == 1 else f"{f} * {v.name}" for v, f in self.terms if f > 0]
        right = [v.name if f == -1 else f"{-f} * {v.name}" for v, f in self.terms if f < 0]
        if self.constant > 0 and right:
            left.append(str(self.constant))
        elif self.constant:
            right.append(str(-self.constant))
        return f"{' + '.join(left)} {'==' if self.equal else '<='} {' + '.join(right) or 0}"


def condition_of(operator: str, left: Expression, right: Expression) -> Condition | None:
    """The condition of a comparison, or of its negation: one of both is enough. None if it is not linear."""
    a, b = linear(left), linear(right)
    if a is None or b is None:
        return None
    if operator in (">", ">="):
        operator, a, b = {">": "<", ">=": "<="}[operator], b, a
    factors = {v: a[0].get(v, 0) - b[0].get(v, 0) for v in {**a[0], **b[0]}}
    return normal(factors, a[1] - b[1] + (operator == "<"), equal=operator in ("==", "!="))


def normal(factors: Mapping[Variable, int], constant: int, *, equal: bool) -> Condition | None:
    """The condition or its negation, in a form that both share; None if it is about no variable, or never holds."""
    terms = sorted(((v, f) for v, f in factors.items() if f), key=lambda term: term[0].name)
    if not terms:
        return None
    common = gcd(*(f for _, f in terms))
    if equal and constant % common:
        return None  # it never holds
    reduced = -(-constant // common)
    if terms[0][1] > 0:
        return Condition(tuple((v, f // common) for v, f in terms), reduced, equal)
    turned = tuple((v, -f // common) for v, f in terms)  # -s + c <= 0 is the negation of s - c + 1 <= 0
    return Condition(turned, -reduced if equal else 1 - reduced, equal)


def linear(expression: Expression) -> Sum | None:
    """The expression as a sum, as if numbers were unbounded; None if it is none of integer variables."""
    match expression:
        case Constant(value=value, type=IntegerType()):
            return {}, value
        case Variable(type=IntegerType()):
            return {expression: 1}, 0
        case Cast(operand=operand, type=IntegerType(boolean=False)) if isinstance(operand.type, IntegerType):
            return linear(operand)
        case Unary(operator="-", operand=operand):
            return _scale(linear(operand), -1)
        case Binary(operator="+" | "-" as operator, left=left, right=right):
            return _add(linear(left), _scale(linear(right), 1 if operator == "+" else -1))
        case Binary(operator="*", left=left, right=right):
            a, b = linear(left), linear(right)
            if a is not None and not a[0]:
                return _scale(b, a[1])
            return _scale(a, b[1]) if b is not None and not b[0] else None
    return None


def _scale(value: Sum | None, factor: int) -> Sum | None:
    return None if value is None else ({v: f * factor for v, f in value[0].items()}, value[1] * factor)


def _add(a: Sum | None, b: Sum | None) -> Sum | None:
    if a is None or b is None:
        return None
    return {v: a[0].get(v, 0) + b[0].get(v, 0) for v in {**a[0], **b[0]}}, a[1] + b[1]


def before_assignment(condition: Condition, variable: Variable, value: Expression) -> Condition | None:
    """The condition before an assignment that makes it hold after it, as if numbers were unbounded."""
    new = linear(value)
    if new is None:
        return None
    factors = dict(condition.terms)
    factor = factors.pop(variable, 0)
    for v, f in new[0].items():
        factors[v] = factors.get(v, 0) + factor * f
    return normal(factors, condition.constant + factor * new[1], equal=condition.equal)
