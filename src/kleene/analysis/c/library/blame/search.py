"""A run that shows an error of a client which is not proved: a longer search than the trials that infer readings.

Most errors need three or four operations, and no failing allocation: without them the search comes further.
"""

from __future__ import annotations

from collections.abc import Sequence

from kleene.analysis.c.budget import Budget
from kleene.analysis.c.library.client.text import Client
from kleene.analysis.c.library.inference.bounded import Bounds, explored
from kleene.analysis.c.library.inference.trials import ClientFolder
from kleene.analysis.c.library.interface.object_types import ObjectTypes
from kleene.analysis.c.library.readings.operations import Operation
from kleene.cfa.program import CProgram
from kleene.diagnostics import LimitReached
from kleene.domains.explicit.explore import Confirmed

SEARCH_STATES = 20_000
"""States of a search: about three seconds on an idle machine. Errors in lists with texts take 3,000 to 8,000."""
SEARCH_SHARE = 0.1
"""The part of the time that is left for each exploration of a search."""


def search(
    clients: ClientFolder,
    types: ObjectTypes,
    operations: Sequence[Operation],
    budget: Budget,
    *,
    malloc_may_fail: bool,
) -> tuple[Client, Confirmed] | None:
    """The client of some operations and a run of it with an error; None if none is found."""
    plain, with_data = (clients.write(types, list(operations), with_data=data) for data in (False, True))
    several = [with_data] if with_data[0].text != plain[0].text else []  # a search tells stored pointers apart
    for client, program in (plain, *several):
        for may_fail in (False, True) if malloc_may_fail else (False,):
            run = _failing_run(program, budget, malloc_may_fail=may_fail)
            if run is not None:
                return client, run
    return None


def _failing_run(program: CProgram, budget: Budget, *, malloc_may_fail: bool) -> Confirmed | None:
    bounds = Bounds(SEARCH_STATES, SEARCH_SHARE * budget.left)
    result = explored(program, budget, bounds, malloc_may_fail=malloc_may_fail, stop_at_first=True)
    found = [] if isinstance(result, LimitReached) else result.findings
    return next((c for c in found if c.fault.detail != "exit"), None)
