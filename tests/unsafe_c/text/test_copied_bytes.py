"""Blocks of bytes that `memset` and `memcpy` fill, with no other access that moves by a variable: the shape
analysis, alone, proves the program as it is only.

Each change copies or sets too many bytes, from or to a block that ended, or loses a block: compiled runs show it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved

COPIES = """
#include <stdlib.h>
#include <string.h>
extern int nondet(void);
struct blob { struct blob *link; size_t size; void *bytes; };
int main(void) {
    struct blob *head = 0, *next;
    while (nondet()) {
        size_t size = (unsigned)nondet();
        char *data = malloc(size);
        struct blob *b = malloc(sizeof *b);
        if (!data || !b) { free(data); free(b); continue; }
        memset(data, 0, size);
        b->bytes = malloc(size ? size : 1);
        if (!b->bytes) { free(data); free(b); continue; }
        memcpy(b->bytes, data, size);
        free(data);
        b->size = size;
        b->link = head;
        head = b;
    }
    for (; head; head = next) { next = head->link; free(head->bytes); free(head); }
    return 0;
}
"""
WRONG = {
    "a shorter target": ("malloc(size ? size : 1)", "malloc(size / 2)"),
    "a shorter source": ("*data = malloc(size)", "*data = malloc(size / 2)"),
    "one byte too many": ("memcpy(b->bytes, data, size)", "memcpy(b->bytes, data, size + 1)"),
    "a target that begins later": ("memcpy(b->bytes,", "memcpy((char *)b->bytes + 1,"),
    "one byte too many is set": ("memset(data, 0, size)", "memset(data, 0, size + 1)"),
    "a source that has ended": (
        "memcpy(b->bytes, data, size);\n        free(data);",
        "free(data); memcpy(b->bytes, data, size);",
    ),
    "a target that has ended": ("memcpy(b->bytes, data", "free(b->bytes); memcpy(b->bytes, data"),
    "bytes that are lost": ("free(head->bytes);", ""),
    "two owners": ("free(data);\n        b->size", "free(b->bytes); b->bytes = data; free(data);\n        b->size"),
}


def test_blocks_of_bytes_are_proved(tmp_path: Path) -> None:
    assert is_proved(COPIES, tmp_path)


@pytest.mark.parametrize("name", WRONG)
def test_wrong_copies_are_not_proved(name: str, tmp_path: Path) -> None:
    old, new = WRONG[name]
    assert old in COPIES
    assert not is_proved(COPIES.replace(old, new), tmp_path)
