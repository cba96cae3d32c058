"""Lists whose head is two nodes, and tables from ``calloc(1, n * size)``: proved, and no wrong use of them is."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved

LIST = """
#include <stdlib.h>
extern int nondet(void);
struct node { struct node *next, *prev; };
struct list { struct node *head, *null, *tail; };
struct item { struct node node; int value; };
static void clear(struct list *l) {
    l->head = (struct node *)&l->null;
    l->null = NULL;
    l->tail = (struct node *)(void *)&l->head;
}
static void append(struct list *l, struct node *n) {
    struct node *last = l->tail;
    n->next = (struct node *)&l->null;
    n->prev = last;
    last->next = n;
    l->tail = n;
}
static void unlink_node(struct node *n) {
    struct node *before = n->prev, *after = n->next;
    before->next = after;
    after->prev = before;
}
int main(void) {
    struct list l;
    clear(&l);
    while (nondet()) {
        struct item *i = malloc(sizeof *i);
        if (!i) break;
        append(&l, &i->node);
    }
    while (l.head->next) { struct node *n = l.head; unlink_node(n); free(n); }
    return 0;
}
"""
"""The head of the list is two nodes: one begins at `head`, the other one at `null`."""
TABLE = """
#include <stdlib.h>
extern int nondet(void);
struct entry { unsigned id; struct entry *next; };
static void *zeroed(size_t size) { void *p = calloc(1, size); if (!p) exit(1); return p; }
int main(void) {
    unsigned order = 4;
    struct entry **table = zeroed((1u << order) * sizeof *table);
    while (nondet()) {
        unsigned id = nondet(), h = id * 2654435761u >> (32 - order);
        struct entry *e = malloc(sizeof *e);
        if (!e) break;
        e->id = id;
        e->next = table[h];
        table[h] = e;
    }
    for (unsigned i = 0; i < 1u << order; i++)
        for (struct entry *e = table[i], *next; e; e = next) { next = e->next; free(e); }
    free(table);
    return 0;
}
"""
NARROW = (
    TABLE.replace("zeroed(size_t size)", "zeroed(unsigned size)")
    .replace("unsigned order = 4;", "unsigned length = nondet(); if (length < 1 || length > 4000) return 0;")
    .replace("id * 2654435761u >> (32 - order)", "id % length")
    .replace("1u << order", "length")
)
"""The allocator has an `unsigned` size, and the bounds of the length say that it does not wrap."""
WRONG_LISTS = {
    "the second node begins too late": ("n->next = (struct node *)&l->null;", "n->next = (struct node *)&l->tail;"),
    "the node before is not set": ("after->prev = before;", ""),
    "the tail is that of the node": ("l->tail = n;", "l->tail = n + 1;"),
}
WRONG_TABLES = {
    "one bit too much": ("(32 - order)", "(31 - order)"),
    "one element too much": ("i < 1u << order", "i <= 1u << order"),
    "too few elements": ("(1u << order) * sizeof *table", "((1u << order) - 1) * sizeof *table"),
}
WRONG_NARROW = {
    "the size wraps": (" || length > 4000", ""),
    "the size wraps where it is large": ("length > 4000", "length > 0x20000001"),
    "the size has room in a byte only": ("zeroed(unsigned size)", "zeroed(unsigned char size)"),
}


@pytest.mark.parametrize("text", [LIST, TABLE, NARROW], ids=["list", "table", "narrow"])
def test_right_programs_are_proved(text: str, tmp_path: Path) -> None:
    assert is_proved(text, tmp_path)


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [(LIST, *c) for c in WRONG_LISTS.values()]
    + [(TABLE, *c) for c in WRONG_TABLES.values()]
    + [(NARROW, *c) for c in WRONG_NARROW.values()],
    ids=[*WRONG_LISTS, *WRONG_TABLES, *WRONG_NARROW],
)
def test_wrong_programs_are_not_proved(text: str, old: str, new: str, tmp_path: Path) -> None:
    assert old in text
    assert not is_proved(text.replace(old, new), tmp_path, seconds=3)
