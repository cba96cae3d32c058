"""Concrete heaps of a few cells, their semantics, and what states of the domain represent: written from Definitions 3
and 4 of the paper without the domain's code.

A heap has variables and cells; a cell has two slots and may be freed. A state represents a heap if the cells can be
given to its nodes so that the vector of every choice of instances and ghosts is in the set, for some forest of parents.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from kleene.domains.fesa.flags import (
    ABOVE,
    COUNT_HIGH,
    COUNT_LOW,
    EDGE,
    EXISTS,
    GHOST,
    NOT_NULL,
    PARENT,
    ROOTED,
    UNDEFINED,
    Flag,
    Node,
)
from kleene.domains.fesa.heap import Options
from kleene.domains.fesa.vectors import Vectors

UNSET = -1
NEVER = -2
SLOTS = (0, 8)
SIZE = 16


class Wrong(Exception):
    """The operation is an error; the argument says of which kind."""


@dataclass
class Concrete:
    """Variables and cells: a value is the number of a cell, None for NULL, or UNSET."""

    variables: dict[str, int | None] = field(default_factory=dict)
    cells: dict[int, dict[int, int | None]] = field(default_factory=dict)
    freed: set[int] = field(default_factory=set)

    def copy(self) -> Concrete:
        return Concrete(dict(self.variables), {k: dict(v) for k, v in self.cells.items()}, set(self.freed))

    def cell(self, variable: str) -> dict[int, int | None]:
        value = self.variables[variable]
        if value is None:
            raise Wrong("null_dereference")
        if value == UNSET:
            raise Wrong("uninitialized_pointer")
        if value in self.freed:
            raise Wrong("dangling_dereference")
        return self.cells[value]

    def step(self, operation: tuple[str, ...]) -> bool:
        """Execute; false if a condition does not hold."""
        kind, *rest = operation
        if kind == "null":
            self.variables[rest[0]] = None
        elif kind == "copy":
            self.variables[rest[0]] = self.variables[rest[1]]
        elif kind == "load":
            self.variables[rest[0]] = self.cell(rest[1])[int(rest[2])]
        elif kind == "store":
            self.cell(rest[0])[int(rest[1])] = self.variables[rest[2]]
        elif kind == "clear":
            self.cell(rest[0])[int(rest[1])] = None
        elif kind == "malloc":
            number = max([*self.cells, *self.freed, 0]) + 1
            self.cells[number] = dict.fromkeys(SLOTS, UNSET if rest[1] == "unset" else None)
            self.variables[rest[0]] = number
        elif kind == "free":
            value = self.variables[rest[0]]
            if value is None:
                return True
            if value == UNSET:
                raise Wrong("invalid_free")
            if value in self.freed:
                raise Wrong("double_free")
            self.freed.add(value)
            del self.cells[value]
        else:
            a, b = self.variables[rest[0]], self.variables[rest[1]] if len(rest) > 1 else None
            if UNSET in (a, b) or (a != b and None not in (a, b) and {a, b} & self.freed):
                return True  # either way (docs/assumptions.md)
            return (a == b) == (kind == "equal")
        return True

    def lost(self) -> set[int]:
        """The cells that no variable reaches."""
        reached, stack = set(), [v for v in self.variables.values() if v in self.cells]
        while stack:
            cell = stack.pop()
            if cell is not None and cell in self.cells and cell not in reached:
                reached.add(cell)
                stack += [v for v in self.cells[cell].values() if v in self.cells]
        return set(self.cells) - reached

    def known(self) -> list[int]:
        """The cells that are allocated or that something points to."""
        values = [*self.variables.values(), *(v for c in self.cells.values() for v in c.values())]
        return sorted({*self.cells, *(v for v in values if v in self.freed and v is not None)})

    def forests(self) -> Iterator[dict[int, tuple[int, int] | None]]:
        """Every choice of a parent (a cell and its slot, or None for a variable) for each cell, without cycles."""
        choices = []
        order = sorted(self.cells)
        for cell in order:
            own: list[tuple[int, int] | None] = [None] if cell in self.variables.values() else []
            own += [(c, s) for c in order for s in SLOTS if self.cells[c][s] == cell and c != cell]
            choices.append(own)
        for chosen in product(*choices):
            forest = dict(zip(order, chosen, strict=True))
            if all(_ends(forest, cell) for cell in order):
                yield forest


def _ends(forest: dict[int, tuple[int, int] | None], cell: int) -> bool:
    seen = set()
    here: int | None = cell
    while here is not None:
        if here in seen:
            return False
        seen.add(here)
        above = forest[here]
        here = None if above is None else above[0]
    return True


def represents(vectors: Vectors, heap: Concrete, options: Options) -> bool:
    """Whether a heap is in the meaning of a state; what it remembers of the forest's past is only a help."""
    vectors = vectors.drop(*(f for f in vectors.dims if f.kind == ABOVE))
    nodes = sorted({n for f in vectors.dims for n in (f.source, f.target) if n and n.is_heap and not n.ghost})
    cells = heap.known()
    if cells and not nodes:
        return False
    # Addresses that nothing points to may be instances too: freed cells, and one that was never allocated.
    gone = [*sorted(heap.freed - set(cells)), NEVER]
    heap = Concrete(heap.variables, heap.cells, heap.freed | {NEVER})
    choices = [*([nodes] * len(cells)), *([[None, *nodes]] * len(gone))]
    for forest in heap.forests() if options.parents else [{}]:
        for chosen in product(*choices):
            place = {c: n for c, n in zip([*cells, *gone], chosen, strict=True) if n is not None}
            if _fits(vectors, heap, options, nodes, place, forest):
                return True
    return False


