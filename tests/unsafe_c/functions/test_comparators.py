"""Lists that a function of the client keeps sorted: the attempts that keep outcomes prove the program as it is only.

That the node before which one is inserted has a predecessor follows from outcomes alone: the first comparison, with
the head, says that the new node is not before it. Each change lets the later comparison have another outcome: one of
the numbers, or a pointer that leads to it, changes in between, or something else is compared.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved_by

ATTEMPTS = ("comparisons", "outcomes and loads")
LIST = """
#include <stdlib.h>
extern int nondet(void);
struct list { struct list *next, *prev; void *data; };
static int sign = 1;
static int cmp(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}
static struct list *insert(struct list *head, int *data, int (*compare)(const void *, const void *)) {
    struct list *n = malloc(sizeof *n), *c = head;
    if (!n) abort();
    n->data = data; n->next = n->prev = NULL;
    if (!head) return n;
    if (compare(n->data, c->data) <= 0) { c->prev = n; n->next = c; return n; }
    /* first */
    while (compare(n->data, c->data) > 0 && c->next != NULL) c = c->next;
    /* second */
    if (c->next == NULL && compare(n->data, c->data) > 0) { c->next = n; n->prev = c; }
    else { c->prev->next = n; n->prev = c->prev; c->prev = n; n->next = c; }
    return head;
}
int main(void) {
    struct list *l = NULL;
    while (nondet()) {
        int *p = malloc(sizeof *p);
        if (!p) abort();
        *p = nondet();
        l = insert(l, p, cmp);
    }
    while (l) { struct list *n = l->next; free(l->data); free(l); l = n; }
    return 0;
}
"""
CHANGES = {
    "the number of the new node changes": ("/* first */", "*data = nondet();"),
    "it changes through its node": ("/* second */", "*(int *)n->data = nondet();"),
    "the number of the other node changes": ("/* second */", "*(int *)c->data = 0;"),
    "the pointer to the number changes": ("/* first */", "int *o = n->data; n->data = c->data; c->data = o;"),
    "the second comparison has the sides exchanged":
        ("c->next == NULL && compare(n->data, c->data) > 0", "c->next == NULL && compare(c->data, n->data) > 0"),
    "it is a stricter one":
        ("c->next == NULL && compare(n->data, c->data) > 0", "c->next == NULL && compare(n->data, c->data) > 1"),
    "it is with the head": ("<= 0) { c->prev", "< 0) { c->prev"),
    "the function knows more than the numbers": ("return (x > y) - (x < y);", "sign = -sign; return sign;"),
    "the function reads what changes": ("return (x > y) - (x < y);", "return (x > y) - (x < y) + nondet() % 2;"),
}  # fmt: skip


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_it_is_proved(tmp_path: Path, attempt: str) -> None:
    assert is_proved_by(attempt, LIST, tmp_path)


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_one_is_not(tmp_path: Path, change: str) -> None:
    old, new = CHANGES[change]
    assert old in LIST
    for attempt in ATTEMPTS:
        assert not is_proved_by(attempt, LIST.replace(old, new), tmp_path)
