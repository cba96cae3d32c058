"""Simulations that were given up are tried again with more structures (decision 207)."""

from __future__ import annotations

import pytest
from tests.refine.helpers import refined, written
from tests.slices import in_exam

from kleene.refine.loop import SAFE, RefineOptions

PROGRAM = """
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *left, *right, *parent; };
static struct node *fresh(struct node *up) {
    struct node *n = malloc(sizeof *n);
    if (!n) abort();
    n->left = NULL; n->right = NULL; n->parent = up;
    return n;
}
static struct node *rotate(struct node *root, struct node *x) {
    struct node *y = x->right;
    if (y == NULL) return root;
    x->right = y->left;
    if (y->left) y->left->parent = x;
    y->parent = x->parent;
    if (x->parent == NULL) root = y;
    else if (x == x->parent->left) x->parent->left = y;
    else x->parent->right = y;
    y->left = x;
    x->parent = y;
    return root;
}
int main(void) {
    struct node *root = fresh(NULL);
    while (__VERIFIER_nondet_int()) {
        struct node *p = root;
        for (;;) {
            if (__VERIFIER_nondet_int()) {
                if (p->left == NULL) { p->left = fresh(p); break; }
                p = p->left;
            } else {
                if (p->right == NULL) { p->right = fresh(p); break; }
                p = p->right;
            }
        }
    }
    struct node *x = root;
    while (__VERIFIER_nondet_int()) {
        struct node *next = __VERIFIER_nondet_int() ? x->left : x->right;
        if (next == NULL) break;
        x = next;
    }
    root = rotate(root, x);
    struct node *q = root;
    while (q != NULL) {
        struct node *c = __VERIFIER_nondet_int() ? q->left : q->right;
        if (c != NULL) assert(c->parent == q);
        q = c;
    }
    return 0;
}
"""


@in_exam
def test_a_rotation_at_an_inner_node_of_a_tree_that_was_built(tmp_path):
    """All simulations were given up at 3,000 structures, and the program was left to the other analysis."""
    result = refined(written(tmp_path, PROGRAM), "assert", options=RefineOptions(hint="treep"))
    assert result.outcome == SAFE
    assert result.abstraction.generator.name == "treep"
    assert {trial.generator.name for each in result.rounds for trial in each.trials} <= {"treep", "tree", "dll", "sll"}


@in_exam
@pytest.mark.parametrize(
    "right,wrong",
    [
        ("    if (y->left) y->left->parent = x;\n", ""),
        ("    y->parent = x->parent;\n", ""),
    ],
)
def test_wrong_rotations_are_not_proved(tmp_path, right, wrong):
    assert PROGRAM.count(right) == 1
    program = written(tmp_path, PROGRAM.replace(right, wrong))
    options = RefineOptions(hint="treep", max_rounds=10, max_structures=30_000)
    assert refined(program, "assert", options=options).outcome != SAFE


LINKS_FIRST = """
    struct node *b = y->left, *p = x->parent;
    y->left = x;
    x->right = b;
    x->parent = y;
    if (b) b->parent = x;
    y->parent = p;
    if (p == NULL) root = y;
    else if (p->left == x) p->left = y;
    else p->right = y;
    return root;
"""


def links_first(changed: str = "", new: str = "") -> str:
    """The program with a rotation that closes a cycle of children and one of parents for some statements."""
    assert changed in LINKS_FIRST
    start = PROGRAM.index("    x->right = y->left;")
    end = PROGRAM.index("    return root;\n}") + len("    return root;\n")
    return PROGRAM[:start] + LINKS_FIRST.replace(changed, new).lstrip("\n") + PROGRAM[end:]


@in_exam
def test_a_rotation_that_links_first(tmp_path):
    """The step `y->left = x` closed a cycle, and `treep` assumes that there is none: UNKNOWN (decision 290)."""
    result = refined(written(tmp_path, links_first()), "assert", options=RefineOptions(hint="treep"))
    assert result.outcome == SAFE
    assert result.abstraction.generator.name == "treep"


@in_exam
@pytest.mark.parametrize(
    "right,wrong",
    [
        ("    x->parent = y;\n", ""),
        ("    if (b) b->parent = x;\n", ""),
        ("    x->right = b;\n", ""),
        ("    y->parent = p;\n", "    y->parent = x;\n"),
        ("p->left = y;", "p->right = y;"),
    ],
)
def test_wrong_rotations_that_link_first_are_not_proved(tmp_path, right, wrong):
    program = written(tmp_path, links_first(right, wrong))
    options = RefineOptions(hint="treep", max_rounds=10, max_structures=30_000)
    assert refined(program, "assert", options=options).outcome != SAFE
