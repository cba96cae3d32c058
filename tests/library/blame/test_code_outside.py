"""Errors that depend on what is outside of the file: none of them is reported as one; each has a twin that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.library.mutants import checked, error_of
from tests.slices import in_exam

from kleene.analysis.c.library.check import check_library
from kleene.analysis.c.library.interface.exports import read_interface
from kleene.analysis.c.options import check_options
from kleene.c.options import DEFAULT
from kleene.core.verdict import Verdict
from kleene.results.library import LibraryReport

_SECONDS = 60.0


def _checked(text: str, folder: Path) -> LibraryReport:
    file = folder / "library.c"
    file.write_text(text, encoding="utf-8")
    return check_library(str(file), check_options(timeout=_SECONDS))


def _verdicts(report: LibraryReport) -> dict[str, Verdict]:
    return {f.name: f.verdict for f in report.functions}


def _reason(report: LibraryReport, name: str) -> str:
    return next(f.reason for f in report.functions if f.name == name)


_LOGGED = """\
#include <stdlib.h>
void complain(int level, const char *format, ...);
#define CHECK(x) { if (!(x)) complain(3, "failed: %s", #x); }
struct node { struct node *next; };
struct list { struct node *head; };
struct list *list_new(void) { return calloc(1, sizeof(struct list)); }
void list_add(struct list *l) {
    struct node *n = malloc(sizeof *n);
    TEST
    n->next = l->head; l->head = n;
}
void list_free(struct list *l) { while (l->head) { struct node *n = l->head; l->head = n->next; free(n); } free(l); }
"""


@pytest.mark.parametrize(
    ("test", "verdict"), [("CHECK(n)", Verdict.UNKNOWN), ("", Verdict.FALSE), ("CHECK(l)", Verdict.FALSE)]
)
def test_an_assertion_by_a_function_of_another_file(test: str, verdict: Verdict, tmp_path: Path) -> None:
    report = _checked(_LOGGED.replace("TEST", test), tmp_path)
    assert _verdicts(report)["list_add"] is verdict
    if verdict is Verdict.UNKNOWN:
        assert "--extern complain=noreturn" in _reason(report, "list_add")


_SORTED = """\
#include <stdlib.h>
struct node { struct node *next; void *data; };
struct sorted { struct node *first; int (*compare)(void *, void *); };
void sorted_init(struct sorted *sPARAMETER) { s->first = NULL; }
int sorted_add(struct sorted *s, void *data) {
    struct node *n = malloc(sizeof *n), **at = &s->first;
    if (!n) return -1;
    while (*at && s->compare(data, (*at)->data) > 0) at = &(*at)->next;
    n->data = data; n->next = *at; *at = n;
    return 0;
}
void sorted_clear(struct sorted *s) {
    while (s->first) { struct node *n = s->first; s->first = n->next; FREE }
}
"""


@pytest.mark.parametrize(
    ("parameter", "free", "wrong"),
    [
        ("", "free(n);", set[str]()),
        ("", "", {"sorted_clear"}),
        (", int (*compare)(void *, void *)", "free(n);", {"sorted_add"}),
    ],
    ids=["the client sets it", "a leak", "the initialiser forgets it"],
)
def test_members_for_functions_that_only_clients_set(
    parameter: str, free: str, wrong: set[str], tmp_path: Path
) -> None:
    report = _checked(_SORTED.replace("PARAMETER", parameter).replace("FREE", free), tmp_path)
    assert {name for name, verdict in _verdicts(report).items() if verdict is Verdict.FALSE} == wrong
    if not wrong:
        assert report.verdict is Verdict.TRUE
        assert any("clients set p->compare" in a for a in report.assumptions)
        assert report.model is None  # nothing says that a client sets it


_PACKAGES = """\
#include <stdlib.h>
struct package;
struct list { struct list *next; struct package *package; };
void list_add(struct list **head, struct package *package) {
    struct list *n = malloc(sizeof *n);
    if (!n) abort();
    n->next = *head; n->package = package; *head = n;
}
int list_has(const struct list *head, const struct package *package) {
    for (; head; head = head->next) if (head->package == package) return 1;
    return 0;
}
void list_free(struct list *head) { while (head) { struct list *n = head; NEXT free(n); } }
"""


@pytest.mark.parametrize(
    ("step", "verdict"),
    [("head = head->next;", Verdict.TRUE), ("head = head->next; if (n->package) free(n);", Verdict.FALSE)],
)
def test_records_that_are_only_stored_are_data(step: str, verdict: Verdict, tmp_path: Path) -> None:
    report = _checked(_PACKAGES.replace("NEXT", step), tmp_path)
    assert report.verdict is verdict
    file = tmp_path / "library.c"
    assert read_interface(str(file), DEFAULT).payload == {"struct package"}


@pytest.mark.parametrize(
    "use", ["free(p);", "p->size = 1;", "other(p);", "*q = *p;", "q = malloc(sizeof(struct record));"]
)
def test_records_of_which_a_file_uses_more_are_no_data(use: str, tmp_path: Path) -> None:
    file = tmp_path / "library.c"
    file.write_text(
        "#include <stdlib.h>\nstruct record { int size; };\nvoid other(struct record *);\n"
        f"struct record *f(struct record *p, struct record *q) {{ {use} return q; }}\n",
        encoding="utf-8",
    )
    assert read_interface(str(file), DEFAULT).payload == frozenset()


def test_an_index_from_a_function_of_the_client(tmp_path: Path) -> None:
    text = """\
