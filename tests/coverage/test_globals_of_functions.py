"""Functions that are analysed apart know the global variables that they name, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.coverage.helpers import attacked, is_proof, proof

TREE = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *left, *right; };
static struct node *root;
static int count;
static void clear(struct node *n) { if (!n) return; clear(n->left); clear(n->right); free(n); }
int main(void) {
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        if (!n) abort();
        n->left = root; n->right = NULL;
        root = n;
        count = 1;
    }
    clear(root);
    return count - count;
}
"""


@pytest.mark.parametrize("domain", ["shape", "fesa"])
def test_a_global_that_a_recursive_function_does_not_name_is_left_open(tmp_path: Path, domain: str) -> None:
    """`root` was drawn in the states of `clear`, whose structures do not have it: a right proof was refuted."""
    path = tmp_path / "tree.c"
    path.write_text(TREE)
    program, result = proof(path, domain)
    assert is_proof(result)
    coverage = attacked(program, result)
    assert coverage.refuted is None
    assert coverage.states > 20
