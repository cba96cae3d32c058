"""The exact exploration of a client within bounds, for trials and for searches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kleene.analysis.c.budget import Budget
from kleene.cfa.program import CProgram
from kleene.diagnostics import LimitReached
from kleene.domains.explicit.explore import Exploration, explore
from kleene.domains.explicit.state import State

MOST_BLOCKS = 16
"""Blocks of the heap in a state that is followed: lists that only grow have hundreds, and show nothing new."""
FEW_INDICES = 2
"""Values of an index that are all tried: the buckets of a table are alike, and each would be a state of its own."""
STEPS_OF_A_STATE = 200
"""Steps for each state, for functions with long loops."""


@dataclass(frozen=True)
class Bounds:
    """How far an exploration goes; one that hits the seconds decides nothing."""

    states: int
    seconds: float


def explored(
    program: CProgram,
    budget: Budget,
    bounds: Bounds,
    *,
    malloc_may_fail: bool,
    stop_at_first: bool = False,
    observe: Callable[[State], None] | None = None,
) -> Exploration | LimitReached:
    """The exploration of a program, in the time that is left; `observe` sees each state at the head of a loop."""
    seconds = min(bounds.seconds, max(budget.left, 0.0))
    return budget.within(
        seconds,
        lambda: explore(
            program,
            max_states=bounds.states,
            max_steps=STEPS_OF_A_STATE * bounds.states,
            seconds=seconds,
            malloc_may_fail=malloc_may_fail,
            stop_at_first=stop_at_first,
            observe=observe,
            most_blocks=MOST_BLOCKS,
            enumerated=FEW_INDICES,
        ),
    )
