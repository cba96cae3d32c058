"""Large arrays of pointers as lists of slots: which arrays, which conversions, which increments, and no lost index."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.semantics.translated import alarms

from kleene.c.reader import read_program
from kleene.cfa.expressions import Binary, Cast, Constant, Expression, Index, Variable
from kleene.cfa.types import CHAR, INT, UNSIGNED, ArrayType, IntegerType, PointerType
from kleene.passes.calls.inline import inline
from kleene.passes.elements.global_arrays import (
    _incremented,
    _inside,
    _is_decrement,
    _uncast,
    _variable,
    whole_variables,
    with_slots,
)
from kleene.passes.indices import MOST_ELEMENTS

LONG = IntegerType(64, signed=True, name="long")
WORD = IntegerType(64, signed=False, name="unsigned long")
BYTE = IntegerType(8, signed=False, name="unsigned char")
I, J, U, C, L = (Variable(n, t) for n, t in (("i", INT), ("j", INT), ("u", UNSIGNED), ("c", CHAR), ("l", LONG)))  # noqa: E741 (as in the programs)
ONE = Constant(1, INT)
HEADER = f"""
#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct node {{ struct node *next; int data; }} some;
enum {{ COUNT = {MOST_ELEMENTS + 1}, FEW = {MOST_ELEMENTS} }};
"""
ARRAYS = {
    "struct node *t[COUNT];": True,
    "struct pair { struct node *a; int b; } t[COUNT];": True,
    "struct node *t[FEW];": False,
    "int t[COUNT];": False,
    "struct node *t[COUNT][2];": False,
    "extern struct node *t[COUNT];": False,
    "struct node *t[COUNT] = {&some};": False,
    "struct node *const t[COUNT] = {&some};": False,
    "struct node *const t[COUNT];": False,
    "struct node *t[COUNT]; struct node **first = &t[0];": True,
    "struct node *t[COUNT]; struct node **first = t;": False,
}


@pytest.mark.parametrize("text", ARRAYS)
def test_large_arrays_of_pointers_without_values(tmp_path: Path, text: str) -> None:
    """An array with initial values, or one that is used as a whole, would be lost in a list of zeroed slots."""
    path = tmp_path / "test.c"
    use = (
        "(void)&t[i]" if "[2]" in text or "int t" in text else "t[i].a = 0" if "pair" in text else "if (t[i]) return 1"
    )
    path.write_text(f"{HEADER}{text}\nint main(void) {{ int i = 3; {use}; return 0; }}\n")
    program = inline(read_program([str(path)]))
    names = {g.variable.name for g in with_slots(program).globals}
    assert ("t" not in names and "t[]" in names) == ARRAYS[text]


def test_what_is_used_as_awhole_variables() -> None:
    array = Variable("t", ArrayType(PointerType(INT, 8), 9), is_global=True)
    element = Index(array, I, PointerType(INT, 8))
    assert list(whole_variables(element)) == [I]
    assert list(whole_variables(array)) == [array]
    assert list(whole_variables(Cast(Index(array, Cast(array, LONG), INT), LONG))) == [array]
    assert list(whole_variables(Binary("+", I, J, INT))) == [I, J]


@pytest.mark.parametrize(
    ("value", "inner"),
    [
        (I, I),
        (Cast(I, LONG), I),
        (Cast(Cast(C, INT), LONG), C),
        (Cast(U, LONG), U),
        (Cast(U, WORD), U),
        (Cast(I, INT), I),
        (Cast(I, WORD), None),
        (Cast(I, UNSIGNED), None),
        (Cast(U, INT), None),
        (Cast(L, INT), None),
        (Cast(I, BYTE), None),
        (Cast(C, BYTE), None),
        (Cast(Variable("b", BYTE), CHAR), None),
        (Cast(I, PointerType(INT, 8)), None),
        (Cast(Variable("p", PointerType(INT, 8)), LONG), None),
        (Cast(Cast(I, BYTE), INT), None),
        (Binary("+", I, ONE, INT), None),
    ],
)
def test_only_conversions_that_keep_every_value_are_seen_through(value: Expression, inner: Variable | None) -> None:
    assert _variable(value) == inner
    if inner is None and isinstance(value, Cast) and not isinstance(value.operand, Cast):
        assert _uncast(value) == value


def test_increments() -> None:
    for value in (
        Binary("+", I, ONE, INT),
        Binary("+", ONE, I, INT),
        Binary("+", Cast(I, LONG), Constant(1, LONG), LONG),
    ):
        assert _incremented(value) == I
    for value in (
        Binary("+", J, ONE, INT),
        Binary("-", I, ONE, INT),
        Binary("+", I, Constant(2, INT), INT),
        Binary("+", I, J, INT),
        Binary("+", I, I, INT),
        Binary("+", Cast(I, UNSIGNED), Constant(1, UNSIGNED), UNSIGNED),
        ONE,
        None,
    ):
        assert _incremented(value) != I


def test_decrements() -> None:
    for value in (
        Binary("-", I, ONE, INT),
        Binary("+", I, Constant(-1, INT), INT),
        Binary("-", Cast(I, LONG), Constant(1, LONG), LONG),
    ):
        assert _is_decrement(value, I)
    for value in (
        Binary("-", J, ONE, INT),
        Binary("+", I, ONE, INT),
        Binary("-", I, Constant(-1, INT), INT),
        Binary("-", I, Constant(2, INT), INT),
        Binary("-", ONE, I, INT),
        Binary("*", I, Constant(-1, INT), INT),
        Binary("-", I, J, INT),
        Binary("-", Cast(I, UNSIGNED), Constant(1, UNSIGNED), UNSIGNED),
        ONE,
        None,
    ):
        assert not _is_decrement(value, I)


def test_an_interval_inside_an_array() -> None:
    assert _inside((0, 8), 9) and _inside((3, 3), 9)
    assert not _inside((0, 9), 9) and not _inside((-1, 3), 9)


TABLE = HEADER + "struct node *t[9]; extern void reach_error(void);\n"
FAILING = {
    "an index that a test makes zero": "int i = __VERIFIER_nondet_int(); if (i <= 0) if (i >= 0) assert(t[i]);",
    "an index that a test makes the last": "int i = __VERIFIER_nondet_int(); if (i >= 8) if (i < 9) assert(t[i]);",
    "the first": "int i = 0; assert(t[i]);",
    "a number": "int i = 5; assert(t[i]);",
    "the last": "int i = 8; assert(t[i]);",
    "a copy": "int i = 5, j = i; assert(t[j]); assert(!t[i]);",
    "the next one": "int i = 5; i = i + 1; assert(t[i]);",
    "the next one of another": "int i = 5, j = 2; if (!t[i]) { i = j + 1; assert(t[i]); }",
    "the one before": "int i = 8; i = i - 1; assert(t[i]);",
    "an index that is narrowed": "int i = 259; unsigned char k = i; assert(t[k]);",
    "an index that a pointer changes": "int i = 5; int *q = &i; *q = 6; assert(t[i]);",
    "an index that is computed": "int i = 2; assert(t[i + 3]);",
    "what another index wrote": "int i = 5, j = 5; t[i] = &some; assert(!t[j]);",
    "what another index may have written": "int i = __VERIFIER_nondet_int() & 7, j = 3; t[i] = &some; assert(!t[j]);",
    "what another index did not write": "int i = 2, j = 5; t[i] = &some; assert(t[j]);",
    "the second": "int i = 1; assert(t[i]);",
    "the first after none": "int i = -1; i = i + 1; assert(t[i]);",
    "in a loop": "for (int i = 0; i < 9; i++) { if (i == 8) assert(t[i]); }",
    "a branch on an element": "int i = 3; if (t[i]) return 0; assert(0);",
}


@pytest.mark.parametrize("name", FAILING)
def test_what_fails_is_not_proved(tmp_path: Path, name: str) -> None:
    assert "assertion" in alarms(tmp_path, FAILING[name], TABLE)


OUTSIDE = ("-1", "9", "__VERIFIER_nondet_int()", "8 + 1")
PROVED = {
    "all elements begin as zero": "for (int i = 0; i < 9; i++) assert(!t[i]);",
    "an index inside its bounds": "int i = __VERIFIER_nondet_int(); if (i >= 0 && i < 9) t[i] = &some;",
    "two indices": "int i = 3, j = i; t[i] = &some; assert(t[j]);",
}


@pytest.mark.parametrize("index", OUTSIDE)
def test_an_index_outside_is_an_alarm(tmp_path: Path, index: str) -> None:
    assert "out_of_bounds" in alarms(tmp_path, f"int i = {index}; t[i] = NULL;", TABLE)


@pytest.mark.parametrize("name", PROVED)
def test_what_is_right_is_proved(tmp_path: Path, name: str) -> None:
    assert alarms(tmp_path, PROVED[name], TABLE) == set()
