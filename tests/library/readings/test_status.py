"""Functions that make an object and say by a number whether they did: `int stack_new(struct stack **out)`."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.analysis.c.library.check import check_library
from kleene.analysis.c.library.readings.operations import Outcome, Role
from kleene.analysis.c.options import check_options
from kleene.core.verdict import Verdict

_SECONDS = 20.0
_STACK = """
#include <stdlib.h>
struct node { struct node *next; int v; };
struct stack { struct node *top; };
int stack_new(struct stack **out) {
    struct stack *s = malloc(sizeof *s);
    if (!s) return FAILED;
    s->top = NULL; *out = s; return MADE;
}
int stack_push(struct stack *s, int v) {
    struct node *n = malloc(sizeof *n);
    if (!n) return -1;
    n->v = v; n->next = s->top; s->top = n; return 0;
}
void stack_free(struct stack *s) {
    while (s->top) { struct node *n = s->top->next; free(s->top); s->top = n; }
    free(s);
}
"""
_LOG = """
#include <stdlib.h>
#include <stdbool.h>
struct log { int *last; int n; };
bool log_init(struct log *l, int n) {
    if (n < 0) return false;
    l->n = n; l->last = malloc(sizeof *l->last);
    return l->last != NULL;
}
void log_add(struct log *l, int v) { *l->last = v; }
void log_fini(struct log *l) { free(l->last); }
"""
_CHECKED = """
#include <stdlib.h>
struct node { struct node *next; };
struct queue { struct node *head; int most; };
int queue_init(struct queue *q, int most) { if (most <= 0) return 0; q->head = NULL; q->most = most; return 1; }
void queue_push(struct queue *q) { struct node *n = malloc(sizeof *n); if (n) { n->next = q->head; q->head = n; } }
void queue_fini(struct queue *q) { while (q->head) { struct node *n = q->head->next; free(q->head); q->head = n; } }
"""
_COPIED = """
int stack_copy(const struct stack *s, struct stack **out) {
    struct stack *c; struct node **end, *n;
    if (stack_new(&c)) return -1;
    end = &c->top;
    for (n = s->top; n; n = n->next) {
        *end = malloc(sizeof **end);
        if (!*end) { stack_free(c); return -1; }
        (*end)->v = n->v; (*end)->next = NULL; end = &(*end)->next;
    }
    *out = c;
    return 0;
}
"""
ZERO = _STACK.replace("FAILED", "-1").replace("MADE", "0")
RIGHT = {
    "a variable, 0": (ZERO, "stack_new", Outcome.ZERO_IF_MADE),
    "a variable, not 0": (_STACK.replace("FAILED", "0").replace("MADE", "1"), "stack_new", Outcome.SET_IF_MADE),
    "a block": (_LOG, "log_init", Outcome.SET_IF_MADE),
    "a block of which others show that it is none": (_CHECKED, "queue_init", Outcome.SET_IF_MADE),
    "another object": (ZERO + _COPIED, "stack_copy", Outcome.ZERO_IF_MADE),
}
WRONG = {
    "it fails and says that it did not": ZERO.replace("if (!s) return -1;", "if (!s) { *out = s; return 0; }"),
    "it fails and keeps a block": _LOG.replace("l->n = n;", "l->n = n; if (!malloc(8)) return false;"),
    "it says nothing": _LOG.replace("bool log_init", "void log_init")
    .replace("return false;", "return;")
    .replace("return l->last != NULL;", ""),
    "a block that is freed": ZERO.replace("s->top = NULL; *out = s;", "s->top = NULL; *out = s; free(s);"),
    "an object that shares nodes": ZERO
    + "int stack_copy(const struct stack *s, struct stack **out) { int r = stack_new(out);\n"
    "    if (r == 0) (*out)->top = s->top; return r; }\n",
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_number_says_whether_the_object_is_made(name: str, tmp_path: Path) -> None:
    """Both kinds were an ERROR: the client went on with a block of which `init` had said that it is no object."""
    text, function, outcome = RIGHT[name]
    file = tmp_path / "library.c"
    file.write_text(text, encoding="utf-8")
    report = check_library(str(file), check_options(timeout=_SECONDS))
    assert {f.name: f.verdict for f in report.functions if f.verdict is not Verdict.TRUE} == {}
    reading = next(f.reading for f in report.functions if f.name == function)
    assert reading is not None and reading.outcome == outcome.name.lower()
    assert Role.MADE.name.lower() in reading.roles or "init" in function


@pytest.mark.parametrize("name", WRONG)
def test_a_number_excuses_no_error(name: str, tmp_path: Path) -> None:
    """What the number says is the only excuse: a block that is no object is freed and nothing else is."""
    file = tmp_path / "library.c"
    file.write_text(WRONG[name], encoding="utf-8")
    report = check_library(str(file), check_options(timeout=_SECONDS))
    assert any(f.verdict is not Verdict.TRUE for f in report.functions)
