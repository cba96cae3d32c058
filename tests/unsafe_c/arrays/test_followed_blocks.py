"""Heaps and stacks of owned pointers with one line changed: the attempt `owned`, alone, proves none of them.

The program as it is shows that the attempt proves something. Each change makes a block be lost, used or freed again,
or an index be outside.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slices import in_exam

from kleene.analysis.c.shape.analyse import analyse_by_attempt
from kleene.analysis.c.shape.attempts import ATTEMPTS
from kleene.c.reader import read_program
from kleene.passes.preparation import Prepared
from kleene.results.shape import ShapeResult

EXAMPLE = Path(__file__).parents[3] / "examples" / "c" / "arrays" / "heap_of_jobs.c"
OWNED = next(attempt for attempt in ATTEMPTS if attempt.name == "owned")
SECONDS = 60.0
CHANGED = {
    "a block that is not freed": ("j->prio);\n        free(j);", "j->prio);"),
    "an exchange that keeps one twice": ("*x = *y; *y = t;", "*x = *y; (void)t;"),
    "the last one is not moved": ("h->a[0] = h->a[--h->n];", "--h->n;"),
    "an index behind the array": ("if (h->n == h->cap) return -1;", "if (h->n > h->cap) return -1;"),
    "a block that is used after it is freed": ('        printf("%d\\n", j->prio);', "        free(j); j->id = 1;"),
    "an element behind the last one": ("if (r < h->n", "if (r <= h->n + 1"),
    "a block that is freed where it is kept": ("if (heap_push(&h, j)) {", "if (!heap_push(&h, j)) {"),
}


def _result(text: str, folder: Path) -> ShapeResult | None:
    path = folder / "changed.c"
    path.write_text(text)
    return analyse_by_attempt(Prepared(read_program([str(path)])), OWNED, malloc_may_fail=True, seconds=SECONDS)


@in_exam
def test_the_heap_is_proved(tmp_path: Path) -> None:
    result = _result(EXAMPLE.read_text(), tmp_path)
    assert result is not None
    assert result.complete
    assert not result.alarms


@in_exam
@pytest.mark.parametrize("name", CHANGED)
def test_no_change_is_proved(name: str, tmp_path: Path) -> None:
    text = EXAMPLE.read_text()
    assert CHANGED[name][0] in text
    result = _result(text.replace(*CHANGED[name]), tmp_path)
    assert result is None or result.alarms or not result.complete


STACK = """
#include <stdio.h>
#include <stdlib.h>
extern int nondet(void);
int main(void) {
    int n = 0, sum = 0, *last = NULL;
    int **a = malloc(8 * sizeof *a);
    if (!a) return 1;
    while (n < 8 && nondet()) {
        int *x = malloc(sizeof *x);
        if (!x) break;
        a[n] = x;
        n++;
    }
    for (int i = 0; i < n; i++)
        free(a[i]);
    free(a);
    return 0;
}
"""


def _reading_last(statement: str) -> tuple[str, str]:
    """A change that reads the block that was freed last beside another one."""
    return "free(a[i]);", f"{{ *a[i] = 1; if (last) {{ {statement}; }} last = a[i]; free(a[i]); }}"


def _taken(statements: str) -> tuple[str, str]:
    """A change that takes the elements from the end: no element has a block that is freed."""
    loop = "for (int i = 0; i < n; i++)\n        free(a[i]);"
    return loop, f"char *c = NULL;\n    while (n > 0) {{ int *x = a[--n]; *x = 1; a[n] = NULL; {statements} }}"


STACKS = {
    "": ("", ""),
    "the first one is left": ("int i = 0;", "int i = 1;"),
    "one too many": ("i < n; i++", "i <= n; i++"),
    "one is freed twice": ("free(a[i]);", "free(a[0]);"),
    "two elements have it": ("a[n] = x;", "a[n] = a[0] = x;"),
    "no room": ("n < 8 &&", "n < 9 &&"),
    "a sum with what was freed": _reading_last("sum += *a[i] + *last"),
    "a comparison with what was freed": _reading_last("if (*a[i] < *last) sum = 1"),
    "what was freed is printed": _reading_last('printf("%d %d", *a[i], *last)'),
    "an element gets a number of what was freed": _reading_last("*a[i] = *last"),
    "the index is in what was freed": _reading_last("sum += *a[*last >= 0 ? 0 : i]"),
    "a byte of what was taken and freed": _taken("if (c) sum += *c; c = (char *)x + 1; free(x);"),
    "a number of what was taken and freed": _taken("if (last) sum += *last; last = (x + 1) - 1; free(x);"),
    "the array is not freed by its start": ("    free(a);", "    free(a + 1);"),
    "the array is freed by a pointer that went on": (
        "for (int i = 0; i < n; i++)\n        free(a[i]);\n    free(a);",
        "int **p = a;\n    while (p < a + n) { free(*p); p++; }\n    free(p);",
    ),
    "a sum with NULL": ("free(a[i]);", "{ int *none = NULL; sum += *a[i] + *none; free(a[i]); }"),
    "two elements have the last": ("    for (", "    if (n > 1) a[0] = a[n - 1];\n    for ("),
    "an element behind the length is used": ("    for (", "    if (n > 0) { n--; free(a[n]); n++; }\n    for ("),
    "an element without a value is read after all others": (
        "    for (",
        "    for (int i = 0; i < n; i++) sum += *a[i];\n    if (n > 2 && n < 7) sum += *a[n];\n    for (",
    ),
    "two are taken and one is freed": ("    for (", "    if (n > 1) { n -= 2; free(a[n + 1]); }\n    for ("),
}


@pytest.mark.parametrize("name", STACKS)
def test_a_stack_is_proved_as_it_is_only(name: str, tmp_path: Path) -> None:
    result = _result(STACK.replace(*STACKS[name]) if name else STACK, tmp_path)
    proved = result is not None and result.complete and not result.alarms
    assert proved == (not name)


ADDRESSES = """
#include <stdlib.h>
extern int nondet(void);
int main(void) {
    int n = 0, *old = NULL;
    int **a = malloc(8 * sizeof *a);
    if (!a) return 1;
    while (n < 8 && nondet()) {
        int *x = malloc(sizeof *x);
        if (!x) break;
        if (old && x == old) FOUND
        a[n] = x;
        n++;
        if (nondet()) { n--; old = a[n]; free(a[n]); a[n] = NULL; }
    }
    for (int i = 0; i < n; i++)
        free(a[i]);
    free(a);
    return 0;
}
"""
KEPT = """
#include <stdlib.h>
extern int nondet(void);
static int first;
static int *kept = FIRST;
int main(void) {
    int n = 0, sum = 0;
    int **a = malloc(8 * sizeof *a);
    if (!a) return 1;
    while (n < 8 && nondet()) {
        int *x = malloc(sizeof *x);
        if (!x) break;
        *x = first;
        a[n] = x;
        n++;
    }
    if (kept) { int *none = NULL; sum += *none; }
    for (int i = 0; i < n; i++) {
        kept = a[i];
        free(a[i]);
    }
    free(a);
    return sum;
}
"""


@pytest.mark.parametrize(
    ("text", "safe", "unsafe"),
    [(ADDRESSES, "n = n;", "free(x);"), (KEPT, "NULL", "&first")],
    ids=["a later block has the address of one that was freed", "a global that is not NULL first"],
)
def test_pointers_are_equal_or_null_only_if_that_is_known(text: str, safe: str, unsafe: str, tmp_path: Path) -> None:
    """Both unsafe programs were proved: a branch that is taken was left out."""
    hole = "FOUND" if "FOUND" in text else "FIRST"
    for value, proves in ((safe, True), (unsafe, False)):
        result = _result(text.replace(hole, value), tmp_path)
        assert (result is not None and result.complete and not result.alarms) == proves
