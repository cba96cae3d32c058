"""Stacks in a global array whose top is a pointer that walks: ``*top++ = x``, ``x = *--top``, up to the end.

The unsafe programs have one line changed; a compiled run with sanitizers would show each of them on many inputs.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slices import EXAM
from tests.unsafe_c.alone import is_clean, is_proved_by

STACK = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static char *stack[64], **top = stack;
static int push(void) {
    if (FULL) return -1;
    char *c = malloc(5);
    if (!c) return -1;
    *top++ = c;
    return 0;
}
static char *pop(void) { return top == stack ? NULL : *--top; }
int main(void) {
    char *s;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) { if (push() < 0) break; }
        else free(pop());
    }
    while ((s = pop())) free(s);
    return 0;
}
"""
CORRECT = ("top == stack + 64", "top >= stack + 64", "stack + 64 <= top", "!(top < stack + 64)")
CHANGED = {
    "never full": ("FULL", "0"),
    "one element too many": ("FULL", "top == stack + 65"),
    "tested behind the end": ("FULL", "top > stack + 64"),
    "before the first": ("top == stack ? NULL : *--top", "*--top"),
    "the first is lost": ("top == stack ? NULL", "top == stack + 1 ? NULL"),
    "the last is lost": ("*--top;", "top - stack > 1 ? *--top : NULL;"),
    "the top is not moved": ("*--top;", "*(top - 1);"),
    "behind the top": ("*top++ = c;", "*++top = c;"),
    "a step too far": ("*--top;", "*(top -= 2);"),
    "the top is set back": ("    while ((s", "    top = stack;\n    while ((s"),
    "an element is overwritten": ("*top++ = c;", "*top = c;"),
    "a pointer before the array": ("    char *s;\n", "    char *s; if (__VERIFIER_nondet_int()) top--;\n"),
}
FULL = CORRECT[1]


def _is_proved(text: str, folder: Path) -> bool:
    return is_clean(text, folder) if EXAM else is_proved_by("zeros", text, folder)


@pytest.mark.parametrize("test", CORRECT)
def test_a_stack_by_a_walking_pointer_is_proved(test: str, tmp_path: Path) -> None:
    assert _is_proved(STACK.replace("FULL", test), tmp_path)


@pytest.mark.parametrize("name", CHANGED)
def test_a_changed_stack_is_not_proved(name: str, tmp_path: Path) -> None:
    old, new = CHANGED[name]
    assert STACK.count(old) == 1
    assert not _is_proved(STACK.replace(old, new).replace("FULL", FULL), tmp_path)
