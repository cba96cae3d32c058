"""Indices that were cut to fewer bits, or halved twice: ``return (int)i;`` of an index, and ``a[(i - 1) / 2]``."""

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
    unsigned long n, at, stop;
    if (scanf("%lu %lu %lu", &n, &at, &stop) != 3 || n < 1 || n > 100 || at >= n)
        return 1;
    int *table = calloc(n, sizeof *table);
    if (!table)
        return 1;
    {body}
    free(table);
    return 0;
}}
"""
RIGHT = (
    "unsigned long i = at; int k = (int)i; if (k >= 0) table[k] = 1;",
    "signed char k = (signed char)at; if (k >= 0) table[k] = 1;",
    "if (at > 0) { table[(at - 1) / 2] = 1; unsigned long k = (at - 1) / 2; if (k > stop) table[k - stop] = 2; }",
    "if (at / 3 >= stop) table[at / 3 - stop] = 1;",
    "unsigned long k = at / 2; table[n - 1 - at / 2 - (k - at / 2)] = 1;",
)
WRONG = {
    "a number less than 0": "int k = (int)at - 2; table[k] = 1;",
    "more than was compared": "int k = (int)stop; if (k >= 0) table[k] = 1;",
    "half of another number": "unsigned long k = at / 2; at = n + 9; table[n - 1 - at / 2 + k] = 1;",
    "another divisor": "if (at / 2 >= stop) table[at / 3 - stop] = 1;",
    "half of one less": "if (at > 0 && at / 2 >= stop) table[(at - 1) / 2 - stop] = 1;",
    "less than half": "table[at / 2 - at] = 1;",
}
RUNS = ["3 0 0\n", "3 2 1\n", "3 2 2000000000\n", "100 99 40\n"]


def left_errors(folder: Path, body: str) -> set[str]:
    """The kinds of errors, and 'unsupported', for which the prepared program has edges."""
    program = whole_program(read_program(written(PROGRAM.format(body=body), folder)))
    labels = [e.label for e in program.main.cfa.edges]
    kinds = {label.kind for label in labels if isinstance(label, Error)}
    return kinds | {"unsupported" for label in labels if isinstance(label, Unsupported)}


@pytest.mark.parametrize("body", RIGHT)
def test_the_index_is_inside(body: str, tmp_path: Path) -> None:
    """A number that was cut was any number, and a quotient that was computed again another one."""
    assert not left_errors(tmp_path, body)


@pytest.mark.parametrize("case", WRONG)
def test_the_index_may_be_outside(case: str, tmp_path: Path) -> None:
    assert "out_of_bounds" in left_errors(tmp_path, WRONG[case])


@needs_gcc
@pytest.mark.parametrize("case", WRONG)
def test_the_wrong_programs_fail_in_a_run(case: str, tmp_path: Path) -> None:
    program = written(PROGRAM.format(body=WRONG[case]), tmp_path)
    assert any(fails_in_a_run(program, text=text) for text in RUNS)
