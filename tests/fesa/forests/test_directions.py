"""Forests of parents along one direction: doubly linked lists with first and last, insertion before any node."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.analysis.c.fesa import FESA_ATTEMPTS, PLAIN, FesaAttempt, analyse_by_attempt
from kleene.c.reader import read_program
from kleene.domains.fesa.directions import one_way_forests
from kleene.passes.facts.memory import Memory
from kleene.passes.preparation import Prepared
from kleene.results.fesa import FesaResult

ROWS = [row for row in FESA_ATTEMPTS if row.way]
PROGRAM = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
#define any __VERIFIER_nondet_int()
struct node { struct node *next, *prev; };
struct header { struct node *first, *last; int length; };
struct node *first, *last;
int main(void) {
    struct node *p, *n;
    START
    while (any) {
        for (p = FIRST; p && any; p = p->next) ;
        if (any) {
            n = malloc(sizeof *n);
            if (!n) continue;
            n->next = p;
            n->prev = p ? p->prev : LAST;
            if (n->prev) n->prev->next = n; else FIRST = n;
            if (p) p->prev = n; else LAST = n;
        } else if (p) {
            if (p->prev) p->prev->next = p->next; else FIRST = p->next;
            if (p->next) p->next->prev = p->prev; else LAST = p->prev;
            free(p);
        }
    }
    while (LAST) { p = LAST; LAST = p->prev; free(p); }
    END
    return 0;
}
"""
GLOBALS = {"START": "", "END": "", "FIRST": "first", "LAST": "last"}
HEADER = {
    "START": "struct header *h = calloc(1, sizeof *h); if (!h) return 1;",
    "END": "free(h);",
    "FIRST": "h->first",
    "LAST": "h->last",
}
WRONG = {
    "the list forgets the rest": ("n->prev->next = n;", "n->prev->next = NULL;"),
    "the first stays behind": ("else FIRST = p->next;", "else FIRST = p;"),
    "the last stays behind": ("else LAST = p->prev;", ";"),
    "no way back": ("if (p) p->prev = n; else", "if (!p)"),
    "nothing is linked": ("n->prev->next = n; else FIRST = n;\n            if (p) p->prev = n; else LAST = n;", ";"),
    "removed, not freed": ("p->prev;\n            free(p);", "p->prev;"),
    "freed twice": ("LAST = p->prev; free(p);", "LAST = p->prev; free(p); if (!LAST) free(p);"),
    "a new block where a pointer back was": (
        "free(p);\n        }\n    }",
        "p->prev = malloc(sizeof *p); free(p);\n        }\n    }",
    ),
    "a block that only a pointer back holds": (
        "if (!n) continue;",
        "if (!n) continue; if (p) p->prev = malloc(sizeof *p);",
    ),
}


def program(folder: Path, words: dict[str, str], wrong: tuple[str, str] | None = None) -> Prepared:
    text = PROGRAM
    if wrong is not None:
        assert text.count(wrong[0]) == 1
        text = text.replace(*wrong)
    for name, word in words.items():
        text = text.replace(name, word)
    path = folder / "program.c"
    path.write_text(text)
    return Prepared(read_program([str(path)]))


def analysed(prepared: Prepared, row: FesaAttempt) -> FesaResult:
    return analyse_by_attempt(prepared, row, malloc_may_fail=True, seconds=20)


def test_insertion_before_any_node(tmp_path: Path) -> None:
    prepared = program(tmp_path, GLOBALS)
    for row in ROWS[:2]:
        result = analysed(prepared, row)
        assert result.complete and not result.alarms
    assert analysed(prepared, PLAIN).alarms, "without a direction, a block seems lost"


def test_the_ends_are_in_a_header(tmp_path: Path) -> None:
    """Of the four directions, two agree with each other: along `next` from the first, along `prev` from the last."""
    prepared = program(tmp_path, HEADER)
    results = [analysed(prepared, row) for row in ROWS]
    assert [result.complete and not result.alarms for result in results] == [True, False, False, True]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
@pytest.mark.parametrize("wrong", WRONG.values(), ids=list(WRONG))
def test_what_goes_wrong_is_reported(tmp_path: Path, wrong: tuple[str, str], row: FesaAttempt) -> None:
    for words in (GLOBALS, HEADER)[row.way > 2 :]:  # globals have two directions
        result = analysed(program(tmp_path, words, wrong), row)
        assert result.alarms or not result.complete


def test_directions_of_a_header(tmp_path: Path) -> None:
    prepared = program(tmp_path, HEADER)
    forests = one_way_forests(Memory(prepared.inlined, prepared.cfa, typed=True))
    assert forests == [frozenset({(16, link), (24, end)}) for link in (0, 8) for end in (0, 8)]
