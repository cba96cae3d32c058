"""Rings of owned pointers, by two indices, by a count, and by indices that run freely.

The attempt `owned`, alone, proves them as they are only.

Each change makes a block be lost, used or freed again, or an index be outside.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slices import in_exam

from kleene.analysis.c.shape.analyse import analyse_by_attempt
from kleene.analysis.c.shape.attempts import ATTEMPTS
from kleene.c.reader import read_program
from kleene.passes.preparation import Prepared

OWNED = next(attempt for attempt in ATTEMPTS if attempt.name == "owned")
SECONDS = 40.0
"""Twenty times what the proofs take: a ring that is wrong uses all of it."""
START = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static int *ring[16];
"""
INDICES = """
int main(void) {
    unsigned head = 0, tail = 0;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) {
            unsigned next = (tail + 1) % 16;
            if (next != head) {
                int *m = malloc(sizeof *m);
                if (!m) break;
                ring[tail] = m;
                tail = next;
            }
        } else if (head != tail) {
            free(ring[head]);
            head = (head + 1) % 16;
        }
    }
    while (head != tail) {
        free(ring[head]);
        head = (head + 1) & 15;
    }
    return 0;
}
"""
CHANGED_INDICES = {
    "": ("", ""),
    "no test whether it is full": ("if (next != head) {", "{"),
    "full is tested by the wrong index": ("next != head", "tail + 1 != head"),
    "a ring that is too large": ("(tail + 1) % 16", "(tail + 1) % 17"),
    "a ring that goes round early": ("(head + 1) % 16", "(head + 1) % 15"),
    "the last elements are not freed": ("(head + 1) & 15", "(head + 2) & 15"),
    "one is freed that is kept": ("            head = (head + 1) % 16;", "            head = head % 16;"),
    "the first is not taken": ("while (head != tail) {\n        free(ring[head]);", "while (head != tail) {"),
    "a number that is narrowed before it is compared": ("next != head", "(unsigned char)(next + 256) != head + 256"),
}
COUNT = """
int main(void) {
    int first = 0, count = 0;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) {
            if (count < 16) {
                int *m = malloc(sizeof *m);
                if (!m) break;
                ring[(first + count) % 16] = m;
                count++;
            }
        } else if (count > 0) {
            free(ring[first]);
            first = (first + 1) % 16;
            count--;
        }
    }
    while (count > 0) {
        free(ring[first]);
        first = (first + 1) % 16;
        count--;
    }
    return 0;
}
"""
CHANGED_COUNT = {
    "": ("", ""),
    "one too many": ("count < 16", "count <= 16"),
    "the end is one more": ("(first + count) % 16", "(first + count + 1) % 16"),
    "the end does not go round": ("ring[(first + count) % 16]", "ring[first + count]"),
    "the count stays": ("            count--;\n        }\n    }", "        }\n    }"),
    "one is left": ("while (count > 0) {", "while (count > 1) {"),
    "the first stays": ("            first = (first + 1) % 16;\n            count--;", "            count--;"),
}


FREE = """
static unsigned head, tail;
static int put(int *m) {
    if (head - tail == 16) return 0;
    ring[head++ & 15] = m;
    return 1;
}
static int *get(void) { return head == tail ? NULL : ring[tail++ & 15]; }
int main(void) {
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) {
            int *m = malloc(sizeof *m);
            if (!m) break;
            if (!put(m)) free(m);
        } else
            free(get());
    }
    while (head - tail > 0) free(get());
    return 0;
}
"""
CHANGED_FREE = {
    "": ("", ""),
    "one too many": ("head - tail == 16", "head - tail == 17"),
    "any number": ("if (head - tail == 16) return 0;", ""),
    "one is left": ("head - tail > 0", "head - tail > 1"),
    "the end goes round early": ("head++ & 15", "head++ & 7"),
    "both go round early": ("& 15", "& 7"),
    "the start is taken again": ("ring[tail++ & 15]", "ring[tail & 15]"),
    "the one behind the start": ("ring[tail++ & 15]", "ring[++tail & 15]"),
    "the ring is emptied at once": ("if (!put(m)) free(m);", "if (!put(m)) { tail = head; free(m); }"),
    "the end is at the start": ("if (!put(m)) free(m);", "if (!put(m)) { head = 0; tail = 0; free(m); }"),
    "the indices are exchanged": ("while (head - tail", "unsigned t = head; head = tail; tail = t; while (head - tail"),
}


def _is_proved(text: str, folder: Path) -> bool:
    path = folder / "changed.c"
    path.write_text(START + text)
    result = analyse_by_attempt(Prepared(read_program([str(path)])), OWNED, malloc_may_fail=True, seconds=SECONDS)
    return result is not None and result.complete and not result.alarms


def _changed(text: str, change: tuple[str, str]) -> str:
    assert change[0] in text
    return text.replace(*change, 1) if change[0] else text


@in_exam
@pytest.mark.parametrize("name", CHANGED_INDICES)
def test_a_ring_by_two_indices_is_proved_as_it_is_only(name: str, tmp_path: Path) -> None:
    assert _is_proved(_changed(INDICES, CHANGED_INDICES[name]), tmp_path) == (not name)


@in_exam
@pytest.mark.parametrize("name", CHANGED_COUNT)
def test_a_ring_by_a_count_is_proved_as_it_is_only(name: str, tmp_path: Path) -> None:
    assert _is_proved(_changed(COUNT, CHANGED_COUNT[name]), tmp_path) == (not name)


@in_exam
@pytest.mark.parametrize("name", CHANGED_FREE)
def test_a_ring_by_indices_that_run_freely_is_proved_as_it_is_only(name: str, tmp_path: Path) -> None:
    change = CHANGED_FREE[name]
    text = FREE.replace(*change) if name == "both go round early" else _changed(FREE, change)
    assert _is_proved(text, tmp_path) == (not name)
