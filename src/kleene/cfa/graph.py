"""Control-flow automata: locations joined by labelled edges, with the orders that a fixpoint needs."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

Label = TypeVar("Label")


@dataclass(frozen=True, slots=True)
class Edge(Generic[Label]):
    """One step from `source` to `target`; its `label` is its effect (an Action, a C operation, ...)."""

    source: str
    label: Label
    target: str


@dataclass(frozen=True)
class Cfa(Generic[Label]):
    """A graph of edges in declaration order. The entry is a location; locations are names."""

    entry: str
    edges: tuple[Edge[Label], ...]

    @cached_property
    def locations(self) -> tuple[str, ...]:
        """All locations, in order of first mention."""
        names = [self.entry]
        for edge in self.edges:
            names += (edge.source, edge.target)
        return tuple(dict.fromkeys(names))

    @cached_property
    def _leaving(self) -> dict[str, tuple[Edge[Label], ...]]:
        return self._group_edges((edge.source, edge) for edge in self.edges)

    @cached_property
    def _entering(self) -> dict[str, tuple[Edge[Label], ...]]:
        return self._group_edges((edge.target, edge) for edge in self.edges)

    @staticmethod
    def _group_edges(pairs: Iterable[tuple[str, Edge[Label]]]) -> dict[str, tuple[Edge[Label], ...]]:
        groups: dict[str, list[Edge[Label]]] = {}
        for name, edge in pairs:
            groups.setdefault(name, []).append(edge)
        return {name: tuple(edges) for name, edges in groups.items()}

    def leaving(self, location: str) -> tuple[Edge[Label], ...]:
        return self._leaving.get(location, ())

    def entering(self, location: str) -> tuple[Edge[Label], ...]:
        return self._entering.get(location, ())

    def reverse(self) -> Cfa[Label]:
        """All edges turned round, for backward analysis; the entry is the target of the first edge."""
        turned = tuple(Edge(edge.target, edge.label, edge.source) for edge in self.edges)
        return Cfa(turned[0].source if turned else self.entry, turned)

    @cached_property
    def post_order(self) -> dict[str, int]:
        """Post-order numbers of a depth-first search from the entry over edges in reverse declaration order.

        Locations that the entry does not reach have no number.
        """
        numbers: dict[str, int] = {}
        seen = {self.entry}
        stack = [(self.entry, iter(reversed(self.leaving(self.entry))))]
        while stack:
            location, edges = stack[-1]
            for edge in edges:
                if edge.target not in seen:
                    seen.add(edge.target)
                    stack.append((edge.target, iter(reversed(self.leaving(edge.target)))))
                    break
            else:
                stack.pop()
                numbers[location] = len(numbers)
        return numbers

    @cached_property
    def reachable(self) -> frozenset[str]:
        return frozenset(self.post_order)

    def reachable_from(self, starts: Iterable[str]) -> frozenset[str]:
        """The given locations, and all that edges lead to from them."""
        reachable_from = set(starts)
        waiting = list(reachable_from)
        while waiting:
            new = {edge.target for edge in self.leaving(waiting.pop())} - reachable_from
            reachable_from |= new
            waiting += new
        return frozenset(reachable_from)

    def edges_before(self, last: Edge[Label]) -> Iterator[Edge[Label]]:
        """The edges on the ways to an edge, the nearest first."""
        seen, waiting = {last.source}, deque([last.source])
        while waiting:
            for edge in self.entering(waiting.popleft()):
                yield edge
                if edge.source not in seen:
                    seen.add(edge.source)
                    waiting.append(edge.source)

    @cached_property
    def unreachable(self) -> tuple[str, ...]:
        return tuple(name for name in self.locations if name not in self.reachable)

    @cached_property
    def back_edges(self) -> tuple[Edge[Label], ...]:
        """The edges whose target does not come later in reverse post order."""
        number = self.post_order
        return tuple(e for e in self.edges if e.source in number and number[e.source] <= number[e.target])

    @cached_property
    def loop_heads(self) -> frozenset[str]:
        return frozenset(edge.target for edge in self.back_edges)

    @cached_property
    def merge_points(self) -> frozenset[str]:
        """The locations that several edges enter."""
        return frozenset(name for name in self.locations if len(self.entering(name)) > 1)

    @cached_property
    def loops(self) -> dict[str, frozenset[str]]:
        """The natural loop of each loop head: the locations in it."""
        loops: dict[str, frozenset[str]] = {}
        for head in sorted(self.loop_heads):
            body = {head}
            stack = [edge.source for edge in self.back_edges if edge.target == head]
            while stack:
                name = stack.pop()
                if name not in body:
                    body.add(name)
                    stack.extend(e.source for e in self.entering(name) if e.source in self.reachable)
            loops[head] = frozenset(body)
        return loops

    @cached_property
    def loop_depth(self) -> dict[str, int]:
        """In how many natural loops (one for each loop head) a location lies."""
        depth = dict.fromkeys(self.locations, 0)
        for body in self.loops.values():
            for name in body:
                depth[name] += 1
        return depth


def chain(prefix: str, labels: Sequence[Label], end: str, start: str = "") -> list[Edge[Label]]:
    """Edges one after another, from `start` or a new location to `end`; `prefix` begins the names of new locations."""
    count = len(labels)
    places = [start or f"{prefix}.0", *(f"{prefix}.{k}" for k in range(1, count)), end]
    return [Edge(places[k], label, places[k + 1]) for k, label in enumerate(labels)]
