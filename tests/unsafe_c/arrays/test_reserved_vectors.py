"""A vector that makes room by doubling in a loop, and from which `memmove` takes an element: by `owned`, alone.

Each change makes a block be lost, used or freed again, or an index be outside: compiled runs show it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slices import in_exam
from tests.unsafe_c.alone import is_proved_by
from tests.unsafe_c.compiled import fails_in_a_run, needs_gcc, written

VECTOR = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct vector { void **data; size_t len, cap; };
static int reserve(struct vector *v, size_t n) {
    size_t cap = v->cap ? v->cap : 4;
    void **data;
    if (n <= v->cap) return 0;
    while (cap < n) cap <<= 1;
    data = realloc(v->data, cap * sizeof *data);
    if (!data) return -1;
    v->data = data;
    v->cap = cap;
    return 0;
}
static void *take(struct vector *v, size_t at) {
    void *item = v->data[at];
    v->len--;
    if (at < v->len) memmove(&v->data[at], &v->data[at + 1], (v->len - at) * sizeof *v->data);
    return item;
}
int main(void) {
    struct vector v;
    size_t i;
    memset(&v, 0, sizeof v);
    while (getchar() != EOF) {
        int *item = malloc(sizeof *item);
        if (!item) break;
        if (reserve(&v, v.len + 1) < 0) { free(item); break; }
        v.data[v.len++] = item;
    }
    if (v.len > 0) free(take(&v, 0));
    for (i = 0; i < v.len; i++) free(v.data[i]);
    free(v.data);
    return 0;
}
"""
PATIENT_SECONDS = 100.0
"""Many times what the proof takes."""
CHANGED = {
    "room for one less": ("while (cap < n)", "while (cap + 1 < n)"),
    "no growth": ("while (cap < n) cap <<= 1;", ""),
    "room in bytes": ("cap * sizeof *data", "cap"),
    "a capacity that is not there": ("v->cap = cap;", "v->cap = cap + 1;"),
    "one too many is moved": ("(v->len - at) * sizeof", "(v->len + 1 - at) * sizeof"),
    "one too few is moved": ("(v->len - at) * sizeof", "(v->len - at - 1) * sizeof"),
    "nothing is moved": ("if (at < v->len) memmove", "if (0) memmove"),
    "one is taken from nothing": ("if (v.len > 0) free", "free"),
    "the last is not freed": ("i < v.len; i++", "i + 1 < v.len; i++"),
    "one more is freed": ("i < v.len; i++", "i <= v.len; i++"),
}
RUNS = ("", "a", "abcd", "abcde", "abcdefghijklmnopqrst")


def test_the_vector_is_proved(tmp_path: Path) -> None:
    """An index that is inside in all runs was not known to be, where the facts of the followed block are apart."""
    assert is_proved_by("owned", VECTOR, tmp_path, PATIENT_SECONDS)


@in_exam
@pytest.mark.parametrize("name", CHANGED)
def test_no_change_is_proved(name: str, tmp_path: Path) -> None:
    assert not is_proved_by("owned", VECTOR.replace(*CHANGED[name]), tmp_path)


@needs_gcc
@pytest.mark.parametrize("name", CHANGED)
def test_the_changed_programs_fail_in_a_run(name: str, tmp_path: Path) -> None:
    assert CHANGED[name][0] in VECTOR
    program = written(VECTOR.replace(*CHANGED[name]), tmp_path)
    assert any(fails_in_a_run(program, text=text, leaks=True) for text in RUNS)
