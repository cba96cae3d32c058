"""Bytes that are given out from an array: sizes that are rounded up, and how much is in use in a member beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.compiled import fails_in_a_run, needs_gcc, written

from kleene.c.reader import read_program
from kleene.cfa.operations import Error, Unsupported
from kleene.passes.prepare import whole_program

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct chunk {{ long before; size_t used; char data[64]; size_t behind; char last[8]; }};
static char pool[64], many[256];
static size_t used;
static char *get(size_t size) {{
    if (size > sizeof pool - used)
        return NULL;
    char *p = pool + used;
    used += size;
    return p;
}}
int main(void) {{
    size_t n, m;
    if (scanf("%zu %zu", &n, &m) != 2 || n < 1 || n > 200)
        return 1;
    memset(many, 0x7f, sizeof many);
    struct chunk *c = malloc(sizeof *c);
    if (!c)
        return 1;
    memset(c, 0, sizeof *c);
    {body}
    free(c);
    return 0;
}}
"""
IN_A_BLOCK = "char *p = malloc({size}); if (p) {{ memcpy(p, many, n); free(p); }}"
TWICE = "char *p = get({one}), *q = get({two}); if (p) memcpy(p, many, n); if (q) memcpy(q, many, m);"
BESIDE = "for (int i = 0; i < 3; i++) { if (n > 64 - c->used) break; memcpy(c->data + c->used, many, n); CHANGE }"
OPEN = {"out_of_bounds"}
RIGHT = (
    IN_A_BLOCK.format(size="(n + 7) & ~(size_t)7"),
    IN_A_BLOCK.format(size="(n + 7) / 8 * 8"),
    IN_A_BLOCK.format(size="(n | 15) + 1"),
    IN_A_BLOCK.format(size="n + (8 - n % 8)"),
    "int k = (int)n; char *p = malloc((k + 3) & -4); if (p) { memcpy(p, many, k); free(p); }",
    "char *p = malloc(200); if (p) { memset(p, 0, n & ~(size_t)7); memset(p, 0, n / 8 * 8); free(p); }",
    TWICE.format(one="n", two="m"),
    TWICE.format(one="(n + 7) & ~(size_t)7", two="m"),
    BESIDE.replace("CHANGE", "c->used += n;"),
    "if (n <= 64) { memcpy(c->data, many, n); memset(c->data, 0, n); c->data[c->used] = 1; c->last[c->behind] = 1; }",
)
WRONG = {
    "rounded down": IN_A_BLOCK.format(size="n & ~(size_t)7"),
    "rounded up by too little": IN_A_BLOCK.format(size="(n + 6) & ~(size_t)7"),
    "a mask that keeps other bits": IN_A_BLOCK.format(size="(n + 7) & 7"),
    "a mask with a hole": IN_A_BLOCK.format(size="(n + 7) & ~(size_t)40"),
    "bits that are set, without one more": IN_A_BLOCK.format(size="(n | 1) - 1"),
    "the low bits": IN_A_BLOCK.format(size="(n | 15) - 15"),
    "divided by less": IN_A_BLOCK.format(size="(n + 7) / 8 * 7"),
    "multiplied by less": IN_A_BLOCK.format(size="(n + 7) / 9 * 8"),
    "a quotient of less": "size_t k = n / 8; n += 8; char *p = malloc(k * 8); if (p) { memcpy(p, many, n); free(p); }",
    "more than was asked for": TWICE.format(one="n - 1", two="m"),
    "nothing is in use": TWICE.format(one="n", two="m")
    .replace("*q = get", "*q = (used = 0, get)")
    .replace("q, many, m", "q, many, n + m"),
    "more is written than is left": BESIDE.replace("many, n)", "many, n + 8)").replace(
        "CHANGE", "c->used += n; c->last[c->behind] = 1;"
    ),
    "the member before is written": "memcpy(c->data - 8, many, 8); c->data[c->used] = 1;",
    "the member behind is written": "memcpy(c->data, many, 72); c->last[c->behind] = 1;",
    "the member behind is written from the middle": "memcpy(c->data + 8, many, 64); c->last[c->behind] = 1;",
    "the member before is filled": "memset(c->data - 8, 1, 16); c->data[c->used] = 1;",
    "as many bytes as come": "if (n <= 72) { memcpy(c->data, many, n); c->last[c->behind] = 1; }",
    "a moved pointer": "char *p = c->data; p -= m % 16; memset(p, 1, 8); c->data[c->used] = 1;",
}
RUNS = ["9 3\n", "1 8\n", "15 8\n", "63 8\n", "200 9\n", "72 8\n", "20 60\n", "65 3\n", "60 0\n"]


def left_errors_of(text: str, folder: Path) -> set[str]:
    """The open kinds of errors, and 'unsupported', for which the prepared program has edges."""
    program = whole_program(read_program(written(text, folder)))
    labels = [e.label for e in program.main.cfa.edges]
    kinds = {label.kind for label in labels if isinstance(label, Error)} & OPEN
    return kinds | {"unsupported" for label in labels if isinstance(label, Unsupported)}


@pytest.mark.parametrize("body", RIGHT)
def test_the_bytes_are_inside(body: str, tmp_path: Path) -> None:
    """A number that was rounded was any number, and a copy into an array changed all members of its struct."""
    assert not left_errors_of(PROGRAM.format(body=body), tmp_path)


@pytest.mark.parametrize("case", WRONG)
def test_the_bytes_may_be_outside(case: str, tmp_path: Path) -> None:
    assert left_errors_of(PROGRAM.format(body=WRONG[case]), tmp_path)


@needs_gcc
@pytest.mark.parametrize("case", WRONG)
def test_the_wrong_programs_fail_in_a_run(case: str, tmp_path: Path) -> None:
    program = written(PROGRAM.format(body=WRONG[case]), tmp_path)
    assert any(fails_in_a_run(program, text=text) for text in RUNS)


KEPT_SUM = """
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
struct chunk { unsigned short used; char data[16]; };
int main(void) {
    long m = __VERIFIER_nondet_int();
    struct chunk *c = malloc(sizeof *c);
    if (!c) abort();
    memset(c, 0, sizeof *c);
    if (c->used + m <= sizeof c->data) {
        char *p = &c->data[c->used];
        for (unsigned i = 0; i < m; i++) p[i] = 1;
    }
    free(c);
    return 0;
}
"""


def test_what_a_kept_sum_was_converted_to_is_forgotten(tmp_path: Path) -> None:
    """A sum that no variable has was kept with the number that it was converted to, which was dropped: KeyError."""
    assert not left_errors_of(KEPT_SUM, tmp_path)
