"""The attempt `members`: programs that a wrong life of a struct, or a wrong holder of it, would prove."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.coverage.helpers import attacked, is_proof, read

from kleene.analysis.c.shape.analyse import analyse_by_attempt
from kleene.analysis.c.shape.attempts import ATTEMPTS, kinds_of_alarms
from kleene.analysis.c.shape.run import check_again
from kleene.passes.preparation import Prepared
from kleene.results.shape import ShapeResult

MEMBERS = next(row for row in ATTEMPTS if row.name == "members")
HEAD = """
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; };
struct queue { struct node *first, *last; };
struct desk { struct node *open, *done; struct queue late; int moves; };
static struct node *made(struct node *next) {
    struct node *n = malloc(sizeof *n);
    if (!n) abort();
    n->next = next;
    return n;
}
static void drop(struct node *l) { while (l) { struct node *t = l; l = l->next; free(t); } }
static void hand(struct node **from, struct node **to) {
    struct node *n = *from;
    if (n) { *from = n->next; n->next = *to; *to = n; }
}
static void put(struct queue *q, struct node *n) {
    n->next = NULL;
    if (q->last) q->last->next = n; else q->first = n;
    q->last = n;
}
static struct desk *create(void) {
    struct desk *d = malloc(sizeof *d);
    if (!d) return NULL;
    d->open = d->done = d->late.first = d->late.last = NULL;
    d->moves = 0;
    return d;
}
static void destroy(struct desk *d) { drop(d->open); drop(d->done); drop(d->late.first); free(d); }
"""
STEPS = (
    "while (__VERIFIER_nondet_int()) { d->open = made(d->open); if (__VERIFIER_nondet_int()) hand(&d->open, &d->done); "
    "if (__VERIFIER_nondet_int()) put(&d->late, made(NULL)); } "
)
CREATED = "struct desk *d = create(); if (!d) return 1; "
ENDED = "destroy(d);"
SAFE = {
    "handed on": CREATED + STEPS + ENDED,
    "zeroed": "struct desk *d = calloc(1, sizeof *d); if (!d) return 1; " + STEPS + ENDED,
    "a copy of the pointer": CREATED + "struct desk *e = d; " + STEPS + "e->moves++; destroy(e);",
    "one list is cleared early": CREATED + STEPS + "drop(d->done); d->done = NULL; " + ENDED,
    "two structs": CREATED + "struct desk *e = create(); if (!e) { free(d); return 1; } " + STEPS
    + "hand(&d->open, &e->open); destroy(e); " + ENDED,
}  # fmt: skip
UNSAFE = {
    "a list is lost with the struct": CREATED + STEPS + "drop(d->open); drop(d->late.first); free(d);",
    "the struct is lost": CREATED + STEPS + "drop(d->open); drop(d->done); drop(d->late.first);",
    "used after its end": CREATED + STEPS + "struct node *l = d->open; drop(d->done); drop(d->late.first); free(d); "
    "drop(d->open); (void)l;",
    "an address of a member after its end": CREATED + STEPS + "struct node **p = &d->done; drop(d->open); "
    "drop(d->late.first); free(d); drop(*p);",
    "freed twice": CREATED + STEPS + "destroy(d); free(d);",
    "not there": "struct desk *d = create(); " + STEPS + "destroy(d);",
    "without first values": "struct desk *d = malloc(sizeof *d); if (!d) return 1; d->open = d->done = NULL; "
    "d->late.last = NULL; d->moves = 0; " + STEPS + ENDED,
    "a list is freed and kept": CREATED + STEPS + "drop(d->done); " + ENDED,
    "a list in two members": CREATED + STEPS + "drop(d->done); d->done = d->open; " + ENDED,
    "the end of the queue is kept": CREATED + STEPS + "drop(d->late.first); d->late.first = NULL; "
    "put(&d->late, made(NULL)); " + ENDED,
    "made again": CREATED + STEPS + "destroy(d); d = create(); if (!d) return 1; " + STEPS + "free(d);",
    "a pointer set to NULL": CREATED + STEPS + "d = NULL;",
    "one of two structs": CREATED + "struct desk *e = create(); if (!e) { free(d); return 1; } "
    + STEPS + "struct desk *f = __VERIFIER_nondet_int() ? d : e; f->open = NULL; destroy(e); " + ENDED,
    "lost at the end of a block": "struct desk *a; { struct desk *d = create(); if (!d) return 1; " + STEPS
    + "drop(d->open); drop(d->done); drop(d->late.first); if (__VERIFIER_nondet_int()) { a = d; free(a); } } exit(0);",
}  # fmt: skip

WITHOUT_FORM = (
    "an address of a member after its end",
    "made again",
    "one of two structs",
    "lost at the end of a block",
)
"""Programs whose structs stay in memory: the other unsafe ones have to raise alarms."""


def program_of(body: str, tmp_path: Path) -> Path:
    path = tmp_path / "program.c"
    path.write_text(f"{HEAD}int main(void) {{ {body} return 0; }}\n")
    return path


def by_members(path: Path) -> ShapeResult | None:
    return analyse_by_attempt(Prepared(read(path)), MEMBERS, malloc_may_fail=True, seconds=30)


@pytest.mark.parametrize("name", SAFE)
def test_members_prove_it(name: str, tmp_path: Path) -> None:
    path = program_of(SAFE[name], tmp_path)
    result = by_members(path)
    assert result is not None and is_proof(result)
    assert check_again(result)
    coverage = attacked(read(path), result, 2.0, max_runs=20)
    assert coverage.refuted is None and coverage.states


@pytest.mark.parametrize("name", UNSAFE)
def test_members_do_not_prove_it(name: str, tmp_path: Path) -> None:
    result = by_members(program_of(UNSAFE[name], tmp_path))
    assert (result is None) == (name in WITHOUT_FORM)
    assert result is None or kinds_of_alarms(result)
