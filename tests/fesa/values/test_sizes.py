"""Numbers of blocks beside the Boolean function: counters and lengths, by the row `sizes` alone.

The wrong programs differ from right ones in a step. No other analysis runs that would hide a mistake.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fuzz_c.attempts import concluded
from tests.slices import in_exam

from kleene.analysis.c.fesa import FESA_ATTEMPTS, analyse_by_attempt
from kleene.c.reader import read_program
from kleene.passes.preparation import Prepared

(ROW,) = (row for row in FESA_ATTEMPTS if row.sizes)
SECONDS = 30.0

HEADER = """
#include <stdlib.h>
#include <assert.h>
extern int nondet(void);
struct N { struct N *next; int v; };
static struct N *cell(struct N *next) {
    struct N *e = malloc(sizeof *e);
    if (!e) abort();
    e->next = next; e->v = 0;
    return e;
}
"""
BUILD = "struct N *h = NULL, *q; int n = 0; while (nondet()) { h = cell(h); n++; } "
FREE = "while (h) { q = h->next; free(h); h = q; n--; } "
RIGHT = {
    "freed": BUILD + FREE + "assert(n == 0);",
    "walked": BUILD + "int m = 0; for (q = h; q; q = q->next) m++; assert(m == n);" + FREE,
    "walked twice": BUILD
    + "int m = 0; for (q = h; q; q = q->next) m += 2; for (q = h; q; q = q->next) m--; assert(m == n);"
    + FREE,
    "unsigned long": "struct N *h = NULL, *q; unsigned long n = 5; while (nondet()) { h = cell(h); n += 3; }"
    + "while (h) { q = h->next; free(h); h = q; n -= 3; } assert(n == 5);",
    "two lists": "struct N *a = NULL, *b = NULL, *q; int n = 0, na = 0;"
    + "while (nondet()) { if (nondet()) { a = cell(a); na++; } else b = cell(b); n++; }"
    + "while (b) { q = b->next; free(b); b = q; n--; } assert(n == na);"
    + "while (a) { q = a->next; free(a); a = q; n--; } assert(n == 0);",
    "copied": BUILD
    + "struct N *c = NULL; int m = 0; for (q = h; q; q = q->next) c = cell(c); for (q = c; q; q = q->next) m++;"
    + "assert(m == n);"
    + FREE
    + "while (c) { q = c->next; free(c); c = q; }",
    "moved": BUILD
    + "struct N *c = NULL; int m = 0; while (h) { q = h->next; h->next = c; c = h; h = q; m++; } assert(m == n);"
    + "while (c) { q = c->next; free(c); c = q; n--; } assert(n == 0);",
    "at the end": "struct N *h = NULL, *l = NULL, *q; int n = 0; while (nondet()) {"
    + "q = cell(NULL); if (l) l->next = q; else h = q; l = q; n++; }"
    + "int m = 0; for (q = h; q; q = q->next) m++; assert(m == n);"
    + FREE,
    "stack": "struct N *h = NULL, *q; int n = 0;"
    + "while (nondet()) { if (nondet()) { h = cell(h); n++; } else if (h) { q = h->next; free(h); h = q; n--; } }"
    + FREE
    + "assert(n == 0);",
}
WRONG = {
    "three in a row": "struct N *h = cell(cell(cell(NULL))), *q; int n = 3; assert(n == 4); " + FREE,
    "counted twice": BUILD + "if (h) n++;" + FREE + "assert(n == 0);",
    "the first is not counted": BUILD
    + "int m = 0; for (q = h ? h->next : h; q; q = q->next) m++; assert(m == n);"
    + FREE,
    "some are not counted": "struct N *h = NULL, *q; int n = 0; while (nondet()) { h = cell(h); if (nondet()) n++; }"
    + FREE
    + "assert(n == 0);",
    "one is removed": BUILD
    + "if (h) { q = h->next; free(h); h = q; } int m = 0; for (q = h; q; q = q->next) m++; assert(m == n); n = 0;"
    + "while (h) { q = h->next; free(h); h = q; }",
    "one is inserted": BUILD
    + "if (h) h->next = cell(h->next); int m = 0; for (q = h; q; q = q->next) m++; assert(m == n);"
    + FREE,
    "not empty": BUILD + "assert(n == 0);" + FREE,
    "one too many": BUILD + "int m = 1; for (q = h; q; q = q->next) m++; assert(m == n);" + FREE,
    "the other list": "struct N *a = NULL, *b = NULL, *q; int n = 0, na = 0;"
    + "while (nondet()) { if (nondet()) { a = cell(a); na++; } else b = cell(b); n++; }"
    + "while (a) { q = a->next; free(a); a = q; n--; } assert(n == na);"
    + "while (b) { q = b->next; free(b); b = q; }",
    "the copy has one more": BUILD
    + "struct N *c = cell(NULL); int m = 0; for (q = h; q; q = q->next) c = cell(c); for (q = c; q; q = q->next) m++;"
    + "assert(m == n);"
    + FREE
    + "while (c) { q = c->next; free(c); c = q; }",
    "stops early": BUILD + "int m = 0; for (q = h; q && nondet(); q = q->next) m++; assert(m == n);" + FREE,
    "modulo 256": "struct N *h = NULL, *q; unsigned char n = 0; int k = 0; while (nondet()) { h = cell(h); n++; k++; }"
    + "assert(n == k); while (h) { q = h->next; free(h); h = q; }",
    "a cycle is entered": BUILD
    + "if (h) h->next = h; int m = 0; for (q = h; q && m < 3; q = q->next) m++; assert(m == n); exit(0);",
    "shared ends": "struct N *s = cell(NULL), *a = cell(s), *b = cell(s), *q; int n = 0, m = 3;"
    + "for (q = a; q; q = q->next) n++; for (q = b; q; q = q->next) n++; assert(n == m); free(a); free(b); free(s);",
    "kept after a failure": "struct N *h = NULL, *q; int n = 0; while (nondet()) { q = malloc(sizeof *q); n++;"
    + "if (q) { q->next = h; h = q; } }"
    + FREE
    + "assert(n == 0);",
    "freed elsewhere": BUILD
    + "struct N *c = NULL; while (h) { q = h->next; if (nondet()) { h->next = c; c = h; } else free(h); h = q; }"
    + "int m = 0; for (q = c; q; q = q->next) m++; assert(m == n); while (c) { q = c->next; free(c); c = q; }",
}
SOME_RIGHT = ("freed", "walked", "moved")


def proved_by_it(folder: Path, body: str) -> frozenset[str]:
    path = folder / "program.c"
    path.write_text(HEADER + f"int main(void) {{ {body} return 0; }}\n")
    failing = "after a failure" in body or "q = malloc" in body
    result = analyse_by_attempt(Prepared(read_program([str(path)])), ROW, malloc_may_fail=failing, seconds=SECONDS)
    return concluded(result)


@pytest.mark.parametrize("name", SOME_RIGHT)
def test_counters_beside_lists(tmp_path: Path, name: str) -> None:
    assert {"assert", "memsafety"} <= proved_by_it(tmp_path, RIGHT[name])


@in_exam
@pytest.mark.parametrize("name", sorted(RIGHT.keys() - {*SOME_RIGHT}))
def test_more_counters_beside_lists(tmp_path: Path, name: str) -> None:
    assert {"assert", "memsafety"} <= proved_by_it(tmp_path, RIGHT[name])


@pytest.mark.parametrize("name", WRONG)
def test_wrong_counters_are_not_proved(tmp_path: Path, name: str) -> None:
    assert "assert" not in proved_by_it(tmp_path, WRONG[name])
