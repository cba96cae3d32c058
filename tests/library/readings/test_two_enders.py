"""Containers with two functions that end them: one frees the data, too."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.library.inferences import inferred_of, wrong_functions

_VECTOR = """
#include <stdlib.h>
#include <string.h>
struct vector { void **slots; size_t room, used; };
struct vector *vector_new(void) {
    struct vector *v = calloc(1, sizeof *v);
    if (!v) return NULL;
    v->slots = calloc(4, sizeof *v->slots);
    if (!v->slots) { free(v); return NULL; }
    v->room = 4;
    return v;
}
void vector_delete(struct vector *v) { free(v->slots); free(v); }
void vector_delete_free(struct vector *v) {
    for (size_t i = 0; i < v->used; i++) free(v->slots[i]);
    vector_delete(v);
}
void vector_push(struct vector *v, void *item) { if (v->used < v->room) v->slots[v->used++] = item; }
void *vector_remove(struct vector *v, size_t i) {
    void *item;
    if (i >= v->used) return NULL;
    item = v->slots[i];
    memmove(v->slots + i, v->slots + i + 1, (v->used - i - ONE) * sizeof *v->slots);
    v->used--;
    return item;
}
"""


@pytest.mark.parametrize(("one", "wrong"), [("1", set()), ("0", {"vector_remove"})])
def test_the_one_that_frees_data_is_left_open(one: str, wrong: set[str], tmp_path: Path) -> None:
    """`vector_push` was left open, or blamed for the error in `vector_remove`: that was accepted on empty vectors."""
    inferred = inferred_of(_VECTOR.replace("ONE", one), tmp_path)
    assert wrong_functions(inferred) == wrong
    assert "it frees what clients store" in inferred.untried["vector_delete_free"]
    assert {"vector_push", "vector_delete"} <= {o.function.name for o in inferred.accepted}
