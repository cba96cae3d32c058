"""The fixpoint iteration: propagate new elements along edges until nothing changes (thesis section 3.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from kleene.cfa.graph import Cfa, Edge
from kleene.core.domain import unite
from kleene.diagnostics import LimitReached
from kleene.engine.order import location_ranks

if TYPE_CHECKING:
    from kleene.core.domain import AbstractDomain, Store

Label = TypeVar("Label")
Element = TypeVar("Element")


AT_ONCE = 4096
"""Elements that `post` gets in one batch: limits are checked between two, and threads have enough to do."""


class Listener(Protocol):
    """Observes the iteration; never changes it."""

    def on_location(self, location: str, batch: int) -> None:
        """A location is taken from the waiting ones, with `batch` elements to process."""

    def on_edge(self, edge: Edge[Any], source: Any, results: Sequence[Any]) -> None:
        """An element was propagated along an edge (called only if the engine is asked to trace)."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """The order of exploration. `drop_superseded` forgets pending elements that a join has replaced by larger ones.

    `keep` is the set of locations where elements stay stored; None means everywhere.
    """

    order: str = "inner-first"
    drop_superseded: bool = True
    keep: frozenset[str] | None = None
    trace: bool = False


@dataclass(slots=True)
class Reached(Generic[Element]):
    """The result: a store for each location, and how much work it was."""

    stores: Mapping[str, Store[Element]]
    generated: int = 0
    iterations: int = 0
    complete: bool = True
    reason: str | None = None
    kept_everywhere: bool = True
    listeners: list[Listener] = field(default_factory=list)


def solve(
    cfa: Cfa[Label],
    domain: AbstractDomain[Label, Element],
    initial: Sequence[Element],
    schedule: Schedule,
    *,
    listeners: Iterable[Listener] = (),
    check_limits: Callable[[Reached[Element]], None] = lambda reached: None,
) -> Reached[Element]:
    """The least fixpoint above `initial` at the entry. A limit that strikes leaves a partial result."""
    reached: Reached[Element] = Reached({name: domain.store() for name in cfa.locations})
    reached.listeners = list(listeners)
    reached.kept_everywhere = schedule.keep is None
    rank = location_ranks(cfa, schedule.order)
    pending: dict[str, list[Sequence[Element]]] = {name: [] for name in cfa.locations}
    waiting: list[tuple[int, str]] = []

    def arrive(location: str, elements: Sequence[Element]) -> None:
        if not elements:
            return
        added = reached.stores[location].add(elements)
        count = len(added)
        if count:
            reached.generated += count
            waits = pending[location]
            if not waits:
                heappush(waiting, (rank[location], location))
            waits.append(added)

    try:
        arrive(cfa.entry, domain.initial(initial))
        while waiting:
            _, location = heappop(waiting)
            batches, pending[location] = pending[location], []
            batch = unite(reached.stores[location], batches, only_current=schedule.drop_superseded)
            _process(cfa, domain, location, batch, schedule, reached, arrive, check_limits)
    except (LimitReached, KeyboardInterrupt, MemoryError) as stop:
        reached.complete = False
        reached.reason = stop_reason(stop)
    return reached


def _process(
    cfa: Cfa[Label],
    domain: AbstractDomain[Label, Element],
    location: str,
    batch: Sequence[Element],
    schedule: Schedule,
    reached: Reached[Element],
    arrive: Callable[[str, Sequence[Element]], None],
    check_limits: Callable[[Reached[Element]], None],
) -> None:
    if schedule.keep is not None and location not in schedule.keep:
        reached.stores[location].clear()
    reached.iterations += 1
    for listener in reached.listeners:
        listener.on_location(location, len(batch))
    for edge in cfa.leaving(location) if batch else ():
        if not schedule.trace:
            if len(batch) <= AT_ONCE:
                arrive(edge.target, domain.post(edge, batch))
                continue
            for results in posts(domain, edge, batch, lambda: check_limits(reached)):
                arrive(edge.target, results)
            continue
        for element in batch:
            results = domain.post(edge, [element])
            for listener in reached.listeners:
                listener.on_edge(edge, element, results)
            arrive(edge.target, results)
    check_limits(reached)


def posts(
    domain: AbstractDomain[Label, Element],
    edge: Edge[Label],
    batch: Sequence[Element],
    check_limits: Callable[[], None],
) -> Iterator[Sequence[Element]]:
    """What an edge leads to from a batch, for some elements at once; limits are checked in between."""
    if len(batch) <= AT_ONCE:
        yield domain.post(edge, batch)
        return
    for first in range(0, len(batch), AT_ONCE):
        if first:
            check_limits()
        yield domain.post(edge, batch[first : first + AT_ONCE])


def stop_reason(stop: BaseException) -> str:
    """Why an iteration stopped early."""
    if isinstance(stop, KeyboardInterrupt):
        return "interrupted"
    return str(stop) or "out of memory"
