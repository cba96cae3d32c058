"""Tests that zones contradict: none of them holds in a run, on all small inputs."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from kleene.c.reader import read_program
from kleene.cfa.operations import Assume
from kleene.passes.attempts.contradictions import without_contradictions
from kleene.passes.facts.memory import Memory
from kleene.paths import replay

FRAME = """
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int x = 0, y = 0, r = 0, n = __VERIFIER_nondet_int();
    if (n < 0 || n > 3) return 0;
    for (int i = 0; i < n; i++) { BODY }
    TESTS
    return r;
}
"""
BODY = ("x++; y++;", "x++;", "y = x;", "x = x + 2; y++;", "if (x < 5) x++;", "y--;", "x = i;", "y = n;")
TESTS = ("x == y", "x != y", "x < y", "x <= n", "x >= n", "y >= 0", "x > 2 * n", "n == 3", "x + 1 == y", "y > n")


def removed_tests(memory: Memory) -> set[tuple[str, bool]]:
    left = without_contradictions(memory).edges
    gone = [e for e in memory.cfa.edges if e not in left]
    return {(e.source, e.label.truth) for e in gone if isinstance(e.label, Assume)}


@pytest.mark.parametrize("part", range(4))
def test_no_run_takes_what_is_left_out(tmp_path: Path, part: int) -> None:
    count = 0
    for seed in range(12 * part, 12 * (part + 1)):
        rng = random.Random(seed)
        tests = "\n    ".join(f"if ({rng.choice(TESTS)}) r++;" for _ in range(4))
        path = tmp_path / f"p{seed}.c"
        body = " ".join(rng.choices(BODY, k=rng.choice((1, 2))))
        path.write_text(FRAME.replace("BODY", body).replace("TESTS", tests), encoding="utf-8")
        program = read_program([str(path)])
        removed = removed_tests(Memory(program, program.main.cfa, typed=True))
        count += len(removed)
        for n in range(-1, 5):
            trace = replay(program, [n], malloc_may_fail=True)
            taken = {(step.location, step.truth) for step in trace.steps if step.truth is not None}
            assert taken
            assert not taken & removed, path.read_text(encoding="utf-8")
    assert count > 10


def test_a_test_that_reads_memory_stays(tmp_path: Path) -> None:
    """It may fail, which the analysis of what is left would not see."""
    path = tmp_path / "p.c"
    path.write_text(
        "int main(void) { int *p = 0; int x = 1; if (x == 2) return 1; if (x > 1 && *p == 3) return 2; return 0; }",
        encoding="utf-8",
    )
    program = read_program([str(path)])
    memory = Memory(program, program.main.cfa, typed=True)
    left = [str(e.label) for e in without_contradictions(memory).edges if isinstance(e.label, Assume)]
    assert "[x == 2]" not in left
    assert "[*p == 3]" in left
