"""Vectors, complex numbers and initial values that are not computed: their sizes are known, operations are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.analysis.c.check import check
from kleene.analysis.c.options import check_options
from kleene.core.verdict import Verdict

HEAD = """#include <assert.h>
#include <stdlib.h>
typedef int vector __attribute__((vector_size(16)));
"""
RIGHT = {
    "parts of a vector": "vector v; int *p = (int *)&v; p[3] = 7; assert(p[3] == 7);",
    "an array of vectors": "vector v[2]; int *p = (int *)&v[1]; p[3] = 1; assert(p[3] == 1);",
    "a block of complex numbers": (
        "_Complex double *z = malloc(2 * sizeof *z); if (!z) return 1; ((double *)(z + 1))[1] = 0; free(z);"
    ),
    "a copy": "vector v, w; ((int *)&v)[2] = 5; w = v; assert(((int *)&w)[2] == 5);",
}
WRONG = {
    "behind a vector": "vector v; int *p = (int *)&v; p[4] = 7;",
    "behind an array of vectors": "vector v[2]; int *p = (int *)&v[1]; p[4] = 1;",
    "behind a block of complex numbers": (
        "_Complex double *z = malloc(2 * sizeof *z); if (!z) return 1; *(char *)(z + 2) = 0; free(z);"
    ),
}
NOT_COMPUTED = {
    "a sum": "vector v = {1, 2, 3, 4}, w = v + v; assert(((int *)&w)[1] == 2);",
    "a comparison": "vector v = {1, 2, 3, 4}, w = v == v; assert(((int *)&w)[1] == 0);",
    "a conversion": "_Complex double z = 1; double d = z; assert(d == 0);",
    "a condition": "_Complex double z = 1; if (z) assert(0);",
    "an initial value": "static _Complex double z = 1; assert(((double *)&z)[0] == 0);",
    "an initial value of long double": "static long double x = 1e4000L; assert(x == 0);",
    "an initial distance of labels": "static int t = (char *)&&b - (char *)&&a; a: assert(t == 0); b:;",
}


def verdict(body: str, folder: Path) -> Verdict:
    path = folder / "p.c"
    path.write_text(f"{HEAD}int main(void) {{ {body} return 0; }}\n")
    return check([str(path)], check_options(timeout=20.0)).verdict


@pytest.mark.parametrize("body", RIGHT.values(), ids=RIGHT)
def test_accesses_within_their_bytes(body: str, tmp_path: Path) -> None:
    """A variable had one byte, so that the first two were FALSE."""
    assert verdict(body, tmp_path) is Verdict.TRUE


@pytest.mark.parametrize("body", WRONG.values(), ids=WRONG)
def test_accesses_behind_their_bytes(body: str, tmp_path: Path) -> None:
    """Pointers were moved by one byte, so that the last one was TRUE."""
    assert verdict(body, tmp_path) is Verdict.FALSE


@pytest.mark.parametrize("body", NOT_COMPUTED.values(), ids=NOT_COMPUTED)
def test_what_is_not_computed_is_unknown(body: str, tmp_path: Path) -> None:
    """The last two ended in a traceback."""
    assert verdict(body, tmp_path) is Verdict.UNKNOWN
