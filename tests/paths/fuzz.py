"""Random programs: every run is a possible path, and a path that is said to be impossible has no run.

PYTHONPATH=.:src:tests python -m paths.fuzz FIRST LAST
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.fuzz_c.generators.structures import program as random_program

from kleene.c import read_program
from kleene.cfa.operations import Assume
from kleene.cfa.program import CProgram
from kleene.domains.explicit.interpreter import Trace, run
from kleene.passes.calls.inline import inline
from kleene.paths import (
    Failure,
    Feasible,
    Infeasible,
    Interpolants,
    encode,
    fault_of_run,
    feasible,
    interpolants,
    replay,
)

from .conftest import path_of_run, random_inputs
from .second_opinion import inductive

RUNS = 4
STEPS = 250


def problems_of(seed: int, runs: int = RUNS, steps: int = STEPS) -> tuple[list[str], dict[str, int]]:
    """What is wrong on one random program, and how many paths were looked at."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.c"
        path.write_text(random_program(seed))
        program = inline(read_program(path))
    counts = dict.fromkeys(("feasible", "infeasible", "undecided", "interpolants", "failures"), 0)
    found: list[str] = []
    for number in range(runs):
        inputs = random_inputs(seed * runs + number)
        trace = run(program, inputs, steps, malloc_may_fail=True, choose_garbage=True)
        if not trace.tainted and trace.outcome not in ("unsupported", "blocked"):
            found += _check_run(program, trace, counts)
            found += _check_neighbours(program, trace, counts)
    return [f"seed {seed}: {text}" for text in found], counts


def _goal(trace: Trace) -> str | None:
    return trace.faults[-1].kind if trace.outcome == "error" else None


def _check_run(program: CProgram, trace: Trace, counts: dict[str, int]) -> list[str]:
    """The path of a run is possible, and the model's inputs do the same; so it has no interpolants."""
    formula = encode(program, path_of_run(trace), goal=_goal(trace), malloc_may_fail=True)
    answer = feasible(formula)
    if isinstance(answer, Infeasible):
        return [f"the run on {trace.inputs} is said to be infeasible: {answer}"]
    if not isinstance(answer, Feasible):
        counts["undecided"] += 1
        return []
    counts["feasible"] += 1
    again = replay(program, answer.inputs, malloc_may_fail=True, steps=len(trace.steps))
    problems = []
    if [(s.location, s.truth) for s in again.steps] != [(s.location, s.truth) for s in trace.steps]:
        problems.append(f"the inputs {answer.inputs} of the model take another path than {trace.inputs}")
    if _goal(trace) is not None and fault_of_run(again, _goal(trace) or "") is None:
        problems.append(f"the inputs {answer.inputs} of the model do not show {_goal(trace)}")
    if isinstance(interpolants(formula), Interpolants):
        problems.append(f"interpolants for the run on {trace.inputs}")
    return problems


def _check_neighbours(program: CProgram, trace: Trace, counts: dict[str, int]) -> list[str]:
    """The same path with its last decision turned round: possible with a replay, or not possible with a reason."""
    path = path_of_run(trace)
    places = [n for n, edge in enumerate(path) if isinstance(edge.label, Assume)]
    problems = []
    for place in places[-6:]:
        edge = path[place]
        other = next((e for e in program.main.cfa.leaving(edge.source) if e != edge), None)
        if other is None:
            continue
        formula = encode(program, [*path[:place], other], malloc_may_fail=True)
        answer = feasible(formula)
        if isinstance(answer, Feasible):
            counts["feasible"] += 1
            again = replay(program, answer.inputs, malloc_may_fail=True, steps=place + 1)
            if path_of_run(again) != [*path[:place], other]:
                problems.append(f"the inputs {answer.inputs} do not take the other branch at step {place}")
        elif isinstance(answer, Infeasible):
            counts["infeasible"] += 1
            problems += _check_infeasible(program, formula, place, counts)
        else:
            counts["undecided"] += 1
    return problems


def _check_infeasible(program: CProgram, formula, place: int, counts: dict[str, int]) -> list[str]:
    wanted = [step.edge for step in formula.steps]
    for seed in range(6):
        trace = run(program, random_inputs(seed), place + 1, malloc_may_fail=True, choose_garbage=True)
        if not trace.tainted and path_of_run(trace) == wanted:
            return [f"a run on {trace.inputs} takes an infeasible path"]
    found = interpolants(formula)
    if isinstance(found, Failure):
        counts["failures"] += 1
        counts[found.reason] = counts.get(found.reason, 0) + 1
        return []
    counts["interpolants"] += 1
    return inductive(formula, found)


if __name__ == "__main__":
    total: dict[str, int] = {}
    for seed in range(int(sys.argv[1]), int(sys.argv[2])):
        texts, counts = problems_of(seed)
        for name, count in counts.items():
            total[name] = total.get(name, 0) + count
        print(seed, counts, flush=True)  # noqa: T201
        for text in texts:
            print(text, flush=True)  # noqa: T201
    print(total)  # noqa: T201
