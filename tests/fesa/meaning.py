"""What states of the domain represent: Definitions 3 and 4 of the paper, over the memories of `concrete.py`.

A state represents a memory if its blocks can be given to the nodes of the state so that the vector of every choice of
instances and ghosts is in the set, for some forest of parents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import chain, product
from types import SimpleNamespace
from typing import cast

from kleene.domains.fesa.flags import (
    ABOVE,
    COUNT_HIGH,
    COUNT_LOW,
    EDGE,
    EXISTS,
    GHOST,
    MOVED_NULL,
    NOT_NULL,
    PARENT,
    ROOTED,
    UNDEFINED,
    VALUE,
    VARIABLE,
    Flag,
    Node,
)
from kleene.domains.fesa.flags import LOST as LOST_NODE
from kleene.domains.fesa.functions import Space
from kleene.domains.fesa.heap import Options
from kleene.domains.fesa.sizes import Sizes
from kleene.domains.fesa.vectors import Vectors
from kleene.passes.facts.congruences import Congruences
from kleene.passes.facts.congruences import Space as Equations

from .concrete import BLOCK, MOVED, UNSET, Concrete, Forest, Object, Place, Value, World

GONE = (-1, -2)
"""Addresses that nothing points to: never allocated, or freed. They may be instances of nodes that do not exist."""
Placing = Mapping[int, Node]
Choice = dict[Node, tuple[int | None, int | None]]
Constants = Callable[[Node, int], tuple[int, ...]]


NO_VARIABLES = SimpleNamespace(variables=())
WIDTH = 32


def block_node(number: int) -> Node:
    return Node("heap", "", BLOCK, number)


class Meaning:
    """The vectors of memories of one world, as the options ask for; `constants` are the numbers that have flags."""

    def __init__(self, world: World, options: Options, constants: Constants | None = None) -> None:
        self.world = world
        self.options = options
        self._last: tuple[Vectors, tuple[frozenset[Flag], list[Node], list[Flag]]] | None = None
        self._nodes = {name: Node(VARIABLE, name, size) for name, size in world.sizes.items()}
        self.constants = constants or (lambda node, offset: ())

    # From memories to vectors ---------------------------------------------------------------------------------

    def vectors(self, heap: Concrete, placing: Placing, forest: Forest) -> Iterator[tuple[frozenset[Flag], Choice]]:
        """For every choice of an instance and a ghost in each node, the flags that are one."""
        members: dict[Node, list[int]] = {}
        for block, node in placing.items():
            members.setdefault(node, []).append(block)
        ways: list[list[tuple[int | None, int | None]]] = []
        for own in members.values():
            several = len(own) > 1
            ways.append([(u, w) for u in own for w in own if u != w] if several else [(own[0], None)])
        for chosen in product(*ways):
            choice = dict(zip(members, chosen, strict=True))
            yield self._vector(heap, choice, forest), choice

    def state(
        self, space: Space, heap: Concrete, placing: Placing, forest: Forest, *, remembers: bool = False
    ) -> Vectors:
        """The least state with these nodes that represents a memory; it may remember what is not below what."""
        found = [ones for ones, _ in self.vectors(heap, placing, forest)]
        if remembers:
            single = {n: b for b, n in placing.items() if list(placing.values()).count(n) == 1 and b in heap.alive}
            facts = [Flag(ABOVE, a, 0, b) for a in single for b in single if a != b]
            known = {f for f in facts if not _below(forest, single[f.source], single[f.target])}  # type: ignore[index]
            found = [ones | known for ones in found]
        dims = frozenset[Flag]().union(*found)
        function = space.false
        for ones in found:
            cube = space.none_of(dims - ones)
            for flag in ones:
                cube = cube & space.var(flag)
            function = function | cube
        return Vectors(space, dims, function)

    def node(self, thing: Object) -> Node:
        assert isinstance(thing, str)
        return self._nodes[thing]

    def _vector(self, heap: Concrete, choice: Choice, forest: Forest) -> frozenset[Flag]:
        ones: set[Flag] = set()
        seen: dict[Object, Node] = {u: n for n, (u, _) in choice.items() if u is not None}
        shown = seen | {t: self.node(t) for t in heap.sizes}
        for thing, node in shown.items():
            if thing in heap.alive:
                self._own_flags(heap, thing, node, shown, forest, ones)
        if heap.lost:
            ones |= {Flag(EDGE, LOST_NODE, 0, seen[b], 0) for b in heap.lost if b in seen}
        for node, (block, ghost) in choice.items():
            if block is not None and self.options.in_counter:
                pointing = [v for (t, _), v in heap.values.items() if isinstance(t, int)]
                count = min(3, sum(isinstance(v, tuple) and v[0] == block for v in pointing))
                ones |= {Flag(kind, node) for bit, kind in ((1, COUNT_LOW), (2, COUNT_HIGH)) if count & bit}
            if block is not None and ghost is not None:
                ones.add(Flag(GHOST, node))
                self._between(heap, (node, block), (node.other, ghost), forest, ones)
                self._between(heap, (node.other, ghost), (node, block), forest, ones)
                if self.options.related_numbers and ghost in heap.alive:
                    for slot, kind in self.world.block.items():
                        value = heap.values[ghost, slot]
                        if kind == "number" and value in self.constants(node, slot):
                            ones.add(Flag(VALUE, node.other, slot, None, value))  # type: ignore[arg-type]
        return frozenset(ones)

    def _own_flags(
        self,
        heap: Concrete,
        thing: Object,
        node: Node,
        shown: Mapping[Object, Node],
        forest: Forest,
        ones: set[Flag],
    ) -> None:
        options = self.options
        block = isinstance(thing, int)
        if block or (thing in self.world.objects and thing not in options.permanent):
            ones.add(Flag(EXISTS, node))
        if isinstance(thing, int) and options.parents and forest[thing] is None:
            ones.add(Flag(ROOTED, node))
        layout = (
            self.world.block if block else self.world.objects.get(str(thing)) or {0: self.world.variables[str(thing)]}
        )
        for slot, kind in layout.items():
            value = heap.values[thing, slot]
            if kind == "number":
                if value in self.constants(node, slot):
                    ones.add(Flag(VALUE, node, slot, None, value))  # type: ignore[arg-type]
                continue
            if value is None:
                continue
            if options.out_counter:
                ones.add(Flag(NOT_NULL, node, slot))
            if value in (UNSET, MOVED):
                ones.add(Flag(EDGE, node, slot, UNDEFINED if value == UNSET else MOVED_NULL, 0))
                continue
            assert isinstance(value, tuple)
            target, offset = value
            if target in shown:
                ones.add(Flag(EDGE, node, slot, shown[target], offset))
                if block and options.parents and isinstance(target, int) and forest.get(target) == (thing, slot):
                    ones.add(Flag(PARENT, node, slot, shown[target], offset))

    def _between(
        self, heap: Concrete, a: tuple[Node, int], b: tuple[Node, int], forest: Forest, ones: set[Flag]
    ) -> None:
        """Edges between an instance and its ghost."""
        for slot in self.world.block:
            value = heap.values.get((a[1], slot))
            if isinstance(value, tuple) and value[0] == b[1]:
                ones.add(Flag(EDGE, a[0], slot, b[0], value[1]))
                if self.options.parents and forest.get(b[1]) == (a[1], slot):
                    ones.add(Flag(PARENT, a[0], slot, b[0], value[1]))

    # And back -------------------------------------------------------------------------------------------------

    def represents(
        self, vectors: Vectors, heap: Concrete, likely: Placing | None = None, sizes: Sizes | None = None
    ) -> bool:
        """Whether a memory is in the meaning of a state; `likely` are the nodes to look at first."""
        dims, nodes, _ = self._graph(vectors)
        blocks = heap.blocks()
        if blocks and not nodes:
            return False
        for memory in self._with_lost(heap, dims):
            forests = list(memory.forests()) if self.options.parents else [{}]
            for placing in self._placings(memory, nodes, blocks, dims, likely or {}):
                if sizes is not None and not _has_sizes(sizes, memory, placing):
                    continue
                if any(self._fits(vectors, memory, placing, forest) for forest in forests):
                    return True
        return False

    def _graph(self, vectors: Vectors) -> tuple[frozenset[Flag], list[Node], list[Flag]]:
        """The flags that may be one, the heap's nodes, and what is remembered of the forest."""
        if self._last is None or self._last[0] is not vectors:
            dims: frozenset[Flag] = vectors.prune().dims  # type: ignore[assignment]
            nodes = sorted({n for f in dims for n in (f.source, f.target) if n and n.is_heap and not n.ghost})
            self._last = vectors, (dims, nodes, [f for f in dims if f.kind == ABOVE])
        return self._last[1]

    def _with_lost(self, heap: Concrete, dims: frozenset[Flag]) -> Iterator[Concrete]:
        """With the sets of blocks that the state may keep as lost ones."""
        yield heap
        if any(f.source == LOST_NODE for f in dims):
            more = [b for b in heap.blocks() if b not in heap.lost]
            for chosen in range(1, 1 << len(more)):
                memory = heap.copy()
                memory.lost = heap.lost | {b for k, b in enumerate(more) if chosen >> k & 1}
                yield memory

    def _placings(
        self, heap: Concrete, nodes: list[Node], blocks: list[int], dims: frozenset[Flag], likely: Placing
    ) -> Iterator[Placing]:
        choices: list[list[Node | None]] = []
        for block in blocks:
            able: list[Node | None] = [n for n in nodes if block not in heap.alive or Flag(EXISTS, n) in dims]
            for (thing, slot), value in heap.values.items():
                if isinstance(thing, str) and isinstance(value, tuple) and value[0] == block:
                    source = self.node(thing)
                    able = [n for n in able if n and Flag(EDGE, source, slot, n, value[1]) in dims]
            choices.append(sorted(able, key=lambda n: n != likely.get(block)))
        for extra in range(len(GONE) + 1):
            things = [*blocks, *GONE[:extra]]
            for chosen in product(*choices, *([nodes] * extra)):
                placing: dict[int, Node] = dict(zip(things, chosen, strict=True))  # type: ignore[arg-type]
                if all(self._edge_fits(place, value, placing, dims) for place, value in heap.values.items()):
                    yield placing

    @staticmethod
    def _edge_fits(place: Place, value: Value, placing: Placing, dims: frozenset[Flag]) -> bool:
        """Whether the state has the edge that a pointer from a block to another needs."""
        (source, slot), target = place, value[0] if isinstance(value, tuple) else None
        if not isinstance(source, int) or not isinstance(target, int) or not isinstance(value, tuple):
            return True
        here, there = placing[source], placing[target]
        if here == there and source != target:
            there = there.other
        return Flag(EDGE, here, slot, there, value[1]) in dims

    def _fits(self, vectors: Vectors, heap: Concrete, placing: Placing, forest: Forest) -> bool:
        dims, _, remembered = self._graph(vectors)
        if any(place is None and Flag(ROOTED, placing[block]) not in dims for block, place in forest.items()):
            return False
        for ones, choice in self.vectors(heap, placing, forest):
            true = [flag for flag in remembered if _not_below(flag, choice, forest)]
            if not ones <= dims or not _holds(vectors, ones, true):
                return False
        return True


