"""Pointers that are read again from memory: shared where nothing can have changed, and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.fuzz_c.generators.structures import program as random_program
from tests.unit.semantics.translated import analysis, inlined
from tests.unsafe_c.alone import is_proved_by

from kleene.c.reader import read_program
from kleene.cfa.expressions import Variable, walk
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Operation, expressions
from kleene.cfa.program import CProgram
from kleene.domains.explicit.explore import Exploration, explore
from kleene.passes.attempts.loads import with_shared_loads
from kleene.passes.calls.inline import inline
from kleene.passes.facts.memory import Memory
from kleene.passes.prepare import prepare_program

NEW = "struct node *p = malloc(sizeof *p), *q = malloc(sizeof *q); p->next = q; q->next = NULL;"
SHARED = {
    "read twice": "struct node *a = p->next; struct node *b = p->next;",
    "in one condition and behind it": "if (p->next) p->next->data = 1;",
    "of what was read": "struct node *a = p->next->next; struct node *b = p->next;",
    "through a pointer to the member": "struct node **t = &p->next; struct node *a = p->next; struct node *b = *t;",
    "through a copy of the pointer": "struct node **t = &p->next, **u = t, *a = p->next; struct node *b = *u;",
    "the pointer is set on both ways": "struct node **t = &p->next, *a, *b; if (q) q->data = 1; a = *t; b = p->next;",
    "a number is written between": "int i = 0; struct node *a = p->next; i = 1; struct node *b = p->next;",
}
NOT_SHARED = {
    "read once": "struct node *a = p->next;",
    "a member is written between": "struct node *a = p->next; q->next = NULL; struct node *b = p->next;",
    "the object of the pointer is another": "struct node **t = &p->next; p = q; struct node *a = p->next; a = *t;",
    "the pointer points to another member": "struct node **t = &p->next, *a = p->next; t = &q->next; a = *t;",
    "the pointer is set on one way": "struct node **t = &p->next, *a; if (q) t = &q->next; a = p->next; a = *t;",
    "a block is freed between": "struct node *a = p->next; free(q); struct node *b = p->next;",
    "the pointer is written between": "struct node *a = p->next; p = q; struct node *b = p->next;",
    "only one way leads from one to the other": "if (q) { p->next->data = 1; } p->next->data = 2;",
    "a loop leads back": "while (__VERIFIER_nondet_int()) p->next->data = 1;",
    "memory is filled between": "struct node *a = p->next; memset(p, 0, sizeof *p); struct node *b = p->next;",
}


def new_variables(cfa: Cfa[Operation]) -> set[Variable]:
    found = {n for e in cfa.edges for x in expressions(e.label) for n in walk(x) if isinstance(n, Variable)}
    return {v for v in found if v.name.startswith("$again")}


def kept(folder: Path, body: str) -> int:
    """How many pointers are kept in variables of their own."""
    program, cfa = inlined(folder, NEW + body)
    return len(new_variables(with_shared_loads(Memory(program, cfa, typed=True))))


@pytest.mark.parametrize("name", SHARED)
def test_a_pointer_that_is_read_again_gets_a_variable(tmp_path: Path, name: str) -> None:
    assert kept(tmp_path, SHARED[name]) == 1


@pytest.mark.parametrize("name", NOT_SHARED)
def test_what_may_have_changed_is_read_anew(tmp_path: Path, name: str) -> None:
    assert kept(tmp_path, NOT_SHARED[name]) == 0


THROUGH_MEMBERS = {
    "a removed node": "struct node **t = &p->next, *x = *t; *t = x->next; free(x); p = p->next; x = p ? p->next : 0;",
    "a removed node that is used": "struct node **t = &p->next, *x = *t; *t = x->next; free(x); q->next = p;",
    "a walk": "struct node **t = &p->next; while (*t) if (!(*t)->next) { free(*t); *t = NULL; } else t = &(*t)->next;",
    "an object that is another": "struct node **t = &q->next; *t = p; q = p; *t = q; p = p->next->next; q = *t;",
}


@pytest.mark.parametrize("name", THROUGH_MEMBERS)
def test_members_that_are_read_directly_have_the_same_errors(tmp_path: Path, name: str) -> None:
    program, cfa = inlined(tmp_path, NEW + THROUGH_MEMBERS[name])
    before = replace(program, functions={"main": replace(program.main, cfa=cfa)})
    after = shared(before)
    assert after != before
    one, other = explore(before, malloc_may_fail=False), explore(after, malloc_may_fail=False)
    assert one.complete == other.complete
    assert errors(one) == errors(other)


def errors(found: Exploration) -> set[tuple[str, int]]:
    return {(c.fault.kind, c.fault.place.line) for c in found.findings if c.fault.kind != "memory_leak"}


def shared(program: CProgram) -> CProgram:
    functions = {}
    for name, function in program.functions.items():
        cfa = with_shared_loads(Memory(program, function.cfa, typed=True))
        functions[name] = replace(function, cfa=cfa, locals=(*function.locals, *new_variables(cfa)))
    return replace(program, functions=functions)


@pytest.mark.parametrize("seed", [11, 100, 101, 113, 120, 122, 125, 130, 142, 155, 162, 163, 164, 176, 178])
def test_random_programs_have_the_same_errors(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "random.c"
    path.write_text(random_program(seed))
    program = prepare_program(inline(read_program([str(path)])))
    changed = shared(program)
    assert changed != program
    before = explore(program, seconds=20, malloc_may_fail=False)
    after = explore(changed, seconds=20, malloc_may_fail=False)
    assert before.complete and after.complete
    assert errors(before) == errors(after)


ROWS = """
struct row { struct row *next; struct node *items; };
int main(void) {
  struct row *rows = NULL;
  while (__VERIFIER_nondet_int()) {
    struct row *r = malloc(sizeof *r);
    r->items = NULL; r->next = rows; rows = r;
    while (__VERIFIER_nondet_int()) { struct node *x = malloc(sizeof *x); x->next = r->items; r->items = x; }
  }
  for (struct row *r = rows; r; r = r->next)
    while (r->items) { struct node *x = r->items->next; free(r->items); r->items = x; }
  while (rows) { struct row *r = rows->next; free(rows); rows = r; }
  return 0;
}
"""


def test_lists_that_are_freed_by_their_first_member_are_proved(tmp_path: Path) -> None:
    """The node that only ``r->items`` points to lost its name between two statements: a leak was suspected."""
    result = analysis(tmp_path, ROWS)
    assert result.complete and not result.alarms
    assert result.shape_class == "acyclic, by loads"


def test_an_error_in_such_a_list_is_still_reported(tmp_path: Path) -> None:
    for end, kind in (("r->items->next", "dangling_dereference"), ("x ? x->next : x", "memory_leak")):
        assert "r->items = x;" in ROWS
        wrong = analysis(tmp_path, ROWS.replace("r->items); r->items = x;", f"r->items); r->items = {end};"))
        assert kind in {a.kind for a in wrong.alarms}


def test_members_of_one_name_in_different_structs_are_told_apart(tmp_path: Path) -> None:
    """`next` of rows was taken to point to nodes as well, and these to have a member like `items`."""
    program, cfa = inlined(tmp_path, ROWS)
    memory = Memory(program, cfa, typed=True)
    (row,) = [size for (size, offset), cell in memory.cell_of.items() if cell == "items"]
    assert memory.cell_places([(row, 0)]) == {(row, 0)}
    assert len(set(memory.cell_of.values())) == len(memory.cell_of) == 3


THROUGH = """
#include <stdlib.h>
extern int nondet(void);
struct node { struct node *left, *right; };
static struct node *make(void) {
    struct node *n = malloc(sizeof *n);
    if (!n) abort();
    n->left = n->right = NULL;
    return n;
}
int main(void) {
    struct node *n = make(), *whole = n, *other = make(), **t;
    if (nondet()) n->left = make();
    if (n->left != NULL) {
        t = &n->left;
        CHANGE
        (*t)->right = NULL;
        n = whole;
        free(n->left);
    }
    free(n);
    free(other);
    return 0;
}
"""
THROUGH_RIGHT = ("", "n = other;", "t = &whole->left;", "other->left = NULL;")
THROUGH_WRONG = (
    "t = &n->right;",
    "n = other; t = &n->left;",
    "free(n->left); n->left = NULL;",
    "struct node *old = *t; *t = NULL; free(old);",
    "if (nondet()) t = &other->left;",
    "free(*t);",
)


@pytest.mark.parametrize("change", [*THROUGH_RIGHT, *THROUGH_WRONG])
def test_what_was_read_through_another_pointer(change: str, tmp_path: Path) -> None:
    text = THROUGH.replace("CHANGE", change)
    assert is_proved_by("outcomes and loads", text, tmp_path) == (change in THROUGH_RIGHT)
