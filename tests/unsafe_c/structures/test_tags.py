"""Numbers in nodes that say which of their pointers are NULL: the attempt alone, with tags from runs and given ones.

Every change is an error; some runs show it to the guess, too, others do not.
"""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pytest

from kleene.analysis.c.check import check
from kleene.analysis.c.options import CheckOptions
from kleene.analysis.c.shape import analyse as series
from kleene.analysis.c.shape.analyse import analyse_by_attempt
from kleene.analysis.c.shape.attempts import ATTEMPTS
from kleene.c.reader import read_program
from kleene.core.verdict import Verdict
from kleene.passes.preparation import Prepared
from kleene.semantics.vocabulary.tags import Claim, Tag

SECONDS = 20.0
TAGS = next(attempt for attempt in ATTEMPTS if attempt.finds_tags)
TREE = """
#include <stdlib.h>
extern int nondet(void);
enum kind { NUM, NEG, ADD };
struct expr { enum kind kind; struct expr *left, *right; };
static struct expr *fresh(enum kind kind, struct expr *left, struct expr *right) {
    struct expr *e = malloc(sizeof *e);
    if (!e) abort();
    e->kind = kind;
    e->left = left;
    e->right = right;
    return e;
}
static struct expr *build(void) {
    struct expr *l, *r;
    switch (nondet()) {
    case 1: l = build(); return fresh(NEG, l, NULL);
    case 2: l = build(); r = build(); return fresh(ADD, l, r);
    default: return fresh(NUM, NULL, NULL);
    }
}
static int count(const struct expr *e) {
    switch (e->kind) {
    case NUM: return 1;
    case NEG: return count(e->left);
    case ADD: return count(e->left) | count(e->right);
    }
    return 0;
}
static void release(struct expr *e) {
    switch (e->kind) {
    case ADD: release(e->right); /* fall through */
    case NEG: release(e->left); break;
    case NUM: break;
    }
    free(e);
}
int main(void) {
    struct expr *e = build();
    count(e);
    release(e);
    return 0;
}
"""
WRONG_TREES = {
    "a member that is NULL": ("case NEG: return count(e->left);", "case NEG: return count(e->right);"),
    "a kind without a member": ("return fresh(NEG, l, NULL)", "return fresh(nondet() ? ADD : NEG, l, NULL)"),
    "a kind too many": ("return fresh(NUM, NULL, NULL)", "return fresh(nondet() == 77 ? NEG : NUM, NULL, NULL)"),
    "a child that is not released": ("case ADD: release(e->right);", "case ADD:"),
    "a kind that is changed later": ("    count(e);", "    e->kind = ADD; count(e);"),
    "a child that is cut off": (
        "    count(e);",
        "if (e->kind == ADD) { release(e->left); e->left = NULL; } count(e);",
    ),
    "released twice": ("case NUM: break;", "case NUM: free(e); break;"),
}
TEXTS = """
#include <stdlib.h>
extern int nondet(void);
struct value { int kind; union { int *text; struct value *first; } u; struct value *next; };
int main(void) {
    struct value *head = NULL;
    while (nondet()) {
        struct value *v = calloc(1, sizeof *v);
        if (!v) break;
        if (nondet()) { v->kind = 1; v->u.text = malloc(4); if (!v->u.text) { free(v); break; } }
        else if (nondet()) { v->kind = 2; v->u.first = head; head = NULL; }
        v->next = head;
        head = v;
    }
    while (head) {
        struct value *v = head;
        if (v->kind == 2 && v->u.first) {
            head = v->u.first;
            struct value *last = head;
            while (last->next) last = last->next;
            last->next = v->next;
        } else {
            head = v->next;
            if (v->kind == 1) free(v->u.text);
        }
        free(v);
    }
    return 0;
}
"""
WRONG_TEXTS = {
    "no text": ("if (!v->u.text) { free(v); break; }", "if (nondet() == 5) v->kind = 2;"),
    "a text that is kept": ("if (v->kind == 1) free", "if (v->kind == 3) free"),
    "the text of another kind": ("if (v->kind == 1) free", "if (v->kind == 0) free"),
    "a node for a text": ("v->kind == 2 && v->u.first", "v->kind && v->u.first"),
    "a list that is lost": ("if (v->kind == 2 && v->u.first)", "if (v->kind == 4)"),
}
TYPED = """
#include <stdlib.h>
extern int nondet(void);
struct value { int kind; union { int *text; struct pair *list; } u; };
struct pair { struct value *first; struct pair *rest; };
static struct value *fresh(int kind) {
    struct value *v = malloc(sizeof *v);
    if (!v) abort();
    v->kind = kind;
    v->u.text = NULL;
    return v;
}
static void release(struct value *v) {
    if (v->kind == 1) free(v->u.text);
    if (v->kind == 2)
        while (v->u.list) {
            struct pair *p = v->u.list;
            v->u.list = p->rest;
            release(p->first);
            free(p);
        }
    free(v);
}
int main(void) {
    struct value *all = fresh(2);
    while (nondet()) {
        struct value *v = fresh(nondet() ? 1 : 0);
        if (v->kind == 1 && !(v->u.text = malloc(4))) abort();
        if (nondet()) {
            struct pair *p = malloc(sizeof *p);
            if (!p) abort();
            p->first = v;
            p->rest = all->u.list;
            all->u.list = p;
        } else {
            struct value *l = fresh(2);
            struct pair *p = malloc(sizeof *p), *q = malloc(sizeof *q);
            if (!p || !q) abort();
            p->first = v; p->rest = NULL; l->u.list = p;
            q->first = l; q->rest = all->u.list; all->u.list = q;
        }
    }
    release(all);
    return 0;
}
"""
"""The structs have one size."""
WRONG_TYPED = {
    "a list as a text": ("if (v->kind == 1) free", "if (v->kind) free"),
    "a text as a list": ("if (v->kind == 2)", "if (v->kind != 0)"),
    "a list of no kind": ("struct value *l = fresh(2)", "struct value *l = fresh(nondet() ? 0 : 2)"),
}
WRONG = [(TREE, *change) for change in WRONG_TREES.values()] + [(TEXTS, *change) for change in WRONG_TEXTS.values()]
WRONG += [(TYPED, *change) for change in WRONG_TYPED.values()]


