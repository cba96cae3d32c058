"""Blocks that realloc moves, and blocks on the stack: what is kept, what is lost, and what may not be freed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kleene.cfa.expressions import Variable
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Allocate
from kleene.semantics.translate import Translator
from kleene.semantics.vocabulary.groups import ShapeClass

from .test_byte_ranges import NODE, REACHED
from .translated import HEADER, alarms, analysis, inlined

WIDE = HEADER + "struct wide { struct node n; int more; struct node *last; };\n"
WIDE += "struct two { struct node a, b; }; struct holder { struct node **at; };\n"
WIDE += "const struct node fixed; struct node *kept; extern void *__VERIFIER_nondet_pointer(void);\n"
WIDE += "extern float __VERIFIER_nondet_float(void);\n"
HELD = "struct node *b = p; struct holder *h = malloc(sizeof *h); h->at = &b;"
"""A pointer variable that another block points to."""
EITHER = "struct node *r = __VERIFIER_nondet_int() ? (struct node *)&fixed : p;"
COPIED = "struct wide *w = malloc(sizeof *w); w->n = *p;"
NEVER = [
    ("p = realloc(p, 16); if (p->data != 5)", "free(p); free(q);"),
    ("p = realloc(p, 32); if (p->data != 5)", "free(p); free(q);"),
    ("p = realloc(p, 32); if (p->next)", "free(p); free(q);"),
    ("p->next = q; p = realloc(p, 32); if (p->next != q)", "free(p); free(q);"),
    ("p = realloc(p, 32); if (q->data != 7)", "free(p); free(q);"),
    (
        "struct node *r = realloc(NULL, 16); r->data = 3; if (r->data != 3 || p->data != 5)",
        "free(r); free(p); free(q);",
    ),
    ("struct node *n = NULL; n = realloc(n, 16); if (!n)", "free(n); free(p); free(q);"),
    ("p->next = realloc(p->next, 16); p->next->data = 3; if (p->data != 5)", "free(p->next); free(p); free(q);"),
    ("q->next = p; q->next = realloc(q->next, 32); if (q->next->data != 5)", "free(q->next); free(q);"),
    (
        "struct wide *w = malloc(sizeof *w); w->n.data = 4; w->n.next = p; w->more = 9; w->last = q;"
        " struct node *s = realloc(w, 16); if (s->data != 4 || s->next != p)",
        "free(s); free(p); free(q);",
    ),
    (
        "struct wide *w = malloc(sizeof *w); w->n.data = 4; w->n.next = p; w->more = 9; w->last = q;"
        " w = realloc(w, 40); if (w->last != q || w->more != 9)",
        "free(w); free(p); free(q);",
    ),
    (
        "struct node *a = __builtin_alloca(16); a->data = 3; a->next = p; if (a->data != 3 || a->next != p)",
        "free(p); free(q);",
    ),
    ("struct node *n = p->next; n = calloc(1, 16); if (n->data || n->next)", "free(n); free(p); free(q);"),
    ("p->next = calloc(1, 16); if (p->next->data || p->next->next)", "free(p->next); free(p); free(q);"),
    ("p->next = q; memset(p, 0, sizeof *p); if (p->next)", "free(p); free(q);"),
    (
        "struct two *t = malloc(sizeof *t); p->next = q; t->b = *p; if (t->b.next != q)",
        "free(t); free(p); free(q);",
    ),
    (
        "struct two *t = malloc(sizeof *t); t->b.next = q; t->b.data = 4; *p = t->b; if (p->next != q)",
        "free(t); free(p); free(q);",
    ),
    (
        "struct wide *w = malloc(sizeof *w); memcpy(&w->last, &q, sizeof q); if (w->last != q)",
        "free(w); free(p); free(q);",
    ),
    (
        f"{HELD} b = realloc(b, 32); (*h->at)->data = 3; if (b->data != 3 || (*h->at)->next)",
        "free(b); free(h); free(q);",
    ),
    (
        f"{HELD} b = malloc(16); (*h->at)->data = 3; if (b->data != 3 || p->data != 5)",
        "free(b); free(h); free(p); free(q);",
    ),
    ("memcpy(p, q, 0); memcpy(NULL, NULL, 0); if (p->data != 5)", "free(p); free(q);"),
    ("struct node s = *p; s.data = 3; if (p->data != 5 || s.next)", "free(p); free(q);"),
    ("for (int i = 0; i < 2; i++) { struct node s; s.data = 3; s.next = p; } if (p->data != 5)", "free(p); free(q);"),
]
PERHAPS = [
    "memset(&p->data, 1, 1); if (p->data != 5)",
    "float f; int *i = (int *)&f; *i = 3; f = __VERIFIER_nondet_float(); if (*i != 3)",
    "int *x = malloc(4); long *y = malloc(8); *x = 5; *y = 5;"
    " memcpy(&p->data, __VERIFIER_nondet_int() ? (void *)x : (void *)y, 4); if (p->data == 5)",
    "memcpy(&p->data, &q->data, 1); if (p->data != 5)",
    "struct node s; p->next = &s; if (p->next->data == 5)",
    "struct node s; p->next = &s; if (p->next->data == 0)",
    "p = realloc(p, 32); if (p->data == 5)",
    "p = realloc(p, 32); if (((int *)p)[6] == 5)",
    "struct wide *w = realloc(p, sizeof *w); if (w->more == 0)",
    "struct node *r = realloc(NULL, 16); if (r->data == 5)",
    "struct node *r = realloc(NULL, 16); if (r->data != 5)",
    "p->next = realloc(p->next, 16); if (p->next->data == 0)",
    "struct node *a = __builtin_alloca(16); if (a->data == 5)",
    "struct node s; if (s.data == 5)",
    "int x; if (x == 5)",
    "p->next = malloc(16); if (p->next->data == 0)",
    "*p = (struct node){0, __VERIFIER_nondet_int()}; if (p->data == 9)",
]
WRONG = [
    ("kept = malloc(16); kept->next = malloc(16); free(kept);", "memory_leak"),
    ("kept = malloc(16); kept->next = malloc(16); kept = realloc(kept, 4);", "memory_leak"),
    ("memset((void *)&fixed, 0, sizeof fixed);", "dangling_dereference"),
    ("memcpy((void *)&fixed, p, sizeof fixed);", "dangling_dereference"),
    ("*(struct node *)&fixed = *p;", "dangling_dereference"),
    (f"{EITHER} memset(r, 0, sizeof *r);", "dangling_dereference"),
    (f"{EITHER} memcpy(r, q, sizeof *r);", "dangling_dereference"),
    (f"{EITHER} *r = *q;", "dangling_dereference"),
    (
        "void *b = p, ***h = malloc(8); *h = &b; b = __VERIFIER_nondet_pointer(); *(int *)**h = 1;",
        "uninitialized_pointer",
    ),
    ("*(struct node **)((char *)p - 1) = realloc(NULL, 16);", "out_of_bounds"),
    ("*(struct node **)((char *)p - 1) = realloc(q, 32);", "out_of_bounds"),
    (f"{HELD} b = __VERIFIER_nondet_pointer(); (*h->at)->data = 1;", "uninitialized_pointer"),
    (f"{HELD} memcpy(h->at, &q, 1); b->data = 1;", "uninitialized_pointer"),
    (f"{HELD} b = realloc(b, 32); p->data = 1;", "dangling_dereference"),
    (f"{HELD} b = malloc(16); b = NULL;", "memory_leak"),
    ("struct node s; p->next = &s; if (p->next->next) p->next->next->data = 1;", "uninitialized_pointer"),
    ("struct node *r = realloc(p, 32); p->data = 1;", "dangling_dereference"),
    ("q->next = p; p = realloc(p, 32); q->next->data = 1;", "dangling_dereference"),
    ("struct node *r = realloc((char *)p + 8, 32);", "invalid_free"),
    ("free(p); p = realloc(p, 32);", "double_free"),
    ("struct node s, *r = realloc(&s, 32);", "invalid_free"),
    ("struct node *u, *r = realloc(u, 32);", "invalid_free"),
    ("struct wide *w = realloc(p, sizeof *w); if (w->last) w->last->data = 1;", "uninitialized_pointer"),
    (f"{COPIED} w->last = q; w = realloc(w, 16); w->last->data = 1;", "out_of_bounds"),
    (f"{COPIED} w->last = malloc(16); w = realloc(w, 16); w->n.data = 1;", "memory_leak"),
    ("struct node *r = realloc(NULL, 16); if (r->next) r->next->data = 1;", "uninitialized_pointer"),
    ("p->next = realloc(p->next, 16); p->next = NULL;", "memory_leak"),
    ("struct node *a = __builtin_alloca(16); free(a);", "invalid_free"),
    ("struct node *a = __builtin_alloca(16); if (a->next) a->next->data = 1;", "uninitialized_pointer"),
    ("struct node *r; { struct node s; r = &s; } r->data = 1;", "dangling_dereference"),
    ("struct node *r; { struct node s; s.next = malloc(16); }", "memory_leak"),
    ("struct node *r; { struct node *s; s = p; r = s; } { struct node *s; s->data = 1; }", "uninitialized_pointer"),
    ("free(p); free(p);", "double_free"),
    ("free(&p->data);", "invalid_free"),
    ("q->next = malloc(16); free(q);", "memory_leak"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "end"), NEVER)
def test_what_is_kept_is_known(tmp_path: Path, body: str, end: str) -> None:
    assert alarms(tmp_path, f"{NODE} {body} {REACHED} {end}", WIDE) == set()


@pytest.mark.parametrize("body", PERHAPS)
def test_what_is_new_is_not_known(tmp_path: Path, body: str) -> None:
    assert "null_dereference" in alarms(tmp_path, f"{NODE} {body} {REACHED}", WIDE)


@pytest.mark.parametrize(("body", "kind"), WRONG)
def test_what_is_wrong_is_an_alarm(tmp_path: Path, body: str, kind: str) -> None:
    assert kind in alarms(tmp_path, f"{NODE} {body}", WIDE)


def test_alloca_of_a_function_that_returns_is_not_followed(tmp_path: Path) -> None:
    """Its block ends with the function, which is a part of main here."""
    other = WIDE + "static int f(void) { struct node *a = __builtin_alloca(16); a->data = 3; return a->data; }\n"
    assert "unsupported" in alarms(tmp_path, "return f();", other)


def test_alloca_of_a_recursive_function_is_not_followed(tmp_path: Path) -> None:
    other = (
        "static int down(int n) { struct node *a = __builtin_alloca(16); a->data = n; a->next = 0;"
        " if (n > 0) return down(n - 1); return a->data; }\n"
    )
    result = analysis(tmp_path, "return down(__VERIFIER_nondet_int());", WIDE + other)
    assert not result.complete or "unsupported" in {alarm.kind for alarm in result.alarms}


ANY_SIZE, ELSEWHERE = "a block whose size is not a constant", "alloca in a function other than the first"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda a, n: a, ""),
        (lambda a, n: replace(a, size=n), ANY_SIZE),
        (lambda a, n: replace(a, place=replace(a.place, function="f")), ELSEWHERE),
        (lambda a, n: replace(a, place=replace(a.place, function="f"), scoped=True), ""),
        (lambda a, n: replace(a, place=replace(a.place, function="f"), stack=False), ""),
        (lambda a, n: replace(a, place=replace(a.place, function="")), ""),
        (lambda a, n: replace(a, scoped=True), ""),
    ],
)
def test_blocks_that_the_translation_does_not_have(
    tmp_path: Path, change: Callable[[Allocate, Variable], Allocate], reason: str
) -> None:
    """Passes before it leave none of these; a block of a scope ends with it, in any function."""
    program, cfa = inlined(tmp_path, "unsigned long n = 16; struct node *a = __builtin_alloca(16); a->data = n;", WIDE)
    (n,) = (v for v in program.main.locals if v.name == "n")
    (made,) = (e for e in cfa.edges if isinstance(e.label, Allocate))
    edges = tuple(replace(e, label=change(made.label, n)) if e is made else e for e in cfa.edges)
    translation = Translator(program, Cfa(cfa.entry, edges), ShapeClass("acyclic"), malloc_may_fail=False).translate()
    text = str(translation.cfa.edges)
    assert [why for why in (ANY_SIZE, ELSEWHERE) if why in text] == ([reason] if reason else [])


def test_a_block_of_any_size_is_not_followed(tmp_path: Path) -> None:
    result = analysis(tmp_path, "struct wide *w = malloc(16 * __VERIFIER_nondet_int()); w->last = NULL; free(w);", WIDE)
    assert not result.complete or {alarm.kind for alarm in result.alarms} & {"unsupported", "out_of_bounds"}


@pytest.mark.parametrize("copied", ["memset(p, 0, n);", "memcpy(p, q, n);"])
def test_lengths_that_are_not_known(tmp_path: Path, copied: str) -> None:
    body = f"{NODE} unsigned n = __VERIFIER_nondet_int(); if (n > 16) return 1; {copied} if (p->data != 5) {REACHED}"
    assert {"unsupported", "null_dereference"} & alarms(tmp_path, body, WIDE)


def test_a_size_that_may_be_zero_is_not_followed(tmp_path: Path) -> None:
    """One that is zero frees the block."""
    assert "unsupported" in alarms(tmp_path, f"{NODE} p = realloc(p, __VERIFIER_nondet_int() ? 0 : 32);", WIDE)
    assert "dangling_dereference" in alarms(tmp_path, f"{NODE} struct node *r = realloc(p, 0); p->data = 1;", WIDE)
    assert "double_free" in alarms(tmp_path, f"{NODE} struct node *r = realloc(p, 0); free(p);", WIDE)
