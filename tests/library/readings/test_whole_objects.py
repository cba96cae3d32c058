"""Which calls of a function are admissible, as the names of its parameters and its siblings say."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.analysis.c.library.check import check_library
from kleene.analysis.c.options import check_options
from kleene.core.verdict import Verdict

_SECONDS = 30.0
TREE = """
#include <stdlib.h>
struct tree { int key; struct tree *left, *right; };
struct tree *insert(struct tree *root, int key) {
    if (!root) {
        struct tree *t = malloc(sizeof *t);
        if (t) { t->key = key; t->left = t->right = NULL; }
        return t;
    }
    if (key < root->key) root->left = insert(root->left, key);
    else root->right = insert(root->right, key);
    return root;
}
int least(struct tree *root) { TEST while (root->left) root = root->left; return root->key; }
void drop(struct tree *root) { if (root) { drop(root->left); drop(root->right); free(root); } }
"""
RING = """
#include <stdlib.h>
typedef struct cell { int v; struct cell *next, *prev; } cell;
cell *ring_append(cell *l, int v) {
    cell *n = malloc(sizeof *n);
    if (!n) return NULL;
    n->v = v;
    if (!l) { n->next = n->prev = n; return n; }
    n->prev = l->prev; n->next = l; l->prev->next = n; l->prev = n;
    return l;
}
cell *ring_append_list(cell *a, cell *b) {
    cell *last;
    if (!a) return b;
    if (!b) return a;
    a->prev->next = b; b->prev->next = a;
    last = a->prev; a->prev = b->prev; b->prev = last;
    return JOINED;
}
cell *ring_remove(cell *l) {
    cell *n;
    if (!l) return NULL;
    if (l->next == l) { free(l); return NULL; }
    n = l->next; l->prev->next = n; n->prev = l->prev;
    free(l);
    return n;
}
"""
LIST = """
#include <stdlib.h>
struct node { struct node *next; int v; };
struct list { struct node *first; };
struct list *list_new(void) { struct list *l = malloc(sizeof *l); if (l) l->first = NULL; return l; }
int list_add(struct list *l, struct node *before) {
    struct node *n = malloc(sizeof *n);
    if (!n) return -1;
    n->v = 1;
    if (!before) { n->next = l->first; l->first = n; } else { n->next = before->next; before->next = n; }
    return 0;
}
int list_cut(struct list *l, struct node *before) {
    struct node *n = BEFORE;
    if (!n) return -1;
    if (before) before->next = n->next; else l->first = n->next;
    free(n);
    return 0;
}
void list_free(struct list *l) {
    while (l->first) { struct node *n = l->first; l->first = n->next; free(n); }
    free(l);
}
"""
EXITS = """
#include <stdio.h>
#include <stdlib.h>
struct node { struct node *next; };
struct stack { struct node *top; };
static void *need(size_t size) {
    void *p = malloc(size);
    if (!p) { fprintf(stderr, "no memory\\n"); exit(1); }
    return p;
}
struct stack *stack_new(void) { struct stack *s = need(sizeof *s); s->top = NULL; return s; }
void stack_push(struct stack *s) { struct node *n = need(sizeof *n); n->next = s->top; s->top = n; }
void stack_free(struct stack *s) {
    while (s->top) { struct node *n = s->top; s->top = n->next; FREE }
    free(s);
}
"""


def _verdicts(text: str, folder: Path) -> dict[str, Verdict]:
    path = folder / "library.c"
    path.write_text(text, encoding="utf-8")
    return {f.name: f.verdict for f in check_library(str(path), check_options(timeout=_SECONDS)).functions}


@pytest.mark.parametrize(
    "text",
    [
        TREE.replace("TEST", "if (!root) return 0;"),
        LIST.replace("BEFORE", "before ? before->next : l->first"),
        EXITS.replace("FREE", "free(n);"),
        RING.replace("JOINED", "a"),  # its name says that it adds an element, and it joins two lists
    ],
)
def test_it_is_proved(text: str, tmp_path: Path) -> None:
    assert set(_verdicts(text, tmp_path).values()) == {Verdict.TRUE}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (TREE.replace("TEST", ""), "least"),  # the root may be NULL, though an element may not
        (LIST.replace("BEFORE", "before->next"), "list_cut"),  # it is called as list_add is
        (RING.replace("JOINED", "NULL"), "ring_append_list"),
        (EXITS.replace("FREE", ""), "stack_free"),  # an exit hides no leak of others
    ],
)
def test_it_has_an_error(text: str, name: str, tmp_path: Path) -> None:
    assert _verdicts(text, tmp_path)[name] is Verdict.FALSE
