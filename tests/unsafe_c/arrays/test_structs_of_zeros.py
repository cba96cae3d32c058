"""Vectors in structs that are filled with zeros: their members are 0 and NULL, as if each was assigned.

A right vector is proved by itself, and one with a line changed is not: exact exploration would hide a mistake.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved

VECTOR = """
#include <stdlib.h>
#include <string.h>
struct vector { int *a; size_t len, cap; };
int __VERIFIER_nondet_int(void);
int main(void) {
    struct vector *v = NULL;
    while (__VERIFIER_nondet_int()) {
        if (!v) {
            MAKE
        } else if (__VERIFIER_nondet_int()) {
            free(v->a); free(v); v = NULL;
        } else {
            if (v->len == v->cap) {
                size_t cap = v->cap ? v->cap * 2 : 4;
                int *a = realloc(v->a, cap * sizeof *a);
                if (!a) continue;
                v->a = a; v->cap = cap;
            }
            v->a[v->len++] = 1;
        }
    }
    if (v) { free(v->a); free(v); }
    return 0;
}
"""
ZEROED = (
    "v = calloc(1, sizeof *v);",
    "v = malloc(sizeof *v); if (v) memset(v, 0, sizeof *v);",
)
NOT_ZEROED = (
    "v = calloc(1, sizeof *v); if (v) v->cap = 1;",
    "v = calloc(1, sizeof *v); if (v) v->len = 1;",
    "v = malloc(sizeof *v); if (v) memset(v, 0, sizeof *v - 8);",
    "v = malloc(sizeof *v); if (v) memset(v, 1, sizeof *v);",
    "v = malloc(sizeof *v); if (v) { v->cap = 1; memset(&v->len, 0, sizeof v->len); v->a = NULL; }",
    "v = calloc(2, sizeof *v); if (v) v[0].len = 1;",
)


@pytest.mark.parametrize("make", ZEROED)
def test_a_vector_that_begins_with_zeros_is_proved(tmp_path: Path, make: str) -> None:
    """A vector that grows was UNKNOWN, unless each member was assigned."""
    assert is_proved(VECTOR.replace("MAKE", make), tmp_path)


@pytest.mark.parametrize("make", NOT_ZEROED)
def test_a_vector_that_begins_with_other_numbers_is_not(tmp_path: Path, make: str) -> None:
    assert not is_proved(VECTOR.replace("MAKE", make), tmp_path, 2.0)


CHANGES = (
    ("v->len == v->cap", "v->len > v->cap"),
    ("cap * sizeof *a", "cap + sizeof *a"),
    ("v->a = a; v->cap = cap;", "v->a = a; v->cap = cap + 1;"),
    ("free(v->a); free(v); v = NULL;", "free(v->a); v->a = NULL; v->len = 0;"),
    ("v->a[v->len++] = 1;", "v->a[++v->len] = 1;"),
)


@pytest.mark.parametrize(("right", "wrong"), CHANGES)
def test_a_changed_vector_is_not(tmp_path: Path, right: str, wrong: str) -> None:
    text = VECTOR.replace("MAKE", ZEROED[0])
    assert right in text and not is_proved(text.replace(right, wrong), tmp_path, 2.0)
