"""Random programs about two numbers in each node of a list: what the nodes have in common is asserted while walking.

The nodes are built with ``a == b``, ``a <= b`` or ``b >= 0``, or with ``a < k``, ``a == k`` for a variable k. Then they
are changed by walks that keep it or not: one member at a time, both together, by copies of whole nodes, by zeros, by
new values of the variable, or through pointers that conditions on members do not follow.
"""

from __future__ import annotations

import random

HEADER = """\
#include <stdlib.h>
#include <string.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct node { int a; TYPE b; struct node *next; };
static struct node *make(struct node *next) {
  struct node *n = ALLOCATE;
  if (!n) abort();
  n->next = next;
  return n;
}
static void drop(struct node *l) { while (l) { struct node *n = l->next; free(l); l = n; } }
"""
BUILD = {
    "p->a == p->b": ("n->a = x; n->b = x;", "n->a = x; n->b = n->a;", "n->b = x; n->a = n->b;", "n->a = n->b = 0;"),
    "p->a <= p->b": (
        "n->a = x; n->b = y; if (x > y) { n->a = y; n->b = x; }",
        "n->a = x; n->b = x; if (x < 100) n->b++;",
        "if (x > y) continue_with_less; n->a = x; n->b = y;",
        "n->a = x; n->b = y; if (n->a > n->b) { int t = n->a; n->a = n->b; n->b = t; }",
    ),
    "p->a < k": (
        "n->a = x; n->b = y; if (x >= k) n->a = 0;",
        "n->a = k; if (x < k) n->a = x;",
        "n->a = k - 1; n->b = k;",
    ),
    "p->a == k": ("n->a = k; n->b = x;", "n->b = k; n->a = n->b;", "int j = k; n->a = j; n->b = y;"),
    "p->a == l->a": ("n->a = k; n->b = x;", "n->a = l ? l->a : x; n->b = y;"),
    "p->b >= 0": ("n->a = x; n->b = x > 0 ? x : 0;", "n->b = 0; n->a = y;", "n->a = x; n->b = 7; if (y > 0) n->b = y;"),
}
CHANGE = (
    "p->a++; p->b++;",
    "p->a = p->b;",
    "p->b = p->a;",
    "if (p->a > -50) p->a--;",
    "if (p->b < 50) p->b = p->b + 1;",
    "if (x > 0 && x <= p->b) p->b -= x;",
    "if (p->next) *p = *p->next;",
    "struct node s = *p; s.a = s.b; p->b = s.a;",
    "int t = p->a; p->a = p->b; p->b = t;",
    "p->a = x; p->b = x;",
    "if (p->a >= k) k = p->a;",
    "if (x < k) p->a = x;",
    "p->a = k; if (x < k) p->a = x;",
    "int j = k; k = j;",
    "if (x <= y) { p->a = x; p->b = y; }",
)
WRONG = (
    "p->a++;",
    "p->b--;",
    "k = x;",
    "k--;",
    "if (p->next) k = p->next->b;",
    "if (x > 3) p->a = x;",
    "int *q = &p->b; *q = x;",
    "memset(&p->b, 1, sizeof p->b);",
    "if (p->next) p->next->a = x;",
    "if (l) l->b = y;",
    "p->b = p->b - x;",
    "if (p->next) { p->a = p->next->a; }",
)


def program(seed: int) -> str:
    rng = random.Random(f"members {seed}")
    claim = rng.choice(tuple(BUILD))
    build = rng.choice(BUILD[claim]).replace("continue_with_less", "y = x")
    changes = rng.choices(CHANGE, k=rng.choice((0, 1, 1, 2)))
    if rng.random() < 0.6:
        changes.insert(rng.randrange(len(changes) + 1), rng.choice(WRONG))
    walks = [f"for (p = l; p; p = p->next) {{ x = __VERIFIER_nondet_int(); {change} }}" for change in changes]
    allocate = rng.choice(("malloc(sizeof *n)", "calloc(1, sizeof *n)"))
    header = HEADER.replace("ALLOCATE", allocate).replace("TYPE", rng.choice(("int", "int", "int", "short", "long")))
    lines = [
        "struct node *l = NULL, *p;",
        "int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), k = __VERIFIER_nondet_int();",
        f"while (__VERIFIER_nondet_int()) {{ struct node *n = make(l); {build} l = n; x = __VERIFIER_nondet_int(); }}",
        *walks,
        f"for (p = l; p; p = p->next) assert({claim});",
        "drop(l);",
        "return 0;",
    ]
    return "\n".join([header + "int main(void) {", *(f"  {line}" for line in lines), "}", ""])
