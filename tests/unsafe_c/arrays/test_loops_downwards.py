"""Loops from the last element of an array of lists to the first one.

The unsafe programs have one line changed; a compiled run with AddressSanitizer would show each of them on many inputs.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slices import EXAM
from tests.unsafe_c.alone import is_clean, is_proved_by

TABLE = """
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
struct item { struct item *next; };
int main(void) {
    unsigned m = __VERIFIER_nondet_uint();
    TYPE i, n = m % 50 + 1;
    struct item **a = calloc(n, sizeof *a);
    if (!a) return 1;
    while (__VERIFIER_nondet_uint()) {
        struct item *x = malloc(sizeof *x);
        TYPE k = __VERIFIER_nondet_uint() % 1000u;
        if (!x) break;
        k = k % n;
        x->next = a[k];
        a[k] = x;
    }
    LOOP
        while (a[i]) { struct item *x = a[i]; a[i] = x->next; free(x); }
    free(a);
    return 0;
}
"""
SIGNED, UNSIGNED = "int", "size_t"
CORRECT = {
    "down to 0": (SIGNED, "for (i = n - 1; i >= 0; i--)"),
    "down to more than -1": (SIGNED, "for (i = n - 1; i > -1; --i)"),
    "up to -1": (SIGNED, "for (i = n - 1; i != -1; i -= 1)"),
    "from the length": (SIGNED, "for (i = n; i-- > 0;)"),
    "from the length, without a sign": (UNSIGNED, "for (i = n; i-- > 0;)"),
    "while it counts": (UNSIGNED, "i = n; while (i--)"),
}
CHANGED = {
    "the first list is lost": (SIGNED, "for (i = n - 1; i > 0; i--)"),
    "the last list is lost": (SIGNED, "for (i = n - 2; i >= 0; i--)"),
    "one index too many": (SIGNED, "for (i = n; i >= 0; i--)"),
    "below the first": (SIGNED, "for (i = n - 1; i >= -1; i--)"),
    "every second list": (SIGNED, "for (i = n - 1; i >= 0; i -= 2)"),
    "another number than the length": (SIGNED, "for (i = n / 2; i >= 0; i--)"),
    "a length that changed": (SIGNED, "if (n > 1) n--; for (i = n - 1; i >= 0; i--)"),
    "before the first, by one step": (SIGNED, "i = 0; if (!a[i]) { i--; if (a[i]) a[i] = 0; } for (i = 0; i < n; i++)"),
    "an address before the first": (
        SIGNED,
        "{ struct item **p; i = n - 1; while (i >= 0) i--; p = &a[i]; if (i < 0) free(p); } for (i = 0; i < n; i++)",
    ),
    "a number below 0 is tested": (
        SIGNED,
        "for (i = n - 1; i >= 0; i--) if (!a[i]) break;\n    if (i < 0) free(a);\n    for (i = n - 1; i >= 0; i--)",
    ),
    "it ends early": (SIGNED, "for (i = n - 1; i >= 0 && __VERIFIER_nondet_uint(); i--)"),
    "a number that wraps": (UNSIGNED, "for (i = n - 1; i >= 0; i--)"),
    "the last list is lost, without a sign": (UNSIGNED, "for (i = n - 1; i-- > 0;)"),
    "the first list is lost, without a sign": (UNSIGNED, "for (i = n; --i > 0;)"),
    "up to 1, without a sign": (UNSIGNED, "for (i = n; i-- > 1;)"),
    "the length of another array": (
        SIGNED,
        "i = n - 1; { struct item **b = realloc(a, (n + 3) * sizeof *b); if (b) { a = b; while (n < 2) n++; } }"
        " for (; i >= 1; i--)",
    ),
    "an array that has grown": (
        UNSIGNED,
        "i = n; { struct item **b = realloc(a, (n + 1) * sizeof *b); if (b) { a = b; a[n] = malloc(sizeof **a);"
        " if (a[n]) a[n]->next = 0; } } while (i--)",
    ),
}
PROVING = ("zeros",)
"""The attempt that proves the correct programs; the exam makes all of them together."""


def _text(type_: str, loop: str) -> str:
    return TABLE.replace("TYPE", type_).replace("LOOP", loop)


def _is_proved(text: str, folder: Path) -> bool:
    return is_clean(text, folder) if EXAM else any(is_proved_by(name, text, folder) for name in PROVING)


@pytest.mark.parametrize("name", CORRECT)
def test_a_loop_down_to_the_first_element_frees_all_lists(name: str, tmp_path: Path) -> None:
    assert _is_proved(_text(*CORRECT[name]), tmp_path)


@pytest.mark.parametrize("name", CHANGED)
def test_a_changed_loop_is_not_proved(name: str, tmp_path: Path) -> None:
    assert not _is_proved(_text(*CHANGED[name]), tmp_path)
