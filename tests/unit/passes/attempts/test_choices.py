"""Locations that know indices and addresses, run: the program with copies does what it did, on all inputs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.passes.executed import answer
from tests.unit.semantics.translated import program_of

from kleene.c.reader import read_program
from kleene.cfa.operations import address_taken
from kleene.cfa.program import CProgram
from kleene.passes import preparation
from kleene.passes.attempts import choices
from kleene.passes.attempts.choices import index_names, original_location, with_choices
from kleene.passes.calls.inline import inline
from kleene.passes.indices import with_constant_indices
from kleene.passes.preparation import Prepared
from kleene.passes.prepare import whole_program

EXAMPLES = Path(__file__).parents[4] / "examples" / "c" / "arrays"

HEADER = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int data; };
struct queue { struct node *first; struct node *last; int count; };
static struct node nodes[8];
static struct node *shared;
static void push(struct node **l, struct node *n) { n->next = *l; *l = n; }
static struct node *pop(struct node **l) { struct node *n = *l; if (n) *l = n->next; return n; }
static int sum(struct node *l) {
    int s = 0;
    for (int k = 0; l && k < 9; k++) { s = 3 * s + l->data; l = l->next; }
    return s;
}
"""
SETUP = (
    "for (int m = 0; m < 8; m++) nodes[m].data = m + 1; "
    "struct node *a[3] = { &nodes[0], &nodes[1], NULL }; "
    "int i = __VERIFIER_nondet_int() & 3, j = __VERIFIER_nondet_int() & 3; "
)
REST = "return (sum(a[0]) + 5 * sum(a[1]) + 7 * sum(a[2])) & 127;"
KNOWN = {
    "read and written": "if (i < 3) { nodes[5].next = a[i]; a[i] = &nodes[5]; } ",
    "two indices": "if (i < 3 && j < 3) { struct node *t = a[i]; a[i] = a[j]; a[j] = t; } ",
    "set between": "if (i < 2) { nodes[5].next = a[i]; i = i + 1; a[i] = &nodes[5]; } ",
    "set on one way": "if (i < 2) { nodes[5].next = a[i]; if (j) i = i + 1; a[i] = &nodes[5]; } ",
    "in a loop": "for (int k = 0; k < 3; k++) { if (a[k]) a[k]->data = k; if (k == j) a[k] = NULL; } ",
    "by functions": "if (i < 3) push(&a[i], &nodes[5]); if (j < 3) pop(&a[j]); ",
    "from one to another": "if (i < 3 && j < 3) { struct node *n = pop(&a[i]); if (n) push(&a[j], n); } ",
    "a pointer to one of three": "struct node **p = &a[0]; if (i == 1) p = &a[1]; if (i > 1) p = &a[2]; *p = NULL; ",
    "a pointer that is NULL": "struct node **p = NULL; if (i == 1) p = &a[1]; if (p) *p = NULL; else a[0] = NULL; ",
    "a pointer that moves on": "struct node **p = i ? &a[1] : &a[0]; while (*p) p = &(*p)->next; *p = &nodes[6]; ",
    "a pointer to a variable that begins again": (
        "struct node **p = &a[0]; for (int k = 0; k < 2; k++) { struct node *x = &nodes[6]; if (k == 0 && j) p = &x; "
        "else if (i < 3) p = &a[i]; *p = NULL; if (x) a[1] = x; } "
    ),
    "a copy of a pointer": "struct node **p = &a[0], **q = p; if (j) p = &a[2]; q = j == 1 ? q : p; *q = &nodes[7]; ",
    "a pointer in a struct": (
        "struct queue q[2]; for (int k = 0; k < 2; k++) q[k].first = q[k].last = a[k]; struct queue *r = &q[i & 1]; "
        "r->first = &nodes[4]; if (j < 2) r = &q[j]; r->last = r->first; a[2] = q[0].last; a[1] = q[1].first; "
    ),
    "a number that a pointer sets": "int *p = &i; if (i < 2) { nodes[5].next = a[i]; *p = 2; a[i] = &nodes[5]; } ",
    "an index of a narrow type": (
        "unsigned char c = (unsigned char)(i + 255); if (c < 3) { a[c] = NULL; push(&a[c], &nodes[5]); } "
    ),
    "a negative index": "int k = i - 1; if (k >= 0) { nodes[5].next = a[k]; a[k] = &nodes[5]; } ",
    "a test of an address": "struct node **p = j ? &a[1] : NULL; if (p && i < 3) *p = a[i]; if (!p) a[0] = NULL; ",
    "a jump out of a scope": (
        "struct node **p = &a[0]; "
        "again: { struct node *x = NULL; if (j == 1) { j = 0; p = &x; *p = a[1]; goto again; } "
        "if (i < 3) p = &a[i]; } *p = &nodes[3]; "
    ),
}  # fmt: skip


