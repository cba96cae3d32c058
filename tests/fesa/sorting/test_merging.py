"""Two sorted lists become one, in several styles, by the row of images and cases; and wrong merges."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slices import in_exam

from kleene.analysis.c.fesa import FESA_ATTEMPTS, analyse_by_attempt
from kleene.c.reader import read_program
from kleene.passes.preparation import Prepared
from kleene.results.fesa import FesaResult

ROW = next(row for row in FESA_ATTEMPTS if row.name == "order, cases")
FRAME = """
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
#define any __VERIFIER_nondet_int()
struct node { int key; struct node *next; };
static struct node *sorted(void) {
    struct node *list = NULL;
    while (any) {
        struct node *n = malloc(sizeof *n);
        if (!n) abort();
        n->key = any;
        if (list && n->key > list->key) { free(n); continue; }
        n->next = list;
        list = n;
    }
    return list;
}
int main(void) {
    struct node *a = sorted(), *b = sorted(), *head = NULL;
    MERGE
    for (struct node *p = head; p && p->next; p = p->next) assert(p->key <= p->next->key);
    while (head) { struct node *q = head->next; free(head); head = q; }
    return 0;
}
"""
LINK = (
    "struct node **link = &head; while (a && b) { struct node **least = a->key <= b->key ? &a : &b, *m = *least;"
    "*least = m->next; *link = m; link = &m->next; } *link = a ? a : b;"
)
DUMMY = (
    "struct node dummy, *tail = &dummy; dummy.next = NULL; while (a && b) {"
    "if (a->key <= b->key) { tail->next = a; a = a->next; } else { tail->next = b; b = b->next; } tail = tail->next; }"
    "tail->next = a ? a : b; head = dummy.next;"
)
TAIL = (
    "struct node *tail = NULL; while (a && b) { struct node *m;"
    "if (a->key <= b->key) { m = a; a = a->next; } else { m = b; b = b->next; }"
    "if (tail) tail->next = m; else head = m; tail = m; }"
    "struct node *rest = a ? a : b; if (tail) tail->next = rest; else head = rest;"
)
INTO = (
    "struct node *before = NULL, *p = a; head = a; while (b) { struct node *m = b; b = b->next;"
    "while (p && p->key < m->key) { before = p; p = p->next; }"
    "m->next = p; if (before) before->next = m; else head = m; before = m; }"
)
RIGHT = {"link": LINK, "dummy": DUMMY, "tail": TAIL}
WRONG = [
    LINK.replace("a->key <= b->key", "a->key >= b->key"),
    LINK.replace("*link = a ? a : b;", "*link = a;"),
    LINK.replace("*least = m->next; *link = m;", "*link = m; *least = m->next; *link = NULL;"),
    DUMMY.replace("a->key <= b->key", "any"),
    DUMMY.replace("tail->next = a ? a : b;", "tail->next = b;"),
    DUMMY.replace("b = b->next; }", "b = b->next; if (b) b->key = any; }"),
    TAIL.replace("b = b->next; }", "b = b->next; if (any) free(m); m->next = a; }"),
    TAIL.replace("if (tail) tail->next = rest; else", "if (!tail)"),
    TAIL.replace("tail = m; }", "tail = any ? m : head; }"),
    INTO.replace("before = m; }", "}"),
    INTO.replace("p->key < m->key", "p->key > m->key"),
    INTO.replace("m->next = p;", "m->next = before;"),
]
"""Each loses a block, frees one twice, uses a freed one or is not sorted, on some run."""


def analysed(folder: Path, merge: str) -> FesaResult:
    path = folder / "program.c"
    path.write_text(FRAME.replace("MERGE", merge), encoding="utf-8")
    return analyse_by_attempt(Prepared(read_program([str(path)])), ROW, malloc_may_fail=False, seconds=120.0)


@pytest.mark.parametrize("name", ["link", *(pytest.param(n, marks=in_exam) for n in RIGHT if n != "link")])
def test_the_merged_list_is_sorted(tmp_path: Path, name: str) -> None:
    """Functions were too small for it, and one state had all the ways in which `tail` may point to a local object."""
    result = analysed(tmp_path, RIGHT[name])
    assert result.complete
    assert not result.alarms


@pytest.mark.parametrize("merge", [WRONG[0], WRONG[4], *(pytest.param(w, marks=in_exam) for w in WRONG)])
def test_a_wrong_merge_is_not_proved(tmp_path: Path, merge: str) -> None:
    result = analysed(tmp_path, merge)
    assert not result.complete or result.alarms
