"""Nodes that are part of no object: made by a function, linked by another one, taken out by a third.

A function that links a node into a list without a header was FALSE: its node was taken for a list. A function that
takes an element out and leaves it to the caller was called with elements that are in no list. Elements that the client
initialises were objects beside the list, which share blocks with it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.library.mutants import checked, error_of
from tests.slices import in_exam

from kleene.analysis.c.library.check import check_library
from kleene.analysis.c.library.interface.exports import read_interface
from kleene.analysis.c.library.interface.object_types import object_types
from kleene.analysis.c.library.readings.candidates import readings
from kleene.analysis.c.library.readings.operations import Fate, Role
from kleene.analysis.c.options import check_options
from kleene.c.options import DEFAULT
from kleene.core.verdict import Verdict
from kleene.results.library import LibraryReport

SECONDS = 120.0
"""A library takes 3 to 15 s alone; tests may share two cores with others."""
HEADLESS = """
#include <stdlib.h>
struct task { int priority; struct task *before, *after; };
struct task *task_new(int priority) {
    struct task *t = malloc(sizeof *t);
    if (!t) return NULL;
    t->priority = priority; t->before = t->after = NULL;
    return t;
}
struct task *tasks_insert(struct task *head, struct task *t) {
    struct task *cur = head, *last = NULL;
    while (cur && cur->priority >= t->priority) { last = cur; cur = cur->after; }
    t->before = last; t->after = cur;
    if (cur) cur->before = t;
    if (last) last->after = t;
    return last ? head : t;
}
struct task *tasks_remove(struct task *head, struct task *t) {
    if (t->before) t->before->after = t->after;
    if (t->after) t->after->before = t->before;
    if (head == t) head = t->after;
    free(t);
    return head;
}
void tasks_free(struct task *head) {
    while (head) { struct task *after = head->after; free(head); head = after; }
}
"""
ENTRIES = """
#include <stdlib.h>
struct entry { const char *key; struct entry *next; };
struct list { struct entry *head, *tail; };
struct list *list_create(void) { return calloc(1, sizeof(struct list)); }
struct entry *entry_create(const char *key) {
    struct entry *e = malloc(sizeof *e);
    if (e) { e->key = key; e->next = NULL; }
    return e;
}
void entry_destroy(struct entry *e) { free(e); }
void list_append(struct list *l, struct entry *e) {
    e->next = NULL;
    if (l->tail) l->tail->next = e; else l->head = e;
    l->tail = e;
}
void list_remove(struct list *l, struct entry *e) {
    struct entry *prev = l->head;
    while (prev && prev->next != e) prev = prev->next;
    if (prev) prev->next = e->next;
    if (l->head == e) l->head = e->next;
    if (l->tail == e) l->tail = prev;
}
int list_has(struct list *l, char c) {
    for (struct entry *e = l->head; e; e = e->next) if (e->key[0] == c) return 1;
    return 0;
}
void list_destroy(struct list *l) {
    while (l->head) { struct entry *e = l->head; l->head = e->next; free(e); }
    free(l);
}
"""
JOBS = """
#include <stddef.h>
struct link { struct link *next; struct link **back; };
struct jobs { struct link *first; };
struct job { int id; struct link link; };
void jobs_init(struct jobs *l) { l->first = NULL; }
void job_init(struct job *j, int id) { j->id = id; j->link.next = NULL; j->link.back = NULL; }
void job_enqueue(struct jobs *l, struct job *j) {
    j->link.next = l->first;
    if (l->first) l->first->back = &j->link.next;
    l->first = &j->link; j->link.back = &l->first;
}
void job_dequeue(struct job *j) {
    *j->link.back = j->link.next;
    if (j->link.next) j->link.next->back = j->link.back;
    j->link.next = NULL; j->link.back = NULL;
}
"""
LIBRARIES = {"headless": HEADLESS, "entries": ENTRIES, "jobs": JOBS}
CHANGED = {
    "no way back": ("headless", "    if (cur) cur->before = t;\n", "", "tasks_insert"),
    "the head is forgotten": ("headless", "return last ? head : t;", "return head;", "tasks_insert"),
    "the head dangles": ("headless", "    if (head == t) head = t->after;\n", "", "tasks_remove"),
    "the tail dangles": ("entries", "    if (l->tail == e) l->tail = prev;\n", "", "list_remove"),
    "the entry stays": ("entries", "    if (prev) prev->next = e->next;\n", "", "list_remove"),
    "no next": ("entries", "    e->next = NULL;\n    if", "    e->next = e;\n    if", "list_append"),
    "the wrong way back": ("jobs", "    if (l->first) l->first->back = &j->link.next;\n", "", "job_enqueue"),
}


def _checked(text: str, folder: Path) -> LibraryReport:
    path = folder / "library.c"
    path.write_text(text, encoding="utf-8")
    return check_library(str(path), check_options(timeout=SECONDS))


@pytest.mark.parametrize("name", [pytest.param(n, marks=() if n == "jobs" else in_exam) for n in LIBRARIES])
def test_every_function_is_proved(name: str, tmp_path: Path) -> None:
    report = _checked(LIBRARIES[name], tmp_path)
    assert {f.name: f.verdict for f in report.functions if f.verdict is not Verdict.TRUE} == {}


@pytest.mark.parametrize("name", [pytest.param(n, marks=() if n == "the wrong way back" else in_exam) for n in CHANGED])
def test_no_change_is_proved(name: str, tmp_path: Path) -> None:
    library, old, new, function = CHANGED[name]
    assert LIBRARIES[library].count(old) == 1
    report = _checked(LIBRARIES[library].replace(old, new), tmp_path)
    assert [f.name for f in report.functions if f.verdict is Verdict.FALSE] == [function]


def test_a_node_that_stays_linked_is_no_proof(tmp_path: Path) -> None:
    """As a function on jobs that are in no list it has no error: which of the two readings is meant is open."""
    report = _checked(JOBS.replace("    *j->link.back = j->link.next;\n", ""), tmp_path)
    assert {f.name for f in report.functions if f.verdict is not Verdict.TRUE} == {"job_dequeue"}


@in_exam
@pytest.mark.parametrize(("name", "variable"), [("headless", "task_1"), ("entries", "list_1")])
def test_random_runs_satisfy_the_invariant(name: str, variable: str, tmp_path: Path) -> None:
    """A precondition is never stronger than what the functions establish."""
    report = _checked(LIBRARIES[name], tmp_path)
    facts = next(iter(report.invariants.values()))
    client = checked(report.client, variable, facts, ["head"] if name == "entries" else ["after", "before"])
    assert error_of(client, tmp_path / "library.c", tmp_path) == ""


def test_the_readings_of_nodes(tmp_path: Path) -> None:
    """Whole objects come first: a function that takes two lists is not read as one that takes a node."""
    path = tmp_path / "library.c"
    path.write_text(HEADLESS, encoding="utf-8")
    interface = read_interface(str(path), DEFAULT)
    types = object_types(interface)
    possible = {f.name: readings(f, types) for f in interface.functions}
    roles = list(dict.fromkeys(o.roles for o in possible["tasks_insert"]))
    assert roles.index((Role.OBJECT_OR_NULL, Role.SECOND)) < roles.index((Role.OBJECT_OR_NULL, Role.LOOSE))
    assert all(Role.LOOSE not in o.roles for o in possible["tasks_remove"])
    assert all(o.fate is not Fate.LOOSENED for o in possible["tasks_remove"]), "tasks_free ends lists, not nodes"
