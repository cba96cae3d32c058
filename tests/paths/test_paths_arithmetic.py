"""C arithmetic in path formulas, exhaustively: random conditions on one character, against all 256 runs."""

from __future__ import annotations

import random

import pytest

from kleene.cfa.operations import Error
from kleene.domains.explicit.interpreter import run
from kleene.domains.explicit.machine import Machine
from kleene.paths import Feasible, Interpolants, Undecided, encode, feasible, interpolants

from .test_paths_feasible import HEAD, paths_to

TYPES = [
    "char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long long",
    "unsigned long long",
    "_Bool",
]
CONSTANTS = [
    "0",
    "1",
    "2",
    "3",
    "7",
    "-1",
    "-5",
    "10",
    "100",
    "127",
    "128",
    "255",
    "256",
    "1000",
    "65535",
    "2147483647",
]


class Conditions:
    """Random expressions over the variables x and y."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def value(self, depth: int) -> str:
        choose = self.random.choice
        if depth == 0 or self.random.random() < 0.15:
            return choose(["x", "x", "y", choose(CONSTANTS)])
        inner = self.value(depth - 1)
        kind = self.random.random()
        if kind < 0.25:
            return f"(({choose(TYPES)})({inner}))"
        if kind < 0.4:
            return f"({choose('-~!')}{inner})" if not inner.startswith("-") else f"(~({inner}))"
        if kind < 0.55:
            return f"(({inner}) {choose('/%')} {choose(['2', '3', '7', '-4', '10u'])})"
        if kind < 0.7:
            return f"(({inner}) {choose(['<<', '>>'])} {self.random.randint(0, 7)})"
        return f"(({inner}) {choose('+-*&|^')} ({self.value(depth - 1)}))"

    def condition(self) -> str:
        sign = self.random.choice(["==", "!=", "<", "<=", ">", ">="])
        return f"{self.value(3)} {sign} {self.value(2)}"


def text_of(seed: int) -> str:
    conditions = Conditions(seed)
    declared = conditions.random.choice(TYPES)
    body = (
        f"int main(void) {{ char x = __VERIFIER_nondet_char(); {declared} y = x; y = {conditions.value(2)};"
        f" if (!({conditions.condition()})) return 0; if (!({conditions.condition()})) return 0; reach_error(); }}"
    )
    return HEAD + body


@pytest.mark.parametrize("seed", range(60))
def test_a_condition_is_feasible_iff_some_run_satisfies_it(lower, seed):
    program = lower(text_of(seed))
    machine = Machine(program, malloc_may_fail=False)
    runs = [
        run(program, [value], machine=machine, check_leaks=False, malloc_may_fail=False) for value in range(-128, 128)
    ]
    hits = {value for value, trace in zip(range(-128, 128), runs, strict=True) if trace.outcome == "error"}
    found = []
    for path in paths_to(program, lambda edge: isinstance(edge.label, Error), 64):
        formula = encode(program, path, goal="unreach_call", malloc_may_fail=False)
        answer = feasible(formula)
        assert not isinstance(answer, Undecided), answer.reason
        if isinstance(answer, Feasible):
            assert answer.inputs[0] in hits
            assert not isinstance(interpolants(formula), Interpolants)
            found.append(answer)
    assert bool(found) == bool(hits)
