"""Rings whose indices run freely, run: with a start and a count they return what the program does."""

from __future__ import annotations

from functools import partial
from itertools import product
from pathlib import Path

import pytest
from tests.unit.passes.executed import answer, answers

from kleene.c.reader import read_program
from kleene.passes.attempts.owned.free_running import COUNT, with_counted_rings
from kleene.passes.calls.inline import inline

CHOICES = 6
"""Operations of a run."""
PROGRAM = """
extern int __VERIFIER_nondet_int(void);
GLOBALS
int main(void) {
    unsigned char ring[4] = {0}, number = 1;
    LOCALS
    int result = 0;
    for (int i = 0; i < 6; i++) {
        switch (__VERIFIER_nondet_int()) {
        case 0: PUT break;
        case 1: GET break;
        default: OTHER
        }
    }
    return (result * 8 + (TYPE)(head - tail)) & 127;
}
"""
PUTS = (
    "if ((TYPE)(head - tail) < 4) ring[head++ & 3] = number++;",
    "if ((TYPE)(head - tail) != 4) { ring[head % 4] = number++; head = head + 1; }",
    "{ TYPE old = head; head += 1; if ((TYPE)(old - tail) < 4) ring[old & 3] = number; else head = old; number++; }",
)
GETS = (
    "if (head != tail) result = 3 * result + ring[tail++ & 3];",
    "if (!(tail == head)) { TYPE at = tail; tail++; result += ring[at & 3]; ring[at & 3] = 0; }",
    "if ((TYPE)(head - tail)) { result = 3 * result + ring[tail % 4]; tail = 1 + tail; }",
)
OTHERS = (
    "head = tail = 0; number = 1;",
    "tail = head;",
    "{ TYPE t = head; head = tail; tail = t; } result++;",
    "tail += 2;",
)
"""What else may be done with indices, also what no ring does."""


def written(type_: str, put: str, get: str, other: str, declared: str) -> str:
    text = PROGRAM.replace(declared, "TYPE head = START, tail = START;").replace("LOCALS", "").replace("GLOBALS", "")
    text = text.replace("PUT", put).replace("GET", get).replace("OTHER", other)
    return text.replace("TYPE", type_)


@pytest.mark.parametrize("type_", ["unsigned", "unsigned char", "unsigned short"])
@pytest.mark.parametrize("declared", ["GLOBALS", "LOCALS"])
def test_the_result_is_the_same(type_: str, declared: str, tmp_path: Path) -> None:
    """Each operation of the indices, at the start and where their type wraps."""
    ways = [(p, g, o) for p, g in zip(PUTS, GETS, strict=True) for o in OTHERS]
    for number, (put, get, other) in enumerate(ways):
        path = tmp_path / "program.c"
        path.write_text(
            written(type_, put, get, other, declared).replace(
                "START", "0" if number % 2 else "(TYPE)-2".replace("TYPE", type_)
            )
        )
        program = inline(read_program([str(path)]))
        counted = with_counted_rings(program)
        assert any(v.name.startswith(COUNT) for v in counted.main.locals)
        for inputs in list(product((0, 1, 2), repeat=CHOICES))[number :: 12 * len(ways)]:
            before = answer(program, inputs)
            assert before[0] == "exit"
            assert answers(counted, partial(_values, inputs)) == {before}, (put, get, other, inputs)


def _values(inputs: tuple[int, ...], why: str, number: int) -> list[int]:
    """The inputs of a run, and some numbers for a variable that has no value yet."""
    return [inputs[number]] if why == "__VERIFIER_nondet_int" else [0, 77]


@pytest.mark.parametrize(
    "change",
    [("(TYPE)(head - tail)", "(head - tail)"), ("& 3", "& 2"), ("ring[tail++ & 3]", "ring[tail++ & 1]")],
    ids=["the difference is computed with a sign", "no power of 2", "two sizes"],
)
def test_other_indices_stay(change: tuple[str, str], tmp_path: Path) -> None:
    text = written("TYPE", PUTS[0], GETS[0], OTHERS[1], "LOCALS").replace(*change)
    path = tmp_path / "program.c"
    path.write_text(text.replace("TYPE", "unsigned char").replace("START", "0"))
    program = inline(read_program([str(path)]))
    assert with_counted_rings(program) is program


def test_a_global_copy_of_an_index_has_a_place_from_the_start(tmp_path: Path) -> None:
    """Its place had no value before the first store."""
    text = written("unsigned", PUTS[0], GETS[0], "result += ring[at & 3] + (at & 3); at = head;", "GLOBALS")
    path = tmp_path / "program.c"
    path.write_text(text.replace("START", "0").replace("int main", "unsigned at = 6;\nint main", 1))
    program = inline(read_program([str(path)]))
    counted = with_counted_rings(program)
    for inputs in ((2, 0, 0, 2, 1, 2), (0, 0, 2, 0, 2, 2)):
        assert answers(counted, partial(_values, inputs)) == {answer(program, inputs)}
