"""The numbers of expressions in FESA against enumeration: where a value may be a number, the function is true.

Every set of numbers is seen through every table. A part of a state is one value of a flag: the numbers of the set where
the flag is true, those of another set where it is false.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Set
from pathlib import Path

import pytest
from tests.unit.semantics.test_byte_ranges import NODE, PERHAPS, REACHED
from tests.unit.semantics.test_integer_model import PERHAPS as PERHAPS_A_NUMBER
from tests.unit.semantics.translated import program_of

from kleene.analysis.c.fesa import analyse_fesa
from kleene.cfa.expressions import ARITHMETIC
from kleene.cfa.types import BOOL, IntegerType
from kleene.domains.fesa.evaluate import Integer, _combine, _comparison, _is_injective, convert_number, map_value
from kleene.domains.fesa.functions import Function, Tables
from kleene.passes.facts.integers import COMPARE, INJECTIVE
from kleene.passes.preparation import Prepared

SPACE = Tables()
FLAG = SPACE.var("flag")
SIGNED, UNSIGNED, WIDE = IntegerType(2, True), IntegerType(2, False), IntegerType(4, True)
NUMBERS = (-2, 0, 1)
Sets = tuple[Set[int], Set[int]]
"""The numbers where the flag is true, and where it is false."""


def where(both: Sets, holds: Callable[[int], bool]) -> Function:
    function = SPACE.false
    for numbers, part in zip(both, (FLAG, ~FLAG), strict=True):
        if any(map(holds, numbers)):
            function = function | part
    return function


def described(both: Sets, table: Set[int]) -> Integer:
    known = {c: where(both, lambda n, c=c: n == c) for c in table}  # type: ignore[misc]
    return Integer(known, where(both, lambda n: n not in table))


def subsets(numbers: Iterable[int], least: int = 0) -> Iterator[frozenset[int]]:
    ordered = sorted(numbers)
    for size in range(least, len(ordered) + 1):
        yield from map(frozenset, itertools.combinations(ordered, size))


def pairs() -> Iterator[Sets]:
    """A set and a part of it are enough to tell the values of the flag apart."""
    return ((a, b) for a in subsets(NUMBERS, 1) for b in subsets(NUMBERS, 1) if len(b) == 1)


def includes(larger: Function, smaller: Function) -> bool:
    return bool((smaller & ~larger) == SPACE.false)


def after(both: Sets, change: Callable[[int], int]) -> Sets:
    return {change(n) for n in both[0]}, {change(n) for n in both[1]}


def covers(value: Integer, both: Sets) -> bool:
    return all(includes(value.may_be(c), where(both, lambda n, c=c: n == c)) for c in {*both[0], *both[1]})  # type: ignore[misc]


def same(value: Integer, other: Integer) -> bool:
    return value.table.keys() == other.table.keys() and value.rest == other.rest and all(
        value.table[c] == other.table[c] for c in value.table
    )  # fmt: skip


CHANGES: list[tuple[Callable[[int], int], bool]] = [(lambda n: n + 1, True), (lambda n: n & 1, False), (abs, False)]


@pytest.mark.parametrize(("change", "injective"), CHANGES)
def test_a_function_of_a_number(change: Callable[[int], int], injective: bool) -> None:
    for both in pairs():
        for table in subsets(NUMBERS):
            value = map_value(described(both, table), change, injective=injective)
            assert covers(value, after(both, change)), (both, table)
            if injective:
                assert same(value, described(after(both, change), {change(c) for c in table}))
            if both[0] | both[1] <= table:
                assert same(value, described(after(both, change), {change(c) for c in table}))
    assert map_value(Integer({}, SPACE.true, 3), lambda n: n + 1, injective=True).constant == 4
    assert map_value(Integer({}, SPACE.true), lambda n: n + 1, injective=True).constant is None


def test_conversions() -> None:
    for source, target in itertools.product((SIGNED, UNSIGNED, WIDE, BOOL), repeat=2):
        for both in pairs():
            if not all(source.has(n) for n in both[0] | both[1]):
                continue
            for table in subsets(n for n in NUMBERS if source.has(n)):
                value = convert_number(described(both, table), source, target)
                if (source.bits, target.boolean, source.boolean) == (target.bits, False, False):
                    assert covers(value, after(both, target.wrap))
                if source == target:
                    assert same(value, described(both, table))
                elif source.bits != target.bits:
                    assert value.table == {} and value.rest == SPACE.true
    for kinds in ((None, WIDE), (WIDE, None)):
        assert convert_number(described(({1}, {1}), {1}), *kinds).rest == SPACE.true


def test_conversions_that_keep_numbers_apart() -> None:
    kinds = [IntegerType(bits, signed) for bits in (1, 2, 3, 4) for signed in (True, False)]
    for source, target in itertools.product([*kinds, BOOL], repeat=2):
        numbers = range(source.minimum, source.maximum + 1)
        assert _is_injective(source, target) <= (len({target.wrap(n) for n in numbers}) == len(numbers))
    assert _is_injective(SIGNED, UNSIGNED) and _is_injective(UNSIGNED, WIDE) and not _is_injective(WIDE, SIGNED)
    assert not _is_injective(IntegerType(8, True), BOOL)


@pytest.mark.parametrize("operator", ARITHMETIC)
def test_arithmetic_with_a_constant(operator: str) -> None:
    kind = IntegerType(8, True)
    for both in pairs():
        for table, number in itertools.product(subsets(NUMBERS), (0, 1, 3)):
            value, constant = described(both, table), Integer({number: SPACE.true}, SPACE.false, number)
            result = _combine(value, constant, operator, kind)
            assert result is not None
            real = after(both, lambda n, k=number: kind.wrap(ARITHMETIC[operator](n, k)))  # type: ignore[misc]
            assert covers(result, real)
            if operator in INJECTIVE:
                assert same(result, described(real, {ARITHMETIC[operator](c, number) for c in table}))
            assert _combine(constant, value, operator, kind) is None


@pytest.mark.parametrize("operator", COMPARE)
def test_comparisons(operator: str) -> None:
    compare = COMPARE[operator]
    sides = [s for s in pairs() if s[1] in ({0}, {1})]
    for (left, a), (right, b) in itertools.product(itertools.product(sides, [{0}, {0, 1}, set()]), repeat=2):
        truth, untruth = _comparison(operator, described(left, a), described(right, b))
        parts = list(zip(left, right, (FLAG, ~FLAG), strict=True))
        for numbers, others, part in parts:
            results = {compare(x, y) for x in numbers for y in others}
            assert True not in results or includes(truth, part)
            assert False not in results or includes(untruth, part)
            known = numbers <= a and others <= b
            if known and len(numbers) == len(others) == 1:
                assert includes(~truth, part) or True in results
                assert includes(~untruth, part) or False in results
    five, others = described(({5}, {5}), {5}), described(({7}, {7}), {5})
    assert _comparison("==", five, others) == (SPACE.false, SPACE.true)
    assert _comparison("!=", others, five) == (SPACE.true, SPACE.false)


GLOBAL = "static int g; static struct node n; "
REACHABLE = [
    *(f"{NODE} {body}" for body in PERHAPS),
    *PERHAPS_A_NUMBER,
    *(GLOBAL + test for test in ("if (g == 0)", "if (n.data == 0)", "if (!n.next)", "n.data = 3; if (n.data == 3)")),
]


@pytest.mark.parametrize("body", REACHABLE)
def test_what_can_be_is_reached(tmp_path: Path, body: str) -> None:
    result = analyse_fesa(Prepared(program_of(tmp_path, f"{body} {REACHED}")), malloc_may_fail=False, seconds=20)
    assert not result.complete or "null_dereference" in {alarm.kind for alarm in result.alarms}


NEVER = [
    "memset(p, 0, sizeof *p); if (p->data != 0)",
    "memset(p, 0, sizeof *p); if (p->next)",
    "memset(p, 0, 8); if (p->data != 5)",
    "memcpy(p, q, sizeof *p); if (p->data != 7)",
    "memcpy(p, q, 8); if (p->data != 5)",
    "*p = *q; if (p->data != 7)",
    *(GLOBAL + test for test in ("if (g != 0)", "if (n.data != 0)", "if (n.next)", "n.data = 3; if (n.data != 3)")),
]


@pytest.mark.parametrize("body", NEVER)
def test_what_cannot_be_is_not_reached(tmp_path: Path, body: str) -> None:
    program = program_of(tmp_path, f"{NODE} {body} {REACHED} free(p); free(q);")
    result = analyse_fesa(Prepared(program), malloc_may_fail=False, seconds=20)
    assert result.complete and not result.alarms


LIMITS = "struct node *p = malloc(16), *q = malloc(16); p->next = q->next = NULL; p->data = q->data = 1; "
OUTSIDE = [
    "memset(p, 0, 17);",
    "memset((char *)p - 1, 0, 4);",
    "memcpy(p, (char *)q - 1, 4);",
    "memcpy((char *)p - 1, q, 4);",
    "memcpy(p, q, 17);",
    "*p = *(struct node *)((char *)q - 1);",
    "*(struct node *)((char *)p - 1) = *q;",
]


@pytest.mark.parametrize("body", OUTSIDE)
def test_what_is_outside_is_an_alarm(tmp_path: Path, body: str) -> None:
    result = analyse_fesa(Prepared(program_of(tmp_path, LIMITS + body)), malloc_may_fail=False, seconds=20)
    assert not result.complete or "out_of_bounds" in {alarm.kind for alarm in result.alarms}
