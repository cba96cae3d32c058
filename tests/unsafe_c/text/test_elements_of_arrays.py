"""Texts that are made, tested and filled by way of an element of a variable index: what is written between ends it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import alarms_by

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct set { int n; char *items[4]; };
static void put(char **at, int n) { at[n] = NULL; }
int main(void) {
    struct set s, t;
    char buf[80], **names = s.items, **other = s.items, *small = malloc(1);
    int n = 0, k = 0;
    if (!small) return 1;
    small[0] = 0;
    t.n = 0;
    for (int i = 0; i < 4; i++) { s.items[i] = small; t.items[i] = small; }
    if (!fgets(buf, sizeof buf, stdin) || scanf("%d %d", &n, &k) != 2) return 1;
    if (n < 0 || n >= 3 || k < 0 || k >= 3) return 1;
    MADE = malloc(strlen(buf) + 1);
    if (!MADE) return 1;
    BETWEEN
    strcpy(MADE, buf);
    puts(MADE);
    return 0; /* all blocks are lost, in each of these programs */
}
"""
BETWEEN = {
    "the next element": "n++;",
    "an element that may be the same": "s.items[k] = small;",
    "an element that may be the same, by a pointer": "other[k] = small;",
    "an element that is the same": "*(other + n) = small;",
    "the first element": "*other = small;",
    "a copy of the struct": "s = t;",
    "zeros": "memset(s.items, 0, sizeof s.items);",
    "copied bytes": "memcpy(s.items, t.items, sizeof s.items);",
    "the end of the block": "free(s.items[n]);",
    "a function": "put(s.items, k);",
    "a longer text": "memset(buf, 97, sizeof buf - 1); buf[sizeof buf - 1] = 0;",
}


ERRORS = {"null_dereference", "dangling_dereference", "out_of_bounds", "uninitialized_pointer"}


@pytest.mark.parametrize("made", ["s.items[n]", "names[n]"])
def test_a_text_that_is_filled_by_its_element_fits(made: str, tmp_path: Path) -> None:
    """Each read of the element gave another pointer: it may have been NULL, and had no room."""
    for between in ("", "k++; n += 2; n -= 2;"):
        assert _errors(made, between, tmp_path) == set()


@pytest.mark.parametrize("made", ["s.items[n]", "names[n]"])
@pytest.mark.parametrize("between", BETWEEN)
def test_what_is_written_between_is_not_left_out(made: str, between: str, tmp_path: Path) -> None:
    assert _errors(made, BETWEEN[between], tmp_path)


def _errors(made: str, between: str, folder: Path) -> set[str]:
    """The alarms of a complete run that say that an access is wrong."""
    found = alarms_by("plain", PROGRAM.replace("MADE", made).replace("BETWEEN", between), folder)
    assert found is not None
    return found & ERRORS
