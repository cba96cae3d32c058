"""The fixpoint of a program with procedures: a body is analysed once for each context in which it is entered.

The functional approach (Sharir, Pnueli. Two approaches to interprocedural data flow analysis, 1981) in the form of a
table (Reps, Horwitz, Sagiv. POPL 1995): a call enters the callee in the context of its entry element; the exit elements
of this context are combined with every element that calls in this context, now or later.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Generic, Protocol, TypeVar

from kleene.cfa.graph import Cfa, Edge
from kleene.core.domain import AbstractDomain, Store, advance, unite
from kleene.diagnostics import LimitReached
from kleene.engine.fixpoint import AT_ONCE, Listener, Reached, Schedule, posts, stop_reason
from kleene.engine.order import location_ranks

Label = TypeVar("Label")
Element = TypeVar("Element")


class CallDomain(AbstractDomain[Label, Element], Protocol[Label, Element]):
    """A domain whose labels may be calls."""

    def callee(self, label: Label) -> str | None:
        """The procedure that a label calls."""

    def enter(self, edge: Edge[Label], elements: Sequence[Element]) -> Sequence[Sequence[Element]]:
        """The entry elements of the callee, for each element that calls."""

    def context(self, element: Element) -> Hashable:
        """Entry elements of equal contexts are analysed together."""

    def resume(self, edge: Edge[Label], caller: Element, entry: Element, exits: Sequence[Element]) -> Sequence[Element]:
        """The elements after a call by `caller` that entered the callee by `entry` and left it by `exits`."""


@dataclass(frozen=True)
class Procedure(Generic[Label]):
    """The automaton of a procedure, and the location at which it returns."""

    cfa: Cfa[Label]
    exit: str


@dataclass
class Activation(Generic[Label, Element]):
    """A procedure in one context: its reached elements, and the callers that wait for its exit elements."""

    number: int
    procedure: Procedure[Label]
    name: str
    ranks: dict[str, int]
    stores: dict[str, Store[Element]] = field(default_factory=dict)
    pending: dict[str, list[Sequence[Element]]] = field(default_factory=dict)
    entries: set[Element] = field(default_factory=set)
    callers: list[_Call[Label, Element]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Call(Generic[Label, Element]):
    """A call that waits: its activation and edge, the caller's element, and the entry element."""

    caller: Activation[Label, Element]
    edge: Edge[Label]
    element: Element
    entry: Element


@dataclass(slots=True)
class Tabulated(Reached[Element], Generic[Label, Element]):
    """The result with its activations; the first one is the main program."""

    activations: list[Activation[Label, Element]] = field(default_factory=list)


def tabulate(
    main: Cfa[Label],
    procedures: Mapping[str, Procedure[Label]],
    domain: CallDomain[Label, Element],
    initial: Sequence[Element],
    schedule: Schedule,
    *,
    listeners: Iterable[Listener] = (),
    check_limits: Callable[[Reached[Element]], None] = lambda reached: None,
) -> Tabulated[Label, Element]:
    """The least fixpoint; the result has for each location the elements reached there in any context."""
    reached: Tabulated[Label, Element] = Tabulated({})
    reached.listeners = list(listeners)
    reached.stores = _ByLocation(reached, domain)
    table = _Table(procedures, domain, schedule, reached)
    try:
        table.run(main, domain.initial(initial), check_limits)
    except (LimitReached, KeyboardInterrupt, MemoryError) as stop:
        reached.complete = False
        reached.reason = stop_reason(stop)
    return reached


class _ByLocation(Mapping[str, Store[Element]]):
    """The elements reached at each location in any context, combined on access, once until there are more."""

    def __init__(self, reached: Tabulated[Label, Element], domain: CallDomain[Label, Element]) -> None:
        self._reached = reached
        self._activations = reached.activations
        self._domain = domain
        self._combined: dict[str, Store[Element]] = {}
        self._combined_at = -1
        """The number of elements when they were combined: every change of a store adds to it."""

    def __getitem__(self, location: str) -> Store[Element]:
        if self._combined_at != self._reached.generated:
            self._combined, self._combined_at = {}, self._reached.generated
        combined = self._combined.get(location)
        if combined is None:
            combined = self._combined[location] = self._combine(location)
        return combined

    def _combine(self, location: str) -> Store[Element]:
        stores = [a.stores[location] for a in self._activations if location in a.stores]
        if not stores:
            raise KeyError(location)
        if len(stores) == 1:
            return stores[0]
        union = self._domain.store()
        for store in stores:
            union.add(store.elements())
        return union

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(location for a in self._activations for location in a.stores))

    def __len__(self) -> int:
        return len(set(self))


