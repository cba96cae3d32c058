"""What a call by contract accepts, on all heaps of two cells, against a definition of lists that is written here."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from kleene.c.contracts import read_contracts
from kleene.c.reader import read_program
from kleene.domains.explicit.explore import explore
from kleene.semantics.contracts.programs import CALLED, by_contracts

CELLS = (0, 1)
POINTERS = (None, *CELLS)
STATES = 300
"""States to explore: enough for the cells of a heap, and for new lists of a few cells."""
HEADER = """#include <stdlib.h>
struct node { struct node *next; int data; };
"""


def lists_apart(heads: tuple[int | None, ...], following: tuple[int | None, ...], on_heap: tuple[bool, ...]) -> bool:
    """Whether the heads are those of lists of heap cells that end with NULL and share nothing."""
    seen: set[int] = set()
    for head in heads:
        while head is not None:
            if head in seen or not on_heap[head]:
                return False
            seen.add(head)
            head = following[head]
    return True


def accepted(text: str, path: Path) -> bool:
    """Whether no run finds the precondition broken."""
    path.write_text(text, encoding="utf-8")
    program = read_program(path)
    called = by_contracts(program, read_contracts(program))
    found = explore(called, max_states=STATES, seconds=60.0, stop_at_first=True, malloc_may_fail=False)
    broken = [c for c in found.findings if c.fault.place.function.startswith(CALLED)]
    return not [c for c in broken if c.fault.kind != "memory_leak"]


def client(contract: str, heads: tuple[int | None, ...], following: tuple[int | None, ...], *, stack: bool) -> str:
    names = {None: "NULL", 0: "c0", 1: "c1"}
    second = "&local" if stack else "malloc(sizeof(struct node))"
    return f"""{HEADER}
/*@ {contract} */
void f(struct node *a, struct node *b) {{ }}
int main(void) {{
    struct node local;
    struct node *c0 = malloc(sizeof(struct node)), *c1 = {second};
    c0->data = c1->data = 0;
    c0->next = {names[following[0]]}; c1->next = {names[following[1]]};
    f({names[heads[0]]}, {names[heads[1]]});
    abort();
}}
"""


@pytest.mark.parametrize("ensures", ["", "ensures list(a) && list(b);", "ensures list(a);"])
def test_lists_that_share_nothing(ensures: str, tmp_path: Path) -> None:
    wrong = []
    for heads in product(POINTERS, repeat=2):
        for following in product(POINTERS, repeat=2):
            expected = lists_apart(heads, following, (True, True))
            text = client(f"requires list(a) && list(b); {ensures}", heads, following, stack=False)
            if accepted(text, tmp_path / "client.c") != expected:
                wrong.append((heads, following, expected))
    assert not wrong


@pytest.mark.parametrize("ensures", ["", "ensures list(a);"])
def test_cells_that_are_not_on_the_heap(ensures: str, tmp_path: Path) -> None:
    wrong = []
    for head in POINTERS:
        for following in [(None, None), (1, None), (None, 0)]:
            expected = lists_apart((head,), following, (True, False))
            text = client(f"requires list(a) && b == NULL; {ensures}", (head, None), following, stack=True)
            if accepted(text, tmp_path / "client.c") != expected:
                wrong.append((head, following, expected))
    assert not wrong


@pytest.mark.parametrize("ensures", ["", "ensures dlist(a, next, prev);"])
def test_doubly_linked_lists(ensures: str, tmp_path: Path) -> None:
    wrong = []
    for head in POINTERS:
        for following in product(POINTERS, repeat=2):
            for before in product(POINTERS, repeat=2):
                listed = lists_apart((head,), following, (True, True))
                expected = listed and _points_back(head, following, before)
                text = _doubly(ensures, head, following, before)
                if (listed or not ensures) and accepted(text, tmp_path / "client.c") != expected:
                    wrong.append((head, following, before, expected))
    assert not wrong


def _points_back(head: int | None, following: tuple[int | None, ...], before: tuple[int | None, ...]) -> bool:
    last = None
    while head is not None:
        if before[head] != last:
            return False
        head, last = following[head], head
    return True


def _doubly(ensures: str, head: int | None, following: tuple[int | None, ...], before: tuple[int | None, ...]) -> str:
    names = {None: "NULL", 0: "c0", 1: "c1"}
    return f"""#include <stdlib.h>
