"""Tests that are decided on some ways: rewritten programs do the same on small inputs, and no wrong one is proved."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from tests.unit.passes.executed import answer
from tests.unsafe_c.alone import is_proved_by

from kleene.c.reader import read_program
from kleene.passes.attempts.choices import original_location
from kleene.passes.attempts.decided_tests import with_decided_tests
from kleene.passes.facts.memory import Memory
from kleene.passes.preparation import Prepared

FRAME = """
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int r = 0, a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    FIRST
    MIDDLE
    SECOND
    THIRD
    return r;
}
"""
FIRST = ("if (a > 1 && b > 0) r = 1;", "if (a > 1 || b == 2) r += 3;", "if (a < 0) { int a = 2; r += a; } else r = 2;")
MIDDLE = ("", "if (r == 3) a = b;", "a--;", "while (a > b && r < 9) { r += 2; if (a > 1) r++; }")
SECOND = ("if (a > 1 && b <= 0) r += 10;", "if (a <= 1) r += 20; else r *= 2;", "if (a != 2) goto end; r += 30; end: ;")
THIRD = ("if (a > 0 && b < 0) r += 100;", "if (!(a >= 2)) r = -r;", "switch (a) { case 1: r++; case 2: r += 5; }")


@pytest.mark.parametrize("first", FIRST)
def test_the_rewritten_program_does_the_same(tmp_path: Path, first: str) -> None:
    rng, copies = random.Random(first), 0
    for middle, second, third in rng.sample(list(product(MIDDLE, SECOND, THIRD)), 10):
        text = FRAME.replace("FIRST", first).replace("MIDDLE", middle).replace("SECOND", second)
        path = tmp_path / "program.c"
        path.write_text(text.replace("THIRD", third), encoding="utf-8")
        program = Prepared(read_program([str(path)])).inlined
        cfa = with_decided_tests(Memory(program, program.main.cfa))
        assert {original_location(name) for name in cfa.locations} <= set(program.main.cfa.locations)
        copies += any(original_location(name) != name for name in cfa.locations)
        rewritten = replace(program, functions={program.entry: replace(program.main, cfa=cfa)})
        for inputs in product((-2, 0, 1, 2, 3), repeat=2):
            assert answer(rewritten, inputs) == answer(program, inputs), (path.read_text(), inputs)
    assert copies, "no test is decided"


TWICE = """
#include <stdlib.h>
extern int nondet(void);
static int *p;
static int other;
int main(void) {
    int b = nondet();
    if (b > 1) { p = malloc(sizeof *p); if (!p) abort(); *p = nondet(); }
    BETWEEN
    if (b > 1 && *p >= 0) { *p = 1; free(p); return 0; }
    if (b > 1 && *p < 0) { *p = 2; free(p); return 0; }
    return 0;
}
"""
RIGHT = {"as it is": (), "a smaller number": (("BETWEEN", "if (b == -1) b--; BETWEEN"),)}
WRONG = {
    "another number": (("BETWEEN", "b = nondet(); BETWEEN"),),
    "a larger bound": (("if (b > 1) {", "if (b > 2) {"),),
    "the next number": (("BETWEEN", "if (b < 2) b++; BETWEEN"),),
    "through its address": (("BETWEEN", "int *q = &b; *q = nondet(); BETWEEN"),),
    "a second test of another number": (("if (b > 1 && *p < 0)", "if (other <= 0 && *p < 0)"),),
    "a round of a loop": (("BETWEEN", "while (nondet()) { if (b > 7) b = 0; b++; } BETWEEN"),),
    "a second test that holds too late": (("if (b > 1 && *p < 0)", "if (b > 5 && *p < 0)"),),
    "freed behind the first test": (("{ *p = 1; free(p); return 0; }", "{ free(p); }"),),
}


@pytest.mark.parametrize("name", [*RIGHT, *WRONG])
def test_only_tests_that_are_decided(name: str, tmp_path: Path) -> None:
    text = TWICE
    for old, new in {**RIGHT, **WRONG}[name]:
        assert old in text
        text = text.replace(old, new)
    assert is_proved_by("outcomes and loads", text.replace("BETWEEN", ""), tmp_path) == (name in RIGHT)


LATER = """
#include <stdlib.h>
extern int nondet(void);
int main(void) {
    int a, c, d, *p = 0;
    if (nondet()) { a = 5; c = 5; goto first; }
    if (nondet()) { a = 5; c = 0; d = 5; } else { a = nondet(); c = nondet(); d = nondet(); if (a > 1) c = 7; }
    if (d <= 1) return 0;
first:
    if (a <= 1) return 0;
    if (c <= 1) *p = 1;
    return 0;
}
"""


def test_a_copy_is_not_entered_in_a_later_round(tmp_path: Path) -> None:
    """What follows a copy was chosen for the ways that entered it first: here it had no dereference of NULL."""
    assert not is_proved_by("outcomes and loads", LATER, tmp_path)
    assert is_proved_by("outcomes and loads", LATER.replace("c = 0;", "c = 2;"), tmp_path)
