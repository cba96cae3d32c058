"""A tree that ends in one node outside the heap, and wrong changes of it: the attempt that proves it, alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved_by

from kleene.analysis.c.shape.analyse import analyse_by_attempt
from kleene.analysis.c.shape.attempts import ATTEMPTS
from kleene.c.reader import read_program
from kleene.passes.preparation import Prepared

TREE = (Path(__file__).resolve().parents[3] / "examples" / "c" / "trees" / "sentinel.c").read_text()
ATTEMPT = "comparisons"
ZEROED = TREE.replace("malloc(sizeof *z)", "calloc(1, sizeof *z)")
IN_A_STRUCT = (
    TREE.replace("static struct node nil = {", "static struct { int n; struct node nil; } tree = { 0,")
    .replace("nil.key", "tree.nil.key")
    .replace("&nil", "&tree.nil")
)
WRONG = {
    "no children": ("z->left = z->right = &nil;", ""),
    "a child is NULL": ("z->left = z->right = &nil;", "z->left = &nil; z->right = NULL;"),
    "the wrong child": ("p->right = z;", "p->left = z;"),
    "no test for a failure": ("if (!z) return;", ""),
    "a failure is taken for the end": ("if (!z) return;", "if (z == &nil) return;"),
    "the root is lost": ("root = z;", ";"),
    "the end is freed": ("clear(root);\n", "clear(root); free(&nil);"),
    "the root is freed twice": ("clear(root);\n", "clear(root); if (root != &nil) free(root);"),
    "the root is accessed when it was freed": ("clear(root);\n", "clear(root); if (root != &nil) root->key = 1;"),
    "the end is freed as the root": ("clear(root);\n", "if (root == &nil) free(root); else clear(root);"),
    "a subtree is lost": ("clear(x->right);", ""),
    "a node is freed before its children": ("clear(x->left);", "free(x); clear(x->left);"),
    "a link of the end is NULL": ("clear(root);\n", "nil.left = NULL; clear(root); if (nil.left->key) return 1;"),
    "a node is cut off": ("return x != &nil;", "x->left = &nil; return 0;"),
    "a node that the end leads to is freed": (
        "return x != &nil;",
        "nil.left = x; if (x != &nil) free(nil.left); return 0;",
    ),
    "NULL is accessed": ("return x != &nil;", "if (x == &nil) { x = NULL; x->key = 1; } return 0;"),
    "the root is set to zero through a pointer to anything": (
        "clear(root);\n",
        "clear(root); void *at = &root; __builtin_memset(at, 0, sizeof root); root->key = 1; root = &nil;",
    ),
    "the end has no links": ("clear(root);\n", "clear(root); nil.left = NULL; nil.left->left = &nil;"),
}


@pytest.mark.parametrize("text", [TREE, ZEROED, IN_A_STRUCT], ids=["plain", "zeroed", "in a struct"])
def test_a_tree_that_ends_in_a_node_is_proved(tmp_path: Path, text: str) -> None:
    assert is_proved_by(ATTEMPT, text, tmp_path)


def test_the_name_of_the_proof_says_what_null_stands_for(tmp_path: Path) -> None:
    """The pictures show NULL where the program has the address of the node."""
    file = tmp_path / "program.c"
    file.write_text(IN_A_STRUCT)
    prepared = Prepared(read_program([str(file)]))
    result = analyse_by_attempt(prepared, ATTEMPTS[0], malloc_may_fail=True, seconds=60, max_structures=100)
    assert result is not None and "with NULL in place of &tree.nil" in result.shape_class


@pytest.mark.parametrize(("old", "new"), WRONG.values(), ids=WRONG)
def test_a_wrong_one_is_not(tmp_path: Path, old: str, new: str) -> None:
    assert old in TREE
    assert not is_proved_by(ATTEMPT, TREE.replace(old, new), tmp_path)
