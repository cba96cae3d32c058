"""The abstract reachability tree, and BuildART.

Beyer, Henzinger, Théoduloz, Zufferey. Shape refinement through explicit heap analysis. FASE 2010, section 3.1.
Deviations: nodes of one location whose structures have the same names are merged (the partial join of the engine). So a
node may stand for several paths; its tree edge belongs to the path that changed it last. A path is checked against the
program, not against the tree, so this loses no error. An edge of the program is several steps of the transition system;
the nodes in between have separate locations, whose names depend on the model.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sized
from dataclasses import dataclass, field
from heapq import heappop, heappush

from kleene.cfa.graph import Edge
from kleene.cfa.operations import Allocate, Operation
from kleene.core.domain import Store
from kleene.domains.explicit.state import State
from kleene.engine.order import location_ranks
from kleene.refine.heaps.explicit import ExplicitHeap
from kleene.refine.model import Error, Model
from kleene.structures.structure import Structure
from kleene.transformers.action import Action

NODES_AFTER_ERROR = 100
"""Least number of nodes made after the first error."""


@dataclass(frozen=True, slots=True)
class PathStep:
    """An edge of a path; `succeeds` is the outcome of an allocation."""

    edge: Edge[Operation]
    succeeds: bool | None = None


@dataclass(eq=False, slots=True)
class Node:
    """``n = (l, H_0, G)``: a location, a shape graph, and its parent; `heap` is what Abstract made it of, if it did.

    `step` is the edge of the program on which the node lies, or at whose end; None before the program starts.
    """

    location: str
    shape: Structure
    parent: Node | ExplicitNode | None = None
    step: PathStep | None = None
    heap: ExplicitHeap | None = None


@dataclass(eq=False, slots=True)
class ExplicitNode:
    """``n = (l, H, G_0)``: a node with an explicit heap and an unknown shape.

    `state` is the whole state of the run; the explicit heap is the part that tracked pointers reach. Not every node
    keeps it.
    """

    location: str
    parent: ExplicitNode | None = None
    step: PathStep | None = None
    heap: ExplicitHeap | None = None
    state: State | None = None
    depth: int = 0
    """The number of steps from the root."""


def ancestors(node: Node | ExplicitNode | None) -> Iterator[Node | ExplicitNode]:
    """The node and all above it."""
    while node is not None:
        yield node
        node = node.parent


@dataclass(frozen=True)
class ErrorPath:
    """An abstract path to an error: the steps of the program from the start, the last of them the one that fails."""

    steps: tuple[PathStep, ...]
    error: Error

    @property
    def key(self) -> tuple[str, frozenset[Edge[Operation]]]:
        """Equal for paths to the same error that differ in how often they go round loops."""
        return self.error.text, frozenset(step.edge for step in self.steps)

    @property
    def operations(self) -> list[Operation]:
        return [step.edge.label for step in self.steps]


@dataclass
class Tree:
    """The nodes that were reached, by location, and those that wait to be expanded.

    `only` restricts the tree to the edges and the error of a path; None for all. With `whole`, it restricts only the
    error.
    """

    model: Model
    only: ErrorPath | None = None
    whole: bool = False
    stores: dict[str, Store[Structure]] = field(init=False)
    nodes: dict[str, dict[Structure, Node]] = field(init=False)
    pending: dict[str, list[Node]] = field(init=False)
    generated: int = 0
    kept: int = 0
    """Number of nodes kept from before the last refinement."""
    other_errors: bool = False
    """Whether the tree has irrelevant errors."""
    erroneous: set[str] = field(default_factory=set)
    """The locations from which a step has reported an error."""
    contradictions: dict[str, str] = field(default_factory=dict)
    """Locations with a step whose update contradicts the rules, each with the rule."""

    def __post_init__(self) -> None:
        names = self.model.cfa.locations
        self.stores = {name: self.model.domain.store() for name in names}
        self.nodes = {name: {} for name in names}
        self.pending = {name: [] for name in names}
        self._rank = location_ranks(self.model.cfa, "inner-first")
        self._waiting: list[tuple[int, str]] = []
        self._followed = {step.edge for step in self.only.steps} | {None} if self.only and not self.whole else None
        for shape in self.model.initial:
            self.add(Node(self.model.cfa.entry, shape))

    def add(self, node: Node) -> None:
        """Take a node in unless it is covered; what grew waits to be expanded."""
        if node.location not in self._rank:
            return
        for shape in self.stores[node.location].add([node.shape]):
            node.shape = shape
            self.generated += 1
            self.nodes[node.location][shape] = node
            self._wait(node)

    def keep(self, node: Node, *, waits: bool) -> None:
        """Take in a node that is older than the abstraction; it has been expanded, unless it `waits`."""
        for shape in self.stores[node.location].add([node.shape]):
            node.shape = shape
            self.kept += 1
            self.nodes[node.location][shape] = node
            if waits:
                self._wait(node)

    def _wait(self, node: Node) -> None:
        if not self.pending[node.location]:
            heappush(self._waiting, (self._rank[node.location], node.location))
        self.pending[node.location].append(node)

    @property
    def size(self) -> int:
        return sum(len(store) for store in self.stores.values())

    def build(self, check: Callable[[Tree], None], *, most: int = 1, pause: int | None = None) -> list[ErrorPath]:
        """Expand until no node waits, or until `most` relevant errors have a path; the result is sorted by length.

        After the first error, the tree grows for about as long again, so that it shows several errors. With `pause`,
        it also stops after this number of structures, and the next call resumes.
        """
        by_text: dict[str, ErrorPath] = {}
        until = pause
        while self._waiting and not self._enough(by_text, most, until):
            _, location = heappop(self._waiting)
            batch, self.pending[location] = deque(self.pending[location]), []
            while batch and not self._enough(by_text, most, until):
                node = batch.popleft()
                if not self.stores[location].current(node.shape):
                    continue
                for path in self._expand(node):
                    known = by_text.get(path.error.text)
                    if known is None or len(path.steps) < len(known.steps):
                        by_text[path.error.text] = path
                check(self)
                if by_text and until == pause:
                    until = 2 * self.generated + NODES_AFTER_ERROR
            for node in batch:
                self._wait(node)
        self.contradictions |= self.model.contradictions
        return sorted(by_text.values(), key=lambda p: len(p.steps))

    @property
    def waits(self) -> bool:
        """Whether there are nodes that have not been expanded."""
        return bool(self._waiting)

    def _enough(self, paths: Sized, most: int, until: int | None) -> bool:
        return len(paths) >= most or (until is not None and self.generated > until)

    def _expand(self, node: Node) -> Iterator[ErrorPath]:
        for edge in self.model.cfa.leaving(node.location):
            if self._followed is not None and self.model.origin(edge) not in self._followed:
                continue
            results, errors = self.model.post(edge, [node.shape])
            if self.only is not None:
                own = [e for e in errors if e.text == self.only.error.text]
                self.other_errors |= len(own) < len(errors)
                errors = own
            step = self._step(node, edge)
            for error in errors:
                self.erroneous.add(node.location)
                yield ErrorPath(self._path(node, step), error)
            for shape in results:
                self.add(Node(edge.target, shape, node, step))

    def _step(self, node: Node, edge: Edge[Action]) -> PathStep | None:
        """The edge of the program for a step from a node, with the outcome of an allocation so far."""
        origin = self.model.origin(edge)
        if origin is None or not isinstance(origin.label, Allocate):
            return None if origin is None else PathStep(origin)
        earlier = node.step if node.location not in self.model.program_locations else None
        return PathStep(origin, edge.label.creates or (earlier is not None and bool(earlier.succeeds)))

    def _path(self, node: Node, last: PathStep | None) -> tuple[PathStep, ...]:
        """The edges of the program from the start to a node, and on along one step."""
        ends = [n.step for n in ancestors(node) if n.location in self.model.program_locations]
        return tuple(step for step in [last, *ends][::-1] if step is not None)
