"""Path formulas: which paths can happen, on which inputs, and that the interpreter agrees."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import pytest

from kleene.cfa.graph import Edge
from kleene.cfa.operations import Allocate, Error, Free, Operation
from kleene.cfa.program import CProgram
from kleene.paths import Feasible, Infeasible, PathStep, Undecided, encode, fault_of_run, feasible, replay

HEAD = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void);
extern void reach_error(void);
struct node { struct node *next; int data; };
"""


def paths_to(
    program: CProgram, wanted: Callable[[Edge[Operation]], bool], most: int = 4
) -> list[list[Edge[Operation]]]:
    """The shortest paths to an edge."""
    cfa = program.main.cfa
    waiting: deque[tuple[str, tuple[Edge[Operation], ...]]] = deque([(cfa.entry, ())])
    found = []
    while waiting and len(found) < most:
        location, path = waiting.popleft()
        for edge in cfa.leaving(location):
            if wanted(edge):
                found.append([*path, edge])
            elif len(path) < 120:
                waiting.append((edge.target, (*path, edge)))
    return found


def to_error(program: CProgram) -> list[Edge[Operation]]:
    return paths_to(program, lambda edge: isinstance(edge.label, Error), 1)[0]


@pytest.mark.parametrize(
    ("condition", "value"),
    [
        ("x * 7 == 91", lambda x: (x * 7 - 91) % 2**32 == 0),
        ("x % 2 == -1", lambda x: x < 0 and x % 2 == 1),
        ("(x & 255) == 17 && x > 1000", lambda x: x & 255 == 17 and x > 1000),
        ("x + 1 < x", lambda x: x == 2**31 - 1),
        ("x / 10 == -3", lambda x: -40 < x <= -30),
        ("(unsigned)x >> 28 == 15", lambda x: -(2**28) <= x < 0),
        ("x >> 28 == -8", lambda x: x < -(2**31) + 2**28),
        ("(char)x == -1 && x != -1", lambda x: x & 255 == 255 and x != -1),
        ("(x ^ 12345) == 54321", lambda x: x ^ 12345 == 54321),
        ("~x == 41", lambda x: x == -42),
        ("(_Bool)x == 1 && !(x - 6)", lambda x: x == 6),
        ("(unsigned)x > 4294967290u", lambda x: -5 <= x < 0),
        ("(long long)x * 4 == 8589934588ll", lambda x: x == 2**31 - 1),
        ("(unsigned char)x == 200 && (signed char)x < 0", lambda x: x & 255 == 200),
    ],
)
def test_conditions_on_data_have_models_that_the_interpreter_confirms(lower, condition, value):
    program = lower(HEAD + f"int main(void) {{ int x = __VERIFIER_nondet_int(); if ({condition}) reach_error(); }}")
    answer = feasible(encode(program, to_error(program), goal="unreach_call", malloc_may_fail=True))
    assert isinstance(answer, Feasible)
    assert value(answer.inputs[0]), answer.inputs
    assert fault_of_run(replay(program, answer.inputs, malloc_may_fail=True), "unreach_call") is not None


@pytest.mark.parametrize(
    "condition",
    ["x * 2 == 7", "x % 2 == 2", "x > 5 && x < 3", "(x & 1) == 2", "(unsigned char)x > 255", "x / 10 == 300000000"],
)
def test_conditions_that_nothing_satisfies(lower, condition):
    program = lower(HEAD + f"int main(void) {{ int x = __VERIFIER_nondet_int(); if ({condition}) reach_error(); }}")
    answer = feasible(encode(program, to_error(program), goal="unreach_call", malloc_may_fail=True))
    assert isinstance(answer, Infeasible)


LIST = (
    HEAD
    + """
int main(void) {
  struct node *p = malloc(sizeof *p);
  p->data = __VERIFIER_nondet_int();
  p->next = NULL;
  if (p->data == 5) free(p);
  free(p);
  return 0;
}
"""
)


def test_the_path_says_whether_an_allocation_fails(lower):
    """Without a check for NULL, the same path is an error or none, by how malloc ends."""
    program = lower(LIST)
    path = paths_to(program, lambda e: "p->data = " in str(e.label), 1)[0]
    for succeeds, expected in ((True, Infeasible), (False, Feasible), (None, Feasible)):
        steps = [PathStep(e, succeeds if isinstance(e.label, Allocate) else None) for e in path]
        answer = feasible(encode(program, steps, goal="null_dereference", malloc_may_fail=True))
        assert isinstance(answer, expected)
        if isinstance(answer, Feasible):
            assert answer.inputs[0] == 0
            assert answer.reasons[0] == "malloc succeeds"


