"""Texts that go into a generic list as ``void *``: none that is no text, or not there, is proved.

In each wrong program one thing that the proof of its right twin needs does not hold. The shape analysis is asked alone,
since exploration would hide a wrong proof.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved

SECONDS = 1.5
"""Several times as long as the right programs take."""
HEAD = """#include <stdlib.h>
#include <string.h>
#include <stdio.h>
int __VERIFIER_nondet_int(void);
#define ANY __VERIFIER_nondet_int()
struct n { void *data; struct n *next; };
static struct n *top;
static void put(void *data) {
    struct n *x = malloc(sizeof *x);
    if (!x) abort();
    x->data = data; x->next = top; top = x;
}
static void *get(void) {
    struct n *x = top;
    if (!x) return NULL;
    void *data = x->data;
    top = x->next;
    free(x);
    return data;
}
static char *word(void) {
    char *t = malloc(8);
    if (!t) abort();
    for (int i = 0; i < 7; i++) t[i] = ANY;
    t[7] = 0;
    return t;
}
"""


def bag(fill: str = "put(word());", use: str = "puts(s);", test: str = "if (s) ") -> str:
    """Texts are put into a stack of anything, and used when they come back."""
    return f"int main(void) {{ while (ANY) {{ {fill} }} char *s = get(); {test}{{ {use} free(s); }} return 0; }}"


SHORT = "char *b = malloc(4); if (!b) abort(); for (int i = 0; i < 3; i++) b[i] = ANY; b[3] = 0;"


def order(condition: str, second: str = SHORT) -> str:
    """Two texts are walked together; the block of the second one is shorter."""
    return f"""int main(void) {{
    char *a = word();
    {second}
    char *x = a, *y = b;
    while ({condition}) {{ x++; y++; }}
    int r = *x - *y;
    free(a);
    free(b);
    return r;
}}"""


RIGHT = {
    "printed": bag(),
    "the last byte": bag(use="s[0] = 120; s[7] = 120;"),
    "no test where one is there": bag(fill="put(word()); break;", test="if (top) s = get(); if (s) "),
    "two sizes": bag(
        fill="if (ANY) put(word()); else { char *t = malloc(4); if (!t) abort(); put(t); }", use="s[3] = 1;"
    ),
    "a walk": order("*x && *x == *y"),
    "a walk by the other one": order("*y && *x == *y"),
}
WRONG = {
    "not tested": bag(test=""),
    "a byte behind the end": bag(use="s[8] = 120;"),
    "the smaller size": bag(
        fill="if (ANY) put(word()); else { char *t = malloc(4); if (!t) abort(); put(t); }", use="s[4] = 1;"
    ),
    "not the start": bag(fill="put(word() + 1);", use="s[7] = 120; s--;"),
    "no terminator": bag(fill="char *t = malloc(8); if (!t) abort(); memset(t, 1, 8); put(t);"),
    "the terminator is overwritten": bag(fill="char *t = word(); put(t); t[7] = 1; if (ANY) t[3] = ANY;"),
    "a number": bag(fill="int *t = malloc(sizeof *t); if (!t) abort(); *t = -1; put(t);"),
    "sometimes a number": bag(
        fill="if (ANY) put(word()); else { int *t = malloc(sizeof *t); if (!t) abort(); *t = -1; put(t); }"
    ),
    "freed before": bag(fill="char *t = word(); put(t); if (ANY) free(t);"),
    "freed and read": bag(use="free(s); s[0] = 1; s = NULL;"),
    "another one that is NULL": bag(use="char *t = get(); puts(t); free(t);"),
    "a byte of NULL": bag(use="char *t = get(); t[0] = 1; free(t);"),
    "a walk without a test": order("*x == *y"),
    "a walk to the last": order("*x && *x >= *y"),
    "a walk by either": order("*x || *x == *y"),
    "a walk of those that differ": order("*x && *x != *y"),
    "a walk by the low bits": order("*x && (*x & 15) == (*y & 15)"),
    "a walk one further": order("*x && *x == *y && x++ && y++"),
    "a walk without a terminator": order(
        "*x && *x == *y", second="char *b = malloc(4); if (!b) abort(); for (int i = 0; i < 4; i++) b[i] = ANY;"
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_programs_are_not_proved(name: str, tmp_path: Path) -> None:
    assert not is_proved(HEAD + WRONG[name] + "\n", tmp_path, SECONDS)


@pytest.mark.parametrize("name", RIGHT)
def test_right_programs_are_proved(name: str, tmp_path: Path) -> None:
    assert is_proved(HEAD + RIGHT[name] + "\n", tmp_path)
