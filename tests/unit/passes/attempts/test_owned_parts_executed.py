"""Arrays of blocks that own other blocks: the result, run for all choices of one block, fails if the program does.

A part that is stored in a block that is not there is given away: it is freed in the result. So a part that two blocks
share, one that a variable still uses, and one that is moved to another block must be errors there, or unsupported.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.slices import in_exam
from tests.unit.passes.attempts.test_owned_executed import _fails, _followed, _is_wrong

FRAME = """\
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct job { char *name; char *note; int v; };
static char *kept;
int main(void) {
  int n = 0, s = 0, i = 0;
  struct job **a = malloc(8 * sizeof *a), *old = NULL, *t = NULL;
  char *c = NULL, *d = NULL;
  if (!a) return 1;
  while (n < 2 && __VERIFIER_nondet_int()) {
    struct job *x = malloc(sizeof *x);
    if (!x) break;
    x->v = 1; x->note = NULL; NAME
    a[n] = x; n++;
  }
  BODY
  for (i = 0; i < n; i++) { LAST }
  free(a);
  return s & 1;
}
"""
NAMES = (
    "x->name = malloc(2); x->name[0] = 0;",
    "c = malloc(2); c[0] = 0; x->name = c;",
    "d = malloc(2); d[0] = 0; c = d; x->name = c; c = NULL; d = NULL;",
)
STATEMENTS = (
    "c = a[0]->name; s = c[0];",
    "c = a[0]->name;",
    "d = a[1]->name; d[1] = 0;",
    "kept = a[0]->name;",
    "if (c) s = c[0];",
    "if (c) c[1] = 1;",
    "if (d) free(d);",
    "if (kept) s = kept[0];",
    "c = malloc(2); c[0] = 1; free(a[0]->name); a[0]->name = c;",
    "c = malloc(2); c[0] = 1; a[0]->note = c;",
    "d = malloc(2); d[0] = 1; a[0]->note = d; d = NULL;",
    "a[0]->note = a[0]->name;",
    "a[0]->note = a[1]->name;",
    "a[1]->name = a[0]->name;",
    "c = a[0]->name; a[0]->name = a[1]->name; a[1]->name = c;",
    "free(a[0]->name); a[0]->name = NULL;",
    "free(a[0]->name);",
    "free(a[0]->note); a[0]->note = malloc(2);",
    "c = a[0]->name; a[0]->name = NULL; free(c); c = NULL;",
    "t = a[0]; a[0] = a[1]; a[1] = t;",
    "old = a[0];",
    "if (old) { c = old->name; s = c[0]; }",
    "free(a[0]->name); free(a[0]->note); free(a[0]); a[0] = a[n - 1]; n--;",
    "free(a[0]); a[0] = a[n - 1]; n--;",
    "*a[0] = *a[1];",
    "if (a[0]->note) { s = a[0]->note[0]; }",
    "a[0]->name[a[1]->v] = 0;",
    "a[0]->name[2 * a[0]->v] = 0;",
)
LASTS = (
    "free(a[i]->name); free(a[i]->note); free(a[i]);",
    "t = a[i]; c = t->name; d = t->note; free(t); free(c); free(d);",
)
RANDOM_PROGRAMS = 100
FREED = "free(a[i]->name); free(a[i]->note); free(a[i]);"
FAILING = {
    "two blocks share a part": "if (n > 1) { c = malloc(2); a[0]->note = c; a[1]->note = c; }",
    "two members share a part": "if (n > 0) a[0]->note = a[0]->name;",
    "a part of another block": "if (n > 1) a[0]->note = a[1]->name;",
    "a part that was replaced is used": "if (n > 0) { d = a[0]->name; a[0]->name = NULL; free(d); s = d[0]; }",
    "a part is lost": "if (n > 0) a[0]->name = NULL;",
    "a struct is copied": "if (n > 1) *a[0] = *a[1];",
    "a variable frees a part": "if (n > 0) { d = malloc(2); a[0]->note = d; free(d); }",
}


def _program(body: str, name: str = NAMES[0], last: str = FREED) -> str:
    return FRAME.replace("NAME", name).replace("BODY", body).replace("LAST", last)


def test_parts_are_followed_with_their_block(tmp_path: Path) -> None:
    program, followed = _followed(_program("if (n > 0) s = a[0]->name[0];"), tmp_path)
    assert followed is not None
    assert not _fails(program)
    assert not _fails(followed)


@in_exam
@pytest.mark.parametrize("name", FAILING)
def test_a_program_that_fails_does_so_with_one_block(name: str, tmp_path: Path) -> None:
    program, followed = _followed(_program(FAILING[name]), tmp_path)
    assert followed is not None
    assert _fails(program)
    assert not _is_wrong(program, followed)


@in_exam
def test_random_programs_that_fail_do_so_with_one_block(tmp_path: Path) -> None:
    chooser = random.Random(250)
    wrong, compared = [], 0
    for _ in range(RANDOM_PROGRAMS):
        body = "\n  ".join(
            chooser.choice(("if (n > 1) { %s }", "while (n > 1 && __VERIFIER_nondet_int()) { %s }")) % statement
            for statement in chooser.sample(STATEMENTS, chooser.choice((1, 2, 2, 3)))
        )
        program, followed = _followed(_program(body, chooser.choice(NAMES), chooser.choice(LASTS)), tmp_path)
        if followed is not None:
            compared += 1
            wrong += [body] if _is_wrong(program, followed) else []
    assert not wrong
    assert compared > RANDOM_PROGRAMS // 2
