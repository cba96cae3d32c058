"""The edges that leave a location, on the native machine: steps and the stores of their targets in one call.

Most batches are small, and most edges of a location lead to results and nothing else. The machine goes from edge to
edge until one has a message, a contradiction, or what is left to Python: there the engine goes on by `post` and `add`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from kleene import _native
from kleene.cfa.graph import Edge
from kleene.core.domain import Store
from kleene.domains.shape.machine import EdgeWork
from kleene.domains.shape.native_stores import NativeStore, too_many_nodes
from kleene.logic.vocabulary import Vocabulary
from kleene.structures.packed import PackedBatch
from kleene.structures.structure import Structure
from kleene.transformers.action import Action

_WORK = {EdgeWork.SKIP: 0, EdgeWork.WHOLE: 1, EdgeWork.DROP: 2, EdgeWork.CONTRADICTORY: 3, EdgeWork.PYTHON: 4}
"""As the machine calls them."""
MOST_STOPS = 3
"""So often a batch stops at an edge and is begun again there by Python; edges with more messages are Python's."""


class Advancing(Protocol):
    """The domain, as far as its edges need it."""

    discarded: int

    def work_at(self, edge: Edge[Action]) -> EdgeWork: ...
    def native_action(self, action: Action) -> _native.Action | None: ...
    def count_discarded(self, discarded: int, in_focus: int) -> None: ...


class NativeEdges:
    """The edges of one location; what is done at them changes with what the domain knows of them."""

    def __init__(self, domain: Advancing, vocabulary: Vocabulary, edges: Sequence[Edge[Action]], threads: int) -> None:
        self.edges = edges
        self._domain = domain
        self._vocabulary = vocabulary
        self._threads = threads
        self._native = _native.Edges(len(edges))
        self._unknown = set(range(len(edges)))
        self._stops = [0] * len(edges)

    def advance(
        self, first: int, batch: Sequence[Structure], stores: Sequence[Store[Structure]]
    ) -> list[Sequence[Structure] | None]:
        """For each edge from the first one on, what is new at its target; up to an edge that Python has to see."""
        if not isinstance(batch, PackedBatch):
            return []
        targets = [store.native for store in stores if isinstance(store, NativeStore)]
        if len(targets) < len(stores):
            return []
        for k in self._unknown:
            self._learn(k)
        self._unknown.clear()
        try:
            found, discarded, in_focus = self._native.advance(first, batch.batch, targets, self._threads)
        except _native.TooManyNodes as error:
            too_many_nodes(error)
            raise
        if discarded or in_focus:
            self._domain.count_discarded(discarded, in_focus)
        last = first + len(found)
        if last < len(self.edges):
            self._stops[last] += 1
            self._unknown.add(last)
        return [None if added is None else PackedBatch(self._vocabulary, added) for added in found]

    def _learn(self, k: int) -> None:
        edge = self.edges[k]
        work, action = self._domain.work_at(edge), None
        if work is EdgeWork.WHOLE and self._stops[k] > MOST_STOPS:
            work = EdgeWork.PYTHON
        if work not in (EdgeWork.SKIP, EdgeWork.PYTHON):
            action = self._domain.native_action(edge.label)
            work = EdgeWork.PYTHON if action is None else work
        self._native.set(k, _WORK[work], action)
