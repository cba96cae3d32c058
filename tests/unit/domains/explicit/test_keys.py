"""Runs of many operations on few keys: errors that need a tree of a certain shape, or an allocation that fails late."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kleene.analysis.c.check import check
from kleene.analysis.c.options import CheckOptions
from kleene.analysis.c.strategy import MANY_OPERATIONS
from kleene.cfa.program import CProgram
from kleene.core.verdict import Verdict
from kleene.domains.explicit.explore import explore
from kleene.domains.explicit.interpreter import replay
from kleene.domains.explicit.outside.keys import KEYS, REPEATS, key_world
from kleene.domains.explicit.outside.lengths import LengthSearch
from kleene.domains.explicit.outside.vocabulary import vocabulary_of
from kleene.domains.explicit.outside.world import WorldInputs

Read = Callable[[str], CProgram]
SECONDS = 20.0
QUICK_SECONDS = 0.5
TREE = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *left, *right; int key; };
static struct node **find(struct node **at, int key) {
    while (*at && (*at)->key != key) at = key > (*at)->key ? &(*at)->right : &(*at)->left;
    return at;
}
static void insert(struct node **root, int key) {
    struct node **at = find(root, key), *n;
    if (*at) return;
    n = malloc(sizeof *n);
    if (!n) abort();
    n->key = key; n->left = n->right = NULL;
    *at = n;
}
static void erase(struct node **root, int key) {
    struct node **at = find(root, key), *n = *at, **next, *least;
    if (!n) return;
    if (!n->left) *at = n->right;
    else if (!n->right) *at = n->left;
    else {
        next = &n->right;
        while ((*next)->left) next = &(*next)->left;
        least = *next;
        *next = least->right;
        least->left = n->left;
        least->right = n->right;
        *at = least;
    }
    free(n);
}
int main(void) {
    struct node *root = NULL;
    while (__VERIFIER_nondet_int()) {
        int key = __VERIFIER_nondet_int();
        if (__VERIFIER_nondet_int()) insert(&root, key); else erase(&root, key);
    }
    while (root) erase(&root, root->key);
    return 0;
}
"""
STEP = "while ((*next)->left) next = &(*next)->left;"
WRONG = {
    "a search for the least node that is too short": (
        STEP,
        "int n_steps = 0; while ((*next)->left && n_steps++ < 2) next = &(*next)->left;",
    ),
    "a subtree is lost deep below": (STEP, STEP + " if (next != &n->right && (*next)->right) (*next)->right = NULL;"),
    "a node of the fourth level is freed": (
        STEP,
        STEP + " if (next != &n->right && next != &n->right->left) free(*next);",
    ),
}
LATE = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next, *prev; };
int main(void) {
    struct node *list = NULL, *n, *last;
    int count = 0;
    while (__VERIFIER_nondet_int()) {
        n = malloc(sizeof *n);
        if (!n) { if (count > 6) return 1; break; }
        n->next = list; n->prev = NULL;
        if (list) list->prev = n;
        list = n;
        count++;
    }
    while (list) { last = list; list = list->next; free(last); }
    return 0;
}
"""


@pytest.mark.parametrize(("old", "new"), WRONG.values(), ids=WRONG)
def test_errors_in_removal_are_shown(lower: Read, old: str, new: str) -> None:
    """Exploration of a thousand states shows none of them: they need trees of four nodes or five."""
    assert old in TREE
    program = lower(TREE.replace(old, new))
    assert not explore(program, max_states=1000, malloc_may_fail=False, seconds=SECONDS).findings
    outcome = LengthSearch(program, malloc_may_fail=True).run(SECONDS)
    assert outcome.findings and outcome.by_keys == [True] * len(outcome.findings)
    assert replay(outcome.findings[0].trace).faults


def test_an_allocation_that_fails_late(lower: Read) -> None:
    findings = LengthSearch(lower(LATE), malloc_may_fail=True).run(SECONDS).findings
    assert {c.fault.kind for c in findings} == {"memory_leak"}
    assert not LengthSearch(lower(LATE), malloc_may_fail=False).run(QUICK_SECONDS).findings


def test_a_right_program_has_no_errors(lower: Read) -> None:
    search = LengthSearch(lower(TREE), malloc_may_fail=True)
    outcome = search.run(QUICK_SECONDS)
    assert outcome.runs > 1
    assert not outcome.findings


def test_a_program_with_such_an_error_is_false(tmp_path: Path) -> None:
    file = tmp_path / "tree.c"
    file.write_text(TREE.replace(*WRONG["a search for the least node that is too short"]))
    report = check([str(file)], CheckOptions())
    assert report.verdict is Verdict.FALSE
    assert MANY_OPERATIONS in report.shown_by.values()


@pytest.mark.parametrize(
    ("members", "branches"),
    [
        ("struct n *next; int key;", False),
        ("struct n *left, *right;", True),
        ("struct n *child[2];", True),
        ("struct n *next; struct n *slots[1];", True),
        ("void *left, *right;", False),
    ],
)
def test_which_programs_have_such_runs(lower: Read, members: str, branches: bool) -> None:
    main = "extern int __VERIFIER_nondet_int(void); int main(void) { struct n a; a.%s = 0; return %s; }"
    name = members.split("*")[1].split(",")[0].split(";")[0]
    name = f"{name.split('[')[0]}[0]" if "[" in name else name
    text = f"struct n {{ {members} }};\n"
    assert vocabulary_of(lower(text + main % (name, "__VERIFIER_nondet_int()"))).depends_on_keys == branches
    assert not vocabulary_of(lower(text + main % (name, "0"))).depends_on_keys


def test_worlds(lower: Read) -> None:
    """Numbers are 0 or one of few keys, and 0 at last; lines begin with a character of the program, or with a key."""
    program = lower(
        "#include <stdio.h>\nint main(void) { int c; while ((c = getchar()) != EOF) if (c == '-') return 1; }"
    )
    seen = set()
    for seed in range(8):
        world = key_world(seed, vocabulary_of(program), malloc_may_fail=True)
        assert world.repeats in REPEATS
        assert bool(world.fails) == bool(seed % 2)
        assert all(line[-1:].isalpha() for line in world.input.splitlines())
        seen |= {line[:1] for line in world.input.splitlines()}
        inputs = WorldInputs(world)
        numbers = [inputs._key(f"place {n % 3}") for n in range(world.repeats + 5)]
        assert set(numbers) <= set(range(KEYS + 1))
        assert numbers[world.repeats :] == [0] * 5
    assert b"-" in seen and len(seen) > 2
    assert key_world(0).input == b""
