"""Which numbers in nodes say which cells are NULL (`semantics/vocabulary/tags.py`): a guess from runs.

What runs put into nodes counts where no variable points to the node: then it is complete. Of numbers that no such node
has, the nodes of variables count. The guess decides what the analysis asks, never what it answers.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from itertools import islice

from kleene.cfa.operations import Allocate, Place, Realloc
from kleene.cfa.program import CProgram
from kleene.coverage.inputs import PlannedInputs, named_numbers, plans
from kleene.domains.explicit.explore import explore
from kleene.domains.explicit.machine import Ended, Machine
from kleene.domains.explicit.memory import Block
from kleene.domains.explicit.state import State
from kleene.domains.explicit.values import NotModelled, Pointer, Violation
from kleene.passes.facts.integers import Constants
from kleene.passes.facts.memory import Memory
from kleene.semantics.vocabulary.integer_members import integers_of
from kleene.semantics.vocabulary.tags import Claim, Tag

RUNS = 42
"""Runs: one for each number of rounds and each way to choose numbers (`coverage/inputs.py`)."""
MOST_STEPS = 3_000
"""Steps of a run: enough for a few dozen nodes."""
MOST_STATES = 1_000
"""States of the exploration: breadth first, these have a few nodes in every combination."""
SECONDS = 0.25
"""Seconds for the exploration, and for the runs."""
MOST_VALUES = 16
"""Values of a member: one with more of them is no tag."""
MOST_NODES = 2_000
"""Different nodes of one size that are looked at."""
_NULL, _OTHER = 0, -1
"""Stand for the size of what a NULL pointer leads to, and for the sizes of objects without pointers: texts have any."""
_BITS = 8
"""Bits of a byte."""


@dataclass(frozen=True)
class _Candidates:
    """The places of integers that may be tags, and of pointers, in objects of one size."""

    integers: tuple[int, ...]
    cells: Mapping[int, str]


@dataclass(frozen=True)
class _Node:
    """The integers of a node, and the sizes of what its pointers lead to, by their offsets."""

    integers: tuple[tuple[int, int], ...]
    targets: tuple[tuple[int, int], ...]


@dataclass
class NodesOfRuns:
    """What the nodes of runs contain, by their sizes."""

    candidates: Mapping[int, _Candidates]
    with_cells: Set[int]
    """The sizes of objects with pointers."""
    made: Mapping[Place, Set[int]]
    """The sizes of the blocks that each place makes: those of objects of different types may be equal numbers."""
    free: dict[int, set[_Node]] = field(default_factory=lambda: defaultdict(set))
    """Nodes to which no variable pointed."""
    held: dict[int, set[_Node]] = field(default_factory=lambda: defaultdict(set))

    def look(self, state: State) -> None:
        """Look at all nodes of a state."""
        pointed = {p.block for b in state.blocks.values() if b.kind != "heap" for p in b.pointers()}
        for number, block in state.blocks.items():
            size = self._size(block)
            if block.kind == "heap" and block.alive and size in self.candidates:
                seen = (self.held if number in pointed else self.free)[size]
                if len(seen) < MOST_NODES:
                    seen.add(self._node(block, self.candidates[size], state.blocks))

    def _size(self, block: Block) -> int:
        """The size with the type; the number alone where a place makes objects of several types."""
        made = [size for size in self.made.get(block.place, ()) if int(size) == block.size] if block.place else []
        return made[0] if len(made) == 1 else block.size

    def _node(self, block: Block, candidates: _Candidates, blocks: Mapping[int, Block]) -> _Node:
        background = (0, 0 if block.zeroed else None)
        values = {o: block.cells.get(o * _BITS, background)[1] for o in (*candidates.integers, *candidates.cells)}
        integers = tuple((o, value) for o in candidates.integers if isinstance(value := values[o], int))
        return _Node(integers, tuple(self._targets(values, candidates, blocks)))

    def _targets(
        self, values: Mapping[int, object], candidates: _Candidates, blocks: Mapping[int, Block]
    ) -> Iterator[tuple[int, int]]:
        for offset in candidates.cells:
            value = values[offset]
            if value == 0:
                yield offset, _NULL
            elif isinstance(value, Pointer):
                size = self._size(blocks[value.block]) if value.block in blocks else _OTHER
                yield offset, size if size in self.with_cells else _OTHER


def nodes_of_runs(program: CProgram, memory: Memory, *, malloc_may_fail: bool) -> NodesOfRuns:
    """What runs put into nodes: all short ones, and longer ones on directed inputs."""
    made: dict[Place, set[int]] = defaultdict(set)
    for operation in (edge.label for edge in memory.cfa.edges if isinstance(edge.label, Allocate | Realloc)):
        size = memory.block_size(operation)
        made[operation.place] |= {size} if size is not None else set()
    nodes = NodesOfRuns(_candidates(program, memory), {size for size, _ in memory.cell_of}, made)
    if nodes.candidates:
        explore(program, max_states=MOST_STATES, seconds=SECONDS, malloc_may_fail=malloc_may_fail, observe=nodes.look)
        _run(program, nodes, malloc_may_fail=malloc_may_fail)
    return nodes


def _candidates(program: CProgram, memory: Memory) -> dict[int, _Candidates]:
    """The objects with pointers, and with integers of which the program tells a few values apart."""
    constants = Constants(memory)
    cells: dict[int, dict[int, str]] = defaultdict(dict)
    for (size, offset), cell in memory.cell_of.items():
        cells[size][offset] = cell
    offsets: dict[int, dict[int, None]] = defaultdict(dict)
    for layout in program.records.values():
        own = [offset for offset, _ in integers_of(layout, program.records)]
        told = [o for o in own if 1 < len(constants.of(o)) <= MOST_VALUES]
        for size in cells:
            if int(size) == layout.type.size and str(size) in (str(int(size)), str(layout.type)):
                offsets[size] |= dict.fromkeys(told)
    return {size: _Candidates(tuple(offsets[size]), own) for size, own in cells.items() if offsets[size]}


def _run(program: CProgram, nodes: NodesOfRuns, *, malloc_may_fail: bool) -> None:
    machine = Machine(program, malloc_may_fail=malloc_may_fail)
    heads = {h for f in program.functions.values() for h in f.cfa.loop_heads}
    heads |= {program.functions[name].cfa.entry for name in program.recursive_functions}
    named, end = named_numbers(program), time.thread_time() + SECONDS
    for plan in islice(plans(malloc_may_fail=malloc_may_fail), RUNS):
        state = machine.start(PlannedInputs(plan, named))
        for _ in range(MOST_STEPS):
            if state.frames[-1].location in heads:
                nodes.look(state)
            try:
                if machine.step(state) is None or time.thread_time() > end:
                    break
            except (Violation, NotModelled, Ended):
                break


Led = Mapping[int | None, Set[int]]
"""What a cell led to, by the value of an integer; None stands for the values that the program does not tell apart."""


def find_tags(nodes: NodesOfRuns, memory: Memory) -> tuple[Tag, ...]:
    """The integers with values for which a cell was always NULL, or never, and others for which it was not so.

    The program tells all of their values apart but one.
    """
    constants = Constants(memory)
    tags = []
    for size, candidates in nodes.candidates.items():
        cells = {place: cell for place in candidates.cells if (cell := memory.cell_of.get((size, place))) is not None}
        for offset in candidates.integers:
            told = set(constants.of(offset))
            seen = nodes.free[size] | nodes.held[size]
            values = {value for node in seen if (value := dict(node.integers).get(offset)) is not None}
            if len(values - told) > 1:
                continue
            claims: list[Claim] = []
            for place, cell in cells.items():
                led = _led(nodes.held[size], offset, place, told) | _led(nodes.free[size], offset, place, told)
                sizes = {to: to if to in nodes.with_cells else _OTHER for to, _ in memory.cell_targets[cell]}
                claims += _claims(cell, led, sizes)
            if claims:
                rest = [None] if values - told else []
                tags.append(Tag(size, offset, (*sorted(values & told), *rest), tuple(claims)))
    return tuple(tags)


def _led(nodes: Iterable[_Node], offset: int, place: int, told: Set[int]) -> dict[int | None, set[int]]:
    """What the cell at a place led to, by the value of the integer at the offset."""
    led: dict[int | None, set[int]] = defaultdict(set)
    for node in nodes:
        value, target = dict(node.integers).get(offset), dict(node.targets).get(place)
        if value is not None and target is not None:
            led[value if value in told else None].add(target)
    return led


def _claims(cell: str, led: Led, sizes: Mapping[int, int]) -> Iterator[Claim]:
    """What the values say about a cell; `sizes` are those of its targets, and how runs see them.

    A value with which it was always NULL may lead, in longer runs, where no other value leads.
    """
    is_null = {value: frozenset(target == _NULL for target in targets) for value, targets in led.items()}
    if len(set(is_null.values())) > 1:
        yield from (Claim(cell, value, leads=True not in own) for value, own in is_null.items() if len(own) == 1)
    for size, target in sizes.items() if len(set(sizes.values())) > 1 else ():
        for value, own in led.items():
            others = {t for other, targets in led.items() if other != value for t in targets}
            if target not in own and (own != {_NULL} or target in others):
                yield Claim(cell, value, target=size)
