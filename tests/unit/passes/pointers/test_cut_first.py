"""Cuts before the stores that would close a cycle (decision 290): where they move, and that runs end as before."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.unit.passes.executed import answer

from kleene.c.reader import read_program
from kleene.cfa.operations import Assign
from kleene.cfa.program import CProgram
from kleene.passes.calls.inline import inline
from kleene.passes.pointers.cut_first import with_links_cut_first
from kleene.passes.prepare import prepare_program

HEADER = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *l, *r, *up; int id; };
"""
MOVED = {
    "the link is cut next": "y = x->l; b = y->r; y->r = x; x->l = b;",
    "NULL cuts it": "y = x->l; y->r = x; x->l = NULL;",
    "a test and another member between": "y = x->l; b = y->r; y->r = x; if (b) b->up = x; x->l = b;",
    "the link was stored": "x->l = y; y->r = x; x->l = b;",
    "the link was tested": "if (x->l == y) { y->r = x; x->l = b; }",
    "both ways have the cut": "y = x->l; y->r = x; if (b) { x->l = b; b->up = x; } else x->l = b;",
    "another way leads there": "y = x->l; if (b == p) y->id = 3; else y->r = x; x->l = b;",
    "parents and children at once": "y = x->l; x->up = y; y->r = x; y->up = p; if (p->l == x) p->l = y; x->l = b;",
    "parents, one after the other": "y = x->l; x->up = y; y->up = p;",
    "it is read in another object": "y = x->l; y->r = x; if (p->l == b) p->r = y; x->l = NULL;",
    "it is read by another name": "p = x; y = x->l; y->r = x; b = p->l; x->l = NULL;",
    "it is written by another name": "p = x; y = x->l; y->r = x; p->l = n2; x->l = NULL;",
    "another child gets its parent between": "y = x->l; b = y->l; x->up = y; if (b) b->up = x; y->up = p;",
}
KEPT = {
    "it is cut before": "y = x->l; b = y->r; x->l = b; y->r = x;",
    "nothing cuts it": "y = x->l; y->r = x;",
    "only one way cuts it": "y = x->l; y->r = x; if (b) x->l = b;",
    "the link is read between": "y = x->l; y->r = x; b = x->l; x->l = NULL;",
    "it is read by a name that changes": "y = x->l; y->r = x; p = y; b = p->l; x->l = NULL;",
    "it is read by a pointer to the member": "t = &x->l; y = x->l; y->r = x; b = *t; x->l = NULL;",
    "the value changes between": "y = x->l; y->r = x; b = p; x->l = b;",
    "the object changes between": "y = x->l; y->r = x; x = p; x->l = b;",
    "the link is another one": "y = x->l; x->l = p; y->r = x; x->l = b;",
    "a block is freed between": "y = x->l; y->r = x; free(p); x->l = NULL;",
    "the run may end between": "y = x->l; y->r = x; if (!b) exit(1); x->l = b;",
    "a loop comes back": "y = x->l; y->r = x; while (__VERIFIER_nondet_int()) b = p; x->l = b;",
    "the cut stores the same": "y = x->l; y->r = x; x->l = y;",
    "no cycle of parents is meant": "x->up = y; y->up = p;",
}


def program(tmp_path: Path, text: str) -> CProgram:
    file = tmp_path / "program.c"
    file.write_text(HEADER + text)
    return prepare_program(inline(read_program(file)))