def test_a_double_free_needs_the_first(lower):
    program = lower(LIST)
    found = {}
    for path in paths_to(program, lambda e: e.target == program.main.exit, 4):
        frees = [n for n, edge in enumerate(path) if isinstance(edge.label, Free)]
        prefix = path[: frees[-1] + 1]
        answer = feasible(encode(program, prefix, goal="double_free", malloc_may_fail=False))
        found[len(frees)] = answer
    assert isinstance(found[1], Infeasible)
    assert isinstance(found[2], Feasible)
    assert found[2].inputs == (5,)
    assert fault_of_run(replay(program, found[2].inputs, malloc_may_fail=False), "double_free") is not None


def test_garbage_is_chosen_and_stays_the_same(lower):
    """An uninitialised pointer may be NULL or not, but not both; dereferenced, it is an error that a run shows."""
    text = HEAD + "int main(void) { struct node *p; if (p) { if (!p) reach_error(); return p->data; } return 0; }"
    program = lower(text)
    answer = feasible(encode(program, to_error(program), goal="unreach_call", malloc_may_fail=True))
    assert isinstance(answer, Infeasible)
    path = paths_to(program, lambda e: "p->data" in str(e.label), 1)[0]
    answer = feasible(encode(program, path, goal="uninitialized_pointer", malloc_may_fail=True))
    assert isinstance(answer, Feasible)
    trace = replay(program, answer.inputs, malloc_may_fail=True)
    assert not trace.tainted
    assert fault_of_run(trace, "uninitialized_pointer") is not None


def test_what_is_not_modelled_is_undecided(lower):
    text = HEAD + "int main(void) { int x = __VERIFIER_nondet_int(); double d = x; if (d > 2.5) reach_error(); }"
    program = lower(text)
    answer = feasible(encode(program, to_error(program), goal="unreach_call", malloc_may_fail=True))
    assert isinstance(answer, Undecided)
    assert "floating" in answer.reason


def test_division_by_zero_is_undecided_and_other_divisors_are_not(lower):
    text = HEAD + "int main(void) { int x = __VERIFIER_nondet_int(); if (100 / x == 7) reach_error(); }"
    program = lower(text)
    answer = feasible(encode(program, to_error(program), goal="unreach_call", malloc_may_fail=True))
    assert isinstance(answer, Feasible)
    assert 100 // answer.inputs[0] == 7


def test_a_solver_that_gives_up_is_undecided(lower):
    text = HEAD + (
        "int main(void) { unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();"
        " unsigned long long p = (unsigned long long)a * b;"
        " if (a > 1 && b > 1 && p == 18446743979220271189ull) reach_error(); }"
    )
    program = lower(text)
    answer = feasible(encode(program, to_error(program), goal="unreach_call", malloc_may_fail=True), limit=2_000)
    assert isinstance(answer, Undecided)
    assert "gave up" in answer.reason


def test_an_index_that_depends_on_an_input(lower):
    text = HEAD + (
        "int main(void) { int a[4] = {3, 1, 4, 1}; int i = __VERIFIER_nondet_int();"
        " if (i < 0 || i > 3) return 0; if (a[i] == 4) reach_error(); }"
    )
    program = lower(text)
    for path in paths_to(program, lambda e: isinstance(e.label, Error)):
        answer = feasible(encode(program, path, goal="unreach_call", malloc_may_fail=True))
        if isinstance(answer, Feasible):
            assert answer.inputs == (2,)
            return
    pytest.fail("no path is feasible")


def test_a_path_does_not_go_on_after_an_error(lower):
    program = lower(HEAD + "int main(void) { struct node *p = NULL; p->data = 1; reach_error(); }")
    assert isinstance(
        feasible(encode(program, to_error(program), goal="unreach_call", malloc_may_fail=True)), Infeasible
    )
    write = paths_to(program, lambda e: "p->data" in str(e.label), 1)[0]
    assert isinstance(feasible(encode(program, write, malloc_may_fail=True)), Infeasible)
    assert isinstance(feasible(encode(program, write, goal="null_dereference", malloc_may_fail=True)), Feasible)


def test_leaks(lower):
    text = HEAD + (
        "int main(void) { struct node *p = malloc(sizeof *p); if (!p) return 1;"
        " if (__VERIFIER_nondet_int() == 9) p = NULL; else { free(p); } return 0; }"
    )
    program = lower(text)
    path = paths_to(program, lambda e: str(e.label) == "p = NULL", 1)[0]
    answer = feasible(encode(program, path, goal="memory_leak", malloc_may_fail=True))
    assert isinstance(answer, Feasible)
    assert answer.inputs == (1, 9)
    trace = replay(program, answer.inputs, malloc_may_fail=True)
    assert fault_of_run(trace, "memory_leak") is not None
