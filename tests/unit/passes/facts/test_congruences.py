"""Equations modulo a power of two: spaces against the sets of their vectors, and tests that runs never take."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import pytest

from kleene.c.reader import read_program
from kleene.cfa.operations import Assume
from kleene.passes.facts.congruences import MOST_VARIABLES, Congruences, Space, Vector
from kleene.passes.facts.memory import Memory
from kleene.paths import replay

BITS, LENGTH = 2, 3
MODULUS = 1 << BITS
ALL = list(product(range(MODULUS), repeat=LENGTH))
FRAME = """
extern int __VERIFIER_nondet_int(void);
static GLOBAL total = 7;
int main(void) {
    unsigned x = 4294967290u, y = 4294967290u, r = 0;
    int z = 2147483646, n = __VERIFIER_nondet_int();
    unsigned char c = 250;
    unsigned long wide = x;
    if (n < 0 || n > 3) return 0;
    for (int i = 0; i < n; i++) { BODY }
    TESTS
    return (int) r;
}
"""
BODY = (
    "x++; y++;",
    "x += 2; y -= 2;",
    "z++; c++;",
    "x = 3 * y;",
    "if (x == y) z = (int) x;",
    "wide = wide + 1; x = (unsigned) wide;",
    "c = (unsigned char) x; total++;",
    "y = x * y;",
    "x = -y;",
    "total = x;",
)
TESTS = ("x == y", "x != y", "x + y == 8", "x == (unsigned) z", "c == 250", "x == (unsigned) wide", "total != 7")
TESTS += ("wide == x", "3 * x != y + y + y", "z == 5", "c != (unsigned char) x", "x != total")


def combinations(vectors: list[Vector]) -> set[Vector]:
    """All sums of multiples of some vectors."""
    found = {(0,) * LENGTH}
    for vector in vectors:
        found = {
            tuple((a + k * b) % MODULUS for a, b in zip(old, vector, strict=True))
            for old in found
            for k in range(MODULUS)
        }
    return found


def members(space: Space) -> set[Vector]:
    return {vector for vector in ALL if space.has(vector)}


@pytest.mark.parametrize("seed", range(30))
def test_spaces_are_sets_of_vectors(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(10):
        vectors, others = (rng.sample(ALL, rng.randint(0, 3)) for _ in range(2))
        form = rng.choice(ALL)
        space, other = Space.spanned(BITS, vectors), Space.spanned(BITS, others)
        meant = combinations(vectors)
        assert members(space) == meant
        assert space.is_empty == all(vector[0] != 1 for vector in meant)
        assert members(space.where_zero(form)) == {v for v in meant if space.value(form, v) == 0}
        if space.rows:
            assert members(space.assigned(1, form)) == {(v[0], space.value(form, v), v[2]) for v in meant}
            assert members(space.assigned(2, None)) == {(*v[:2], k) for v in meant for k in range(MODULUS)}
        joined = space.join(other)
        assert members(joined or space) == combinations([*vectors, *others])
        assert (joined is None) == (combinations(others) <= meant)


@pytest.mark.parametrize("part", range(3))
def test_no_run_takes_a_test_that_is_contradicted(tmp_path: Path, part: int) -> None:
    count = 0
    for seed in range(20 * part, 20 * (part + 1)):
        rng = random.Random(seed)
        path = tmp_path / f"p{seed}.c"
        tests = "\n    ".join(f"if ({rng.choice(TESTS)}) r++;" for _ in range(5))
        text = FRAME.replace("BODY", " ".join(rng.choices(BODY, k=rng.choice((1, 2))))).replace("TESTS", tests)
        path.write_text(text.replace("GLOBAL", rng.choice(("int", "unsigned", "unsigned long"))), encoding="utf-8")
        program = read_program([str(path)])
        cfa = program.main.cfa
        congruences = Congruences(Memory(program, cfa, typed=True), cfa)
        never = {
            (e.source, e.label.truth)
            for e in cfa.edges
            if isinstance(e.label, Assume) and congruences.contradict(e.label.condition, e.source, truth=e.label.truth)
        }
        count += len(never)
        for n in range(-1, 5):
            trace = replay(program, [n], malloc_may_fail=True)
            taken = {(step.location, step.truth) for step in trace.steps if step.truth is not None}
            assert taken
            assert not taken & never, path.read_text(encoding="utf-8")
    assert count > 20


def test_variables_that_no_test_depends_on_cost_nothing(tmp_path: Path) -> None:
    """Only numbers that are compared for equality count, and those that they are computed from."""
    names = [f"v{k}" for k in range(MOST_VARIABLES + 1)]
    steps = " ".join(f"{name}++;" for name in names)
    declared = " ".join(f"int {name} = 0;" for name in names)
    found = {}
    for tests in ("v0 != v1", " + ".join(names) + " != 0"):
        path = tmp_path / "p.c"
        path.write_text(
            f"extern int any(void); int main(void) {{ {declared} while (any()) {{ {steps} }} if ({tests}) return 1;"
            "return 0; }",
            encoding="utf-8",
        )
        program = read_program([str(path)])
        cfa = program.main.cfa
        congruences = Congruences(Memory(program, cfa, typed=True), cfa)
        found[tests] = [
            e.label.truth
            for e in cfa.edges
            if isinstance(e.label, Assume) and congruences.contradict(e.label.condition, e.source, truth=e.label.truth)
        ]
    assert list(found.values()) == [[True], []]
