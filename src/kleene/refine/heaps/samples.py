"""The explicit part of the reachability tree: nodes with the heaps of runs, from which sample heaps are taken.

Beyer, Henzinger, Théoduloz, Zufferey. Shape refinement through explicit heap analysis. FASE 2010, sections 2.2, 3.1
and 4 (five different samples of at least four nodes). A node has a child for each tried input; a run starts at a node
with an untried input, or at the root. Deviations: inputs have values, so that every heap belongs to a real run; heaps
are taken at loop heads, where data structures are most likely complete; each run gives one sample, its largest heap of
at most 24 nodes; a location keeps at most as many different heaps as samples are wanted.
"""

from __future__ import annotations

import random
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from kleene.cfa.operations import Allocate
from kleene.cfa.program import CProgram
from kleene.domains.explicit.entry import HIDDEN
from kleene.domains.explicit.machine import Ended, Machine
from kleene.domains.explicit.state import InputSource, State
from kleene.domains.explicit.values import NotModelled, Pointer, Value, Violation
from kleene.passes.facts.memory import Memory
from kleene.refine.heaps.explicit import NULL, ExplicitHeap
from kleene.refine.model import Task
from kleene.refine.tree.reachability_tree import ExplicitNode, PathStep, ancestors

EMPTY: Mapping[str, int] = {}
SAMPLES = 5
"""Different heaps that are wanted."""
SAMPLE_NODES = 4
"""Nodes of a sample heap at least: smaller ones belong to many shape classes."""
SAMPLE_SECONDS = 3.0
"""Seconds to search for sample heaps."""
_MOST_STEPS = 4_000
"""Steps of one run: enough for lists of a hundred cells."""
_MOST_RUNS = 400
"""Runs in search of sample heaps."""
_MOST_UNTRIED = 200
"""Largest number of remembered untried inputs."""
_LEAST_LIKELY, _LIKELIER = 0.6, 0.1
"""Probability of an input other than 0, and its growth from run to run: loops that an input ends get longer."""
_LIKELIHOODS = 4
"""Probabilities that take turns."""
_LARGEST_SAMPLE = 24
"""Nodes of a sample heap at most, where a run has such heaps: the library's invariants take cubic time, and larger
heaps fit the same entries. A loop with a constant bound makes hundreds of nodes before it reads an input."""
_LARGEST_HEAP = 100
"""Nodes of a heap at most: a run ends there, because every look at a heap takes time for each node."""
_LARGEST_INPUT = 12
"""Inputs are at most this number: larger ones make heaps no different."""


@dataclass(frozen=True)
class SampleOptions:
    """The wanted number of different heaps, their least number of nodes, and the time to search for them."""

    count: int = SAMPLES
    size: int = SAMPLE_NODES
    seconds: float = SAMPLE_SECONDS
    seed: int = 1


@dataclass
class Samples:
    """The sample heaps with their locations; `enough` if the wanted number of heaps is large enough."""

    heaps: list[tuple[str, ExplicitHeap]] = field(default_factory=list)
    small: list[tuple[str, ExplicitHeap]] = field(default_factory=list)
    runs: int = 0
    enough: bool = False
    nodes: list[ExplicitNode] = field(default_factory=list)
    """The nodes that keep their heaps, with their states: a few at each location."""
    sampled: list[ExplicitNode] = field(default_factory=list)
    """The nodes that the samples are of."""
    size: int = 0
    """The number of all explicit nodes."""
    fixed: Mapping[str, int] = field(default_factory=dict)
    """The blocks of global variables in the states."""

    @property
    def usable(self) -> list[tuple[str, ExplicitHeap]]:
        """The large heaps, or the small ones if none is large."""
        return self.heaps or self.small


def collect(task: Task, pointers: frozenset[str], options: SampleOptions) -> Samples:
    """Expand explicit nodes until there are enough sample heaps from the given pointers."""
    analysis = ExplicitAnalysis(task, pointers, options)
    deadline = time.monotonic() + options.seconds
    while analysis.samples.runs < _MOST_RUNS and time.monotonic() <= deadline and not analysis.samples.enough:
        analysis.run()
    return analysis.samples


