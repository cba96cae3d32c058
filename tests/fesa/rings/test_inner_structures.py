"""Structures inside structures: one of them is followed apart. What goes wrong in any of them is reported."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slices import in_exam

from kleene.analysis.c.fesa import FESA_ATTEMPTS, FesaAttempt, analyse_by_attempt
from kleene.c.reader import read_program
from kleene.domains.fesa.flags import OTHERS
from kleene.domains.fesa.inner import inner_structures
from kleene.passes.facts.memory import Memory
from kleene.passes.preparation import Prepared
from kleene.results.fesa import FesaResult

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "c" / "fesa" / "list_of_rings.c"
ROWS = [row for row in FESA_ATTEMPTS if row.inner]
INNER = ROWS[0]
BROKEN = "list->ring->next = NULL; list->ring->next->next = NULL;"
FRESH_RING = "struct ring *x = malloc(sizeof *x); if (!x) abort();"
CLOSED = "list->next->ring->next = x; x->next = list->next->ring;"
PROGRAM = """
#include <stdlib.h>
#include <string.h>
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


WALKED = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct ring { struct ring *next; };
struct node { struct node *next; struct ring *ring; };
int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        struct ring *first = malloc(sizeof *first);
        if (!n || !first) abort();
        first->next = first;
        while (__VERIFIER_nondet_int()) {
            struct ring *r = malloc(sizeof *r);
            if (!r) abort();
            r->next = first->next;
            first->next = r;
        }
        n->ring = first;
        n->next = list;
        list = n;
    }
    while (list) {
        struct node *n = list->next;
        struct ring *a = list->ring, *b = a->next;
        while (b != a) { STEP }
        END
        free(list);
        list = n;
    }
    return 0;
}
"""
STEP = "struct ring *d = b->next; free(b); b = d;"


def analysed(path: Path, row: FesaAttempt = INNER) -> FesaResult:
    return analyse_by_attempt(Prepared(read_program([str(path)])), row, malloc_may_fail=False, seconds=60.0)


def walked(folder: Path, step: str, end: str) -> Path:
    """A list of rings that are freed while a pointer walks through them."""
    path = folder / "walked.c"
    path.write_text(WALKED.replace("STEP", step).replace("END", end), encoding="utf-8")
    return path


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


@pytest.mark.parametrize("row", [ROWS[0], pytest.param(ROWS[1], marks=in_exam)], ids=lambda row: row.name)
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
        # What is done to a ring that is not followed does not end the run: the one that is followed is broken after it.
        {"change": f"if (list && list->next) {{ struct ring *x = list->next->ring->next; {BROKEN} }}"},
        {"change": f"if (list && list->next) {{ list->next->ring->next = NULL; {BROKEN} }}"},
        {
            "change": "if (list && list->next) { *list->ring = *list->next->ring;"
            f" if (list->ring->next != NULL) {{ {BROKEN} }} }}"
        },
        {"change": f"if (list && list->next) {{ free(list->next->ring); {BROKEN} }}"},
        {
            "change": "if (list && list->next) { struct ring *x = malloc(sizeof *x); if (!x) abort(); x->next = x;"
            f" list->next->ring->next = x; {BROKEN} }}"
        },
        {
            "change": "if (list && list->next) { list->next->ring->next = malloc(sizeof (struct ring));"
            f" if (!list->next->ring->next) abort(); {BROKEN} }}"
        },
        # Nor does it end where a new block becomes a part of the ring that is not followed.
        {"change": f"if (list && list->next) {{ {FRESH_RING} {CLOSED} {BROKEN} }}"},
        {"change": f"if (list && list->next) {{ {FRESH_RING} {CLOSED} free(list->ring); }}"},
        # A ring that is not followed gets its pointer by a copy of bytes, and the block that it points to is freed.
        {
            "change": f"if (list && list->next) {{ {FRESH_RING} struct ring h; h.next = x;"
            " memcpy(list->next->ring, &h, sizeof h); x->next = x; free(x);"
            " list->next->ring->next->next = NULL; list->next->ring->next = list->next->ring; }"
        },
    ],
)
def test_what_goes_wrong_in_one_of_them_is_reported(tmp_path: Path, parts: dict[str, str], row: FesaAttempt) -> None:
    result = analysed(program(tmp_path, **parts), row)
    assert not result.complete or result.alarms


@pytest.mark.parametrize(
    ("step", "end"),
    [
        (STEP, ""),  # the last block of each ring is lost
        (STEP, "free(a); free(b);"),
        pytest.param("struct ring *d = b->next; b = d;", "free(a);", marks=in_exam),
        pytest.param("struct ring *d = b->next; free(b); b = d == a ? d : d->next;", "free(a);", marks=in_exam),
        pytest.param(STEP, "a->next = b; free(a); if (n) n->ring = a;", marks=in_exam),
    ],
)
def test_what_goes_wrong_in_rings_that_are_walked(tmp_path: Path, step: str, end: str) -> None:
    result = analysed(walked(tmp_path, step, end), ROWS[1])
    assert not result.complete or result.alarms


@in_exam
def test_rings_are_freed_while_a_pointer_walks(tmp_path: Path) -> None:
    result = analysed(walked(tmp_path, STEP, "free(a);"), ROWS[1])
    assert result.complete
    assert not result.alarms


def test_a_new_block_in_a_ring_that_is_not_followed(tmp_path: Path) -> None:
    """Without the error that the tests above add, this is a proof."""
    result = analysed(program(tmp_path, change=f"if (list && list->next) {{ {FRESH_RING} {CLOSED} }}"))
    assert result.complete
    assert not result.alarms


@pytest.mark.parametrize(("back", "safe"), [("", False), (" - 1", True)])
def test_pointers_past_the_first_block_of_a_ring(tmp_path: Path, back: str, safe: bool) -> None:
    """The pointer of the list to the chosen ring keeps its offset."""
    path = program(tmp_path)
    text = path.read_text(encoding="utf-8").replace("n->ring = first;", "n->ring = first + 1;")
    path.write_text(text.replace("r = list->ring;", f"r = list->ring{back};"), encoding="utf-8")
    result = analysed(path)
    assert (result.complete and not result.alarms) == safe


def test_pointers_to_rings_that_are_not_followed_have_one_form(tmp_path: Path) -> None:
    """Such a pointer has no offset, so that states which are joined have one flag for it."""
    result = analysed(program(tmp_path, build=f"{FRESH_RING} n->ring = x; free(x);"))
    assert result.reached is not None
    states = [state for store in result.reached.stores.values() for state in store.elements()]
    edges = [flag for state in states for flag in state.vectors.dims if flag.target == OTHERS]
    assert edges
    assert {flag.offset for flag in edges} == {0}


def test_types_of_inner_structures() -> None:
    """The ring is inner; a list alone has no inner structure."""
    prepared = Prepared(read_program([str(EXAMPLE)]))
    inner = inner_structures(Memory(prepared.inlined, prepared.cfa, typed=True))
    assert inner is not None
    assert len(inner.sizes) == 1
    alone = Prepared(read_program([str(EXAMPLE.with_name("sll.c"))]))
    assert inner_structures(Memory(alone.inlined, alone.cfa, typed=True)) is None
