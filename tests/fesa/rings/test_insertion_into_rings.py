"""Insertion behind a pointer that walks through a ring: nothing is lost; and insertions that lose something."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.analysis.c.fesa import FESA_ATTEMPTS, FesaAttempt, analyse_by_attempt
from kleene.c.reader import read_program
from kleene.passes.preparation import Prepared
from kleene.results.fesa import FesaResult

APART = [row for row in FESA_ATTEMPTS if row.name.startswith("apart")]
RING = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
#define any __VERIFIER_nondet_int()
struct node { struct node *next; };
int main(void) {
    struct node *s = malloc(sizeof *s);
    if (!s) abort();
    s->next = s;
    while (any) {
        struct node *n = malloc(sizeof *n), *p = s;
        if (!n) abort();
        while (p->next != s && any) p = p->next;
        INSERT
    }
    struct node *p = s->next;
    while (p != s) { struct node *q = p->next; free(p); p = q; }
    free(s);
    return 0;
}
"""
INSERT = "n->next = p->next; p->next = n;"
LOST = [
    "p->next = n; n->next = s;",
    "n->next = p->next; if (any) p->next = n;",
    "n->next = p; p->next = n;",
    "n->next = p->next->next; p->next = n;",
    "n->next = n; p->next = n;",
    "n->next = p->next; p->next = n; if (p != s && any) n->next = s->next;",
]
"""Each loses a block, frees one twice or reads a freed one, on some run."""


def analysed(folder: Path, insert: str, row: FesaAttempt) -> FesaResult:
    path = folder / "ring.c"
    path.write_text(RING.replace("INSERT", insert), encoding="utf-8")
    return analyse_by_attempt(Prepared(read_program([str(path)])), row, malloc_may_fail=False, seconds=60.0)


@pytest.mark.parametrize("row", APART, ids=lambda row: row.name)
def test_insertion_anywhere_is_proved(tmp_path: Path, row: FesaAttempt) -> None:
    result = analysed(tmp_path, INSERT, row)
    assert result.complete
    assert not result.alarms


@pytest.mark.parametrize("row", APART, ids=lambda row: row.name)
@pytest.mark.parametrize("insert", LOST)
def test_what_is_lost_is_reported(tmp_path: Path, insert: str, row: FesaAttempt) -> None:
    result = analysed(tmp_path, insert, row)
    assert not result.complete or result.alarms
