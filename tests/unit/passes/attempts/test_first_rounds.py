"""First tests of loops that are apart: rewritten programs do the same on small inputs, and no wrong one is proved."""

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
from kleene.passes.attempts.first_rounds import with_first_rounds
from kleene.passes.facts.memory import Memory
from kleene.passes.preparation import Prepared

FRAME = """
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int r = 0, n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();
    GUARD
    for (START; TEST; STEP) { r = r * 3 + i + 1; if (r > 200) break; BODY }
    return r;
}
"""
GUARDS = ("if (n < 1) return 9;", "if (n < 0 || m < 1) return 9;", "if (n <= m) n = m + 1;", "if (m > 2) n = 2;", "")
LOOPS = (
    ("int i = 0", "i < n", "i++"),
    ("int i = 1", "i <= n", "i++"),
    ("int i = n", "i > 0", "i--"),
    ("int i = 0", "i != 2", "i++"),
    ("int i = m", "i < n && r < 50", "i += 2"),
    ("unsigned i = 3", "i-- > 0", ""),
)
BODIES = ("", "n--;", "for (int j = 0; j < 2; j++) r++;", "if (m) { int j = 3; while (j >= m) { r--; j--; } }")


@pytest.mark.parametrize("loop", LOOPS, ids=lambda loop: loop[1])
def test_the_rewritten_program_does_the_same(tmp_path: Path, loop: tuple[str, str, str]) -> None:
    rng, copies = random.Random(loop[1]), 0
    for guard, body in rng.sample(list(product(GUARDS, BODIES)), 8):
        text = FRAME.replace("GUARD", guard).replace("BODY", body)
        for word, part in zip(("START", "TEST", "STEP"), loop, strict=True):
            text = text.replace(word, part)
        path = tmp_path / "program.c"
        path.write_text(text, encoding="utf-8")
        program = Prepared(read_program([str(path)])).inlined
        cfa = with_first_rounds(Memory(program, program.main.cfa))
        copies += any(original_location(name) != name for name in cfa.locations)
        rewritten = replace(program, functions={program.entry: replace(program.main, cfa=cfa)})
        for inputs in product((-2, -1, 0, 1, 2, 3, 5), repeat=2):
            assert answer(rewritten, inputs) == answer(program, inputs), (text, inputs)
    assert copies or loop[0] in ("int i = m",), "no loop is entered for sure"


CIRCLE = """
#include <stdlib.h>
extern int nondet(void);
struct person { struct person *next; };
int main(void) {
    int n = nondet();
    if (n < 1) return 2;
    struct person *last = NULL;
    for (int i = 1; i <= n; i++) {
        struct person *p = malloc(sizeof *p);
        if (!p) abort();
        if (last) { p->next = last->next; last->next = p; } else p->next = p;
        last = p;
    }
    while (last->next != last) {
        struct person *out = last->next;
        last->next = out->next;
        free(out);
    }
    free(last);
    return 0;
}
"""
WRONG = {
    "any number": ("    if (n < 1) return 2;\n", ""),
    "also 0": ("if (n < 1)", "if (n < 0)"),
    "it begins later": ("int i = 1;", "int i = 2;"),
    "another variable": ("if (n < 1) return 2;", "if (n < 1) return 2; n = nondet();"),
    "a round that does nothing": ("struct person *p = malloc", "if (i == 1) continue; struct person *p = malloc"),
    "a round that ends": ("struct person *p = malloc", "if (nondet()) break; struct person *p = malloc"),
    "by a function that calls itself": (
        "int main(void) {\n    int n = nondet();\n    if (n < 1) return 2;",
        "static int n;\nstatic void change(int k) { if (k > 0) { change(k - 1); n = nondet(); } }\n"
        "int main(void) {\n    n = 3; change(nondet());",
    ),
    "through its address": ("if (n < 1) return 2;", "if (n < 1) return 2; int *q = &n; *q = nondet();"),
}


@pytest.mark.parametrize("name", ["right", *WRONG])
def test_only_loops_that_are_entered(tmp_path: Path, name: str) -> None:
    text = CIRCLE
    if name in WRONG:
        old, new = WRONG[name]
        assert old in text
        text = text.replace(old, new)
    assert is_proved_by("first rounds", text, tmp_path) == (name == "right")
