"""Trees whose nodes point to their owner, cleared by recursion: numbers of the owner are used, its pointers are not.

The function that is analysed apart has the owner as an opaque object. Runs refuted such proofs of the attempt `local`,
because coverage drew the nodes behind the owner, too, which the function's part of the heap does not have.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.semantics.translated import HEADER, program_of

from kleene.analysis.c.shape.analyse import analyse_by_attempt
from kleene.analysis.c.shape.attempts import ATTEMPTS
from kleene.passes.preparation import Prepared
from kleene.results.shape import ShapeResult

TREE = """
#include <assert.h>
struct tree;
struct part { int key; struct part *left, *right; struct tree *owner; };
struct tree { struct part *top; int size; };
static void add(struct tree *t, int key) {
  struct part *n = malloc(sizeof *n), **p = &t->top;
  n->key = key; n->left = n->right = NULL; n->owner = t; t->size++;
  while (*p) p = key < (*p)->key ? &(*p)->left : &(*p)->right;
  *p = n;
}
static void each(struct part *n) {
  if (!n) return;
  %s
  each(n->left); each(n->right);
}
static void clear(struct part *n) {
  if (!n) return;
  %s
  clear(n->left); clear(n->right); free(n);
}
int main(void) {
  struct tree *t = malloc(sizeof *t);
  t->top = NULL; t->size = 0;
  while (__VERIFIER_nondet_int()) add(t, __VERIFIER_nondet_int());
  %s
  clear(t->top); free(t);
  return 0;
}
"""
SAFE = {
    "nothing": ("", "", ""),
    "numbers of the owner": ("n->key = n->owner->size;", "n->owner->size--;", "each(t->top);"),
    "a number that stays": ("", "", "t->size = 7; each(t->top); assert(t->size == 7);"),
    "a number that is known": ("assert(n->owner->size == 7);", "", "t->size = 7; each(t->top);"),
}
UNSAFE = {
    "a number that changes": ("n->owner->size = 1;", "", "t->size = 0; each(t->top); assert(t->size == 0);"),
    "a number that changes below": ("if (!n->left) n->owner->size = 1;", "",
                                    "t->size = 0; each(t->top); assert(!t->size);"),
    "a number that is not known": ("assert(n->owner->size == 0);", "", "each(t->top);"),
    "a number that was changed before": ("assert(!n->owner->size); n->owner->size = 1;", "",
                                         "t->size = 0; each(t->top);"),
    "the owner is freed twice": ("", "free(n->owner);", ""),
    "the owner is freed, and used": ("", "n->owner->size--;", "struct part *p = t->top; free(t); clear(p); return 0;"),
    "some have no owner": ("if (n->key == 3) n->owner = NULL;", "n->owner->size--;", "each(t->top);"),
    "its pointer is lost": ("n->owner->top = NULL;", "", "each(t->top);"),
    "its pointer is used": ("", "if (n != n->owner->top) free(n->owner->top);", ""),
}  # fmt: skip


def by_local(folder: Path, name: str, cases: dict[str, tuple[str, str, str]]) -> ShapeResult:
    attempt = next(a for a in ATTEMPTS if a.name == "local")
    prepared = Prepared(program_of(folder, TREE % cases[name], HEADER))
    result = analyse_by_attempt(prepared, attempt, malloc_may_fail=False, seconds=20.0, max_structures=20_000)
    assert result is not None
    return result


@pytest.mark.parametrize("name", SAFE)
def test_it_is_proved(tmp_path: Path, name: str) -> None:
    result = by_local(tmp_path, name, SAFE)
    assert result.complete and not result.alarms


@pytest.mark.parametrize("name", UNSAFE)
def test_it_is_not_proved(tmp_path: Path, name: str) -> None:
    result = by_local(tmp_path, name, UNSAFE)
    assert not result.complete or result.alarms
