"""The two instrumentations: counters of outgoing and incoming edges (FESA section 4).

The outgoing counter of a slot has one bit (NOT_NULL), since a slot holds at most one pointer: the hygiene condition.
The incoming counter of a heap node counts references from heap nodes, and saturates at 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kleene.domains.fesa.flags import (
    COUNT_HIGH,
    COUNT_LOW,
    EXISTS,
    GHOST,
    LOST,
    NOT_NULL,
    PARENT,
    ROOTED,
    VARIABLE,
    Flag,
    Node,
)
from kleene.domains.fesa.functions import Function
from kleene.domains.fesa.heap import Heap

SATURATED = 3
"""Edges into a node from which on they are not counted."""


def count_is(heap: Heap, node: Node, number: int) -> Function:
    low, high = heap.flag(Flag(COUNT_LOW, node)), heap.flag(Flag(COUNT_HIGH, node))
    return (low if number & 1 else ~low) & (high if number & 2 else ~high)


def count_at_least(heap: Heap, node: Node, number: int) -> Function:
    """The counter is at least 1, 2 or 3."""
    low, high = heap.flag(Flag(COUNT_LOW, node)), heap.flag(Flag(COUNT_HIGH, node))
    return low | high if number == 1 else high if number == 2 else low & high


def increment(heap: Heap, node: Node, where: Function) -> None:
    low, high = heap.flag(Flag(COUNT_LOW, node)), heap.flag(Flag(COUNT_HIGH, node))
    heap.set(
        {
            Flag(COUNT_LOW, node): (where & (~low | high)) | (~where & low),
            Flag(COUNT_HIGH, node): (where & (high | low)) | (~where & high),
        }
    )


def decrement(heap: Heap, node: Node, where: Function) -> None:
    """One reference less; a saturated counter may stay as it is. Counters do not get negative: no such heap exists."""
    flags = [Flag(COUNT_LOW, node), Flag(COUNT_HIGH, node)]
    low, high = map(heap.flag, flags)
    heap.assume(~where | low | high)
    saturated = where & low & high
    lower = {flags[0]: (where & ~low) | (~where & low), flags[1]: (where & high & low) | (~where & high)}
    stays = heap.restrict(saturated)
    heap.set(lower)
    if stays is not None:
        heap.vectors = heap.vectors.join(stays.vectors)


def at_least(heap: Heap, functions: Sequence[Function], most: int) -> list[Function]:
    """Where at least 1, 2, ... `most` of the functions are true."""
    counts = [heap.space.false] * most
    for function in functions:
        for k in range(most - 1, 0, -1):
            counts[k] = counts[k] | (counts[k - 1] & function)
        counts[0] = counts[0] | function
    return counts


def keep_hygiene(heap: Heap, nodes: Iterable[Node]) -> None:
    """Exclude vectors that describe no heap: the edges at the nodes must agree with their counters."""
    chosen = set(nodes)
    slots = {(f.source, f.slot) for f in heap.edges() if f.source in chosen or f.target in chosen}
    if heap.options.out_counter:
        for source, slot in sorted(slots):
            if not source.ghost and source != LOST:
                _one_target(heap, source, slot)
    for node in sorted(chosen):
        if node.is_heap and heap.options.in_counter:
            references = [heap.flag(f) for f in heap.edges_to(node) if f.source.is_heap]
            for k, seen in enumerate(at_least(heap, references, SATURATED), 1):
                heap.assume(~seen | count_at_least(heap, node, k))
        if node.is_heap and heap.options.parents:
            _one_parent(heap, node)


def _one_target(heap: Heap, source: Node, slot: int) -> None:
    one, two = at_least(heap, [heap.flag(f) for f in heap.edges_from(source, slot)], 2)
    heap.assume(~two & (~one | heap.flag(Flag(NOT_NULL, source, slot))))


def _one_parent(heap: Heap, node: Node) -> None:
    parents = [heap.flag(f) for f in heap.edges_to(node, PARENT)]
    rooted = heap.flag(Flag(ROOTED, node))
    one, two = at_least(heap, [*parents, rooted], 2)
    held = heap.any_of(heap.flag(f) for f in heap.edges_to(node) if f.source.kind == VARIABLE)
    heap.assume(~two & (~one | heap.flag(Flag(EXISTS, node))) & (~rooted | held))
    for flag in heap.edges_to(node, PARENT):  # parents form a forest: no block is the parent of its own parent
        for back in heap.edges_to(flag.source, PARENT):
            if back.source == node:
                heap.assume(~(heap.flag(flag) & heap.flag(back)))
    if heap.options.in_counter:
        _count_hidden_parent(heap, node, heap.flag(Flag(EXISTS, node)) & ~one)


def _count_hidden_parent(heap: Heap, node: Node, hidden: Function) -> None:
    """A parent that is not in the vector is one more reference than those that are."""
    references = [heap.flag(f) for f in heap.edges_to(node) if f.source.is_heap]
    heap.assume(~hidden | count_at_least(heap, node, 1))
    for k, seen in enumerate(at_least(heap, references, SATURATED - 1), 1):
        heap.assume(~(hidden & seen) | count_at_least(heap, node, k + 1))


# The reduction that the paper leaves out ------------------------------------------------------------------------


def reduce(heap: Heap, nodes: Iterable[Node], most: int = SATURATED - 1) -> None:
    """Remove contradictory vectors (section 5): a counter requires an edge that no node can provide.

    If no node in the vector provides the edge, another instance of some summary must. Then the vector for this
    instance is in the set, too; otherwise no such heap exists. Counters are asked for up to `most` edges.
    """
    space = heap.space
    for node in sorted(set(nodes)):
        for need, providers in _needs(heap, node, most):
            lacking = heap.vectors.function & need
            if not space.satisfiable(lacking):
                continue
            provided = space.false
            for hidden in providers:
                provided = provided | (
                    hidden.there & space.exists(heap.vectors.function & hidden.pointing, hidden.flags)
                )
            heap.vectors = heap.vectors.restrict(~need | provided)


@dataclass(frozen=True)
class Hidden:
    """Other instances of a summary than those of the vector: where there are any, and where one has the edge.

    The vector in which such an instance is shown has other values of some flags.
    """

    there: Function
    flags: Sequence[Flag]
    pointing: Function


def _needs(heap: Heap, node: Node, most: int) -> list[tuple[Function, list[Hidden]]]:
    needs: list[tuple[Function, list[Hidden]]] = []
    if heap.options.out_counter:
        for slot in heap.slots(node):
            edges = heap.edges_from(node, slot)
            need = heap.flag(Flag(NOT_NULL, node, slot))
            needs.append(_demand(heap, node, need, [(f, f.target) for f in edges if f.target is not None], 1))
    if node.is_heap and heap.options.in_counter:
        sources = [(f, f.source) for f in heap.edges_to(node) if f.source.is_heap]
        for number in range(1, most + 1):
            needs.append(_demand(heap, node, count_at_least(heap, node, number), sources, number))
    if node.is_heap and heap.options.parents:
        need = heap.flag(Flag(EXISTS, node)) & ~heap.flag(Flag(ROOTED, node))
        needs.append(_demand(heap, node, need, [(f, f.source) for f in heap.edges_to(node, PARENT)], 1))
        needs.append(_root(heap, node))
    return needs


def _root(heap: Heap, node: Node) -> tuple[Function, list[Hidden]]:
    """Every block hangs below one that a variable holds."""
    blocks = heap.heap_nodes()
    shown = heap.any_of(heap.flag(Flag(ROOTED, n)) for n in blocks if not heap.is_summary(n))
    summaries = [n for n in blocks if heap.is_summary(n)]
    providers = [Hidden(heap.space.true, heap.mentioning(n), heap.flag(Flag(ROOTED, n))) for n in summaries]
    return heap.flag(Flag(EXISTS, node)) & ~shown, providers


def _demand(
    heap: Heap, node: Node, need: Function, edges: list[tuple[Flag, Node]], number: int
) -> tuple[Function, list[Hidden]]:
    """The condition that the vector shows fewer than `number` needed edges; and who may have the others."""
    providers: dict[Node, list[Function]] = {}
    for flag, end in edges:
        if end.ghost or (end != node and heap.is_summary(end)):
            providers.setdefault(end, []).append(heap.flag(flag))
    enough = at_least(heap, [heap.flag(flag) for flag, _ in edges], number)[number - 1]
    return need & ~enough, [_hidden(heap, node, end, functions) for end, functions in providers.items()]


def _hidden(heap: Heap, node: Node, end: Node, edges: list[Function]) -> Hidden:
    """The instances of a summary that a vector does not show, at the other end of edges of a node."""
    several = Flag(GHOST, node if end.ghost else end)
    flags = [*heap.to_ghost(node), several] if end.ghost else heap.mentioning(end)
    return Hidden(heap.flag(several), flags, heap.any_of(edges))
