"""Which members are guessed to point back: by their names, or by stores that make two members inverse."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.coverage.helpers import read

from kleene.passes.preparation import Prepared
from kleene.semantics.vocabulary.back_cells import back_cells

HEAD = """
#include <stdlib.h>
struct node { struct node *one, *two, *three; };
int main(void) {
    struct node *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b), *c;
    if (!a || !b) abort();
"""
GUESSES = {
    "a list": ("a->one = b; b->two = a;", {"two"}),
    "a list that is walked along the second member": ("a->one = b; b->two = a; c = b->two; c = c->two;", {"one"}),
    "a tree": ("a->one = b; a->two = NULL; b->one = b->two = NULL;", set()),
    "a rotation": ("a->one = b; c = b->two; a->one = c; b->two = a;", set()),
    "two children that lead to one parent": ("a->one = b; b->three = a; a->two = b;", {"three"}),
    "three members, each inverse to another": ("a->one = b; b->two = a; a->two = b; b->three = a;", set()),
}


@pytest.mark.parametrize("name", GUESSES)
def test_members_that_are_inverse(name: str, tmp_path: Path) -> None:
    body, expected = GUESSES[name]
    path = tmp_path / "program.c"
    path.write_text(f"{HEAD}{body} return 0; }}\n")
    assert back_cells(Prepared(read(path)).memory) == expected
