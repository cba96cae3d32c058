"""Which sets of literals imply a goal: the weakest Boolean combination of conditions that does, by a solver.

Ball, Majumdar, Millstein, Rajamani. Automatic predicate abstraction of C programs. PLDI 2001: ``F(φ)`` is the
disjunction of all cubes over the conditions that imply φ. Numbers of the program have the width of their types: what is
computed wraps around, and what is no sum of integer variables may be any number of its type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any

from kleene.cfa.expressions import Binary, Cast, Comparison, Constant, Expression, Unary, Variable
from kleene.cfa.types import IntegerType
from kleene.refine.conditions.linear import Condition
from kleene.smt.z3_backend import load_z3

LONGEST_CUBE = 3
"""Literals of a cube: longer ones are rarely needed, and their number grows exponentially."""
QUERY_STEPS = 200_000
"""Steps of the solver for one question, some tenths of a second; without an answer, nothing is implied."""

Literal = tuple[Condition, bool]
"""A condition, and whether it holds."""
Cube = frozenset[Literal]


@dataclass
class Entailment:
    """Questions about conditions, with machine integers."""

    _constraints: list[Any] = field(default_factory=list)
    """What holds of the terms that were made: the ranges of variables, and how results wrap around."""
    _fresh: int = 0

    def __post_init__(self) -> None:
        self.z3 = load_z3()

    # Terms --------------------------------------------------------------------------------------------------------

    def condition(self, condition: Condition, values: Mapping[Variable, Any] | None = None) -> Any:
        """The condition as a term; `values` replaces variables."""
        known = values or {}
        terms = [f * (known[v] if v in known else self.variable(v)) for v, f in condition.terms]
        total = sum(terms[1:], terms[0]) + condition.constant
        if condition.modulus:
            return total % condition.modulus == 0
        return total == 0 if condition.equal else total <= 0

    def variable(self, variable: Variable) -> Any:
        assert isinstance(variable.type, IntegerType)
        return self._in_range(self.z3.Int(variable.name), variable.type)

    def value(self, expression: Expression) -> Any:
        """The value of an expression of the program."""
        match expression:
            case Constant(value=value, type=IntegerType()):
                return self.z3.IntVal(value)
            case Variable(type=IntegerType()):
                return self.variable(expression)
            case Cast(operand=operand, type=IntegerType(function=False) as type_) if _plain(operand.type):
                return self._convert(self.value(operand), operand.type, type_)
            case Unary(operator="-", operand=operand, type=IntegerType() as type_):
                return self._wrap(-self.value(operand), type_)
            case Unary(operator="!", operand=operand) if _plain(operand.type):
                return self.z3.If(self.value(operand) == 0, 1, 0)
            case Binary(operator="+" | "-" as operator, left=left, right=right, type=IntegerType() as type_):
                a, b = self.value(left), self.value(right)
                return self._wrap(a + b if operator == "+" else a - b, type_)
            case Binary(operator="*", left=left, right=right, type=IntegerType() as type_) if isinstance(
                left, Constant
            ) or isinstance(right, Constant):
                return self._wrap(self.value(left) * self.value(right), type_)
            case Binary(
                operator="/" | "%" | "&" as operator,
                left=left,
                right=Constant(value=int(number)),
                type=IntegerType() as type_,
            ) if number > 0 and left.type == type_:
                return self._masked(number, type_) if operator == "&" else self._divided(operator, left, number, type_)
            case Comparison(left=left, right=right) if _plain(left.type) and _plain(right.type):
                return self.z3.If(self.truth(expression), 1, 0)
        return self._any(expression.type if isinstance(expression.type, IntegerType) else None)

    def truth(self, expression: Expression) -> Any:
        """Whether an expression is not zero."""
        if isinstance(expression, Comparison) and _plain(expression.left.type) and _plain(expression.right.type):
            a, b = self.value(expression.left), self.value(expression.right)
            comparisons = {"==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}
            return comparisons[expression.operator]
        return self.value(expression) != 0

    def _any(self, type_: IntegerType | None) -> Any:
        self._fresh += 1
        term = self.z3.Int(f"any!{self._fresh}")
        return self._in_range(term, type_) if type_ is not None else term

    def _in_range(self, term: Any, type_: IntegerType) -> Any:
        self._constraints += [type_.minimum <= term, term <= type_.maximum]
        return term

    def _convert(self, term: Any, source: Any, target: IntegerType) -> Any:
        if target.boolean:
            return self.z3.If(term != 0, 1, 0)
        if target.minimum <= source.minimum and source.maximum <= target.maximum:
            return term
        return self._wrap(term, target)

    def _divided(self, operator: str, left: Expression, divisor: int, type_: IntegerType) -> Any:
        """Quotient or remainder of a division by a positive number; C rounds towards zero."""
        number, quotient, rest = self.value(left), self._any(type_), self._any(type_)
        signs = self.z3.If(number >= 0, self.z3.And(rest >= 0, rest < divisor), self.z3.And(rest <= 0, rest > -divisor))
        self._constraints += [number == quotient * divisor + rest, signs]
        return quotient if operator == "/" else rest

    def _masked(self, mask: int, type_: IntegerType) -> Any:
        """The bits of a number that a positive number has too: at most all of them."""
        result = self._any(type_)
        self._constraints += [result >= 0, result <= mask]
        return result

    def _wrap(self, term: Any, type_: IntegerType) -> Any:
        """The term modulo 2 to the width of the type."""
        if type_.boolean:
            return self.z3.If(term != 0, 1, 0)
        result = self._any(type_)
        self._fresh += 1
        self._constraints.append(term == result + self.z3.Int(f"turns!{self._fresh}") * (1 << type_.bits))
        return result

    # Cubes --------------------------------------------------------------------------------------------------------

    def cubes(
        self,
        goals: Sequence[Any],
        conditions: Sequence[Condition],
        given: Sequence[Any] = (),
        longest: int = LONGEST_CUBE,
    ) -> list[list[Cube]]:
        """For each goal the shortest cubes over the conditions that imply it, where `given` holds."""
        z3 = self.z3
        literals = {condition: self.condition(condition) for condition in conditions}
        solver = z3.SimpleSolver()
        solver.set("rlimit", QUERY_STEPS)
        solver.add(*self._constraints, *given)
        result = []
        for goal in goals:
            solver.push()
            solver.add(z3.Not(goal))
            chosen: list[Cube] = []
            for size in range(min(longest, len(conditions)) + 1):
                for part in combinations(conditions, size):
                    for truths in product((True, False), repeat=size):
                        cube = frozenset(zip(part, truths, strict=True))
                        if any(shorter <= cube for shorter in chosen):
                            continue
                        terms = [literals[c] if truth else z3.Not(literals[c]) for c, truth in cube]
                        if solver.check(*terms) == z3.unsat:
                            chosen.append(cube)
            solver.pop()
            result.append(chosen)
        return result


def _plain(type_: object) -> bool:
    return isinstance(type_, IntegerType) and not type_.function
