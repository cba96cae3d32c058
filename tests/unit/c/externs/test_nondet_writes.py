"""What a function may write that is modelled as one which chooses numbers."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pytest
from tests.exact_phases import without_exact_phases
from tests.unit.c.externs.checked import checked

from kleene.analysis.c import strategy
from kleene.core.verdict import Verdict

WRITES = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct box { int count; int *numbers; };
TYPE
int main(void) {
    int three[3] = {0, 0, 0}, *block = malloc(sizeof *block);
    struct box *box = malloc(sizeof *box);
    int *numbers = calloc(3, sizeof *numbers);
    if (!block || !box || !numbers) abort();
    box->count = 0;
    box->numbers = NULL;
    CALL
    if (FACT) free(block);
    free(block);
    free(box);
    free(numbers);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("type_", "call", "fact"),
    [
        ("void f(int *n, int count);", "f(three, 3);", "three[2]"),
        ("void f(void *p);", "f(box);", "box->count"),
        ("void f(void *p);", "f(three);", "three[1]"),
        ("void f(int *n, int count);", "f(numbers, 3);", "numbers[2]"),
        ("void f(int *n);", "f(&box->count);", "box->count"),
    ],
)
def test_what_nondet_writes_is_not_known(type_: str, call: str, fact: str, tmp_path: Path) -> None:
    """All but the last one were proved: only what the type of the pointer points to was written."""
    text = WRITES.replace("TYPE", type_).replace("CALL", call).replace("FACT", fact)
    with patch.object(strategy, "PHASES", without_exact_phases()):
        report = checked(text, tmp_path, extern=("f=nondet",))
    assert report.properties["memsafety"] is not Verdict.TRUE


def test_what_nondet_does_not_write_stays(tmp_path: Path) -> None:
    text = WRITES.replace("TYPE", "void f(int *n, int count);").replace("CALL", "f(three, 3);")
    report = checked(text.replace("FACT", "box->count"), tmp_path, extern=("f=nondet",))
    assert report.properties["memsafety"] is Verdict.TRUE


MEMBERS = """
#include <stdlib.h>
struct box { int *pointers[2]; int numbers[3]; int *one; };
TYPE
int main(void) {
    int value = 0, *block = malloc(sizeof *block);
    struct box here = {{&value, &value}, {0, 0, 0}, &value}, *box = malloc(sizeof *box), boxes[2];
    if (!block || !box) abort();
    *box = boxes[0] = boxes[1] = here;
    CALL
    if (FACT) free(block);
    free(block);
    free(box);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("type_", "call", "fact"),
    [
        ("void f(int *n);", "f(here.numbers);", "here.numbers[2]"),
        ("void f(int *n);", "f(here.numbers + 1);", "here.numbers[2]"),
        ("void f(int *n);", "f(box->numbers);", "box->numbers[2]"),
        ("void f(int (*n)[3]);", "f(&box->numbers);", "box->numbers[0]"),
        ("void f(int **p);", "f(here.pointers);", "here.pointers[1] != &value"),
        ("void f(int **p);", "f(&box->pointers[0]);", "box->pointers[1] != &value"),
        ("void f(struct box *b);", "f(boxes);", "boxes[1].numbers[0]"),
        ("void f(struct box *b);", "f(&boxes[0]);", "boxes[1].one != &value"),
    ],
)
def test_nondet_writes_arrays_that_are_members_as_a_whole(type_: str, call: str, fact: str, tmp_path: Path) -> None:
    """All were proved: one element was written, or nothing behind the address of an array."""
    text = MEMBERS.replace("TYPE", type_).replace("CALL", call).replace("FACT", fact)
    with patch.object(strategy, "PHASES", without_exact_phases()):
        report = checked(text, tmp_path, extern=("f=nondet",))
    assert report.properties["memsafety"] is not Verdict.TRUE


@pytest.mark.parametrize("fact", ["here.one != &value", "box->numbers[2]", "boxes[1].numbers[0]"])
def test_nondet_writes_no_other_member(fact: str, tmp_path: Path) -> None:
    text = MEMBERS.replace("TYPE", "void f(int *n);").replace("CALL", "f(here.numbers);").replace("FACT", fact)
    assert checked(text, tmp_path, extern=("f=nondet",)).properties["memsafety"] is Verdict.TRUE
