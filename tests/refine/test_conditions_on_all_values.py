"""Conditions on integers against all values of small types."""

from __future__ import annotations

import math
import random
from itertools import product

import pytest

from kleene.cfa.expressions import Binary, Cast, Comparison, Constant, Expression, Unary, Variable
from kleene.cfa.types import IntegerType
from kleene.refine.conditions.bits import BitEntailment
from kleene.refine.conditions.entailment import Entailment, implying_cubes, is_implied
from kleene.refine.conditions.linear import Condition, before_assignment, condition_of, normal
from kleene.refine.conditions.terms import is_term, value_of

WITHOUT_CLAIMS = frozenset((2, 5))
"""Random questions to which no cube is an answer."""
SMALL, NARROW, POSITIVE = IntegerType(4, True), IntegerType(3, True), IntegerType(4, False)
X, Y, Z, U = Variable("x", SMALL), Variable("y", SMALL), Variable("z", NARROW), Variable("u", POSITIVE)
BITS = ("^", "|", "&", "~", "<<", ">>", "/", "%")
OPERATORS = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def computed(expression: Expression, values: dict[Variable, int]) -> int:
    match expression:
        case Constant(value=value):
            return value
        case Variable():
            return values[expression]
        case Cast(operand=operand, type=type_):
            return type_.wrap(computed(operand, values))
        case Unary(operator=operator, operand=operand, type=type_):
            return type_.wrap({"-": -1, "~": -1}[operator] * computed(operand, values) - (operator == "~"))
        case Binary(operator=operator, left=left, right=right, type=type_):
            a, b = computed(left, values), computed(right, values)
            if operator in ("<<", ">>"):
                return type_.wrap(a << b if operator == "<<" else a >> b)
            if operator in ("/", "%"):
                return int(math.fmod(a, b)) if operator == "%" else math.trunc(a / b)
            return type_.wrap({"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b}[operator])
        case Comparison(operator=operator, left=left, right=right):
            return int(OPERATORS[operator](computed(left, values), computed(right, values)))
    raise AssertionError(expression)


def states(variables: list[Variable]):
    ranges = [range(v.type.minimum, v.type.maximum + 1) for v in variables]
    for numbers in product(*ranges):
        yield dict(zip(variables, numbers, strict=True))


def random_expression(rng: random.Random, variables: list[Variable], depth: int) -> Expression:
    if depth == 0 or rng.random() < 0.3:
        return rng.choice([*variables, Constant(rng.randint(-2, 3), SMALL)])
    kind = rng.choice(("+", "-", "*", "cast", "neg", *BITS))
    inner = random_expression(rng, variables, depth - 1)
    if kind == "cast":
        return Cast(inner, rng.choice([SMALL, NARROW, POSITIVE]))
    if kind in ("neg", "~"):
        return Unary("~" if kind == "~" else "-", inner, inner.type)
    if kind in ("<<", ">>", "/", "%"):
        return Binary(kind, inner, Constant(rng.randint(1, 2), inner.type), inner.type)
    if kind == "*":
        return Binary("*", Constant(rng.randint(-2, 3), inner.type), inner, inner.type)
    return Binary(kind, inner, Cast(random_expression(rng, variables, depth - 1), inner.type), inner.type)


def term_of(rng: random.Random, variables: list[Variable]) -> Expression:
    """Something that is no sum."""
    while True:
        term = random_expression(rng, variables, 2)
        if isinstance(term, Binary) and term.operator in BITS and is_term(term):
            return term


def random_condition(rng: random.Random, variables: list[Variable]) -> Condition:
    while True:
        terms = [v if rng.random() < 0.7 else term_of(rng, variables) for v in variables]
        factors = {term: rng.choice((-2, -1, 0, 1, 1)) for term in terms}
        condition = normal(factors, rng.randint(-3, 3), equal=rng.random() < 0.5)
        if condition is not None:
            return condition


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("theory", [Entailment, BitEntailment, None], ids=["integers", "bits", "both"])
def test_cubes_imply_what_they_claim(seed, theory):
    """After an assignment and where an assumption holds, on all values; the solver's wrapping is that of the types."""
    rng = random.Random(seed)
    variables = rng.choice([[X, Y], [X, Z], [X, U]])
    conditions = [random_condition(rng, variables) for _ in range(3)]
    target, value = rng.choice(variables), random_expression(rng, variables, 2)
    value = Cast(value, target.type)
    goal, test = random_condition(rng, variables), Comparison(rng.choice(list(OPERATORS)), X, Constant(2, SMALL))

    def question(solver):
        after = solver.condition(goal, {target: solver.value(value)})
        return [after, solver.z3.Not(after), solver.z3.Not(solver.truth(test))], ()

    own, distinct = theory() if theory else None, list(dict.fromkeys(conditions))
    true, false, against = own.cubes(question(own)[0], distinct) if own else implying_cubes(question, distinct)
    claims = 0
    for state in states(variables):
        held = {c: c.holds(state) for c in conditions}
        changed = goal.holds({**state, target: computed(value, state)})
        for cubes, expected in ((true, changed), (false, not changed), (against, not computed(test, state))):
            for cube in cubes:
                if all(held[c] == truth for c, truth in cube):
                    claims += 1
                    assert expected
    assert claims or theory or seed in WITHOUT_CLAIMS


@pytest.mark.parametrize("variable", [X, U], ids=["signed", "unsigned"])
@pytest.mark.parametrize("operator", ["/", "%", "&"])
def test_divisions_and_masks(operator, variable):
    """On all values: the value that C computes is always admitted, and for divisions it is the only one."""
    for number in (1, 3, variable.type.maximum):
        entailment = Entailment()
        term = entailment.value(Binary(operator, variable, Constant(number, variable.type), variable.type))
        solver = entailment.z3.SimpleSolver()
        solver.add(*entailment._constraints)
        for state in states([variable]):
            here = state[variable]
            quotient = abs(here) // number * (1 if here >= 0 else -1)
            expected = {"/": quotient, "%": here - quotient * number, "&": here & number}[operator]
            given = entailment.variable(variable) == here
            assert solver.check(given, term == expected) == entailment.z3.sat
            if operator != "&":
                assert solver.check(given, term != expected) == entailment.z3.unsat


def test_a_comparison_and_its_negation_share_a_condition():
    assert condition_of("<", X, Y) == condition_of(">=", X, Y) == condition_of(">", Y, X)
    assert condition_of("==", X, Y) == condition_of("!=", Y, X)


@pytest.mark.parametrize("operator", OPERATORS)
def test_a_condition_is_its_comparison_or_the_negation(operator):
    condition = condition_of(operator, Binary("+", X, Constant(1, SMALL), SMALL), Y)
    agree = set()
    for state in states([X, Y]):
        if state[X] < SMALL.maximum:
            agree.add(condition.holds(state) == OPERATORS[operator](state[X] + 1, state[Y]))
    assert len(agree) == 1


def test_before_an_assignment():
    equal = condition_of("==", X, Y)
    before = before_assignment(equal, Y, Binary("+", Y, Constant(1, SMALL), SMALL))
    assert str(before) == "x == y + 1"
    assert before_assignment(before, X, Binary("+", X, Constant(1, SMALL), SMALL)) == equal
    assert str(before_assignment(equal, X, Binary("*", X, Y, SMALL))) == "(x * y) == y"
    assert before_assignment(equal, X, Binary("/", X, Y, SMALL)) is None


def test_bits_are_asked_where_integers_know_too_little():
    """An exchange of two numbers by three operations on bits, the last one: what was to come is there."""
    both = Binary("^", X, Y, SMALL)
    exchanged = condition_of("==", Binary("^", both, Y, SMALL), X)
    assert exchanged is not None and is_implied(exchanged, condition_of("<", X, Y))


@pytest.mark.parametrize("seed", range(30))
def test_values_of_terms(seed):
    """On all values: what a term says is what C computes, and what bit-vectors have for it."""
    rng = random.Random(seed)
    term = term_of(rng, [X, U])
    bits = BitEntailment()
    solver, value = bits.z3.SimpleSolver(), bits.value(term)
    solver.add(*bits._constraints)
    for state in states([X, U]):
        expected = computed(term, state)
        assert value_of(term, state) == expected
        given = [bits.variable(v) == state[v] for v in state]
        assert solver.check(*given, value != expected) == bits.z3.unsat


@pytest.mark.parametrize(
    "operator,left,right,text",
    [("<", X, Constant(10, SMALL), "x <= 9"), (">=", X, Constant(-3, SMALL), "x <= -4"), ("==", X, Y, "x == y")],
)
def test_texts(operator, left, right, text):
    assert str(condition_of(operator, left, right)) == text
