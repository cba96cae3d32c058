"""Large arrays as lists of slots, run: each run of a program is one of the result, with one slot for each element.

The elements are numbered, so that the status of a run tells which slots the indices stand for.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.unit.passes.elements.test_slots import HEADER
from tests.unit.passes.executed import Answer, answer, answers
from tests.unit.semantics.translated import program_of

from kleene.cfa.operations import CHOICE
from kleene.cfa.program import CProgram
from kleene.passes.calls.inline import inline
from kleene.passes.elements.global_arrays import with_slots

COUNT = 9
TABLE = (
    HEADER + f"extern unsigned char __VERIFIER_nondet_uchar(void);"
    f" extern unsigned __VERIFIER_nondet_uint(void); struct pair {{ struct node *a; int b; }} t[{COUNT}];\n"
)
NUMBERED = f"for (int k = 0; k < {COUNT}; k++) t[k].b = k; "
UNKNOWN = "__VERIFIER_nondet_int()"
ANY_SLOT = range(COUNT)


@dataclass
class Runs:
    """The runs of a program and of its form with slots."""

    program: CProgram
    arrays: int = 1

    def __post_init__(self) -> None:
        self.program = inline(self.program)
        self.slots = with_slots(self.program)
        assert self.slots != self.program
        self.built = ([1] * (COUNT - 1) + [0]) * self.arrays
        """The choices that build as many slots as the arrays have elements."""

    def own(self, inputs: tuple[int, ...]) -> Answer:
        return answer(self.program, inputs)

    def with_slots(self, inputs: tuple[int, ...]) -> set[Answer]:
        """How the runs of the form with slots end that get these inputs, for all choices of the analysis."""
        return answers(self.slots, lambda why, n: (0, 1) if why == CHOICE else inputs[n : n + 1], self.built)


EXACT = {
    "the first": "int i = 0; return t[i].b;",
    "none before the first": "int i = -1; return t[i].b;",
    "none behind the last": f"int i = {COUNT}; return t[i].b;",
    "a walk to the last": f"int i = 0; while (i < {COUNT - 1}) i++; return t[i].b;",
    "a walk too far": f"int i = 0; while (i < {COUNT + 1} && t[i].b < 20) i++; return 0;",
    "a walk behind the end, and on": f"int i = 0; while (i < {COUNT + 2}) i++; return t[i].b;",
    "a walk of another type": f"unsigned i = 0; while (i < {COUNT - 1}) i = i + 1; return t[i].b;",
    "one on the left": "int i = 0; i = 1 + i; i = 1 + i; return t[i].b;",
    "the one before the second": "int i = 0; i++; i = i - 1; return t[i].b;",
    "the one before, with a negative number": "int i = 0; i++; i++; i = i + -1; return t[i].b;",
    "the one before the end": f"int i = 0; while (i < {COUNT}) i++; i--; return t[i].b;",
    "back to the first": f"int i = 0; while (i < {COUNT - 1}) i++; while (i > 0) i--; return t[i].b;",
    "a copy": "int i = 0; i++; i++; int j = i; i++; return 10 * t[i].b + t[j].b;",
    "a copy of another type": "int i = 0; i++; i++; long j = i; i++; return 10 * t[i].b + t[j].b;",
    "two indices": (
        f"int i = 0, j = 0; while (i < {COUNT - 1}) {{ i++; if (i % 2 && j < {COUNT - 1}) j++; }}"
        " return 10 * t[i].b + t[j].b;"
    ),
    "an element of a shifted index": "int i = 0; return t[i].b + (t[i].a == 0);",
    "what is written": "int i = 0, j = 0; i++; j++; t[i].b = 42; return t[j].b;",
    "what is written elsewhere": "int i = 0, j = 0; i++; t[i].b = 42; return t[j].b;",
    "a pointer in an element": (
        "int i = 0; i++; t[i].a = &some; t[i].a->data = 7; i--; return some.data + (t[i].a == 0);"
    ),
    "a branch on an element": "int i = 0; i++; if (t[i].b == 1) { i++; return t[i].b; } return 50;",
    "a branch on an element that is not so": "int i = 0; if (t[i].b == 1) return 50; i++; return t[i].b;",
    "an index that begins again": (
        "int s = 0; for (int r = 0; r < 3; r++) { int i = 0; i++; s = 10 * s + t[i].b; } return s;"
    ),
    "the address of an element": "int i = 0; i++; struct pair *p = &t[i]; p->b = 33; return t[i].b;",
    "a whole element": "int i = 0, j = 0; i++; i++; t[j] = t[i]; return t[j].b;",
    "an index in a condition": f"int i = 0; while (i < {COUNT} && t[i].b != 5) i++; return i;",
    "beside another array": "int u[3] = {1, 2, 3}, i = 0; i++; return 10 * t[i].b + u[i];",
    "an element in a condition that cannot be": (
        "int i = 0; if (i > 3) { if (t[i].b) return 1; return 2; } return t[i].b;"
    ),
}
CHOSEN = {
    "an unknown index": (f"int i = {UNKNOWN}; return t[i].b;", ANY_SLOT, True),
    "an index inside": (f"int i = {UNKNOWN}; if (i < 0 || i >= {COUNT}) return 77; return t[i].b;", ANY_SLOT, False),
    "an index behind the first": (
        f"int i = {UNKNOWN}; if (i < 1 || i >= {COUNT}) return 77; return t[i].b;",
        range(1, COUNT),
        False,
    ),
    "an index that is zero": (f"int i = {UNKNOWN}; if (i != 0) return 77; return t[i].b;", range(1), False),
    "an index that is not above zero": (
        f"int i = {UNKNOWN}; if (i < 0 || i > 0) return 77; return t[i].b;",
        range(1),
        False,
    ),
    "an index outside": (f"int i = {UNKNOWN}; if (i >= 0 && i < {COUNT}) return 77; return t[i].b;", range(0), True),
    "an index below": (f"int i = {UNKNOWN}; if (i >= 0) return 77; return t[i].b;", range(0), True),
    "an index above": (f"int i = {UNKNOWN}; if (i < {COUNT}) return 77; return t[i].b;", range(0), True),
    "an index that may be too large by one": (
        f"int i = {UNKNOWN}; if (i < 0 || i > {COUNT}) return 77; return t[i].b;",
        ANY_SLOT,
        True,
    ),
    "a number": ("int i = 5; return t[i].b;", ANY_SLOT, False),
    "the second": ("int i = 1; return t[i].b;", ANY_SLOT, False),
    "the last": (f"int i = {COUNT - 1}; return t[i].b;", ANY_SLOT, False),
    "the one after an unknown one": (
        f"int i = {UNKNOWN}; if (i < 0 || i >= {COUNT - 1}) return 77; i++; return t[i].b;",
        range(1, COUNT),
        False,
    ),
    "the one after none": ("int i = -1; i = i + 1; return t[i].b;", ANY_SLOT, False),
    "the one before an unknown one": (
        f"int i = {UNKNOWN}; if (i <= 0 || i > {COUNT}) return 77; i--; return t[i].b;",
        ANY_SLOT,
        False,
    ),
    "the one before one that is too far": (
        f"int i = {UNKNOWN}; if (i <= 0 || i > {COUNT + 1}) return 77; i--; return t[i].b;",
        ANY_SLOT,
        True,
    ),
    "the one before the first": (
        f"int i = {UNKNOWN}; if (i < 0 || i > 3) return 77; i--; return t[i].b;",
        ANY_SLOT,
        True,
    ),
    "the one before another": (
        "int i = 0, j = 0; i++; while (j < 6) j++; i = j - 1; return t[i].b;",
        ANY_SLOT,
        False,
    ),
    "two after": ("int i = 0; i = i + 2; return t[i].b;", ANY_SLOT, False),
    "one less than a number": (f"int i = {UNKNOWN} & 7; i = 8 - i; return t[i].b;", ANY_SLOT, False),
    "a small number that ends": (
        "unsigned char i = __VERIFIER_nondet_uchar(); if (i < 3) return 77; i = i + 1; return t[i].b;",
        ANY_SLOT,
        True,
    ),
    "an index that is computed": (f"int i = {UNKNOWN} & 3; return t[i + 2].b;", ANY_SLOT, False),
    "an index at most zero": (f"int i = {UNKNOWN}; if (i > 0) return 77; return t[i].b;", ANY_SLOT, True),
    "an unknown index beside an address": (
        f"int i = {UNKNOWN}; t[i].a = &some; return t[i].b;",
        ANY_SLOT,
        True,
    ),
    "an index that a pointer changes": ("int i = 0; int *q = &i; *q = 6; return t[i].b;", ANY_SLOT, True),
    "an index of a wider type": (f"long i = {UNKNOWN}; if (i < 0 || i > 4) return 77; return t[i].b;", ANY_SLOT, False),
    "a narrowed index": (
        f"int i = {UNKNOWN}; unsigned char j = i; if (j >= {COUNT}) return 77; return t[j].b;",
        ANY_SLOT,
        False,
    ),
    "a condition on an element of an unknown index": (
        f"int i = {UNKNOWN}; if (t[i].b > 4) return 1; return 2;",
        range(1, 3),
        True,
    ),
}
INPUTS = (-1, 0, 1, 7, 8, 9, 255, 259)


@pytest.mark.parametrize("name", EXACT)
def test_what_is_known_of_indices_is_exact(tmp_path: Path, name: str) -> None:
    runs = Runs(program_of(tmp_path, NUMBERED + EXACT[name], TABLE))
    assert runs.with_slots(()) == {runs.own(())}


@pytest.mark.parametrize("name", CHOSEN)
def test_an_index_that_is_not_known_is_one_of_some(tmp_path: Path, name: str) -> None:
    """The statuses, and whether an index out of bounds is possible: all that real runs do, and no more than is said."""
    body, statuses, outside = CHOSEN[name]
    runs = Runs(program_of(tmp_path, NUMBERED + body, TABLE))
    together = set()
    for number in INPUTS if "nondet" in body else (0,):
        answers = runs.with_slots((number,))
        assert runs.own((number,)) in answers
        together |= answers
    expected = {("exit", status, "") for status in {*statuses, *([77] if "77" in body else [])}}
    assert together == expected | ({("error", None, "out_of_bounds")} if outside else set())


def test_two_arrays_have_slots_of_their_own(tmp_path: Path) -> None:
    header = TABLE + f"struct pair u[{COUNT}];\n"
    fill = f"for (int k = 0; k < {COUNT}; k++) {{ t[k].b = k; u[k].b = 10 * k; }} "
    for body in (
        "int i = 0; i++; return t[i].b + u[i].b;",
        "int i = 0, j = 0; i++; while (j < 3) j++; return t[i].b + u[j].b;",
    ):
        runs = Runs(program_of(tmp_path, fill + body, header), arrays=2)
        assert runs.with_slots(()) == {runs.own(())}


@pytest.mark.parametrize("value", ["", " = 3", " = 12"])
def test_a_global_index_has_a_value_from_the_start(tmp_path: Path, value: str) -> None:
    runs = Runs(program_of(tmp_path, "return t[g].a == 0;", f"{TABLE}int g{value};\n"))
    assert runs.own(()) in runs.with_slots(())


def test_a_parameter_has_a_value_from_the_start(tmp_path: Path) -> None:
    runs = Runs(program_of(tmp_path, "int main(int argc, char **argv) { return t[argc].a == 0; }", TABLE))
    for count in (1, 5, 12):
        assert runs.own((count,)) in runs.with_slots((count,))


def test_the_address_of_what_may_be_outside_is_not_followed(tmp_path: Path) -> None:
    """One behind the last is an address, and no slot."""
    runs = Runs(program_of(tmp_path, f"int i = {UNKNOWN}; struct pair *p = &t[i]; return p == t[0].a;", TABLE))
    assert {outcome for outcome, _, _ in runs.with_slots((COUNT,))} == {"unsupported"}


def test_elements_of_each_size(tmp_path: Path) -> None:
    """A slot has room for its element and the link, and the size of no other struct."""
    for members in ("struct node *a; int b;", "struct node *a; char b;", "struct node *a; long x, y; int b;"):
        header = f"{HEADER}struct pair {{ {members} }} t[{COUNT}];\n"
        runs = Runs(program_of(tmp_path, f"{NUMBERED} int i = 0; i++; t[i].a = &some; return t[i].b;", header))
        assert runs.with_slots(()) == {runs.own(())}
        (layout,) = (x for x in runs.slots.records.values() if x.type.name.startswith("slot"))
        element, following = layout.fields
        assert element.offset == 0 and following.offset >= element.type.size and following.offset % 8 == 0
        assert following.offset + following.type.size <= layout.type.size
        assert all(x.type.size != layout.type.size for x in runs.slots.records.values() if x is not layout)


def test_the_one_after_the_greatest_number_is_the_first(tmp_path: Path) -> None:
    runs = Runs(program_of(tmp_path, f"{NUMBERED} unsigned i = __VERIFIER_nondet_uint(); i++; return t[i].b;", TABLE))
    for number in (2**32 - 1, 3):
        assert runs.own((number,))[0] == "exit"
        assert runs.own((number,)) in runs.with_slots((number,))


def test_slots_are_global(tmp_path: Path) -> None:
    """And positions of local indices are local: the list of globals names no other variable."""
    runs = Runs(program_of(tmp_path, f"int i = {UNKNOWN}; return t[i].b + t[g].b;", f"{TABLE}int g;\n"))
    assert all(item.variable.is_global for item in runs.slots.globals)
    assert {item.variable.name for item in runs.slots.globals} >= {"t[]", "t[g]"}


def test_each_computed_index_has_a_variable_of_its_own(tmp_path: Path) -> None:
    body = f"{NUMBERED} int i = 0, j = 0; return 10 * t[i + 1].b + t[j + 3].b;"
    runs = Runs(program_of(tmp_path, body, TABLE))
    assert runs.with_slots(()) == {("exit", 10 * i + j, "") for i in ANY_SLOT for j in ANY_SLOT}


def test_arrays_of_functions_that_are_not_inlined_are_left_alone(tmp_path: Path) -> None:
    """An index of theirs is not known here."""
    other = "static int f(int i) { return t[i].b; } int main(void) { return f(3); }"
    program = program_of(tmp_path, other, TABLE)
    assert with_slots(program) is program


def test_a_function_that_calls_itself_changes_a_global_index(tmp_path: Path) -> None:
    """Also one that is not changed before and after in main; the function stays, and so does what it does."""
    down = "int g; static int down(int n) { if (n > 0) return down(n - 1); g = 3; return 40; }\n"
    for body, status in (
        ("g = 0; int r = down(2); return r + t[g].b;", 43),
        ("int i = 0; i++; return down(1) + t[i].b;", 41),
    ):
        runs = Runs(program_of(tmp_path, NUMBERED + body, TABLE + down))
        assert set(runs.slots.functions) == {"main", "down"}
        assert runs.own(()) == ("exit", status, "")
        assert runs.own(()) in runs.with_slots(())


def test_inputs_are_given_in_their_order(tmp_path: Path) -> None:
    body = (
        f"{NUMBERED} int i = {UNKNOWN}, j = {UNKNOWN}; if (i != 0 || j != 0) return 10 * i + j; return t[i].b + t[j].b;"
    )
    runs = Runs(program_of(tmp_path, body, TABLE))
    for inputs in itertools.product((0, 2), repeat=2):
        assert runs.own(inputs) in runs.with_slots(inputs)
