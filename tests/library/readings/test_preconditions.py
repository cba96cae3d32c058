"""Preconditions that a maintainer accepts: NULL where the code tests for it, and functions that are asserted."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slices import in_exam

from kleene.analysis.c.library.check import check_library
from kleene.analysis.c.options import check_options
from kleene.core.verdict import Verdict
from kleene.results.library import FunctionVerdict, LibraryReport

QUEUE = """
#include <stdlib.h>
struct job { int v; struct job *next; };
struct jobs { struct job *head; struct job **tail; };
struct jobs *jobs_new(void) {
    struct jobs *q = malloc(sizeof *q);
    if (!q) return NULL;
    q->head = NULL; q->tail = &q->head;
    return q;
}
int jobs_add(struct jobs *q, int v) {
    struct job *j = malloc(sizeof *j);
    if (!j) return -1;
    j->v = v; j->next = NULL; *q->tail = j; q->tail = &j->next;
    return 0;
}
int jobs_pop(struct jobs *q, int *v) {
    struct job *j = q->head;
    if (!j) return 0;
    GIVE
    q->head = j->next;
    if (!q->head) q->tail = &q->head;
    free(j);
    return 1;
}
void jobs_scrap(struct jobs *q) {
    if (q) { while (q->head) { struct job *j = q->head; q->head = j->next; free(j); } free(q); }
}
"""
ASSERTED = """
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
struct n { struct n *next; int v; };
struct pile { struct n *bucket[2]; int (*less)(int, int); };
struct pile *pile_new(int (*less)(int, int)) {
    struct pile *p = calloc(1, sizeof *p);
    if (p) p->less = less;
    return p;
}
int pile_add(struct pile *p, int v) {
    struct n *e;
    assert(p && p->less);
    e = malloc(sizeof *e);
    if (!e) return 0;
    e->v = v; e->next = p->bucket[v & 1]; p->bucket[v & 1] = e;
    return p->less(v, 1);
}
int pile_best(const struct pile *p, int (*less)(int, int), int *out) {
    struct n *i;
    assert(p && less && out);
    for (i = p->bucket[0]; i; i = i->next)
        if (less(i->v, 3)) *out = i->v;
    return 1;
}
void pile_print(const struct pile *p, FILE *out) {
    struct n *i;
    for (i = p->bucket[1]; i; i = i->next) fprintf(out, "%d", i->v);
}
void pile_free(struct pile *p) {
    int i;
    for (i = 0; i < 2; i++)
        while (p->bucket[i]) { struct n *e = p->bucket[i]; p->bucket[i] = e->next; free(e); }
    free(p);
}
"""
TABLE = """
#include <stdlib.h>
#define N 16
struct card { unsigned key; struct card *under; };
struct desk { struct card *drawer[N]; };
struct desk *desk_make(void) { return calloc(1, sizeof(struct desk)); }
int desk_put(struct desk *d, unsigned key) {
    struct card *c = malloc(sizeof *c);
    if (!c) return -1;
    c->key = key; c->under = d->drawer[key % N]; d->drawer[key % N] = c;
    return 0;
}
int desk_first(struct desk *d, unsigned key) { return d->drawer[key % N] ? 1 : 0; }
void desk_clear(struct desk *d) {
    int i;
    for (i = 0; i < N; i++)
        while (d->drawer[i]) { struct card *c = d->drawer[i]; d->drawer[i] = c->under; free(c); }
    ALSO
}
void desk_scrap(struct desk *d) { if (d) { desk_clear(d); free(d); } }
"""


def _check(text: str, folder: Path) -> LibraryReport:
    path = folder / "library.c"
    path.write_text(text, encoding="utf-8")
    return check_library(str(path), check_options(timeout=60))


def _words(report: LibraryReport, name: str) -> str:
    function = next(f for f in report.functions if f.name == name)
    assert isinstance(function, FunctionVerdict) and function.verdict is Verdict.TRUE, function
    return "; ".join(function.precondition)


def test_a_variable_for_a_result_may_be_null_where_the_function_tests_it(tmp_path: Path) -> None:
    report = _check(QUEUE.replace("GIVE", "if (v) *v = j->v;"), tmp_path)
    assert "v: NULL or a variable for a result" in _words(report, "jobs_pop")
    facts = report.invariants["struct jobs"]
    assert "p->tail is &p->head or &x->next of a block x" in facts and "*p->tail is NULL" in facts


def test_it_is_not_null_where_the_function_needs_it(tmp_path: Path) -> None:
    assert "v: a variable for a result" in _words(_check(QUEUE.replace("GIVE", "*v = j->v;"), tmp_path), "jobs_pop")


def test_an_end_that_is_not_set_back_is_no_place_of_the_invariant(tmp_path: Path) -> None:
    text = QUEUE.replace("GIVE", "").replace("if (!q->head) q->tail = &q->head;", "")
    assert _check(text, tmp_path).verdict is not Verdict.TRUE


def test_what_is_asserted_is_not_null(tmp_path: Path) -> None:
    report = _check(ASSERTED, tmp_path)
    assert "less: a function of the client" in _words(report, "pile_best")
    assert "less: a function of the client" in _words(report, "pile_new")
    assert "out: a stream that is open" in _words(report, "pile_print")
    assert list(report.invariants) == ["struct pile"]
    assert not any("p->bucket is" in fact for fact in report.invariants["struct pile"])


@in_exam
@pytest.mark.parametrize(("also", "verdict"), [("", Verdict.TRUE), ("free(d);", Verdict.FALSE)])
def test_a_function_that_frees_the_object_ends_it(also: str, verdict: Verdict, tmp_path: Path) -> None:
    report = _check(TABLE.replace("ALSO", also), tmp_path)
    assert report.verdict is verdict
    if verdict is Verdict.TRUE:
        assert "d has ended" in _words(report, "desk_scrap")
