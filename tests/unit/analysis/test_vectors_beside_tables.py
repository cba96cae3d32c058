"""Vectors that grow by `realloc`, beside other structures: what is proved, and what must not be.

A pointer whose block could not be moved still holds it. It was forgotten before the test whether `realloc` failed, so
the block was lost on the way to `abort`. Slices lost what relations of numbers say about the vector.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved_by

from kleene.c.reader import read_program
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Assume, Operation
from kleene.passes.preparation import Prepared

HEAD = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct entry { int key; struct entry *next; };
struct vec { int *data; size_t len, cap; };
static void push(struct vec *v, int x) {
    if (v->len == v->cap) {
        size_t cap = v->cap ? v->cap * 2 : 4;
        int *d = realloc(v->data, cap * sizeof *d);
        FAILED
        v->data = d;
        v->cap = cap;
    }
    v->data[v->len++] = x;
    AFTER
}
static int pop(struct vec *v) { return v->len == 0 ? 0 : v->data[--v->len]; }
"""
VECTOR = """
int main(void) {
    struct vec v = {NULL, 0, 0};
    while (__VERIFIER_nondet_int()) { if (__VERIFIER_nondet_int()) push(&v, 1); else pop(&v); }
    free(v.data);
    return 0;
}
"""
WITH_LIST = """
int main(void) {
    struct vec v = {NULL, 0, 0};
    struct entry *l = NULL, *e;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) push(&v, 1);
        else if (__VERIFIER_nondet_int()) pop(&v);
        else { e = malloc(sizeof *e); if (!e) abort(); e->key = 0; e->next = l; l = e; }
    }
    free(v.data);
    while (l) { e = l; l = l->next; free(e); }
    return 0;
}
"""
ABORT = "if (!d) abort();"
WRONG = {
    "the block that could not be moved is lost": ("if (!d) { v->data = NULL; v->len = v->cap = 0; return; }", ""),
    "the block that could not be moved is lost before the end": ("if (!d) { v->data = NULL; exit(1); }", ""),
    "the block that was moved is freed": ("if (!d) abort(); free(v->data);", ""),
    "the block that was moved is read": ("if (!d) abort(); v->len = v->data[0] != 0;", ""),
    "a block that was not moved is not stored": (ABORT, "if (v->len > 9) { v->data = NULL; v->len = v->cap = 0; }"),
}


def program(main: str, failed: str = ABORT, after: str = "") -> str:
    return HEAD.replace("FAILED", failed).replace("AFTER", after) + main


def test_a_pointer_holds_the_block_that_could_not_be_moved(tmp_path: Path) -> None:
    """Only `whole scope` proved it, with all pointers kept everywhere."""
    assert is_proved_by("plain", program(VECTOR), tmp_path)


def test_slices_prove_a_vector_beside_a_list(tmp_path: Path) -> None:
    """The way to `abort` ends in a slice before `abort`: `whole scope` held no pointers there."""
    assert is_proved_by("slices", program(WITH_LIST), tmp_path)


@pytest.mark.parametrize("what", WRONG)
@pytest.mark.parametrize(("attempt", "main"), [("plain", VECTOR), ("whole scope", VECTOR), ("slices", WITH_LIST)])
def test_wrong_vectors_are_not_proved(attempt: str, main: str, what: str, tmp_path: Path) -> None:
    assert not is_proved_by(attempt, program(main, *WRONG[what]), tmp_path)


def test_slices_keep_what_is_known_of_their_numbers(tmp_path: Path) -> None:
    """A condition without another way was left out: its ways do not lead to different places."""
    path = tmp_path / "program.c"
    path.write_text(program(WITH_LIST))
    prepared = Prepared(read_program([str(path)]))

    def known(cfa: Cfa[Operation]) -> set[str]:
        edges = (e for e in cfa.edges if isinstance(e.label, Assume) and len(cfa.leaving(e.source)) == 1)
        return {str(edge.label) for edge in edges}

    own = next(
        part for part in prepared.slices if "realloc" in " ".join(str(e.label) for e in part.program.main.cfa.edges)
    )
    assert "[v.cap != 0u]" in known(prepared.cfa) & known(own.program.main.cfa)
