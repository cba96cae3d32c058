"""Remainders of numbers with a sign, brought to an index: ``h = key % n; if (h < 0) h += n;`` and ``h = -h``."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.compiled import fails_in_a_run, needs_gcc, written

from kleene.c.reader import read_program
from kleene.cfa.operations import Error, Unsupported
from kleene.passes.prepare import whole_program

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {{
    int n, key;
    if (scanf("%d %d", &n, &key) != 2 || n < 1 || n > 100)
        return 1;
    int *table = calloc(n, sizeof *table);
    if (!table)
        return 1;
    int h = key % n;
    {brought}
    table[h] = key;
    key = table[h];
    free(table);
    return key == 7;
}}
"""
RIGHT = ("if (h < 0) h += n;", "if (h < 0) h = -h;", "h = (h + n) % n;", "if (0 > h) h = n + h;", "h = abs(h);")
WRONG = {
    "as it is": "",
    "0 is moved, too": "if (h <= 0) h += n;",
    "one too many": "if (h < 0) h += n + 1;",
    "another divisor": "if (h < 0) { n /= 2; h += n; }",
    "another number": "if (h < 0) h = n - h;",
    "one more than its opposite": "if (h < 0) h = -h + 1;",
    "the other sign": "h = -h;",
    "both are added": "h += n;",
}
RUNS = [f"{n} {key}\n" for n in (1, 2, 5) for key in (-7, -4, -1, 0, 4)]


def left_errors(folder: Path, brought: str) -> set[str]:
    """The kinds of errors, and 'unsupported', for which the prepared program has edges."""
    program = whole_program(read_program(written(PROGRAM.format(brought=brought), folder)))
    labels = [e.label for e in program.main.cfa.edges]
    kinds = {label.kind for label in labels if isinstance(label, Error)}
    return kinds | {"unsupported" for label in labels if isinstance(label, Unsupported)}


@pytest.mark.parametrize("brought", RIGHT)
def test_a_remainder_becomes_an_index(brought: str, tmp_path: Path) -> None:
    """The divisor of a remainder less than 0 was forgotten, and a number that `scanf` reads was not followed."""
    assert not left_errors(tmp_path, brought)


@pytest.mark.parametrize("case", WRONG)
def test_another_number_is_no_index(case: str, tmp_path: Path) -> None:
    assert "out_of_bounds" in left_errors(tmp_path, WRONG[case])


@needs_gcc
@pytest.mark.parametrize("case", WRONG)
def test_the_wrong_programs_fail_in_a_run(case: str, tmp_path: Path) -> None:
    program = written(PROGRAM.format(brought=WRONG[case]), tmp_path)
    assert any(fails_in_a_run(program, text=text) for text in RUNS)
