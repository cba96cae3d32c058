"""Indices that go down past the first element of an array of pointers: there is no slot before the first one.

That the slot before another one was looked for, and not found, ended a path: what the program does there was not seen.
Nor are slots before the one that a pointer points to: they were looked for behind it. Every wrong program reads the
element -1 in a run with a few elements, or frees one twice; the right ones stop before.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved_by

TEXT = """
#include <stdlib.h>
extern int nondet(void);
struct node { int v; };
static void *make(size_t size) { void *r = malloc(size); if (!r) abort(); return r; }
int main(void) {
    int n = nondet(), i, j;
    if (n < 1 || n > 100) return 0;
    struct node **p = make(n * sizeof *p);
    for (j = 0; j < n; j++) { p[j] = make(sizeof **p); p[j]->v = 1; }
    BODY
    for (j = 0; j < n; j++) free(p[j]);
    free(p);
    return 0;
}
"""
FIND = "i = 0; while (i < n && p[i]->v != nondet()) i++; "
RIGHT = {
    "the last but one": "i = 1; if (i < n) { p[i]->v = 2; i--; p[i]->v = 3; }",
    "found, not the first": FIND + "if (i < n && i > 0) { i--; p[i]->v = 3; }",
    "each with the one before": "for (j = 1; j < n; j++) { p[j]->v = 1; i = j - 1; p[i]->v = 2; }",
    "down by a number without a sign": "for (size_t u = n; u-- > 0;) p[u]->v = 2;",
}
BACK = "struct node **q = p + n - 1; "
"""A pointer to the last element: its slots are looked for from there on."""
WRONG = {
    "a pointer that goes back": BACK + "while (q != p) q--; q--; (*q)->v = 1;",
    "a pointer that may go back once more": BACK + "while (q != p) q--; if (nondet()) q--; (*q)->v = 1;",
    "beside a pointer that went back": BACK + "while (q != p) q--; (*(q - 1))->v = 1;",
    "freed by a pointer that went back": BACK + "while (q != p) q--; free(*q);",
    "indices that go back": BACK + "for (i = 0; i > -n; i--) free(q[i]);",
    "addresses that go back": BACK + "struct node **r; i = 0; do { r = &q[i]; i--; } while (r != p); free(*r);",
    "before the first": "i = 0; p[i]->v = 1; i--; if (p[i]) p[i]->v = 2;",
    "before the one that is found": FIND + "if (i < n) { i--; p[i]->v = 3; }",
    "next to the one that is found": FIND + "if (i < n) p[i - 1]->v = 3;",
    "down to -1": FIND + "if (i < n) while (i >= -1) { p[i]->v = 3; i--; }",
    "behind the loop down": FIND + "if (i < n) { while (i >= 0) { p[i]->v = 1; i--; } p[i]->v = 2; }",
    "each with the one before, from 0": "for (j = 0; j < n; j++) { p[j]->v = 1; i = j - 1; p[i]->v = 2; }",
    "exchanged from 0": "for (j = 0; j < n; j++) { struct node *t = p[j]; p[j] = p[j - 1]; p[j - 1] = t; }",
    "tested behind": "i = n; do { i--; p[i]->v = 1; } while (i >= 0);",
    "tested for another": "i = n; do { i--; p[i]->v = 1; } while (i != -1);",
    "left too late": "i = n - 1; while (1) { p[i]->v = 1; if (i < 0) break; i--; }",
}


@pytest.mark.parametrize("name", [*RIGHT, *WRONG])
def test_the_element_before_the_first(name: str, tmp_path: Path) -> None:
    text = TEXT.replace("BODY", {**RIGHT, **WRONG}[name])
    assert is_proved_by("plain", text, tmp_path) == (name in RIGHT)
