"""The search for a run of a client that is not proved."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from tests.slices import in_exam

from kleene.analysis.c.budget import Budget
from kleene.analysis.c.library.blame import search as module
from kleene.analysis.c.library.blame.search import search
from kleene.analysis.c.library.client.places import executed_operations
from kleene.analysis.c.library.contracts.stored import StoredContracts
from kleene.analysis.c.library.inference.selection import Inference
from kleene.analysis.c.library.inference.trials import ClientFolder
from kleene.analysis.c.library.interface.exports import read_interface
from kleene.analysis.c.verdicts import finding_of
from kleene.c.options import DEFAULT

_BOOK = """
#include <stdlib.h>
#include <string.h>
struct entry { struct entry *next, *prev; char *name, *number; };
struct book { struct entry *first, *last; };
struct book *book_new(void) { return calloc(1, sizeof(struct book)); }
static void end(struct entry *e) { free(e->name); free(e->number); free(e); }
int book_add(struct book *b, const char *name, const char *number) {
    struct entry *e = calloc(1, sizeof *e);
    if (!e) return 0;
    e->name = strdup(name); e->number = strdup(number);
    if (!e->name || !e->number) { end(e); return 0; }
    e->prev = b->last;
    if (b->last) b->last->next = e; else b->first = e;
    b->last = e;
    return 1;
}
int book_remove(struct book *b, const char *name) {
    struct entry *e = b->first;
    while (e && strcmp(e->name, name)) e = e->next;
    if (!e) return 0;
    if (e->prev) e->prev->next = e->next; else b->first = e->next;
    if (e->next) e->next->prev = e->prev; LAST
    end(e);
    return 1;
}
void book_free(struct book *b) { while (b->first) { struct entry *e = b->first; b->first = e->next; end(e); } free(b); }
"""


@pytest.mark.parametrize(
    ("last", "states", "found"),
    [
        ("", module.SEARCH_STATES, ["book_new", "book_add", "book_remove", "book_add"]),
        pytest.param("else b->last = e->prev;", 1_000, None, marks=in_exam),
    ],
    ids=["wrong", "right"],
)
def test_an_error_that_no_trial_shows(
    last: str, states: int, found: list[str] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was UNKNOWN: with texts, and memory that may be short, a trial ends before the fourth operation."""
    monkeypatch.setattr(module, "SEARCH_STATES", states)
    file = tmp_path / "book.c"
    file.write_text(_BOOK.replace("LAST", last), encoding="utf-8")
    interface = read_interface(str(file), DEFAULT)
    clients = ClientFolder(tmp_path, interface, DEFAULT)
    budget = Budget(time.monotonic(), 120.0)
    inferred = Inference(interface, clients, budget, StoredContracts(), malloc_may_fail=True).run()
    assert [r.operation.function.name for r in inferred.rejected] == []
    shown = search(clients, inferred.types, inferred.accepted, budget, malloc_may_fail=True)
    assert (shown is None) is (found is None)
    if shown is not None:
        client, run = shown
        assert run.fault.kind == "dangling_dereference"
        assert [o.function.name for o in executed_operations(finding_of(run), client)] == found
