"""Small integers against enumeration: every set of numbers, seen through every table, before and after an operation.

A set is described by a table exactly: a constant has 1 if it is the only number of the set, 0 if it is none of it, 1/2
otherwise, and so has the rest. What an operation makes of the description must hold for the results of the numbers.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Set
from pathlib import Path

import pytest
from tests.unit.semantics.translated import inlined

from kleene.c.reader import read_program
from kleene.cfa.expressions import ARITHMETIC
from kleene.cfa.types import BOOL, IntegerType
from kleene.logic.formula import FALSE, TRUE, UNKNOWN, Formula
from kleene.passes.facts.integers import (
    COMPARE,
    INJECTIVE,
    MOST_PAIRS,
    UNKNOWN_INTEGER,
    Constants,
    IntegerValue,
    combine_values,
)
from kleene.passes.facts.memory import Memory
from kleene.passes.preparation import Prepared

SIGNED, UNSIGNED, WIDE = IntegerType(2, True), IntegerType(2, False), IntegerType(4, True)
ADDRESS = IntegerType(3, False, function=True)
NUMBERS = (-2, -1, 0, 1)


def truth(part: Set[int], whole: Set[int]) -> Formula:
    """Whether a number of the whole is in the part."""
    return TRUE if whole <= part else UNKNOWN if whole & part else FALSE


def described(numbers: Set[int], table: Iterable[int]) -> IntegerValue:
    known = set(table)
    rest = truth(numbers - known, numbers)
    return IntegerValue({c: truth({c}, numbers) for c in known}, rest)


def holds(value: IntegerValue, numbers: Set[int]) -> bool:
    """Whether a description says nothing wrong of the numbers; a definite value must be right for all of them."""
    said = [(value.at(c), truth({c}, numbers)) for c in {*numbers, *value.table}]
    said.append((value.rest, truth(numbers - value.table.keys(), numbers)))
    return all(claim is UNKNOWN or claim is real for claim, real in said)


def subsets(numbers: Iterable[int], least: int = 0, most: int = 9) -> Iterator[set[int]]:
    ordered = sorted(numbers)
    for size in range(least, min(most, len(ordered)) + 1):
        yield from map(set, itertools.combinations(ordered, size))


def test_a_description_holds_and_is_exact_for_one_number() -> None:
    for numbers in subsets(NUMBERS, 1):
        for table in subsets(NUMBERS):
            value = described(numbers, table)
            assert holds(value, numbers)
            assert value.single == (min(numbers) if len(table) == 1 and numbers == table else None)
            assert holds(UNKNOWN_INTEGER, numbers)
    assert not holds(IntegerValue.constant(1), {1, 2})
    assert not holds(IntegerValue.boolean(UNKNOWN), {3})
    assert holds(IntegerValue.boolean(UNKNOWN), {0, 1})
    assert [IntegerValue.boolean(TRUE).at(c) for c in (0, 1, 2)] == [FALSE, TRUE, FALSE]
    assert [IntegerValue.boolean(FALSE).at(c) for c in (0, 1, 2)] == [TRUE, FALSE, FALSE]


CHANGES: list[tuple[Callable[[int], int], bool]] = [
    (lambda n: n + 1, True),
    (lambda n: -n, True),
    (lambda n: n & 1, False),
    (lambda n: n // 2, False),
]


@pytest.mark.parametrize(("change", "injective"), CHANGES)
def test_a_function_of_a_number(change: Callable[[int], int], injective: bool) -> None:
    for numbers in subsets(NUMBERS, 1):
        after = {change(n) for n in numbers}
        for table in subsets(NUMBERS):
            value = described(numbers, table).map(change, injective=injective)
            assert holds(value, after), (numbers, table)
            if len(numbers) == 1 and numbers <= table:
                assert all(value.at(c) is truth({c}, after) for c in value.table)
            if injective:
                assert value == described(after, {change(n) for n in table})


TYPES = (SIGNED, UNSIGNED, WIDE, BOOL)


@pytest.mark.parametrize("source", TYPES)
@pytest.mark.parametrize("target", TYPES)
def test_a_conversion(source: IntegerType, target: IntegerType) -> None:
    possible = [n for n in (-5, *NUMBERS, 2, 3, 7) if source.has(n)]
    for numbers in subsets(possible, 1, 3):
        after = {target.wrap(n) for n in numbers}
        for table in subsets(possible, 0, 3):
            value = described(numbers, table).convert(source, target)
            assert holds(value, after), (numbers, table)
            if len(numbers) == 1 and numbers <= table:
                assert value.at(min(after)) is TRUE
            if target == source:
                assert value == described(numbers, table)


def test_only_the_null_of_function_addresses_is_known() -> None:
    """The number of a function as an address is another one than as an integer."""
    for numbers in subsets(range(3), 1):
        for table in subsets(range(3)):
            for source, target in ((WIDE, ADDRESS), (ADDRESS, WIDE)):
                value = described(numbers, table).convert(source, target)
                assert value.at(0) is (truth({0}, numbers) if 0 in table else UNKNOWN)
                assert value.at(1) is not TRUE
                assert value.at(1) is UNKNOWN or numbers == {0}
                assert value.rest is not TRUE or not value.table or 0 not in numbers


def test_negation_and_tests() -> None:
    for numbers in subsets(NUMBERS, 1):
        for table in subsets(NUMBERS):
            value = described(numbers, table)
            assert holds(value.negate(), {int(n == 0) for n in numbers})
            if 0 in table:
                assert value.negate() == described({int(n == 0) for n in numbers}, {0, 1})
            for name, c in itertools.product(COMPARE, NUMBERS):
                real = truth({n for n in numbers if COMPARE[name](n, c)}, numbers)
                said = value.truth(lambda n, name=name, c=c: COMPARE[name](n, c))  # type: ignore[misc]
                assert said in (UNKNOWN, real)
                assert said is real or not numbers <= table or len(numbers) > 1


@pytest.mark.parametrize("name", ARITHMETIC)
def test_arithmetic(name: str) -> None:
    operation = ARITHMETIC[name]
    for left, right in itertools.product(subsets((-1, 0, 2), 1), repeat=2):
        after = {operation(a, b) for a in left for b in right}
        for table, other in itertools.product(subsets((-1, 0, 2)), repeat=2):
            a, b = described(left, table), described(right, other)
            value = combine_values(a, b, operation, injective=name in INJECTIVE)
            assert holds(value, after), (left, table, right, other)
            if name in INJECTIVE and b.single is not None:
                assert all(value.at(operation(c, min(right))) is a.at(c) for c in table)
            if name in INJECTIVE and a.single is not None:
                assert all(value.at(operation(min(left), c)) is b.at(c) for c in other)
            if len(left) == len(right) == 1 and left <= table and right <= other:
                assert value.at(min(after)) is TRUE


def test_large_tables_are_given_up() -> None:
    two = IntegerValue(dict.fromkeys(range(2), UNKNOWN), FALSE)
    many = IntegerValue(dict.fromkeys(range(MOST_PAIRS // 2), UNKNOWN), FALSE)
    more = IntegerValue(dict.fromkeys(range(MOST_PAIRS // 2 + 1), UNKNOWN), FALSE)
    assert len(combine_values(two, many, lambda a, b: a * MOST_PAIRS + b).table) == MOST_PAIRS
    assert combine_values(two, more, lambda a, b: a * MOST_PAIRS + b) == UNKNOWN_INTEGER


def constants(folder: Path, body: str) -> dict[str, tuple[int, ...]]:
    """The constants of the variables of main by name, and of cells by offset."""
    program, cfa = inlined(folder, body)
    memory = Memory(program, cfa, typed=True)
    known = Constants(memory)
    return {v.name: known.of(v) for v in memory.integers} | {str(offset): known.of(offset) for offset in known.cells}


INPUT = "__VERIFIER_nondet_int()"


@pytest.mark.parametrize(
    ("body", "name", "values"),
    [
        (f"int i = {INPUT}; if (i == 4) return 1;", "i", (4,)),
        ("int i = 7; if (i) return 1;", "i", (0, 7)),
        ("int i = 7; return i;", "i", ()),
        ("int i = 1; i = i + 1; if (i == 4) return 1;", "i", (1, 2, 3, 4)),
        ("int i = 1; if (i == 4) return 1;", "i", (1, 4)),
        ("int i = -2; i = i + 1; if (i == 2) return 1;", "i", (0, -1, 1, -2, 2)),
        ("int i = 0; i = i + 1; if (i == 20) return 1;", "i", tuple(range(20))),
        ("int i = 0; i = i + 1; if (i == 21) return 1;", "i", (0, 1, 21)),
        ("int i = 3, j = i; if (j == 5) return 1;", "i", (3, 5)),
        (f"int i = 3, j = {INPUT}; if (j < i) return 1;", "j", (3,)),
        (f"int i = 3, j = {INPUT}; if (j == 5) return 1; if (i) return 2;", "i", (0, 3)),
        (f"int i = {INPUT}, j = {INPUT}; i = i + j; if (i < j) return 1;", "i", ()),
        ("unsigned char c = 255; int k = -1; if (c == k) return 1;", "c", (255,)),
    ],
)
def test_the_constants_of_a_variable(tmp_path: Path, body: str, name: str, values: tuple[int, ...]) -> None:
    assert constants(tmp_path, body)[name] == values


def test_a_hidden_variable_has_no_constants(tmp_path: Path) -> None:
    program, cfa = inlined(tmp_path, "int i = 7; if (i) return 1;")
    memory = Memory(program, cfa, typed=True)
    (variable,) = (v for v in memory.integers if v.name == "i")
    assert Constants(memory).of(variable) == (0, 7)
    assert Constants(memory, hidden=frozenset([variable])).of(variable) == ()
    assert Constants(memory, tracks=lambda key: key != variable).of(variable) == ()


def test_values_that_are_required_are_told_apart(tmp_path: Path) -> None:
    """A variable that nothing compares has no constants, until an analysis asks for some."""
    program, cfa = inlined(tmp_path, "int i = 7, j = i; return j;")
    memory = Memory(program, cfa, typed=True)
    known = Constants(memory)
    (i,), (j,) = ([v for v in memory.integers if v.name == name] for name in "ij")
    assert known.of(i) == known.of(j) == ()
    known.require(i, (0, 1))
    assert known.of(i) == known.of(j) == (0, 1, 7)


def test_the_constants_of_cells(tmp_path: Path) -> None:
    """Numbers in blocks share constants by their offset; bit-fields and places that are not known have none."""
    node = "struct { long n; int d; int b : 3; } *p = malloc(sizeof *p);"
    assert constants(tmp_path, f"{node} p->d = 4; if (p->d == 6) return 1; free(p);")["8"] == (4, 6)
    assert constants(tmp_path, f"{node} int i = p->d; if (i == 6) return 1; free(p);")["i"] == (6,)
    bits = constants(tmp_path, f"{node} int i = p->b; p->b = 2; if (i == 6) return 1; free(p);")
    assert bits["i"] == (6,) and "12" not in bits
    far = constants(tmp_path, f"int a[3], k = {INPUT}; int i = a[k]; if (i == 6) return 1;")
    assert far["i"] == (6,)


def test_conversions_between_types_of_the_same_size_keep_numbers_apart() -> None:
    others = IntegerValue({0: FALSE}, TRUE)
    assert others.convert(SIGNED, UNSIGNED).at(0) is FALSE and others.convert(SIGNED, WIDE).at(0) is FALSE
    assert others.convert(WIDE, SIGNED).at(0) is UNKNOWN


def test_constants_pass_through_calls(tmp_path: Path) -> None:
    """The arguments and results of a recursive function are assignments."""
    head = "static int down(int n) { if (n > 0) return 1 + down(n - 1); return n; }"
    path = tmp_path / "calls.c"
    text = f"extern int {INPUT[:-2]}(void);\n{head}\nint main(void) {{ int i = 5; return down(i) + down(9); }}\n"
    path.write_text(text)
    memory = Prepared(read_program([str(path)])).memory
    known = Constants(memory)
    (argument,) = (v for v in memory.integers if v.name == "down.n")
    assert 9 in known.of(argument)


def test_the_constants_of_a_negative_number(tmp_path: Path) -> None:
    """What is negated somewhere has the negative constants too; other numbers have not."""
    assert constants(tmp_path, "int i = 3, j = -i; if (j == 5) return 1;")["j"] == (-3, 3, -5, 5)
    assert constants(tmp_path, "int i = 3, j = ~i; if (j == 5) return 1;")["j"] == (3, 5)
    assert constants(tmp_path, "int i = 3, j = i; if (j == 5) return 1;")["j"] == (3, 5)
    small = constants(tmp_path, "unsigned char i = 3, j = -i; if (j == 5) return 1;")
    assert small["j"] == (3, 5, 251, 253)
