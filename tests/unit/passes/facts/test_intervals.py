"""Intervals against enumeration: all small intervals, all values of small types, all runs of small automata."""

from __future__ import annotations

import itertools
import operator
import random
from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest

from kleene.c.reader import read_program
from kleene.cfa.expressions import (
    MIRRORED,
    NEGATED,
    AddressOf,
    Binary,
    Cast,
    Comparison,
    Constant,
    Expression,
    FloatConstant,
    Index,
    Unary,
    Variable,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, Assume, Call, Havoc, Operation, Place, Skip
from kleene.cfa.program import CProgram
from kleene.cfa.types import BOOL, CHAR, INT, ArrayType, FloatType, IntegerType, PointerType
from kleene.passes.facts.intervals import Interval, Intervals, _arithmetic, _restrict, _same_value, interval_of

PLACE = Place("f.c", 1, 1, "main")
SIGNED, UNSIGNED, WIDE = IntegerType(3, True), IntegerType(3, False), IntegerType(5, True)
DOUBLE = FloatType(64)
INTERVALS = [(a, b) for a in range(-3, 5) for b in range(a, 5)]
COMPARE: dict[str, Callable[[int, int], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def quotient(a: int, b: int) -> int:
    """C rounds towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": quotient,
    "%": lambda a, b: a - b * quotient(a, b),
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}
EXACT = {"+", "-", "*", "/", "<<", ">>"}
"""Where there is a result, it is the least interval."""
FULL = {"+", "-", "*"}
"""Operators with a result for all intervals."""


def values(interval: Interval) -> range:
    return range(interval[0], interval[1] + 1)


def hull(numbers: Iterable[int]) -> Interval | None:
    known = set(numbers)
    return (min(known), max(known)) if known else None


def defined(name: str, a: int, b: int) -> bool:
    """Whether C defines the result."""
    return not (name in "/%" and b == 0) and not (name in ("<<", ">>") and not 0 <= b < 8)


@pytest.mark.parametrize("name", ARITHMETIC)
def test_arithmetic_has_all_results(name: str) -> None:
    answers = 0
    for a, b in itertools.product(INTERVALS, repeat=2):
        real = hull(ARITHMETIC[name](x, y) for x in values(a) for y in values(b) if defined(name, x, y))
        got = _arithmetic(name, a, b)
        assert got is not None or name not in FULL
        if got is not None and real is not None:
            answers += 1
            assert got[0] <= real[0] and real[1] <= got[1], (a, b)
            assert got == real or name not in EXACT, (a, b)
            assert name != "%" or max(map(abs, got)) < b[1], (a, b)
            assert name != "%" or ((a[0] >= 0) <= (got[0] >= 0) and (a[1] <= 0) <= (got[1] <= 0)), (a, b)
            assert name != "&" or got[0] >= 0, (a, b)
    assert (answers > 0) == (name not in ("|", "^"))


@pytest.mark.parametrize(
    ("name", "a", "b", "result"),
    [
        ("/", (0, 9), (2, 3), (0, 4)),
        ("/", (4, 4), (1, 1), (4, 4)),
        ("/", (-1, 9), (2, 3), None),
        ("/", (0, 9), (0, 3), None),
        ("%", (2, 4), (5, 6), (2, 4)),
        ("%", (2, 5), (5, 6), (0, 5)),
        ("%", (2, 3), (1, 9), (0, 3)),
        ("%", (-9, -3), (5, 6), (-5, 0)),
        ("%", (-3, 2), (5, 6), (-3, 2)),
        ("%", (2, 3), (0, 9), None),
        ("&", (0, 9), (-1, 3), (0, 9)),
        ("&", (-1, 9), (0, 3), (0, 3)),
        ("&", (0, 2), (0, 3), (0, 2)),
        ("&", (-5, 5), (0, 3), (0, 3)),
        ("&", (0, 3), (-5, 5), (0, 3)),
        ("&", (-1, 2), (-1, 3), None),
        (">>", (0, 9), (0, 0), (0, 9)),
        (">>", (2, 9), (1, 1), (1, 4)),
        (">>", (2, 9), (1, 2), None),
        (">>", (-2, 9), (1, 1), None),
        (">>", (2, 9), (-1, -1), None),
        ("<<", (1, 1), (1, 12), (2, 4096)),
        ("<<", (-1, 1), (1, 2), None),
        ("<<", (1, 1), (-1, 2), None),
        ("<<", (1, 1), (1, 64), None),
    ],
)
def test_arithmetic_is_as_exact_as_it_says(name: str, a: Interval, b: Interval, result: Interval | None) -> None:
    assert _arithmetic(name, a, b) == result


@pytest.mark.parametrize("name", COMPARE)
def test_a_comparison_keeps_exactly_what_can_hold(name: str) -> None:
    for a, b in itertools.product(INTERVALS, repeat=2):
        real = hull(x for x in values(a) if any(COMPARE[name](x, y) for y in values(b)))
        assert _restrict(name, a, b) == real, (a, b)


X, Y, U, F = Variable("x", SIGNED), Variable("y", SIGNED), Variable("u", UNSIGNED), Variable("f", BOOL)
NUMBERS: tuple[Variable, ...] = (X, Y, U, F)


def value(expression: Expression, state: dict[Variable, int]) -> int:
    """What C computes; numbers wrap around."""
    type_ = expression.type
    assert isinstance(type_, IntegerType)
    match expression:
        case Constant(value=number):
            return number
        case Variable():
            return state[expression]
        case Comparison(operator=name, left=left, right=right):
            return COMPARE[name](value(left, state), value(right, state))
        case Unary(operator="!", operand=operand):
            return not value(operand, state)
        case Unary(operator="-", operand=operand):
            return type_.wrap(-value(operand, state))
        case Unary(operator="~", operand=operand):
            return type_.wrap(~value(operand, state))
        case Cast(operand=operand):
            return type_.wrap(value(operand, state))
        case Binary(operator=name, left=left, right=right):
            a, b = value(left, state), value(right, state)
            return type_.wrap(ARITHMETIC[name](a, b)) if defined(name, a, b) else 0
    raise AssertionError(expression)


def terms(depth: int, rng: random.Random, type_: IntegerType) -> Expression:
    """A random expression of a type."""
    if depth == 0 or rng.random() < 0.2:
        ready: list[Expression] = [v for v in NUMBERS if v.type == type_]
        return rng.choice([*ready, *ready, Constant(type_.wrap(rng.randint(-4, 8)), type_)])
    kind = rng.choice(("unary", "binary", "binary", "cast", "comparison"))
    if kind == "unary":
        name = rng.choice("-~!")
        other = rng.choice((SIGNED, UNSIGNED, WIDE)) if name == "!" else type_
        return Unary(name, terms(depth - 1, rng, other), type_)
    if kind == "binary" and type_ != BOOL:
        name = rng.choice(list(ARITHMETIC))
        return Binary(name, terms(depth - 1, rng, type_), terms(depth - 1, rng, type_), type_)
    other = rng.choice((SIGNED, UNSIGNED, WIDE, BOOL))
    if kind == "comparison":
        compared = Comparison(
            rng.choice(list(COMPARE)), terms(depth - 1, rng, other), terms(depth - 1, rng, other), type_
        )
        return compared if type_ != BOOL else Cast(replace(compared, type=INT), BOOL)
    return Cast(terms(depth - 1, rng, other), type_)


@pytest.mark.parametrize("seed", range(8))
def test_an_expression_has_all_its_values(seed: int) -> None:
    rng = random.Random(seed)
    small = (-4, -1, 0, 1, 3)
    for _ in range(40):
        bounds = {}
        for variable in rng.sample([X, Y, U], 2):
            assert isinstance(variable.type, IntegerType)
            low, high = sorted(variable.type.wrap(rng.choice(small)) for _ in range(2))
            bounds[variable] = (low, high)
        expression = terms(3, rng, rng.choice((SIGNED, UNSIGNED, WIDE, BOOL)))
        low, high = interval_of(expression, bounds)
        for state in states(NUMBERS):
            if all(b[0] <= state[v] <= b[1] for v, b in bounds.items()):
                assert low <= value(expression, state) <= high, (str(expression), bounds, state)


def states(variables: tuple[Variable, ...]) -> Iterable[dict[Variable, int]]:
    ranges = []
    for variable in variables:
        assert isinstance(variable.type, IntegerType)
        ranges.append(values((variable.type.minimum, variable.type.maximum)))
    return (dict(zip(variables, numbers, strict=True)) for numbers in itertools.product(*ranges))


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        (Unary("-", X, SIGNED), (-3, -1)),
        (Unary("!", X, INT), (0, 1)),
        (Unary("~", X, SIGNED), (-4, 3)),
        (Cast(X, WIDE), (1, 3)),
        (Cast(X, BOOL), (0, 1)),
        (Cast(Binary("+", X, X, WIDE), SIGNED), (-4, 3)),
        (Cast(X, IntegerType(64, False, function=True)), (0, 2**64 - 1)),
        (Binary("+", X, Constant(2, SIGNED), WIDE), (3, 5)),
        (Comparison("<", X, Y), (0, 1)),
        (Index(Variable('"ab"', ArrayType(CHAR, 3), is_global=True), Constant(1, INT), CHAR), (98, 98)),
        (Variable("p", PointerType(INT, 8)), (-(1 << 128), 1 << 128)),
    ],
)
def test_an_expression_has_few_other_values(expression: Expression, result: Interval) -> None:
    assert interval_of(expression, {X: (1, 3)}) == result


def test_a_conversion_that_keeps_all_values_is_seen_through() -> None:
    assert _same_value(Cast(X, WIDE), {}) == X
    assert _same_value(Cast(X, UNSIGNED), {X: (0, 3)}) == X
    assert _same_value(Cast(X, UNSIGNED), {X: (-1, 3)}) != X
    assert _same_value(Cast(U, SIGNED), {U: (0, 3)}) == U
    assert _same_value(Cast(U, SIGNED), {U: (0, 4)}) != U


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> CProgram:
    path = tmp_path_factory.mktemp("intervals") / "empty.c"
    path.write_text("int main(void) { return 0; }\n")
    return read_program([str(path)])


def automaton(rng: random.Random) -> Cfa[Operation]:
    """Assignments, inputs and tests between a few locations; a test has both ways."""
    names = [f"n{i}" for i in range(rng.randint(3, 7))]
    edges: list[Edge[Operation]] = []
    for name in names:
        after = rng.choice(names)
        variable = rng.choice((X, Y, U))
        assert isinstance(variable.type, IntegerType)
        kind = rng.choice(("assign", "assign", "test", "test", "input"))
        if kind == "assign":
            edges.append(Edge(name, Assign(PLACE, variable, terms(1, rng, variable.type)), after))
        elif kind == "input":
            edges.append(Edge(name, Havoc(PLACE, variable), after))
        else:
            condition = condition_of(rng)
            edges.append(Edge(name, Assume(PLACE, condition, True), after))
            edges.append(Edge(name, Assume(PLACE, condition, False), rng.choice(names)))
    return Cfa(names[0], tuple(edges))


def condition_of(rng: random.Random) -> Expression:
    other = rng.choice((SIGNED, UNSIGNED, WIDE))
    plain: Expression = Comparison(rng.choice(list(COMPARE)), terms(1, rng, other), terms(1, rng, other))
    return rng.choice((plain, plain, Unary("!", plain, INT), Cast(plain, WIDE), terms(1, rng, other)))


def reached(cfa: Cfa[Operation]) -> set[tuple[str, tuple[int, ...]]]:
    """All states of all runs that begin with any numbers."""
    variables = (X, Y, U)
    waiting = [(cfa.entry, tuple(state.values())) for state in states(variables)]
    seen = set(waiting)
    while waiting:
        location, numbers = waiting.pop()
        state = dict(zip(variables, numbers, strict=True)) | {F: 0}
        for edge in cfa.leaving(location):
            for after in steps(edge.label, state):
                new = (edge.target, tuple(after[v] for v in variables))
                if new not in seen:
                    seen.add(new)
                    waiting.append(new)
    return seen


def steps(label: Operation, state: dict[Variable, int]) -> list[dict[Variable, int]]:
    match label:
        case Assign(target=Variable() as target, value=right):
            return [state | {target: value(right, state)}]
        case Havoc(target=Variable() as target):
            assert isinstance(target.type, IntegerType)
            return [state | {target: n} for n in values((target.type.minimum, target.type.maximum))]
        case Assume(condition=condition, truth=truth):
            return [state] if bool(value(condition, state)) == truth else []
    raise AssertionError(label)


@pytest.mark.parametrize("seed", range(40))
def test_the_states_of_all_runs_are_in_their_intervals(empty: CProgram, seed: int) -> None:
    cfa = automaton(random.Random(seed))
    at = Intervals(empty, cfa).at
    for location, numbers in reached(cfa):
        assert location in at
        for variable, number in zip((X, Y, U), numbers, strict=True):
            assert variable not in at[location] or number in values(at[location][variable]), (location, variable)


def loop(*labels: Operation) -> Cfa[Operation]:
    """Straight to a loop head, around it, and out: `labels` are the edges 0-1, 1-2, 2-1 and 1-3."""
    ends = (("0", "1"), ("1", "2"), ("2", "1"), ("1", "3"))
    return Cfa("0", tuple(Edge(a, label, b) for (a, b), label in zip(ends, labels, strict=True)))


I = Variable("i", INT)  # noqa: E741 (the counter)


def assigned(target: Variable, number: int) -> Assign:
    return Assign(PLACE, target, Constant(number, INT))


def moved(target: Variable, by: int) -> Assign:
    return Assign(PLACE, target, Binary("+", target, Constant(by, INT), INT))


@pytest.mark.parametrize(("name", "start", "end", "by", "inside"), [("<", 0, 9, 1, (0, 8)), (">", 9, 0, -1, (1, 9))])
def test_a_counter_has_the_bounds_of_its_loop(
    empty: CProgram, name: str, start: int, end: int, by: int, inside: Interval
) -> None:
    """Widening ends at the constants of the program and their neighbours."""
    test = Comparison(name, I, Constant(end, INT))
    same: list[Expression] = [
        test,
        Comparison(MIRRORED[name], Constant(end, INT), I),
        Unary("!", Comparison(NEGATED[name], I, Constant(end, INT)), INT),
        Cast(test, WIDE),
    ]
    for condition in same:
        around, out = Assume(PLACE, condition, True), Assume(PLACE, condition, False)
        intervals = Intervals(empty, loop(assigned(I, start), around, moved(I, by), out))
        assert intervals.of(I, "2") == inside
        assert intervals.of(I, "3") == (end, end)


def test_a_counter_without_a_test_has_all_values(empty: CProgram) -> None:
    for by in (-1, 1):
        cfa = loop(assigned(I, 0), Skip(PLACE), moved(I, by), Skip(PLACE))
        assert Intervals(empty, cfa).of(I, "3") == (-(2**31), 2**31 - 1)


def test_a_counter_within_a_larger_type_has_no_bound_on_its_side(empty: CProgram) -> None:
    """Widening goes to the end of the type where no constant of the program is left."""
    for by, name, known in ((1, ">", (0, 2**31 - 1)), (-1, "<", (-(2**31), 0))):
        test = Comparison(name, I, Constant(0, INT))
        around = Assume(PLACE, Comparison(NEGATED[MIRRORED[name]], I, Constant(0, INT)), True)
        cfa = loop(assigned(I, 0), around, moved(I, by), Assume(PLACE, test, True))
        low, high = Intervals(empty, cfa).of(I, "2")
        assert low <= known[0] and high >= known[1]


def test_what_a_pointer_or_a_call_may_change_has_all_values(empty: CProgram) -> None:
    """A variable whose address is taken, and a global one where functions are called."""
    pointer = Variable("p", PointerType(INT, 8))
    taken = Edge("1", Assign(PLACE, pointer, AddressOf(I, pointer.type)), "2")
    called = Edge("1", Call(PLACE, "f", ()), "2")
    plain = Edge("1", Skip(PLACE), "2")
    anywhere = replace(I, is_global=True)
    for edge, variable, known in (
        (taken, I, False),
        (called, anywhere, False),
        (called, I, True),
        (plain, anywhere, True),
    ):
        cfa = Cfa("0", (Edge("0", assigned(variable, 3), "1"), edge))
        assert Intervals(empty, cfa).of(variable, "2") == ((3, 3) if known else (-(2**31), 2**31 - 1))


def test_a_location_that_is_not_reached_has_no_bounds(empty: CProgram) -> None:
    test = Comparison("<", I, Constant(3, INT))
    cfa = Cfa("0", (Edge("0", assigned(I, 3), "1"), Edge("1", Assume(PLACE, test, True), "2")))
    assert "2" not in Intervals(empty, cfa).at
    assert "1" in Intervals(empty, cfa).at


def test_conditions_that_are_no_comparisons(empty: CProgram) -> None:
    """`if (x)`, `if (-x)`, `if ((char)x)` and `if (p)`: what is excluded cannot be."""
    known = Intervals(empty, empty.main.cfa)
    assert known.at

    def after(condition: Expression, truth: bool, low: int, high: int) -> Interval | None:
        bounds = known.after(Assume(PLACE, condition, truth), {I: (low, high)})
        return None if bounds is None else bounds[I]

    assert (after(I, True, 0, 5), after(I, False, 0, 5), after(I, False, 1, 5)) == ((1, 5), (0, 0), None)
    negative, narrow = Unary("-", I, INT), Cast(I, CHAR)
    assert after(negative, True, 0, 1) in ((0, 1), (1, 1)) and after(negative, False, 0, 1) in ((0, 1), (0, 0))
    assert after(narrow, False, 0, 300) == (0, 300)
    nothing = Unary("!", I, INT)
    assert (after(nothing, True, 0, 5), after(nothing, False, 0, 5)) == ((0, 0), (1, 5))
    pointer = Variable("p", PointerType(INT, 8))
    for condition in (pointer, Comparison("==", pointer, Constant(0, pointer.type))):
        assert after(condition, True, 0, 5) == after(condition, False, 0, 5) == (0, 5)
    real = Comparison("<", Cast(I, DOUBLE), FloatConstant(2.5, DOUBLE))
    assert after(real, True, 0, 5) == after(real, False, 0, 5) == (0, 5)


def test_conversions_at_the_ends_of_a_type() -> None:
    byte = IntegerType(8, False)
    for interval in ((0, 3), (5, 255), (7, 9)):
        assert interval_of(Cast(I, byte), {I: interval}) == interval
    assert interval_of(Cast(I, byte), {I: (-1, 3)}) == interval_of(Cast(I, byte), {I: (5, 256)}) == (0, 255)
    assert interval_of(Cast(I, DOUBLE), {I: (0, 3)}) == (0, 3)


def test_widening_goes_to_the_next_number_of_the_program(empty: CProgram) -> None:
    known = Intervals(empty, empty.main.cfa)
    known._steps = [-3, 0, 5]
    assert known._widen(-2, None, (-2, 4)) == (-3, 4)
    assert known._widen(-3, 4, (-3, 4)) == (-3, 5)
    assert known._widen(None, 5, (1, 5)) == (1, 5)
    low, high = known._widen(-4, 6, (-4, 6))
    assert low < -(2**64) and high > 2**64
