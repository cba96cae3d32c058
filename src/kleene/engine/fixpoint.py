"""The fixpoint iteration: propagate new elements along edges until nothing changes (thesis section 3.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from kleene.cfa.graph import Cfa, Edge
from kleene.core.domain import AbstractDomain, Store, advance, unite
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

    def wait(location: str, added: Sequence[Element]) -> None:
        count = len(added)
        if count:
            reached.generated += count
            waits = pending[location]
            if not waits:
                heappush(waiting, (rank[location], location))
            waits.append(added)

    try:
        wait(cfa.entry, reached.stores[cfa.entry].add(domain.initial(initial)))
        while waiting:
            _, location = heappop(waiting)
            batches, pending[location] = pending[location], []
            batch = unite(reached.stores[location], batches, only_current=schedule.drop_superseded)
            _process(cfa, domain, location, batch, schedule, reached, wait, check_limits)
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
    wait: Callable[[str, Sequence[Element]], None],
    check_limits: Callable[[Reached[Element]], None],
) -> None:
    """Propagate a batch along the edges that leave a location; `wait` gets what is new at their targets."""
    if schedule.keep is not None and location not in schedule.keep:
        reached.stores[location].clear()
    reached.iterations += 1
    for listener in reached.listeners:
        listener.on_location(location, len(batch))
    edges = cfa.leaving(location) if batch else ()
    stores = [reached.stores[edge.target] for edge in edges]
    done = 0
    while done < len(edges):
        if not schedule.trace and len(batch) <= AT_ONCE:
            for added in advance(domain, edges, done, batch, stores):
                if added:
                    wait(edges[done].target, added)
                done += 1
            if done == len(edges):
                break
        edge, store = edges[done], stores[done]
        done += 1
        if not schedule.trace:
            for results in posts(domain, edge, batch, lambda: check_limits(reached)):
                if results:
                    wait(edge.target, store.add(results))
            continue
        for element in batch:
            results = domain.post(edge, [element])
            for listener in reached.listeners:
                listener.on_edge(edge, element, results)
            if results:
                wait(edge.target, store.add(results))
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
