"""Two objects of one type: a function makes another one, or takes two of them. Both must be separate."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kleene.analysis.c.library import client_checks
from kleene.analysis.c.library.check import check_library
from kleene.analysis.c.options import CheckOptions, check_options
from kleene.cfa.program import CProgram
from kleene.core.verdict import Verdict
from kleene.results.check import CheckReport
from kleene.results.library import LibraryReport

LIST = """
#include <stdlib.h>
struct node { struct node *next; void *value; };
struct list { struct node *first; void (*end)(void *value); };
struct list *list_new(void) {
    struct list *l = malloc(sizeof *l);
    if (l) { l->first = NULL; l->end = NULL; }
    return l;
}
int list_push(struct list *l, void *value) {
    struct node *n = malloc(sizeof *n);
    if (!n) return 0;
    n->value = value; n->next = l->first; l->first = n;
    return 1;
}
void list_free(struct list *l) {
    if (!l) return;
    while (l->first) {
        struct node *n = l->first->next;
        if (l->end) l->end(l->first->value);
        free(l->first); l->first = n;
    }
    free(l);
}
struct list *list_copy(const struct list *o) {
    struct list *l = list_new();
    if (!l) return NULL;
    l->end = o->end;
    COPY
    return l;
}
"""
NODES = "for (struct node *n = o->first; n; n = n->next) if (!list_push(l, n->value)) { list_free(l); return NULL; }"
COUNTED = """
#include <stdlib.h>
struct body { int references; int items; };
struct list { struct body *body; int length; };
struct list *list_new(void) {
    struct list *l = malloc(sizeof *l); struct body *b = malloc(sizeof *b);
    if (!l || !b) { free(l); free(b); return NULL; }
    b->references = 1; b->items = 0; l->body = b; l->length = 0;
    return l;
}
struct list *list_copy(const struct list *o) {
    struct list *l = malloc(sizeof *l);
    if (!l) return NULL;
    l->body = o->body; l->body->references++; l->length = o->length;
    return l;
}
void list_free(struct list *l) { if (--l->body->references == 0) free(l->body); free(l); }
"""


def verdicts(text: str, folder: Path) -> tuple[dict[str, Verdict], LibraryReport]:
    (folder / "list.c").write_text(text, encoding="utf-8")
    report = check_library(str(folder / "list.c"), check_options(timeout=60.0))
    return {f.name: f.verdict for f in report.functions}, report


def test_a_copy_is_proved_with_one_object(tmp_path: Path) -> None:
    """With two objects at the head of the loop, each combination of lists was followed."""
    proved, report = verdicts(LIST.replace("COPY", NODES), tmp_path)
    assert set(proved.values()) == {Verdict.TRUE}
    words = {f.name: f.precondition for f in report.functions}
    assert "l: NULL or an object" in words["list_free"] and "l: an object" in words["list_push"]
    assert "p->end is NULL: no function sets it" in report.invariants["struct list"]


@pytest.mark.parametrize("copy", ["l->first = o->first;", "if (o->first) l->first = o->first->next;"])
def test_a_copy_that_shares_nodes_is_no_proof(copy: str, tmp_path: Path) -> None:
    """The copy was a block that the caller frees, though the library has a function that ends objects."""
    assert verdicts(LIST.replace("COPY", copy), tmp_path)[0]["list_copy"] is Verdict.FALSE


def test_objects_that_share_a_counted_block_are_open(tmp_path: Path) -> None:
    """It was called a leak: all readings but the one in which objects share a block lose the copy."""
    proved, report = verdicts(COUNTED, tmp_path)
    assert proved["list_copy"] is Verdict.UNKNOWN
    assert "links two objects" in next(f.reason for f in report.functions if f.name == "list_copy")


TWO = """
#include <stdlib.h>
struct node { struct node *next; };
struct list { struct node *head; };
struct list *list_new(void) { return calloc(1, sizeof(struct list)); }
int list_push(struct list *l) {
    struct node *n = malloc(sizeof *n);
    if (!n) return 0;
    n->next = l->head; l->head = n;
    return 1;
}
void list_move(struct list *to, struct list *from) {
    struct node *n = from->head;
    if (!n) return;
    while (n->next) n = n->next;
    n->next = to->head; to->head = from->head; EMPTY
}
void list_free(struct list *l) {
    while (l->head) { struct node *n = l->head->next; free(l->head); l->head = n; }
    free(l);
}
"""


def test_functions_that_take_two_objects_are_proved_with_the_others(tmp_path: Path) -> None:
    proved, report = verdicts(TWO.replace("EMPTY", "from->head = NULL;"), tmp_path)
    assert set(proved.values()) == {Verdict.TRUE}
    assert not any("without" in words for f in report.functions for words in f.precondition)


def test_what_takes_one_object_is_proved_without_them(tmp_path: Path) -> None:
    proved, _ = verdicts(TWO.replace("EMPTY", ""), tmp_path)
    assert proved.pop("list_move") is not Verdict.TRUE
    assert set(proved.values()) == {Verdict.TRUE}


def test_a_client_with_two_objects_that_takes_too_long_leaves_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing was proved of such a library: the heaps of its client are pairs."""
    whole = client_checks.check_program

    def few(program: CProgram, options: CheckOptions, start: float) -> CheckReport:
        if any("_b" in str(o) for o in program.operations):
            options = replace(options, timeout=0.01)
        return whole(program, options, start)

    monkeypatch.setattr(client_checks, "check_program", few)
    proved, report = verdicts(TWO.replace("EMPTY", "from->head = NULL;"), tmp_path)
    assert proved.pop("list_move") is Verdict.UNKNOWN
    assert set(proved.values()) == {Verdict.TRUE}
    words = next(f.precondition for f in report.functions if f.name == "list_push")
    assert "objects are made without list_move" in words
