"""Programs with several arrays of owned pointers at a time, in which one block is followed, run for all choices of it.

As `test_owned_executed`: where the program fails, the result fails. Elements go from one array to another, arrays are
exchanged, freed in any order, and made again.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.slices import in_exam

from kleene.c.reader import read_program
from kleene.cfa.program import CProgram
from kleene.domains.explicit.explore import Exploration, explore
from kleene.passes.prepare import owned_program

MOST_SECONDS = 20.0
FRAME = """\
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct job { int v; int w[2]; };
int main(void) {
  int n = 0, m = 0, s = 2, i = 0;
  struct job **a = MAKE, **b = MAKE, **c = NULL, **p = NULL, *old = NULL, *t = NULL;
  if (!a || !b) exit(1);
  while (n < 2 && __VERIFIER_nondet_int()) {
    struct job *x = malloc(sizeof *x);
    if (!x) exit(1);
    x->v = 1; a[n] = x; n++;
  }
  if (__VERIFIER_nondet_int()) {
    struct job *x = malloc(sizeof *x);
    if (!x) exit(1);
    x->v = 1; b[m] = x; m++;
  }
  BODY
  END
  return s & 1;
}
"""
MAKES = ("malloc((s + 2) * sizeof *a)", "calloc(s + 2, sizeof *a)")
STATEMENTS = (
    "b[m] = a[--n]; m++;",
    "b[m] = a[n - 1]; m++;",
    "b[m] = a[n - 1]; m++; n--; a[n] = NULL;",
    "a[n] = b[m - 1]; m--; n++;",
    "for (i = 0; i < m; i++) a[n++] = b[i]; m = 0;",
    "for (i = 0; i < m; i++) a[n++] = b[i];",
    "for (i = 0; i < n; i++) b[m++] = a[i]; n = 0;",
    "p = a; a = b; b = p; i = n; n = m; m = i;",
    "p = a; a = b; b = p;",
    "a = b; n = m;",
    "t = a[0]; a[0] = b[0]; b[0] = t;",
    "old = b[0];",
    "if (old) s += old->v & 1;",
    "free(b[m - 1]); m--;",
    "free(b[0]);",
    "c = malloc((s + 2) * sizeof *c); if (!c) exit(1); for (i = 0; i < n; i++) c[i] = a[i]; free(a); a = c;",
    "c = malloc((s + 2) * sizeof *c); if (!c) exit(1); for (i = 1; i < n; i++) c[i] = a[i]; free(a); a = c;",
    "c = malloc((s + 2) * sizeof *c); if (!c) exit(1); for (i = 0; i < m; i++) c[i] = b[i]; "
    "free(b); b = a; a = c; i = n; n = m; m = i;",
    "c = calloc(s + 2, sizeof *c); if (!c) exit(1); for (i = 0; i < n; i++) c[n - 1 - i] = a[i]; "
    "free(a); a = c; c = NULL;",
    "c = malloc((s + 2) * sizeof *c); if (!c) exit(1); c[0] = a[0]; p = c; free(c); c = NULL;",
    "c = calloc(s + 2, sizeof *c); if (c && c[0]) free(c[0]); free(c);",
    "p = realloc(a, (s + 4) * sizeof *a); if (!p) exit(1); a = p;",
    "p = realloc(b, (s + 4) * sizeof *b); if (!p) exit(1); b = p; b[m] = NULL;",
    "p = realloc(c, (s + 2) * sizeof *c); if (!p) exit(1); c = p; c[0] = a[0]; a[0] = a[--n]; "
    "free(c[0]); free(c); c = NULL;",
    "p = realloc(b, s * sizeof *b); if (!p) exit(1); b = p;",
    "free(b); b = malloc((s + 2) * sizeof *b); if (!b) exit(1); m = 0;",
    "p = __VERIFIER_nondet_int() ? a : b; t = p[0]; p[0] = NULL; free(t);",
    "p = a + 1; *p = b[0];",
    "m--; n--;",
    "m = 0;",
)
ENDS = (
    "for (i = 0; i < n; i++) free(a[i]); for (i = 0; i < m; i++) free(b[i]); free(a); free(b);",
    "while (m > 0) free(b[--m]); free(b); while (n > 0) { n--; free(a[n]); } free(a);",
    "for (i = 0; i < m; i++) a[n++] = b[i]; free(b); for (i = 0; i < n; i++) free(a[i]); free(a);",
)
RANDOM_PROGRAMS = 120
FEW_RANDOM_PROGRAMS = 2


def _followed(text: str, folder: Path) -> tuple[CProgram, CProgram | None]:
    path = folder / "program.c"
    path.write_text(text)
    program = read_program([str(path)])
    followed = owned_program(program)
    return program, followed and followed[0]


def _explored(program: CProgram) -> Exploration:
    return explore(program, malloc_may_fail=False, seconds=MOST_SECONDS, stop_at_first=True)


def _fails(program: CProgram) -> bool:
    explored = _explored(program)
    return bool(explored.findings or explored.possible)


def _framed(body: str, end: str = ENDS[0], make: str = MAKES[0]) -> str:
    return FRAME.replace("MAKE", make).replace("BODY", body).replace("END", end)


@pytest.mark.parametrize(
    "body",
    [
        "while (n > 0 && m < 3) { n--; b[m] = a[n]; m++; }",
        "if (n > 0) { c = malloc((s + 2) * sizeof *c); if (!c) exit(1); "
        "for (i = 0; i < n; i++) c[i] = a[i]; free(a); a = c; }",
        "p = a; a = b; b = p; i = n; n = m; m = i;",
    ],
)
def test_elements_that_go_to_another_array_are_followed(body: str, tmp_path: Path) -> None:
    """Two arrays of one kind at a time were not supported."""
    program, followed = _followed(_framed(body), tmp_path)
    assert followed is not None
    assert not _fails(program)
    assert not _fails(followed)


def _compared(number: int, seed: int, folder: Path) -> tuple[list[str], int]:
    """The random programs that fail though their results do not, and how many have a result."""
    chooser = random.Random(seed)
    wrong, compared = [], 0
    for _ in range(number):
        body = "\n  ".join(
            chooser.choice(("if (n > 1 && m > 0) { %s }", "if (n > 0) { %s }", "if (m > 0) { %s }")) % statement
            for statement in chooser.sample(STATEMENTS, chooser.choice((1, 2, 3, 3)))
        )
        text = _framed(body, chooser.choice(ENDS), chooser.choice(MAKES))
        program, followed = _followed(text, folder)
        if followed is not None:
            compared += 1
            wrong += [text] if _fails(program) and _explored(followed).proved else []
    return wrong, compared


def test_some_random_programs_that_fail_do_so_with_one_block(tmp_path: Path) -> None:
    wrong, compared = _compared(FEW_RANDOM_PROGRAMS, 950, tmp_path)
    assert not wrong
    assert compared


@in_exam
def test_random_programs_that_fail_do_so_with_one_block(tmp_path: Path) -> None:
    wrong, compared = _compared(RANDOM_PROGRAMS, 951, tmp_path)
    assert not wrong
    assert compared > RANDOM_PROGRAMS // 2
