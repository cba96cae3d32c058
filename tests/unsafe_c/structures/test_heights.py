"""Trees balanced by heights: the attempt `outcomes and loads`, alone, proves the programs as they are only.

That a child is there follows from heights: none is less than 0, and that of NULL is 0. Each change lets a height be any
number, or a comparison say something else, or a child be lost: compiled runs show it, or a number that is not set.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved_by

from kleene.c.reader import read_program
from kleene.passes.facts.nonnegative import Nonnegative
from kleene.passes.numbers.heights import HEIGHTS
from kleene.passes.prepare import whole_program

ATTEMPT = "outcomes and loads"
EXAMPLE = Path(__file__).parents[3] / "examples" / "c" / "trees" / "avl.c"
TREE = EXAMPLE.read_text(encoding="utf-8").replace("__VERIFIER_nondet_int", "nondet")
TREE = TREE.replace("#include <stdlib.h>\n", "#include <stdlib.h>\n#include <string.h>\n")
SUM = "n->height = 1 + (l > r ? l : r);"
RIGHT = {
    "differences": (),
    "comparisons": (
        ("balance(t->left) < 0", "height(t->left->left) < height(t->left->right)"),
        ("balance(t->right) > 0", "height(t->right->left) > height(t->right->right)"),
    ),
    "sums": (
        ("if (b > 1)", "if (height(t->left) > height(t->right) + 1)"),
        ("if (b < -1)", "if (height(t->left) + 1 < height(t->right))"),
    ),
    "a difference in the test": (("if (b > 1)", "if (height(t->left) - height(t->right) >= 2)"),),
    "calloc": (("malloc(sizeof *t)", "calloc(1, sizeof *t)"), ("t->height = 1; ", "")),
}
WRONG = {
    "any height": ((SUM, "n->height = nondet() + (l > r);"),),
    "a height less than 0": (("t->height = 1;", "t->height = -5;"),),
    "a difference as height": ((SUM, "n->height = l - r;"),),
    "a height that is not set": (("t->height = 1;", ""),),
    "a height that is set after it is read": (
        ("t->height = 1;", "if (balance(t) > 1) free(t->left->left); t->height = 1;"),
        ("t->key = key;", "t->key = key; t->left = t->right = NULL;"),
    ),
    "bytes": (("t->height = 1;", "memset(&t->height, 255, sizeof t->height);"),),
    "a pointer to the height": (("t->height = 1;", "t->height = 1; { int *h = &t->height; *h = nondet(); }"),),
    "a copied struct": (
        ("t->height = 1;", "{ struct node other; other.height = -3; other.left = other.right = NULL; *t = other; }"),
    ),
    "a difference of less than 0": (("if (b > 1)", "if (b < -1)"),),
    "the other child": (("balance(t->left) < 0", "balance(t->left) > 0"),),
    "the other sign": (("balance(t->right) > 0", "balance(t->right) < 0"),),
    "a subtree that is lost": (("y->left = x->right;", "y->left = NULL;"),),
    "a subtree twice": (("x->right = y;", "x->right = y->left;"),),
}


@pytest.mark.parametrize("name", [*RIGHT, *WRONG])
def test_trees_with_heights(name: str, tmp_path: Path) -> None:
    text = TREE
    for old, new in {**RIGHT, **WRONG}[name]:
        assert old in text
        text = text.replace(old, new)
    assert is_proved_by(ATTEMPT, text, tmp_path) == (name in RIGHT)


TWICE = (EXAMPLE.parent / "avl_cases.c").read_text(encoding="utf-8").replace("__VERIFIER_nondet_int", "nondet")
DECIDED = {
    "as it is": (),
    "the wrong rotation": (
        ("rotate_left(t->left); return rotate_right(t);", "rotate_left(t->left); return rotate_left(t);"),
    ),
    "a bound that holds without a child": (
        ("if (b < -1 && balance(t->right) > 0)", "if (b < 1 && balance(t->right) >= 0)"),
    ),
    "a child that is lost": (("y->left = middle;", "y->left = NULL;"),),
    "a cycle": (("y->left = middle;", "y->left = x;"),),
}
"""Tests of the balance that are made twice."""


@pytest.mark.parametrize("name", DECIDED)
def test_tests_of_the_balance_that_are_made_twice(name: str, tmp_path: Path) -> None:
    text = TWICE
    for old, new in DECIDED[name]:
        assert old in text
        text = text.replace(old, new)
    assert is_proved_by(ATTEMPT, text, tmp_path) == (name == "as it is")


ANY_HEIGHT = list(WRONG)[:8]
"""The changes after which a node may have any height."""


@pytest.mark.parametrize("name", [*RIGHT, *ANY_HEIGHT])
def test_which_heights_are_known(name: str, tmp_path: Path) -> None:
    text = TREE
    for old, new in {**RIGHT, **WRONG}[name]:
        text = text.replace(old, new)
    path = tmp_path / "tree.c"
    path.write_text(text)
    program = whole_program(read_program([str(path)]))
    known = Nonnegative(program, program.main.cfa).places
    assert bool(known) == (name in RIGHT)
    assert any(a.name == HEIGHTS for a in program.assumptions) == (name in RIGHT)


BY_REFERENCE = """
#include <stdlib.h>
extern int nondet(void);
typedef struct tree { struct tree *l, *r; int h; int v; } tree;
static int ht(tree *n) { return n ? n->h : 0; }
static tree *other;
static void add(tree **t, tree **s) {
    if (*t) { add(&(*t)->l, nondet() ? &(*t)->l : s); return; }
    *t = malloc(sizeof(tree));
    if (*t == NULL) abort();
    FIRST
    (*t)->h = 1;
}
int main(void) {
    tree *a = NULL, *b = NULL;
    add(&a, &a);
    add(&b, &a);
    if (ht(a) < ht(b)) b->v = 1;
    free(a); free(b);
    return 0;
}
"""
FIRST = {
    "other members": ("(*t)->l = NULL; (*t)->v = 3; (*t)->r = (*t)->l;", True),
    "a copy of the pointer": ("tree *n = *t; n->v = 4;", True),
    "a test of a number": ("int k = nondet(); if (k) (*t)->v = k;", True),
    "it is read": ("int k = (*t)->h;", False),
    "it is read through another pointer": ("int k = (*s)->h; (*t)->v = k;", False),
    "it is read in the store": ("(*t)->h = (*s)->h; return;", False),
    "the pointer is passed on": ("other = *t; if (other->h < 0) (*t)->v = 1;", False),
    "the place of the pointer is overwritten": (
        "tree *n = *t; *s = other; if (*t) (*t)->h = 2; *s = n; return;",
        False,
    ),
    "another place": ("t = s;", False),
    "it is not set": ("if (nondet()) return;", False),
    "another member": ("(*t)->v = 1; return;", False),
}


@pytest.mark.parametrize("name", FIRST)
def test_heights_of_blocks_behind_pointers_to_pointers(name: str, tmp_path: Path) -> None:
    first, is_known = FIRST[name]
    path = tmp_path / "tree.c"
    path.write_text(BY_REFERENCE.replace("FIRST", first))
    program = whole_program(read_program([str(path)]))
    members = {place.offset for place in Nonnegative(program, program.main.cfa).places}
    assert (16 in members) == is_known


PAIR = """
#include <stdlib.h>
extern int nondet(void);
struct node { int key; int h; struct node *next; };
static int height(struct node *n) { return n ? n->h : 0; }
static struct node *make(int h) {
    struct node *n = malloc(sizeof *n);
    if (!n) exit(1);
    n->key = 0;
    n->next = NULL;
    SET
    return n;
}
int main(void) {
    struct node *a = make(1), *b = nondet() ? make(3) : NULL;
    BODY
    free(a);
    free(b);
    return 0;
}
"""
IS_THERE = "if (height(a) < height(b)) b->key = 1;"
COUNTED = "{ int x = height(a), y = height(b); if (x < y) b->key = 1; }"
PAIRS = {
    "heights": ("n->h = h;", IS_THERE, True),
    "a sum is compared": ("n->h = h;", "if (height(a) + 1 <= height(b)) b->key = 1;", True),
    "a difference is kept": ("n->h = h;", "{ int d = height(b) - height(a), e = d; if (e > 0) b->key = 1; }", True),
    "infinity and one": ("n->h = 2147483647;", "if (height(a) + 1 <= height(b)) b->key = 1;", False),
    "an order with NULL that never holds": ("if (n < (struct node *)0) n->h = h;", IS_THERE, False),
    "a counter": ("n->h = h;", "while (nondet()) a->h += 1;" + COUNTED, False),
    "a counter with a copy": (
        "n->h = h;",
        "while (nondet()) { struct node *m = a; int k = m->h, l = k + 1; a->h = l; }" + COUNTED,
        False,
    ),
    "a counter in two variables": (
        "n->h = h;",
        "int c = 0; while (nondet()) { int d = c + 1; c = d; }"
        "{ int x = nondet() ? c : a->h, y = height(b); if (x < y) b->key = 1; }",
        False,
    ),
    "large steps": (
        "n->h = h;",
        "struct node *m = make(1); while (nondet()) { m->h = height(a) + 65536; a->h = height(m); } free(m);" + COUNTED,
        False,
    ),
    "a difference without a value": (
        "n->h = h;",
        "int i = 0; again: ; int d; if (!i) { i = 1; d = height(b) - height(a); goto again; } if (d > 0) b->key = 1;",
        False,
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_what_is_a_height(name: str, tmp_path: Path) -> None:
    setting, body, is_right = PAIRS[name]
    text = PAIR.replace("SET", setting).replace("BODY", body)
    assert is_proved_by("plain", text.replace("exit(1)", "abort()"), tmp_path) == is_right


def test_sums_behind_a_comparison_are_assumptions(tmp_path: Path) -> None:
    path = tmp_path / "tree.c"
    body = "a->h = height(b) + 1;\n if (height(a) + 1 <= height(b)) b->key = 1;"
    path.write_text(PAIR.replace("SET", "n->h = h;").replace("BODY", body))
    program = whole_program(read_program([str(path)]))
    (assumed,) = [a for a in program.assumptions if a.name == HEIGHTS]
    assert "line 16, 17" in assumed.text
