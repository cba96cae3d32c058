"""Elements that move in an array of owned pointers: the attempt `owned`, alone, proves the programs as they are only.

Removal by the last element, by a loop and by `memmove`, insertion by both, and a stack with a pointer to its top. Each
change makes a block be lost, used or freed again, or an index be outside: compiled runs show it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved_by

VECTOR = """
#include <stdlib.h>
#include <string.h>
extern int nondet(void);
struct item { int id; };
int main(void) {
    struct item **a = malloc(12 * sizeof *a);
    size_t n = 0, i;
    if (!a) return 1;
    while (nondet()) {
        size_t at = (size_t)nondet();
        if (nondet()) {
            struct item *x;
            if (n == 12) break;
            x = malloc(sizeof *x);
            if (!x) break;
            PUT
        } else if (at < n) {
            free(a[at]);
            TAKE
        }
    }
    for (i = 0; i < n; i++) free(a[i]);
    free(a);
    return 0;
}
"""
PUT = "a[n++] = x;"
PUT_LOOP = "if (at > n) at = n; for (i = n; i > at; i--) a[i] = a[i - 1]; a[at] = x; n++;"
PUT_MOVE = "if (at > n) at = n; memmove(a + at + 1, a + at, (n - at) * sizeof *a); a[at] = x; n++;"
LAST = "a[at] = a[n - 1]; n--;"
LOOP = "for (i = at; i < n - 1; i++) a[i] = a[i + 1]; n--;"
MOVE = "memmove(a + at, a + at + 1, (n - at - 1) * sizeof *a); n--;"
RIGHT = {
    "the last": (PUT, LAST),
    "a loop": (PUT, LOOP),
    "memmove": (PUT, MOVE),
    "insertion by a loop": (PUT_LOOP, LAST),
    "insertion by memmove": (PUT_MOVE, LAST),
}
WRONG = {
    "the element stays": (PUT, "n--;"),
    "the length stays": (PUT, "a[at] = a[n - 1];"),
    "the one behind the last": (PUT, "a[at] = a[n]; n--;"),
    "the first": (PUT, "a[at] = a[0]; n--;"),
    "a loop from behind": (PUT, LOOP.replace("i = at", "i = at + 1")),
    "a loop that ends early": (PUT, LOOP.replace("n - 1", "n - 2")),
    "a loop that ends late": (PUT, LOOP.replace("i < n - 1", "i <= n - 1")),
    "a loop downwards": (PUT, "for (i = n - 1; i > at; i--) a[i - 1] = a[i]; n--;"),
    "memmove of one too few": (PUT, MOVE.replace("n - at - 1", "n - at - 2")),
    "memmove of one too many": (PUT, MOVE.replace("n - at - 1", "n - at")),
    "memmove the other way": (PUT, MOVE.replace("a + at, a + at + 1", "a + at + 1, a + at")),
    "memmove of bytes": (PUT, MOVE.replace(" * sizeof *a", "")),
    "insertion that overwrites": (PUT_LOOP.replace("i > at", "i > at + 1"), LAST),
    "insertion upwards": ("if (at > n) at = n; for (i = at; i < n; i++) a[i + 1] = a[i]; a[at] = x; n++;", LAST),
    "insertion by memmove of one too few": (PUT_MOVE.replace("(n - at)", "(n - at - 1)"), LAST),
    "insertion behind the end": (PUT_MOVE.replace("if (at > n) at = n;", ""), LAST),
    "insertion without room": (PUT_MOVE.replace("n++;", "n++; if (n == 12) n--;"), LAST),
}


@pytest.mark.parametrize("name", [*RIGHT, *WRONG])
def test_elements_that_move(name: str, tmp_path: Path) -> None:
    put, take = {**RIGHT, **WRONG}[name]
    assert is_proved_by("owned", VECTOR.replace("PUT", put).replace("TAKE", take), tmp_path) == (name in RIGHT)


STACK = """
#include <stdlib.h>
extern int nondet(void);
static int *stack[64];
static int **sp = stack;
int main(void) {
    while (nondet()) {
        int *x = malloc(sizeof *x);
        if (!x) break;
        if (sp < stack + 64) *sp++ = x; else free(x);
        if (nondet() && sp > stack) free(*--sp);
    }
    while (sp > stack) free(*--sp);
    return 0;
}
"""
STACKS = {
    "": ("", ""),
    "no room": ("stack + 64", "stack + 65"),
    "below the first": ("while (sp > stack) free", "while (sp >= stack) free"),
    "one is left": ("while (sp > stack) free", "while (sp > stack + 1) free"),
    "the top is freed and stays": ("free(*--sp);\n    }", "free(*(sp - 1));\n    }"),
}


@pytest.mark.parametrize("name", STACKS)
def test_a_stack_that_begins_at_its_array(name: str, tmp_path: Path) -> None:
    assert is_proved_by("owned", STACK.replace(*STACKS[name]) if name else STACK, tmp_path) == (not name)


BEGINNING = """
#include <stdlib.h>
static int x, *stack[64];
static struct { int **at; } top = { stack };
int main(void) {
    int n, m;
    for (n = 0; n < 64; n++) { m = n; stack[m] = &x; }
    if (top.at) *top.at = NULL;
    for (n = 0; n < 64; n++) { m = n; *stack[m] = 1; }
    return 0;
}
"""


def test_a_global_that_begins_at_an_array_is_not_null(tmp_path: Path) -> None:
    assert not is_proved_by("plain", BEGINNING, tmp_path)
    assert is_proved_by("plain", BEGINNING.replace("*top.at = NULL", "*top.at = &x"), tmp_path)
