"""Vectors whose block is NULL while they are empty: `NULL + 0` is no error, and nothing else of NULL is proved.

The shape analysis is asked alone. Each change makes a run that reads through a pointer that was computed from NULL.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.analysis.c.shape.analyse import analyse
from kleene.c.reader import read_program
from kleene.core.verdict import kinds_of
from kleene.passes.preparation import Prepared
from kleene.results.shape import ShapeResult

SECONDS = 20.0
KINDS = kinds_of(["memsafety"])
VECTOR = """
#include <stdlib.h>
extern int nondet(void);
struct vec { int *data; size_t n, cap; };
static int push(struct vec *v, int x) {
    if (v->n == v->cap) {
        size_t c = v->cap ? 2 * v->cap : 4;
        int *d = realloc(v->data, c * sizeof *d);
        if (!d) return 0;
        v->data = d; v->cap = c;
    }
    v->data[v->n++] = x;
    return 1;
}
static int sum(struct vec *v) {
    int s = 0;
    for (int *p = v->data, *end = v->data + v->n; p < end; p++) s ^= *p;
    return s;
}
int main(void) {
    struct vec v = {0, 0, 0};
    int s = 0;
    while (nondet()) {
        switch (nondet()) {
        case 0: push(&v, 3); break;
        case 1: s ^= sum(&v); break;
        case 2: if (v.n > 0) v.n--; break;
        }
    }
    free(v.data);
    return s;
}
"""
CHANGED = {
    "a length before the block": ("struct vec v = {0, 0, 0};", "struct vec v = {0, 1, 1};"),
    "an end that is included": ("p < end; p++", "p <= end; p++"),
    "an end that is one too far": ("v->data + v->n;", "v->data + v->n + 1;"),
    "pointers that begin behind": ("int *p = v->data,", "int *p = v->data + 1,"),
    "order the other way round": ("p < end; p++", "p >= end; p++"),
    "a length that is kept without memory": ("if (!d) return 0;", "if (!d) { v->n++; return 0; }"),
}


def _result(text: str, folder: Path) -> ShapeResult:
    path = folder / "vector.c"
    path.write_text(text)
    return analyse(Prepared(read_program([str(path)])), malloc_may_fail=True, seconds=SECONDS, kinds=KINDS)


def test_an_empty_vector_of_null_is_proved(tmp_path: Path) -> None:
    result = _result(VECTOR, tmp_path)
    assert result.complete
    assert not {alarm.kind for alarm in result.alarms} & KINDS


@pytest.mark.parametrize("name", CHANGED)
def test_no_change_is_proved(name: str, tmp_path: Path) -> None:
    assert CHANGED[name][0] in VECTOR
    result = _result(VECTOR.replace(*CHANGED[name]), tmp_path)
    assert not result.complete or {alarm.kind for alarm in result.alarms} & KINDS
