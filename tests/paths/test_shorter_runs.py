"""Runs without the inputs that they do not need: the same error, in fewer steps, and still a run of the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.c.reader import read_program
from kleene.domains.explicit.explore import Confirmed
from kleene.domains.explicit.interpreter import replay, run
from kleene.paths.search.shorter_runs import shortened

CLIENT = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int key; };
int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        int key = __VERIFIER_nondet_int();
        if (__VERIFIER_nondet_int()) {
            struct node *n = malloc(sizeof *n);
            if (!n) continue;
            n->key = key; n->next = list; list = n;
        } else if (list) {
            if (list->key == key) free(list);
            else list = list->next;
        }
    }
    while (list) { struct node *n = list->next; free(list); list = n; }
    return 0;
}
"""
PUSH, POP_TWO = [1, 1, 1, 1], [1, 2, 0]


def confirmed(folder: Path, inputs: list[int], kind: str) -> Confirmed:
    path = folder / "client.c"
    path.write_text(CLIENT)
    trace = run(read_program([str(path)]), inputs, malloc_may_fail=True)
    return Confirmed(next(f for f in trace.faults if f.kind == kind), trace)


@pytest.mark.parametrize("rounds", [1, 7, 40])
def test_rounds_of_the_client_are_left_out(tmp_path: Path, rounds: int) -> None:
    long = confirmed(tmp_path, [*PUSH * rounds, *[1, 1, 0], 0], "dangling_dereference")
    short = shortened(long, seconds=20)
    assert short.trace.inputs == [*PUSH, 1, 1, 0, 0]
    assert (short.fault.kind, short.fault.place) == (long.fault.kind, long.fault.place)
    assert replay(short.trace).faults == short.trace.faults


def test_another_error_is_not_taken_for_it(tmp_path: Path) -> None:
    """One push and one pop lose a block; without the pushes before, nothing else remains of the run."""
    long = confirmed(tmp_path, [*PUSH * 3, *POP_TWO, *[1, 1, 0], 0], "memory_leak")
    short = shortened(long, seconds=20)
    assert short.fault.kind == "memory_leak" and short.fault.detail == long.fault.detail
    assert len(short.trace.steps) < len(long.trace.steps)
    assert short.trace.inputs[:7] == [*PUSH, *POP_TWO]


def test_without_time_it_is_the_run_itself(tmp_path: Path) -> None:
    long = confirmed(tmp_path, [*PUSH * 9, *[1, 1, 0], 0], "dangling_dereference")
    assert shortened(long, seconds=0) is long
