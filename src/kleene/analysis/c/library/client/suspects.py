"""Which operation keeps a client from being proved, where no error and no alarm names one.

An analysis stops at code that it does not support, or at a limit where structures multiply. The operation that executes
this code leaves the client, so that the others are proved without it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from kleene.analysis.c.library.client.text import MAIN, Client
from kleene.analysis.c.library.readings.operations import ELEMENTS, Operation, Role
from kleene.cfa.expressions import Variable
from kleene.cfa.operations import Allocate, Assign, Free, Realloc
from kleene.cfa.operations import Operation as CfaOperation
from kleene.cfa.program import CProgram
from kleene.cfa.types import PointerType
from kleene.report.check.crowding import crowds
from kleene.results.check import CheckReport
from kleene.results.shape import ShapeResult

_MOST_CROWDS = 5
"""Crowded locations that are looked at: the first ones may be in the client itself."""


def suspect(check: CheckReport, program: CProgram, client: Client, operations: Sequence[Operation]) -> Operation | None:
    """The operation with the code at which the analysis stopped, or the one with the most code; None if none may go.

    What makes or ends objects stays: the others could not be called without it, or would lose their objects. What fills
    objects goes last.
    """
    needed = [o for o in operations if not o.makes and not o.ends and not o.outcome_replaces]
    if not needed or len(operations) == 1:
        return None
    walks = {o: {client.walks.get(name, "") for name in o.records_in(*ELEMENTS)} for o in needed}
    reached = {o: {*program.reached_from(o.function.name), *walks[o]} for o in needed}
    for function in _stopped_in(check):
        executing = [o for o in needed if function in reached[o]]
        if executing and len(executing) < len(needed):
            return max(executing, key=lambda o: (o.function.name == function, _size(program, reached[o])))
    return max(needed, key=lambda o: (not fills(program, o), _size(program, reached[o])))


def rearranging(program: CProgram, operations: Sequence[Operation]) -> list[Operation]:
    """The operations that change links in a loop and neither allocate nor free, such as a reversal or a sort.

    While such a loop runs, facts about whole objects do not hold, such as that a number counts the elements. Without
    these operations the others can still be executed. Where there are none, operations without a loop that do the same.
    """
    candidates = [o for o in operations if not o.makes and not o.ends and not o.outcome_replaces]
    reached = {o: [program.functions[n] for n in program.reached_from(o.function.name)] for o in candidates}
    edges = {o: [(f, e) for f in functions for e in f.cfa.edges] for o, functions in reached.items()}
    only = [o for o in candidates if not any(isinstance(e.label, Allocate | Realloc | Free) for _, e in edges[o])]
    links = {o: [(f, e) for f, e in edges[o] if _sets_link(e.label)] for o in only}
    in_loops = [o for o in only if any(f.cfa.loop_depth.get(e.source, 0) for f, e in links[o])]
    return in_loops or [o for o in only if links[o]]


def _sets_link(operation: CfaOperation) -> bool:
    """Whether an operation stores a pointer in memory."""
    return (
        isinstance(operation, Assign)
        and isinstance(operation.target.type, PointerType)
        and not isinstance(operation.target, Variable)
    )


def fills(program: CProgram, operation: Operation) -> bool:
    """Whether an operation allocates blocks, or gets them: the others may have nothing to work on without it."""
    if {Role.BLOCK, Role.GIVEN, Role.LOOSE} & set(operation.roles):
        return True
    names = program.reached_from(operation.function.name)
    return any(isinstance(e.label, Allocate | Realloc) for n in names for e in program.functions[n].cfa.edges)


def _stopped_in(check: CheckReport) -> Iterator[str]:
    """The functions in which the analysis stopped: those with unsupported code, then those with most structures."""
    shape = check.shape
    if not isinstance(shape, ShapeResult):
        return
    yield from (a.place.function for a in shape.alarms if a.kind == "unsupported" and a.place.function != MAIN)
    yield from (c.place.function for c in crowds(shape, _MOST_CROWDS) if c.place.function != MAIN)


def _size(program: CProgram, names: Collection[str]) -> int:
    return sum(len(program.functions[name].cfa.edges) for name in names if name in program.functions)
