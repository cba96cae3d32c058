"""Which blocks are lost: every block keeps one parent, and parents form a forest whose roots are variables.

The paper has no leaks. Reachability is no node-local property, but this one is: every allocated block is ROOTED (a
variable points to it) or has one PARENT edge from a block. The forest is a witness, chosen step by step, that all blocks
can be reached; any forest will do. When a block loses its parent, another pointer to it takes over, if it comes from a
variable, or from a block that is certainly not below the lost one; else the block may be lost, and from then on the
pseudo-variable LOST holds it. Choices depend only on flags of nodes that are no summaries, so that they are the same for
all vectors of a heap.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kleene.domains.fesa.flags import EDGE, LOST, NOT_NULL, ORPHAN, PARENT, ROOTED, VARIABLE, Flag, Node, edge, parent
from kleene.domains.fesa.functions import Function
from kleene.domains.fesa.heap import Heap

Target = tuple[Node, int]
Report = Callable[[str, str], None]


def _parents_shown(heap: Heap, node: Node) -> list[Flag]:
    """The parent edges to a node from nodes that are no summaries."""
    return [f for f in heap.edges_to(node, PARENT) if not f.source.ghost and not heap.is_summary(f.source)]


def _not_below(heap: Heap, node: Node, top: Node) -> Function:
    """Where `node` is certainly not below `top` in the forest."""
    if node == top:
        return heap.space.false
    return _leaf(heap, top) | _avoids(heap, node, top, frozenset())


def _avoids(heap: Heap, node: Node, top: Node, seen: frozenset[Node]) -> Function:
    """The way from `node` to its root is known, and does not lead through `top`; or `node` is above `top`."""
    if node == top:
        return heap.space.false
    result = heap.flag(Flag(ROOTED, node)) | _above(heap, node, top, frozenset())
    for flag in _parents_shown(heap, node):
        if flag.source not in seen and flag.source != top:
            result = result | (heap.flag(flag) & _avoids(heap, flag.source, top, seen | {node}))
    return result


def _above(heap: Heap, node: Node, below: Node, seen: frozenset[Node]) -> Function:
    """Where `node` is an ancestor of `below`."""
    result = heap.space.false
    for flag in _parents_shown(heap, below):
        if flag.source == node:
            result = result | heap.flag(flag)
        elif flag.source not in seen:
            result = result | (heap.flag(flag) & _above(heap, node, flag.source, seen | {below}))
    return result


def _leaf(heap: Heap, node: Node) -> Function:
    """Where a node is no one's parent."""
    result = heap.space.true
    for slot in heap.slots(node):
        edges = heap.edges_from(node, slot)
        hidden = [f for f in edges if f.target is not None and (f.target.ghost or heap.is_summary(f.target))]
        shown = [heap.flag(f) & ~heap.flag(parent(f)) for f in edges if f not in hidden]
        if heap.options.out_counter:
            result = result & (~heap.flag(Flag(NOT_NULL, node, slot)) | heap.any_of(shown))
        elif hidden:
            return heap.space.false
        else:
            result = result & ~heap.any_of(heap.flag(parent(f)) for f in edges)
    return result


def adopt(heap: Heap, source: Node, slot: int, targets: Mapping[Target, Function]) -> None:
    """A heap node gets new edges: it becomes the parent of a block that a variable held, or that is below it anyway."""
    for (target, offset), where in targets.items():
        if not target.is_heap:
            continue
        flag = parent(edge(source, slot, target, offset))
        rooted = heap.flag(Flag(ROOTED, target))
        below = _above(heap, source, target, frozenset())
        takes = where & heap.exists(target) & ((rooted & _not_below(heap, source, target)) | below)
        if not heap.possible(takes):
            continue
        changes = {q: heap.flag(q) & ~takes for q in _parents_shown(heap, target) if q != flag}
        changes[Flag(ROOTED, target)] = rooted & ~takes
        changes[flag] = heap.flag(flag) | takes
        heap.set(changes)


def lose(heap: Heap, lost: Flag, where: Function, new: Mapping[Target, Function], report: Report) -> None:
    """An edge goes away. `new` are the edges of the same slot that come instead."""
    target = lost.target
    assert target is not None
    rooted, orphan = Flag(ROOTED, target), Flag(ORPHAN, target)
    held = heap.any_of(heap.flag(f) for f in heap.edges_to(target) if _is_root(f.source) and not _same(f, lost))
    if _is_root(lost.source):
        held = held | heap.any_of(f for (node, _), f in new.items() if node == target)
        without = where & heap.exists(target) & heap.flag(rooted) & ~held
        if not heap.possible(without):
            return
        heap.set({orphan: without})
    else:
        own = parent(lost)
        given_up = where & heap.flag(own)
        if not heap.possible(given_up):
            return
        without = given_up & heap.exists(target)
        changes = {own: heap.flag(own) & ~where, rooted: heap.flag(rooted) | (without & held)}
        heap.set({**changes, orphan: without & ~held})
    _find_parent(heap, lost, report)
    heap.drop([orphan])


def _find_parent(heap: Heap, lost: Flag, report: Report) -> None:
    """A new parent for a block where its ORPHAN flag is set."""
    target = lost.target
    assert target is not None
    rooted, orphan = Flag(ROOTED, target), Flag(ORPHAN, target)
    for flag in heap.edges_to(target, EDGE):
        source = flag.source
        if _same(flag, lost) or not source.is_heap or source.ghost or heap.is_summary(source):
            continue
        takes = heap.flag(orphan) & heap.flag(flag) & _not_below(heap, source, target)
        if heap.possible(takes):
            own = parent(flag)
            kept = {rooted: heap.flag(rooted) & ~takes, orphan: heap.flag(orphan) & ~takes}
            heap.set({own: heap.flag(own) | takes, **kept})
    if heap.possible(heap.flag(orphan)):
        report("memory_leak", "a block may not be freed and nothing points to it any more")
        held = edge(LOST, 0, target, 0)
        heap.set({f: heap.flag(f) | heap.flag(orphan) for f in (rooted, held)})


def _is_root(node: Node) -> bool:
    return node.kind == VARIABLE


def _same(a: Flag, b: Flag) -> bool:
    return a.source == b.source and a.slot == b.slot
