"""Data that is not watched has one value, if the library only compares it: comparisons of it have any outcome."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.analysis.c.library.generality.unwatched_data import with_any_outcomes
from kleene.c.options import DEFAULT
from kleene.c.reader import read_program
from kleene.cfa.program import CProgram
from kleene.domains.explicit.explore import explore

_LIBRARY = """\
#include <stdlib.h>
struct n { struct n *next; void *data; };
static struct n one;
static int same(const void *a, const void *b) { return a == b; }
int keeps(void *d, int (*is)(const void *, const void *)) {
    if (one.data == d) return 1;
    if (is(one.data, d)) return 2;
    one.data = d;
    return one.data ? 3 : 4;
}
BODY
"""
_CLIENT = """\
#include "library.c"
int main(void) {
    int r = keeps(NULL, same);
    EXTRA
    char *p = malloc(1);
    if (!p) return 0;
    free(p);
    return r == WANTED ? *p : 0;
}
"""


def _weakened(folder: Path, body: str = "", extra: str = "", wanted: int = 0) -> CProgram | None:
    (folder / "library.c").write_text(_LIBRARY.replace("BODY", body), encoding="utf-8")
    client = folder / "client.c"
    client.write_text(_CLIENT.replace("EXTRA", extra).replace("WANTED", str(wanted)), encoding="utf-8")
    return with_any_outcomes(read_program([str(client)], DEFAULT))


@pytest.mark.parametrize("result", [1, 2, 3, 4])
def test_data_that_is_null_may_be_unequal_to_itself(result: int, tmp_path: Path) -> None:
    """Each result of the function is reached, though NULL is equal to NULL: the runs are those of any other data."""
    program = _weakened(tmp_path, wanted=result)
    assert program is not None
    assert explore(program, max_states=500, max_steps=5000, seconds=5.0, malloc_may_fail=True).findings


def test_other_results_are_not_reached(tmp_path: Path) -> None:
    program = _weakened(tmp_path, wanted=5)
    assert program is not None
    assert not explore(program, max_states=500, max_steps=5000, seconds=5.0, malloc_may_fail=True).findings


@pytest.mark.parametrize(
    "body",
    [
        "long more(void *d) { return (long)d; }",
        "int more(void *d) { return d < (void *)&one; }",
        "int more(void *d) { return *(char *)d; }",
        "int more(void *d) { struct n *n = d; return n == &one; }",
        "void *more(void *d) { return (char *)d + 1; }",
        "static void set(void **p) { *p = 0; }\nint more(void *d) { set(&one.data); return 0; }",
        "int more(void *d) { union { void *p; long n; } u; u.p = d; return u.n != 0; }",
        "struct m { long n; void *p; };\nint more(void *d) { return ((struct m *)&one)->n != 0; }",
    ],
    ids=["number", "order", "followed", "converted", "computed", "address", "union", "another record"],
)
def test_what_does_more_with_data_is_refused(body: str, tmp_path: Path) -> None:
    assert _weakened(tmp_path, body, "more(NULL);") is None
