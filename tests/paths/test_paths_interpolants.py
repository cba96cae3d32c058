"""Interpolants: inductive by another solver, and about what a person would name."""

from __future__ import annotations

import pytest

from kleene.cfa.operations import Error
from kleene.paths import Failure, Feasible, Infeasible, Interpolants, encode, feasible, interpolants

from .second_opinion import inductive
from .test_paths_feasible import HEAD, paths_to

DOUBLY = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
struct node { struct node *succ, *pred; int data; };
static struct node *make(void) {
  struct node *n = malloc(sizeof *n);
  if (!n) abort();
  n->succ = NULL; n->pred = NULL; n->data = 3;
  return n;
}
int main(void) {
  struct node *l1 = make(), *l2 = make();
  struct node *p = l1;
  p->succ = l2;
  l2->pred = p;
  if (l1->succ->pred != l1) reach_error();
  if (l1->data + l2->data != 6) reach_error();
  return 0;
}
"""


def refuted(program, most=6, goal="unreach_call"):
    """The interpolants of the infeasible paths to the error calls."""
    found = []
    for path in paths_to(program, lambda e: isinstance(e.label, Error), most):
        formula = encode(program, path, goal=goal, malloc_may_fail=False)
        assert isinstance(feasible(formula), Infeasible)
        result = interpolants(formula)
        assert isinstance(result, Interpolants), result
        assert inductive(formula, result) == []
        assert len(result.cuts) == len(path) + 1
        found.append(result)
    return found


def test_the_pointers_of_the_paper(lower):
    """The example of the paper, section 1: the interpolants name l1, l2, p, the alias of l1 and p, and the fields."""
    first, second = refuted(lower(DOUBLY), 2)
    pointers = {str(p) for p in first.pointers}
    assert {"l1", "l2", "p"} <= pointers
    aliases = {frozenset(map(str, pair)) for pair in first.aliases}
    assert {frozenset(("l1", "p")), frozenset(("l1->succ", "l2"))} & aliases
    assert first.pointers[0].variable is not None
    assert {"data"} == {f.field for f in second.field_assertions} or second.integer_predicates


def test_field_assertions(lower):
    text = HEAD + (
        "int main(void) { struct node *p = malloc(sizeof *p); p->data = 3; struct node *q = p;"
        " q->next = NULL; if (q->data != 3) reach_error(); }"
    )
    (found,) = refuted(lower(text), 1)
    assert {str(f) for f in found.field_assertions} >= {"p->data == 3", "q->data == 3"}


def test_integer_predicates(lower):
    text = HEAD + (
        "int main(void) { int i = 0, n = __VERIFIER_nondet_int(); if (n < 5) return 0;"
        " i = i + 2; if (i >= n) reach_error(); }"
    )
    (found,) = refuted(lower(text), 1)
    texts = {str(p) for p in found.integer_predicates}
    assert any("i" in t for t in texts) and any("n" in t for t in texts), texts


def test_inputs_are_quantified_away(lower):
    """Before n is read, what matters is a condition on i alone."""
    text = HEAD + (
        "int main(void) { int i = 1; int n = __VERIFIER_nondet_int(); if (n < 10) return 0; if (i > n) reach_error(); }"
    )
    (found,) = refuted(lower(text), 1)
    early = [str(f) for f in found.formulas if "i" in str(f) and "n" not in str(f)]
    assert early


@pytest.mark.parametrize(
    "body",
    [
        "struct node *p = malloc(sizeof *p), *q = malloc(sizeof *q); if (p == q) reach_error();",
        "struct node *p = malloc(sizeof *p), *q = p; p->data = 1; q->data = 2; if (p->data == 1) reach_error();",
        "struct node *p = malloc(sizeof *p); struct node **pp = &p->next; *pp = NULL; if (p->next) reach_error();",
        "struct node a, *p = &a; p->data = 4; if (a.data != 4) reach_error();",
        "struct node a, b; a.data = 4; b = a; if (b.data != 4) reach_error();",
        "struct node *p = calloc(1, sizeof *p); if (p->next) reach_error();",
        "struct node *p = malloc(sizeof *p); int *d = &p->data; if ((char *)d == (char *)p) reach_error();",
        "int x = __VERIFIER_nondet_int(); x = x / 2; if (x > 2000000000) reach_error();",
        "int x = __VERIFIER_nondet_int(); unsigned char c = x; if (c > 255) reach_error();",
        "int a[3]; a[0] = 1; a[1] = 2; a[2] = a[0] + a[1]; if (a[2] != 3) reach_error();",
    ],
)
def test_what_the_relation_covers(lower, body):
    refuted(lower(HEAD + f"int main(void) {{ {body} return 0; }}"), 1)


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        ("struct node *r = NULL, **p = &r; if (*p) reach_error();", {"r == NULL", "*p == NULL"}),
        ("struct node a, *p = &a; p->data = 4; if (a.data != 4) reach_error();", {"a.data == 4"}),
        ("struct node a, *p = &a; a.next = &a; if (a.next != p) reach_error();", {"p == &a", "a.next == p"}),
    ],
)
def test_variables_in_memory_have_their_names(lower, body, texts):
    (found,) = refuted(lower(HEAD + f"int main(void) {{ {body} return 0; }}"), 1)
    conjuncts = {part for cut in found.cuts for part in str(cut).split(" && ")}
    assert texts <= conjuncts
    assert not any(part.startswith("-") for part in conjuncts)


@pytest.mark.parametrize(
    ("body", "goal", "text"),
    [
        ("struct node *p = malloc(sizeof *p); p->data = 1; free(p);", "null_dereference", "p->data = 1"),
        (
            "struct node *p = malloc(sizeof *p); free(p); p = malloc(sizeof *p); p->data = 1;",
            "dangling_dereference",
            "p->data = 1",
        ),
        ("struct node *p = malloc(sizeof *p); free(p); p = NULL; free(p);", "double_free", "free(p)"),
        ("struct node *p = malloc(sizeof *p), *q; q = p; q->data = 1;", "uninitialized_pointer", "q->data = 1"),
        (
            "struct node *p = malloc(sizeof *p); p->next = NULL; struct node *q = p->next; if (q) q->data = 1;",
            "null_dereference",
            "q->data = 1",
        ),
    ],
)
def test_errors_that_cannot_happen(lower, body, goal, text):
    program = lower(HEAD + f"int main(void) {{ {body} return 0; }}")
    path = paths_to(program, lambda e: str(e.label) == text, 2)[-1]
    formula = encode(program, path, goal=goal, malloc_may_fail=False)
    assert isinstance(feasible(formula), Infeasible)
    found = interpolants(formula)
    assert isinstance(found, Interpolants), found
    assert inductive(formula, found) == []


def test_a_possible_path_has_no_interpolants(lower):
    program = lower(HEAD + "int main(void) { int x = __VERIFIER_nondet_int(); if (x == 3) reach_error(); }")
    path = paths_to(program, lambda e: isinstance(e.label, Error), 1)[0]
    found = interpolants(encode(program, path, goal="unreach_call", malloc_may_fail=True))
    assert isinstance(found, Failure)
    assert "possible" in found.reason


@pytest.mark.parametrize(
    "body",
    [
        "int x = -7; x = x / 2; if (x == -3) reach_error();",
        "int x = -7; x = x % 4; if (x == -3) reach_error();",
        "int x = -8; x = x >> 1; if (x == -4) reach_error();",
        "int x = -1; if ((x & 15) == 15) reach_error();",
        "int x = 2147483647; x = x + 1; if (x < 0) reach_error();",
        "unsigned x = 0; x = x - 1; if (x > 5) reach_error();",
        "int x = 300; unsigned char c = x; if (c == 44) reach_error();",
        "int x = -5; if (~x == 4 && -x == 5 && !x == 0) reach_error();",
        "struct node *p = malloc(sizeof *p); int *d = &p->data; if ((char *)d != (char *)p) reach_error();",
        "struct node *p = malloc(sizeof *p); free(p); p = malloc(sizeof *p); if (p) reach_error();",
        "struct node a, *p = &a; a.data = 1; p->data = 2; if (a.data == 2) reach_error();",
        "struct node *p = malloc(sizeof *p); p->data = 0; p->next = p; p->next->data = 4; if (p->data) reach_error();",
        "struct node a = {0, 3}, b = a; a.data = 1; if (b.data == 3) reach_error();",
        "int *u; { int v; u = &v; } int *w = u; if (w == u) reach_error();",
        "int x = -1; unsigned *p = (unsigned *)&x; if (*p == 4294967295u) reach_error();",
        "union { int i; unsigned u; } x; x.i = -1; if (x.u == 4294967295u) reach_error();",
        "int x = -1; unsigned u = 0; memcpy(&u, &x, sizeof u); if (u == 4294967295u) reach_error();",
    ],
)
def test_a_path_that_a_run_takes_has_no_interpolants(lower, body):
    """The relation must allow whatever the interpreter does."""
    program = lower(HEAD + f"int main(void) {{ {body} return 0; }}")
    found = []
    for path in paths_to(program, lambda e: isinstance(e.label, Error), 4):
        formula = encode(program, path, goal="unreach_call", malloc_may_fail=False)
        if isinstance(feasible(formula), Feasible):
            found.append(interpolants(formula))
    assert found
    assert all(isinstance(one, Failure) for one in found), found


def test_what_linear_arithmetic_does_not_see_is_a_reason(lower):
    """x * x == 3 has no solution in 32 bits; that is bit-vector reasoning, which the interpolants do not have."""
    program = lower(HEAD + "int main(void) { int x = __VERIFIER_nondet_int(); if (x * x == 3) reach_error(); }")
    path = paths_to(program, lambda e: isinstance(e.label, Error), 1)[0]
    formula = encode(program, path, goal="unreach_call", malloc_may_fail=True)
    assert isinstance(feasible(formula), Infeasible)
    assert isinstance(interpolants(formula), Failure)


def test_a_block_is_not_lost_because_a_chain_leads_to_it(lower):
    text = HEAD + (
        "int main(void) { struct node *p = malloc(sizeof *p), *q = malloc(sizeof *q); p->next = q; q->next = NULL;"
        " q = NULL; q = p; p = NULL; free(q->next); free(q); return 0; }"
    )
    program = lower(text)
    for label, pointers in (("q = NULL", {"p", "p->next"}), ("p = NULL", {"q", "q->next"})):
        path = paths_to(program, lambda e, label=label: str(e.label) == label, 1)[0]
        formula = encode(program, path, goal="memory_leak", malloc_may_fail=False)
        assert isinstance(feasible(formula), Infeasible)
        found = interpolants(formula)
        assert isinstance(found, Interpolants), found
        assert inductive(formula, found) == []
        assert pointers <= {str(p) for p in found.pointers}
    path = paths_to(program, lambda e: e.target == program.main.exit, 1)[0]
    formula = encode(program, path, goal="memory_cleanup", malloc_may_fail=False)
    found = interpolants(formula)
    assert isinstance(found, Interpolants), found
    assert inductive(formula, found) == []


def test_a_real_leak_has_no_interpolants(lower):
    program = lower(HEAD + "int main(void) { struct node *p = malloc(sizeof *p); p = NULL; return 0; }")
    path = paths_to(program, lambda e: str(e.label) == "p = NULL", 1)[0]
    found = interpolants(encode(program, path, goal="memory_leak", malloc_may_fail=False))
    assert isinstance(found, Failure)


@pytest.mark.parametrize("name", ["size", "freed", "allocated"])
def test_variables_may_have_the_names_of_what_is_known_about_blocks(lower, name):
    """A path with a variable `size` and a block ended in an assertion of ours."""
    text = HEAD + (
        f"int main(void) {{ int {name} = __VERIFIER_nondet_int(); if ({name} < 1) return 0;"
        f" int *p = malloc(4); free(p); p = malloc(8); free(p);"
        f" if ({name} == 0) reach_error(); return 0; }}"
    )
    assert refuted(lower(text))
