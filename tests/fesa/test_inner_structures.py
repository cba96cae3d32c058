"""Structures inside structures: one of them is followed apart. What goes wrong in any of them is reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.analysis.c.fesa import FESA_ATTEMPTS, analyse_by_attempt
from kleene.c.reader import read_program
from kleene.domains.fesa.inner import inner_structures
from kleene.passes.facts.memory import Memory
from kleene.passes.preparation import Prepared
from kleene.results.fesa import FesaResult

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "c" / "fesa" / "list_of_rings.c"
(INNER,) = [row for row in FESA_ATTEMPTS if row.inner]
PROGRAM = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
#define any __VERIFIER_nondet_int()
struct ring { struct ring *next; };
struct node { struct node *next; struct ring *ring; };
int main(void) {
    struct node *list = NULL;
    struct ring *spare = NULL;
    while (any) {
        struct node *n = malloc(sizeof *n);
        struct ring *first = malloc(sizeof *first);
        if (!n || !first) abort();
        first->next = first;
        BUILD
        n->ring = first;
        n->next = list;
        list = n;
    }
    CHANGE
    while (list) {
        struct node *n = list->next;
        struct ring *r = list->ring;
        if (r->next != r) free(r->next);
        free(r);
        free(list);
        list = n;
    }
    END
    return 0;
}
"""


def analysed(path: Path) -> FesaResult:
    return analyse_by_attempt(Prepared(read_program([str(path)])), INNER, malloc_may_fail=False, seconds=60.0)


def program(folder: Path, *, build: str = "", change: str = "", end: str = "") -> Path:
    path = folder / "program.c"
    text = PROGRAM.replace("BUILD", build).replace("CHANGE", change).replace("END", end)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_list_of_rings_is_built_walked_and_freed() -> None:
    result = analysed(EXAMPLE)
    assert result.complete
    assert not result.alarms


def test_rings_of_one_block(tmp_path: Path) -> None:
    """The frame of the next test is safe: its alarms are about what is changed."""
    result = analysed(program(tmp_path))
    assert result.complete
    assert not result.alarms


@pytest.mark.parametrize(
    "parts",
    [
        {"change": "if (list && list->next) list->next->ring = list->ring;"},
        {"change": "if (list && list->next) { free(list->ring); list->ring = list->next->ring; }"},
        {"change": "if (list && list->next) { list->next->ring->next = NULL; list->next->ring->next->next = NULL; }"},
        {"change": "if (list) free(list->ring);"},
        {"build": "spare = first;", "end": "if (spare) spare->next = spare;"},
        {"build": "if (any) { free(first); first = NULL; }"},
        # What is read from a ring that is not followed is stored in a new block, and used there.
        {
            "build": "first->next = NULL; spare = malloc(sizeof *spare); if (!spare) abort();"
            "spare->next = first->next; first->next = first; spare->next->next = first; free(spare);"
        },
        # A block is linked with two rings, one after the other.
        {"change": "if (list && list->next) { list->ring->next = list->next->ring; }"},
        {"change": "if (list && list->next) { *list->ring = *list->next->ring; free(list->next->ring); }"},
    ],
)
def test_what_goes_wrong_in_one_of_them_is_reported(tmp_path: Path, parts: dict[str, str]) -> None:
    result = analysed(program(tmp_path, **parts))
    assert not result.complete or result.alarms


def test_types_of_inner_structures() -> None:
    """The ring is inner; a list alone has no inner structure."""
    prepared = Prepared(read_program([str(EXAMPLE)]))
    inner = inner_structures(Memory(prepared.inlined, prepared.cfa, typed=True))
    assert inner is not None
    assert len(inner.sizes) == 1
    alone = Prepared(read_program([str(EXAMPLE.with_name("sll.c"))]))
    assert inner_structures(Memory(alone.inlined, alone.cfa, typed=True)) is None
