"""Elements of arrays of structs that `memset` makes zero: proved, and no change that goes wrong is.

The shape analysis is asked alone (`passes/elements/rewritten.py`).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved_by

ZERO = "memset(e, 0, sizeof *e);"
TABLE = """
#include <stdlib.h>
#include <string.h>
extern int nondet(void);
struct entry { int *data; struct entry *before; };
int main(void) {
    unsigned n = 0, count = nondet() & 1023;
    struct entry *table = calloc(count + 1, sizeof *table), *last = 0;
    if (!table) return 1;
    while (nondet() && n < count) {
        struct entry *e = &table[n++];
        ZERO
        e->before = last;
        last = e;
        if (nondet()) e->data = malloc(sizeof *e->data);
        /* made */
    }
    for (unsigned i = 0; i < n; i++) { /* ends */ free(table[i].data); }
    free(table);
    return 0;
}
"""
RIGHT = {
    "each element": (ZERO, ZERO),
    "each by its index": (ZERO, "memset(&table[n - 1], 0, sizeof table[0]);"),
    "after its end": ("free(table[i].data);", "free(table[i].data); memset(&table[i], 0, sizeof table[i]);"),
}
WRONG = {
    "the one behind the end": (ZERO, "memset(&table[count + 1], 0, sizeof *e);"),
    "the block is lost": ("/* made */", ZERO),
    "the pointer is NULL": ("/* made */", "if (e->data) { e->data[0] = 1; e->data = 0; } " + ZERO + " *e->data = 1;"),
    "the array was freed": ("free(table);", "free(table); memset(table, 0, sizeof *table);"),
    "some bytes of it": (ZERO, "memset(e, 0, sizeof e->data); *e->data = 1;"),
    "it is not zero": (ZERO, "memset(e, 1, sizeof *e); if (nondet()) *e->data = 1;"),
}


@pytest.mark.parametrize("name", [*RIGHT, *WRONG])
def test_elements_that_are_made_zero(name: str, tmp_path: Path) -> None:
    old, new = {**RIGHT, **WRONG}[name]
    text = TABLE.replace("ZERO", ZERO)
    assert old in text
    assert is_proved_by("plain", text.replace(old, new), tmp_path) == (name in RIGHT)
