"""Assertions that the relations of numbers prove are left out before the analysis; those that can fail stay.

Each changed program fails in a compiled run: the tests look for the error in the automaton that is analysed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.c.reader import read_program
from kleene.cfa.operations import Error
from kleene.passes.preparation import Prepared

HEAP = """
#include <assert.h>
#include <stdlib.h>
extern int nondet(void);
struct heap { int a[256]; int n; };
int main(void) {
    struct heap *h = malloc(sizeof *h);
    int k;
    if (!h) return 1;
    h->n = 0;
    while (nondet()) {
        if (h->n == 256) break;
        h->a[h->n] = 1;
        h->n++;
    }
    while (h->n) {
        assert(h->n > 0);
        k = h->n - 1;
        h->a[k] = h->a[0];
        h->n--;
    }
    free(h);
    return 0;
}
"""
CHANGED = {
    "the length begins below 0": ("h->n = 0;", "h->n = -1; h->n += nondet() > 0;"),
    "the length shrinks by two": ("h->n--;", "h->n -= 2; if (h->n < -3) break;"),
    "the assertion is too strong": ("assert(h->n > 0)", "assert(h->n > 1)"),
    "another function sets the length": ("h->n++;", "h->n++; if (nondet()) h->n = nondet();"),
    "a member is set by the array before it": ("h->a[h->n] = 1;", "*(h->a + h->n + (nondet() ? 256 - h->n : 0)) = -1;"),
    "the assertion comes again later": ("free(h);", "assert(h->n > 0); free(h);"),
}


def _has_errors(text: str, folder: Path) -> bool:
    path = folder / "heap.c"
    path.write_text(text)
    main = Prepared(read_program([str(path)])).inlined.main
    return any(isinstance(edge.label, Error) for edge in main.cfa.edges)


def test_an_assertion_about_a_length_is_left_out(tmp_path: Path) -> None:
    assert not _has_errors(HEAP, tmp_path)


@pytest.mark.parametrize("name", CHANGED)
def test_an_assertion_that_can_fail_stays(name: str, tmp_path: Path) -> None:
    assert CHANGED[name][0] in HEAP
    assert _has_errors(HEAP.replace(*CHANGED[name]), tmp_path)
