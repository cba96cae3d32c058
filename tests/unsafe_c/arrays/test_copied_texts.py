"""A stack of texts that are copied by `strcpy`: the attempt `owned`, alone, proves it as it is only.

A copy of the heap and the array on the stack from which it comes are no one text, whatever is known of the block. Where
they may be one, `strcpy` copies a text to itself, which is an error.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slices import EXAM
from tests.unsafe_c.alone import is_proved_by
from tests.unsafe_c.compiled import fails_in_a_run, needs_gcc, written

STACK = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct stack { void *st[64]; int top; };
int main(void) {
    char word[32];
    struct stack *s = malloc(sizeof *s);
    if (!s) return 1;
    s->top = -1;
    while (scanf("%31s", word) == 1) {
        if (word[0] == '-') {
            if (s->top >= 0) free(s->st[s->top--]);
            continue;
        }
        char *w = malloc(strlen(word) + 1);
        if (!w) break;
        strcpy(w, word);
        if (s->top == 63) { free(w); break; }
        s->st[++s->top] = w;
    }
    while (s->top >= 0) free(s->st[s->top--]);
    free(s);
    return 0;
}
"""
CHANGED = {
    "no place for the terminator": ("strlen(word) + 1", "strlen(word)"),
    "a text that is copied to itself": ("strcpy(w, word)", "strcpy(w, word); strcpy(w, w)"),
    "a text that may be copied to itself": (
        "strcpy(w, word)",
        'strcpy(w, word); strcpy(w, word[0] == "a"[0] ? w : word)',
    ),
    "a full stack": ("s->top == 63", "s->top == 64"),
    "the first is not freed": ("while (s->top >= 0) free", "while (s->top > 0) free"),
    "one that is taken stays": (
        "free(s->st[s->top--]);\n            continue",
        "free(s->st[s->top]);\n            continue",
    ),
}
RUN = "".join(f"word{n} " for n in range(70))


def test_a_stack_of_copied_texts_is_proved(tmp_path: Path) -> None:
    """A block that is not followed was possibly the array from which it is copied."""
    assert is_proved_by("owned", STACK, tmp_path)


@pytest.mark.parametrize("name", CHANGED if EXAM else list(CHANGED)[2:3])
def test_no_change_is_proved(name: str, tmp_path: Path) -> None:
    assert CHANGED[name][0] in STACK
    assert not is_proved_by("owned", STACK.replace(*CHANGED[name]), tmp_path)


@needs_gcc
@pytest.mark.parametrize("name", CHANGED)
def test_the_changed_programs_fail_in_a_run(name: str, tmp_path: Path) -> None:
    program = written(STACK.replace(*CHANGED[name]), tmp_path)
    runs = ("a b c d", "a - b -", RUN)
    assert any(fails_in_a_run(program, text=text, leaks=True) for text in runs)
