"""Runs of many operations on few keys: errors that need a tree of a certain shape, or an allocation that fails late."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kleene.analysis.c.check import check
from kleene.analysis.c.options import CheckOptions
from kleene.analysis.c.strategy import MANY_OPERATIONS
from kleene.cfa.operations import READ_BYTE, READ_NUMBER, WORD_LENGTH
from kleene.cfa.program import CProgram
from kleene.core.verdict import Verdict
from kleene.domains.explicit.explore import explore
from kleene.domains.explicit.interpreter import replay
from kleene.domains.explicit.outside.keys import KEYS, REPEATS, key_world
from kleene.domains.explicit.outside.lengths import LengthSearch
from kleene.domains.explicit.outside.vocabulary import vocabulary_of
from kleene.domains.explicit.outside.world import World, WorldInputs

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


COMMANDS = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct item { char *name; struct item *next; };
static struct item *items;
int main(void) {
    char line[64];
    while (fgets(line, sizeof line, stdin)) {
        char *command = strtok(line, " \\n"), *name = strtok(NULL, " \\n");
        if (!command || !name) continue;
        if (!strcmp(command, "add")) {
            struct item *n = malloc(sizeof *n);
            if (!n) break;
            n->name = strdup(name);
            if (!n->name) { free(n); break; }
            n->next = items;
            items = n;
        } else if (!strcmp(command, "drop")) {
            struct item **at = &items, *old;
            while (*at && strcmp((*at)->name, name)) at = &(*at)->next;
            if ((old = *at)) { *at = old->next; free(old->name); free(old); }
        }
    }
    while (items) { struct item *old = items; items = old->next; free(old->name); free(old); }
    return 0;
}
"""


def test_commands_with_names_show_errors_of_an_order_of_operations(lower: Read) -> None:
    """A node is used again only after the same name was added and dropped: short inputs have one command each."""
    outcome = LengthSearch(lower(COMMANDS.replace("*at = old->next; ", "")), malloc_may_fail=True).run(SECONDS)
    assert outcome.findings and outcome.by_keys[0]
    assert replay(outcome.findings[0].trace).faults
    right = LengthSearch(lower(COMMANDS), malloc_may_fail=True).run(QUICK_SECONDS)
    assert right.runs > 1 and not right.findings


def test_lines_of_commands(lower: Read) -> None:
    """Lines are commands of the program with few names and numbers behind them."""
    vocabulary = vocabulary_of(lower(COMMANDS))
    assert vocabulary.commands == (b"add", b"drop") and vocabulary.has_commands
    assert not vocabulary.depends_on_keys
    lines = [line.split() for seed in range(40) for line in key_world(seed, vocabulary).input.splitlines()]
    assert {b"add", b"drop"} <= {line[0] for line in lines if line}
    assert {0, 1, 2} <= {len(line) - 1 for line in lines if line[:1] == [b"add"]}


def test_brackets_belong_together(lower: Read) -> None:
    program = lower(
        "#include <stdio.h>\n#include <string.h>\n"
        "int main(void) { char s[9]; return fgets(s, 9, stdin) && s[0] == '[' && strchr(s, ']'); }"
    )
    vocabulary = vocabulary_of(program)
    assert vocabulary.brackets == {b"[": b"]"}
    lines = [line for seed in range(40) for line in key_world(seed, vocabulary).input.splitlines()]
    assert any(line[:1] + line[-1:] == b"[]" and len(line) > 2 for line in lines)


def test_numbers_of_lines_are_read_as_they_are_written(lower: Read) -> None:
    inputs = WorldInputs(World(input=b"add -1 7\n", repeats=9, keys=KEYS))
    assert inputs._read(WORD_LENGTH) == 3
    assert all(inputs._read(READ_BYTE) for _ in range(3))
    assert [inputs._read(READ_NUMBER) for _ in range(2)] == [-1, 7]


def test_worlds(lower: Read) -> None:
    """Numbers are 0 or one of few keys, and 0 at last; lines have a character of the program in them, or keys."""
    program = lower(
        "#include <stdio.h>\nint main(void) { int c; while ((c = getchar()) != EOF) if (c == '-') return 1; }"
    )
    seen = set()
    for seed in range(8):
        world = key_world(seed, vocabulary_of(program), malloc_may_fail=True)
        assert world.repeats in REPEATS
        assert bool(world.fails) == bool(seed % 2)
        seen |= {line[:1] for line in world.input.splitlines()}
        inputs = WorldInputs(world)
        numbers = [inputs._key(f"place {n % 3}") for n in range(world.repeats + 5)]
        assert set(numbers) <= set(range(KEYS + 1))
        assert numbers[world.repeats :] == [0] * 5
    assert b"-" in seen and len(seen) > 2
    assert key_world(0).input == b""
