"""Lost blocks: every block keeps one parent, and parents form a forest whose roots are variables.

The paper has no leaks. Reachability is no node-local property, but this one is: every allocated block is ROOTED (a
variable points to it) or has one PARENT edge from a block. The forest is a witness, chosen step by step, that all
blocks can be reached; any forest is a witness. When a block loses its parent, another pointer becomes its parent if it
comes from a variable, or from a block that is certainly not below the lost one. Otherwise the block may be lost, and
the pseudo-variable LOST holds it. If a variable replaces the parent of a block, ABOVE records that the old parent is
not below it, until some block gets another parent: a program that reverses pointers soon needs this. Choices depend
only on flags of nodes that are no summaries, so they are the same for all vectors of a heap.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set

from kleene.domains.fesa.counters import count_is
from kleene.domains.fesa.flags import (
    ABOVE,
    EDGE,
    GHOST,
    LOST,
    NOT_NULL,
    ORPHAN,
    PARENT,
    ROOTED,
    VARIABLE,
    Flag,
    Node,
    edge,
    parent,
)
from kleene.domains.fesa.functions import Function
from kleene.domains.fesa.heap import Heap

Target = tuple[Node, int]
Report = Callable[[str, str], None]


def _alone(heap: Heap, node: Node) -> Function:
    """The condition that a node represents one block only."""
    return heap.space.false if node.ghost else ~heap.flag(Flag(GHOST, node))


def _parents_shown(heap: Heap, node: Node) -> list[tuple[Flag, Function]]:
    """The parent edges to a node, where they come from a single block."""
    parents = [(f, heap.flag(f) & _alone(heap, f.source)) for f in heap.edges_to(node, PARENT) if not f.source.ghost]
    return [(f, where) for f, where in parents if heap.possible(where)]


def _not_below(heap: Heap, node: Node, top: Node) -> Function:
    """Where `node` is certainly not below `top` in the forest."""
    if node == top:
        return heap.space.false
    if not _leads(heap, top, node):
        return heap.space.true
    return (
        heap.flag(Flag(ABOVE, node, 0, top)) | _no_way_down(heap, top, {node}) | _avoids(heap, node, top, frozenset())
    )


def forget_above(heap: Heap, node: Node | None = None) -> None:
    """Some block, or this one, is somewhere else in the forest now."""
    heap.drop([f for f in heap.edges(ABOVE) if node is None or f.mentions(node)])


def _leads(heap: Heap, start: Node, end: Node) -> bool:
    """Whether parent edges of the graph lead from one node to another, whatever their flags are."""
    following: dict[Node, list[Node]] = {}
    for flag in heap.edges(PARENT):
        if flag.target is not None and not flag.to_ghost and heap.possible(heap.flag(flag)):
            following.setdefault(flag.source, []).append(flag.target)
    seen, stack = {start}, [start]
    while stack:
        for node in following.get(stack.pop(), ()):
            if node not in seen:
                seen.add(node)
                stack.append(node)
    return end in seen


def _avoids(heap: Heap, node: Node, top: Node, seen: frozenset[Node]) -> Function:
    """The way from `node` to its root is known, and does not lead through `top`; or `node` is above `top`."""
    if node == top:
        return heap.space.false
    result = heap.flag(Flag(ROOTED, node)) | _above(heap, node, top, frozenset())
    for flag, where in _parents_shown(heap, node):
        if flag.source not in seen and flag.source != top:
            result = result | (where & _avoids(heap, flag.source, top, seen | {node}))
    return result


def _above(heap: Heap, node: Node, below: Node, seen: frozenset[Node]) -> Function:
    """Where `node` is an ancestor of `below`."""
    result = heap.space.false
    for flag, where in _parents_shown(heap, below):
        if flag.source == node:
            result = result | where
        elif flag.source not in seen:
            result = result | (where & _above(heap, node, flag.source, seen | {below}))
    return result


def _no_way_down(heap: Heap, top: Node, ends: Set[Node]) -> Function:
    """The condition that no child of a node is one of the ends or leads to one in the forest.

    Slots whose targets do not lead there in the graph do not count: what hangs below a node that is taken out of a
    ring, such as its data, does not hold the rest of the ring.
    """
    result = heap.space.true
    for slot in heap.slots(top):
        edges = heap.edges_from(top, slot)
        used = [f for f in edges if f.target is not None and heap.possible(heap.flag(parent(f)))]
        below = {f.target._replace(ghost=False) for f in used if f.target is not None}
        if not any(_leads(heap, child, end) for child in below for end in ends):
            continue
        none = heap.space.false
        children = heap.any_of(heap.flag(parent(f)) for f in edges)
        if any(heap.possible(heap.flag(parent(f)) & ~_alone(heap, f.target or top)) for f in edges):
            shown, empty = none, none
            if heap.options.out_counter:
                shown = heap.any_of(heap.flag(f) & _alone(heap, f.target or top) for f in edges)
                empty = ~heap.flag(Flag(NOT_NULL, top, slot))
            result = result & (empty | (shown & ~children))
        else:
            result = result & ~children
    return result


def adopt(heap: Heap, source: Node, slot: int, targets: Mapping[Target, Function]) -> None:
    """A heap node gets new edges: it becomes the parent of a block that a variable held, or that is below it anyway.

    A slot that leads back becomes the parent of a new block only, which nothing else holds.
    """
    back = heap.leads_back(source, slot)
    for (target, offset), where in targets.items():
        if not target.is_heap:
            continue
        flag = parent(edge(source, slot, target, offset))
        rooted = heap.flag(Flag(ROOTED, target))
        if back:
            above = rooted & ~heap.any_of(heap.flag(f) for f in heap.edges_to(target) if _is_root(f.source))
        else:
            above = (rooted & _not_below(heap, source, target)) | _above(heap, source, target, frozenset())
        takes = where & heap.exists(target) & above
        if not heap.possible(takes):
            continue
        changes = {q: heap.flag(q) & ~takes for q, _ in _parents_shown(heap, target) if q != flag}
        changes[Flag(ROOTED, target)] = rooted & ~takes
        changes[flag] = heap.flag(flag) | takes
        heap.set(changes)
        forget_above(heap)


def lose(heap: Heap, lost: Flag, where: Function, new: Mapping[Target, Function], report: Report) -> None:
    """Remove an edge; `new` are the edges of the same slot that replace it."""
    target = lost.target
    assert target is not None
    rooted, orphan = Flag(ROOTED, target), Flag(ORPHAN, target)
    held = _where_held(heap, target, lost, new)
    root = _is_root(lost.source)
    before = heap.flag(rooted) & ~held if root else heap.flag(parent(lost))
    without = where & before & heap.exists(target)
    if heap.possible(without):
        heap.set({orphan: without})
        _find_parent(heap, lost, new, again=False)
        kept = heap.flag(orphan) & held
        changes = {rooted: heap.flag(rooted) | kept, orphan: heap.flag(orphan) & ~kept}
        if lost.source.is_heap and not heap.is_summary(lost.source) and heap.possible(kept):
            changes[Flag(ABOVE, lost.source, 0, target)] = kept
        heap.set(changes)
        single = not heap.is_summary(target)
        if single and heap.possible(heap.flag(orphan)):
            trial = heap.copy()
            _release_held_children(trial, lost, new)
            _find_parent(trial, lost, new, again=False)
            if not trial.possible(trial.flag(orphan)):
                heap.vectors = trial.vectors
        _find_parent(heap, lost, new, again=True)
        if heap.options.in_counter and single and heap.possible(heap.flag(orphan)):
            _release_held_children(heap, lost, new)
            _hang_on_the_only_pointer(heap, lost, new)
        if heap.possible(heap.flag(orphan)):
            report("memory_leak", "a block may not be freed and nothing points to it any more")
            keeper = edge(LOST, 0, target, 0)
            heap.set({f: heap.flag(f) | heap.flag(orphan) for f in (rooted, keeper)})
        heap.drop([orphan])
    if not root:  # the edge stays until there is a new parent, as it still orders the forest
        heap.set({parent(lost): heap.flag(parent(lost)) & ~where})


def _release_held_children(heap: Heap, lost: Flag, new: Mapping[Target, Function]) -> None:
    """The children of an orphan that variables hold become roots.

    Then less is below the orphan, so that more blocks can be its parent: a block that is stored behind another one in a
    ring became the parent of the first block, which a variable holds anyway.
    """
    target = lost.target
    assert target is not None
    for flag in heap.edges_from(target, kind=PARENT):
        child = flag.target
        assert child is not None
        turned = heap.flag(Flag(ORPHAN, target)) & heap.flag(flag) & _where_held(heap, child, lost, new)
        if heap.possible(turned):
            root = Flag(ROOTED, child)
            heap.set({flag: heap.flag(flag) & ~turned, root: heap.flag(root) | turned})
            forget_above(heap)


def _hang_on_the_only_pointer(heap: Heap, lost: Flag, new: Mapping[Target, Function]) -> None:
    """If a block has one pointer to it that is not below it, that pointer becomes its parent edge.

    This holds for any cell of a summary, so it is no choice. Children that variables hold were released before: a
    pointer that moves around a ring changes the whole forest in this way.
    """
    target = lost.target
    assert target is not None
    orphan, rooted = Flag(ORPHAN, target), Flag(ROOTED, target)
    edges = [f for f in heap.edges_to(target, EDGE) if f.source.is_heap and not _same(f, lost)]
    if any(heap.leads_back(f.source, f.slot) for f in edges):
        return
    left = count_is(heap, target, 2 if lost.source.is_heap else 1)
    takes = heap.flag(orphan) & left & _no_way_down(heap, target, {f.source for f in edges})
    takes = takes & ~heap.any_of(heap.flag(f) for f in edges if f.source == target)
    if heap.possible(takes):
        changes = {parent(f): heap.flag(parent(f)) | (heap.flag(f) & takes) for f in edges if f.source != target}
        heap.set({**changes, orphan: heap.flag(orphan) & ~takes, rooted: heap.flag(rooted) & ~takes})
        forget_above(heap)


def settle(heap: Heap, node: Node) -> None:
    """A block that a variable holds gets a parent among the blocks that point to it, where one is not below it."""
    if heap.is_summary(node) or not node.is_heap:
        return
    rooted = Flag(ROOTED, node)
    for flag in heap.edges_to(node, EDGE):
        source = flag.source
        if not source.is_heap or source == node or heap.leads_back(source, flag.slot):
            continue
        takes = heap.flag(flag) & heap.flag(rooted) & _alone(heap, source) & heap.exists(source)
        if not heap.possible(takes):
            continue
        takes = takes & _not_below(heap, source, node)
        heap.set({rooted: heap.flag(rooted) & ~takes, parent(flag): heap.flag(parent(flag)) | takes})
        forget_above(heap)


def _where_held(heap: Heap, node: Node, lost: Flag, new: Mapping[Target, Function]) -> Function:
    """Where a variable points to a node after the edge `lost` was replaced."""
    held = heap.any_of(heap.flag(f) for f in heap.edges_to(node) if _is_root(f.source) and not _same(f, lost))
    if _is_root(lost.source):
        held = held | heap.any_of(f for (target, _), f in new.items() if target == node)
    return held


def _find_parent(heap: Heap, lost: Flag, new: Mapping[Target, Function], *, again: bool) -> None:
    """A new parent among the blocks for a block, where its ORPHAN flag is set.

    The second time (`again`), a block that a variable holds may first become a root of the forest, and then the parent
    of its former ancestors.
    """
    target = lost.target
    assert target is not None
    rooted, orphan = Flag(ROOTED, target), Flag(ORPHAN, target)
    for flag in heap.edges_to(target, EDGE):
        source = flag.source
        if _same(flag, lost) or not source.is_heap or source == target or heap.leads_back(source, flag.slot):
            continue
        able = heap.flag(orphan) & heap.flag(flag) & _alone(heap, source)
        if not heap.possible(able):
            continue
        turned = heap.space.false
        if again:  # a choice about the source must be the same in all vectors, so the target is one block too
            turned = able & _alone(heap, target) & _where_held(heap, source, lost, new) & heap.exists(source)
        takes = turned if again else able & _not_below(heap, source, target)
        if not heap.possible(takes):
            continue
        own, root = parent(flag), Flag(ROOTED, source)
        changes = {q: heap.flag(q) & ~turned for q in heap.edges_to(source, PARENT)}
        changes |= {root: heap.flag(root) | turned, rooted: heap.flag(rooted) & ~takes}
        heap.set({**changes, own: heap.flag(own) | takes, orphan: heap.flag(orphan) & ~takes})
        forget_above(heap)


def _is_root(node: Node) -> bool:
    return node.kind == VARIABLE


def _same(a: Flag, b: Flag) -> bool:
    return a.source == b.source and a.slot == b.slot
