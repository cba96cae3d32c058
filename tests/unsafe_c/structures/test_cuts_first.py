"""Stores that come before others in the analysis: no program whose error depends on their order is proved.

The shape analysis is asked alone (`passes/pointers/cut_first.py`).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved_by

NODE = """
#include <stdlib.h>
struct node { struct node *left, *right; };
struct outer;
struct inner { struct outer *left, *up; };
struct outer { long number; struct inner in; };
int main(void) { BODY return 0; }
"""
WRONG = {
    "the object ends between": """
        struct node *y = calloc(1, sizeof *y), *x;
        if (!y) return 0;
        { struct node own; own.left = y; own.right = 0; x = &own; y = x->left; y->right = x; }
        x->left = NULL; y->right = NULL; free(y);""",
    "members of one object and of a part of it": """
        struct outer *o = calloc(1, sizeof *o);
        if (!o) return 0;
        struct inner *y = &o->in;
        y->up = o;
        struct outer *x = y->up;
        y->left = x; x->in.left = NULL;
        y->left->number = 1; free(o);""",
}


@pytest.mark.parametrize("name", WRONG)
def test_no_proof(name: str, tmp_path: Path) -> None:
    """The write behind the end of the object came before it; of two writes to one cell the wrong one was the last."""
    assert not is_proved_by("plain", NODE.replace("BODY", WRONG[name]), tmp_path)
