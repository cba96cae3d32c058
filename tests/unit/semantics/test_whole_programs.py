"""Unbounded lists, circular and not, that the shape analysis proves; pointers that share a predicate."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.passes.coalesce import coalesce
from kleene.passes.facts.memory import Memory

from .translated import alarms, inlined

LOOP = "while (__VERIFIER_nondet_int())"
SAFE = {
    "circular": "struct node *h = malloc(sizeof *h); h->next = h;"
    + LOOP
    + "{ struct node *p = malloc(sizeof *p); p->next = h->next; h->next = p; }"
    "struct node *p = h->next; while (p != h) { struct node *t = p->next; free(p); p = t; } free(h);",
    "sentinel": "struct node s; s.next = &s;"
    + LOOP
    + "{ struct node *p = malloc(sizeof *p); p->next = s.next; s.next = p; }"
    "struct node *p = s.next; while (p != &s) { struct node *t = p; p = p->next; free(t); }",
    "held by a variable that is not used again": "struct node *l = malloc(sizeof *l), *p = l; l->next = NULL; exit(0);",
}


@pytest.mark.parametrize("name", SAFE)
def test_a_safe_program_is_proved(tmp_path: Path, name: str) -> None:
    assert alarms(tmp_path, SAFE[name]) - {"memory_cleanup"} == set()


def test_a_circular_list_that_is_not_freed_is_a_leak(tmp_path: Path) -> None:
    body = SAFE["circular"].partition("struct node *p = h->next;")[0]
    assert "memory_leak" in alarms(tmp_path, body)


def test_pointers_with_separate_lives_share_a_predicate(tmp_path: Path) -> None:
    body = "".join(
        f"{{ struct node *{x} = malloc(sizeof *{x}); {x}->data = 1; free({x}); }}" for x in ("a", "b", "c", "d")
    )
    program, cfa = inlined(tmp_path, body)
    shared = coalesce(cfa, Memory(program, cfa).pointer_places)
    assert len(Memory(program, shared).pointers) == 1
    assert alarms(tmp_path, body) == set()


def test_pointers_that_are_needed_together_do_not_share(tmp_path: Path) -> None:
    make = "".join(f"struct node *{x} = malloc(sizeof *{x});" for x in ("a", "b", "c", "d"))
    body = make + "free(a); free(b); free(c); free(d);"
    program, cfa = inlined(tmp_path, body)
    shared = coalesce(cfa, Memory(program, cfa).pointer_places)
    assert len(Memory(program, shared).pointers) == 4
    assert alarms(tmp_path, body) == set()
