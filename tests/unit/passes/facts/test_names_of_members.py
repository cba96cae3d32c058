"""Members whose names are those of predicates that every block has."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.cli import run_main
from kleene.logic.earlier import NEW
from kleene.passes.facts.memory import NOT_MEMBERS
from kleene.semantics.vocabulary.names import FREED, HEAP, OPAQUE

LIST = """
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
struct node { struct node *MEMBER; };
int main(void) {
    struct node *head = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        if (!n) break;
        n->MEMBER = head; head = n;
    }
    while (head) { struct node *n = head->MEMBER; free(head); head = n; }
    return 0;
}
"""


def test_the_names_of_all_blocks_are_known() -> None:
    assert {FREED, HEAP, OPAQUE, NEW} <= NOT_MEMBERS


@pytest.mark.parametrize("name", sorted(NOT_MEMBERS))
def test_a_member_may_have_the_name_of_a_predicate(name: str, tmp_path: Path) -> None:
    """`heap`, `freed` and `sm` as names of members were an internal error: the predicate was declared twice."""
    file = tmp_path / "list.c"
    file.write_text(LIST.replace("MEMBER", name), encoding="utf-8")
    assert run_main(["check", str(file)]) == 0