class ExplicitAnalysis:
    """BuildART for the explicit heaps of the given pointers."""

    def __init__(self, task: Task, pointers: frozenset[str], options: SampleOptions) -> None:
        self.task = task
        self.pointers = pointers
        self.options = options
        self.machine = Machine(executable(task), malloc_may_fail=False)
        self.samples = Samples(fixed=self.machine.fixed)
        self._random = random.Random(options.seed)
        self._open: list[tuple[ExplicitNode, State, bool]] = []
        """Untried inputs: the node, its state, and whether the input is zero."""
        self._reading: set[str] = set()
        """The locations at which inputs are read."""
        self._seen: set[object] = set()
        self._kept: dict[str, set[object]] = {}
        self._largest = 0
        """The size of the largest heap of this run so far."""

    def run(self) -> None:
        """Follow one run to its end, and take its largest heap if it is new."""
        source = _Inputs(self._random, _LEAST_LIKELY + _LIKELIER * (self.samples.runs % _LIKELIHOODS))
        self.samples.runs += 1
        self._largest = 0
        if self._open and self.samples.runs % 2 == 0:
            node, state, source.zero = self._open.pop(self._random.randrange(len(self._open)))
            state.source = source
        else:
            state = self.machine.start(source)
            node = ExplicitNode(state.frames[-1].location)
        leaf = self._follow(node, state, source)
        sizes: dict[int, ExplicitNode] = {}
        for above in ancestors(leaf):
            if isinstance(above, ExplicitNode) and above.heap is not None and above.heap.key not in self._seen:
                sizes[len(above.heap.reachable())] = above
        best = max((size for size in sizes if size <= _LARGEST_SAMPLE), default=min(sizes, default=0))
        if best:
            self._take(sizes[best])

    def _take(self, node: ExplicitNode) -> None:
        assert node.heap is not None
        self.samples.sampled.append(node)
        self._seen.add(node.heap.key)
        large = len(node.heap.reachable()) >= self.options.size
        (self.samples.heaps if large else self.samples.small).append((node.location, node.heap))
        self.samples.enough = len(self.samples.heaps) >= self.options.count

    def _follow(self, node: ExplicitNode, state: State, source: _Inputs) -> ExplicitNode:
        """The explicit successors of a node, one after the other; the last of them."""
        for _ in range(_MOST_STEPS):
            location = state.frames[-1].location
            if node.heap is None and location in self.task.cfa.loop_heads and len(state.frames) == 1:
                self._look(node, state)
                if self._largest > _LARGEST_HEAP:
                    break
            before = state.clone() if location in self._reading and len(self._open) < _MOST_UNTRIED else None
            source.drawn = None
            try:
                if self.machine.step(state) is None:
                    break
            except (Violation, NotModelled, Ended):
                break
            if source.drawn is not None:
                self._reading.add(location)
                if before is not None:
                    self._open.append((node, before, not source.drawn))
            node = self._child(node, state.frames[-1].location)
        return node

    def _child(self, node: ExplicitNode, target: str) -> ExplicitNode:
        self.samples.size += 1
        edges = self.task.cfa.leaving(node.location)
        edge = next((e for e in edges if e.target == target), None)
        succeeds = True if edge is not None and isinstance(edge.label, Allocate) else None
        step = PathStep(edge, succeeds) if edge is not None else node.step
        return ExplicitNode(target, node, step, depth=node.depth + 1)

    def _look(self, node: ExplicitNode, state: State) -> None:
        """The explicit heap of a node; its state is kept while there are few different ones at its location."""
        node.heap = heap_of(state, self.task.memory, self.pointers, self.machine.fixed)
        kept = self._kept.setdefault(node.location, set())
        size = len(node.heap.reachable())
        if len(kept) < self.options.count and node.heap.key not in kept:
            kept.add(node.heap.key)
            node.state = state.clone()
            self.samples.nodes.append(node)
        elif size > self._largest:
            node.state = state.clone()  # it may be the sample of this run
        self._largest = max(size, self._largest)


