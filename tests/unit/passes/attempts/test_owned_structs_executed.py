"""Arrays of structs in which one block is followed, run for all choices: each fails if the program does.

As in `test_owned_executed.py`, exact exploration follows all runs of the rewritten program, for every choice of the
block: so a mistake of the rewriting is not hidden by alarms of the shape analysis.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.slices import in_exam
from tests.unit.passes.attempts.test_owned_executed import _explored, _fails, _followed, _is_wrong

FRAME = """\
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
struct job { int v; int w[2]; };
struct place { int row, column; };
struct entry { int rank; struct job *name; struct place at; struct job *value; };
static struct entry spare;
static struct job shared;
int main(void) {
  int n = 0, s = 0, i = 0;
  struct entry *a = MAKE, *p = NULL, *q = NULL, t;
  struct job *old = NULL, *in = NULL;
  while (n < 3 && __VERIFIER_nondet_int()) {
    struct job *x = malloc(sizeof *x);
    x->v = 1; x->w[0] = x->w[1] = 0;
    a[n].rank = n; a[n].at.row = 0; a[n].name = x; a[n].value = NULL;
    if (__VERIFIER_nondet_int()) { x = malloc(sizeof *x); x->v = 2; a[n].value = x; }
    n++;
  }
  BODY
  END
  return s & 1;
}
"""
MAKES = ("malloc((s + 8) * sizeof *a)", "calloc(s + 8, sizeof *a)")
SHORTER = "p = realloc(a, n * sizeof *a); if (!p) exit(1); a = p;"
STATEMENTS = (
    "t = a[0]; a[0] = a[1]; a[1] = t;",
    "p = &a[0]; q = a + 1; t = *p; *p = *q; *q = t;",
    "t = a[n - 1]; for (i = n - 1; i > 0; i--) a[i] = a[i - 1]; a[0] = t;",
    "a[0] = a[1];",
    "a[0].name = a[1].name;",
    "a[0].name = a[0].value;",
    "old = a[0].name; a[0].name = a[0].value; a[0].value = old;",
    "in = a[0].name; a[0].name = a[1].name; a[1].name = in;",
    "free(a[0].name); free(a[0].value); a[0] = a[n - 1]; n--;",
    "free(a[0].name); free(a[0].value); for (i = 0; i + 1 < n; i++) a[i] = a[i + 1]; n--;",
    "free(a[0].name); a[0] = a[n - 1]; n--;",
    "free(a[0].value); a[0].value = NULL;",
    "free(a[0].value);",
    "n--; free(a[n].name); free(a[n].value);",
    "n--; old = a[n].name; free(a[n].name); free(a[n].value);",
    "n--; memset(&a[n], 0, sizeof *a);",
    "free(a[0].name); free(a[0].value); memset(a, 0, sizeof *a);",
    "a[n].name = NULL; a[n].value = NULL; n++;",
    "memset(&a[n], 0, sizeof a[n]); n++;",
    "a[n] = a[0]; a[n].value = NULL;",
    "a[n].rank = 1; n++;",
    "a[a[0].rank].rank = 7;",
    "if (a[0].rank > a[1].rank) s = 1;",
    "s = a[0].at.column + a[0].name->v;",
    "s = a[0].rank; t = a[s]; a[s] = a[n - 1]; a[n - 1] = t;",
    "if (a[0].value) s = a[0].value->v;",
    "s = a[0].value->v;",
    "if (old) s = old->v;",
    "if (in) { in->v = a[0].rank; }",
    "spare = a[0]; a[0].name = NULL; a[0].value = NULL;",
    "free(spare.name); free(spare.value); spare.name = spare.value = NULL;",
    "free(a[0].value); a[0].value = &shared; s = a[0].value->v; a[0].value = NULL;",
    "p = realloc(a, (n + 9) * sizeof *a); if (!p) exit(1); a = p;",
    f"n--; free(a[n].name); free(a[n].value); {SHORTER}",
    f"n--; {SHORTER}",
)
FREED = "free(a[i].name); free(a[i].value);"
ENDS = (
    f"for (i = 0; i < n; i++) {{ {FREED} }} free(a);",
    "while (n > 0) { n--; free(a[n].name); free(a[n].value); } free(a);",
    "for (p = a; p < a + n; p++) { free(p->name); free(p->value); } free(a);",
    "for (i = 0; i < n; i++) { free(a[i].name); if (a[i].value) free(a[i].value); } free(a);",
)
RANDOM_PROGRAMS = 100


def _framed(body: str, end: str = ENDS[0], make: str = MAKES[0]) -> str:
    return FRAME.replace("MAKE", make).replace("BODY", body).replace("END", end)


RIGHT = {
    "two structs are exchanged": "if (n > 1) { t = a[0]; a[0] = a[1]; a[1] = t; }",
    "the last one takes the place of the first": f"if (n > 1) {{ {STATEMENTS[8]} }}",
    "two members are exchanged": f"if (n > 0) {{ {STATEMENTS[6]} }}",
    "an element is cleared": f"if (n > 1) {{ {STATEMENTS[16]} }}",
}
WRONG = {
    "two elements have one name": "if (n > 1) { a[0].name = a[1].name; }",
    "two members have one block": "if (n > 0) { a[0].name = a[0].value; }",
    "an element is overwritten": "if (n > 1) a[0] = a[1];",
    "an element without a value counts": "n++;",
    "a value is lost": "if (n > 1) { free(a[0].name); a[0] = a[n - 1]; n--; }",
    "a value may be NULL": "if (n > 0) s = a[0].value->v;",
    "a number of an element behind the array": "a[n + 6].rank = 1;",
    "a number of an element is an index": "if (n > 1) { a[1].rank = 9; a[a[1].rank].rank = 0; }",
    "a cleared element": "if (n > 0) memset(&a[n - 1], 0, sizeof *a);",
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_program_has_no_error_with_one_block(name: str, tmp_path: Path) -> None:
    program, followed = _followed(_framed(RIGHT[name]), tmp_path)
    assert followed is not None
    assert not _fails(program)
    assert not _fails(followed)


@pytest.mark.parametrize("name", WRONG)
def test_a_program_that_fails_does_so_with_one_block(name: str, tmp_path: Path) -> None:
    program, followed = _followed(_framed(WRONG[name]), tmp_path)
    assert followed is not None
    assert _fails(program)
    assert not _explored(followed).proved


MIXED = """
#include <stdlib.h>
int main(int argc, char **argv) {
  int x = 0, n = argc;
  int **a = malloc(n * sizeof *a), **b, **c, **d, **e;
  void *p = a;
  if (!a) return 1;
  if (argc > 2) p = &x;
  b = a; c = b; d = c; e = d;
  e[0] = malloc(4);
  free(d[0]);
  free(a);
  return p == &x;
}
"""


def test_an_array_that_is_not_told_from_another_object_is_not_followed(tmp_path: Path) -> None:
    """Its kind was in no group of kinds then, and the group without a kind had no shape."""
    _, followed = _followed(MIXED, tmp_path)
    assert followed is None


@in_exam
def test_random_programs_that_fail_do_so_with_one_block(tmp_path: Path) -> None:
    chooser = random.Random(800)
    wrong, compared = [], 0
    for _ in range(RANDOM_PROGRAMS):
        body = "\n  ".join(
            chooser.choice(("if (n > 1) { %s }", "while (n > 1 && __VERIFIER_nondet_int()) { %s }")) % statement
            for statement in chooser.sample(STATEMENTS, chooser.choice((1, 2, 2, 3)))
        )
        program, followed = _followed(_framed(body, chooser.choice(ENDS), chooser.choice(MAKES)), tmp_path)
        if followed is not None:
            compared += 1
            wrong += [body] if _is_wrong(program, followed) else []
    assert not wrong
    assert compared > RANDOM_PROGRAMS // 2