def proves(tmp_path: Path, text: str, *, fails: bool = False) -> bool:
    file = tmp_path / "tags.c"
    file.write_text(text)
    prepared = Prepared(read_program([str(file)]))
    result = analyse_by_attempt(prepared, TAGS, malloc_may_fail=fails, seconds=SECONDS, max_structures=30_000)
    assert result is None or not result.complete or result.shape_class.endswith("by tags")
    return result is not None and result.complete and not result.alarms


@pytest.mark.parametrize("text", [TREE, TEXTS, TYPED], ids=["tree", "texts", "typed"])
def test_it_proves(tmp_path: Path, text: str) -> None:
    assert proves(tmp_path, text)


@pytest.mark.parametrize("text", [TREE, TEXTS, TYPED], ids=["tree", "texts", "typed"])
def test_states_of_runs_are_covered(tmp_path: Path, text: str) -> None:
    """A pointer that lay behind the end of a text was asked for, because another kind of block has one there."""
    file = tmp_path / "tags.c"
    file.write_text(text)
    report = check([str(file)], CheckOptions())
    assert report.verdict is Verdict.TRUE and report.coverage is not None and report.coverage.states > 0


@pytest.mark.parametrize(("text", "old", "new"), WRONG, ids=[*WRONG_TREES, *WRONG_TEXTS, *WRONG_TYPED])
def test_a_wrong_program_is_not_proved(tmp_path: Path, text: str, old: str, new: str) -> None:
    assert old in text
    assert not proves(tmp_path, text.replace(old, new))


@pytest.mark.parametrize(("old", "new"), WRONG_TREES.values(), ids=WRONG_TREES)
def test_wrong_programs_are_not_proved_by_the_tags_of_the_right_one(tmp_path: Path, old: str, new: str) -> None:
    claims = [Claim("left", 0), Claim("right", 0), Claim("right", 1)]
    claims += [Claim("left", 1, leads=True), Claim("left", 2, leads=True), Claim("right", 2, leads=True)]
    with patch.object(series, "find_tags", lambda *_: (Tag(24, 0, (0, 1, 2), tuple(claims)),)):
        assert not proves(tmp_path, TREE.replace(old, new))


def test_wrong_tags_prove_nothing_wrong(tmp_path: Path) -> None:
    """Every claim is the opposite of what holds."""
    claims = [Claim("left", 0, leads=True), Claim("left", 1), Claim("right", 2), Claim("right", 1, leads=True)]
    old, new = WRONG_TREES["a member that is NULL"]
    with patch.object(series, "find_tags", lambda *_: (Tag(24, 0, (0, 1, 2), tuple(claims)),)):
        assert not proves(tmp_path, TREE.replace(old, new))
