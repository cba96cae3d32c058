"""Copies and fillings of ranges of bytes: what is covered as a whole is known, what is covered in part is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from .translated import HEADER, alarms

REACHED = "{ struct node *z = NULL; z->data = 1; }"
DECLARED = HEADER + "extern void *__VERIFIER_nondet_pointer(void);\n"
NODE = (
    "struct node *p = malloc(sizeof *p), *q = malloc(sizeof *q); p->next = q->next = NULL; p->data = 5; q->data = 7; "
)
END = " free(p); free(q);"
NEVER = [
    "memset(p, 0, sizeof *p); if (p->data != 0)",
    "memset(p, 0, sizeof *p); if (p->next)",
    "memset(&p->data, 0, 4); if (p->data)",
    "memset(&p->data, 0, 4); if (q->data != 7)",
    "memset(p, 256, sizeof *p); if (p->data != 0)",
    "memset(p, 0, 8); if (p->data != 5)",
    "memset(p, 0, 0); if (p->data != 5)",
    "memcpy(p, q, sizeof *p); if (p->data != 7)",
    "memcpy(&p->data, &q->data, 4); if (p->data != 7)",
    "memcpy(&p->data, &q->data, 0); if (p->data != 5)",
    "memcpy(p, q, 8); if (p->data != 5)",
    "*p = *q; if (p->data != 7)",
    "struct { long n; struct node *r; } a = {1, p}; struct node *b; memcpy(&b, &a.r, sizeof b); if (b != p)",
    "struct { long n; struct node *r; } a = {1, NULL}; memcpy(&a.r, &p, sizeof p); if (a.r != p || a.n != 1)",
    "float f = 1; int *i = (int *)&f; *i = 3; if (*i != 3)",
    "struct node *c = calloc(1, 16); int d = c->data; free(c); if (d != 0)",
    "struct node *c = calloc(1, 16), *d = c->next; free(c); if (d)",
    "struct node *c = malloc(16); c->data = 5; free(c); if (p->data != 5)",
]
PERHAPS = [
    "memset(p, 0, sizeof *p); if (p->data == 0)",
    "memset(p, 1, sizeof *p); if (p->data != 5)",
    "memset(p, 1, sizeof *p); if (p->data != 0)",
    "memset(p, __VERIFIER_nondet_int(), sizeof *p); if (p->data != 0)",
    "memset(p, __VERIFIER_nondet_int(), sizeof *p); if (p->data != 5)",
    "memset(p, 0, 10); if (p->data != 5)",
    "memset(p, 0, 10); if (p->data != 0)",
    "memset((char *)p + 10, 0, 4); if (p->data != 5)",
    "memcpy(p, q, 10); if (p->data != 5)",
    "memcpy(p, q, 10); if (p->data != 7)",
    "int a = 65537, b = 3; memcpy(&b, &a, 2); if (b != 65537)",
    "int a = 65537, b = 3; memcpy(&b, &a, 2); if (b != 3)",
    "int a[2] = {5, 7}; memcpy(&p->data, (char *)a + 2, 4); if (p->data != 5)",
    "int x = 9; memcpy(&p->data, &x, 4); if (p->data != 5)",
    "*p = *q; if (p->data == 7)",
    "float f; int *i = (int *)&f; *i = 3; f = 1; if (*i != 3)",
    "union { float f; int i; } u; u.i = 3; u.f = 1; if (u.i != 3)",
    "struct node *c = calloc(1, 16); if (c->data == 0)",
    "struct node *c = malloc(16); if (c->data == 0)",
    "struct node *c = malloc(16); if (c->data != 0)",
    "struct node *c = malloc(16); if (c->data == 5)",
    "struct { struct node n; int more; } *w = realloc(q, 24); if (w->more != 0)",
    "struct { struct node n; int more; } *w = realloc(q, 24); if (w->more == 7)",
    "struct { struct node n; int more; } *w = realloc(q, 24); if (w->n.data == 7)",
]


@pytest.mark.parametrize("body", NEVER)
def test_what_cannot_be_is_not_reached(tmp_path: Path, body: str) -> None:
    assert alarms(tmp_path, f"{NODE} {body} {REACHED} {END}") == set()


@pytest.mark.parametrize("body", PERHAPS)
def test_what_can_be_is_reached(tmp_path: Path, body: str) -> None:
    assert "null_dereference" in alarms(tmp_path, f"{NODE} {body} {REACHED}")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("struct node *b = p; memset(&b, 0, 4); if (b) b->data = 1;", "uninitialized_pointer"),
        ("struct node *b = p; memset((char *)&b + 4, 0, 4); if (b) b->data = 1;", "uninitialized_pointer"),
        ("struct node *b = p, *c = q; memcpy(&b, &c, 4); b->data = 1;", "uninitialized_pointer"),
        ("struct node *b = NULL; memcpy(&p->next, &b, 4); p->next->data = 1;", "uninitialized_pointer"),
        ("memset(p, 1, sizeof *p); p->next->data = 1;", "uninitialized_pointer"),
        ("memset(p, 0, sizeof *p); p->next->data = 1;", "null_dereference"),
        ("struct node *n = NULL; memset(p, n->data, 4);", "null_dereference"),
        ("memset(p, 0, sizeof *p + 1);", "out_of_bounds"),
        ("memset((char *)p - 1, 0, 4);", "out_of_bounds"),
        ("memcpy(p, (char *)q - 1, 4);", "out_of_bounds"),
        ("memcpy((char *)p - 1, q, 4);", "out_of_bounds"),
        ("memcpy(p, q, sizeof *p + 1);", "out_of_bounds"),
        ("*p = *(struct node *)((char *)q - 1);", "out_of_bounds"),
        ("*(struct node *)((char *)p - 1) = *q;", "out_of_bounds"),
        ("*(struct node **)((char *)p - 1) = malloc(16);", "out_of_bounds"),
        ("*(struct node **)((char *)p + 9) = malloc(16);", "out_of_bounds"),
        ("p->next = q; q = NULL; free(p); p = NULL;", "memory_leak"),
        ("p->next = malloc(sizeof *p); struct node *m = p->next; m->next = q; q = NULL; free(m);", "memory_leak"),
        ("struct node *b = __VERIFIER_nondet_pointer(); b->data = 1;", "uninitialized_pointer"),
        ("struct node *b, **c = &b; b = __VERIFIER_nondet_pointer(); (*c)->data = 1;", "uninitialized_pointer"),
        ("p->next = __VERIFIER_nondet_pointer(); p->next->data = 1;", "uninitialized_pointer"),
        ("struct node *b = realloc(p, __VERIFIER_nondet_int() ? 0 : 16);", "unsupported"),
    ],
)
def test_alarms(tmp_path: Path, body: str, kind: str) -> None:
    assert kind in alarms(tmp_path, NODE + body, DECLARED)