class _Table(Generic[Label, Element]):
    def __init__(
        self,
        procedures: Mapping[str, Procedure[Label]],
        domain: CallDomain[Label, Element],
        schedule: Schedule,
        reached: Tabulated[Label, Element],
    ) -> None:
        self.procedures = procedures
        self.domain = domain
        self.schedule = schedule
        self.reached = reached
        self.activations = reached.activations
        self._ranks = {name: location_ranks(p.cfa, schedule.order) for name, p in procedures.items()}
        self._entered: dict[tuple[str, Hashable], Activation[Label, Element]] = {}
        self._waiting: list[tuple[int, int, str]] = []

    def run(
        self, main: Cfa[Label], initial: Sequence[Element], check_limits: Callable[[Reached[Element]], None]
    ) -> None:
        first = self._activate("", Procedure(main, ""), location_ranks(main, self.schedule.order))
        self._arrive(first, main.entry, initial)
        while self._waiting:
            number, _, location = heappop(self._waiting)
            self._process(self.activations[-number], location, lambda: check_limits(self.reached))
            check_limits(self.reached)

    def _activate(self, name: str, procedure: Procedure[Label], ranks: dict[str, int]) -> Activation[Label, Element]:
        activation: Activation[Label, Element] = Activation(len(self.activations), procedure, name, ranks)
        self.activations.append(activation)
        return activation

    def _arrive(self, activation: Activation[Label, Element], location: str, elements: Sequence[Element]) -> None:
        self._wait(activation, location, self._store(activation, location).add(elements))

    def _store(self, activation: Activation[Label, Element], location: str) -> Store[Element]:
        store = activation.stores.get(location)
        if store is None:
            store = activation.stores[location] = self.domain.store()
        return store

    def _wait(self, activation: Activation[Label, Element], location: str, added: Sequence[Element]) -> None:
        """Elements that are new at a location wait to be propagated."""
        if not added:
            return
        self.reached.generated += len(added)
        pending = activation.pending.setdefault(location, [])
        if not pending:  # callees first
            heappush(self._waiting, (-activation.number, activation.ranks[location], location))
        pending.append(added)

    def _process(self, activation: Activation[Label, Element], location: str, check_limits: Callable[[], None]) -> None:
        batches, activation.pending[location] = activation.pending[location], []
        batch = unite(activation.stores[location], batches, only_current=self.schedule.drop_superseded)
        self.reached.iterations += 1
        for listener in self.reached.listeners:
            listener.on_location(location, len(batch))
        if location == activation.procedure.exit:
            for call in self._waiting_for(activation):
                results = self.domain.resume(call.edge, call.element, call.entry, batch)
                self._arrive(call.caller, call.edge.target, results)
        edges = activation.procedure.cfa.leaving(location)
        is_small = len(batch) <= AT_ONCE
        stores = [self._target(activation, edge) for edge in edges] if is_small else []
        done = 0
        while done < len(edges):
            for added in advance(self.domain, edges, done, batch, stores) if is_small else ():
                if added:
                    self._wait(activation, edges[done].target, added)
                done += 1
            if done < len(edges):
                self._propagate(activation, edges[done], batch, check_limits)
                done += 1

    def _target(self, activation: Activation[Label, Element], edge: Edge[Label]) -> Store[Element]:
        """Where the results of an edge go at once; those of a call come later."""
        is_call = self.domain.callee(edge.label) is not None
        return self._store(activation, edge.source if is_call else edge.target)

    def _propagate(
        self,
        activation: Activation[Label, Element],
        edge: Edge[Label],
        batch: Sequence[Element],
        check_limits: Callable[[], None],
    ) -> None:
        """A batch along one edge."""
        name = self.domain.callee(edge.label)
        if name is None:
            for results in posts(self.domain, edge, batch, check_limits):
                self._arrive(activation, edge.target, results)
            return
        for first in range(0, len(batch), AT_ONCE):
            if first:
                check_limits()
            calling = batch[first : first + AT_ONCE]
            for element, entries in zip(calling, self.domain.enter(edge, calling), strict=True):
                self._call(activation, edge, element, name, entries)

    def _waiting_for(self, callee: Activation[Label, Element]) -> list[_Call[Label, Element]]:
        """The calls that wait for a callee, without elements that a join has replaced by larger ones."""
        if self.schedule.drop_superseded:
            callee.callers = [c for c in callee.callers if c.caller.stores[c.edge.source].current(c.element)]
        return list(callee.callers)

    def _call(
        self,
        caller: Activation[Label, Element],
        edge: Edge[Label],
        element: Element,
        name: str,
        entries: Sequence[Element],
    ) -> None:
        for entry in entries:
            key = (name, self.domain.context(entry))
            callee = self._entered.get(key)
            if callee is None:
                callee = self._entered[key] = self._activate(name, self.procedures[name], self._ranks[name])
            callee.callers.append(_Call(caller, edge, element, entry))
            if entry not in callee.entries:  # what a store was given before adds nothing
                callee.entries.add(entry)
                self._arrive(callee, callee.procedure.cfa.entry, [entry])
            store = callee.stores.get(callee.procedure.exit)
            if store is not None:
                self._arrive(caller, edge.target, self.domain.resume(edge, element, entry, store.elements()))
