"""The operation of a failing run that breaks what the other operations keep.

A list whose `prev` no longer leads back fails in the function that uses `prev` next. That function is not to blame. A
fact is what the operations keep if it holds somewhere, in the run or in runs of the others, and the others break it
nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from kleene.analysis.c.library.blame.heap_facts import (
    HasItsPlace,
    Heap,
    HeapFact,
    IsHeldOnce,
    IsSet,
    LeadsBack,
    StoredOnce,
    Truth,
    possible_facts,
    truth_of,
)
from kleene.analysis.c.library.client.text import CLIENT, MAIN, Client
from kleene.analysis.c.library.readings.operations import Operation
from kleene.cfa.types import RecordLayout
from kleene.domains.explicit.explore import Confirmed
from kleene.domains.explicit.state import State

_REFERS = re.compile(
    r"(^|_)(add_?|inc_?)?(ref|reference|retain|hold|acquire|grab|get|keep|use|share)(_|$)", re.IGNORECASE
)
"""Names of functions that take a reference to an object."""


@dataclass(frozen=True)
class Breach:
    """An operation that leaves an object in which a fact is broken."""

    operation: Operation
    fact: HeapFact
    needs_others: bool
    """Whether the run itself has no state in which the fact holds."""
    is_passing: bool = False
    """Whether the fact holds again before the error."""

    @property
    def takes_reference(self) -> bool:
        """Whether the function is to take a reference, as its name says: its caller has to give it back."""
        return isinstance(self.fact, IsHeldOnce) and bool(_REFERS.search(self.operation.function.name))

    @property
    def words(self) -> str:
        return f"{self.operation.function.name} leaves an object in which {self.fact.broken}"


class Observer:
    """What the states between two operations say of facts, all together."""

    def __init__(self, client: Client, records: Mapping[str, RecordLayout]) -> None:
        self._client = client
        self._records = records
        self.truths: dict[HeapFact, set[Truth]] = {fact: set() for fact in possible_facts(records)}
        self.has_error = False
        """Whether a run of the observed operations fails."""

    def __call__(self, state: State) -> None:
        if len(state.frames) == 1 and state.frames[0].function == MAIN:
            for fact, truth in _truths(state, self._client, self._records).items():
                self.truths[fact].add(truth)

    def keep(self, breach: Breach) -> bool:
        """Whether the observed operations keep the fact of a breach: it holds somewhere if it must, and always else."""
        truths = self.truths[breach.fact]
        return Truth.BROKEN not in truths and (Truth.HOLDS in truths or not breach.needs_others)

    def never_break(self, breach: Breach) -> bool:
        """Whether the observed operations break the fact of a breach nowhere."""
        return Truth.BROKEN not in self.truths[breach.fact]


def _failing_operation(run: Confirmed, client: Client) -> Operation | None:
    """The operation in which a run fails."""
    places = [step.operation.place for step in run.trace.steps]
    lines = [place.line for place in places if Path(place.file).name == CLIENT and place.line in client.lines]
    return client.lines[lines[-1]] if lines else None


def breaches(run: Confirmed, client: Client, records: Mapping[str, RecordLayout]) -> list[Breach]:
    """The operations of a failing run, other than the last one, that break a fact which stays broken; first ones first.

    That a member is set counts only where the error is a pointer that nothing has set, and that an object is held once
    only where a block is lost.
    """
    between = _between_operations(run, client, records)
    if not between:
        return []
    last = between[-1][1]
    garbage = run.fault.kind.startswith("uninitialized")
    listed: list[Breach] = []
    for fact, truth in last.items():
        if truth is not Truth.BROKEN or (isinstance(fact, IsSet) and not garbage):
            continue
        if isinstance(fact, IsHeldOnce) and run.fault.kind != "memory_leak":
            continue
        first = next(i for i in range(len(between)) if all(t[fact] is Truth.BROKEN for _, t in between[i:]))
        operation = between[first][0]
        if operation is not None:
            held = any(t[fact] is Truth.HOLDS for _, t in between[:first])
            listed.append(Breach(operation, fact, needs_others=not held and not isinstance(fact, IsSet)))
    order = [o for o, _ in between]
    return sorted(listed, key=lambda b: order.index(b.operation))


def passing_breaches(run: Confirmed, client: Client, records: Mapping[str, RecordLayout]) -> list[Breach]:
    """The operations of a failing run that break a fact which holds again later; first ones first.

    An operation that relies on a broken fact may set it right and break another one: a queue whose `tail` is NULL gets
    a tail that is not reached from its head. A datum that was stored twice is stored once when one of the two is out:
    the clients that observe the others store none, so that the run itself shows that it was stored once before.
    """
    between = _between_operations(run, client, records)
    listed: list[Breach] = []
    for place, (operation, truths) in enumerate(between):
        later = [other for _, other in between[place + 1 :]]
        lasting = IsSet | IsHeldOnce
        broken = [fact for fact, truth in truths.items() if truth is Truth.BROKEN and not isinstance(fact, lasting)]
        passing = [fact for fact in broken if any(other[fact] is not Truth.BROKEN for other in later)]
        if operation is None:
            continue
        for fact in passing:
            once = isinstance(fact, StoredOnce) and any(t[fact] is Truth.HOLDS for _, t in between[:place])
            listed.append(Breach(operation, fact, needs_others=not once, is_passing=True))
    return listed


_Between = list[tuple[Operation | None, dict[HeapFact, Truth]]]
"""For each state between two operations, the operation before it, and what the state says of facts."""


def _between_operations(run: Confirmed, client: Client, records: Mapping[str, RecordLayout]) -> _Between:
    listed: _Between = []
    operation: Operation | None = None
    for step, state in zip(run.trace.steps, run.trace.states(), strict=False):
        if len(state.frames) != 1 or Path(step.operation.place.file).name != CLIENT:
            continue
        here = client.lines.get(step.operation.place.line)
        if here is not None:
            operation = here
        elif operation is not None:
            listed.append((operation, _truths(state, client, records)))
            operation = None
    return listed


def _truths(state: State, client: Client, records: Mapping[str, RecordLayout]) -> dict[HeapFact, Truth]:
    roots = {v: record for record, variable in client.objects.items() for v in client.variables_of(variable)}
    heap = Heap(state, roots, records)
    return {fact: truth_of(fact, heap) for fact in possible_facts(records)}


def breaking_operation(
    run: Confirmed,
    client: Client,
    records: Mapping[str, RecordLayout],
    observed: Callable[[Operation], Observer | None],
) -> Breach | None:
    """The operation of a failing run that breaks what the others keep; None if none does.

    `observed` has the states of the other operations, without the given one; None if they cannot be executed.
    """
    known: dict[Operation, Observer | None] = {}

    def others_of(breach: Breach) -> Observer | None:
        if breach.operation not in known:
            known[breach.operation] = observed(breach.operation)
        return known[breach.operation]

    failing = _failing_operation(run, client)

    def is_to_blame(breach: Breach) -> bool:
        others = others_of(breach)
        is_alone = breach.is_passing or isinstance(breach.fact, IsHeldOnce)  # the others have no error without it
        if others is None or (is_alone and others.has_error):
            return False
        return others.keep(breach) or (others.never_break(breach) and establishes(breach))

    def establishes(breach: Breach) -> bool:
        """Whether the operation itself makes pointers lead back elsewhere: it may be the only one that links nodes."""
        if failing in (None, breach.operation) or not isinstance(breach.fact, LeadsBack | HasItsPlace):
            return False
        assert failing is not None
        if failing not in known:
            known[failing] = observed(failing)
        without = known[failing]
        return without is not None and Truth.HOLDS in without.truths[breach.fact]

    order = [o for o, _ in _between_operations(run, client, records)]
    candidates = [*breaches(run, client, records), *passing_breaches(run, client, records)]
    candidates.sort(key=lambda b: order.index(b.operation))
    return next((breach for breach in candidates if is_to_blame(breach)), None)