struct item {{ struct item *next, *prev; int data; }};
/*@ requires dlist(a, next, prev); {ensures} */
void f(struct item *a) {{ }}
int main(void) {{
    struct item *c0 = malloc(sizeof(struct item)), *c1 = malloc(sizeof(struct item));
    c0->data = c1->data = 0;
    c0->next = {names[following[0]]}; c1->next = {names[following[1]]};
    c0->prev = {names[before[0]]}; c1->prev = {names[before[1]]};
    f({names[head]});
    abort();
}}
"""


def are_rings(heads: tuple[int | None, ...], following: tuple[int | None, ...]) -> bool:
    """Whether the ways from the heads come back to them, and share nothing."""
    seen: set[int] = set()
    for head in heads:
        at = head
        while at is not None and at not in seen:
            seen.add(at)
            at = following[at]
            if at == head:
                break
        else:
            if head is not None:
                return False
    return True


@pytest.mark.parametrize("clauses", ["", "ensures ring(a) && ring(b);", "ensures ring(b);", "modifies \\nothing;"])
def test_rings(clauses: str, tmp_path: Path) -> None:
    wrong = []
    for heads in product(POINTERS, repeat=2):
        for following in product(POINTERS, repeat=2):
            text = client(f"requires ring(a) && ring(b); {clauses}", heads, following, stack=False)
            if accepted(text, tmp_path / "client.c") != are_rings(heads, following):
                wrong.append((heads, following))
    assert not wrong


def is_tree(root: int | None, links: tuple[tuple[int | None, int | None], ...]) -> bool:
    """Whether no cell is met twice on the ways down from the root."""
    met: list[int] = []
    waiting = [root]
    while waiting:
        cell = waiting.pop()
        if cell is not None:
            if cell in met:
                return False
            met.append(cell)
            waiting += links[cell]
    return True


@pytest.mark.parametrize("clauses", ["", "ensures tree(a);", "modifies \\nothing;"])
def test_trees(clauses: str, tmp_path: Path) -> None:
    names = {None: "NULL", 0: "c0", 1: "c1"}
    wrong = []
    for root in POINTERS:
        for links in product(product(POINTERS, repeat=2), repeat=2):
            if root is None and links[0] != (None, 1):
                continue
            text = f"""#include <stdlib.h>
struct tree {{ struct tree *left, *right; int data; }};
/*@ requires tree(a); {clauses} */
void f(struct tree *a) {{ }}
int main(void) {{
    struct tree *c0 = malloc(sizeof(struct tree)), *c1 = malloc(sizeof(struct tree));
    c0->data = c1->data = 0;
    c0->left = {names[links[0][0]]}; c0->right = {names[links[0][1]]};
    c1->left = {names[links[1][0]]}; c1->right = {names[links[1][1]]};
    f({names[root]});
    abort();
}}
"""
            if accepted(text, tmp_path / "client.c") != is_tree(root, links):
                wrong.append((root, links))
    assert not wrong


@pytest.mark.parametrize(("size", "expected"), [("sizeof(struct node)", True), ("sizeof(struct node *)", False)])
@pytest.mark.parametrize("ensures", ["", "ensures list(a);"])
def test_cells_are_as_large_as_their_type(ensures: str, size: str, *, expected: bool, tmp_path: Path) -> None:
    text = f"""{HEADER}
/*@ requires list(a); {ensures} */
void f(struct node *a) {{ }}
int main(void) {{
    struct node *c = malloc({size});
    c->next = NULL;
    f(c);
    abort();
}}
"""
    assert accepted(text, tmp_path / "client.c") == expected
