"""Searches that halve a range of indices: in bounds as written, and with one place changed outside in some run."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved_by

SEARCH = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int a[8] = {0};
    int low = 0, high = 8, key = __VERIFIER_nondet_int();
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (a[middle] == key) return 0;
        if (a[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}
"""
RIGHT = {
    "by the sum": ("low + (high - low) / 2", "(low + high) / 2"),
    "by thirds": ("(high - low) / 2", "(high - low) / 3"),
    "up to the last one": ("high = 8", "high = 7"),
}
WRONG = {
    "up to one too many": ("high = 8", "high = 9"),
    "with the end": ("low < high", "low <= high"),
    "the end of the range": ("(high - low) / 2", "(high - low) / 1"),
    "rounded up": ("low + (high - low) / 2", "low + (high - low + 1) / 2"),
    "from below the array": ("low = 0", "low = -8"),
    "rounded to 0": ("low + (high - low) / 2", "(low - 8 + high - 8) / 2 + 8"),
    "one step too far": ("high = middle", "high = middle + 2"),
}
BSEARCH = """
#include <stdlib.h>
static int compare(const void *x, const void *y) { return *(const int *)x - *(const int *)y; }
int main(void) {
    int a[8] = {0}, key = 3;
    int *hit = bsearch(&key, a, 8, sizeof *a, compare);
    if (hit) *hit = 4;
    return 0;
}
"""


def test_a_search_is_proved(tmp_path: Path) -> None:
    """The end of the range was an index that it may read, as far as was known."""
    assert is_proved_by("plain", SEARCH, tmp_path)


@pytest.mark.parametrize("name", RIGHT)
def test_another_search_is_proved(name: str, tmp_path: Path) -> None:
    assert is_proved_by("plain", SEARCH.replace(*RIGHT[name]), tmp_path)


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_search_is_not(name: str, tmp_path: Path) -> None:
    assert SEARCH.count(WRONG[name][0]) == 1
    assert not is_proved_by("plain", SEARCH.replace(*WRONG[name]), tmp_path)


@pytest.mark.parametrize(("count", "proved"), [("8", True), ("9", False)])
def test_bsearch_reads_elements_only(count: str, proved: bool, tmp_path: Path) -> None:
    assert is_proved_by("plain", BSEARCH.replace("a, 8", f"a, {count}"), tmp_path) == proved
