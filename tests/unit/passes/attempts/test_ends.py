"""Variables for the members at which loops end: only their assignments and reads are added."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.semantics.translated import inlined

from kleene.cfa.expressions import Variable, walk
from kleene.cfa.operations import Assign, Operation, expressions
from kleene.passes.attempts.ends import with_held_ends
from kleene.passes.facts.memory import Memory

MADE = "struct node *p = malloc(sizeof *p); p->next = p; struct node *a = p;"
HELD = {
    "a loop to a member": "while (a != p->next) a = a->next;",
    "turned round": "while (p->next != a) { a = a->next; if (a == NULL) return 1; }",
    "a loop in a loop": "while (a) { while (a != p->next) a = a->next; a = NULL; }",
}
NOT_HELD = {
    "the member changes": "while (a != p->next) p->next = a;",
    "the pointer to it changes": "while (a != p->next) p = p->next;",
    "no loop": "if (a != p->next) a = NULL;",
    "a variable": "while (a != p) a = a->next;",
    "an object on the stack": "struct node x; x.next = p; struct node *q = &x; while (a != x.next) a = q->next;",
}


def automaton(folder: Path, body: str) -> Memory:
    return Memory(*inlined(folder, f"{MADE} {body}"), typed=True)


def _is_added(operation: Operation) -> bool:
    names = [n.name for x in expressions(operation) for n in walk(x) if isinstance(n, Variable)]
    return any(name.startswith("$held") for name in names)


@pytest.mark.parametrize("body", [*HELD.values(), *NOT_HELD.values()], ids=[*HELD, *NOT_HELD])
def test_all_operations_of_the_program_stay(tmp_path: Path, body: str) -> None:
    memory = automaton(tmp_path, body)
    changed = with_held_ends(memory)
    assert [e.label for e in changed.edges if not _is_added(e.label)] == [e.label for e in memory.cfa.edges]
    added = [e.label for e in changed.edges if _is_added(e.label)]
    targets = [label.target for label in added if isinstance(label, Assign)]
    assert all(isinstance(t, Variable) and t.name.startswith("$held") for t in targets)
    assert bool(added) == (body in HELD.values())
    assert set(memory.cfa.locations) <= set(changed.locations)
