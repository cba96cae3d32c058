"""Rotations at inner nodes of trees with parent pointers, in orders that leave parents wrong for a moment.

The shape analysis is asked alone. Each change leaves a child whose parent is another node at the end.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.analysis.c.shape.analyse import analyse
from kleene.c.reader import read_program
from kleene.core.verdict import kinds_of
from kleene.passes.preparation import Prepared
from kleene.results.shape import ShapeResult

SECONDS = 10.0
KINDS = kinds_of(["assert"])
ROTATION = """
#include <assert.h>
#include <stdlib.h>
extern int nondet(void);
struct nd { struct nd *left, *right, *parent; };
static struct nd *fresh(struct nd *parent) {
    struct nd *n = malloc(sizeof *n);
    if (!n) exit(1);
    n->left = n->right = NULL;
    n->parent = parent;
    return n;
}
static void rotate_right(struct nd **root, struct nd *x) {
    struct nd *y = x->left, *p = x->parent;
    x->left = y->right;
    if (x->left) x->left->parent = x;
    y->right = x;
    x->parent = y;
    y->parent = p;
    if (!p) *root = y;
    else if (p->left == x) p->left = y;
    else p->right = y;
}
int main(void) {
    struct nd *root = NULL;
    while (nondet()) {
        struct nd *n = fresh(NULL), *k = fresh(n);
        if (nondet()) { n->left = root; n->right = k; } else { n->right = root; n->left = k; }
        if (root) root->parent = n;
        root = n;
    }
    struct nd *x = root;
    while (x && nondet()) x = nondet() ? x->left : x->right;
    if (x && x->left) rotate_right(&root, x);
    for (struct nd *w = root; w; w = nondet() ? w->left : w->right) {
        if (w->left) assert(w->left->parent == w);
        if (w->right) assert(w->right->parent == w);
    }
    return 0;
}
"""
CHANGED = {
    "a child whose parent is kept": ("    if (x->left) x->left->parent = x;\n", ""),
    "a parent that is not changed": ("    x->parent = y;\n", ""),
    "a parent of the new root of the part": ("    y->parent = p;\n", ""),
    "always the left child": ("else if (p->left == x) p->left = y;\n    else p->right = y;", "else p->left = y;"),
    "the other child": ("if (p->left == x) p->left = y;\n    else p->right = y;", "if (p->left == x) p->right = y;"),
    "the test of another node": ("if (p->left == x)", "if (p->left != x)"),
}


def analysed(tmp_path: Path, text: str) -> ShapeResult:
    file = tmp_path / "rotation.c"
    file.write_text(text)
    return analyse(Prepared(read_program([str(file)])), malloc_may_fail=True, seconds=SECONDS, kinds=KINDS)


def is_proof(result: ShapeResult) -> bool:
    return result.complete and not {alarm.kind for alarm in result.alarms} & KINDS


def test_the_rotation_is_proved(tmp_path: Path) -> None:
    """It was UNKNOWN: by which cell the parent leads to x was decided only after x had another parent."""
    result = analysed(tmp_path, ROTATION)
    assert is_proof(result)
    assert "back pointers" in result.shape_class  # without cycles, since cuts come first (decision 290)


@pytest.mark.parametrize("name", CHANGED)
def test_a_changed_rotation_is_not(tmp_path: Path, name: str) -> None:
    old, new = CHANGED[name]
    assert old in ROTATION
    assert not is_proof(analysed(tmp_path, ROTATION.replace(old, new)))