def executable(task: Task) -> CProgram:
    """The program whose entry is the prepared automaton, so that runs and analysis agree on locations and variables."""
    main = replace(task.program.main, cfa=task.cfa)
    return replace(task.program, functions={**task.program.functions, task.program.entry: main})


class _Inputs(InputSource):
    """Random inputs: mostly small and not zero, so that loops that build structures run for a while.

    `zero` fixes whether the next input is zero; `drawn` records whether the last one was.
    """

    def __init__(self, generator: random.Random, likely: float) -> None:
        self.generator = generator
        self.likely = likely
        self.zero: bool | None = None
        self.drawn: bool | None = None

    def draw(self, state: State, low: int, high: int, why: str) -> Value:
        zero = self.zero if self.zero is not None else self.generator.random() >= self.likely
        self.zero = None
        if not low <= 0 <= high:
            zero = False
        elif high < 1:
            zero = True
        self.drawn = zero
        return (
            0 if zero else self.generator.randint(max(low, 1), max(1, min(high, _LARGEST_INPUT))) if high >= 1 else low
        )


def heap_of(state: State, memory: Memory, pointers: frozenset[str], fixed: Mapping[str, int] = EMPTY) -> ExplicitHeap:
    """The part of a state that the pointers lead to."""
    frame = state.frames[-1]
    roots: dict[str, int | None] = {}
    for name in sorted(pointers):
        block = state.blocks.get(frame.locals.get(name, fixed.get(name, -1)))
        if block is not None and block.kind not in HIDDEN:
            cell = block.cells.get(0)
            roots[name] = _address(state, cell[1]) if cell else NULL if block.zeroed else None
    places: dict[str, Collection[tuple[int, int]]] = {v.name: where for v, where in memory.pointer_places.items()}
    for variable in memory.objects:  # the heads of lists that are variables themselves
        number = frame.locals.get(variable.name, fixed.get(variable.name, -1))
        if number in state.blocks and memory.size_of(variable) in {size for size, _ in memory.cell_of}:
            roots[f"&{variable.name}"] = number
            places[f"&{variable.name}"] = [(memory.size_of(variable), 0)]
    cells: dict[int, dict[str, int | None]] = {}
    data: dict[int, dict[int, int | None]] = {}
    sizes: dict[int, int] = {}
    names: dict[int, list[tuple[int, str]]] = {}
    for (size, offset), name in memory.cell_of.items():
        names.setdefault(size, []).append((offset, name))
    waiting = [(a, places.get(name, ())) for name, a in roots.items() if a]
    while waiting:
        number, where = waiting.pop()
        block = state.blocks[number]
        if number in cells or not block.alive:
            continue
        sizes[number] = size = _typed_size(block.size, where)
        cells[number] = {}
        for offset, name in names.get(size, ()):
            cell = block.cells.get(8 * offset)
            value = _address(state, cell[1]) if cell else NULL if block.zeroed else None
            cells[number][name] = value
            if value:
                waiting.append((value, memory.cell_targets[name]))
        pointer_places = {offset for offset, _ in names.get(size, ())}
        data[number] = {
            bit // 8: value if isinstance(value, int) else None
            for bit, (_, value) in sorted(block.cells.items())
            if bit % 8 == 0 and bit // 8 not in pointer_places
        }
    return ExplicitHeap(roots, cells, data, sizes)


def _typed_size(size: int, places: Collection[tuple[int, int]]) -> int:
    """The typed size of a block, from the places of a pointer to it: a block of a run has no type."""
    return min((known for known, _ in places if int(known) == size), default=size)


def _address(state: State, value: Value) -> int | None:
    """The block that a pointer points to, or NULL; None for an unknown or dangling pointer."""
    if isinstance(value, Pointer):
        block = state.blocks.get(value.block)
        return value.block if block is not None and block.alive else None
    return NULL if value == 0 and isinstance(value, int) else None
