"""Attempts without members that nothing reads, combined with others: the combination alone, at right and wrong sorting.

A doubly linked list is sorted by recursion, and no function reads the pointers back. Every change is an error.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.analysis.c.shape.analyse import analyse, analyse_by_attempt
from kleene.analysis.c.shape.attempts import ATTEMPTS
from kleene.c.reader import read_program
from kleene.passes.preparation import Prepared

SECONDS = 20.0
MOST_STRUCTURES = 20_000
"""The right program needs 3,000."""
SORT = (Path(__file__).resolve().parents[3] / "examples" / "c" / "dll" / "merge_sort.c").read_text()
COMBINED = [attempt.without_unread for attempt in ATTEMPTS if attempt.name in ("loads", "outcomes and loads")]
WRONG = {
    "the first half keeps the second one": ("slow->next = NULL;", ""),
    "the second half is lost": ("return merge(list, sort(half));", "return list;"),
    "a node is freed twice": ("if (!b)\n        return a;", "if (!b) { free(a); return a; }"),
    "the rest is lost": ("first->next = merge(a->next, b);", "first->next = b;"),
    "an empty list has no second half": ("if (!list || !list->next)", "if (list && !list->next)"),
    "the walk leaves the list": ("while (fast->next && fast->next->next)", "while (fast->next)"),
    "what leads back is read when it was freed": ("free(list);\n", "free(list); if (next) next->prev->value = 0;\n"),
    "what leads back is freed": ("list = next;\n", "list = next; if (list) free(list->prev);\n"),
    "a member that nothing reads has the only pointer": ("list->prev = fresh;", "fresh->prev = malloc(1);"),
}


def proves(folder: Path, text: str, attempt) -> bool:
    file = folder / "sort.c"
    file.write_text(text)
    known = {"malloc_may_fail": True, "seconds": SECONDS, "max_structures": MOST_STRUCTURES}
    result = analyse_by_attempt(Prepared(read_program([str(file)])), attempt, **known)
    return result is not None and result.complete and not result.alarms


@pytest.mark.parametrize("attempt", COMBINED, ids=lambda attempt: attempt.name)
def test_it_proves_sorting(tmp_path: Path, attempt) -> None:
    assert proves(tmp_path, SORT, attempt)


def test_neither_proves_sorting_alone(tmp_path: Path) -> None:
    assert not any(proves(tmp_path, SORT, a) for a in ATTEMPTS if a.name in ("unread", "loads", "outcomes and loads"))


@pytest.mark.parametrize(("old", "new"), WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("attempt", COMBINED, ids=lambda attempt: attempt.name)
def test_wrong_sorting_is_not_proved(tmp_path: Path, old: str, new: str, attempt) -> None:
    assert old in SORT
    assert not proves(tmp_path, SORT.replace(old, new), attempt)


def test_what_follows_does_without_them(tmp_path: Path) -> None:
    file = tmp_path / "sort.c"
    file.write_text(SORT)
    result = analyse(Prepared(read_program([str(file)])), malloc_may_fail=True, seconds=SECONDS)
    assert "unread and loads" in result.shape_class
