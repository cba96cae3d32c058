"""The attempt `choices`: programs that a wrong fact about an index or an address would prove, with what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.coverage.helpers import attacked, is_proof, read

from kleene.analysis.c.shape.analyse import analyse_by_attempt
from kleene.analysis.c.shape.attempts import ATTEMPTS, kinds_of_alarms
from kleene.passes.preparation import Prepared
from kleene.results.shape import ShapeResult

CHOICES = next(row for row in ATTEMPTS if row.name == "choices")
HEAD = """
#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; };
static void push(struct node **l) { struct node *n = malloc(sizeof *n); if (!n) abort(); n->next = *l; *l = n; }
static struct node *pop(struct node **l) { struct node *n = *l; if (n) *l = n->next; return n; }
static void drop(struct node *l) { while (l) { struct node *t = l; l = l->next; free(t); } }
static int below(int k) { int i = __VERIFIER_nondet_int(); if (i < 0 || i >= k) abort(); return i; }
"""
SETUP = (
    "struct node *s[3]; for (int k = 0; k < 3; k++) s[k] = NULL; "
    "while (__VERIFIER_nondet_int()) { int m = below(3); push(&s[m]); } "
)
ENDED = " for (int k = 0; k < 3; k++) drop(s[k]);"
SAFE = {
    "moved from one to another": "int i = below(3), j = below(3); struct node *n = pop(&s[i]); "
    "if (n) { n->next = s[j]; s[j] = n; }",
    "exchanged": "int i = below(3), j = below(3); struct node *t = s[i]; s[i] = s[j]; s[j] = t;",
    "cleared": "int i = below(3); drop(s[i]); s[i] = NULL;",
    "a pointer to an element": "struct node **p = &s[0]; if (__VERIFIER_nondet_int()) p = &s[2]; "
    "free(pop(p)); push(p);",
}
UNSAFE = {
    "a list is lost": "int i = below(3), j = below(3); struct node *n = pop(&s[i]); "
    "if (n) { n->next = NULL; s[j] = n; }",
    "two lists with one end": "int i = below(3), j = below(3); s[i] = s[j];",
    "exchanged in a wrong order": "int i = below(3), j = below(3); s[i] = s[j]; struct node *t = s[i]; s[j] = t;",
    "freed and kept": "int i = below(3); drop(s[i]);",
    "cleared elsewhere": "int i = below(3); drop(s[i]); if (__VERIFIER_nondet_int()) i = below(3); s[i] = NULL;",
    "an index too large": "int i = below(4); push(&s[i]);",
    "a pointer that outlives its variable": "struct node **p = &s[0]; { struct node *x = NULL; "
    "if (__VERIFIER_nondet_int()) p = &x; } free(pop(p));",
    "a pointer that is NULL": "struct node **p = NULL; int i = below(3); if (i) p = &s[i]; push(p);",
    "a variable that begins again": "struct node **p = &s[0]; for (int k = 0; k < 2; k++) { struct node *x; "
    "if (k == 0) { p = &x; *p = NULL; } free(pop(p)); }",
    "an element without a value": "struct node *t[3]; for (int k = 0; k < 2; k++) t[k] = NULL; int i = below(3); "
    "push(&t[i]); for (int k = 0; k < 3; k++) drop(t[k]);",
    "one too few": "struct node *t[3]; for (int k = 0; k < 3; k++) t[k] = NULL; int i = below(3); push(&t[i]); "
    "for (int k = 0; k < 2; k++) drop(t[k]);",
    "a pointer to one of two, freed twice": "struct node **p = &s[0], **q = &s[1]; if (__VERIFIER_nondet_int()) p = q; "
    "drop(*p); s[0] = NULL;",
}  # fmt: skip


def program_of(body: str, tmp_path: Path) -> Path:
    path = tmp_path / "program.c"
    path.write_text(f"{HEAD}int main(void) {{ {SETUP}{body}{ENDED} return 0; }}\n")
    return path


def by_choices(path: Path) -> ShapeResult | None:
    return analyse_by_attempt(Prepared(read(path)), CHOICES, malloc_may_fail=True, seconds=30)


@pytest.mark.parametrize("name", SAFE)
def test_choices_prove_it(name: str, tmp_path: Path) -> None:
    path = program_of(SAFE[name], tmp_path)
    result = by_choices(path)
    assert result is not None and is_proof(result)
    coverage = attacked(read(path), result, 2.0, max_runs=20)
    assert coverage.refuted is None and coverage.states


@pytest.mark.parametrize("name", UNSAFE)
def test_choices_do_not_prove_it(name: str, tmp_path: Path) -> None:
    result = by_choices(program_of(UNSAFE[name], tmp_path))
    assert result is not None and kinds_of_alarms(result)
