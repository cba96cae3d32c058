"""Stale pointers in memory: where they become NULL, and the many ways in which a pointer may still be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.semantics.translated import analysis, program_of

from kleene.cfa.operations import Assign
from kleene.passes.attempts.stale import without_stale_pointers
from kleene.passes.preparation import Prepared

EAT = """
#include <assert.h>
struct box { struct node **at; };
static struct node **known;
static struct node *list;
%s
static void eat(struct node **l) {
  struct node *head = *l, *a;
  if (!head) return;
  a = head->next;
  %s
  eat(&a);
  %s
  free(head);
  *l = NULL;
}
int main(void) {
  struct node *l = NULL;
  while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); n->next = l; n->data = 0; l = n; }
  eat(&l);
  return 0;
}
"""
READ = {
    "by name": ("", "", "assert(*l == NULL);"),
    "by a copy of the pointer": ("", "struct node **q = l;", "assert(*q == NULL);"),
    "by one of two pointers": ("", "struct node **q = l; if (head->data) q = &a;", "assert(*q == NULL);"),
    "by a function of its own": (
        "static int all(struct node **p, int n) { return n == 0 ? *p == NULL : all(p, n - 1) && n; }",
        "",
        "assert(all(l, 1));",
    ),
    "by a pointer in a struct": ("", "struct box b; b.at = l;", "assert(*b.at == NULL);"),
    "by a pointer on the heap": (
        "",
        "struct box *b = malloc(sizeof *b); b->at = l;",
        "assert(*b->at == NULL); free(b);",
    ),
    "by a global pointer": ("", "known = l;", "assert(*known == NULL);"),
    "by the result of a call": (
        "static struct node **same(struct node **p, int n) { struct node **r = p; if (n) r = same(p, 0); return r; }",
        "struct node **q = same(l, 1);",
        "assert(*q == NULL);",
    ),
    "as bytes": ("", "long *bytes = (long *)l;", "assert(*bytes == 0);"),
    "by memcmp": ("", "struct node *none = NULL;", "assert(memcmp(l, &none, sizeof none) == 0);"),
    "by memcpy": ("", "struct node *other;", "memcpy(&other, l, sizeof other); assert(other == NULL);"),
}


def forgotten(folder: Path, text: str) -> list[str]:
    """The writes of NULL that the pass adds."""
    prepared = Prepared(program_of(folder, text))
    old = set(prepared.cfa.edges)
    new = [e.label for e in without_stale_pointers(prepared.memory).cfa.edges if e not in old]
    return [str(label) for label in new if isinstance(label, Assign) and str(label.value) == "NULL"]


def test_a_pointer_behind_a_parameter_is_forgotten_before_the_call(tmp_path: Path) -> None:
    assert forgotten(tmp_path, EAT % ("", "", "")) == ["*eat.l = NULL"]


def test_a_pointer_that_is_read_after_the_call_stays(tmp_path: Path) -> None:
    assert forgotten(tmp_path, EAT % ("", "", "head = *l;")) == []


def test_a_pointer_in_a_global_variable_stays(tmp_path: Path) -> None:
    """A function that gets its address may name it, too."""
    text = EAT.replace("eat(&l)", "list = l; eat(&list)") % ("", "", "assert(list != NULL);")
    assert forgotten(tmp_path, text) == []


@pytest.mark.parametrize("name", READ)
def test_a_read_finds_the_pointer(tmp_path: Path, name: str) -> None:
    """A wrong pass would let the assertion hold: the pointer is not NULL there."""
    result = analysis(tmp_path, EAT % READ[name])
    assert not result.complete or {alarm.kind for alarm in result.alarms} & {"assertion", "unsupported"}


def test_what_the_caller_reads_stays(tmp_path: Path) -> None:
    text = EAT.replace("*l = NULL;\n}", "}").replace("return 0;", "if (l) l->data = 1; return 0;") % ("", "", "")
    result = analysis(tmp_path, text)
    assert "dangling_dereference" in {alarm.kind for alarm in result.alarms}
