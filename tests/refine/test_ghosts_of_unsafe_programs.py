"""Programs with an assertion that fails, whose conditions are given: no ghost may hide the failure.

In a whole refinement the path to the failure is replayed before a wrong ghost can prove anything. Here everything is
tracked at once, with the conditions that refinement would choose, and there is no path formula.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.refine.helpers import task_of, written

from kleene.cfa.operations import Assume
from kleene.refine.classes.library import library
from kleene.refine.conditions.cells import AnyCondition, CellCondition
from kleene.refine.conditions.linear import condition_of
from kleene.refine.conditions.members import Members
from kleene.refine.loop import SAFE, Refinement, RefineOptions
from kleene.refine.model import Task
from kleene.refine.tracking.conditions import (
    _comparison,
    _is_useful,
    _on_members,
    _preconditions,
)

MOST_CONDITIONS = 9
"""Conditions of one program: enough for each of these, and few structures."""
START = """
#include <assert.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
#define any __VERIFIER_nondet_int()
struct s { int lo, hi; };
struct two { struct s x, y; };
struct list { int lo, hi; struct list *next; };
static struct list *build(void) {
    struct list *l = NULL;
    while (any) {
        int x = any, y = any;
        struct list *n = malloc(sizeof *n);
        if (!n || x > y) exit(0);
        n->lo = x; n->hi = y; n->next = l;
        l = n;
    }
    return l;
}
static void set(struct s *q, int x, int y) { q->lo = x; q->hi = y; }
"""
LOOK = "for (struct list *p = l; p; p = p->next) assert(p->lo <= p->hi);"


def each(change: str) -> str:
    """A list whose nodes are changed one after the other."""
    walk = "for (struct list *q = l; q; q = q->next)"
    return f"struct list *l = build(); {walk} {{ int x = any, y = any; {change} }} {LOOK}"


def below(change: str) -> str:
    """A list whose numbers are below a variable, which then is changed."""
    keep = "for (struct list *q = l; q; q = q->next) if (q->lo >= k) exit(0);"
    look = "for (struct list *p = l; p; p = p->next) assert(p->lo < k);"
    return f"struct list *l = build(); int k = any; {keep} {change} {look}"


SINGLE = "struct s *n = calloc(1, sizeof *n); int x = any, y = any; if (!n) exit(0); "

BODIES = {
    # What `x = y` says where x is part of a sum that equals y: it was taken for the new x.
    "a sum with the assigned variable": each("if (y >= 0) if (x - q->lo == y) { x = y; if (x >= 0) q->hi = x; }"),
    # One ghost for the parts of an object at two offsets: they had one name.
    "two parts of one object": "struct two *n = malloc(sizeof *n); int x = any, y = any; if (!n || x > y) exit(0);"
    "n->y.lo = y; n->y.hi = x; n->x.lo = x; n->x.hi = y; assert(n->x.lo <= n->x.hi); assert(n->y.lo <= n->y.hi);",
    "two elements of one block": "struct s *n = calloc(2, sizeof *n), *k; if (!n) exit(0); k = n + 1; n->hi = 1;"
    "assert(n->lo < n->hi); assert(k->lo < k->hi);",
    # Zeros over more than one object: only the first had its ghost changed.
    "zeros over two parts": "struct two *n = malloc(sizeof *n); if (!n) exit(0); set(&n->x, 1, 2); set(&n->y, 1, 2);"
    "memset(n, 0, sizeof *n); n->x.lo = -1; assert(n->x.lo < n->x.hi); assert(n->y.lo < n->y.hi);",
    "zeros over two elements": "struct s *n = malloc(2 * sizeof *n), *k; int x = any, y = any;"
    "if (!n || x >= y) exit(0);"
    "k = n + 1; n->lo = x; n->hi = y; k->lo = x; k->hi = y; memset(n, 0, 2 * sizeof *n); n->lo = -1;"
    "assert(n->lo < n->hi); assert(k->lo < k->hi);",
    "an alias": "struct list *l = build(), *a = l, *b = l;"
    "if (l) { int x = a->lo; b->lo = any; if (a->hi >= x) b->hi = x; }" + LOOK,
    "a copy of a number that has changed": each("x = q->hi; y = x; x = any; if (x >= y) q->lo = x;"),
    "a block in the place of another": "struct list *l = build(); int x = any;"
    "if (l) { struct list *n = l->next; l->lo = x;"
    "free(l); l = malloc(sizeof *l); if (!l) exit(0); l->next = n; l->lo = any; l->hi = x; }" + LOOK,
    "a shorter number": each("q->hi = (signed char)q->hi; q->lo = (signed char)q->lo;"),
    "a test of a shorter number": each("if ((short)q->lo <= x) q->hi = x;"),
    "a test of unsigned numbers": each("if ((unsigned)q->lo <= (unsigned)x) q->hi = x;"),
    "a test of rounded numbers": each("if ((float)q->lo == (float)x) q->hi = x;"),
    "a test that was kept": each("y = q->lo <= x; q->lo = q->hi; if (y) q->hi = x;"),
    "exchanged members": each("x = q->lo; q->lo = q->hi; q->hi = x;"),
    # A variable that holds what a member was: of another object, or of the same one at another time.
    "an exchange with another object": each("struct list *o = l; x = o->lo; o->lo = q->lo; q->lo = x;"),
    "an exchange that is late": each(
        "x = q->hi; q->hi = any; if (q->hi < q->lo) { y = q->hi; q->hi = x; q->lo = any; }"
    ),
    "a remainder of a negative number": SINGLE + "n->lo = x % 10; n->hi = 9; assert(n->lo >= -n->hi + 1);",
    "a mask of another sign": SINGLE + "n->lo = x & 7; n->hi = x & -8; assert(n->lo >= n->hi);",
    "zeroed members": SINGLE + "if (x) { n->lo = 1; n->hi = 2; } assert(n->lo < n->hi);",
    "a copy of zeros": SINGLE
    + "struct s *k = malloc(sizeof *k); if (!k) exit(0); *k = *n; k->lo = any; assert(k->lo <= k->hi);",
    "a larger block": SINGLE
    + "n->lo = x; n->hi = y; n = realloc(n, 2 * sizeof *n); if (!n) exit(0); assert(n->lo <= n->hi);",
    "a sum that wraps around": "struct u { unsigned a, b; } *n = calloc(1, sizeof *n);"
    "unsigned x = (unsigned)any, y = (unsigned)any;"
    "if (!n || x > y) exit(0); n->a = x; n->b = y; n->a += 4; n->b += 4; assert(n->a <= n->b);",
    "a truth value": "struct u { _Bool a; int b; } *n = calloc(1, sizeof *n);"
    "int x = any; if (!n || x < 1) exit(0);"
    "n->a = x; n->b = x; assert(n->a >= n->b);",
    # Bits: an order is not kept, a shift loses the sign, the width is that of the type.
    "one bit of an order": each("q->lo ^= 4; q->hi ^= 4;"),
    "an order and another mask": each("q->lo |= 6; q->hi |= 5;"),
    "a product of members": each("q->lo = q->lo * q->lo; q->hi = q->hi * q->hi;"),
    "a shift to the left": each("q->lo <<= 1; q->hi <<= 1;"),
    "a shift of an unsigned number": each("q->lo = (int)((unsigned)q->lo >> 1); q->hi >>= 1;"),
    "the complement of an order": each("q->lo = ~q->lo; q->hi = ~q->hi;"),
    "a quotient and a remainder": each("q->lo = q->lo % 7; q->hi = q->hi / 7;"),
    "bits of a shorter number": each("q->lo = (signed char)(q->lo ^ 3); q->hi = (signed char)(q->hi ^ 3);"),
    # Conditions on a member and a variable: where the variable changes, so do the ghosts of all objects.
    "a variable that grows": below("k = k - 1;"),
    "a variable that is read again": below("k = any;"),
    "a variable that is declared again": "struct list *l = build(); for (int i = 0; i < 2; i++) { int k;"
    "if (!i) { k = any; for (struct list *q = l; q; q = q->next) if (q->lo >= k) exit(0); } else k = any;"
    "for (struct list *p = l; p; p = p->next) assert(p->lo < k); }",
    "a copy of another variable": below("int j = any; k = j;"),
    "a variable that gets a member": below("if (l) k = l->lo;"),
    "a member beside the variable": below(
        "struct list *m = l; if (m) { m->lo = k - 1; m = m->next; if (m) m->lo = k; }"
    ),
    "a member of the same name": below("if (l) { int lo = k; l->lo = lo; }"),
    "zeroed blocks and a variable": SINGLE + "struct s *m = calloc(1, sizeof *m); if (!m) exit(0); n->lo = x;"
    "if (y) { n->lo = y; m->lo = y; } assert(n->lo < x || n->lo == y); assert(m->lo == y);",
    "zeros behind a variable": "int x = any; if (x <= 0) exit(0); struct s *n = calloc(1, sizeof *n); if (!n) exit(0);"
    "assert(n->lo >= x);",
    "zeros and a variable": SINGLE + "n->lo = x; memset(n, 0, sizeof *n); assert(n->lo == x);",
    "a copied object and a variable": SINGLE + "struct s *k = malloc(sizeof *k); if (!k) exit(0);"
    "k->lo = y; n->lo = x; *n = *k; assert(n->lo == x);",
    "a global object and a variable": "static struct list g; struct list *l = &g; int x = any; if (any) {"
    "l = malloc(sizeof *l); if (!l) exit(0); l->lo = x; } assert(l->lo == x);",
    "a sum that wraps around beside members": below("if (l) l->lo = k + 1;").replace("p->lo < k", "p->lo <= k + 1"),
    "a greatest number": "struct list *l = build(); if (!l) exit(0); int k = l->lo;"
    "for (struct list *q = l; q; q = q->next) if (q->lo > k) k = q->hi;"
    "for (struct list *p = l; p; p = p->next) assert(p->lo <= k); if (l->next) assert(l->next->hi <= k);",
    "the same variable at two times": "int x = any; struct list *a = malloc(sizeof *a), *b = malloc(sizeof *b);"
    "if (!a || !b) exit(0); a->lo = x; x = any; b->lo = x; assert(a->lo == b->lo);",
    # A variable that dies and comes to life again: what was known with its last value is forgotten.
    "a variable of each round": each("int t = q->lo; if (x <= t) q->lo = x; t = any; q->hi = t;"),
    "a variable of the round before": "struct list *l = build(); int t = any; for (struct list *q = l; q; q = q->next)"
    "{ if (any) q->hi = t; t = q->lo; }" + LOOK,
    "two variables of one exchange": each(
        "int t = q->lo, u = t; if (any) t = x; if (q->hi < u) { q->lo = u; } q->hi = t;"
    ),
    "two counters and their difference": "int x = any, y = x, z = 0; while (any) { x++; z = x - y; y++; }"
    "assert(z == 0);",
    "two counters and a difference that is late": "int x = 0, y = 0, z = 0;"
    "while (any) { z = x - y; x++; if (any) y++; } assert(z == 0);",
    "two counters": "int x = 0, y = 0; while (any) { x++; y++; } x = x - (y == 3); assert(x == y);",
    "a short counter": "unsigned char x = 0; int y = 0; while (any) { x++; y++; } assert(x == y);",
}


def conditions_of(task: Task) -> Iterator[AnyCondition]:
    """The conditions that refinement would choose for the comparisons of a program."""
    members = Members(task.memory)
    for edge in task.cfa.edges:
        compared = _comparison(edge.label.condition) if isinstance(edge.label, Assume) else None
        if compared is not None:
            yield from _on_members(members, compared, edge.source)
            plain = condition_of(compared.operator, compared.left, compared.right)
            before = list(_preconditions(members, plain)) if plain is not None else []
            if plain is not None and (_is_useful(plain, task.memory) or before):
                yield from (plain, *before)


@pytest.mark.parametrize("name", BODIES)
def test_no_ghost_hides_a_failure(tmp_path, name):
    task = task_of(written(tmp_path, f"{START}int main(void) {{ {BODIES[name]} return 0; }}\n"), "assert")
    conditions = list(dict.fromkeys(conditions_of(task)))[:MOST_CONDITIONS]
    on_members = any(isinstance(c, CellCondition) for c in conditions)
    assert on_members or "count" in name or "zeros over" in name
    options = RefineOptions(maximal=True, hint="sll", max_structures=20_000)
    result = Refinement(task.with_conditions(conditions), library(), options, explain=_unasked).run()
    assert result.outcome != SAFE


def _unasked(*_: object) -> None:
    raise AssertionError("no path is explained")
