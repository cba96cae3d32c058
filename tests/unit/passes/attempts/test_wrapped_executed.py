"""Numbers that go round, run: the program with the cases apart returns what the program does, for all small numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.c.reader import read_program
from kleene.domains.explicit.interpreter import run
from kleene.passes.attempts.owned.wrapped import WRAP, with_wrapped_numbers
from kleene.passes.calls.inline import inline

MOST_STEPS = 200
NUMBERS = (-5, -1, 0, 1, 3, 4, 9)
TYPES = ("int", "unsigned", "signed char")
SUMS = ("(x + y) % 4", "(x - y) % 4", "(x + y) & 3", "(x - y) & 7", "(x + 1) % y", "4 % (x + y)", "x % y")
WRITTEN = """
extern int __VERIFIER_nondet_int(void);
int main(void) {
    TYPE x = (TYPE)__VERIFIER_nondet_int(), y = (TYPE)__VERIFIER_nondet_int(), a[16] = {0};
    STATEMENT
    return (int)r & 127;
}
"""
STATEMENTS = (
    "TYPE r = SUM;",
    "TYPE r = 0; if ((SUM) == 1) r = 1; else if (x < (SUM)) r = 2;",
    "TYPE r = 3; if ((SUM) >= 0 && (SUM) < 16) { a[SUM] = 5; r = a[0] + 2 * a[1] + a[3]; }",
)


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_the_result_is_the_same(type_: str, statement: str, tmp_path: Path) -> None:
    compared = 0
    for written in SUMS:
        path = tmp_path / "program.c"
        path.write_text(WRITTEN.replace("STATEMENT", statement).replace("SUM", written).replace("TYPE", type_))
        program = inline(read_program([str(path)]))
        wrapped = with_wrapped_numbers(program)
        has_sum = not written.startswith(("4", "x"))
        assert any(WRAP in e.source for e in wrapped.main.cfa.edges) == has_sum
        for x in NUMBERS if has_sum else ():
            for y in NUMBERS:
                before, after = (run(p, [x, y], MOST_STEPS, malloc_may_fail=False) for p in (program, wrapped))
                assert (before.outcome, before.status) == (after.outcome, after.status), (written, x, y)
                compared += before.outcome == "exit"
    assert compared
