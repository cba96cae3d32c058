"""`argv` behind tests of `argc` on another way: the shape analysis, alone, proves the right programs only.

The number of arguments is one of the program's numbers: an element is NULL iff its index is that number. Each wrong
program reads an element that is not there, or takes the NULL behind the last one for a text.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved

CHOSEN = """
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int z, *p = &z;
    if (argc > 1) p = malloc(sizeof *p);
    if (!p) { puts(argv[1]); return 1; }
    if (p != &z) free(p);
    return 0;
}
"""
MOVED = """
#include <stdio.h>
int main(int argc, char **argv) {
    int given = 0;
    if (argc >= 2) given = 1;
    for (int i = 0; i < 3; i++)
        if (given) puts(argv[1]);
    return argv[argc] != NULL;
}
"""
RIGHT = {"chosen": CHOSEN, "moved": MOVED}
WRONG = {
    "any count": (CHOSEN, "argc > 1", "argc > 0"),
    "the next one": (CHOSEN, "argv[1]", "argv[2]"),
    "the other way": (CHOSEN, "argc > 1", "argc <= 1"),
    "one less is compared": (CHOSEN, "    int z,", "    argc++; int z,"),
    "a count that changes later": (CHOSEN, "    if (!p)", "    argc = 5; argv++; if (!p)"),
    "argv is moved": (CHOSEN, "    if (!p)", "    argv++; if (!p)"),
    "by its address": (CHOSEN, "    int z,", "    int *count = &argc; *count = 2; int z,"),
    "a constant": (MOVED, "argc >= 2", "argc >= 1"),
    "another test": (MOVED, "if (given)", "if (given || i == 2)"),
    "behind the end": (MOVED, "argv[argc]", "argv[argc + 1]"),
}


@pytest.mark.parametrize("name", [*RIGHT, *WRONG])
def test_elements_of_argv(name: str, tmp_path: Path) -> None:
    text = RIGHT.get(name)
    if text is None:
        text, old, new = WRONG[name]
        assert old in text
        text = text.replace(old, new)
    assert is_proved(text, tmp_path) == (name in RIGHT)
