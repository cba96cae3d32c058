"""Numbers of blocks beside the Boolean function: linear equations between variables and the sizes of nodes.

Beside the paper, which suggests a numeric domain beside its own (section 6). A heap is represented if its blocks are
assigned to nodes such that the vectors of all choices of instances are in the set. With sizes, the numbers of allocated
blocks that each node gets, and the values of integer variables, solve some equations as well (`congruences`). So a
counter is related to the length of a list, also if it wraps around.

What changes the assignment of blocks to nodes changes sizes: new and freed blocks, summaries, and instances that are
taken out. The graph says of some nodes that they have no block, or one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kleene.cfa.expressions import has_dereference
from kleene.cfa.operations import Assume, Operation
from kleene.domains.fesa.flags import EXISTS, PARENT, ROOTED, Flag, Node
from kleene.passes.facts.congruences import Congruences, Space

if TYPE_CHECKING:
    from kleene.domains.fesa.heap import Heap


@dataclass(frozen=True)
class Sizes:
    """One space for each width of numbers; the coordinates of nodes are behind those of variables, in their order.

    A node that has no coordinate has no block.
    """

    equations: Congruences
    spaces: tuple[Space, ...]
    nodes: tuple[Node, ...] = ()

    @staticmethod
    def at_entry(equations: Congruences) -> Sizes | None:
        """Before the first operation; None if no equation could decide a test."""
        return Sizes(equations, tuple(equations.start(bits) for bits in equations.widths)) if equations.widths else None

    @property
    def is_empty(self) -> bool:
        """Whether no heap has such numbers."""
        return any(space.is_empty for space in self.spaces)

    # Nodes ------------------------------------------------------------------------------------------------------

    def with_size(self, node: Node, size: int) -> Sizes:
        """A node gets so many blocks, and had none."""
        here = self._with([node])
        form = (size,)
        return here._each(lambda space: space.assigned(here._place(node), form))

    def merged(self, kept: Node, gone: Node) -> Sizes:
        """The blocks of one node go to another."""
        if gone not in self.nodes:
            return self
        here = self._with([kept])
        sum_of_both = here._form({kept: 1, gone: 1})
        return here._each(lambda space: space.assigned(here._place(kept), sum_of_both)).without([gone])

    def taken(self, summary: Node, new: Node, size: int | None) -> Sizes:
        """An instance becomes a node of its own, which is allocated (1), is not (0), or may be."""
        here = self._with([summary, new])
        rest = here._form({summary: 1, new: -1})

        def divided(space: Space) -> Space:
            space = space.assigned(here._place(new), None if size is None else (size,))
            return space.assigned(here._place(summary), rest)

        return here._each(divided)

    def renamed(self, names: Mapping[Node, Node | None]) -> Sizes:
        nodes = tuple(names.get(node) or node for node in self.nodes)
        return replace(self, nodes=nodes)._in_order()

    def without(self, nodes: Iterable[Node]) -> Sizes:
        """Nodes that have no block any more, or whose blocks went elsewhere."""
        places = {self._place(node) for node in {*nodes} & {*self.nodes}}
        if not places:
            return self
        spaces = tuple(
            Space.spanned(s.bits, (tuple(x for k, x in enumerate(row) if k not in places) for row in s.rows))
            for s in self.spaces
        )
        gone = {*nodes}
        return replace(self, spaces=spaces, nodes=tuple(n for n in self.nodes if n not in gone))

    def where(self, sizes: Mapping[Node, int]) -> Sizes:
        """Only where nodes have so many blocks."""
        if any(size and node not in self.nodes for node, size in sizes.items()):
            return self._each(lambda space: replace(space, rows=()))
        forms = [(-size, *self._form({node: 1})[1:]) for node, size in sizes.items() if node in self.nodes]

        def restricted(space: Space) -> Space:
            for form in forms:
                space = space.where_zero(form)
            return space

        return self._each(restricted) if forms else self

    # Operations -------------------------------------------------------------------------------------------------

    def after(self, operation: Operation) -> Sizes | None:
        """What an operation makes of the numbers; None if it tests something that does not hold."""
        if isinstance(operation, Assume) and not has_dereference(operation.condition):
            by_bits = {space.bits: space for space in self.spaces}
            if self.equations.is_contradicted(operation.condition, by_bits, truth=operation.truth):
                return None
        result = self._each(lambda space: self.equations.after(operation, space))
        return None if result.is_empty else result

    def join(self, other: Sizes) -> Sizes:
        """The equations that hold in both."""
        mine, others = self._with(other.nodes), other._with(self.nodes)
        spaces = tuple(a.join(b) or a for a, b in zip(mine.spaces, others.spaces, strict=True))
        return replace(mine, spaces=spaces)

    def same(self, other: Sizes) -> bool:
        """Whether the same equations hold."""
        mine, others = self._with(other.nodes), other._with(self.nodes)
        pairs = list(zip(mine.spaces, others.spaces, strict=True))
        return all(a.join(b) is None and b.join(a) is None for a, b in pairs)

    # Coordinates ------------------------------------------------------------------------------------------------

    def _place(self, node: Node) -> int:
        return 1 + len(self.equations.variables) + self.nodes.index(node)

    def _form(self, factors: Mapping[Node, int]) -> tuple[int, ...]:
        zeros = (0,) * (1 + len(self.equations.variables))
        return (*zeros, *(factors.get(node, 0) for node in self.nodes))

    def _each(self, change: Callable[[Space], Space]) -> Sizes:
        return replace(self, spaces=tuple(map(change, self.spaces)))

    def _with(self, nodes: Iterable[Node]) -> Sizes:
        """The same with coordinates for nodes that have no block."""
        new = [node for node in dict.fromkeys(nodes) if node not in self.nodes]
        if not new:
            return self
        zeros = (0,) * len(new)
        spaces = tuple(replace(s, rows=tuple((*row, *zeros) for row in s.rows)) for s in self.spaces)
        return replace(self, spaces=spaces, nodes=(*self.nodes, *new))._in_order()

    def _in_order(self) -> Sizes:
        if list(self.nodes) == sorted(self.nodes):
            return self
        first = 1 + len(self.equations.variables)
        order = sorted(range(len(self.nodes)), key=lambda k: self.nodes[k])
        spaces = tuple(
            Space.spanned(s.bits, ((*row[:first], *(row[first + k] for k in order)) for row in s.rows))
            for s in self.spaces
        )
        return replace(self, spaces=spaces, nodes=tuple(self.nodes[k] for k in order))


def agree(heap: Heap) -> bool:
    """Use what the graph says of sizes, and what sizes say of the graph; False if no heap is like that."""
    sizes = heap.sizes
    if sizes is None or heap.vectors.is_empty():
        return not heap.vectors.is_empty()
    with_blocks = nodes_with_blocks(heap)
    none = [node for node in {*sizes.nodes, *heap.heap_nodes()} if node not in with_blocks]
    heap.assume(heap.space.none_of([f for node in none if (f := Flag(EXISTS, node)) in heap.flags]))
    one = [n for n in heap.heap_nodes() if not heap.is_summary(n) and not heap.possible(~heap.exists(n))]
    sizes = sizes.where({**dict.fromkeys(none, 0), **dict.fromkeys(one, 1)})
    heap.sizes = sizes.without(none)
    return not sizes.is_empty


def nodes_with_blocks(heap: Heap) -> set[Node]:
    """The nodes that may have allocated blocks.

    Each such block is held by a variable, or by the block that is its parent. Parents form a forest, so all of its
    ancestors are in nodes that may have blocks, up to one that a variable holds.
    """
    alive = {node: heap.exists(node) for node in heap.heap_nodes()}
    if not heap.options.parents:
        return {node for node, exists in alive.items() if heap.possible(exists)}
    found = {node for node, exists in alive.items() if heap.possible(exists & heap.flag(Flag(ROOTED, node)))}
    waiting = list(found)
    while waiting:
        node = waiting.pop()
        for flag in heap.edges_from(node, kind=PARENT):
            target = flag.target
            if target in alive and target not in found and heap.possible(heap.flag(flag) & alive[target]):
                found.add(target)
                waiting.append(target)
    return found
