"""Floating-point inputs: runs go on behind them, and nothing is proved by the few numbers that are tried."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.c.reader import read_program
from kleene.domains.explicit.explore import explore

PROGRAM = """
#include <stdlib.h>
extern double __VERIFIER_nondet_double(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
    double *m = malloc(4 * sizeof *m), x = __VERIFIER_nondet_double();
    int j = __VERIFIER_nondet_int();
    if (TEST)
        m[j] = x;
    free(m);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("test", "is_shown"),
    [("j >= 0 && j <= 4", True), ("j >= 0 && j < 4", False), ("x > 0.5 && j == 4", True), ("x > 7.5 && j == 4", False)],
)
def test_an_error_behind_a_floating_point_input_is_shown(test: str, is_shown: bool, tmp_path: Path) -> None:
    """Runs ended at the input, so that no error behind ``scanf("%lf", &x)`` was ever shown."""
    path = tmp_path / "program.c"
    path.write_text(PROGRAM.replace("TEST", test))
    explored = explore(read_program([str(path)]), malloc_may_fail=False, seconds=20.0)
    assert bool(explored.findings) == is_shown
    assert not explored.proved
    assert not explored.complete
