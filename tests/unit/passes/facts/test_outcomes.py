"""Outcomes of comparisons that are tested later, and copies that are compared: what is known of them holds in runs."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.unit.passes.facts.test_relations import _Witness

from kleene.c.reader import read_program
from kleene.cfa.operations import Error
from kleene.domains.explicit.interpreter import run
from kleene.passes.calls.inline import inline
from kleene.passes.facts.relations.questions import Relations
from kleene.passes.prepare import whole_program

FRAME = """
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), t = 0, u = 0;
    if (a < 0 || b < 0) return 0;
    BODY
    return a + b;
}
"""
STATEMENTS = (
    "t = a == b;",
    "t = a < b;",
    "u = a != 3;",
    "u = !t;",
    "u = !(a >= b);",
    "t = u;",
    "t = (unsigned char)a == (unsigned char)b;",
    "a = __VERIFIER_nondet_int() & 7;",
    "b = a;",
    "b = a + 1;",
    "u = t == u;",
)
RANDOM_PROGRAMS = 60
INPUTS = 12


def _body(rng: random.Random, depth: int = 3) -> str:
    parts = [rng.choice(STATEMENTS) for _ in range(3)]
    if depth:
        test = rng.choice(("t", "!t", "u", "!u", "t == 0", "a == b", "a != b"))
        inner, other = _body(rng, depth - 1), _body(rng, depth - 1)
        way = f"if ({test}) {{ {inner} }} else {{ {other} }}"
        parts.append(way if rng.random() < 0.7 else f"while ({test}) {{ {inner} }}")
    return " ".join(parts)


@pytest.mark.parametrize("seed", range(RANDOM_PROGRAMS // 10))
def test_what_is_known_holds_in_runs(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    for _ in range(10):
        path = tmp_path / "program.c"
        path.write_text(FRAME.replace("BODY", _body(rng)))
        program = inline(read_program([str(path)]))
        relations = Relations(program, program.main.cfa)
        for _ in range(INPUTS):
            inputs = [rng.choice((0, 1, 2, 3, 4, 256, 259)) for _ in range(8)]
            trace = run(program, inputs, 80, malloc_may_fail=False)
            for state in trace.states():
                parts = relations.at.get(state.frames[-1].location)
                assert parts, path.read_text()
                wrong = [_Witness(known, state).with_fixed({}).check(program) for known in parts.values()]
                assert not all(wrong), (wrong[0], inputs, path.read_text())


STACK = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct stack { int data[64]; unsigned top; };
static int is_full(struct stack *s) { return s->top == FULL; }
static int is_empty(struct stack *s) { return EMPTY; }
int main(void) {
    struct stack s;
    s.top = 0;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) {
            if (!is_full(&s)) { s.data[s.top] = 1; s.top++; }
        } else if (!is_empty(&s)) {
            s.top--;
            s.data[s.top] = 0;
        }
    }
    return 0;
}
"""


@pytest.mark.parametrize(
    ("full", "empty", "inside"),
    [
        ("64", "s->top == 0", True),
        ("64", "!s->top", True),
        ("65", "s->top == 0", False),
        ("64", "s->top == 1", False),
        ("64", "s->top != 0", False),
    ],
)
def test_a_function_tells_whether_a_stack_is_full(full: str, empty: str, inside: bool, tmp_path: Path) -> None:
    """The outcome of ``top == 64`` was some number, so that nothing was known of `top` behind ``if (!is_full(s))``."""
    path = tmp_path / "program.c"
    path.write_text(STACK.replace("FULL", full).replace("EMPTY", empty))
    program = whole_program(read_program([str(path)]))
    errors = {e.label.kind for e in program.main.cfa.edges if isinstance(e.label, Error)}
    assert ("out_of_bounds" not in errors) == inside
