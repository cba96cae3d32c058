"""Pools whose free elements are a list inside a global array: proved, and no change that leaves the array is.

The shape analysis is asked alone (`passes/elements/global_arrays.py`): exploration shows most of these errors too.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved, is_proved_by

LINKS = "for (int i = 0; i < N - 1; i++) items[i].next = &items[i + 1];"
POOL = """
extern int nondet(void);
enum { N = 64 };
struct item { struct item *next; int value; };
static struct item items[N];
static struct item *spare;
int main(void) {
    struct item *held = 0;
    LINKS
    spare = &items[0];
    while (nondet()) {
        struct item *item = spare;
        if (item) { spare = item->next; item->next = held; held = item; }
        if (nondet() && held) { item = held; held = item->next; item->next = spare; spare = item; }
    }
    return 0;
}
"""
RIGHT = {
    "upwards": LINKS,
    "by another index": "for (int i = 1; i < N; i++) { int j = i - 1; items[j].next = &items[j + 1]; }",
    "the last by name": LINKS + " items[N - 1].next = 0;",
}
WRONG = {
    "one link too many": LINKS.replace("N - 1", "N"),
    "from before the first": LINKS.replace("i = 0", "i = -1"),
    "the next but one": LINKS.replace("i + 1", "i + 2"),
    "the last leads out": LINKS + " items[N - 1].next = &items[N];",
    "an index that wraps": (
        "for (unsigned char i = 0; i < N; i++) { unsigned char j = i + 255; items[i].next = &items[j]; }"
    ),
}


@pytest.mark.parametrize("name", [*RIGHT, *WRONG])
def test_links_in_an_array(name: str, tmp_path: Path) -> None:
    text = POOL.replace("LINKS", {**RIGHT, **WRONG}[name])
    assert is_proved(text, tmp_path) == (name in RIGHT)


MOVED = """
extern int nondet(void);
struct item { struct item *next; long value; };
struct two { struct item one, other; };
static struct item items[64];
int main(void) {
    struct item *item = &items[0];
    int number = 1, *none = 0;
    MOVE
    if (items[number].next) *none = 1;
    return 0;
}
"""
MOVES = {
    "by an index": "item[1].next = item;",
    "by a larger struct": "((struct two *)item)->other.next = item;",
    "by bytes": "*(struct item **)((char *)item + 16) = item;",
    "by a void pointer": "void *at = item; *((struct item **)at + 2) = item;",
    "by a union": "union { struct item *item; struct two *two; } at; at.item = item; at.two->other.next = item;",
}


@pytest.mark.parametrize("name", MOVES)
def test_a_pointer_to_an_element_leads_to_the_next_one(name: str, tmp_path: Path) -> None:
    """It wrote the link between slots: what came behind it was taken for impossible, and the error with it."""
    assert not is_proved_by("plain", MOVED.replace("MOVE", MOVES[name]), tmp_path)
