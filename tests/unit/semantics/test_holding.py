"""What is reachable only along different groups of cells: not lost while it is held, lost when it is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from .translated import alarms

HEADER = """\
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct data { char x; };
struct node { struct node *next, *prev; struct data *d; };
static struct node *make(void) {
  struct node *n = malloc(sizeof *n);
  n->d = malloc(sizeof *n->d); n->next = n->prev = NULL;
  return n;
}
"""
RING = (
    "struct node *r = make(); r->next = r; while (__VERIFIER_nondet_int()) {"
    "struct node *f = make(); f->next = r->next; r->next = f; }"
)
FREE_RING = "while (r->next != r) {{ struct node *x = r->next; r->next = x->next; {0} free(x); }} free(r->d); free(r);"
CHAIN = (
    "struct node *end = NULL; while (__VERIFIER_nondet_int()) {"
    "struct node *f = make(); f->prev = end; if (end) end->next = f; end = f; }"
)
FREE_CHAIN = "while (end) {{ struct node *p = end->prev; {0} free(end); end = p; }}"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (RING + FREE_RING.format("free(x->d);"), set()),
        (RING + FREE_RING.format(""), {"memory_leak"}),
        (RING + FREE_RING.format("x->d = NULL; free(x->d);"), {"memory_leak"}),
        (CHAIN + FREE_CHAIN.format("free(end->d);"), set()),
        (CHAIN + FREE_CHAIN.format(""), {"memory_leak"}),
        (CHAIN + "end = NULL;", {"memory_leak"}),
    ],
)
def test_data_on_rings_and_on_lists_known_by_their_end(tmp_path: Path, body: str, expected: set[str]) -> None:
    assert alarms(tmp_path, body, HEADER) - {"memory_cleanup"} == expected