def observed_program(statements: str) -> str:
    """Statements on four linked nodes; the status depends on what every member and variable is afterwards."""
    begin = "".join(f"struct node *n{i} = malloc(sizeof *n{i}); if (!n{i}) return 0; n{i}->id = {i};" for i in range(4))
    links = "n0->l = n1; n0->r = n2; n0->up = NULL; n1->l = n3; n1->r = NULL; n1->up = n0;"
    links += "n2->l = n2->r = NULL; n2->up = n0; n3->l = n3->r = NULL; n3->up = n1;"
    names = "struct node *x = n1, *y = n3, *b = n2, *p = n0, **t;"
    seen = "".join(
        f"s = s * 5 + (n{i}->{f} ? n{i}->{f}->id : 4); s %= 251;" for i in range(4) for f in ("l", "r", "up")
    )
    held = "".join(f"s = s * 5 + ({v} ? {v}->id : 4); s %= 251;" for v in "xybp")
    return f"int main(void) {{ {begin} {links} {names} int s = 0; {statements} {seen} {held} return s; }}"


@pytest.mark.parametrize("name", MOVED)
def test_a_cut_moves_before_the_store_that_closes_a_cycle(tmp_path: Path, name: str) -> None:
    before = program(tmp_path, observed_program(MOVED[name]))
    after = with_links_cut_first(before)
    assert after != before
    assert answer(after, [1]) == answer(before, [1])
    assert answer(before, [1])[1] is not None


@pytest.mark.parametrize("name", KEPT)
def test_a_cut_stays_where_the_order_matters(tmp_path: Path, name: str) -> None:
    before = program(tmp_path, observed_program(KEPT[name]))
    assert with_links_cut_first(before) == before


def test_the_cut_stands_before_the_store(tmp_path: Path) -> None:
    after = with_links_cut_first(program(tmp_path, observed_program(MOVED["the link is cut next"])))
    stores = [str(e.label) for e in after.main.cfa.edges if isinstance(e.label, Assign)]
    cut = next(e for e in after.main.cfa.edges if str(e.label) == "x->l = b")
    assert [str(e.label) for e in after.main.cfa.leaving(cut.target)] == ["y->r = x"]
    assert stores.count("x->l = b") == 1


def random_statements(seed: int) -> str:
    """Loads, stores and tests in which a link is often read, turned round and cut."""
    chance = random.Random(seed)
    fields = ("l", "r", "up")

    def pick(names: str = "xybp") -> str:
        return chance.choice(names)

    def small() -> str:
        kind = chance.randrange(7)
        if kind == 0:
            return f"{pick()} = {pick()};"
        if kind == 1:
            return f"if ({(v := pick())}) {pick()} = {v}->{chance.choice(fields)};"
        if kind == 2:
            return f"if ({(v := pick())}) {v}->{chance.choice(fields)} = {pick()};"
        if kind == 3:
            return f"{pick()}->{chance.choice(fields)} = {pick()};"
        if kind == 4:
            return f"if ({pick()} == {pick()}) {{ {pick()}->{chance.choice(fields)} = {pick()}; }}"
        if kind == 5:
            v = pick()
            return f"if ({v} && {v}->{chance.choice(fields)} == {pick()}) {v}->{chance.choice(fields)} = {pick()};"
        return f"{pick()}->id = {chance.randrange(4)};"

    parts = []
    for _ in range(3):
        f, g = chance.choice(fields), chance.choice(fields)
        x, y = pick(), pick()
        between = [" ".join(small() for _ in range(chance.choice((0, 0, 1)))) for _ in range(3)]
        parts.append(f"{y} = {x}->{f}; {between[0]} {y}->{g} = {x}; {between[1]} {x}->{f} = {pick()}; {between[2]}")
        parts.append(f"{x}->{g} = {y}; {y}->{g} = {pick()};" if chance.random() < 0.5 else "")
    return " ".join(parts)


@pytest.mark.parametrize("block", range(2))
def test_random_programs_end_as_before(tmp_path: Path, block: int) -> None:
    """The status tells what all members and variables are; a run that fails fails in the same way."""
    moved = 0
    for seed in range(20 * block, 20 * block + 20):
        before = program(tmp_path, observed_program(random_statements(seed)))
        after = with_links_cut_first(before)
        moved += after != before
        assert answer(after, []) == answer(before, []), random_statements(seed)
    assert moved >= 4
