"""Programs whose error is in an expression that the analysis needs for nothing else: none is proved.

The number of bytes of a block, an index into a text or an array, and the value that is stored there are replaced by
what is known about them (`passes/indices`, `passes/elements`). What they read from memory must still be read: the
error was in the part that was left out, so no domain saw it. Exploration would hide a wrong proof, so it is not asked.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kleene.analysis.c.fesa import analyse_fesa
from kleene.analysis.c.shape.analyse import analyse_by_attempt
from kleene.analysis.c.shape.attempts import ATTEMPTS
from kleene.c.reader import read_program
from kleene.core.verdict import kinds_of
from kleene.passes.preparation import Prepared
from kleene.results.fesa import FesaResult
from kleene.results.shape import ShapeResult

SECONDS = 20.0
KINDS = kinds_of(["memsafety"])
HEAD = """#include <stdlib.h>
#include <string.h>
int __VERIFIER_nondet_int(void);
#define ANY __VERIFIER_nondet_int()
struct a { struct a *n; int d; char *p; };
struct c { int k; struct c *kid[16]; };
struct wide { long n; int k; };
"""
GONE = "struct a *a = calloc(1, sizeof *a); free(a); "
TEXT = "int n = 16 + (ANY & 15); char *p = calloc(n, 1); "
NUMBERS = "int n = 16 + (ANY & 15); int *p = calloc(n, sizeof *p); "
POINTERS = "int n = 16 + (ANY & 15); int **p = calloc(n, sizeof *p); "
SHORT = "struct wide *p = malloc(12); p->n = 1; p->k = 2; "
PROGRAMS = {
    "size": GONE + "free(malloc(a->d & 15));",
    "size_of_numbers": GONE + "int *q = malloc(((a->d & 7) + 1) * sizeof *q); q[0] = 1; free(q);",
    "size_of_pointers": GONE + "int **q = malloc(((a->d & 7) + 1) * sizeof *q); q[0] = 0; free(q);",
    "size_of_a_longer_block": GONE + "int *q = malloc(4); int *r = realloc(q, 4 + (a->d & 7)); free(r);",
    "index_of_a_text": GONE + TEXT + "p[a->d & 7] = 1; free(p);",
    "index_of_a_text_that_is_read": GONE + TEXT + "if (p[a->d & 7]) n = 1; free(p);",
    "value_in_a_text": GONE + TEXT + "p[ANY & 7] = a->d; free(p);",
    "address_in_a_text": GONE + TEXT + "char *q = p + (a->d & 7); if (q) n = 1; free(p);",
    "bytes_of_a_text": GONE + TEXT + "memset(p, 0, a->d & 7); free(p);",
    "end_of_a_text": GONE + TEXT + "if (p < a->p) n = 1; free(p);",
    "length_of_a_text": GONE + TEXT + "if (a->p - p > 3) n = 1; free(p);",
    "index_of_numbers": GONE + NUMBERS + "p[a->d & 7] = 1; free(p);",
    "index_of_pointers": GONE + POINTERS + "p[a->d & 7] = 0; free(p);",
    "index_that_is_always_the_same": GONE + "int t[4]; t[(a->d & 0) + 1] = 1;",
    "limit_of_a_loop": GONE + POINTERS + "for (int i = 0; i < n && i < a->d; i++) p[i] = 0; free(p);",
    "index_of_a_member": GONE + "struct c *c = calloc(1, sizeof *c); c->kid[a->d & 15] = 0; free(c);",
    "index_in_an_index": """int t[4] = {0}, i = ANY; char *p = calloc(16, 1);
        if (i >= 0 && i <= 4) p[t[i]] = 1; free(p);""",
    "padding_that_is_copied": SHORT + "struct wide w = *p; free(p); return w.k;",
    "padding_that_is_written": SHORT + "struct wide w = {3, 4}; *p = w; free(p);",
    "size_without_a_value": """size_t s; int n = (ANY & 7) + 1; if (ANY) s = n * sizeof(int *);
        void *v = malloc(s); int **p = v; if (!p) return 0; for (int i = 0; i < n; i++) p[i] = 0; free(p);""",
    "pointer_that_held_an_address": GONE
    + "int *s = calloc(1, 4); void **q = (void **)&s; free(*q); *q = 0; q = (void **)a->n;",
    "pointer_that_held_an_address_of_a_member": GONE
    + """struct a *b = calloc(1, sizeof *b); b->p = calloc(1, 1); void **q = (void **)&b->p; free(*q); *q = 0; free(b);
        q = (void **)a->n;""",
    "padding_before_a_flexible_array": """struct f { long n; int k; char d[]; }; int n = ANY & 15;
        struct f *p = malloc(sizeof(long) + sizeof(int) + n); struct f c = *p; free(p); return c.n;""",
}


def analyse_shapes(prepared: Prepared, *, malloc_may_fail: bool, seconds: float) -> ShapeResult:
    """The first attempt of the shape analysis: the others see the same reads."""
    result = analyse_by_attempt(prepared, ATTEMPTS[0], malloc_may_fail=malloc_may_fail, seconds=seconds)
    assert result is not None
    return result


def _alone(program: str, folder: Path, analysis: Callable[..., ShapeResult | FesaResult]) -> ShapeResult | FesaResult:
    path = folder / "test.c"
    path.write_text(f"{HEAD}int main(void) {{ {program} return 0; }}\n")
    return analysis(Prepared(read_program([str(path)])), malloc_may_fail=False, seconds=SECONDS)


@pytest.mark.parametrize("analysis", [analyse_shapes, analyse_fesa])
@pytest.mark.parametrize("name", PROGRAMS)
def test_no_proof(name: str, analysis: Callable[..., ShapeResult | FesaResult], tmp_path: Path) -> None:
    result = _alone(PROGRAMS[name], tmp_path, analysis)
    assert not result.complete or {alarm.kind for alarm in result.alarms} & KINDS


@pytest.mark.parametrize("name", ["size", "index_of_a_text", "value_in_a_text", "index_of_pointers"])
def test_a_proof_where_the_block_is_there(name: str, tmp_path: Path) -> None:
    """Else the programs above would be refused for another reason."""
    safe = PROGRAMS[name].replace("free(a); ", "", 1) + " free(a);"
    result = _alone(safe, tmp_path, analyse_shapes)
    assert result.complete
    assert not result.alarms
