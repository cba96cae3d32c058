"""Slices of programs: what is proved one data structure at a time, and what must not be.

Each unsafe program breaks what slices rest on in its own way: an object that two structures share, a variable that is
used for two of them, an access that only the way to another structure makes, an end of the program inside a call.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.coverage.helpers import attacked, is_proof, read

from kleene.analysis.c.shape.analyse import analyse, analyse_by_attempt
from kleene.analysis.c.shape.attempts import ATTEMPTS, kinds_of_alarms
from kleene.analysis.c.shape.run import check_again, run_shape
from kleene.cfa.expressions import Cast, Comparison, Constant, Variable
from kleene.cfa.operations import Assume, Place
from kleene.cfa.types import INT
from kleene.passes.attempts.slices.silence import _is_never_taken
from kleene.passes.preparation import Prepared
from kleene.results.shape import ShapeResult
from kleene.semantics.translate import Translation

HERE = Place("program.c", 1, 1, "main")
SLICES = next(row for row in ATTEMPTS if row.name == "slices")
HEAD = """
#include <stdlib.h>
#include <assert.h>
#include <stddef.h>
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int key; };
struct item { struct item *more; };
struct header { struct node *a; struct node *b; int *block; int length; };
static struct node *push(struct node *l) {
    struct node *n = malloc(sizeof *n);
    if (!n) abort();
    n->next = l; n->key = 0;
    return n;
}
static struct node *fill(void) {
    struct node *l = NULL;
    while (__VERIFIER_nondet_int()) l = push(l);
    return l;
}
static void drop(struct node *l) { while (l) { struct node *t = l; l = l->next; free(t); } }
static void drop_down(struct node *l) { if (!l) return; drop_down(l->next); free(l); }
static struct header *create(void) {
    struct header *h = malloc(sizeof *h);
    if (!h) abort();
    h->a = NULL; h->b = NULL; h->block = NULL; h->length = 0;
    return h;
}
"""
FILLED = "struct header *h = create(); h->a = fill(); h->b = fill(); "
SAFE = {
    "a step that is silent, behind a condition that is not": (
        "struct node *a = fill(), *b = fill(), *n; int way = 1; "
        "while (a) { n = a; a = a->next; if (way) { assert(way == 1); free(n); } n = NULL; } drop(b);"
    ),
    "two lists": "struct node *a = fill(), *b = fill(); drop(a); drop(b);",
    "members of a header": FILLED + "drop(h->a); drop(h->b); free(h);",
    "a block beside lists": FILLED + "h->block = malloc(sizeof(int)); if (h->block) *h->block = 1; "
    "drop(h->b); free(h->block); drop(h->a); free(h);",
    "one variable for two lists": "struct node *a = fill(), *b = fill(), *p; for (p = a; p; p = p->next) p->key = 1; "
    "for (p = b; p; p = p->next) p->key = 2; drop(a); drop(b);",
    "freed by calls": "struct node *a = fill(), *b = fill(); drop_down(b); drop_down(a);",
    "a number of one list": "struct node *a = fill(), *b = fill(); int k = a ? a->key : 0; "
    "if (k) { drop(b); b = NULL; } drop(a); drop(b);",
    "an assertion about one list": "struct node *a = fill(), *b = push(NULL); assert(b != NULL); drop(a); drop(b);",
    "lists of two types": "struct node *a = fill(); struct item *b = NULL; while (__VERIFIER_nondet_int()) { "
    "struct item *n = malloc(sizeof *n); if (!n) abort(); n->more = b; b = n; } drop(a); "
    "while (b) { struct item *n = b; b = b->more; free(n); }",
    "equal lists are empty": "struct node *a = fill(), *b = fill(); if (a == b) { drop(a); a = NULL; b = NULL; } "
    "drop(a); drop(b);",
    "different numbers, freed by one function": "struct node *a = NULL, *b = NULL; "
    "while (__VERIFIER_nondet_int()) { a = push(a); a->key = 1; } "
    "while (__VERIFIER_nondet_int()) { b = push(b); b->key = 2; } if (a && a->key == 2) abort(); "
    "if (b && b->key == 1) abort(); drop_down(a); drop_down(b);",
    "heads by address": "struct node *a = fill(), *b = fill(), **p = &a; if (*p) (*p)->key = 1; drop(a); drop(b);",
}
UNSAFE = {
    "freed twice": ("struct node *a = fill(), *b = fill(); struct node *c = a; drop(a); drop(b); drop(c);", True),
    "one list in two members": (FILLED + "drop(h->b); h->b = h->a; drop(h->a); drop(h->b); free(h);", False),
    "the header too early": (FILLED + "free(h); drop(h->a); drop(h->b);", True),
    "the header before one list": (FILLED + "struct node *a = h->a; free(h); drop(h->b); drop(a);", True),
    "the header is lost": (FILLED + "drop(h->a); drop(h->b);", True),
    "a list is lost": (FILLED + "h->b = NULL; drop(h->a); drop(h->b); free(h);", True),
    "a block is lost": (
        FILLED + "h->block = malloc(4); h->block = NULL; drop(h->a); drop(h->b); free(h);",
        True,
    ),
    "a variable is used again": (
        "struct node *b = fill(), *p = push(NULL); p->key = 1; p = b; if (p) p->key = 2; drop(b);",
        True,
    ),
    "a node in two lists": (
        "struct node *a = fill(), *b = fill(), *n = push(NULL); n->next = a; a = n; "
        "struct node *m = push(NULL); m->next = b; b = m; m->next = n; drop(a); drop(b);",
        False,
    ),
    "back from a member": (
        "struct header *h = create(), *g; struct node *a = fill(); h->b = fill(); struct node **p = &h->b; "
        "g = (struct header *)((char *)p - offsetof(struct header, b)); free(g); drop(h->b); drop(a);",
        True,
    ),
    "a call frees more": ("struct node *a = fill(), *b = a; drop_down(b); drop_down(a);", False),
    "a number of another list": (
        "struct node *a = fill(), *b = fill(); int k = 0; if (a) k = a->key; if (k == 0) drop(b); drop(a); drop(b);",
        True,
    ),
    "a wrong assertion": ("struct node *a = fill(), *b = fill(); assert(b == NULL); drop(a); drop(b);", True),
    "assertion about a number": (
        "struct node *a = fill(), *b = fill(); int k = a ? a->key : 1; assert(k == 1); drop(a); drop(b);",
        True,
    ),
    "no value": ("struct node *a = fill(), *b = fill(), *p; if (b) b->key = p->key; drop(a); drop(b);", True),
    "null on the way": (
        "struct header *h = NULL; struct node *a = fill(); if (__VERIFIER_nondet_int()) h = create(); "
        "h->b = NULL; drop(a); free(h);",
        True,
    ),
    "a member without a value": (
        "struct node *a = fill(); struct header *h = malloc(sizeof *h); if (!h) abort(); drop(h->b); drop(a); free(h);",
        True,
    ),
    "a block too small": (
        "struct node *a = fill(); struct header *h = malloc(8); if (!h) abort(); h->a = fill(); h->b = NULL; drop(a); "
        "drop(h->a); free(h);",
        True,
    ),
    "a global list is lost": ("kept = fill(); struct node *b = fill(); lose(); drop(kept); drop(b);", True),
    "one number of a table decides": (
        "struct node *a = fill(), *b = fill(); if (limits[0] == 3) drop(a); drop(a); drop(b);",
        True,
    ),
    "a store of NULL through NULL": (
        "struct node *a = fill(), *b = push(NULL), *q = NULL; if (b->next) b->next->next = kept; q->next = kept; "
        "drop(a); drop(b);",
        False,
    ),
    "different lists may be empty": (
        "struct node *a = fill(), *b = fill(); if (a == b) { } else a->key = 1; drop(a); drop(b);",
        True,
    ),
    "lists that are not different": (
        "struct node *a = fill(), *b = fill(); if (a != b) a->key = 1; drop(a); drop(b);",
        True,
    ),
    "a node where another was": (
        "struct node *a = push(NULL), *b = fill(); free(a); struct item *c = malloc(16); if (!c) abort(); "
        "if ((void *)c == (void *)a) free(c); free(c); drop(b);",
        True,
    ),
    "a list where another was": (
        "struct node *a = push(NULL), *b = fill(); drop_down(a); struct item *c = malloc(16); if (!c) abort(); "
        "if ((void *)c == (void *)a) free(c); free(c); drop(b);",
        True,
    ),
    "a node where a variable was": (
        "struct node *b = fill(), *a; { struct node x = { NULL, 0 }; a = &x; } struct item y, *c = &y; c->more = NULL; "
        "if ((void *)c == (void *)a) c = NULL; c->more = NULL; drop(b);",
        True,
    ),
    "an index of another list": (
        "struct node *a = push(NULL), *b = fill(); struct table *t = NULL; a->key = __VERIFIER_nondet_int() & 3; "
        "if (__VERIFIER_nondet_int()) t = table(); t->numbers[a->key] = 1; drop(a); drop(b); free(t);",
        True,
    ),
    "an index of another list, too late": (
        "struct node *a = push(NULL), *b = fill(); struct table *t = table(); a->key = __VERIFIER_nondet_int() & 3; "
        "free(t); if (t->numbers[a->key]) a->key = 2; drop(a); drop(b);",
        True,
    ),
    "an index of another list, too large": (
        "struct node *a = push(NULL), *b = fill(); struct table *t = table(); a->key = __VERIFIER_nondet_int() & 127; "
        "t->numbers[a->key] = 1; drop(a); drop(b); free(t);",
        True,
    ),
    "a length of another list": (
        "struct node *a = push(NULL), *b = fill(); int *t = malloc(64); if (!t) abort(); "
        "a->key = __VERIFIER_nondet_int() & 127; for (int i = 0; i < a->key; i++) t[i] = 1; drop(a); drop(b); free(t);",
        True,
    ),
    "a text of another list is freed": (
        "struct node *a = fill(), *b = fill(); char *t = calloc(8, 1); if (!t) abort(); if (a) free(t); "
        'printf("%d %s", a ? a->key : 0, t); drop(a); drop(b); if (!a) free(t);',
        True,
    ),
    "a call that returns no value": (
        "struct node *a = fill(), *b = fill(), *p = a; p = none(3); if (a && p) p->key = 1; drop(a); drop(b);",
        True,
    ),
    "exit inside a call": ("struct node *a = fill(), *b = fill(); leave(b); drop(a); drop(b);", True),
}
GLOBALS = """
static struct node *kept;
static const int limits[2] = {3, 4};
struct table { int numbers[64]; };
struct many { struct item *b[8]; };
static struct table *table(void) {
    struct table *t = calloc(1, sizeof *t);
    if (!t) abort();
    return t;
}
static void lose(void) { kept = NULL; }
static struct node *none(int n) { if (n > 0) { none(n - 1); none(n - 2); } }
static void leave(struct node *l) { if (l) { drop(l); exit(0); } }
"""


def program_of(body: str, tmp_path: Path) -> Path:
    path = tmp_path / "program.c"
    path.write_text(f"{HEAD}{GLOBALS}int main(void) {{ {body} return 0; }}\n")
    return path


def by_slices(path: Path) -> ShapeResult | None:
    return analyse_by_attempt(Prepared(read(path)), SLICES, malloc_may_fail=True, seconds=60)


@pytest.mark.parametrize("name", SAFE)
def test_slices_prove_it(name: str, tmp_path: Path) -> None:
    path = program_of(SAFE[name], tmp_path)
    result = by_slices(path)
    assert result is not None and is_proof(result) and len(result.slices) > 1
    assert check_again(result)
    assert attacked(read(path), result, 2.0, max_runs=40).refuted is None


@pytest.mark.parametrize("name", UNSAFE)
def test_slices_do_not_prove_it(name: str, tmp_path: Path) -> None:
    body, has_slices = UNSAFE[name]
    result = by_slices(program_of(body, tmp_path))
    assert (result is not None) == has_slices
    assert result is None or not result.complete or kinds_of_alarms(result)


def test_each_operation_on_objects_is_in_a_slice(tmp_path: Path) -> None:
    """What every slice leaves out would be checked by none."""
    prepared = Prepared(read(program_of(SAFE["a block beside lists"], tmp_path)))
    kept = {str(e.label) for own in prepared.slices for e in own.program.main.cfa.edges}
    on_objects = {str(e.label) for e in prepared.cfa.edges if "->" in str(e.label) or "free" in str(e.label)}
    assert prepared.slices and on_objects <= kept


CORRELATED = (
    "struct node *a = fill(), *b = fill(), *c = NULL; if (a) c = push(c); if (a) c->key = 1; drop(a); drop(b); "
)


def test_a_slice_with_alarms_gets_what_it_depends_on(tmp_path: Path) -> None:
    """That `c` has a node if and only if `a` has one is lost if they are in different slices."""
    path = program_of(CORRELATED + "drop(c);", tmp_path)
    result = by_slices(path)
    assert result is not None and is_proof(result)
    slicing = Prepared(read(path)).slicing
    assert slicing is not None
    followed = [own.followed.slice.kept for own in result.slices if own.followed and own.followed.slice]
    assert sorted(len(kept & slicing.classes.with_objects) for kept in followed) == [1, 1, 2]
    assert attacked(read(path), result, 2.0, max_runs=40).refuted is None


def test_what_a_wider_slice_shows_is_an_alarm(tmp_path: Path) -> None:
    result = by_slices(program_of(CORRELATED + "if (!a) drop(c);", tmp_path))
    assert result is not None and kinds_of_alarms(result)


def test_a_chain_of_pointers_is_followed_once(tmp_path: Path) -> None:
    """Each pointer of a chain was followed twice: twelve levels took 20 seconds, and forty have 2^40 ways."""
    chain = "a" + "->next" * 40
    body = f"struct node *a = fill(), *b = fill(); if (a) {chain} = NULL; drop(a); drop(b);"
    assert Prepared(read(program_of(body, tmp_path))).slicing is not None


COUNTED = "".join(
    f"struct node *l{i} = NULL; int c{i} = 0; while (__VERIFIER_nondet_int()) {{ l{i} = push(l{i}); c{i}++; }} "
    for i in range(3)
) + "".join(
    f"while (c{i} > 0) {{ struct node *t = l{i}; l{i} = t->next; free(t); c{i}--; }} " for i in range(3)
)  # fmt: skip


def test_a_declaration_reads_nothing(tmp_path: Path) -> None:
    """The first slice had the declarations of all lists, so it followed the counters of all of them."""
    slices = Prepared(read(program_of(COUNTED, tmp_path))).slices
    assert [(len(own.kept), own.mixed) for own in slices] == [(1, frozenset())] * 3
    assert not any("c1" in str(edge.label) for edge in slices[0].program.main.cfa.edges)


BUCKETS = (
    "struct node *a = fill(); struct { struct item *b[8]; } h; for (int i = 0; i < 8; i++) h.b[i] = NULL; "
    "while (__VERIFIER_nondet_int()) { struct item *e = malloc(sizeof *e); if (!e) abort(); "
    "unsigned i = (unsigned)__VERIFIER_nondet_int() % 8; e->more = h.b[i]; h.b[i] = e; } drop(a); "
    "for (int i = 0; i < 8; i++) while (h.b[i]) { struct item *e = h.b[i]; h.b[i] = e->more; free(e); }"
)


def test_the_slice_of_a_list_beside_a_table_has_no_alarms(tmp_path: Path) -> None:
    """It had the pointers of the table that nothing reads, and a list seemed to be lost where no run goes on."""
    prepared = Prepared(read(program_of(BUCKETS, tmp_path)))
    own = next(s for s in prepared.slices if not any("->more" in str(e.label) for e in s.program.main.cfa.edges))
    result = analyse(Prepared(prepared.source, own), malloc_may_fail=True, seconds=60)
    assert is_proof(result)


HEAP_BUCKETS = (
    "struct node *a = fill(); struct many *h = calloc(1, sizeof *h); if (!h) abort(); "
    "while (__VERIFIER_nondet_int()) { unsigned i = (unsigned)__VERIFIER_nondet_int() % 8; "
    "struct item *e = malloc(sizeof *e); if (!e) abort(); e->more = h->b[i]; h->b[i] = e; } drop(a); "
)
EMPTIED = "while (h->b[i]) { struct item *e = h->b[i]; h->b[i] = e->more; free(e); } "
LEFT = {
    "the last chain": f"for (int i = 0; i < 7; i++) {EMPTIED}free(h);",
    "the first chain": f"for (int i = 1; i < 8; i++) {EMPTIED}free(h);",
    "one node of each": "for (int i = 0; i < 8; i++) if (h->b[i]) { struct item *e = h->b[i]; h->b[i] = e->more; "
    "free(e); } free(h);",
    "one too many": f"for (int i = 0; i < 9; i++) {EMPTIED}free(h);",
    "too late": f"free(h); for (int i = 0; i < 8; i++) {EMPTIED}",
}


def test_a_slice_knows_which_ways_the_passes_have_excluded(tmp_path: Path) -> None:
    """A loop over all chains of a table was left before its first round: the chains seemed to be lost."""
    path = program_of(HEAP_BUCKETS + f"for (int i = 0; i < 8; i++) {EMPTIED}free(h);", tmp_path)
    result = by_slices(path)
    assert result is not None and is_proof(result) and len(result.slices) > 1
    assert attacked(read(path), result, 0.5, max_runs=10).refuted is None


@pytest.mark.parametrize("name", LEFT)
def test_chains_that_are_left_are_an_alarm_of_a_slice(name: str, tmp_path: Path) -> None:
    result = by_slices(program_of(HEAP_BUCKETS + LEFT[name], tmp_path))
    assert result is None or not result.complete or kinds_of_alarms(result)


@pytest.mark.parametrize("operator", ["==", "!="])
@pytest.mark.parametrize("truth", [True, False])
@pytest.mark.parametrize("number", [0, 1])
def test_a_way_is_excluded_if_constants_say_so(operator: str, number: int, *, truth: bool) -> None:
    condition = Comparison(operator, Constant(0, INT), Cast(Constant(number, INT), INT))
    holds = (number == 0) == (operator == "==")
    assert _is_never_taken(Assume(HERE, condition, truth)) == (holds != truth)


def test_a_way_is_not_excluded_if_a_variable_is_compared() -> None:
    condition = Comparison("!=", Variable("x", INT), Variable("x", INT))
    assert not _is_never_taken(Assume(HERE, condition, True))


def test_whole_heaps_come_first_where_they_are_few(tmp_path: Path) -> None:
    """A program with three slices paid for all attempts at them before the whole program was tried."""
    body = "struct node *a = fill(); drop(a); struct node *b = fill(); drop(b); struct node *c = fill(); drop(c);"
    prepared = Prepared(read(program_of(body, tmp_path)))
    result = analyse(prepared, malloc_may_fail=True, seconds=60)
    assert len(prepared.slices) == 3 and is_proof(result) and not result.slices


def test_an_attempt_that_changes_nothing_is_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Attempts whose translation is that of an earlier one were analysed again, with the same alarms."""
    translations: list[Translation] = []

    def run(translation: Translation, *arguments: Any, **options: Any) -> ShapeResult:
        translations.append(translation)
        return run_shape(translation, *arguments, **options)

    monkeypatch.setattr("kleene.analysis.c.shape.plan.run_shape", run)
    path = Path(__file__).parents[3] / "examples" / "c" / "recursion" / "result_lost.c"
    result = analyse(Prepared(read(path)), malloc_may_fail=True, seconds=60)
    assert kinds_of_alarms(result) and len(translations) > 1
    assert not any(translation in translations[:number] for number, translation in enumerate(translations))
