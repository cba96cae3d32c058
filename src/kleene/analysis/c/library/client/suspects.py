"""Which operation keeps a client from being proved, where no error and no alarm names one.

An analysis stops at code that it does not support, or at a limit where structures multiply. The operation that executes
this code leaves the client, so that the others are proved without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kleene.analysis.c.library.client.text import MAIN
from kleene.analysis.c.library.readings.operations import Operation
from kleene.cfa.program import CProgram
from kleene.report.check.crowding import crowds
from kleene.results.check import CheckReport
from kleene.results.shape import ShapeResult

_MOST_CROWDS = 5
"""Crowded locations that are looked at: the first ones may be in the client itself."""


def suspect(check: CheckReport, program: CProgram, operations: Sequence[Operation]) -> Operation | None:
    """The operation with the code at which the analysis stopped, or the one with the most code; None if none may go.

    What makes or ends objects stays: the others could not be called without it, or would lose their objects.
    """
    needed = [o for o in operations if not o.makes and not o.ends and not o.outcome_replaces]
    if not needed or len(operations) == 1:
        return None
    reached = {o: program.reached_from(o.function.name) for o in needed}
    for function in _stopped_in(check):
        executing = [o for o in needed if function in reached[o]]
        if executing and len(executing) < len(needed):
            return max(executing, key=lambda o: (o.function.name == function, _size(program, reached[o])))
    return max(needed, key=lambda o: _size(program, reached[o]))


def _stopped_in(check: CheckReport) -> Iterator[str]:
    """The functions in which the analysis stopped: those with unsupported code, then those with most structures."""
    shape = check.shape
    if not isinstance(shape, ShapeResult):
        return
    yield from (a.place.function for a in shape.alarms if a.kind == "unsupported" and a.place.function != MAIN)
    yield from (c.place.function for c in crowds(shape, _MOST_CROWDS) if c.place.function != MAIN)


def _size(program: CProgram, names: Sequence[str]) -> int:
    return sum(len(program.functions[name].cfa.edges) for name in names if name in program.functions)
