"""Walks that end at a member: variables of our own hold what the member points to.

What goes wrong in such programs is reported by the rows that have these variables, each alone.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slices import in_exam

from kleene.analysis.c.fesa import FESA_ATTEMPTS, FesaAttempt, analyse_by_attempt
from kleene.c.reader import read_program
from kleene.passes.preparation import Prepared
from kleene.results.fesa import FesaResult

ROWS = {row.name: row for row in FESA_ATTEMPTS if row.apart and not row.by}
WALK = "struct bead *p = k->ring->next; while (p != k->ring) { struct bead *q = p->next; free(p); p = q; }"
LAST = "free(k->ring);"
AFTER = "n->next = k->ring->next; n->prev = k->ring; k->ring->next->prev = n; k->ring->next = n;"
LIST_OF_RINGS = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct bead { struct bead *next, *prev; };
struct knot { struct knot *next; struct bead *ring; };
int main(void) {
    struct knot *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct knot *k = malloc(sizeof *k);
        struct bead *b = malloc(sizeof *b);
        if (!k || !b) abort();
        b->next = b->prev = b;
        k->ring = b;
        while (__VERIFIER_nondet_int()) {
            struct bead *n = malloc(sizeof *n);
            if (!n) abort();
            INSERT
        }
        k->next = list;
        list = k;
    }
    while (list) {
        struct knot *k = list;
        WALK
        LAST
        list = k->next;
        free(k);
    }
    return 0;
}
"""
SINGLE = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct bead { struct bead *next, *prev; };
struct knot { int length; struct bead *ring; };
int main(void) {
    struct knot *k = malloc(sizeof *k);
    struct bead *b = malloc(sizeof *b);
    if (!k || !b) abort();
    b->next = b->prev = b;
    k->ring = b;
    while (__VERIFIER_nondet_int()) {
        struct bead *n = malloc(sizeof *n);
        if (!n) abort();
        INSERT
    }
    WALK
    LAST
    free(k);
    return 0;
}
"""
SIMPLE = "n->prev = NULL; n->next = k->ring->next; k->ring->next = n;"
STEP = "while (p != k->ring) { struct bead *q = p->next; free(p); p = q; }"
WRONG = [
    {"LAST": ""},
    {"LAST": "free(k->ring); free(p);"},
    {"WALK": WALK.replace("free(p);", "")},
    {"WALK": f"{WALK} p->next = p;", "LAST": "free(p); free(k->ring);"},
    {"WALK": WALK.replace("q = p->next; free(p);", "q = p; free(p); q = q->next;")},
    {  # the new block may be where the first one was
        "WALK": "struct bead *p = k->ring->next; free(k->ring); struct bead *m = malloc(sizeof *m); if (!m) abort();"
        f"if (m == k->ring) p = NULL; {STEP} free(m);",
        "LAST": "",
    },
    {"WALK": WALK.replace("{", "{ k->ring = p;", 1)},
    {"WALK": WALK.replace("p = q;", "p = q == k->ring ? q : q->next;")},
    {"WALK": f"struct bead *p = k->ring; {STEP}", "LAST": "free(k->ring);"},
    {"WALK": f"struct bead *p = k->ring->next; k->ring->next = NULL; {STEP} p->next->next = p;"},
    {"INSERT": "n->prev = NULL; k->ring->next = n; n->next = k->ring->next;"},
    {"INSERT": "n->prev = NULL; n->next = k->ring->next->next; k->ring->next = n;"},
    {"INSERT": "n->prev = NULL; n->next = NULL; k->ring->next = n;"},
    {"INSERT": AFTER.replace("n->next = k->ring->next;", "n->next = k->ring;")},
]
"""Each loses a block, frees one twice, or reads a freed one, on some run."""

FIRST_IS_FREED_FIRST = {"WALK": f"struct bead *p = k->ring->next; free(k->ring); {STEP}", "LAST": ""}
"""Nothing is allocated since then: a pointer to the first block equals no pointer to another one."""


def analysed(folder: Path, text: str, row: FesaAttempt, parts: dict[str, str]) -> FesaResult:
    for name, part in {"INSERT": SIMPLE, "WALK": WALK, "LAST": LAST, **parts}.items():
        text = text.replace(name, part)
    path = folder / "program.c"
    path.write_text(text, encoding="utf-8")
    return analyse_by_attempt(Prepared(read_program([str(path)])), row, malloc_may_fail=False, seconds=120.0)


@pytest.mark.parametrize("parts", [{}, FIRST_IS_FREED_FIRST], ids=["last", "first"])
@pytest.mark.parametrize(
    ("text", "row"),
    [(SINGLE, "apart"), (LIST_OF_RINGS, "inner, apart")],
    ids=["one ring", "list of rings"],
)
def test_walks_that_end_at_a_member_are_proved(tmp_path: Path, text: str, row: str, parts: dict[str, str]) -> None:
    result = analysed(tmp_path, text, ROWS[row], parts)
    assert result.complete
    assert not result.alarms


@pytest.mark.parametrize("row", ["apart", pytest.param("inner, apart", marks=in_exam)])
@pytest.mark.parametrize("wrong", WRONG, ids=lambda parts: " ".join(parts.values())[:60])
def test_what_goes_wrong_is_reported(tmp_path: Path, wrong: dict[str, str], row: str) -> None:
    result = analysed(tmp_path, LIST_OF_RINGS if row.startswith("inner") else SINGLE, ROWS[row], wrong)
    assert not result.complete or result.alarms
