"""Blocks of numbers that a pointer walks up to a limit, beside a list: `q < end` compares pointers into one block."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved

WALK = """
#include <stdlib.h>
extern int nondet(void);
struct node { struct node *next; };
int main(void) {
    struct node *list = 0;
    while (nondet()) {
        struct node *node = malloc(sizeof *node);
        if (!node) break;
        node->next = list;
        list = node;
    }
    while (list) { struct node *next = list->next; free(list); list = next; }
    char *begin = malloc(16), *at, *end;
    if (!begin) return 1;
    end = begin + 16;
    for (at = begin; at < end; at++) *at = 0;
    at = begin;
    while (at < end) *at++ = 1;
    free(begin);
    return 0;
}
"""
CHANGED = {
    "one more": ("at < end; at++", "at <= end; at++"),
    "one before": ("at = begin;\n", "at = begin - 1;\n"),
    "a limit behind the end": ("begin + 16", "begin + 17"),
    "a smaller block": ("malloc(16)", "malloc(15)"),
    "another start": ("free(begin)", "free(at)"),
    "freed before": ("    while (at < end)", "    free(begin);\n    while (at < end)"),
}


def test_the_walk_is_proved(tmp_path: Path) -> None:
    """Beside a list, a pointer that only steps by one could point to too many places."""
    assert is_proved(WALK, tmp_path)


@pytest.mark.parametrize("name", CHANGED)
def test_no_change_is_proved(name: str, tmp_path: Path) -> None:
    old, new = CHANGED[name]
    assert WALK.count(old) == 1
    assert not is_proved(WALK.replace(old, new), tmp_path)
