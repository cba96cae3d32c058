"""`qsort` of elements whose type a call tells: a copy of the model moves elements, and sorts them as it should."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slices import in_exam
from tests.unsafe_c.alone import is_proved_by

from kleene.c.library.sorting import SWAP
from kleene.c.reader import read_program
from kleene.cfa.operations import Call
from kleene.domains.explicit.interpreter import run

START = """
#define _GNU_SOURCE
#include <assert.h>
#include <stdlib.h>
#include <string.h>
extern int nondet(void);
struct name { int rank; char *text; };
static int by_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }
static int by_rank(const void *a, const void *b) { return ((struct name *)a)->rank - ((struct name *)b)->rank; }
static int by_sign(const void *a, const void *b, void *sign) { return *(int *)sign * by_rank(a, b); }
"""
SORTED = {
    "numbers": "int a[] = {3, 1, 2}; qsort(a, 3, sizeof *a, by_number); assert(a[0] == 1 && a[1] == 2 && a[2] == 3);",
    "texts": 'char *a[] = {"b", "c", "a"}; qsort(a, 3, sizeof(char *), by_text); assert(*a[0] == 97 && *a[2] == 99);',
    "structs": 'struct name a[] = {{2, "b"}, {1, "a"}}; qsort(&a[0], 2, sizeof *a, by_rank); assert(*a[0].text == 97);',
    "with a context": """struct name a[] = {{1, "a"}, {2, "b"}}; int sign = -1;
        qsort_r(a, 2, sizeof *a, by_sign, &sign); assert(a[0].rank == 2 && *a[1].text == 'a');""",
    "two types": """int a[] = {2, 1}; char *b[] = {"b", "a"}; qsort(a, 2, sizeof *a, by_number);
        qsort(b, 2, sizeof *b, by_text); assert(a[0] == 1 && *b[0] == 'a');""",
}
VECTOR = """
int main(void) {
    struct name *a = malloc(8 * sizeof *a);
    size_t n = 0;
    if (!a) return 1;
    while (n < 8 && nondet()) {
        a[n].rank = nondet();
        a[n].text = strdup("name");
        if (!a[n].text) break;
        n++;
    }
    qsort(a, n, sizeof *a, by_rank);
    for (size_t i = 0; i < n; i++) free(a[i].text);
    free(a);
    return 0;
}
"""
WRONG = {
    "one element too many": ("qsort(a, n,", "qsort(a, n + 1,"),
    "a comparison that frees": ("qsort(a, n, sizeof *a, by_rank)", "qsort(a, n, sizeof *a, ends)"),
    "after it is freed": (
        "qsort(a, n, sizeof *a, by_rank);",
        "if (n > 2) { free(a[1].text); qsort(a, n, sizeof *a, by_rank); }",
    ),
}
ENDS = "static int ends(const void *a, const void *b) { free(((struct name *)a)->text); return 1; }\n"


def _written(text: str, folder: Path) -> str:
    path = folder / "program.c"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize("case", SORTED)
def test_elements_are_sorted(case: str, tmp_path: Path) -> None:
    program = read_program(_written(f"{START}int main(void) {{ {SORTED[case]} return 0; }}", tmp_path))
    called = {o.function for o in program.operations if isinstance(o, Call) and isinstance(o.function, str)}
    typed = [name for name in called if name.startswith("__kleene_qsort")]
    assert len(typed) == 1 + (case == "two types")
    assert not any(
        isinstance(e.label, Call) and e.label.function == SWAP for n in typed for e in program.functions[n].cfa.edges
    )
    assert run(program, malloc_may_fail=False).fault is None


def test_bytes_are_sorted_as_before(tmp_path: Path) -> None:
    text = "int main(void) { int a[] = {2, 1}; void *p = a; qsort(p, 2, 4, by_number); assert(a[0] == 1); return 0; }"
    program = read_program(_written(START + text, tmp_path))
    assert not any(name.startswith("__kleene_qsort") for name in program.functions)
    assert run(program, malloc_may_fail=False).fault is None


def test_sorted_names_are_proved(tmp_path: Path) -> None:
    """It was UNKNOWN: the model exchanged bytes, which no analysis followed as pointers."""
    assert is_proved_by("owned", START + VECTOR, tmp_path)


@in_exam
@pytest.mark.parametrize("case", WRONG)
def test_wrong_sorts_are_not_proved(case: str, tmp_path: Path) -> None:
    old, new = WRONG[case]
    assert old in VECTOR
    assert not is_proved_by("owned", START + ENDS + VECTOR.replace(old, new), tmp_path)
