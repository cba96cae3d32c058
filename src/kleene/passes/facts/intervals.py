"""Intervals of integer variables (Cousot & Cousot, POPL 1977): is an index inside its array, how large is a block.

A quick analysis before the shape analysis, of variables only: a value in memory may be any value of its type. Widening
extends a bound to the next constant of the program.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from kleene.cfa.dataflow import solve_forward
from kleene.cfa.expressions import (
    MIRRORED,
    NEGATED,
    Binary,
    Cast,
    Comparison,
    Constant,
    Expression,
    Index,
    Unary,
    Variable,
    walk,
)
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Assign, Assume, Call, Invoke, Operation, address_taken, expressions
from kleene.cfa.program import CProgram
from kleene.cfa.types import IntegerType
from kleene.passes.facts.liveness import defined_variables
from kleene.passes.literals import character
from kleene.passes.promote import exposed_globals

Interval = tuple[int, int]
Bounds = dict[Variable, Interval]
"""An interval for each variable; a missing variable may have any value of its type."""
_MOST_BITS = 64
"""No number has more: it is not shifted further."""
_PATIENCE = 2
"""Joins at the head of a loop before intervals grow to the next constant of the program."""


@dataclass
class Intervals:
    """The bounds of integer variables at each location of an automaton; none where it cannot be reached."""

    program: CProgram
    cfa: Cfa[Operation]

    @cached_property
    def at(self) -> dict[str, Bounds]:
        """The bounds at each location; computed when they are asked for, since many programs do not need them."""
        operations = [e.label for e in self.cfa.edges]
        self._untracked = address_taken(operations) | exposed_globals(self.program)
        self._calls = any(isinstance(o, Call | Invoke) for o in operations)
        constants = {n.value for o in operations for x in expressions(o) for n in walk(x) if isinstance(n, Constant)}
        self._steps = sorted({c + d for c in constants for d in (-1, 0, 1)})
        return self._solve()

    def of(self, expression: Expression, location: str) -> Interval:
        """The values that an expression may have where an edge leaves a location."""
        return interval_of(expression, self.at.get(location, {}))

    def _is_tracked(self, variable: Expression) -> bool:
        return (
            isinstance(variable, Variable)
            and isinstance(variable.type, IntegerType)
            and variable not in self._untracked
            and not (variable.is_global and self._calls)
        )

    def _solve(self) -> dict[str, Bounds]:
        joins: Counter[str] = Counter()
        heads = self.cfa.loop_heads

        def join(location: str, known: Bounds, new: Bounds) -> Bounds | None:
            joins[location] += location in heads
            merged = self._join(known, new, widen=joins[location] > _PATIENCE)
            return None if merged == known else merged

        return solve_forward(self.cfa, {self.cfa.entry: {}}, lambda edge, before: self.after(edge.label, before), join)

    def _join(self, known: Bounds, new: Bounds, *, widen: bool) -> Bounds:
        merged: Bounds = {}
        for variable in known.keys() & new.keys():
            (a, b), (c, d) = known[variable], new[variable]
            low, high = min(a, c), max(b, d)
            if widen:
                low, high = self._widen(low if low < a else None, high if high > b else None, (low, high))
            bounds = _full(variable)
            low, high = max(low, bounds[0]), min(high, bounds[1])
            if (low, high) != bounds:
                merged[variable] = (low, high)
        return merged

    def _widen(self, low: int | None, high: int | None, both: Interval) -> Interval:
        down, up = both
        if low is not None:
            k = bisect_right(self._steps, low)
            down = self._steps[k - 1] if k else -(1 << 128)
        if high is not None:
            k = bisect_left(self._steps, high)
            up = self._steps[k] if k < len(self._steps) else 1 << 128
        return down, up

    def after(self, operation: Operation, before: Bounds) -> Bounds | None:
        """The bounds after an operation; None if it does not pass."""
        if isinstance(operation, Assume):
            return self._assume(operation.condition, operation.truth, before)
        after = dict(before)
        for variable in defined_variables(operation):
            after.pop(variable, None)
        if isinstance(operation, Assign) and self._is_tracked(operation.target):
            assert isinstance(operation.target, Variable)
            value = interval_of(operation.value, before)
            if value != _full(operation.target):
                after[operation.target] = value
        return after

    def _assume(self, condition: Expression, truth: bool, before: Bounds) -> Bounds | None:
        while isinstance(condition, Unary) and condition.operator == "!":
            condition, truth = condition.operand, not truth
        if isinstance(condition, Cast) and isinstance(condition.operand, Comparison):
            condition = condition.operand
        if not isinstance(condition, Comparison):
            if not isinstance(condition.type, IntegerType):
                return before
            condition = Comparison("!=", condition, Constant(0, condition.type))
        if not (isinstance(condition.left.type, IntegerType) and isinstance(condition.right.type, IntegerType)):
            return before
        operator = condition.operator if truth else NEGATED[condition.operator]
        a, b = interval_of(condition.left, before), interval_of(condition.right, before)
        left, right = _restrict(operator, a, b), _restrict(MIRRORED[operator], b, a)
        if left is None or right is None:
            return None
        after = dict(before)
        for side, interval in ((condition.left, left), (condition.right, right)):
            variable = _same_value(side, before)
            if self._is_tracked(variable):
                assert isinstance(variable, Variable)
                after[variable] = interval
        return after


def _full(expression: Expression) -> Interval:
    type_ = expression.type
    if isinstance(type_, IntegerType):
        return type_.minimum, type_.maximum
    return -(1 << 128), 1 << 128


def _same_value(expression: Expression, bounds: Mapping[Variable, Interval]) -> Expression:
    """The operand of conversions that change no value it can have."""
    while isinstance(expression, Cast) and isinstance(expression.operand.type, IntegerType):
        low, high = interval_of(expression.operand, bounds)
        kept = _full(expression)
        if low < kept[0] or high > kept[1]:
            break
        expression = expression.operand
    return expression


def _restrict(operator: str, a: Interval, b: Interval) -> Interval | None:
    """The part of the first interval for which a comparison with some value of the second can hold."""
    low, high = a
    if operator in ("==", "<", "<="):
        high = min(high, b[1] - (operator == "<"))
    if operator in ("==", ">", ">="):
        low = max(low, b[0] + (operator == ">"))
    if operator == "!=" and b[0] == b[1]:
        low += low == b[0]
        high -= high == b[0]
    return (low, high) if low <= high else None


def interval_of(expression: Expression, bounds: Mapping[Variable, Interval]) -> Interval:
    """The values that an integer expression may have, if variables are within their bounds."""
    full = _full(expression)
    match expression:
        case Constant(value=value):
            return value, value
        case Variable():
            return bounds.get(expression, full)
        case Index() if (constant := character(expression)) is not None:
            return constant, constant
        case Comparison():
            return 0, 1
        case Unary(operator="!"):
            return 0, 1
        case Unary(operator="-", operand=operand):
            low, high = interval_of(operand, bounds)
            return _fitting((-high, -low), full)
        case Cast(operand=operand) if isinstance(operand.type, IntegerType):
            if isinstance(expression.type, IntegerType) and expression.type.boolean:
                return 0, 1
            if isinstance(expression.type, IntegerType) and expression.type.function != operand.type.function:
                return full
            return _fitting(interval_of(operand, bounds), full)
        case Binary(operator=operator, left=left, right=right):
            interval = _arithmetic(operator, interval_of(left, bounds), interval_of(right, bounds))
            return full if interval is None else _fitting(interval, full)
    return full


def _fitting(interval: Interval, full: Interval) -> Interval:
    """The interval, if no value of it is changed by the type; else all values of the type."""
    return interval if full[0] <= interval[0] and interval[1] <= full[1] else full


def _arithmetic(operator: str, a: Interval, b: Interval) -> Interval | None:
    match operator:
        case "+":
            return a[0] + b[0], a[1] + b[1]
        case "-":
            return a[0] - b[1], a[1] - b[0]
        case "*":
            products = [x * y for x in a for y in b]
            return min(products), max(products)
        case "/" if b[0] > 0 and a[0] >= 0:
            return a[0] // b[1], a[1] // b[0]
        case "%" if b[0] > 0:
            top = b[1] - 1
            if a[0] >= 0:
                return a if a[1] < b[0] else (0, min(top, a[1]))
            return max(-top, a[0]), min(top, max(a[1], 0))
        case "&" if b[0] >= 0 and a[0] >= 0:
            return 0, min(a[1], b[1])
        case "&" if b[0] >= 0:
            return 0, b[1]
        case "&" if a[0] >= 0:
            return 0, a[1]
        case ">>" if a[0] >= 0 and b[0] == b[1] >= 0:
            return a[0] >> b[0], a[1] >> b[0]
        case "<<" if a[0] >= 0 and b[0] >= 0 and b[1] < _MOST_BITS:  # what has no room may be any number
            return a[0] << b[0], a[1] << b[1]
    return None
