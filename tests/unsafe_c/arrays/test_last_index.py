"""Loops up to the last index of an array, which a member keeps in place of the length: ``i <= mask``.

The unsafe programs have one line changed; a compiled run with AddressSanitizer would show each of them on many inputs.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slices import EXAM

from kleene.analysis.c.shape import analyse as shape_analysis
from kleene.analysis.c.shape.analyse import analyse
from kleene.analysis.c.shape.attempts import ATTEMPTS
from kleene.c.reader import read_program
from kleene.core.verdict import kinds_of
from kleene.passes.preparation import Prepared

KINDS = kinds_of(["memsafety", "memcleanup"])
SECONDS = 60.0
QUICK = ("plain", "zeros")
"""The attempts that prove the correct programs; the exam makes all of them."""
TABLE = """
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
struct item { struct item *next; };
struct table { struct item **slots; unsigned mask; };
int main(void) {
    struct table t;
    unsigned i, n = 64;
    t.slots = calloc(n, sizeof *t.slots);
    if (!t.slots) return 1;
    t.mask = n - 1;
    while (__VERIFIER_nondet_uint()) {
        struct item *x = malloc(sizeof *x);
        unsigned k = __VERIFIER_nondet_uint() & t.mask;
        if (!x) break;
        x->next = t.slots[k];
        t.slots[k] = x;
    }
    for (i = 0; i <= t.mask; i++)
        while (t.slots[i]) { struct item *x = t.slots[i]; t.slots[i] = x->next; free(x); }
    free(t.slots);
    return 0;
}
"""
CHANGED = {
    "the last list is lost": ("i <= t.mask", "i < t.mask"),
    "one index too many": ("i <= t.mask", "i <= t.mask + 1"),
    "the first list is lost": ("i = 0; i", "i = 1; i"),
    "a mask that is the length": ("t.mask = n - 1", "t.mask = n"),
    "a mask that is too small at the end": ("    for (i", "    t.mask--;\n    for (i"),
    "another number than the mask": ("i <= t.mask", "i <= (t.mask >> 1)"),
    "a mask that wraps": ("n = 64", "n = 0"),
}


@pytest.fixture(autouse=True)
def few_attempts(monkeypatch: pytest.MonkeyPatch) -> None:
    if not EXAM:
        monkeypatch.setattr(shape_analysis, "ATTEMPTS", tuple(a for a in ATTEMPTS if a.name in QUICK))


def _is_proved(text: str, folder: Path) -> bool:
    path = folder / "program.c"
    path.write_text(text, encoding="utf-8")
    result = analyse(Prepared(read_program([str(path)])), malloc_may_fail=True, seconds=SECONDS, kinds=KINDS)
    return result.complete and not result.alarms


def test_a_loop_up_to_the_last_index_comes_to_the_end(tmp_path: Path) -> None:
    assert _is_proved(TABLE, tmp_path)


@pytest.mark.parametrize("name", CHANGED)
def test_a_changed_loop_is_not_proved(name: str, tmp_path: Path) -> None:
    old, new = CHANGED[name]
    assert TABLE.count(old) == 1
    assert not _is_proved(TABLE.replace(old, new), tmp_path)