def _fits(
    vectors: Vectors,
    heap: Concrete,
    options: Options,
    nodes: list[Node],
    place: dict[int, Node],
    forest: dict[int, tuple[int, int] | None],
) -> bool:
    members = {n: [c for c in place if place[c] == n] for n in nodes}
    ways = []
    for node in nodes:
        own = members[node]
        if len(own) > 1:
            ways.append([(u, w) for u in own for w in own if u != w])
        else:
            ways.append([(own[0] if own else None, None)])
    for choice in product(*ways):
        values = _vector(heap, options, dict(zip(nodes, choice, strict=True)), forest)
        if not set(values) <= vectors.dims or not vectors.space.evaluate(vectors.function, values):
            return False
    return True


def _vector(
    heap: Concrete,
    options: Options,
    choice: dict[Node, tuple[int | None, int | None]],
    forest: dict[int, tuple[int, int] | None],
) -> dict[Flag, bool]:
    """The flags that are one."""
    ones: dict[Flag, bool] = {}
    by_cell = {u: n for n, (u, _) in choice.items() if u is not None}
    for name, value in heap.variables.items():
        variable = Node("variable", name, 8)
        if value is not None and options.out_counter:
            ones[Flag(NOT_NULL, variable)] = True
        if value == UNSET:
            ones[Flag(EDGE, variable, 0, UNDEFINED, 0)] = True
        elif value in by_cell:
            ones[Flag(EDGE, variable, 0, by_cell[value], 0)] = True
    for node, (cell, ghost) in choice.items():
        if ghost is not None:
            ones[Flag(GHOST, node)] = True
        if cell is not None:
            _cell_flags(heap, options, node, cell, by_cell, forest, ones)
            if ghost is not None:
                _ghost_flags(heap, options, node, cell, ghost, forest, ones)
    return ones


def _cell_flags(
    heap: Concrete,
    options: Options,
    node: Node,
    cell: int,
    by_cell: dict[int, Node],
    forest: dict[int, tuple[int, int] | None],
    ones: dict[Flag, bool],
) -> None:
    if options.in_counter:
        count = min(3, sum(v == cell for c in heap.cells.values() for v in c.values()))
        ones |= {Flag(kind, node): True for bit, kind in ((1, COUNT_LOW), (2, COUNT_HIGH)) if count & bit}
    if cell in heap.freed:
        return
    ones[Flag(EXISTS, node)] = True
    if options.parents and forest[cell] is None:
        ones[Flag(ROOTED, node)] = True
    for slot, value in heap.cells[cell].items():
        if value is not None and options.out_counter:
            ones[Flag(NOT_NULL, node, slot)] = True
        if value == UNSET:
            ones[Flag(EDGE, node, slot, UNDEFINED, 0)] = True
        elif value in by_cell:
            ones[Flag(EDGE, node, slot, by_cell[value], 0)] = True
            if options.parents and forest.get(value) == (cell, slot):
                ones[Flag(PARENT, node, slot, by_cell[value], 0)] = True


def _ghost_flags(
    heap: Concrete,
    options: Options,
    node: Node,
    cell: int,
    ghost: int,
    forest: dict[int, tuple[int, int] | None],
    ones: dict[Flag, bool],
) -> None:
    for (a, first), (b, second) in (((node, cell), (node.other, ghost)), ((node.other, ghost), (node, cell))):
        for slot, value in heap.cells.get(first, {}).items():
            if value == second:
                ones[Flag(EDGE, a, slot, b, 0)] = True
                if options.parents and forest.get(second) == (first, slot):
                    ones[Flag(PARENT, a, slot, b, 0)] = True
