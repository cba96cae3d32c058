"""Explorations of clients end with the time of the check, and what they did not see decides nothing."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from kleene.analysis.c.budget import Budget
from kleene.analysis.c.library.contracts.stored import StoredContracts
from kleene.analysis.c.library.inference import trials
from kleene.analysis.c.library.inference.bounded import Bounds, explored
from kleene.analysis.c.library.inference.selection import Inference
from kleene.analysis.c.library.inference.trials import ClientFolder
from kleene.analysis.c.library.interface.exports import read_interface
from kleene.c.options import DEFAULT
from kleene.c.reader import read_program
from kleene.diagnostics import LimitReached

PROGRAM = """
extern int __VERIFIER_nondet_int(void);
int main(void) { unsigned n = 0; while (__VERIFIER_nondet_int()) n++; return 0; }
"""
STACK = """
#include <stdlib.h>
struct stack { int n; };
struct stack *stack_new(void) { return calloc(1, sizeof(struct stack)); }
void stack_free(struct stack *s) { free(s); }
"""
MANY = 2000


def test_an_exploration_has_the_time_that_is_left(tmp_path: Path) -> None:
    """It took the seconds of its bounds, whatever was left: a check took 17 seconds with a limit of 5."""
    file = tmp_path / "program.c"
    file.write_text(PROGRAM)
    over = Budget(time.monotonic() - 2.0, 1.0)
    result = explored(read_program([str(file)]), over, Bounds(MANY, 60.0), malloc_may_fail=True)
    assert isinstance(result, LimitReached) or (result.out_of_time and result.states < MANY)


def test_a_trial_that_had_no_time_decides_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A trial without an error counted as one that had seen enough."""
    file = tmp_path / "stack.c"
    file.write_text(STACK)
    interface = read_interface(str(file), DEFAULT)
    clients = ClientFolder(tmp_path, interface, DEFAULT)
    budget = Budget(time.monotonic(), 60.0)
    inference = Inference(interface, clients, budget, StoredContracts(), malloc_may_fail=True)
    inference.run()
    made = next(o for o in inference.inferred.accepted if o.function.name == "stack_new")
    client, program = clients.write(inference.inferred.types, [made])
    assert not trials.run_trial(client, program, budget, MANY, malloc_may_fail=True).cut_short
    monkeypatch.setattr(trials, "TRIAL_SECONDS", 0.0)
    assert trials.run_trial(client, program, budget, MANY, malloc_may_fail=True).cut_short