#include <stdlib.h>
struct table { int *slots; unsigned (*hash)(const void *); };
struct table *table_new(unsigned (*hash)(const void *)) {
    struct table *t = malloc(sizeof *t);
    if (!t) return NULL;
    t->hash = hash; t->slots = calloc(8, sizeof *t->slots);
    if (!t->slots) { free(t); return NULL; }
    return t;
}
int table_get(const struct table *t, const void *key) { return t->slots[t->hash(key)]; }
void table_free(struct table *t) { free(t->slots); free(t); }
"""
    report = _checked(text, tmp_path)
    assert _verdicts(report)["table_get"] is Verdict.UNKNOWN and "index" in _reason(report, "table_get")


def test_a_block_that_is_initialised_may_have_members_that_its_caller_has_set(tmp_path: Path) -> None:
    text = """\
#include <stdlib.h>
struct table { int size; int *slots; };
int table_init(struct table *t) { t->slots = calloc(t->size, sizeof(int)); return t->slots ? 0 : -1; }
int table_first(const struct table *t) { return t->slots[0]; }
void table_fini(struct table *t) { free(t->slots); }
"""
    report = _checked(text, tmp_path)
    assert _verdicts(report)["table_first"] is Verdict.UNKNOWN and "table_init reads" in _reason(report, "table_first")


def test_a_result_that_points_into_a_block(tmp_path: Path) -> None:
    text = """\
#include <stdlib.h>
struct head { long size; };
void *blob_new(void) { struct head *h = malloc(64); return h ? h + 1 : NULL; }
"""
    assert _verdicts(_checked(text, tmp_path))["blob_new"] is Verdict.UNKNOWN


def test_what_is_asserted_is_not_null(tmp_path: Path) -> None:
    text = """\
#include <assert.h>
#include <stdlib.h>
struct box { int content; };
struct box *box_new(void) { return calloc(1, sizeof(struct box)); }
int box_get(const struct box *b) { assert(b); return b->content; }
int box_is_empty(const struct box *b) { return !b || !b->content; }
void box_free(struct box *b) { assert(b != NULL); free(b); }
"""
    words = {f.name: f.precondition[0] for f in _checked(text, tmp_path).functions}
    assert words["box_get"] == words["box_free"] == "b: an object"
    assert words["box_is_empty"] == "b: NULL or an object"


_JOINED = """\
#include <stdlib.h>
struct list { struct list *next; };
struct list *list_add(struct list *l) { struct list *n = malloc(sizeof *n); if (!n) abort(); n->next = l; return n; }
struct list *list_join(struct list *first, struct list *second) {
    struct list *l = first;
    if (!first) return RESULT;
    while (l->next) l = l->next;
    l->next = second;
    return first;
}
void list_free(struct list *l) { while (l) { struct list *n = l->next; free(l); l = n; } }
"""


@pytest.mark.parametrize(("result", "verdict"), [("second", Verdict.TRUE), ("NULL", Verdict.FALSE)])
def test_what_joins_gets_two_objects(result: str, verdict: Verdict, tmp_path: Path) -> None:
    """It was read with an element of the first list, which makes a cycle, and then as wrong."""
    report = _checked(_JOINED.replace("RESULT", result), tmp_path)
    joined = next(f for f in report.functions if f.name == "list_join")
    assert joined.verdict is verdict and "second: another object" in joined.precondition


_POOL = """\
#include <stdlib.h>
struct obj { int k; struct obj *next; };
static struct obj *pool;
struct obj *obj_get(void) {
    struct obj *o = pool;
    if (o) { pool = o->next; } else { o = malloc(sizeof *o); if (!o) return NULL; }
    o->k = 0; o->next = NULL;
    return o;
}
void obj_put(struct obj *o) { PUT }
void obj_trim(void) { while (pool) { struct obj *o = pool; pool = o->next; free(o); } }
"""


@pytest.mark.parametrize(
    ("put", "verdict"),
    [("o->next = pool; pool = o;", Verdict.UNKNOWN), ("o->next = pool; pool = o; free(o);", Verdict.FALSE)],
)
def test_what_a_variable_of_the_file_holds_may_be_freed_later(put: str, verdict: Verdict, tmp_path: Path) -> None:
    """A right pool was an ERROR, since a client that ends does not trim it; one that frees what it keeps is one."""
    report = _checked(_POOL.replace("PUT", put), tmp_path)
    assert _verdicts(report)["obj_put"] is verdict
    assert verdict is Verdict.FALSE or "which obj_trim may free later" in _reason(report, "obj_put")


_NEW_KINDS = {
    "sorted": (
        _SORTED.replace("PARAMETER", "").replace("FREE", "free(n);"),
        "sorted_1",
        ["first"],
        "p->first is NULL, or p->first->next is NULL",
    ),
    "packages": (
        _PACKAGES.replace("NEXT", "head = head->next;"),
        "list_1",
        ["next"],
        "p->next is NULL, or p->next->next is NULL",
    ),
    "joined": (_JOINED.replace("RESULT", "second"), "list_1", ["next"], "p->next is NULL, or p->next->next is NULL"),
}


@in_exam
@pytest.mark.parametrize("name", _NEW_KINDS)
def test_random_runs_of_the_compiled_library_satisfy_the_invariant(name: str, tmp_path: Path) -> None:
    """A precondition is never stronger than what the functions establish; a sentence that is false ends a run."""
    text, variable, members, false = _NEW_KINDS[name]
    report = _checked(text, tmp_path)
    facts = next(iter(report.invariants.values()))
    client = checked(report.client, variable, facts, members)
    assert error_of(client, tmp_path / "library.c", tmp_path) == ""
    wrong = checked(report.client, variable, [*facts, false], members)
    assert error_of(wrong, tmp_path / "library.c", tmp_path) == "no invariant"
