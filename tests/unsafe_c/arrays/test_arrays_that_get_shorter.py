"""A vector of owned pointers whose block gets shorter by `realloc`: proved by `owned`, and no wrong use of it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slices import in_exam
from tests.unsafe_c.alone import is_proved_by

VECTOR = """
#include <stdlib.h>
extern int nondet(void);
int main(void) {
    int **a = NULL;
    size_t n = 0;
    while (nondet()) {
        if (n > 1 && nondet()) {
            n--;
            free(a[n]);
            int **less = realloc(a, n * sizeof *a);
            if (less) a = less;
            else break;
        } else {
            int **more = realloc(a, (n + 1) * sizeof *a);
            if (!more) break;
            a = more;
            int *x = malloc(sizeof *x);
            if (!x) break;
            *x = 1;
            a[n] = x;
            n++;
        }
    }
    for (size_t i = 0; i < n; i++) free(a[i]);
    free(a);
    return 0;
}
"""
WRONG = {
    "the last block is lost": ("free(a[n]);", ""),
    "one element too few is left": ("less = realloc(a, n ", "less = realloc(a, (n - 1) "),
    "the number of elements is the old one": ("n--;\n            free(a[n]);", "free(a[n - 1]);"),
    "the last element is read behind the length": ("if (less) a = less;", "if (less) { a = less; free(a[n]); }"),
    "one element too much is freed": ("i < n", "i <= n"),
}


def test_a_vector_that_gets_shorter_is_proved(tmp_path: Path) -> None:
    """It was UNKNOWN: an array of pointers that may shrink."""
    assert is_proved_by("owned", VECTOR, tmp_path)


@in_exam
@pytest.mark.parametrize(("old", "new"), WRONG.values(), ids=WRONG)
def test_wrong_vectors_are_not_proved(old: str, new: str, tmp_path: Path) -> None:
    assert old in VECTOR
    assert not is_proved_by("owned", VECTOR.replace(old, new), tmp_path)
