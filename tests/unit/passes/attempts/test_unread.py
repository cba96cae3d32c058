"""Members that nothing reads: which ones they are, and that only they are forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.semantics.translated import analysis, inlined

from kleene.passes.attempts.unread import unread_cells, without_unread_cells
from kleene.passes.facts.memory import Memory

PAIR = """
struct pair { struct pair *next, *other; };
int main(void) {
  struct pair *p = malloc(sizeof *p), *q = malloc(sizeof *q);
  p->next = q; q->next = NULL; p->other = q; q->other = p;
  %s
  return p->next == NULL;
}
"""
READ = {
    "compared": "if (p->other == q) free(p);",
    "copied": "struct pair *r = p->other; free(r);",
    "behind it": "p->other->next = NULL;",
    "freed": "free(p->other);",
    "through a pointer": "struct pair **a = &p->other; q = *a;",
    "with the struct": "struct pair all = *p; q = all.next;",
    "by memcpy": "memcpy(q, p, sizeof *p);",
    "as a number": "long n = *(long *)&p->other; if (n) free(p);",
}


def unread(folder: Path, body: str) -> set[str]:
    program, cfa = inlined(folder, PAIR % body)
    memory = Memory(program, cfa, typed=True)
    return {memory.cell_of[place] for place in unread_cells(memory)}


@pytest.mark.parametrize("name", READ)
def test_a_member_is_read_in_many_ways(tmp_path: Path, name: str) -> None:
    assert unread(tmp_path, READ[name]) == set()


def test_a_member_that_is_only_written_is_not_read(tmp_path: Path) -> None:
    assert unread(tmp_path, "p->other = p->next; struct pair **a = &p->next; *a = NULL;") == {"other"}


def test_what_is_read_for_the_member_is_still_read(tmp_path: Path) -> None:
    program, cfa = inlined(tmp_path, PAIR % "p->other = q->next;")
    changed = without_unread_cells(Memory(program, cfa, typed=True))
    stored = [str(e.label) for e in changed.edges if "other" in str(e.label)]
    assert stored == ["p->other = NULL", "q->other = NULL", "p->other = NULL"]
    assert any(str(e.label).endswith("= q->next") for e in changed.edges)


HELD = """
struct pair { struct pair *next, *other; };
int main(void) {
  struct pair *p = malloc(sizeof *p);
  p->next = NULL; p->other = malloc(sizeof *p);
  %s
  free(p);
  return 0;
}
"""


def test_a_block_that_only_such_a_member_holds_is_lost_in_the_end(tmp_path: Path) -> None:
    wrong = analysis(tmp_path, HELD % "")
    assert "memory_leak" in {alarm.kind for alarm in wrong.alarms}
    right = analysis(tmp_path, HELD % "free(p->other);")
    assert right.complete and not right.alarms
