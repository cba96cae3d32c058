"""Directed symbolic execution: deep errors are found and shown, and what it proves no exploration contradicts."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fuzz_c.generators.structures import program as random_program

from kleene.c import read_program
from kleene.domains.explicit.explore import explore
from kleene.domains.explicit.interpreter import replay
from kleene.paths.search.directed import Search

from .test_paths_feasible import HEAD

COUNTER = """
int main(void) {
  struct node *l = NULL; int n = 0;
  while (__VERIFIER_nondet_int()) {
    struct node *x = malloc(sizeof *x);
    if (!x) abort();
    x->data = __VERIFIER_nondet_int() ? 1 : 2;
    x->next = l; l = x; n++;
    if (n == 50) { free(l); l->data = 3; }
  }
  while (l) { struct node *t = l->next; free(l); l = t; }
  return 0;
}
"""

TWENTIETH = """
#include <assert.h>
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 100) return 0;
  struct node *l = NULL;
  for (int i = 0; i < n; i++) {
    struct node *x = malloc(sizeof *x);
    if (!x) abort();
    x->data = (i == 19) ? 7 : 0; x->next = l; l = x;
  }
  for (struct node *p = l; p; p = p->next) assert(p->data == 0);
  while (l) { struct node *t = l->next; free(l); l = t; }
  return 0;
}
"""

HASH = """
int main(void) {
  unsigned k = __VERIFIER_nondet_uint();
  unsigned h = (k ^ (k >> 16)) * 2654435761u;
  if (h == 0xdeadbeefu) reach_error();
  return 0;
}
"""

UNINITIALIZED = """
int main(void) {
  struct node *l = malloc(sizeof *l);
  if (!l) return 1;
  while (l) { struct node *next = l->next; free(l); l = next; }
  return 0;
}
"""

RECURSIVE = """
static struct node *build(int n) {
  if (n == 0) return NULL;
  struct node *x = malloc(sizeof *x);
  if (!x) abort();
  x->data = n; x->next = build(n - 1);
  return x;
}
static int last(struct node *l) {
  if (l->data == 30) return l->next->next->next ? 0 : *(int *)0;
  return l->next ? last(l->next) : l->data;
}
int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1 || n > 60) return 0; return last(build(n)); }
"""


@pytest.fixture
def read(tmp_path: Path):
    def read_text(text: str):
        path = tmp_path / "p.c"
        path.write_text(text)
        return read_program(path)

    return read_text


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (COUNTER, "dangling_dereference"),
        (TWENTIETH, "assertion"),
        (HASH, "unreach_call"),
        (UNINITIALIZED, "uninitialized_pointer"),
    ],
)
def test_deep_errors_are_found_and_shown(read, text, kind):
    found = Search(read(HEAD + text), (), malloc_may_fail=True).run(30)
    shown = next(c for c in found.findings if c.fault.kind == kind)
    again = replay(shown.trace, len(shown.trace.steps))
    assert shown.fault in again.faults
    assert not again.tainted


def test_recursion_is_followed(read):
    found = Search(read(HEAD + RECURSIVE), (), malloc_may_fail=True).run(30)
    assert not found.proved
    assert {c.fault.kind for c in found.findings} >= {"memory_leak"}


@pytest.mark.parametrize(
    "body",
    [
        "int x = __VERIFIER_nondet_int(); if (x * 2 == 7) reach_error();",
        "int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); if (((x ^ y) ^ y) != x) reach_error();",
        "int x = __VERIFIER_nondet_int(); if (x % 4 > 3) reach_error();",
        "int x = __VERIFIER_nondet_int(); for (int i = 0; i < 3; i++) x = x / 2; if (x > 300000000) reach_error();",
        "unsigned x = __VERIFIER_nondet_uint(); unsigned char c = x; if (c + 1 > 256) reach_error();",
    ],
)
def test_every_path_followed_is_a_proof(read, body):
    program = read(HEAD + f"int main(void) {{ {body} return 0; }}")
    assert Search(program, (), malloc_may_fail=True).run(30).proved


@pytest.mark.parametrize(
    ("body", "doubt"),
    [
        ("int x = __VERIFIER_nondet_int(); if (x * 2 == 8) reach_error();", "an error is possible"),
        ("struct node *p; if (p) return 1;", "an uninitialized pointer is read"),
        ("double d = 1.5; int x = __VERIFIER_nondet_int(); if (x > d) return 1;", "floating"),
        ("int a[100]; int x = __VERIFIER_nondet_int(); if (x < 0 || x > 99) return 1; a[x] = 1;", "many values"),
        ("struct node *p = malloc(sizeof *p); free(p); struct node *q = malloc(sizeof *q); int r = p == q; free(q);"
         " return r;", "gone"),
    ],
)  # fmt: skip
def test_what_is_left_open_is_no_proof(read, body, doubt):
    program = read(HEAD + f"int main(void) {{ {body} return 0; }}")
    found = Search(program, (), malloc_may_fail=False).run(30)
    assert not found.proved
    assert any(doubt in text for text in found.doubts), found.doubts


def test_states_with_different_constraints_are_not_the_same(read):
    """Equal heaps at a loop head, but one knows that x is above 5 and the other that it is not."""
    text = HEAD + (
        "int main(void) { int x = __VERIFIER_nondet_int(); int i = 0; if (x > 5) i = 1; i = 0;"
        " while (i < 2) i++; if (x == 3)\n reach_error(); if (x == 9)\n reach_error(); return 0; }"
    )
    found = Search(read(text), (), malloc_may_fail=True).run(30)
    assert len({c.fault.place.line for c in found.findings}) == 2


@pytest.mark.parametrize(
    ("body", "kinds"),
    [("", []), ("while (__VERIFIER_nondet_int()) { }", []), ("int *p = 0; *p = 1;", ["null_dereference"])],
)
def test_paths_that_lead_to_no_alarm_are_followed_last(read, body, kinds):
    """They matter for a proof, and are laid aside until nothing is left on the way to the alarm."""
    program = read(
        HEAD + f"int main(void) {{ if (__VERIFIER_nondet_int()) {{ {body} return 1; }}"
        " int x = __VERIFIER_nondet_int(); if (x * 6 == 7) reach_error(); return 0; }"
    )
    alarm = next(e.source for e in program.main.cfa.edges if str(e.label).startswith("error"))
    found = Search(program, {alarm}, malloc_may_fail=True).run(30)
    assert found.exhausted
    assert [c.fault.kind for c in found.findings] == kinds
    assert found.proved is not bool(kinds)


@pytest.mark.parametrize("seed", range(300, 316))
def test_search_and_exploration_agree(read, seed):
    """Neither proves what the other refutes."""
    program = read(random_program(seed))
    found = Search(program, (), malloc_may_fail=False).run(1.5)
    exploration = explore(program, seconds=1.5, malloc_may_fail=False)
    if found.proved:
        assert not exploration.findings
    if exploration.proved:
        assert not found.findings
    for confirmed in found.findings:
        assert confirmed.fault in replay(confirmed.trace, len(confirmed.trace.steps)).faults
