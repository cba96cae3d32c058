"""Parts of functions that no run executes: they do not keep a function open where nothing that is left out matters."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.slices import in_exam

from kleene.analysis.c.library.check import check_library
from kleene.analysis.c.library.generality.hooks import live_steps
from kleene.analysis.c.library.generality.never_null import impossible, never_null
from kleene.analysis.c.options import check_options
from kleene.c.options import DEFAULT
from kleene.c.reader import read_program
from kleene.core.verdict import Verdict

_TESTS = """
#include <stdlib.h>
struct node { struct node *next; int v; };
static struct node *kept;
void *block(void) { void *p = malloc(8); if (!p) abort(); return p; }
void *may_fail(void) { return malloc(8); }
struct node *node_new(void) { struct node *n = block(); n->next = block(); return n; }
struct node *again(int n) { return n ? again(n - 1) : node_new(); }
struct node *one_of(int n) { if (n) return block(); return may_fail(); }
void other(void) { kept = NULL; }
int tested(struct node *l) { STATEMENT return 0; }
int main(void) { struct node *l = node_new(); return tested(l) + (int)(long)again(1) + (one_of(1) != 0); }
"""
_LIST = """
#include <stdlib.h>
struct node { struct node *next, *prev; void *data; };
struct node *list_add(struct node *list, void *data) {
    struct node *n = malloc(sizeof *n);
    if (!n) return list;
    n->data = data; n->prev = NULL; n->next = list;
    if (list && list->prev) { list->prev->next = n; n->prev = list->prev; }
    if (list) list->prev = n;
    return n;
}
struct node *list_remove(struct node *list, void *data) {
    struct node *n = list;
    FIRST
    while (n && n->data != data) n = n->next;
    if (!n) return NULL;
    if (n->prev) n->prev->next = n->next;
    if (n->next) n->next->prev = n->prev;
    if (list == n) list = list->next;
    free(n);
    return list;
}
struct node *list_second(struct node *list) {
    return list && list->next ? list->next : NULL;
}
struct node *list_free(struct node *list) {
    while (list) { struct node *n = list; list = list->next; free(n); }
    return NULL;
}
"""


def _conditions(statement: str, folder: Path) -> list[str]:
    """The conditions of a statement that never hold."""
    file = folder / "program.c"
    file.write_text(_TESTS.replace("STATEMENT", statement), encoding="utf-8")
    program = read_program([str(file)], DEFAULT)
    returning = never_null(program)
    assert returning == {"block", "node_new"}  # recursion and other paths may return NULL
    return [str(edge.label) for edge in impossible(program.functions["tested"].cfa, returning)]


@pytest.mark.parametrize(
    ("statement", "never"),
    [
        ("l = node_new(); if (!l) return 1;", 1),
        ("if (!(l->next = node_new())) return 1;", 1),
        ("l = may_fail(); if (!l) return 1;", 0),
        ("l->next = block(); l->next->next = NULL; if (!l->next) return 1;", 0),
        ("l->next = block(); other(); if (!l->next) return 1;", 0),
        ("kept = block(); other(); if (!kept) return 1;", 0),
        ("struct node **a = &l; l = block(); *a = NULL; if (!l) return 1;", 0),
        ("struct node *m = block(); if (l->v) m = NULL; if (!m) return 1;", 0),
        ("struct node *m = block(); while (l->v--) m = m->next; if (!m) return 1;", 0),
        ("struct node *m = block(); while (l->v--) m = block(); if (!m) return 1;", 1),
        ("l->next = block(); l = l->next; if (!l) return 1;", 1),
        ("if (!l) return 1; if (!l) return 2;", 1),
    ],
)
def test_a_test_of_what_is_never_null(statement: str, never: int, tmp_path: Path) -> None:
    assert len(_conditions(statement, tmp_path)) == never


def test_what_is_behind_such_a_test_is_no_part_of_a_function(tmp_path: Path) -> None:
    _conditions("l = node_new(); if (!l) return 1;", tmp_path)
    program = read_program([str(tmp_path / "program.c")], DEFAULT)
    cfa = program.functions["tested"].cfa
    assert len(live_steps(cfa, {})) == len(live_steps(cfa, {}, returning_blocks=never_null(program))) + 1


@pytest.mark.parametrize(
    ("first", "proved"),
    [
        ("", {"list_add", "list_second", "list_free"}),
        pytest.param("if (list) *(int *)0 = 1;", set(), marks=in_exam),
    ],
    ids=["executed", "never executed"],
)
def test_a_part_that_needs_nothing_that_is_left_out(first: str, proved: set[str], tmp_path: Path) -> None:
    """`list_add` was UNKNOWN: no list has a node before its head, whether the wrong `list_remove` is called or not.

    Where that fails before it does anything, nothing is known of what it would add.
    """
    file = tmp_path / "library.c"
    file.write_text(re.sub("FIRST", first, _LIST), encoding="utf-8")
    report = check_library(str(file), check_options(timeout=60.0))
    verdicts = {f.name: f.verdict for f in report.functions}
    assert verdicts["list_remove"] is Verdict.FALSE
    assert {name for name, verdict in verdicts.items() if verdict is Verdict.TRUE} >= proved
    assert proved or verdicts["list_add"] is Verdict.UNKNOWN


_POOL = """
#include <stdlib.h>
struct chunk { struct chunk *next; int data; };
struct pool { struct chunk *unused; int out; };
void pool_setup(struct pool *p) { p->unused = NULL; p->out = 0; }
struct chunk *pool_get(struct pool *p) {
    struct chunk *c = p->unused;
    if (!c) c = malloc(sizeof *c);
    TAKEN
    if (c) { c->next = NULL; p->out++; }
    return c;
}
void pool_put(struct pool *p, struct chunk *c) { c->next = p->unused; p->unused = c; p->out--; }
void pool_teardown(struct pool *p) {
    while (p->unused) { struct chunk *c = p->unused; p->unused = c->next; free(c); }
}
"""


def test_a_branch_without_anything_in_it_is_a_part(tmp_path: Path) -> None:
    """The function that forgets to take the chunk out was proved: without the other one there is none to take."""
    file = tmp_path / "pool.c"
    file.write_text(_POOL.replace("TAKEN", ""), encoding="utf-8")
    verdicts = {f.name: f.verdict for f in check_library(str(file), check_options(timeout=60.0)).functions}
    assert verdicts["pool_get"] is not Verdict.TRUE and Verdict.FALSE in verdicts.values()
