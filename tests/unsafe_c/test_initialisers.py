"""What an initialiser with designators gives to which part: of two similar programs only the right one is proved.

Each designated part ended the place in the inner object, later values of a whole object left its parts as they were,
and the value of a range was computed for each element: wrong programs were proved.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved
from tests.unsafe_c.compiled import fails_in_a_run, needs_gcc, written

PROGRAM = """
#include <stdlib.h>
struct pair {{ char *x, *y; }};
struct held {{ struct pair in; char *m[2]; struct {{ char *p, *q; }}; char *last; }};
static void run(void) {{ char *a = malloc(1), *b = NULL; {} }}
int main(void) {{ run(); return 0; }}
"""
CASES = {
    "behind an index and a member": ("struct pair v[3] = {{ [1].x = NULL, a }};", "free(v[1].y);", "free(v[2].x);"),
    "behind a first element": ("struct held h = {{ .m = NULL, a }};", "free(h.m[1]);", "free(h.last);"),
    "behind an anonymous member": ("struct held h = {{ .p = NULL, a }};", "free(h.q);", "free(h.last);"),
    "a whole over a part": ("struct held h = {{ .m[1] = a, .m = {{ NULL }} }};", "free(a);", "free(h.m[1]);"),
    "a part over a whole": ("struct held h = {{ .in = {{ a, a }}, .in.x = NULL }};", "free(h.in.y);", "free(h.in.x);"),
    "the value of a range": (
        "free(a); char *v[2] = {{ [0 ... 1] = malloc(1) }};", "free(v[1]);", "free(v[0]); free(v[1]);"
    ),
    "a value that is not computed": (
        "char *v[1] = {{ [0] = (b = a), [0] = NULL }};", "free(v[0] ? b : a);", "free(v[0]); free(b);"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_right_part_is_freed(name: str, tmp_path: Path) -> None:
    start, right, _ = CASES[name]
    assert is_proved(PROGRAM.format((start + right).format()), tmp_path)


@needs_gcc
@pytest.mark.parametrize("name", CASES)
def test_another_part_is_freed(name: str, tmp_path: Path) -> None:
    start, _, wrong = CASES[name]
    text = PROGRAM.format((start + wrong).format())
    assert fails_in_a_run(written(text, tmp_path), leaks=True)
    assert not is_proved(text, tmp_path)


def test_a_part_of_a_struct_that_has_a_value_is_left_open(tmp_path: Path) -> None:
    """gcc drops the other parts of the value, and clang keeps them."""
    start = "struct pair s = { a, NULL }; struct held h = { .in = s, .in.y = NULL }; free(h.in.x);"
    assert not is_proved(PROGRAM.format(start), tmp_path)