def expanded(tmp_path: Path, body: str) -> tuple[CProgram, CProgram]:
    """A program whose accesses are choices, and the one with copies of its locations."""
    program = inline(program_of(tmp_path, SETUP + body + REST, HEADER))
    main = replace(program.main, cfa=with_constant_indices(program, program.main.cfa))
    chosen = replace(program, functions={main.name: main})
    return chosen, with_choices(chosen, index_names(program))


@pytest.mark.parametrize("name", KNOWN)
def test_runs_end_as_before(name: str, tmp_path: Path) -> None:
    program, copied = expanded(tmp_path, KNOWN[name])
    names = [location for location in copied.main.cfa.locations if original_location(location) != location]
    assert names and all(original_location(location) in program.main.cfa.locations for location in names)
    for i in range(4):
        for j in range(4):
            assert answer(program, (i, j)) == answer(copied, (i, j))


def test_too_many_copies_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choices, "MOST_LOCATIONS", 20)
    program, copied = expanded(tmp_path, KNOWN["two indices"])
    assert copied is program


def test_a_pointer_to_one_of_three_takes_no_address(tmp_path: Path) -> None:
    """Variables whose addresses only known pointers held were objects in memory."""
    program, copied = expanded(tmp_path, KNOWN["a pointer to one of three"])
    taken = [{v.name for v in address_taken(e.label for e in p.main.cfa.edges)} for p in (program, copied)]
    assert "a" in taken[0] and "a" not in taken[1]


def test_programs_without_a_choice_are_known_before_they_are_prepared_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What stays as it is with choices was prepared from the start, to find that out."""
    made: list[bool] = []
    monkeypatch.setattr(preparation, "whole_program", lambda p: (made.append(p.by_choices), whole_program(p))[1])
    walk = "struct node *l = &nodes[0]; while (l) l = l->next;"
    assert Prepared(program_of(tmp_path, walk, HEADER)).by_choices is None and made == [False]
    pointer = "struct node *x = NULL, **p = &x, *y = NULL; if (__VERIFIER_nondet_int()) p = &y; *p = &nodes[1];"
    assert Prepared(program_of(tmp_path, pointer, HEADER)).by_choices is not None and made == [False, False, True]


@pytest.mark.parametrize("name", KNOWN)
def test_programs_with_copies_may_choose(tmp_path: Path, name: str) -> None:
    before = inline(program_of(tmp_path, SETUP + KNOWN[name] + REST, HEADER))
    program, _ = expanded(tmp_path, KNOWN[name])
    assert choices.may_choose(before, program)


def test_arrays_that_are_blocks_without_choices_have_them() -> None:
    """The indices of eight queues were not found: their array was a block before elements became variables."""
    program = read_program([str(EXAMPLES / "queues_in_an_array.c")])
    assert Prepared(program).by_choices is not None


def test_only_programs_that_gain_have_choices(tmp_path: Path) -> None:
    """Nothing is gained where a switch comes once, and the data structures are told apart already."""
    lists = "struct node *x = NULL, *y = NULL; int i = __VERIFIER_nondet_int(); "
    single = lists + "if (i == 0) push(&x, &nodes[1]); if (i == 1) push(&y, &nodes[2]);"
    assert Prepared(program_of(tmp_path, single, HEADER)).by_choices is None
    stacks = (
        "struct node *s[3] = { NULL }; while (__VERIFIER_nondet_int()) { int i = __VERIFIER_nondet_int() & 1; "
        "struct node *n = malloc(sizeof *n); if (n) push(&s[i], n); } "
        "for (int i = 0; i < 3; i++) while (s[i]) free(pop(&s[i]));"
    )
    chosen = Prepared(program_of(tmp_path, stacks, HEADER)).by_choices
    assert chosen is not None and chosen.by_choices is None
