"""Numbers by which a function of an iterator says that the iteration is over: the wrong sense of one hides errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.library.inferences import inferred_of, wrong_functions
from tests.slices import in_exam

from kleene.analysis.c.library.readings.operations import Outcome

_LIST = """
#include <stdlib.h>
struct node { struct node *next; int value; };
struct list { struct node *first; };
struct cursor { struct node *at; int n; };
struct list *list_new(void) { return calloc(1, sizeof(struct list)); }
int list_push(struct list *l, int value) {
    struct node *n = malloc(sizeof *n);
    if (!n) return -1;
    n->value = value; n->next = l->first; l->first = n;
    return 0;
}
void list_free(struct list *l) {
    while (l->first) { struct node *n = l->first->next; free(l->first); l->first = n; }
    free(l);
}
void cursor_init(struct cursor *c, struct list *l) { c->at = l->first; c->n = 0; }
int cursor_next(struct cursor *c, int *value) { NEXT }
"""
_BEHIND = "*value = c->at->value; c->at = c->at->next; return %s;"
RIGHT = {
    "0 at the end": ("if (!c->n++ && !c->at) return 0; " + _BEHIND % "c->at != NULL", Outcome.OVER_IF_ZERO),
    "1 at the end": ("if (!c->n++ && !c->at) return 1; " + _BEHIND % "c->at == NULL", Outcome.OVER_IF_SET),
}
WRONG = {
    "it does not test whether there is an element": _BEHIND % "1",
    "it tests for the first one only": "if (!c->n++ && !c->at) return 0; " + _BEHIND % "1",
}


@pytest.mark.parametrize("name", [pytest.param(n, marks=in_exam if i else ()) for i, n in enumerate(RIGHT)])
def test_either_number_may_say_that_it_is_over(name: str, tmp_path: Path) -> None:
    text, outcome = RIGHT[name]
    inferred = inferred_of(_LIST.replace("NEXT", text), tmp_path)
    assert {o.function.name: o.outcome for o in inferred.accepted}["cursor_next"] is outcome


@pytest.mark.parametrize("name", WRONG)
def test_what_is_over_at_each_element_hides_nothing(name: str, tmp_path: Path) -> None:
    """A function that returns 1 for an element was read as one that is over then: nothing called it a second time."""
    inferred = inferred_of(_LIST.replace("NEXT", WRONG[name]), tmp_path)
    assert wrong_functions(inferred) == {"cursor_next"}
