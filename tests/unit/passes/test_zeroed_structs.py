"""Structs that `memset` makes zero as a whole become variables, also where pointers are moved elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.compiled import written

from kleene.c.reader import read_program
from kleene.passes.calls.inline import inline
from kleene.passes.scalars import with_scalars

PROGRAM = """
#include <stdlib.h>
#include <string.h>
struct grid { size_t width, height; char **rows; };
int main(void) {
    struct grid g, other[2];
    memset(&g, 0, sizeof g);
    g.height = 4;
    g.rows = malloc(g.height * sizeof *g.rows);
    if (!g.rows) return 1;
    for (size_t y = 0; y < g.height; y++) g.rows[y] = NULL;
    USE
    free(g.rows);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("use", "is_split"),
    [
        ("", True),
        ("memset(&g.width, 0, sizeof g.width);", True),
        ("size_t *p = &g.width; p++; *p = 1;", False),
        ("memset(&g, 1, sizeof g);", False),
        ("memset(&g, 0, sizeof g.width);", False),
        ("memset(&g.width, 0, 2 * sizeof g.width);", False),
        ("memcpy(&other[0], &g, sizeof g);", False),
    ],
)
def test_only_a_struct_whose_address_is_not_kept_is_split(use: str, is_split: object, tmp_path: Path) -> None:
    """The address that `memset` gets was taken for one from which other members can be reached."""
    program = inline(read_program(written(PROGRAM.replace("USE", use), tmp_path)))
    names = {v.name for v in with_scalars(program).main.locals}
    assert ("g.rows" in names) == is_split
    assert ("g" in names) != is_split
