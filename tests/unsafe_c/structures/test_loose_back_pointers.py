"""Cells that are called `parent` but lead back from few nodes: the attempt `loose` on its own proves no wrong program.

In each wrong program what the attempt forgets of the cells would matter: a parent that is freed, or not set, or NULL
where it is read, or the only pointer to its block.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved_by
from tests.unsafe_c.compiled import fails_in_a_run, needs_gcc, written

EXAMPLES = Path(__file__).parents[3] / "examples" / "c" / "nested"
MANAGERS = (EXAMPLES / "managers.c").read_text(encoding="utf-8")
STUDENTS = (EXAMPLES / "students.c").read_text(encoding="utf-8")
SETS = (EXAMPLES / "union_find.c").read_text(encoding="utf-8")
WRONG_SETS = {
    "the parent is not set": ("            e->parent = e;\n", ""),
    "the parent is NULL": ("e->parent = e;", "e->parent = NULL;"),
    "a parent is freed": (
        "if (other) unite(all, other);",
        "if (other) unite(all, other);\n"
        "            if (all->next) { struct element *f = all->next; all->next = f->next; free(f); }",
    ),
    "the parent is freed first": ("    for (; all;", "    if (all) free(find(all));\n    for (; all;"),
    "only the parent leads there": ("e->next = all;", "e->next = NULL;"),
    "what is freed is the next one": ("free(all);", "free(next);"),
    "a parent that was freed": ("free(all);", "free(all); if (next && next->parent->rank) break;"),
    "no test for the end": ("if (other) unite", "unite"),
}
INPUT = "1 0 2 1 3 2 4 1 5 4 "
WRONG = {
    "the parent is freed": (
        "    for (struct employee *e = all; e; e = e->next)\n        printf",
        "    if (all && all->next) { struct employee *f = all->next; all->next = f->next; free(f); }\n"
        "    for (struct employee *e = all; e; e = e->next)\n        printf",
    ),
    "the parent is not set": ("        e->parent = find(manager);\n", ""),
    "the parent may be NULL": ("while (e->parent) {", "while (e->parent || 1) {"),
    "the list goes on behind what is freed": ("        free(all);\n        all = next;", "        free(next);"),
    "what is freed is the parent": ("        free(all);", "        free(all->parent);"),
    "only the parent leads there": ("        e->next = all;\n", "        e->next = NULL;\n"),
}
MENU = "1 1 a 1 2 b 1 3 c 2 2 x 1.5 2 3 y 2.5 4 3 2 3 3 1 4 d 4 0 "
CHANGED_STUDENTS = {
    "the tail is kept": ("        tail = s->prev;", "        count--;"),
    "the name is freed only": ("    free(s);\n    count--;", "    count--;"),
    "the grades are kept": ("        free(g);\n        g = n;", "        g = n;"),
    "the neighbour leads to it still": ("        s->next->prev = s->prev;\n    else", "        count--;\n    else"),
}


def _managers(name: str) -> str:
    old, new = WRONG[name]
    assert old in MANAGERS
    return MANAGERS.replace(old, new)


def _students(name: str) -> str:
    old, new = CHANGED_STUDENTS[name]
    assert old in STUDENTS
    return STUDENTS.replace(old, new)


def test_the_right_program_is_proved(tmp_path: Path) -> None:
    assert is_proved_by("loose", MANAGERS, tmp_path)


def test_sets_that_are_united_are_proved_without_numbers(tmp_path: Path) -> None:
    assert is_proved_by("loose, no numbers", SETS, tmp_path)


@pytest.mark.parametrize(("old", "new"), WRONG_SETS.values(), ids=WRONG_SETS)
def test_wrong_sets_are_not(old: str, new: str, tmp_path: Path) -> None:
    assert old in SETS
    assert not is_proved_by("loose, no numbers", SETS.replace(old, new), tmp_path)


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_program_is_not(name: str, tmp_path: Path) -> None:
    assert not is_proved_by("loose", _managers(name), tmp_path)


@pytest.mark.parametrize("name", CHANGED_STUDENTS)
def test_a_changed_menu_is_not_proved(name: str, tmp_path: Path) -> None:
    """The pairs of cells that cannot lead back have no predicates: what was proved with them must stay right."""
    assert not is_proved_by("plain", _students(name), tmp_path)


@needs_gcc
@pytest.mark.parametrize("name", [*WRONG, *CHANGED_STUDENTS])
def test_the_wrong_programs_fail(name: str, tmp_path: Path) -> None:
    text, given = (_managers(name), INPUT) if name in WRONG else (_students(name), MENU)
    assert fails_in_a_run(written(text, tmp_path), leaks=True, text=given)