def sizes_of(heap: Concrete, placing: Placing) -> Sizes:
    """The numbers of blocks in nodes, where the program has no numbers."""
    counts = Counter(node for block, node in placing.items() if block in heap.alive)
    nodes = sorted(set(placing.values()))
    vector = 1, *(counts[node] for node in nodes)
    return Sizes(cast("Congruences", NO_VARIABLES), (Equations.spanned(WIDTH, [vector]),), tuple(nodes))


def _has_sizes(sizes: Sizes, heap: Concrete, placing: Placing) -> bool:
    counts = Counter(node for block, node in placing.items() if block in heap.alive)
    vector = 1, *(counts[node] for node in sizes.nodes)
    return counts.keys() <= {*sizes.nodes} and all(space.has(vector) for space in sizes.spaces)


def _holds(vectors: Vectors, ones: frozenset[Flag], true: list[Flag]) -> bool:
    """Whether a vector is in the set; of what is true of the forest, the state may remember any part."""
    space, function = vectors.space, vectors.function
    kept = product(*([(flag,), ()] for flag in true))
    return any(space.evaluate(function, dict.fromkeys([*ones, *chain(*some)], True)) for some in kept)


def _not_below(flag: Flag, choice: Choice, forest: Forest) -> bool:
    """Whether what ABOVE says is true of the instances that a vector shows."""

    def shown(node: Node | None) -> int | None:
        assert node is not None
        own, ghost = choice.get(node._replace(ghost=False), (None, None))
        return ghost if node.ghost else own

    upper, lower = shown(flag.source), shown(flag.target)
    return upper in forest and lower in forest and not _below(forest, upper, lower)  # type: ignore[arg-type]


def _below(forest: Forest, block: int, top: int) -> bool:
    """Whether a block is another one, or hangs below it."""
    place: Place | None = (block, 0)
    while place is not None:
        if place[0] == top:
            return True
        place = forest[place[0]]  # type: ignore[index]
    return False
