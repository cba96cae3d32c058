"""Pointers that a caller gets (`HandOut`): every analysis alone reports those into blocks that have ended."""

from __future__ import annotations

from pathlib import Path

import pytest

from .test_ended_blocks import DOMAINS, EXACT
from .translated import program_of

HEADER = """\
#include <stdlib.h>
#include <stdint.h>
extern void __kleene_hand_out(void *p);
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; struct { int first, second; } pair; };
static struct node kept;
static struct node *held;
static char *of_helper(void) { char c[4]; c[0] = 1; char *volatile p = c; return p; }
static struct node *list(int n) {
  struct node *head = NULL;
  for (int i = 0; i < n; i++) {
    struct node *new = malloc(sizeof *new);
    if (!new) exit(1);
    new->next = head;
    head = new;
  }
  return head;
}
"""
BLOCK = "struct node *n = malloc(sizeof *n); if (!n) return 1; n->next = NULL;"
WRONG = {
    "a freed block": f"{BLOCK} void *p = n; free(n);",
    "a block that one way frees": f"{BLOCK} void *p = n; if (__VERIFIER_nondet_int()) free(n); else held = n;",
    "the inside of a freed block": f"{BLOCK} void *p = &n->pair.second; free(n);",
    "a member that leads to a freed block": f"{BLOCK} struct node s; s.next = n; free(n); void *p = s.next;",
    "a global that leads to a freed block": f"{BLOCK} held = n; free(n); void *p = held;",
    "a character inside a freed block": "char *b = malloc(8); if (!b) return 1; char *p = b + 3; free(b);",
    "the end of a freed array": "int *a = malloc(4 * sizeof *a); if (!a) return 1; int *p = a + 4; free(a);",
    "a freed block of a variable size": (
        "int k = __VERIFIER_nondet_int(); if (k < 1 || k > 100) return 0;"
        " char *p = malloc(k); if (!p) return 1; free(p);"
    ),
    "an element of a freed array of a variable size": (
        "int k = __VERIFIER_nondet_int(); if (k < 2 || k > 100) return 0;"
        " int *a = malloc(k * sizeof *a); if (!a) return 1; int *p = &a[k - 1]; free(a);"
    ),
    "a freed block by way of a number": f"{BLOCK} uintptr_t u = (uintptr_t)n; free(n); void *p = (void *)u;",
    "the last node of a freed list": (
        "struct node *h = list(__VERIFIER_nondet_int()); struct node *p = h;"
        " while (p && p->next) p = p->next;"
        " while (h) { struct node *next = h->next; free(h); h = next; }"
    ),
    "a local variable that has ended": "int *p; { int c = 1; p = &c; }",
    "a local array of a function": "char *p = of_helper();",
    "a block that realloc moved": (
        "char *p = malloc(8); if (!p) return 1; char *q = realloc(p, 16); if (!q) { free(p); return 1; } free(q);"
    ),
}
ACCEPTED = ("dangling_dereference", "unsupported")


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("name", WRONG)
def test_no_analysis_hands_out_what_has_ended(tmp_path: Path, name: str, domain: str) -> None:
    found = DOMAINS[domain](program_of(tmp_path, f"{WRONG[name]} __kleene_hand_out((void *)p);", HEADER))
    assert found & set(ACCEPTED[:1] if domain in EXACT else ACCEPTED), found


RIGHT = {
    "a block": f"{BLOCK} void *p = n; held = n;",
    "the inside of a block": f"{BLOCK} void *p = &n->pair.second; held = n;",
    "nothing": "void *p = NULL;",
    "a global": "void *p = &kept;",
    "the last node of a list": (
        "held = list(__VERIFIER_nondet_int()); struct node *p = held; while (p && p->next) p = p->next;"
    ),
    "a local variable": "int c = 1; void *p = &c;",
}


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("name", RIGHT)
def test_what_is_alive_may_be_handed_out(tmp_path: Path, name: str, domain: str) -> None:
    found = DOMAINS[domain](program_of(tmp_path, f"{RIGHT[name]} __kleene_hand_out((void *)p);", HEADER))
    assert "dangling_dereference" not in found, found
