"""Cells that die behind their last read: the attempts alone, with reads from runs, and with all reads of the program.

Every change is an error. Where a cell dies too early, what reads it again must have an alarm.
"""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path
from unittest.mock import patch

import pytest
from tests.slices import in_exam

from kleene.analysis.c.shape import analyse as series
from kleene.analysis.c.shape.analyse import analyse_by_attempt
from kleene.analysis.c.shape.attempts import ATTEMPTS
from kleene.c.reader import read_program
from kleene.passes.attempts.moves import Read, Store
from kleene.passes.preparation import Prepared

SECONDS = 30.0
MOST_STRUCTURES = 60_000
"""Structures of an attempt at a wrong program; the right ones need at most 55,000."""
MOST_OF_AVL = 300_000
EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "c" / "trees"
SPLAY = (EXAMPLES / "splay.c").read_text()
MOVES, WITH_LOADS = (attempt for attempt in ATTEMPTS if attempt.finds_moves)
WRONG_SPLAYING = {
    "what is larger is lost": ("larger->left = t->right;", ""),
    "the left tree twice": ("t->right = header.left;", "t->right = header.right;"),
    "no test for a child": ("if (!t->left) break;", ""),
    "a child that stays where it was": ("t->left = child->right; child->right = t;", "child->right = t;"),
    "the root stays linked": ("t = remove_root(t); }", "remove_root(t); }"),
    "a subtree is left out": ("last->right = t->right;", ""),
    "a link that is followed before it is written": (
        "larger->left = t; larger = t; t = t->left;",
        "larger->left = t; larger = t; t = t->left; if (larger->left->key == 77) free(larger->left);",
    ),
}
START = """
#include <stdlib.h>
extern int nondet(void);
struct node { struct node *left, *right; int key; };
int main(void) {
    struct node *n = calloc(1, sizeof *n), *p, *q;
    if (!n) return 0;
    n->left = calloc(1, sizeof *n);
    n->right = NULL;
"""
READ_AGAIN = {
    "freed twice": "p = n->left; q = n->left; free(p); free(q);",
    "accessed when it was freed": "p = n->left; q = n->left; free(q); if (p) p->key = 1;",
    "lost where two reads are equal": "p = n->left; q = n->left; if (p != q) free(p);",
    "lost where a read is NULL": "p = n->left; if (p && !n->left) return 0; if (!n->left) free(p);",
    "lost where it is stored again": "p = n->left; n->right = n->left; if (n->right) return 0; free(p);",
    "cut off by a copy": "p = n->left; n->right = n->left; n->left = NULL; p = n->right; n->right = NULL;",
    "freed through a struct": "struct node c; p = n->left; c = *n; free(p); free(c.left);",
}


SORT = (EXAMPLES.parent / "dll" / "merge_sort.c").read_text()
CHECK = "free(list);\n", "if (next && next->prev != list) abort(); free(list);\n"
WRONG_SORTING = {
    "the first half keeps the second one": ("slow->next = NULL;", ""),
    "the second half is lost": ("return merge(list, sort(half));", "return list;"),
    "what leads back is not written": ("first->next->prev = first;", ""),
    "what leads back is freed": ("list = next;\n", "list = next; if (list) free(list->prev);\n"),
    "it is followed before it is sorted": ("list = sort(list);\n    while", "if (list) free(list->prev);\n    while"),
    "it is followed while it is sorted": ("slow->next = NULL;", "slow->next = NULL; free(half->prev);"),
}
"""What leads back is written for nothing before the list is sorted."""


def proves(
    folder: Path, text: str, attempt=MOVES, reads: Set[Read | Store] | None = None, most: int = MOST_STRUCTURES
) -> bool:
    file = folder / "moves.c"
    file.write_text(text)
    prepared = Prepared(read_program([str(file)]))
    known = {"malloc_may_fail": True, "seconds": SECONDS, "max_structures": most}
    if reads is None:
        result = analyse_by_attempt(prepared, attempt, **known)
    else:
        with patch.object(series, "last_reads", lambda *_: reads):
            result = analyse_by_attempt(prepared, attempt, **known)
    return result is not None and result.complete and not result.alarms


def all_reads(folder: Path, text: str) -> frozenset[Read]:
    """All locations with the offsets of both children."""
    file = folder / "all.c"
    file.write_text(text)
    program = read_program([str(file)])
    locations = [edge.source for function in program.functions.values() for edge in function.cfa.edges]
    return frozenset((location, offset) for location in locations for offset in (0, 8))


