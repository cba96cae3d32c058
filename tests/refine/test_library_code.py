"""Programs in the manner of data-structure libraries, proved by refinement itself, with what they track."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.refine.helpers import EXAMPLES, refined, written

from kleene.analysis.c.certificates import certificate_text, recheck
from kleene.analysis.c.options import CheckOptions
from kleene.analysis.c.refinement import RefineSettings, refine
from kleene.c.reader import read_program
from kleene.passes.preparation import Prepared
from kleene.refine.certificate import graphs_of, problems_of
from kleene.refine.loop import GAVE_UP, SAFE, RefineOptions
from kleene.refine.tree.growth import STRUCTURES_BEFORE_COMPARISON

START = """
#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next, *prev; };
static struct node *fresh(void) {
    struct node *n = malloc(sizeof *n);
    if (!n) abort();
    return n;
}
"""
APPEND = (
    START
    + """
int main(void) {
    struct node *head = NULL, *n;
    while (__VERIFIER_nondet_int()) {
        n = fresh();
        n->next = NULL;
        if (head) {
            n->prev = head->prev;
            head->prev->next = n;
            head->prev = n;
        } else {
            n->prev = n;
            head = n;
        }
    }
    for (n = head; n; n = n->next)
        assert(n->next ? n->next->prev == n : head->prev == n);
    return 0;
}
"""
)
RING = (
    START
    + """
int main(void) {
    struct node head, *n, *p;
    head.next = head.prev = &head;
    while (__VERIFIER_nondet_int()) {
        n = fresh();
        n->next = &head;
        n->prev = head.prev;
        head.prev->next = n;
        head.prev = n;
    }
    p = head.next;
    while (p != &head && __VERIFIER_nondet_int())
        p = p->next;
    if (p != &head) {
        p->prev->next = p->next;
        p->next->prev = p->prev;
        free(p);
    }
    for (p = head.next; p != &head; p = p->next)
        assert(p->next->prev == p);
    return 0;
}
"""
)
TAIL = """
#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct entry { int id; struct entry *next, **prev; };
int main(void) {
    struct entry *first = NULL, **last = &first, *e;
    while (__VERIFIER_nondet_int()) {
        e = malloc(sizeof *e);
        if (!e) abort();
        e->next = NULL;
        e->prev = last;
        *last = e;
        last = &e->next;
    }
    for (e = first; e; e = e->next)
        assert(*e->prev == e);
    return 0;
}
"""


def closed(result):
    """The proof holds by the independent check."""
    return not problems_of(result.task, result.abstraction, graphs_of(result.tree))


def test_a_list_whose_first_cell_points_back_to_the_last(tmp_path):
    """What the coarsest class does not know makes its tree explode; the most refined one needs few structures."""
    result = refined(written(tmp_path, APPEND))
    assert result.outcome == SAFE, result.reason
    assert result.abstraction.generator.name == "dll"
    assert result.abstraction.generator.roles.looping == {"prev"}
    (outgrown,) = [one.outgrown for one in result.rounds if one.outgrown is not None]
    assert outgrown[1] > STRUCTURES_BEFORE_COMPARISON > result.tree.generated
    assert outgrown[0].families < result.abstraction.generator.families
    assert closed(result)


def test_rings_need_not_be_followed_round(tmp_path):
    """Cancellation is kept when cells are added, and when one is taken out and freed."""
    start, end = RING.index("    p = head.next;"), RING.index("    for (p")
    for text in (RING[:start] + RING[end:], RING):
        result = refined(written(tmp_path, text))
        names = set(result.abstraction.generator.families)
        assert (result.outcome, result.abstraction.generator.name) == (SAFE, "cdll")
        assert "cancellation" in names
        assert "reachability" not in names
        assert closed(result)


def test_pointers_to_the_pointer_that_leads_to_a_cell(tmp_path):
    """Such a pointer has two kinds of targets; that it has one of them only was not known of fields."""
    result = refined(written(tmp_path, TAIL))
    assert result.outcome == SAFE, result.reason
    assert closed(result)


@pytest.mark.parametrize(
    "good,old,new",
    [(APPEND, "head->prev = n;", ""), (RING, "p->next->prev = p->prev;", ""), (TAIL, "prev = last;", "prev = &first;")],
)
def test_with_a_mistake_it_is_not_proved(tmp_path, good, old, new):
    assert old in good
    assert refined(written(tmp_path, good.replace(old, new, 1))).outcome != SAFE


def test_refinement_ends_where_the_maximal_class_does_not():
    """What is on the stacks is not tracked: the product of all their states is not built."""
    program = EXAMPLES / "refine" / "scheduler.c"
    options = RefineOptions(max_structures=40_000)
    found = refined(program, options=options)
    assert found.outcome == SAFE
    assert not found.abstraction.definition.tracked & {"log", "signals", "timers", "requests", "faults"}
    maximal = refined(program, options=replace(options, hint="dll", maximal=True))
    assert (maximal.outcome, maximal.reason) == (GAVE_UP, "more than 40000 structures")


SORTED = """
#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct node { int key; struct node *next; };
int main(void) {
    struct node *list = NULL, *n, **p;
    while (__VERIFIER_nondet_int()) {
        n = malloc(sizeof *n);
        if (!n) abort();
        n->key = __VERIFIER_nondet_int();
        for (p = &list; *p && (*p)->key < n->key; p = &(*p)->next) ;
        n->next = *p;
        *p = n;
    }
    for (n = list; n && n->next; n = n->next)
        assert(n->key <= n->next->key);
    return 0;
}
"""


def test_sorted_insertion_is_proved_on_images(tmp_path):
    """0 and 1 stand for the numbers; the certificate states this, and is checked in the same way."""
    program = written(tmp_path, SORTED)
    found = refine(
        Prepared(read_program([str(program)])), ["assert"], RefineSettings(), malloc_may_fail=True, seconds=60
    )
    assert not isinstance(found, str)
    assert (found.outcome, found.task.images) == (SAFE, True)
    path = tmp_path / "proof.json"
    path.write_text(certificate_text(found, CheckOptions(("assert",))))
    assert not recheck(str(path)).problems


@pytest.mark.parametrize("old,new", [("<= n->next", "< n->next"), ("key < n->key", "key > n->key")])
def test_an_error_on_images_is_no_error(tmp_path, old, new):
    """It is left to the program with its numbers, which shows the inputs."""
    assert old in SORTED
    program = read_program([str(written(tmp_path, SORTED.replace(old, new, 1)))])
    found = refine(Prepared(program), ["assert"], RefineSettings(), malloc_may_fail=True, seconds=60)
    assert not isinstance(found, str)
    assert not found.task.images
    assert found.outcome != SAFE
