"""The call of a failing run whose block was not allocated: the operation that does not test it is to blame."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from kleene.analysis.c.library.client.text import CLIENT, Client
from kleene.analysis.c.library.readings.operations import Operation
from kleene.cfa.operations import Allocate, Call, Place, Realloc
from kleene.cfa.program import CProgram
from kleene.domains.explicit.explore import Confirmed
from kleene.domains.explicit.interpreter import TraceStep
from kleene.domains.explicit.outside.world import MALLOC


@dataclass(frozen=True)
class FailedAllocation:
    """A call in an operation, or below it, that got NULL for a block."""

    operation: Operation
    place: Place


def failed_allocations(run: Confirmed, client: Client) -> Iterator[FailedAllocation]:
    """Where the last allocation of a run that fails was called: in the operation first, then in its functions."""
    steps, trace = run.trace.steps, run.trace
    failed = [
        i
        for i, step in enumerate(steps)
        if isinstance(step.operation, Allocate | Realloc)
        and step.input < len(trace.inputs)
        and trace.reasons[step.input] == MALLOC
        and trace.inputs[step.input] == 0
    ]
    if not failed:
        return
    active = _active(steps[: failed[-1] + 1])
    operation = client.lines.get(active[0].operation.place.line)
    if operation is None or Path(active[0].operation.place.file).name != CLIENT:
        return
    for step in active[1:]:
        place = step.operation.place
        if isinstance(step.operation, Allocate | Realloc | Call) and Path(place.file).name != CLIENT:
            yield FailedAllocation(operation, place)


def _active(steps: list[TraceStep]) -> list[TraceStep]:
    """The steps that are not finished when the last one is executed: one for each active function."""
    active: list[TraceStep] = []
    for step in reversed(steps):
        if not active or step.depth < active[-1].depth:
            active.append(step)
    return active[::-1]


def executes_spared(program: CProgram, function: str, places: Collection[Place]) -> str:
    """A function that does not test what it allocates, and that another one executes; empty if there is none."""
    reached = program.reached_from(function)
    return next(iter(sorted(p.function for p in places if p.function in reached)), "")
