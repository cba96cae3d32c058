"""Structs as arguments and results of recursive functions: the shape analysis, alone, proves the right programs only.

Such functions are analysed apart, with the scalars of the structs: each wrong program loses a part on the way, keeps
one that is not valid any more, or accesses a block that is too small for the whole struct.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slices import in_exam
from tests.unsafe_c.alone import is_clean

SPLIT = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
typedef struct node { struct node *left, *right; int key; } node;
typedef struct { node *l, *r; } pair;
static pair split(node *t, int key) {
    pair p = {NULL, NULL}, q;
    if (!t) return p;
    if (t->key < key) { q = split(t->right, key); t->right = q.l; p.l = t; p.r = q.r; }
    else { q = split(t->left, key); t->left = q.r; p.l = q.l; p.r = t; }
    return p;
}
static void end(node *t) { if (t) { end(t->left); end(t->right); free(t); } }
int main(void) {
    node *root = NULL;
    while (__VERIFIER_nondet_int()) {
        node *n = malloc(sizeof *n);
        if (!n) continue;
        n->key = __VERIFIER_nondet_int();
        pair p = split(root, n->key);
        n->left = p.l; n->right = p.r;
        root = n;
    }
    end(root);
    return 0;
}
"""
QUEUE = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct cell { struct cell *next; };
struct queue { struct cell *head, *tail; double weight; char last; };
static struct queue fill(struct queue q, int n) {
    struct cell *c;
    if (n <= 0 || !(c = malloc(sizeof *c))) return q;
    c->next = NULL;
    if (q.tail) q.tail->next = c; else q.head = c;
    q.tail = c; q.weight += 1;
    q = fill(q, n - 1);
    return q;
}
static struct queue again(struct queue *q, int n) {
    if (n > 0) { *q = fill(*q, __VERIFIER_nondet_int()); return again(q, n - 1); }
    return *q;
}
int main(void) {
    struct queue *q = malloc(sizeof *q);
    if (!q) return 1;
    q->head = q->tail = NULL; q->weight = 0; q->last = 0;
    *q = again(q, __VERIFIER_nondet_int());
    while (q->head) { struct cell *n = q->head->next; free(q->head); q->head = n; }
    free(q);
    return 0;
}
"""
RIGHT = {"split": SPLIT, "queue": QUEUE}
WRONG = {
    "a part that is not taken": (SPLIT, "t->left = q.r;", ""),
    "a part that is taken twice": (SPLIT, "p.l = q.l;", "p.l = q.r;"),
    "the result is not read": (SPLIT, "pair p = split(root, n->key)", "pair p = {root, NULL}; split(root, n->key)"),
    "parts exchanged at the end": (SPLIT, "n->left = p.l;", "n->left = p.r;"),
    "a part that was not initialized": (
        SPLIT,
        "pair p = {NULL, NULL}, q;\n    if (!t)",
        "pair p, q; p.l = NULL; if (!t)",
    ),
    "the result of the first call is lost": (QUEUE, "*q = again(q,", "again(q, 1); q->head = NULL; *q = again(q,"),
    "an old copy of the argument": (QUEUE, "    q = fill(q, n - 1);\n", "    fill(q, n - 1);\n"),
    "an end that is gone": (QUEUE, "while (q->head)", "while (q->tail)"),
    "a block without the padding": (QUEUE, "malloc(sizeof *q)", "malloc(sizeof *q - 7)"),
    "a block that ended": (QUEUE, "    *q = again(q,", "    if (q->head == NULL) free(q);\n    *q = again(q,"),
}
QUICK = ("split", "queue", "an end that is gone", "a block that ended", "a block without the padding")


@pytest.mark.parametrize("name", [n if n in QUICK else pytest.param(n, marks=in_exam) for n in (*RIGHT, *WRONG)])
def test_structs_of_recursive_functions(name: str, tmp_path: Path) -> None:
    text = RIGHT.get(name)
    if text is None:
        text, old, new = WRONG[name]
        assert old in text
        text = text.replace(old, new)
    assert is_clean(text, tmp_path) == (name in RIGHT)
