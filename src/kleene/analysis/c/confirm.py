"""Alarms confirmed by path formulas: the analysis's own paths first, then a search towards the places of alarms.

A model of a path formula is a list of inputs; it becomes a finding only if a run on these inputs shows an error. If the
search follows all paths of the program and none has an error, that is a proof.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from kleene.analysis.c.error_paths import error_paths
from kleene.analysis.limits import GRACE, within
from kleene.cfa.operations import Exit, Return
from kleene.cfa.program import CProgram
from kleene.core.verdict import LEAKS
from kleene.diagnostics import LimitReached
from kleene.domains.explicit.explore import Confirmed
from kleene.passes.preparation import Prepared
from kleene.paths import Feasible, Infeasible, encode, feasible, replay
from kleene.paths.formulas.feasible import fault_of_run
from kleene.paths.search.directed import Search
from kleene.results.confirmation import Confirmation
from kleene.results.shape import ShapeResult
from kleene.semantics.translate import Alarm

MOST_PATHS = 12
"""Paths of the analysis that are asked about, one for each alarm."""
OWN_PATHS_SHARE = 0.5
"""Share of the time for the paths of the analysis: the search towards the alarms has the rest."""


def confirm(
    prepared: Prepared, shape: ShapeResult | None, alarms: Sequence[Alarm], *, malloc_may_fail: bool, seconds: float
) -> Confirmation:
    """Try to show these alarms of the analysis; without any (it gave up), any error."""
    end = time.monotonic() + seconds
    program = prepared.source
    result = Confirmation()
    if shape is not None and alarms:
        part = OWN_PATHS_SHARE * seconds
        within(
            part + GRACE,
            lambda: _own_paths(prepared, shape, alarms, result, malloc_may_fail=malloc_may_fail, seconds=part),
        )
    shown_already = {(c.fault.kind, c.fault.place.line) for c in result.findings}
    left = [alarm for alarm in alarms if _site(alarm) not in shown_already]
    if left or not alarms:
        wanted = frozenset(_site(alarm) for alarm in left) if left and not _leaks(left) else None
        search = Search(program, _locations(program, left), malloc_may_fail=malloc_may_fail)
        outcome = search.run(end - time.monotonic(), wanted)
        result.solver_calls += search.models.queries
        _add(result, outcome.findings)
        result.proved = outcome.proved
    return result


def _own_paths(
    prepared: Prepared,
    shape: ShapeResult,
    alarms: Sequence[Alarm],
    result: Confirmation,
    *,
    malloc_may_fail: bool,
    seconds: float,
) -> None:
    try:
        ready = prepared.inlined
    except LimitReached:
        return
    if prepared.has_flags:
        return
    end = time.monotonic() + seconds
    result.paths = error_paths(shape, ready, seconds)
    for alarm, path in [(a, p) for a, p in result.paths.items() if a in alarms][:MOST_PATHS]:
        if time.monotonic() > end:
            break
        result.solver_calls += 1
        answer = feasible(encode(ready, path, goal=alarm.kind, malloc_may_fail=malloc_may_fail))
        if isinstance(answer, Feasible):
            trace = replay(prepared.source, answer.inputs, malloc_may_fail=malloc_may_fail)
            fault = fault_of_run(trace, alarm.kind, None if alarm.kind in LEAKS else alarm.place.line)
            if fault is not None:
                _add(result, [Confirmed(fault, trace)])
            result.answers[alarm] = "no run shows it"
        elif isinstance(answer, Infeasible):
            lines = sorted({path[n].label.place.line for n in answer.core})
            plural = "s" if len(lines) > 1 else ""
            said = f" (line{plural} {', '.join(map(str, lines))})" if lines else ""
            result.answers[alarm] = f"the path of the analysis to it cannot happen{said}"
        else:
            result.answers[alarm] = f"of the path to it: {answer.reason}"


def _site(alarm: Alarm) -> tuple[str, int]:
    return alarm.kind, alarm.place.line


def _leaks(alarms: Sequence[Alarm]) -> bool:
    return any(alarm.kind in LEAKS for alarm in alarms)


def _locations(program: CProgram, alarms: Sequence[Alarm]) -> set[str]:
    """The locations of the alarms in the functions before inlining; for leaks, also the ends of the program."""
    places = {alarm.place for alarm in alarms}
    locations: set[str] = set()
    for name in program.reachable_functions:
        for edge in program.functions[name].cfa.edges:
            ends = isinstance(edge.label, Exit) or (isinstance(edge.label, Return) and name == program.entry)
            if edge.label.place in places or (ends and _leaks(alarms)):
                locations.add(edge.source)
    return locations


def _add(result: Confirmation, findings: Sequence[Confirmed]) -> None:
    known = {(c.fault.kind, c.fault.place, c.fault.detail) for c in result.findings}
    for confirmed in findings:
        fault = confirmed.fault
        if (fault.kind, fault.place, fault.detail) not in known:
            result.findings.append(confirmed)
