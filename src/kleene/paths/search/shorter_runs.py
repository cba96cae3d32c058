"""Shorter runs to the same error: inputs are left out as long as the error is still shown.

Exact exploration finds a shortest run, because it goes breadth first. A run that a search found on long or drawn inputs
may call an operation many times that is not needed. Rounds of the client's loop are left out, and then single inputs,
many first (Zeller, Hildebrandt. Simplifying and isolating failure-inducing input, TSE 2002); the interpreter runs each
rest from the start, so what remains is a run of the program like any other.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from kleene.domains.explicit.explore import Confirmed
from kleene.domains.explicit.interpreter import Trace, run
from kleene.domains.explicit.machine import Machine

SHORTEN_SECONDS = 0.5
"""Most seconds for one run: it must end within the second that a time limit may be exceeded."""


def shortened(confirmed: Confirmed, seconds: float = SHORTEN_SECONDS) -> Confirmed:
    """A run with the same error and not more steps."""
    deadline = time.monotonic() + seconds
    machine = Machine(confirmed.trace.program, malloc_may_fail=confirmed.trace.malloc_may_fail)
    best: Confirmed | None = confirmed
    while best is not None:
        confirmed, best = best, None
        inputs = confirmed.trace.inputs
        for start, end in _cuts(confirmed.trace):
            if time.monotonic() > deadline:
                return confirmed
            best = _with_inputs(confirmed, inputs[:start] + inputs[end:], machine)
            if best is not None:
                break
    return confirmed


def _cuts(trace: Trace) -> Iterator[tuple[int, int]]:
    """Which inputs could be left out: those of rounds of a loop of the entry, many first, and then any in a row."""
    entry = min((step.depth for step in trace.steps), default=0)
    visits: dict[str, list[int]] = {}
    for step in trace.steps:
        if step.depth == entry:
            visits.setdefault(step.location, []).append(step.input)
    rounds = sorted({tuple(positions) for positions in visits.values()}, key=len, reverse=True)
    for positions in (*rounds, range(len(trace.inputs) + 1)):
        size = len(positions) - 1
        while size > 0:
            for first in range(0, len(positions) - size, max(size // 2, 1)):
                yield positions[first], positions[first + size]
            size //= 2


def _with_inputs(confirmed: Confirmed, inputs: list[int], machine: Machine) -> Confirmed | None:
    """The run on these inputs, if it shows the error in fewer steps."""
    old, fault = confirmed.trace, confirmed.fault
    trace = run(
        old.program,
        inputs,
        len(old.steps),
        malloc_may_fail=old.malloc_may_fail,
        choose_garbage=old.choose_garbage,
        machine=machine,
    )
    same = [f for f in trace.faults if (f.kind, f.place, f.detail) == (fault.kind, fault.place, fault.detail)]
    return Confirmed(same[0], trace) if same and len(trace.steps) < len(old.steps) else None
