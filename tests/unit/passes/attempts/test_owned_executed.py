"""Programs in which one block is followed, run for all choices: each fails if the program does.

The shape analysis has alarms of its own, which hide mistakes of the rewriting. Exact exploration has none: it follows
all runs of the result, for every choice of the block.
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
HEADER = """\
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
struct job { int v; int w[2]; };
static struct job spare, *kept;
"""
FRAME = (
    HEADER
    + """\
int main(void) {
  int n = 0, s = 0, i = 0;
  struct job **a = MAKE, **p = NULL, *old = NULL, *t = NULL;
  int *in = NULL;
  while (n < 3 && __VERIFIER_nondet_int()) {
    struct job *x = malloc(sizeof *x);
    x->v = 1; x->w[0] = x->w[1] = 0; a[n] = x; n++;
  }
  BODY
  END
  return s & 1;
}
"""
)
MAKES = ("malloc(8 * sizeof *a)", "calloc(8, sizeof *a)", "malloc((s + 8) * sizeof *a)")
SHORTER = "p = realloc(a, n * sizeof *a); if (!p) exit(1); a = p;"
STATEMENTS = (
    "old = a[0];",
    "kept = a[0];",
    "in = &a[0]->w[1];",
    "free(a[0]);",
    "free(a[0]); a[0] = a[n - 1]; n--;",
    "free(a[0]); for (i = 0; i + 1 < n; i++) a[i] = a[i + 1]; n--;",
    "for (i = 0; i + 1 < n; i++) a[i] = a[i + 1];",
    "t = a[0]; a[0] = a[1]; a[1] = t;",
    "t = a[n - 1]; for (i = n - 1; i > 0; i--) a[i] = a[i - 1]; a[0] = t;",
    "a[0] = a[1];",
    "a[1] = NULL;",
    "a[n] = NULL;",
    "a[n] = &spare; s += a[n]->v;",
    "n--; t = a[n]; free(t);",
    "n--; t = a[n]; old = t; free(t);",
    "n--; old = a[n]; free(a[n]); a[n] = NULL;",
    "n--; t = a[n]; in = t->w; free(t);",
    "t = malloc(sizeof *t); t->v = 3; old = a[0]; a[0] = t; free(old);",
    "t = malloc(sizeof *t); t->v = 3; if (t == old) free(t); else { a[n] = t; n++; }",
    "if (old) s += old->v + a[0]->v;",
    "if (old) old->w[a[0]->v] = 1;",
    "if (old) s = old->w[a[1]->v];",
    "if (old) *old = *a[0];",
    "if (old && old == a[0]) { free(old); n--; a[0] = a[n]; }",
    "if (in) s = *in + a[0]->v;",
    "if (in) *in = a[0]->v;",
    "if (kept) kept->v = 0;",
    "if (a[n]) free(a[n]);",
    "s = a[0]->v; free(a[s]); a[s] = a[n - 1]; n--;",
    "if (a[0]->v < a[1]->v) { t = a[0]; a[0] = a[1]; a[1] = t; }",
    "memset(a[0], 0, a[1]->v);",
    "p = a; p++; t = *p; *p = a[0]; a[0] = t;",
    "free(a[0]); memmove(a, a + 1, (n - 1) * sizeof *a); n--;",
    "memmove(a, a + 1, (n - 1) * sizeof *a);",
    "t = a[n - 1]; memmove(a + 1, a, (size_t)(n - 1) * sizeof *a); a[0] = t;",
    "i = n - 1; free(a[i]); memmove(&a[i], &a[i + 1], (n - i - 1) * sizeof *a); n--;",
    SHORTER,
    "p = realloc(a, (n - 1) * sizeof *a); if (!p) exit(1); a = p;",
    f"n--; {SHORTER}",
    f"n--; free(a[n]); {SHORTER}",
    "t = a[n - 1]; p = realloc(a, --n * sizeof *a); if (!p) exit(1); a = p; free(t);",
    "old = a[n - 1]; p = realloc(a, --n * sizeof *a); if (!p) exit(1); a = p;",
    "p = realloc(a, 2 * sizeof *p); if (p) a = p; if (n > 2) n = 2;",
    "p = realloc(a, (n + 1) * sizeof *a); if (!p) exit(1); a = p; a[n] = NULL; if (a[1]) s = a[1]->v;",
)
ENDS = (
    "for (i = 0; i < n; i++) free(a[i]); free(a);",
    "while (n > 0) { n--; free(a[n]); } free(a + s);",
    "for (p = a; p < a + n; p++) free(*p); free(a);",
)
RANDOM_PROGRAMS = 100


def _followed(text: str, folder: Path) -> tuple[CProgram, CProgram | None]:
    path = folder / "program.c"
    path.write_text(text)
    program = read_program([str(path)])
    followed = owned_program(program)
    return program, followed and followed[0]


def _explored(program: CProgram) -> Exploration:
    return explore(program, malloc_may_fail=False, seconds=MOST_SECONDS, stop_at_first=True)


def _is_wrong(program: CProgram, followed: CProgram) -> bool:
    """Whether a run of the program fails, and none of the result."""
    return _fails(program) and _explored(followed).proved


def _fails(program: CProgram) -> bool:
    explored = _explored(program)
    return bool(explored.findings or explored.possible)


def _framed(body: str, end: str = ENDS[0], make: str = MAKES[0]) -> str:
    return FRAME.replace("MAKE", make).replace("BODY", body).replace("END", end)


_PLAIN = (
    HEADER
    + """\
