"""The explicit heap analysis: runs of the program on random inputs, from which sample heaps are taken.

Beyer, Henzinger, Théoduloz, Zufferey. Shape refinement through explicit heap analysis. FASE 2010, sections 2.2 and 4
(five different samples of at least four nodes). Deviation: the heaps are those of runs of the concrete semantics, taken
at loop heads and at branches, where data structures are most likely whole.
"""

from __future__ import annotations

import random
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

from kleene.cfa.program import CProgram
from kleene.domains.explicit.machine import Ended, Machine
from kleene.domains.explicit.state import InputSource, State
from kleene.domains.explicit.values import NotModelled, Pointer, Value, Violation
from kleene.refine.heaps import NULL, ExplicitHeap
from kleene.refine.model import Task
from kleene.semantics.memory import Memory

EMPTY: Mapping[str, int] = {}
_STEPS = 4_000
_RUNS = 400


@dataclass(frozen=True)
class SampleOptions:
    """How many different heaps of how many nodes are wanted, and how long to look for them."""

    count: int = 5
    size: int = 4
    seconds: float = 3.0
    seed: int = 1


@dataclass
class Samples:
    """The heaps found, with the locations they were taken at; `enough` if as many as wanted are large enough."""

    heaps: list[tuple[str, ExplicitHeap]] = field(default_factory=list)
    small: list[tuple[str, ExplicitHeap]] = field(default_factory=list)
    runs: int = 0
    enough: bool = False
    states: list[tuple[str, ExplicitHeap, State]] = field(default_factory=list)
    """The states of the runs that the heaps are of."""
    fixed: Mapping[str, int] = field(default_factory=dict)
    """The blocks of global variables in them."""

    @property
    def usable(self) -> list[tuple[str, ExplicitHeap]]:
        """The large heaps, or what there is if none is large."""
        return self.heaps or self.small


def collect(task: Task, pointers: frozenset[str], options: SampleOptions) -> Samples:
    """Run the program until there are enough sample heaps from the given pointers."""
    found = Samples()
    machine = Machine(executable(task), malloc_may_fail=False)
    found.fixed = machine.fixed
    deadline = time.monotonic() + options.seconds
    generator = random.Random(options.seed)
    seen: set[object] = set()
    for number in range(_RUNS):
        if time.monotonic() > deadline:
            break
        found.runs += 1
        heaps = list(_heaps(machine, task, pointers, _Random(generator, 0.6 + 0.1 * (number % 4))))
        new = [one for one in heaps if one[1].key not in seen and one[1].reachable()]
        if not new:
            continue
        location, heap, state = max(new, key=lambda one: len(one[1].reachable()))
        seen.add(heap.key)
        found.states.append((location, heap, state))
        (found.heaps if len(heap.reachable()) >= options.size else found.small).append((location, heap))
        if len(found.heaps) >= options.count:
            found.enough = True
            break
    return found


def executable(task: Task) -> CProgram:
    """The program whose entry is the prepared automaton, so that runs and analysis agree on locations and variables."""
    main = replace(task.program.main, cfa=task.cfa)
    return replace(task.program, functions={**task.program.functions, task.program.entry: main})


class _Random(InputSource):
    """Random inputs: mostly small and not zero, so that loops that build structures go on for a while."""

    def __init__(self, generator: random.Random, likely: float) -> None:
        self.generator = generator
        self.likely = likely

    def draw(self, state: State, low: int, high: int, why: str) -> Value:
        if self.generator.random() >= self.likely and low <= 0 <= high:
            return 0
        return self.generator.randint(max(low, 1), max(1, min(high, 12))) if high >= 1 else low


def _heaps(
    machine: Machine, task: Task, pointers: frozenset[str], source: InputSource
) -> Iterator[tuple[str, ExplicitHeap, State]]:
    """The heaps of one run, at the places where paths meet or part, with the states that they are of."""
    state = machine.start(source)
    watched = task.cfa.loop_heads
    for _ in range(_STEPS):
        location = state.frames[-1].location
        if location in watched and len(state.frames) == 1:
            yield location, heap_of(state, task.memory, pointers, machine.fixed), state.clone()
        try:
            if machine.step(state) is None:
                return
        except (Violation, NotModelled, Ended):
            return


def heap_of(state: State, memory: Memory, pointers: frozenset[str], fixed: Mapping[str, int] = EMPTY) -> ExplicitHeap:
    """The part of a state that the pointers lead to."""
    frame = state.frames[-1]
    roots: dict[str, int | None] = {}
    for name in sorted(pointers):
        block = state.blocks.get(frame.locals.get(name, fixed.get(name, -1)))
        if block is not None and block.kind != "opaque":
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
        sizes[number] = size = _typed(block.size, where)
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


def _typed(size: int, places: Collection[tuple[int, int]]) -> int:
    """The size of a block with its type, as far as the pointer to it tells: a block of a run does not know it."""
    return min((known for known, _ in places if int(known) == size), default=size)


def _address(state: State, value: Value) -> int | None:
    """The block that a pointer points to; NULL, or None for what is unknown or dangling."""
    if isinstance(value, Pointer):
        block = state.blocks.get(value.block)
        return value.block if block is not None and block.alive else None
    return NULL if value == 0 and isinstance(value, int) else None
