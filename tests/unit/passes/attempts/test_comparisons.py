"""Comparisons that are made again: with the outcome that they had, where nothing can have changed, and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.fuzz_c.generators.structures import program as random_program
from tests.unit.semantics.translated import analysis, inlined

from kleene.c.reader import read_program
from kleene.cfa.expressions import Variable, walk
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Assume, Operation, expressions
from kleene.domains.explicit.explore import Exploration, explore
from kleene.passes.attempts.comparisons import with_known_outcomes
from kleene.passes.calls.inline import inline
from kleene.passes.facts.memory import Memory
from kleene.passes.prepare import prepare_program

NEW = (
    "int k = __VERIFIER_nondet_int(), r = 0;"
    "struct node *p = malloc(sizeof *p), *q = malloc(sizeof *q), *t; p->data = __VERIFIER_nondet_int();"
    "q->data = __VERIFIER_nondet_int(); p->next = q; q->next = NULL; t = p;"
)
KNOWN = {
    "the same": "if (k < p->data) r = 1; if (k < p->data) r = 2;",
    "with the operands exchanged": "if (k < p->data) r = 1; if (p->data > k) r = 2;",
    "negated": "if (k < p->data) r = 1; if (k >= p->data) r = 2;",
    "of an equal pointer": "if (k < t->data) r = 1; if (k < p->data) r = 2;",
    "copied with the pointer": "if (k < q->data) r = 1; p = q; if (k < p->data) r = 2;",
    "of a number": "if (k < 3) r = 1; q->next = p; if (k < 3) r = 2;",
    "a pointer is written between": "if (k < p->data) r = 1; p->next = NULL; if (k < p->data) r = 2;",
    "a new block is written between":
        "if (k < p->data) r = 1; t = malloc(sizeof *t); t->data = 1; if (k < p->data) r = 2; free(t);",
    "of what a function has read":
        "int x = p->data; if ((x > k) - (x < k) < 0) r = 1; x = p->data; if ((x > k) - (x < k) < 0) r = 2;",
    "behind two pointers": "if (k < p->next->data) r = 1; t = NULL; if (k < p->next->data) r = 2;",
    "of a copy of a pointer in a loop":
        "int x = t->data, c = k - x; if (c < 0) r = 1; while (r < 1) { x = t->data; c = k - x; if (c < 0) r = 2; }",
    "on one way only": "if (r == 0 && k < 5) { if (k < p->data) r = 1; } if (k < p->data) r = 2;",
}  # fmt: skip
OPEN = {
    "made once": "if (k < p->data) r = 1;",
    "another one": "if (k < p->data) r = 1; if (k == p->data) r = 2;",
    "of another pointer": "if (k < p->data) r = 1; if (k < q->data) r = 2;",
    "the number is written between": "if (k < p->data) r = 1; k = q->data; if (k < p->data) r = 2;",
    "the member is written between": "if (k < p->data) r = 1; q->data = 7; if (k < p->data) r = 2;",
    "the pointer is written between": "if (k < p->data) r = 1; p = p->next; if (k < p->data) r = 2;",
    "memory is filled between": "if (k < p->data) r = 1; memset(p, 0, sizeof *p); if (k < p->data) r = 2;",
    "a number that a function has read is written between":
        "int x = p->data, y = k - x; if (y < 0) r = 1; q->data = 7; x = p->data; y = k - x; if (y < 0) r = 2;",
    "a pointer on the way is written between":
        "if (k < p->next->data) r = 1; p->next = p; if (k < p->next->data) r = 2;",
    "the ways do not agree":
        "int x; if (r) x = p->data; else x = q->data; if (k < x) r = 1; x = p->data; if (k < x) r = 2;",
    "a loop changes what it reads":
        "int x = p->data; while (__VERIFIER_nondet_int()) { if (k < x) r++; p = p->next; if (!p) break; x = p->data; }",
    "a floating-point number": "double d = k; if (d < 3) r = 1; d = d / 2; if (d < 3) r = 2;",
    "the new block is known elsewhere":
        "t = malloc(sizeof *t); t->data = 2; p = t; if (k < p->data) r = 1; t->data = 1; if (k < p->data) r = 2;",
}  # fmt: skip


def outcomes(cfa: Cfa[Operation]) -> set[Variable]:
    nodes = {n for e in cfa.edges for x in expressions(e.label) for n in walk(x) if isinstance(n, Variable)}
    return {v for v in nodes if v.name.startswith("$outcome")}


def excluded(folder: Path, body: str) -> int:
    """How many branches an earlier outcome excludes."""
    program, cfa = inlined(folder, NEW + body)
    changed = with_known_outcomes(Memory(program, cfa, typed=True))
    own = outcomes(changed)
    labels = [e.label for e in changed.edges if isinstance(e.label, Assume)]
    return sum(not own.isdisjoint(walk(label.condition)) for label in labels)


@pytest.mark.parametrize("name", KNOWN)
def test_a_comparison_that_is_made_again_has_its_outcome(tmp_path: Path, name: str) -> None:
    assert excluded(tmp_path, KNOWN[name]) == 2


@pytest.mark.parametrize("name", OPEN)
def test_what_may_have_changed_is_compared_anew(tmp_path: Path, name: str) -> None:
    assert excluded(tmp_path, OPEN[name]) == 0


def errors(result: Exploration) -> set[tuple[str, int]]:
    return {(c.fault.kind, c.fault.place.line) for c in result.findings if c.fault.kind != "memory_leak"}


@pytest.mark.parametrize("seed", [101, 120, 122, 130, 142, 155, 162, 163])
def test_random_programs_have_the_same_errors(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "random.c"
    path.write_text(random_program(seed))
    program = prepare_program(inline(read_program([str(path)])))
    functions = {}
    for name, function in program.functions.items():
        cfa = with_known_outcomes(Memory(program, function.cfa, typed=True))
        functions[name] = replace(function, cfa=cfa, locals=(*function.locals, *outcomes(cfa)))
    before = explore(program, seconds=20, malloc_may_fail=False)
    after = explore(replace(program, functions=functions), seconds=20, malloc_may_fail=False)
    assert before.complete and after.complete
    assert errors(before) == errors(after)


TREE = """
struct tree { int key; struct tree *left, *right; };
int main(void) {
  struct tree *root = NULL;
  while (__VERIFIER_nondet_int()) {
    int key = __VERIFIER_nondet_int();
    struct tree *leaf = NULL, *t = root;
    while (t) { leaf = t; if (key < t->key) t = t->left; else t = t->right; }
    struct tree *n = malloc(sizeof *n);
    n->key = key; n->left = n->right = NULL;
    if (!leaf) root = n; else if (key < leaf->key) leaf->left = n; else leaf->right = n;
  }
  while (root) {
    struct tree *up = NULL, *t = root;
    while (t->left || t->right) { up = t; if (t->left) t = t->left; else t = t->right; }
    if (!up) root = NULL; else if (up->left == t) up->left = NULL; else up->right = NULL;
    free(t);
  }
  return 0;
}
"""


def test_a_tree_that_is_compared_with_again_is_proved(tmp_path: Path) -> None:
    """The second comparison with the leaf seemed to be free, and the insertion to overwrite a subtree."""
    result = analysis(tmp_path, TREE)
    assert result.complete and not result.alarms
    assert result.shape_class == "acyclic, by comparisons"


@pytest.mark.parametrize("wrong", ["key > leaf->key", "key < root->key", "leaf->key < key + 1"])
def test_another_comparison_loses_a_subtree(tmp_path: Path, wrong: str) -> None:
    assert "else if (key < leaf->key)" in TREE
    result = analysis(tmp_path, TREE.replace("else if (key < leaf->key)", f"else if ({wrong})"))
    assert "memory_leak" in {alarm.kind for alarm in result.alarms}
