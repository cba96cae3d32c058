"""Sorted rings, sorted doubly linked lists and sorting by insertion; and programs like them that do not sort."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slices import in_exam

from kleene.analysis.c.fesa import FESA_ATTEMPTS, analyse_by_attempt
from kleene.c.reader import read_program
from kleene.passes.preparation import Prepared
from kleene.results.fesa import FesaResult

ROWS = {row.name: row for row in FESA_ATTEMPTS if row.by == "order"}
APART = "order, apart, kept in scope"
FRAME = """
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
#define any __VERIFIER_nondet_int()
struct node { int key; struct node *prev, *next; };
int main(void) { BODY return 0; }
"""
NEW = "struct node *n = malloc(sizeof *n); if (!n) abort(); n->key = any; n->prev = NULL;"
RING = (
    "struct node *s = malloc(sizeof *s); if (!s) abort(); s->key = 0; s->prev = NULL; s->next = s;"
    f"while (any) {{ {NEW} struct node *p = s;"
    "while (p->next != s && p->next->key < n->key) p = p->next;"
    "n->next = p->next; p->next = n; }"
    "struct node *p = s->next; while (p != s && p->next != s) { assert(p->key <= p->next->key); p = p->next; }"
    "p = s->next; while (p != s) { struct node *q = p->next; free(p); p = q; } free(s);"
)
CHECKED = "for (struct node *p = head; p && p->next; p = p->next) assert(p->key <= p->next->key);"
FREED = "while (head) { struct node *q = head->next; free(head); head = q; }"
DOUBLY = (
    f"struct node *head = NULL; while (any) {{ {NEW} struct node *p = head, *before = NULL;"
    "while (p && p->key < n->key) { before = p; p = p->next; }"
    "n->next = p; n->prev = before; if (p) p->prev = n; if (before) before->next = n; else head = n; }"
    f"{CHECKED} {FREED}"
)
SORTING = (
    f"struct node *in = NULL, *head = NULL; while (any) {{ {NEW} n->next = in; in = n; }}"
    "while (in) { struct node *n = in; in = in->next;"
    "if (head == NULL || n->key <= head->key) { n->next = head; head = n; } else { struct node *p = head;"
    "while (p->next && p->next->key < n->key) p = p->next;"
    f"n->next = p->next; p->next = n; }} }} {CHECKED} {FREED}"
)
ZEROED = SORTING.replace("malloc(", "calloc(1, ")
SAFE = {
    "zeroed": (ZEROED, "order"),
    "ring": (RING, APART),
    "doubly linked": (DOUBLY, APART),
    "sorting": (SORTING, "order"),
}
WRONG = [
    (RING, "p->next->key < n->key", "p->next->key > n->key"),
    (RING, "p->next->key < n->key", "any"),
    (RING, "while (p->next != s && p->next->key < n->key)", "while (p->next != s && p->key < n->key)"),
    (DOUBLY, "p->key < n->key", "p->key > n->key"),
    (DOUBLY, "before = p; p = p->next;", "before = p; p = p->next; if (any) break;"),
    (DOUBLY, CHECKED, f"if (head) head->key = any; {CHECKED}"),
    (SORTING, "n->key <= head->key", "n->key >= head->key"),
    (SORTING, "p->next->key < n->key", "p->key < n->key"),
    (SORTING, "n->key <= head->key", "any"),
    (ZEROED, "n->key <= head->key", "0 <= n->key"),
]
"""Each has a list that is not sorted, on some run."""


def analysed(folder: Path, body: str, row: str) -> FesaResult:
    path = folder / "program.c"
    path.write_text(FRAME.replace("BODY", body), encoding="utf-8")
    return analyse_by_attempt(Prepared(read_program([str(path)])), ROWS[row], malloc_may_fail=False, seconds=120.0)


@pytest.mark.parametrize(
    "name", ["ring", *(pytest.param(n, marks=in_exam) for n in ("doubly linked", "sorting", "zeroed"))]
)
def test_what_is_sorted_is_proved(tmp_path: Path, name: str) -> None:
    result = analysed(tmp_path, *SAFE[name])
    assert result.complete
    assert not result.alarms


@pytest.mark.parametrize("row", [APART, *(pytest.param(n, marks=in_exam) for n in ROWS if n != APART)])
@pytest.mark.parametrize(
    ("body", "old", "new"),
    [WRONG[0], WRONG[3], *(pytest.param(*w, marks=in_exam) for w in (*WRONG[1:3], *WRONG[4:]))],
    ids=lambda part: part[:24],
)
def test_what_is_not_sorted_is_not_proved(tmp_path: Path, body: str, old: str, new: str, row: str) -> None:
    assert old in body
    result = analysed(tmp_path, body.replace(old, new), row)
    assert not result.complete or result.alarms
