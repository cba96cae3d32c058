"""Parts of functions that no run executes, whether functions that are left out of a client take part or not.

A list without its insertion is empty, so that most of a removal is never executed: what is proved of it says nothing.
But a test for a node before the head is never true, and an insertion that is left out does not change that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kleene.analysis.c.budget import Budget
from kleene.analysis.c.library.inference.trials import TRIAL_STATES, ClientFolder, run_trial, steps_for, steps_of
from kleene.analysis.c.library.interface.object_types import ObjectTypes
from kleene.analysis.c.library.readings.operations import Operation as Reading
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assume, Operation, Skip
from kleene.cfa.program import CProgram


def with_branches(program: CProgram) -> CProgram:
    """The program with a location on each branch that has nothing else: `if (!node) node = make();` has such a one."""
    functions = {}
    for function in program.functions.values():
        edges: list[Edge[Operation]] = []
        for edge in function.cfa.edges:
            if isinstance(edge.label, Assume) and len(function.cfa.entering(edge.target)) > 1:
                between = f"{edge.source} branch {len(edges)}"
                edges += [Edge(edge.source, edge.label, between), Edge(between, Skip(edge.label.place), edge.target)]
            else:
                edges.append(edge)
        functions[function.name] = replace(function, cfa=Cfa(function.cfa.entry, tuple(edges)))
    return replace(program, functions=functions)


def parts_of(program: CProgram, operation: Reading) -> frozenset[tuple[str, str]]:
    """The locations of a function from which a run makes a step, and of those of the library that it calls."""
    name = operation.function.name
    called = (f for f in program.reached_from(name) if f != name and f in program.functions)
    called = (f for f in called if program.functions[f].place.file == program.functions[name].place.file)
    own = {(name, location) for location in steps_for(program, operation)}
    return frozenset(own | {(f, location) for f in called for location in steps_of(program, f)})


def never_executed(
    clients: ClientFolder,
    types: ObjectTypes,
    operations: Sequence[Reading],
    left_out: Sequence[Reading],
    parts: Mapping[str, frozenset[tuple[str, str]]],
    budget: Budget,
    *,
    malloc_may_fail: bool,
) -> set[str]:
    """The functions whose parts, some of their locations, are not executed with what is left out, either.

    This must be executed as a whole: an operation that fails before it does anything adds nothing to what runs show.
    """
    client, program = clients.write(types, [*operations, *left_out], with_data=True)  # a search tells pointers apart
    program = with_branches(program)
    trial = run_trial(client, program, budget, TRIAL_STATES, malloc_may_fail=malloc_may_fail, stops_at_first=False)
    executed = trial.exploration.visited
    if trial.cut_short:
        return set()
    for operation in left_out:
        name = operation.function.name
        if any((name, location) not in executed for location in steps_for(program, operation)):
            return set()
    return {name for name, own in parts.items() if not own & executed}
