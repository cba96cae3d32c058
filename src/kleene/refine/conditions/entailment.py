"""Which sets of literals imply a goal: the weakest Boolean combination of conditions that does, by a solver.

Ball, Majumdar, Millstein, Rajamani. Automatic predicate abstraction of C programs. PLDI 2001: ``F(φ)`` is the
disjunction of all cubes over the conditions that imply φ. Numbers of the program have the width of their types: what is
computed wraps around. A question is asked twice where there are bits (``^``, ``|``, ``&``) or products of terms. First
with unbounded integers, where these are functions of which nothing is known but that equal operands have equal results;
then with bit-vectors (`bits.py`). What neither theory has may be any number of its type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from types import MappingProxyType
from typing import Any

from kleene.cfa.expressions import Binary, Cast, Comparison, Constant, Expression, Unary, Variable
from kleene.cfa.types import IntegerType
from kleene.refine.conditions.linear import Condition
from kleene.refine.conditions.terms import DIVISIONS
from kleene.smt.z3_backend import load_z3

LONGEST_CUBE = 3
"""Literals of a cube: longer ones are rarely needed, and their number grows exponentially."""
QUERY_STEPS = 200_000
"""Steps of the solver for one question, some tenths of a second; without an answer, nothing is implied."""
WIDEST_BITS = 64
"""Bits of the widest numbers that are asked of bit-vectors: more is rare, and slow."""

Literal = tuple[Condition, bool]
"""A condition, and whether it holds."""
Cube = frozenset[Literal]
Values = Mapping[Variable, Any]
"""Terms that variables are replaced by."""
UNCHANGED: Values = MappingProxyType({})


@dataclass
class Entailment:
    """Questions about conditions, with machine integers as unbounded ones that wrap around."""

    has_bits: bool = False
    """Whether something was asked of which integers know too little."""
    has_wide: bool = False
    """Whether something was asked that has more bits than bit-vectors are made for."""
    _constraints: list[Any] = field(default_factory=list)
    """What holds of the terms that were made: the ranges of variables, and how results wrap around."""
    _fresh: int = 0

    def __post_init__(self) -> None:
        self.z3 = load_z3()

    # Terms --------------------------------------------------------------------------------------------------------

    def condition(self, condition: Condition, values: Values = UNCHANGED) -> Any:
        """The condition as a term; `values` replaces variables."""
        terms = [f * self.value(term, values) for term, f in condition.terms]
        total = sum(terms[1:], terms[0]) + condition.constant
        if condition.modulus:
            return self._is_multiple(total, condition.modulus)
        return total == 0 if condition.equal else total <= 0

    def variable(self, variable: Variable) -> Any:
        assert isinstance(variable.type, IntegerType)
        return self._in_range(self.z3.Int(variable.name), variable.type)

    def value(self, expression: Expression, values: Values = UNCHANGED) -> Any:
        """The value of an expression of the program; `values` replaces variables."""
        self.has_wide |= isinstance(expression.type, IntegerType) and expression.type.bits > WIDEST_BITS
        match expression:
            case Constant(value=value, type=IntegerType()):
                return self._number(value)
            case Variable(type=IntegerType()):
                return values[expression] if expression in values else self.variable(expression)
            case Cast(operand=operand, type=IntegerType(function=False) as type_) if _plain(operand.type):
                return self._convert(self.value(operand, values), operand.type, type_)
            case Unary(operator="-" | "~" as operator, operand=operand, type=IntegerType() as type_):
                minus = -self.value(operand, values)
                return self._wrap(minus if operator == "-" else minus - 1, type_)
            case Unary(operator="!", operand=operand) if _plain(operand.type):
                return self._truth_value(self.value(operand, values) == 0)
            case Binary(operator=operator, left=left, right=right, type=IntegerType() as type_) if _plain(
                left.type
            ) and _plain(right.type):
                result = self._computed(operator, self.value(left, values), self.value(right, values), expression)
                return result if result is not None else self._any(type_)
            case Comparison(left=left, right=right) if _plain(left.type) and _plain(right.type):
                return self._truth_value(self.truth(expression, values))
        return self._any(expression.type if isinstance(expression.type, IntegerType) else None)

    def truth(self, expression: Expression, values: Values = UNCHANGED) -> Any:
        """Whether an expression is not zero."""
        if isinstance(expression, Comparison) and _plain(expression.left.type) and _plain(expression.right.type):
            a, b = self.value(expression.left, values), self.value(expression.right, values)
            comparisons = {"==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}
            return comparisons[expression.operator]
        return self.value(expression, values) != 0

    def _computed(self, operator: str, a: Any, b: Any, whole: Binary) -> Any | None:
        """What a binary operation computes; None for one of which nothing is known."""
        type_, number = whole.type, whole.right.value if isinstance(whole.right, Constant) else None
        assert isinstance(type_, IntegerType)
        same = whole.left.type == type_
        if operator in ("+", "-"):
            return self._wrap(a + b if operator == "+" else a - b, type_)
        if operator == "*" and (number is not None or isinstance(whole.left, Constant)):
            return self._wrap(a * b, type_)
        if operator in DIVISIONS and number is not None and number > 0 and same:
            return self._divided(operator, a, number, type_)
        if operator in ("<<", ">>") and number is not None and 0 <= number < type_.bits and same:
            return self._shifted(operator, a, number, type_)
        if operator in ("*", "&", "|", "^"):
            return self._of_bits(operator, a, b, whole)
        return None

    def _of_bits(self, operator: str, a: Any, b: Any, whole: Binary) -> Any:
        """A function of two numbers; a mask has at most all of its bits."""
        assert isinstance(whole.type, IntegerType)
        self.has_bits = True
        number = self.z3.IntSort()
        result = self.z3.Function(f"{operator}!{whole.type.bits}!{whole.type.signed}", number, number, number)(a, b)
        mask = whole.right.value if isinstance(whole.right, Constant) else -1
        if operator == "&" and mask > 0:
            self._constraints += [result >= 0, result <= mask]
        return self._in_range(result, whole.type)

    def _shifted(self, operator: str, number: Any, bits: int, type_: IntegerType) -> Any:
        if operator == "<<":
            return self._wrap(number * (1 << bits), type_)
        quotient, rest = self._any(type_), self._any(None)
        self._constraints += [number == quotient * (1 << bits) + rest, rest >= 0, rest < 1 << bits]
        return quotient

    def _number(self, value: int) -> Any:
        return self.z3.IntVal(value)

    def _truth_value(self, truth: Any) -> Any:
        return self.z3.If(truth, self._number(1), self._number(0))

    def _is_multiple(self, total: Any, modulus: int) -> Any:
        return total % modulus == 0

    def _any(self, type_: IntegerType | None) -> Any:
        self._fresh += 1
        term = self.z3.Int(f"any!{self._fresh}")
        return self._in_range(term, type_) if type_ is not None else term

    def _in_range(self, term: Any, type_: IntegerType) -> Any:
        self._constraints += [type_.minimum <= term, term <= type_.maximum]
        return term

    def _convert(self, term: Any, source: Any, target: IntegerType) -> Any:
        if target.boolean:
            return self._truth_value(term != 0)
        if target.minimum <= source.minimum and source.maximum <= target.maximum:
            return term
        return self._wrap(term, target)

    def _divided(self, operator: str, number: Any, divisor: int, type_: IntegerType) -> Any:
        """Quotient or remainder of a division by a positive number; C rounds towards zero."""
        quotient, rest = self._any(type_), self._any(type_)
        signs = self.z3.If(number >= 0, self.z3.And(rest >= 0, rest < divisor), self.z3.And(rest <= 0, rest > -divisor))
        self._constraints += [number == quotient * divisor + rest, signs]
        return quotient if operator == "/" else rest

    def _wrap(self, term: Any, type_: IntegerType) -> Any:
        """The term modulo 2 to the width of the type."""
        if type_.boolean:
            return self._truth_value(term != 0)
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
        known: Sequence[Sequence[Cube]] = (),
    ) -> list[list[Cube]]:
        """For each goal the shortest cubes over the conditions that imply it, where `given` holds; some are `known`."""
        z3 = self.z3
        literals = {condition: self.condition(condition) for condition in conditions}
        solver = z3.SimpleSolver()
        solver.set("rlimit", QUERY_STEPS)
        solver.add(*self._constraints, *given)
        result = []
        for number, goal in enumerate(goals):
            solver.push()
            solver.add(z3.Not(goal))
            chosen: list[Cube] = list(known[number]) if known else []
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


Question = Callable[[Entailment], tuple[Sequence[Any], Sequence[Any]]]
"""Goals and what is given, as terms of a theory."""


def implying_cubes(
    question: Question, conditions: Sequence[Condition], longest: int = LONGEST_CUBE
) -> list[list[Cube]]:
    """For each goal the cubes over the conditions that imply it: by integers, and where there are bits by these too."""
    from kleene.refine.conditions.bits import BitEntailment  # it is an Entailment

    numbers = Entailment()
    answers = numbers.cubes(*_ordered(question(numbers), conditions), longest)
    if not numbers.has_bits or numbers.has_wide:
        return answers
    bits = BitEntailment()
    return bits.cubes(*_ordered(question(bits), conditions), longest, answers)


def _ordered(
    asked: tuple[Sequence[Any], Sequence[Any]], conditions: Sequence[Condition]
) -> tuple[Sequence[Any], Sequence[Condition], Sequence[Any]]:
    goals, given = asked
    return goals, conditions, given


def is_implied(condition: Condition, by: Condition) -> bool:
    """Whether a condition holds wherever another one does."""
    ((*cubes,),) = implying_cubes(lambda theory: ([theory.condition(condition)], ()), [by], longest=1)
    return any(cube <= {(by, True)} for cube in cubes)


def _plain(type_: object) -> bool:
    return isinstance(type_, IntegerType) and not type_.function
