"""Pointers with disjoint lives share a variable: what becomes of the operations."""

from __future__ import annotations

from pathlib import Path

from kleene.analysis.c.shape.analyse import analyse
from kleene.c.reader import read_program
from kleene.passes.preparation import Prepared

MANY_POINTERS = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; };
int main(void) {
    struct node *p = NULL, *q = malloc(sizeof *q), *r = q, *s = r, *t = s;
    if (!t) return 0;
    if (__VERIFIER_nondet_int()) p = t;
    p->next = p->next;
    free(t);
    return 0;
}
"""
LOST_BEFORE_EXIT = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; };
struct list { struct node *first; int length; };
int main(void) {
    struct list *kept;
    {
        struct list *made = malloc(sizeof *made);
        if (!made) abort();
        made->first = NULL;
        while (__VERIFIER_nondet_int()) {
            struct node *n = malloc(sizeof *n);
            if (!n) abort();
            n->next = made->first;
            made->first = n;
        }
        while (made->first) {
            struct node *n = made->first;
            made->first = n->next;
            free(n);
        }
        if (__VERIFIER_nondet_int()) { kept = made; kept->length = 1; free(kept); }
    }
    exit(0);
}
"""


def _alarms(text: str, tmp_path: Path) -> set[str]:
    path = tmp_path / "program.c"
    path.write_text(text)
    result = analyse(Prepared(read_program([str(path)])), malloc_may_fail=True, seconds=20)
    return {alarm.kind for alarm in result.alarms}


def test_a_cell_that_is_assigned_to_itself_is_still_read(tmp_path: Path) -> None:
    """``p->next = p->next`` became no operation, so the null pointer in it was not noticed."""
    assert "null_dereference" in _alarms(MANY_POINTERS, tmp_path)


def test_a_block_that_is_lost_before_an_exit_is_not_held_by_another_variable(tmp_path: Path) -> None:
    """`kept` shared a variable with `made`, and was live before the exit: so the end of `made` lost nothing."""
    assert "memory_leak" in _alarms(LOST_BEFORE_EXIT, tmp_path)
