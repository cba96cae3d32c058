"""Two arrays that are merged into a third one: with one line changed, an index may be outside, and nothing is proved.

That the number of elements is the sum of two others was not known, so the program as it is was not proved.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slices import in_exam
from tests.unsafe_c.compiled import fails_in_a_run, needs_gcc, written

from kleene.analysis.c.shape.analyse import analyse
from kleene.c.reader import read_program
from kleene.passes.preparation import Prepared
from kleene.results.shape import ShapeResult

SECONDS = 20.0
MERGED = """
#include <stdlib.h>
static int *merge(const int *a, size_t n, const int *b, size_t m) {
    int *out = malloc((n + m) * sizeof *out);
    size_t i = 0, j = 0, k = 0;
    if (!out) return NULL;
    while (i < n && j < m) {
        if (a[i] <= b[j]) out[k++] = a[i++];
        else out[k++] = b[j++];
    }
    while (i < n) out[k++] = a[i++];
    while (j < m) out[k++] = b[j++];
    return out;
}
static int *get(size_t n) {
    int *a = malloc(n * sizeof *a);
    size_t i;
    if (!a) return NULL;
    for (i = 0; i < n; i++) a[i] = rand();
    return a;
}
int main(void) {
    size_t n = (size_t)rand() % 5 + 1, m = (size_t)rand() % 5 + 1;
    int *a = get(n), *b = get(m), *c = NULL;
    if (a && b) c = merge(a, n, b, m);
    free(a); free(b); free(c);
    return 0;
}
"""
CHANGED = {
    "no room for the last one": ("malloc((n + m) * ", "malloc((n + m - 1) * "),
    "room for the longer one": ("malloc((n + m) * ", "malloc((n < m ? m : n) * "),
    "one step more beside a step": ("out[k++] = b[j++];\n    }", "{ out[k++] = b[j++]; k++; }\n    }"),
    "a step without its step": ("else out[k++] = b[j++];", "else { out[k++] = b[j]; j += k & 1; }"),
    "it begins behind the first one": ("k = 0;", "k = 1;"),
    "one element too many": ("while (i < n) out", "while (i <= n) out"),
    "a number that begins again": ("while (j < m) out[k++]", "for (j = 0; j < m; ) out[k++]"),
    "a number that goes back": ("    while (i < n) out", "    if (i > 0) i--;\n    while (i < n) out"),
}


def _result(text: str, folder: Path) -> ShapeResult:
    path = folder / "changed.c"
    path.write_text(text)
    return analyse(Prepared(read_program([str(path)])), malloc_may_fail=True, seconds=SECONDS, glance=True)


def test_the_merge_is_proved(tmp_path: Path) -> None:
    result = _result(MERGED, tmp_path)
    assert result.complete
    assert not result.alarms


@pytest.mark.parametrize("name", CHANGED)
def test_no_change_is_proved(name: str, tmp_path: Path) -> None:
    assert CHANGED[name][0] in MERGED
    result = _result(MERGED.replace(*CHANGED[name]), tmp_path)
    assert result.alarms or not result.complete


@in_exam
@needs_gcc
@pytest.mark.parametrize("name", CHANGED)
def test_the_changes_fail(name: str, tmp_path: Path) -> None:
    text = MERGED.replace("(size_t)rand() % 5 + 1", "3").replace("a[i] = rand()", "a[i] = (int)i")
    assert fails_in_a_run(written(text.replace(*CHANGED[name]), tmp_path))
