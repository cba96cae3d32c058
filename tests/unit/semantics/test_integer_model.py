"""Small integers: tables of constants, conversions, arithmetic."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.cfa.types import BOOL, CHAR, INT, UNSIGNED
from kleene.logic.formula import FALSE, TRUE, UNKNOWN, Atom, conj
from kleene.passes.facts.integers import UNKNOWN_INTEGER, IntegerValue, combine_values

from .translated import alarms

SOME = Atom("p", ())
REACHED = "{ struct node *z = NULL; z->data = 1; }"
NEVER = [
    "int i = 3; if (i != 3)",
    "int i = 3; i = i + 1; if (i != 4)",
    "int i = 0; while (i < 5) i++; if (i != 5)",
    "unsigned char c = 255; c = c + 1; if (c != 0)",
    "unsigned u = 0; u = u - 1; if (u != 4294967295u)",
    "_Bool b = 7; if (b != 1)",
    "int i = -1; if (i >= 0)",
    "unsigned n = 0, i = __VERIFIER_nondet_int(); if (i > 3) n = i; if (n != 0) return 1; if (i < n)",
    "unsigned n = 0, i = __VERIFIER_nondet_int(); if (i > 3) n = i; if (n != 0) return 1; if (n > i)",
    "unsigned n = 0, i = __VERIFIER_nondet_int(); if (i > 3) n = i; if (n != 0) return 1; if (!(n <= i))",
    "unsigned n = 0, i = __VERIFIER_nondet_int(); if (i > 3) n = i; if (n != 0) return 1; if (!(i >= n))",
    "int i = __VERIFIER_nondet_int(); if (i == 4) { if (i != 4) " + REACHED + " } if (0)",
    "struct node *p = NULL; int b = p == NULL; if (!b)",
    "int x = 1; int *q = &x; *q = 2; if (x != 2)",
    "union { int i; unsigned u; } x; x.i = -1; if (x.u != 4294967295u)",
    "union { int i; unsigned u; } x; x.u = 4294967295u; if (x.i != -1)",
    "int x = -1; unsigned u; memcpy(&u, &x, sizeof u); if (u != 4294967295u)",
    "signed char c = -1; unsigned char *p = (unsigned char *)&c; if (*p != 255)",
    "union { _Bool b; unsigned char c; } x; x.b = 1; if (x.c != 1)",
]
PERHAPS = [
    "int i = __VERIFIER_nondet_int(); if (i == 4)",
    "int i = __VERIFIER_nondet_int(); i = i + 1; if (i == 0)",
    "int i = __VERIFIER_nondet_int(); char c = i; if (i != 7 && c == 7)",
    "int i; if (i == 3)",
    "int n = 0, i = __VERIFIER_nondet_int(); if (i > 3) n = i; if (n != 0) return 1; if (i < n)",
    "unsigned n = 0, i = __VERIFIER_nondet_int(); if (i > 3) n = i; if (n != 0) return 1; if (i <= n)",
    "unsigned n = 0, i = __VERIFIER_nondet_int(); if (i > 3) n = i; if (n != 0) return 1; if (!(n >= i))",
    "unsigned n = 0; int i = __VERIFIER_nondet_int(); if (i > 3) n = i; if (n != 0) return 1; if (i < (int)n)",
    "int x = 258; char *c = (char *)&x; if (*c == 2)",
    "union { _Bool b; unsigned char c; } x; x.c = 2; if (x.b)",
    "int z = 3; signed char c = z - 4; unsigned char *p = (unsigned char *)&c; if (*p == 255)",  # -1 is not named
    "int x = 0; *(char *)&x = 1; if (x == 1)",
    "union { int i; short s; } u; u.i = 1; u.s = 0; if (u.i == 0)",
    "struct node *p = malloc(sizeof *p); int k = p->data == 5; free(p); if (k)",
    "int i = __VERIFIER_nondet_int(); _Bool b = i; if (i != 1 && i != 0 && b == 1)",
    "int k = -1; unsigned u = 5; if (__VERIFIER_nondet_int()) u = k; u = u + 1; if (u == 0)",  # -1 is no value of u
    "int k = 256; unsigned char c = __VERIFIER_nondet_int(); if (c == k) return 1; c = k; c = c - 1; if (c == 255)",
]


@pytest.mark.parametrize("body", NEVER)
def test_what_cannot_be_is_not_reached(tmp_path: Path, body: str) -> None:
    assert alarms(tmp_path, f"{body} {REACHED}") == set()


@pytest.mark.parametrize("body", PERHAPS)
def test_what_can_be_is_reached(tmp_path: Path, body: str) -> None:
    assert "null_dereference" in alarms(tmp_path, f"{body} {REACHED}")


def test_a_constant_is_known() -> None:
    assert IntegerValue.constant(3).single == 3
    assert IntegerValue.constant(3).at(3) is TRUE
    assert IntegerValue.constant(3).at(4) is FALSE
    assert UNKNOWN_INTEGER.single is None
    assert UNKNOWN_INTEGER.at(4) is UNKNOWN


def test_narrowing_may_turn_other_values_into_known_ones() -> None:
    value = IntegerValue({7: SOME}, Atom("q", ()))
    assert value.convert(INT, CHAR).at(7) is not SOME
    assert value.convert(CHAR, INT).at(7) is SOME
    assert value.convert(INT, UNSIGNED).at(7) is SOME


def test_conversion_to_bool_is_a_test_for_zero() -> None:
    value = IntegerValue({0: SOME}, Atom("q", ())).convert(INT, BOOL)
    assert value.at(0) is SOME
    assert value.rest is FALSE


def test_adding_a_constant_keeps_other_values_apart() -> None:
    value = combine_values(
        IntegerValue({1: SOME}, Atom("q", ())), IntegerValue.constant(1), lambda a, b: a + b, injective=True
    )
    assert value.at(2) is SOME
    assert value.at(5) is conj(Atom("q", ()), UNKNOWN)
