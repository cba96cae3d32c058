"""Nodes that callers make, pointers that callers have not set, and lists that are changed in place.

A function that links a node of its caller was an ERROR where other functions allocate the nodes: the node was taken for
an element. So was a function that initialises a pointer to a list, read with a list. A list of texts that is reversed
in place was read as another list, as trials of many operations did not come to a run that shows the difference.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.library.inferences import inference_of, inferred_of, wrong_functions
from tests.slices import in_exam

from kleene.analysis.c.library.inference.trials import QUICK_STATES
from kleene.analysis.c.library.readings.operations import Outcome, Role

SORTED = """
#include <stdlib.h>
struct node { int value; struct node *next; };
struct list { struct node *head; };
struct list *list_new(void) { return calloc(1, sizeof(struct list)); }
int list_push(struct list *l, int value) {
    struct node *n = malloc(sizeof *n);
    if (!n) return -1;
    n->value = value; n->next = l->head; l->head = n;
    return 0;
}
void list_insert_sorted(struct list *l, struct node *n) {
    struct node **p = &l->head;
    while (*p && (*p)->value < n->value) p = &(*p)->next;
    n->next = *p; *p = n;
}
void list_free(struct list *l) {
    while (l->head) { struct node *n = l->head; l->head = n->next; free(n); }
    free(l);
}
"""
STACK = """
#include <stdlib.h>
struct item { struct item *below; int v; };
void stack_init(struct item **s) { *s = NULL; }
int stack_push(struct item **s, int v) {
    struct item *n = malloc(sizeof *n);
    if (!n) return -1;
    n->v = v; n->below = *s; *s = n;
    return 0;
}
void stack_clear(struct item **s) {
    while (*s) { struct item *n = *s; *s = n->below; free(n); }
}
"""
TEXTS = """
#include <stdlib.h>
#include <string.h>
struct names { char *name; struct names *next; };
void names_free(struct names *list) {
    while (list) { struct names *next = list->next; free(list->name); free(list); list = next; }
}
struct names *names_append(struct names *list, const char *s) {
    struct names *n = malloc(sizeof *n), *last;
    if (!n) return NULL;
    n->name = strdup(s);
    if (!n->name) { free(n); return NULL; }
    n->next = NULL;
    if (!list) return n;
    for (last = list; last->next; last = last->next) ;
    last->next = n;
    return list;
}
struct names *names_prepend(struct names *list, const char *s) {
    struct names *n = malloc(sizeof *n);
    if (!n) return NULL;
    n->name = strdup(s);
    if (!n->name) { free(n); return NULL; }
    n->next = list;
    return n;
}
struct names *names_remove(struct names *list, const char *s) {
    struct names **p = &list, *n;
    while ((n = *p)) {
        if (strcmp(n->name, s) == 0) { *p = n->next; free(n->name); free(n); }
        else p = &n->next;
    }
    return list;
}
struct names *names_dup(const struct names *list) {
    struct names *copy = NULL, **tail = &copy;
    for (; list; list = list->next) {
        struct names *n = malloc(sizeof *n);
        if (!n || !(n->name = strdup(list->name))) { free(n); names_free(copy); return NULL; }
        n->next = NULL; *tail = n; tail = &n->next;
    }
    return copy;
}
struct names *names_reverse(struct names *list) {
    struct names *r = NULL;
    while (list) { struct names *n = list->next; list->next = r; r = list; list = n; }
    return r;
}
"""
LOOKING = """
const char *names_find(const struct names *list, const char *s) {
    for (; list; list = list->next) if (strcmp(list->name, s) == 0) return list->name;
    return NULL;
}
unsigned names_count(const struct names *list) {
    unsigned n = 0;
    for (; list; list = list->next) n++;
    return n;
}
const char *names_nth(const struct names *list, unsigned i) {
    while (list && i--) list = list->next;
    return list ? list->name : NULL;
}
unsigned long names_total(const struct names *list) {
    unsigned long n = 0;
    for (; list; list = list->next) n += strlen(list->name);
    return n;
}
"""
LINKED = "n->next = *p; *p = n;"


def test_a_function_that_allocates_nothing_links_a_node_of_its_caller(tmp_path: Path) -> None:
    inferred = inferred_of(SORTED, tmp_path)
    roles = {o.function.name: o.roles for o in inferred.accepted}
    assert not inferred.rejected
    assert roles["list_insert_sorted"] == (Role.OBJECT, Role.BLOCK)


@pytest.mark.parametrize(
    "wrong", ["n->next = *p;", "n->next = n; *p = n;", "*p = n; n->next = *p;", "free(n); *p = n;"]
)
def test_an_error_on_a_node_of_its_caller_is_one(tmp_path: Path, wrong: str) -> None:
    inferred = inferred_of(SORTED.replace(LINKED, wrong), tmp_path)
    assert "list_insert_sorted" in wrong_functions(inferred)


def test_a_pointer_that_is_initialised_is_not_set(tmp_path: Path) -> None:
    inferred = inferred_of(STACK, tmp_path)
    roles = {o.function.name: o.roles for o in inferred.accepted}
    assert not inferred.rejected
    assert roles["stack_init"] == (Role.MADE,)


def test_a_function_that_forgets_to_free_is_still_wrong(tmp_path: Path) -> None:
    inferred = inferred_of(STACK.replace("*s = n->below; free(n);", "*s = n->below;"), tmp_path)
    assert "stack_clear" in wrong_functions(inferred)


@in_exam
def test_a_short_trial_shows_that_a_list_which_is_reversed_in_place_is_no_second_list(tmp_path: Path) -> None:
    before, reverse = TEXTS.split("struct names *names_reverse")
    inference = inference_of(f"{before}{LOOKING}struct names *names_reverse{reverse}", tmp_path)
    inferred = inference.run()
    outcomes = {o.function.name: o.outcome for o in inferred.accepted}
    assert outcomes["names_reverse"] is Outcome.REPLACES
    assert outcomes["names_dup"] is Outcome.ANOTHER
    right = next(o for o in inferred.accepted if o.function.name == "names_reverse")
    inferred.accepted.remove(right)
    wrong = replace(right, outcome=Outcome.ANOTHER)
    assert not inference.tries.one(wrong, QUICK_STATES).is_admissible
