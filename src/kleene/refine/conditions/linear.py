"""Conditions on integer variables: the nullary predicates of an abstraction.

A condition compares a sum over terms with 0: over variables, and over what the machine computes from them by other
operations than sums (`terms.py`). It is a fact about a state, not an expression of the program: an order is one of
unbounded integers; an equality of terms of one type is one modulo 2 to their width, as the machine computes (so
``x == y + 1`` is kept where both sides wrap around).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import gcd

from kleene.cfa.expressions import Binary, Cast, Constant, Expression, Unary, Variable
from kleene.cfa.types import INT, IntegerType
from kleene.passes.rewrite import rewrite
from kleene.refine.conditions.terms import is_term, value_of, variables_of

Sum = tuple[dict[Expression, int], int]
"""The factors of terms, and a constant."""


@dataclass(frozen=True)
class Condition:
    """``Σ factor * term + constant`` is 0 (`equal`, modulo `modulus`), or is at most 0."""

    terms: tuple[tuple[Expression, int], ...]
    constant: int
    equal: bool

    @property
    def variables(self) -> frozenset[Variable]:
        return frozenset(variable for term, _ in self.terms for variable in variables_of(term))

    @property
    def is_linear(self) -> bool:
        """Whether the terms are variables."""
        return all(isinstance(term, Variable) for term, _ in self.terms)

    @property
    def modulus(self) -> int:
        """What a sum of terms of one width wraps around at; 0 if their widths differ, or for an order.

        ``unsigned == int`` is one modulo 2 to the width, as C converts one of them; narrower types are promoted first.
        """
        types = {term.type for term, _ in self.terms}
        type_ = next(iter(types))
        if not self.equal or not isinstance(type_, IntegerType):
            return 0
        alike = all(isinstance(t, IntegerType) and t.bits == type_.bits and not t.boolean for t in types)
        return 1 << type_.bits if alike and (len(types) == 1 or type_.bits >= INT.bits) else 0

    def holds(self, values: Mapping[Variable, int]) -> bool:
        total = sum(factor * value_of(term, values) for term, factor in self.terms) + self.constant
        if self.modulus:
            return total % self.modulus == 0
        return total == 0 if self.equal else total <= 0

    def __str__(self) -> str:
        left = [_product(f, term) for term, f in self.terms if f > 0]
        right = [_product(-f, term) for term, f in self.terms if f < 0]
        if self.constant > 0 and right:
            left.append(str(self.constant))
        elif self.constant:
            right.append(str(-self.constant))
        return f"{' + '.join(left)} {'==' if self.equal else '<='} {' + '.join(right) or 0}"


def _product(factor: int, term: Expression) -> str:
    shown = str(term) if isinstance(term, Variable) else f"({term})"
    return shown if factor == 1 else f"{factor} * {shown}"


def condition_of(operator: str, left: Expression, right: Expression) -> Condition | None:
    """The condition of a comparison, or of its negation: one of both is enough. None if it is not linear."""
    a, b = linear(left), linear(right)
    if a is None or b is None:
        return None
    if operator in (">", ">="):
        operator, a, b = {">": "<", ">=": "<="}[operator], b, a
    factors = {v: a[0].get(v, 0) - b[0].get(v, 0) for v in {**a[0], **b[0]}}
    return normal(factors, a[1] - b[1] + (operator == "<"), equal=operator in ("==", "!="))


def normal(factors: Mapping[Expression, int], constant: int, *, equal: bool) -> Condition | None:
    """The condition or its negation, in a form that both share; None if it is about no variable, or never holds."""
    terms = sorted(((v, f) for v, f in factors.items() if f), key=lambda term: str(term[0]))
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


def linear(expression: Expression, *, exact: bool = False) -> Sum | None:
    """The expression as a sum, as if sums were unbounded; None if it is none of terms.

    If it is `exact`, a variable in another type that cannot hold all its values is a term of its own.
    """
    match expression:
        case Constant(value=value, type=IntegerType()):
            return {}, value
        case Variable(type=IntegerType()):
            return {expression: 1}, 0
        case Cast(operand=Cast(operand=inner, type=IntegerType() as middle), type=IntegerType() as type_) if (
            type_.bits <= middle.bits and not (type_.boolean or middle.boolean)
        ):
            return linear(Cast(inner, type_) if inner.type != type_ else inner, exact=exact)  # only low bits count
        case Cast(operand=Variable() as operand) if exact and _changes_values(operand.type, expression.type):
            return {expression: 1}, 0
        case Cast(operand=operand, type=IntegerType(boolean=False)) if isinstance(operand.type, IntegerType):
            return linear(operand, exact=exact)
        case Unary(operator="-", operand=operand):
            return _scale(linear(operand, exact=exact), -1)
        case Unary(operator="~", operand=operand):
            return _add(_scale(linear(operand, exact=exact), -1), ({}, -1))
        case Binary(operator="<<", left=left, right=Constant(value=number), type=IntegerType(bits=bits)):
            return _scale(linear(left, exact=exact), 1 << number) if 0 <= number < bits else None
        case Binary(operator="+" | "-" as operator, left=left, right=right):
            return _add(linear(left, exact=exact), _scale(linear(right, exact=exact), 1 if operator == "+" else -1))
        case Binary(operator="*", left=left, right=right):
            a, b = linear(left, exact=exact), linear(right, exact=exact)
            if a is not None and not a[0]:
                return _scale(b, a[1])
            if b is not None and not b[0]:
                return _scale(a, b[1])
    return ({expression: 1}, 0) if is_term(expression) else None


def _changes_values(source: object, target: object) -> bool:
    """Whether a conversion between integers gives some of them other values."""
    if not isinstance(source, IntegerType) or not isinstance(target, IntegerType) or target.boolean:
        return False
    return source.minimum < target.minimum or target.maximum < source.maximum


def _scale(value: Sum | None, factor: int) -> Sum | None:
    return None if value is None else ({v: f * factor for v, f in value[0].items()}, value[1] * factor)


def _add(a: Sum | None, b: Sum | None) -> Sum | None:
    if a is None or b is None:
        return None
    return {v: a[0].get(v, 0) + b[0].get(v, 0) for v in {**a[0], **b[0]}}, a[1] + b[1]


def before_assignment(condition: Condition, variable: Variable, value: Expression) -> Condition | None:
    """The condition before an assignment that makes it hold after it, as if numbers were unbounded.

    What is converted is the variable that it was, if the condition is one modulo 2 to the width. Otherwise it is a term
    of its own: ``lo <= (unsigned)t`` before ``p->hi = t`` where `t` is signed.
    """
    plain = _replaced(condition, variable, value, exact=False)
    if plain is None or plain.modulus:
        return plain
    return _replaced(condition, variable, value, exact=True) or plain


def _replaced(condition: Condition, variable: Variable, value: Expression, *, exact: bool) -> Condition | None:
    total: Sum | None = ({}, condition.constant)
    for term, factor in condition.terms:
        changed = rewrite(term, lambda node: value if node == variable else node)
        total = _add(total, _scale(linear(changed, exact=exact), factor))
    return normal(*total, equal=condition.equal) if total is not None else None


def renamed(condition: Condition, names: Mapping[Variable, Variable]) -> Condition:
    """The condition on other variables, with the same order of terms."""

    def change(node: Expression) -> Expression:
        return names.get(node, node) if isinstance(node, Variable) else node

    terms = tuple((rewrite(term, change), factor) for term, factor in condition.terms)
    return Condition(terms, condition.constant, condition.equal)
