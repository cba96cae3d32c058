"""Lists of rings in several styles, by the row that follows one ring with nodes of variables apart; and wrong ones.

Rings grow behind the entry, before it, or at a new entry. They are freed up to a member, or by taking out the second
bead. The row needs to know which block of the list holds the ring: its cases say so (`domains/fesa/cases.py`).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slices import in_exam

from kleene.analysis.c.fesa import FESA_ATTEMPTS, analyse_by_attempt
from kleene.c.reader import read_program
from kleene.passes.preparation import Prepared
from kleene.results.fesa import FesaResult

ROW = next(row for row in FESA_ATTEMPTS if row.name == "inner, apart")
FRAME = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
#define any __VERIFIER_nondet_int()
struct bead { struct bead *next, *prev; };
struct knot { struct knot *next; struct bead *ring; };
int main(void) {
    struct knot *list = NULL;
    while (any) {
        struct knot *l = malloc(sizeof *l);
        if (!l) abort();
        l->ring = malloc(sizeof *l->ring);
        if (!l->ring) abort();
        FIRST
        while (any) {
            struct bead *n = malloc(sizeof *n);
            if (!n) abort();
            GROW
        }
        l->next = list;
        list = l;
    }
    LOOK
    while (list) {
        struct knot *l = list;
        list = l->next;
        WALK
        free(l);
    }
    return 0;
}
"""
FIRST = "l->ring->next = l->ring->prev = l->ring;"
SINGLE = "l->ring->next = l->ring; l->ring->prev = NULL;"
BEHIND = "n->prev = NULL; n->next = l->ring->next; l->ring->next = n;"
AT_ENTRY = f"{BEHIND} l->ring = n;"
ANYWHERE = "n->next = l->ring->next; l->ring->next = n; if (any) l->ring = n;"
SHRINK = "if (any && l->ring->next != l->ring) { struct bead *r = l->ring->next; l->ring->next = r->next; free(r); }"
BEFORE = (
    "struct bead *e = l->ring; while (e->next != l->ring) e = e->next; n->prev = NULL; n->next = l->ring; e->next = n;"
)
DOUBLY_BEHIND = "n->next = l->ring->next; n->prev = l->ring; l->ring->next->prev = n; l->ring->next = n;"
DOUBLY_BEFORE = "n->next = l->ring; n->prev = l->ring->prev; l->ring->prev->next = n; l->ring->prev = n;"
UP_TO_MEMBER = (
    "struct bead *r = l->ring->next; while (r != l->ring) { struct bead *t = r; r = r->next; free(t); } free(r);"
)
NEXT_FIRST = (
    "struct bead *r = l->ring->next; while (r != l->ring) { struct bead *t = r->next; free(r); r = t; } free(l->ring);"
)
SECOND_OUT = (
    "while (l->ring->next != l->ring)"
    "{ struct bead *r = l->ring->next; l->ring->next = r->next; free(r); } free(l->ring);"
)
ENTRY_FIRST = (
    "struct bead *first = l->ring, *r = first; do { struct bead *t = r->next; free(r); r = t; } while (r != first);"
)
DOUBLY_OUT = (
    "while (l->ring->next != l->ring) { struct bead *r = l->ring->next;"
    "r->next->prev = r->prev; r->prev->next = r->next; free(r); } free(l->ring);"
)
ROUND = (
    "for (struct knot *l = list; l; l = l->next) { struct bead *r = l->ring; do r = r->next; while (r != l->ring); }"
)
BACK = ROUND.replace("r = r->next", "r = r->prev")
RIGHT = [
    {"GROW": BEHIND, "WALK": UP_TO_MEMBER},
    {"GROW": DOUBLY_BEFORE, "WALK": DOUBLY_OUT},
    {"GROW": BEFORE, "WALK": ENTRY_FIRST},
    {"GROW": AT_ENTRY, "WALK": NEXT_FIRST, "LOOK": ROUND},
    {"GROW": BEHIND, "WALK": SECOND_OUT},
    {"FIRST": SINGLE, "GROW": ANYWHERE, "WALK": SECOND_OUT},
    {"GROW": f"{BEHIND} {SHRINK}", "WALK": SECOND_OUT},
    {"GROW": BEFORE, "WALK": UP_TO_MEMBER},
    {"GROW": DOUBLY_BEHIND, "WALK": NEXT_FIRST},
    {"GROW": DOUBLY_BEFORE, "WALK": UP_TO_MEMBER},
    {"GROW": AT_ENTRY, "WALK": ENTRY_FIRST},
]
IN_SUITE = 2
"""How many of them are checked always."""
WRONG = [
    {"GROW": BEHIND, "WALK": UP_TO_MEMBER.replace("free(r);", "")},
    {"GROW": DOUBLY_BEFORE.replace("l->ring->prev->next = n;", ""), "WALK": DOUBLY_OUT},
    {"GROW": BEFORE, "WALK": f"{UP_TO_MEMBER} free(l->ring);"},
    {"GROW": BEFORE.replace("n->next = l->ring", "n->next = e"), "WALK": UP_TO_MEMBER},
    {"GROW": AT_ENTRY.replace("l->ring->next = n;", ""), "WALK": UP_TO_MEMBER},
    {"GROW": BEHIND, "WALK": UP_TO_MEMBER.replace("r = l->ring->next;", "r = l->ring;")},
    {"FIRST": SINGLE, "GROW": ANYWHERE, "WALK": UP_TO_MEMBER.replace(" free(r);", "")},
    {"GROW": f"{BEHIND} {SHRINK.replace('free(r);', '')}", "WALK": SECOND_OUT},
    {"FIRST": SINGLE, "GROW": f"{ANYWHERE} if (any) l->ring->next = l->ring;", "WALK": SECOND_OUT},
    {"GROW": BEHIND, "WALK": UP_TO_MEMBER.replace("t = r;", "t = r; if (any) break;")},
    {"GROW": BEHIND, "WALK": ENTRY_FIRST.replace("r = first;", "r = first; if (list) list->ring = first;")},
    {"GROW": DOUBLY_BEHIND, "WALK": NEXT_FIRST.replace("free(r);", "free(r->prev);")},
    {"GROW": DOUBLY_BEFORE.replace("l->ring->prev = n;", ""), "WALK": DOUBLY_OUT},
    {"GROW": AT_ENTRY, "WALK": NEXT_FIRST, "LOOK": BACK},
    {"GROW": BEHIND, "WALK": UP_TO_MEMBER, "LOOK": "if (list && list->next) list->ring = list->next->ring;"},
    {"GROW": BEHIND, "WALK": UP_TO_MEMBER, "LOOK": "if (list && list->next) list = list->next;"},
    {
        "GROW": DOUBLY_BEFORE,
        "WALK": UP_TO_MEMBER,
        "LOOK": "if (list) { struct bead *r = list->ring; r->prev->next = r->next; r->next->prev = r->prev; free(r); }",
    },
]
"""Each loses a block, frees one twice or uses a freed one, on some run."""


def analysed(folder: Path, parts: dict[str, str]) -> FesaResult:
    text = FRAME
    for name, part in {"FIRST": FIRST, "LOOK": "", **parts}.items():
        text = text.replace(name, part)
    path = folder / "program.c"
    path.write_text(text, encoding="utf-8")
    return analyse_by_attempt(Prepared(read_program([str(path)])), ROW, malloc_may_fail=False, seconds=120.0)


@pytest.mark.parametrize("parts", [*RIGHT[:IN_SUITE], *(pytest.param(p, marks=in_exam) for p in RIGHT[IN_SUITE:])])
def test_lists_of_rings_are_proved(tmp_path: Path, parts: dict[str, str]) -> None:
    """With one state for the ring wherever it is, all but two ended with a warning or without an end."""
    result = analysed(tmp_path, parts)
    assert result.complete
    assert not result.alarms


@pytest.mark.parametrize("parts", [*WRONG[:2], *(pytest.param(p, marks=in_exam) for p in WRONG[2:])])
def test_what_goes_wrong_is_reported(tmp_path: Path, parts: dict[str, str]) -> None:
    result = analysed(tmp_path, parts)
    assert not result.complete or result.alarms
