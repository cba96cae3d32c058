"""The time limit of the symbolic commands: it counts from the start of the process, and leaves time for the end."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import repeat
from typing import Any

from kleene.analysis.limits import process_age
from kleene.cli.symbolic_options import Clock, Specification
from kleene.smt import Limits
from kleene.smt.ground import Grounding
from kleene.smt.universe import Universe
from kleene.symbolic import SymbolicOptions

from .samples import RUNNING, THEORY


def test_what_has_passed_and_what_the_end_takes_are_not_left() -> None:
    began = time.perf_counter() - 100
    clock = Clock(began)
    assert clock.left(90) == 0
    assert 0 < clock.left(3700) <= 3600
    clock.reserve(lambda: time.sleep(0.01))
    assert clock.left(3700) <= 3600 - 0.01
    assert clock.left(100) == 0


def test_the_age_of_a_process() -> None:
    """The clock of a command in its own process begins with that process."""
    assert process_age() > 0
    assert Clock(None).left(1e6) <= 1e6 - process_age() + 0.1


class Unhurried:
    """A SAT solver that never has an answer; it keeps the numbers of conflicts that it was allowed."""

    def __init__(self) -> None:
        self.allowed: list[int] = []

    def conf_budget(self, conflicts: int) -> None:
        self.allowed.append(conflicts)

    def solve_limited(self, assumptions: list[int]) -> None:
        return None


def _portions(left: Iterator[float], conflicts: int = 200_000) -> list[int]:
    grounding: Any = Grounding(Universe(), {})
    grounding.solver.delete()
    grounding.solver = solver = Unhurried()
    assert grounding.solve([], conflicts, lambda: next(left)) is None
    return solver.allowed


def test_a_solver_that_is_not_interrupted_gets_small_portions() -> None:
    """5,000 conflicts took longer than what was left of the time."""
    halves = (10.0 / 2 ** (i // 2) for i in range(2_000))  # a portion takes half of what is left
    assert max(_portions(halves, conflicts=500)) == 50
    assert _portions(iter([10.0, 10.0, 10.0, 10.0, 5.0, 5.0, 0.0, 0.0])) == [50, 100, 50]
    assert _portions(repeat(float("inf"))) == [5_000] * 40
    quick = _portions(repeat(10.0))
    assert quick[0] == 50
    assert quick[-1] == 5_000 or sum(quick) == 200_000


def test_each_operation_of_a_command_gets_what_is_left() -> None:
    """Each check of a contract, and the result after them, had the whole limit."""
    settings = SymbolicOptions(limits=Limits(total_seconds=60))
    spec = Specification(RUNNING, THEORY, settings, {}, (), {}, Clock(time.perf_counter() - 50))
    left = spec.options.limits.total_seconds
    assert left is not None
    assert 0 < left <= 10
    half = spec.with_share(0.5).limits.total_seconds
    assert half is not None
    assert half <= 5
