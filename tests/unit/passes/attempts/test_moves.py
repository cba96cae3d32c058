"""Cells that die behind a read: the rewritten program runs like the program, or ends where it reads such a cell."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.passes.executed import answer

from kleene.c.reader import read_program
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Unsupported
from kleene.passes.attempts.moves import Store, moved_places, with_moves
from kleene.passes.facts.memory import Memory
from kleene.passes.preparation import Prepared

START = """
#include <stdlib.h>
struct node { struct node *left, *right, *parent; int key; };
int main(void) {
    struct node *n = calloc(1, sizeof *n), *m = calloc(1, sizeof *m);
    n->left = m; m->key = 3; m->left = n; m->parent = n;
"""
OFFSETS = {"left": 0, "right": 8, "parent": 16}


def rewritten(folder: Path, body: str, back: frozenset[str] = frozenset(), *, stores: bool = False):
    """The program, and the one in which all cells die behind the reads of assignments, with the places of the cells.

    With `stores`, they die where they are written instead.
    """
    file = folder / "moves.c"
    file.write_text(f"{START}    {body}\n}}\n")
    program = Prepared(read_program([str(file)])).inlined
    memory = Memory(program, program.main.cfa, typed=True)
    reads = {(e.source, offset) for e in program.main.cfa.edges for offset in OFFSETS.values()}
    cfa = with_moves(memory, {Store(*read) for read in reads} if stores else reads, back)
    changed = replace(program, functions={program.entry: replace(program.main, cfa=cfa)})
    return program, changed, moved_places(Memory(program, cfa, typed=True))


@pytest.mark.parametrize(
    "body",
    [
        "m->right = n->left; n->left = NULL; return m->right->key + (n->left == NULL);",
        "n = n->left; return n->key;",  # the variable is the one through which the cell is read
        "n->left = n->left; return n->left->key;",
        "n = n->left->left->left; return n->key;",
        "m = (struct node *)(void *)n->left; n->left = m; return n->left->key;",
    ],
)
def test_what_is_not_read_again_runs_as_before(tmp_path: Path, body: str) -> None:
    program, changed, places = rewritten(tmp_path, body)
    assert places
    assert answer(program, ()) == answer(changed, ())
    assert answer(program, ())[0] == "exit"


@pytest.mark.parametrize(
    ("body", "cell"),
    [
        ("m = n->left; return n->left->key;", "left"),
        ("m = n->left; m->right = n; return m->right->left->key;", "left"),
        ("m = n->left; n->right = n->left; return n->right->key;", "left"),
    ],
)
def test_what_is_read_again_has_no_value(tmp_path: Path, body: str, cell: str) -> None:
    program, changed, places = rewritten(tmp_path, body)
    assert OFFSETS[cell] in {offset for _, offset in places}
    assert answer(program, ())[0] == "exit"
    assert answer(changed, ())[2] == "uninitialized_pointer"


def test_cells_that_point_back_stay(tmp_path: Path) -> None:
    _, _, places = rewritten(tmp_path, "n = m->parent; return n->left->key;", frozenset({"parent"}))
    assert OFFSETS["parent"] not in {offset for _, offset in places}


@pytest.mark.parametrize(
    "body",
    [
        "n->parent = m; return n->left->key;",
        "n->parent = m; n->parent = NULL; return n->left->key;",
        "n->parent = n->left->left; free(m); return n->key;",
    ],
)
def test_what_is_stored_for_nothing_runs_as_before(tmp_path: Path, body: str) -> None:
    program, changed, places = rewritten(tmp_path, body, frozenset({"parent"}), stores=True)
    assert {offset for _, offset in places} == {OFFSETS["parent"]}
    assert answer(program, ())[0] == answer(changed, ())[0] == "exit"


@pytest.mark.parametrize(
    "body",
    [
        "n->parent = m; return n->parent->key;",
        "n->parent = m; m = n->parent; return m->key;",
        "struct node **at = &n->parent; n->parent = m; return (*at)->key;",
    ],
)
def test_what_is_stored_and_read_has_no_value(tmp_path: Path, body: str) -> None:
    program, changed, _ = rewritten(tmp_path, body, frozenset({"parent"}), stores=True)
    assert answer(program, ())[0] == "exit"
    assert answer(changed, ())[2] == "uninitialized_pointer"


def test_what_a_store_for_nothing_reads_is_still_read(tmp_path: Path) -> None:
    program, changed, _ = rewritten(tmp_path, "n->parent = n->right->left;", frozenset({"parent"}), stores=True)
    assert answer(program, ()) == answer(changed, ())
    assert answer(program, ())[2] == "null_dereference"


def test_cells_that_do_not_point_back_are_written(tmp_path: Path) -> None:
    program, changed, _ = rewritten(tmp_path, "n->right = m; return n->right->key;", stores=True)
    assert changed.main.cfa is program.main.cfa


def test_conditions_and_numbers_move_nothing(tmp_path: Path) -> None:
    program, changed, places = rewritten(tmp_path, "if (n->left) return n->left->key; return 0;")
    assert changed.main.cfa is program.main.cfa
    assert not places


def test_memory_that_is_read_as_bytes(tmp_path: Path) -> None:
    """`memcpy` reads cells otherwise than by expressions: nothing is moved."""
    body = "struct node *c = malloc(sizeof *c); m = n->left; memcpy(c, n, sizeof *c); return c->left->key;"
    program, changed, _ = rewritten(tmp_path, f"#include <string.h>\n{body}")
    assert changed.main.cfa is program.main.cfa


def test_what_is_not_supported_has_an_alarm_of_its_own(tmp_path: Path) -> None:
    """A call through a pointer has a way on which it is not supported; a tree with such a comparison had no moves."""
    file = tmp_path / "moves.c"
    file.write_text(f"{START}    m->right = n->left; n->left = NULL; return m->right->key;\n}}\n")
    program = Prepared(read_program([str(file)])).inlined
    cfa = program.main.cfa
    own = Edge(next(e.target for e in cfa.edges), Unsupported(cfa.edges[0].label.place, "a call"), cfa.entry)
    memory = Memory(program, Cfa(cfa.entry, (*cfa.edges, own)), typed=True)
    reads = {(e.source, offset) for e in cfa.edges for offset in OFFSETS.values()}
    assert with_moves(memory, reads, frozenset()) != memory.cfa