def test_it_proves_splaying(tmp_path: Path) -> None:
    assert proves(tmp_path, SPLAY)


@pytest.mark.parametrize(("old", "new"), WRONG_SPLAYING.values(), ids=WRONG_SPLAYING)
def test_wrong_splaying_is_not_proved(tmp_path: Path, old: str, new: str) -> None:
    assert old in SPLAY
    assert not proves(tmp_path, SPLAY.replace(old, new))


@pytest.mark.parametrize("part", READ_AGAIN.values(), ids=READ_AGAIN)
@pytest.mark.parametrize("attempt", [MOVES, WITH_LOADS], ids=lambda attempt: attempt.name)
def test_wrong_reads_prove_nothing_wrong(tmp_path: Path, part: str, attempt) -> None:
    text = f"{START}    {part}\n    free(n);\n    return 0;\n}}\n"
    assert not proves(tmp_path, text, attempt, all_reads(tmp_path, text))


def test_a_pointer_that_is_moved_and_freed_is_proved_with_all_reads(tmp_path: Path) -> None:
    text = f"{START}    p = n->left; n->right = p; q = n->right; free(q);\n    free(n);\n    return 0;\n}}\n"
    assert proves(tmp_path, text, reads=all_reads(tmp_path, text))


def test_it_proves_sorting_where_what_leads_back_is_read_at_last(tmp_path: Path) -> None:
    assert proves(tmp_path, SORT.replace(*CHECK))


@pytest.mark.parametrize(("old", "new"), WRONG_SORTING.values(), ids=WRONG_SORTING)
def test_wrong_sorting_is_not_proved(tmp_path: Path, old: str, new: str) -> None:
    text = SORT.replace(*CHECK)
    assert old in text
    assert not proves(tmp_path, text.replace(old, new))


STORES = {
    "freed twice": "n->left->parent = n; free(n->left->parent); free(n->left);",
    "lost where it is compared": "n->left->parent = n; if (n->left->parent == n) return 0; free(n->left);",
    "lost where it is not NULL": "n->left->parent = n; if (n->left->parent) return 0; free(n->left);",
    "lost where it is NULL": "n->left->parent = NULL; if (!n->left->parent) return 0; free(n->left);",
    "a copy of it is freed": "n->left->parent = n->left; p = n->left->parent; free(p); p->key = 1;",
    "read with the struct": "struct node c; n->left->parent = n; c = *n->left; free(n->left); free(c.parent);",
    "what it reads is NULL": "n->left->parent = n->right->left; free(n->left);",
}


@pytest.mark.parametrize("part", STORES.values(), ids=STORES)
@pytest.mark.parametrize("attempt", [MOVES, WITH_LOADS], ids=lambda attempt: attempt.name)
def test_wrong_stores_prove_nothing_wrong(tmp_path: Path, part: str, attempt) -> None:
    start = START.replace("*left, *right;", "*left, *right, *parent;")
    text = f"{start}    if (!n->left) {{ free(n); return 0; }}\n    {part}\n    free(n);\n    return 0;\n}}\n"
    stores = {Store(location, 16) for location, _ in all_reads(tmp_path, text)}
    assert not proves(tmp_path, text, attempt, stores)


def test_a_store_for_nothing_is_proved_with_all_stores(tmp_path: Path) -> None:
    start = START.replace("*left, *right;", "*left, *right, *parent;")
    text = f"{start}    if (n->left) n->left->parent = n;\n    free(n->left);\n    free(n);\n    return 0;\n}}\n"
    assert proves(tmp_path, text, reads={Store(location, 16) for location, _ in all_reads(tmp_path, text)})


@in_exam
@pytest.mark.parametrize(
    ("old", "new"),
    {
        "a subtree is lost": ("least->left = l;", "least->left = NULL;"),
        "the node stays linked": ("*least = n; return n->right;", "*least = n; return n;"),
        "a rotation loses a child": ("y->left = x->right;", ""),
        "no test for an empty subtree": ("if (!r) return l;", ""),
        "it is accessed when it was freed": ("least->left = l;", "least->left = n->left;"),
    }.values(),
)
def test_wrong_removal_from_an_avl_tree_is_not_proved(tmp_path: Path, old: str, new: str) -> None:
    text = (EXAMPLES / "avl_remove.c").read_text()
    assert old in text
    assert not proves(tmp_path, text.replace(old, new), WITH_LOADS, most=MOST_OF_AVL)
