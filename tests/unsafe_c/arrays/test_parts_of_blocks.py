"""Arrays of blocks that own texts and numbers: the attempt `owned`, alone, proves the programs as they are only.

Each change makes a part be lost, shared, used or freed again, or an access be outside: compiled runs show it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slices import in_exam

from kleene.analysis.c.shape.analyse import analyse_by_attempt
from kleene.analysis.c.shape.attempts import ATTEMPTS
from kleene.c.reader import read_program
from kleene.passes.preparation import Prepared

OWNED = next(attempt for attempt in ATTEMPTS if attempt.name == "owned")
SECONDS = 60.0
PROGRAM = """
#include <stdlib.h>
extern int nondet(void);
struct row { int *cells; int *spare; int sum; };
static struct row *row_new(void) {
    struct row *r = malloc(sizeof *r);
    if (!r) return NULL;
    r->spare = NULL;
    r->cells = malloc(4 * sizeof *r->cells);
    if (!r->cells) { free(r); return NULL; }
    r->cells[0] = 1;
    return r;
}
static void row_free(struct row *r) { free(r->cells); free(r->spare); free(r); }
int main(void) {
    struct row **rows = malloc(12 * sizeof *rows);
    int *last = NULL;
    size_t n = 0, i;
    if (!rows) return 1;
    while (nondet()) {
        if (nondet()) {
            if (n == 12) break;
            struct row *r = row_new();
            if (!r) break;
            rows[n++] = r;
        } else if (n > 0) {
            n--;
            row_free(rows[n]);
        }
    }
    for (i = 0; i < n; i++) { rows[i]->sum = rows[i]->cells[0]; }
    for (i = 0; i < n; i++) row_free(rows[i]);
    free(rows);
    return 0;
}
"""
SUM = "rows[i]->sum = rows[i]->cells[0];"
WRONG = {
    "a part is lost": ("free(r->cells); free(r->spare);", "free(r->spare);"),
    "a part is lost with its block": (
        "if (!r->cells) { free(r); return NULL; }",
        "if (nondet()) { free(r); return NULL; }",
    ),
    "a part is freed twice": ("free(r->spare); free(r); }", "free(r->cells); free(r); }"),
    "a part is used after its end": (SUM, "free(rows[i]->cells); " + SUM),
    "two blocks share a part": (SUM, "if (i) rows[i]->spare = rows[i - 1]->cells;"),
    "two blocks share a new part": (SUM, "if (!last) last = malloc(4); rows[i]->spare = last;"),
    "two members share a part": (SUM, "rows[i]->spare = rows[i]->cells;"),
    "a part is replaced": (SUM, "rows[i]->cells = malloc(16);"),
    "a part is used behind its end": (SUM, "rows[i]->cells[4] = 0;"),
    "a part is NULL": (SUM, "rows[i]->sum = rows[i]->spare[0];"),
    "a part without a value": ("    r->spare = NULL;\n", ""),
    "a variable has a part": (SUM, "if (last) last[0] = 1; last = rows[i]->cells; free(last); rows[i]->cells = NULL;"),
    "a struct is copied": (SUM, "if (i) *rows[i] = *rows[i - 1];"),
    "a part that is freed by a variable": (SUM, "last = malloc(4); rows[i]->spare = last; free(last);"),
}


def _is_proved(text: str, folder: Path) -> bool:
    path = folder / "rows.c"
    path.write_text(text)
    result = analyse_by_attempt(Prepared(read_program([str(path)])), OWNED, malloc_may_fail=True, seconds=SECONDS)
    return result is not None and result.complete and not result.alarms


@in_exam
@pytest.mark.parametrize("body", [SUM, "if (!rows[i]->spare) { last = malloc(4); rows[i]->spare = last; }"])
def test_blocks_with_parts_are_proved(body: str, tmp_path: Path) -> None:
    assert _is_proved(PROGRAM.replace(SUM, body), tmp_path)


@in_exam
@pytest.mark.parametrize("name", WRONG)
def test_no_change_is_proved(name: str, tmp_path: Path) -> None:
    assert WRONG[name][0] in PROGRAM
    assert not _is_proved(PROGRAM.replace(*WRONG[name]), tmp_path)


SHARED = """
#include <stdlib.h>
extern int nondet(void);
struct row { int *cells; };
struct holder { int *last; };
static int *last;
int main(void) {
    struct row **rows = malloc(12 * sizeof *rows);
    size_t n = 0, i;
    if (!rows) return 1;
    struct holder *h = malloc(sizeof *h);
    if (!h) { free(rows); return 1; }
    h->last = NULL;
    while (nondet()) {
        if (n == 12) break;
        struct row *r = malloc(sizeof *r);
        if (!r) break;
        r->cells = NULL;
        if (!HELD) { int *s = malloc(4); HELD = s; r->cells = s; }
        rows[n++] = r;
    }
    for (i = 0; i < n; i++) free(rows[i]);
    free(rows);
    last = NULL;
    free(h);
    return 0;
}
"""


@pytest.mark.parametrize("held", ["last", "h->last"])
def test_a_part_that_something_else_loses(held: str, tmp_path: Path) -> None:
    """The run with the block ended where the block was freed, before the other pointer to its part was lost."""
    assert not _is_proved(SHARED.replace("HELD", held), tmp_path)
