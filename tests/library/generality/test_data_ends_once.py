"""Data that functions of the client end: a library that ends an element twice, or uses it afterwards, is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slices import EXAM, in_exam

from kleene.analysis.c.library import client_checks
from kleene.analysis.c.library.check import check_library
from kleene.analysis.c.options import check_options
from kleene.core.verdict import Verdict

LIST = """
#include <stdlib.h>
struct n { struct n *next; void *data; };
struct l { struct n *head; void (*drop)(void *); };
static struct n *take(struct l *x) { struct n *n = x->head; if (n) x->head = n->next; return n; }
struct l *l_new(void (*drop)(void *)) { struct l *x = calloc(1, sizeof *x); if (x) x->drop = drop; return x; }
int l_push(struct l *x, void *d) {
    struct n *n = malloc(sizeof *n);
    if (!n) return -1;
    n->next = x->head; n->data = d; x->head = n;
    return 0;
}
void l_free(struct l *x) { struct n *n; while ((n = take(x))) { x->drop(n->data); free(n); } free(x); }
"""
RIGHT = {
    "l_shift": "void l_shift(struct l *x) { struct n *n = take(x); if (n) x->drop(n->data); free(n); }",
    "l_pop": "void *l_pop(struct l *x) { struct n *n = take(x); void *d = n ? n->data : 0; free(n); return d; }",
    "l_clear": "void l_clear(struct l *x, void (*f)(void *)) "
    "{ struct n *n; while ((n = take(x))) { f(n->data); free(n); } }",
    "l_each": "void l_each(struct l *x, void (*f)(void *)) { for (struct n *n = x->head; n; n = n->next) f(n->data); }",
}
WRONG = {
    "twice": RIGHT["l_shift"].replace("x->drop(n->data);", "{ x->drop(n->data); x->drop(n->data); }"),
    "left in the list": "void *l_pop(struct l *x) { return x->head ? x->head->data : 0; }",
    "not unlinked": RIGHT["l_each"].replace("l_each", "l_clear"),
    "returned": "void *l_shift(struct l *x) { struct n *n = take(x); void *d = 0; "
    "if (n) x->drop(d = n->data); free(n); return d; }",
    "compared": "int l_find(struct l *x, int (*same)(void *)) { struct n *n = take(x); int r = 0; "
    "if (n) { x->drop(n->data); r = same(n->data); } free(n); return r; }",
}


@pytest.mark.parametrize("case", sorted(WRONG) if EXAM else ["twice"])
def test_a_datum_ends_once(tmp_path: Path, case: str) -> None:
    """Each was proved: stored data points nowhere, so functions of the client that free it did nothing."""
    file = tmp_path / "library.c"
    hook = "del" if case == "twice" else "drop"
    file.write_text((LIST + WRONG[case]).replace("drop", hook))
    report = check_library(str(file), check_options(timeout=30.0))
    assert report.verdict is Verdict.FALSE
    findings = [f.finding for f in report.functions if f.verdict is Verdict.FALSE]
    assert {f.kind for f in findings if f is not None} <= {"double_free", "dangling_dereference"}


def test_a_function_that_stores_a_datum_again_is_to_blame(tmp_path: Path) -> None:
    """Those that end the datum were reported in its place, one after the other."""
    again = "int l_dup(struct l *x) { return x->head ? l_push(x, x->head->data) : -1; }"
    file = tmp_path / "library.c"
    file.write_text(LIST + again + RIGHT["l_pop"])
    report = check_library(str(file), check_options(timeout=30.0))
    verdicts = {f.name: f.verdict for f in report.functions}
    assert {name for name, verdict in verdicts.items() if verdict is not Verdict.TRUE} == {"l_dup"}
    assert verdicts["l_dup"] is Verdict.FALSE


@in_exam
@pytest.mark.parametrize("hook", ["finalize", "item_dealloc"])
def test_a_hook_ends_data_if_its_name_says_so(tmp_path: Path, hook: str) -> None:
    """Short names said nothing, so the library was proved."""
    file = tmp_path / "library.c"
    file.write_text((LIST + WRONG["returned"]).replace("drop", hook))
    assert check_library(str(file), check_options(timeout=30.0)).verdict is Verdict.FALSE


def test_what_ends_each_datum_once_is_proved(tmp_path: Path) -> None:
    """Also functions that only look at data, though they are functions of the client: their name says so."""
    file = tmp_path / "library.c"
    file.write_text(LIST + "\n".join(RIGHT.values()))
    report = check_library(str(file), check_options(timeout=30.0))
    assert report.verdict is Verdict.TRUE and not report.assumptions


def test_what_is_not_proved_of_data_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The verdict was TRUE, with a sentence among the assumptions, if there was no time to watch the data."""
    monkeypatch.setattr(client_checks, "SHARE_OF_WATCH", 1e-9)
    file = tmp_path / "library.c"
    file.write_text(LIST + RIGHT["l_shift"] + "int l_empty(struct l *x) { return !x->head; }")
    report = check_library(str(file), check_options(timeout=30.0))
    verdicts = {f.name: f.verdict for f in report.functions}
    unknown = {name for name, verdict in verdicts.items() if verdict is Verdict.UNKNOWN}
    assert unknown == {"l_shift", "l_free"} and set(verdicts.values()) == {Verdict.TRUE, Verdict.UNKNOWN}