int main(void) {
    int n = 0, s = 0;
    struct job **a = malloc(8 * sizeof *a), *old = NULL;
    if (!a) return 1;
    while (n < 8 && __VERIFIER_nondet_int()) {
        struct job *x = malloc(sizeof *x);
        if (!x) break;
        x->v = 1;
        BEGUN
        a[n] = x;
        n++;
    }
    for (int i = 0; i < n; i++) { ENDED old = a[i]; free(a[i]); }
    free(a);
    return s;
}
"""
)


def _plain(begun: str = "", ended: str = "") -> str:
    return _PLAIN.replace("BEGUN", begun).replace("ENDED", ended)


FAILING = {
    "an element of what was freed, by a number of another block": _plain(ended="if (old) s = old->w[a[i]->v];"),
    "an element of what was freed is set": _plain(ended="if (old) old->w[a[i]->v] = 1;"),
    "a number of another block is too large": _plain("x->v = 50; if (n > 0) x->w[a[0]->v] = 1;"),
    "the array is not freed by its start": _framed("s = 1;", ENDS[1]),
    "a location that is reached before what elements have is known": HEADER
    + """\
int main(void) {
    int n = 0, s = 0;
    struct job **a = calloc(8, sizeof *a), *old, *t;
    if (!a) return 1;
    while (n < 9 && __VERIFIER_nondet_int()) {
        struct job *x = malloc(sizeof *x);
        if (!x) break;
        a[n] = x;
        n++;
        if (n > 1) { t = a[0]; a[0] = a[n - 1]; a[n - 1] = t; }
    }
    if (n > 0) old = a[n - 1];
    while (n > 0) { t = a[--n]; free(t); }
    free(a);
    return s;
}
""",
    "the last block when the array gets shorter": _framed(f"if (n > 1) {{ n--; {SHORTER} }}", make=MAKES[2]),
    "an element behind the new length": _framed(f"if (n > 1) {{ {SHORTER} n++; }}", make=MAKES[2]),
    "a block that is freed twice, by what was behind the length": _framed(
        f"if (n > 1) {{ n--; t = a[n]; {SHORTER} free(t); if (s == 0) free(t); }}", make=MAKES[2]
    ),
    "elements behind the old length": HEADER
    + """\
int main(void) {
    int n = 0, cap = 8;
    int **a = calloc(cap, sizeof *a);
    while (__VERIFIER_nondet_int()) {
        if (n == cap) {
            a = realloc(a, 2 * cap * sizeof *a);
            cap = 2 * cap;
            break;
        }
        int *x = malloc(sizeof *x);
        a[n] = x;
        n++;
    }
    for (int i = 0; i < cap; i++) {
        if (a[i]) free(a[i]);
    }
    free(a);
    return 0;
}
""",
}


@pytest.mark.parametrize("name", FAILING)
def test_a_program_that_fails_does_so_with_one_block(name: str, tmp_path: Path) -> None:
    program, followed = _followed(FAILING[name], tmp_path)
    assert followed is not None
    assert _fails(program)
    assert not _is_wrong(program, followed)


@pytest.mark.parametrize(
    "body",
    [
        f"if (n > 1) {{ n--; free(a[n]); {SHORTER} }}",
        f"if (n > 1) {{ t = a[--n]; {SHORTER} free(t); }}",
    ],
)
def test_arrays_that_get_shorter_are_followed(body: str, tmp_path: Path) -> None:
    program, followed = _followed(_framed(body, make=MAKES[2]), tmp_path)
    assert followed is not None
    assert not _fails(program)
    assert not _fails(followed)


def test_pointers_to_elements_are_left_open(tmp_path: Path) -> None:
    """In the result they point to the array: a run in which one points to another element refuted the proof."""
    path = tmp_path / "program.c"
    path.write_text(_framed("p = a; p++; t = *p; *p = a[0]; a[0] = t;", make=MAKES[2]))
    followed = owned_program(read_program([str(path)]))
    assert followed is not None
    open_names = {variable.name for variable in followed[1]}
    assert {"p", "t"} <= open_names
    assert "a" not in open_names


@in_exam
def test_random_programs_that_fail_do_so_with_one_block(tmp_path: Path) -> None:
    chooser = random.Random(183)
    wrong, compared = [], 0
    for _ in range(RANDOM_PROGRAMS):
        body = "\n  ".join(
            chooser.choice(("if (n > 1) { %s }", "while (n > 1 && __VERIFIER_nondet_int()) { %s }")) % statement
            for statement in chooser.sample(STATEMENTS, chooser.choice((1, 2, 2, 3)))
        )
        text = _framed(body, chooser.choice(ENDS), chooser.choice(MAKES))
        program, followed = _followed(text, tmp_path)
        if followed is not None:
            compared += 1
            wrong += [text] if _is_wrong(program, followed) else []
    assert not wrong
    assert compared > RANDOM_PROGRAMS // 2
