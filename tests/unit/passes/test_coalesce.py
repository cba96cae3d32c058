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


def test_a_cell_that_is_assigned_to_itself_is_still_read(tmp_path: Path) -> None:
    """``p->next = p->next`` became no operation, so the null pointer in it was not noticed."""
    path = tmp_path / "program.c"
    path.write_text(MANY_POINTERS)
    result = analyse(Prepared(read_program([str(path)])), malloc_may_fail=True, seconds=20)
    assert "null_dereference" in {alarm.kind for alarm in result.alarms}
