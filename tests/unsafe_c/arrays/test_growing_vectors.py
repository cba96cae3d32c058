"""Vectors of owned pointers that double their capacity, and heaps: the attempt `owned`, alone, proves what is right.

Capacities of `int` from 0 on are multiples of 4, so ``2 * max + 4`` is larger or less than 0 (decision 370). With other
sums it is 0 or less than before once: the block would shrink, or end. Each other change makes a block be lost, used or
freed again, or an index be outside.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slices import in_exam
from tests.unsafe_c.alone import is_proved_by

VECTOR = """
#include <stdlib.h>
extern int nondet(void);
struct item { int id; };
struct vector { struct item **items; int len, max; };
static int push(struct vector *v, struct item *x) {
    if (v->len == v->max) {
        int max = v->max * 2 + 4;
        struct item **items = realloc(v->items, max * sizeof *items);
        if (!items) return 0;
        v->items = items;
        v->max = max;
    }
    v->items[v->len++] = x;
    return 1;
}
int main(void) {
    struct vector v = { NULL, 0, 0 };
    while (nondet()) {
        struct item *x = malloc(sizeof *x);
        if (!x) break;
        if (!push(&v, x)) { free(x); break; }
    }
    while (v.len > 0) free(v.items[--v.len]);
    free(v.items);
    return 0;
}
"""
VECTORS: dict[str, tuple[str, str]] = {
    "": ("", ""),
    "by a shift": ("v->max * 2 + 4", "(v->max << 1) + 4"),
    "from 1 on": ("v->max * 2 + 4", "2 * v->max + 1"),
}
WRONG_VECTORS = {
    "a sum that wraps to a small number": ("v->max * 2 + 4", "v->max * 2 + 6"),
    "four times as much": ("v->max * 2 + 4", "v->max * 4 + 4"),
    "a first capacity between": ("NULL, 0, 0", "malloc(24), 0, 3"),
    "no growth": ("v->len == v->max", "v->len > v->max"),
    "late growth": ("v->len == v->max", "v->len == v->max + 1"),
    "bytes": ("max * sizeof *items", "max + sizeof *items"),
    "the old array": ("v->items = items;", ""),
    "a capacity that is larger": ("v->max = max;", "v->max = max + 1;"),
    "the first stays": ("while (v.len > 0)", "while (v.len > 1)"),
    "one too many": ("while (v.len > 0)", "while (v.len >= 0)"),
    "the array stays": ("free(v.items);", ""),
    "the element stays": ("{ free(x); break; }", "break;"),
}
HEAP = """
#include <stdlib.h>
extern int nondet(void);
struct task { int prio; };
struct heap { struct task *a[100]; size_t n; };
static struct task *pop(struct heap *q) {
    if (q->n == 0) return NULL;
    struct task *top = q->a[0];
    q->a[0] = q->a[--q->n];
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child + 1 < q->n && q->a[child + 1]->prio < q->a[child]->prio) child++;
        if (child >= q->n || q->a[i]->prio <= q->a[child]->prio) break;
        struct task *t = q->a[i];
        q->a[i] = q->a[child];
        q->a[child] = t;
        i = child;
    }
    return top;
}
int main(void) {
    struct heap q;
    struct task *t;
    q.n = 0;
    while (nondet()) {
        if (nondet()) { free(pop(&q)); continue; }
        if (q.n == 100) break;
        t = malloc(sizeof *t);
        if (!t) break;
        t->prio = nondet();
        q.a[q.n++] = t;
    }
    while ((t = pop(&q)) != NULL) free(t);
    return 0;
}
"""
WRONG_HEAPS = {
    "no test whether it is full": ("if (q.n == 100) break;", ""),
    "full is tested late": ("if (q.n == 100) break;", "if (q.n > 100) break;"),
    "the length stays": ("q->a[--q->n]", "q->a[q->n - 1]"),
    "an element is copied": ("q->a[child] = t;", ""),
    "the last is lost": ("q->a[0] = q->a[--q->n]", "q->a[0] = q->a[(--q->n) / 2]"),
    "one is left": ("if (q->n == 0)", "if (q->n <= 1)"),
    "NULL is no end": ("if (q->n == 0) return NULL;", ""),
}


def _changed(text: str, change: tuple[str, str]) -> str:
    old, new = change
    assert old in text
    return text.replace(old, new, 1) if old else text


@pytest.mark.parametrize("name", ["", "no growth", "the old array"])
def test_vectors(name: str, tmp_path: Path) -> None:
    change = {**VECTORS, **WRONG_VECTORS}[name]
    assert is_proved_by("owned", _changed(VECTOR, change), tmp_path) == (name in VECTORS)


@in_exam
@pytest.mark.parametrize("name", [*VECTORS, *WRONG_VECTORS])
def test_all_vectors(name: str, tmp_path: Path) -> None:
    change = {**VECTORS, **WRONG_VECTORS}[name]
    assert is_proved_by("owned", _changed(VECTOR, change), tmp_path) == (name in VECTORS)


@in_exam
@pytest.mark.parametrize("name", ["", *WRONG_HEAPS])
def test_heaps(name: str, tmp_path: Path) -> None:
    assert is_proved_by("owned", _changed(HEAP, WRONG_HEAPS.get(name, ("", ""))), tmp_path) == (not name)
