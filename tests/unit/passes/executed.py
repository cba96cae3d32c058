"""All runs of a rewritten program: for all choices of the analysis, and for some values of what the program reads."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from kleene.cfa.program import CProgram
from kleene.domains.explicit.interpreter import run
from kleene.domains.explicit.machine import Machine

Answer = tuple[str, int | None, str]
"""How a run ends, its status, and the kind of its error."""
MOST_RUNS = 4000
MOST_STEPS = 3000
"""Of one run: a mutant of a pass may make a loop that does not end."""


def answer(program: CProgram, inputs: Sequence[int]) -> Answer:
    """How the run on these inputs ends."""
    return next(iter(answers(program, lambda _, number: inputs[number : number + 1])), ("blocked", None, ""))


def answers(program: CProgram, values: Callable[[str, int], Collection[int]], given: Sequence[int] = ()) -> set[Answer]:
    """How the runs end, but those of which an assumption fails.

    `values` are those of an input that is read for a reason, as the n-th one that is read for this reason; the first
    inputs may be `given`.
    """
    machine = Machine(program, malloc_may_fail=False)
    ended, waiting = set(), [list(given)]
    for _ in range(MOST_RUNS):
        if not waiting:
            return ended
        begun = waiting.pop()
        trace = run(program, begun, MOST_STEPS, malloc_may_fail=False, check_leaks=False, machine=machine)
        for place in range(len(begun), len(trace.inputs)):
            why = trace.reasons[place]
            allowed = values(why, trace.reasons[:place].count(why))
            waiting += [[*trace.inputs[:place], v] for v in allowed if v != trace.inputs[place]]
            if trace.inputs[place] not in allowed:  # what follows in this run is none of the program's
                break
        else:
            if trace.outcome != "blocked":
                ended.add((trace.outcome, trace.status, trace.fault.kind if trace.fault else ""))
    raise AssertionError("too many runs")
