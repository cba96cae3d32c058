"""Changing slots: the assignments of FESA's abstract semantics (Fig. 9) with counters and parents kept up to date."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kleene.domains.fesa.counters import SATURATED, count_is, decrement, increment, keep_hygiene, reduce
from kleene.domains.fesa.flags import (
    EXISTS,
    GHOST,
    MOVED_NULL,
    NOT_NULL,
    OTHERS,
    PARENT,
    ROOTED,
    UNDEFINED,
    VALUE,
    VARIABLE,
    Flag,
    Node,
    edge,
    parent,
)
from kleene.domains.fesa.functions import Function
from kleene.domains.fesa.heap import FRESH, Heap
from kleene.domains.fesa.ownership import Report, Target, adopt, forget_above, lose
from kleene.passes.facts.memory import Unmodelled

NOWHERE = (UNDEFINED, MOVED_NULL, OTHERS)
"""Targets of pointers of which nothing is known."""


@dataclass(frozen=True)
class Pointer:
    """A pointer value: where it points to each target, where it may be a pointer at all, and where it may be NULL.

    `moved` is by how many bytes NULL was moved, which is no pointer that may be used then.
    """

    targets: dict[Target, Function]
    some: Function
    null: Function
    moved: int = 0

    def shift(self, distance: int) -> Pointer:
        """The pointer moved by `distance` bytes."""
        if distance == 0:
            return self
        targets = {(n, o if n in NOWHERE else o + distance): where for (n, o), where in self.targets.items()}
        return Pointer(targets, self.some, self.null, self.moved + distance)

    def settle(self, heap: Heap) -> Pointer:
        """The same as a value that can be stored and compared."""
        if self.moved == 0 or not heap.possible(self.null):
            return self
        if heap.possible(self.some & self.null):
            raise Unmodelled("arithmetic on a pointer that may or may not be NULL")
        key = (MOVED_NULL, 0)
        targets = self.targets | {key: self.targets.get(key, heap.space.false) | self.null}
        return Pointer(targets, heap.space.true, heap.space.false)


def null(heap: Heap) -> Pointer:
    return Pointer({}, heap.space.false, heap.space.true)


def to(heap: Heap, node: Node, offset: int = 0) -> Pointer:
    return Pointer({(node, offset): heap.space.true}, heap.space.true, heap.space.false)


def read(heap: Heap, node: Node, slot: int) -> Pointer:
    """The pointer in a slot of a node that is no summary."""
    targets = {(f.target, f.offset): heap.flag(f) for f in heap.edges_from(node, slot) if f.target is not None}
    some, none = heap.not_null(node, slot)
    return Pointer(targets, some, none)


def write(heap: Heap, node: Node, slot: int, value: Pointer, report: Report) -> None:
    """Store a pointer in a slot of a node that is no summary.

    If a block seems to be lost, the counters are used first: they exclude vectors that describe no heap.
    """
    value = value.settle(heap)
    if heap.options.parents and heap.options.reduce:
        lost: list[str] = []
        trial = heap.copy()
        _write(trial, node, slot, value, lambda kind, text: lost.append(kind))
        if not lost:
            heap.vectors = trial.vectors
            return
        nodes = [n for n in heap.nodes() if not _is_new(heap, n)]
        keep_hygiene(heap, nodes)
        reduce(heap, nodes)
    _write(heap, node, slot, value, report)


def _is_new(heap: Heap, node: Node) -> bool:
    """Whether a node may be a block that is not stored anywhere yet: a root that no variable holds."""
    held = heap.any_of(heap.flag(f) for f in heap.edges_to(node) if f.source.kind == VARIABLE)
    return node.is_heap and heap.possible(heap.flag(Flag(ROOTED, node)) & ~held)


def _write(heap: Heap, node: Node, slot: int, value: Pointer, report: Report) -> None:
    old = heap.edges_from(node, slot)
    new = {target: f for target, f in value.targets.items() if heap.possible(f)}
    if heap.options.parents and node.is_heap:
        adopt(heap, node, slot, new)
    none = heap.space.false
    vague: list[Node] = []
    """Blocks to which there may be as many pointers as before, as their counters were full."""
    for flag in old:
        target = flag.target
        if target is not None and target.is_heap:
            kept: Function = new.get((target, flag.offset), none)
            gone = heap.flag(flag) & ~kept
            if heap.possible(gone):
                if heap.options.parents:
                    lose(heap, flag, gone, new, report)
                if heap.options.in_counter and node.is_heap:
                    if heap.possible(gone & count_is(heap, target, SATURATED)) and not heap.is_summary(target):
                        vague.append(target)
                    decrement(heap, target, gone)
    if heap.options.in_counter and node.is_heap:
        for (target, offset), where in new.items():
            if target.is_heap:
                increment(heap, target, where & ~heap.flag(edge(node, slot, target, offset)))
    changes = {edge(node, slot, *target): where for target, where in new.items()}
    if heap.options.out_counter:
        changes[Flag(NOT_NULL, node, slot)] = value.some
    heap.set(changes)
    unused = [f for f in old if f not in changes]
    heap.drop([*unused, *(parent(f) for f in unused)])
    if heap.options.reduce and vague:
        reduce(heap, vague, SATURATED)


def clear(heap: Heap, node: Node, report: Report) -> None:
    """All pointer slots of a node become NULL and are forgotten."""
    for slot in heap.slots(node):
        write(heap, node, slot, null(heap), report)
    heap.drop([f for kind in (NOT_NULL, VALUE) for f in heap.edges_from(node, kind=kind)])


def allocate(heap: Heap, size: int, slots: Iterable[int], *, zeroed: bool) -> Node:
    """A new heap node: allocated, held by no one yet (so `ROOTED` until it is stored)."""
    used = {n.number for n in heap.heap_nodes() if n.size == size}
    number = min(set(range(1, len(used) + 2)) - used)
    inner = heap.options.inner
    node = Node("heap", FRESH if inner is not None and size in inner.sizes else "", size, number)
    changes = {Flag(EXISTS, node): heap.space.true}
    if heap.options.parents:
        changes[Flag(ROOTED, node)] = heap.space.true
    heap.set(changes)
    if heap.sizes is not None:
        heap.sizes = heap.sizes.with_size(node, 1)
    if not zeroed:
        for slot in slots:
            spoil(heap, node, slot)
    return node


def spoil(heap: Heap, node: Node, slot: int) -> None:
    """An empty slot gets an undefined pointer."""
    changes = {edge(node, slot, UNDEFINED, 0): heap.space.true}
    if heap.options.out_counter:
        changes[Flag(NOT_NULL, node, slot)] = heap.space.true
    heap.set(changes)


def spoil_or_zero(heap: Heap, node: Node, slot: int, report: Report) -> None:
    """A pointer of which a part is overwritten has no value, or is NULL: zeros may have been written over zeros."""
    write(heap, node, slot, to(heap, UNDEFINED), report)
    no_value = edge(node, slot, UNDEFINED, 0)
    flags = [no_value, *([Flag(NOT_NULL, node, slot)] if heap.options.out_counter else [])]
    heap.vectors = heap.vectors.drop(*flags).add(*flags)
    for flag in flags:
        heap.assume(~(heap.flag(flag) ^ heap.flag(no_value)))


def detach(heap: Heap, node: Node) -> None:
    """Pointers to an object that has ended do not point to the next one of that name: they have no value."""
    changes: dict[Flag, Function] = {}
    old = heap.edges_to(node)
    for flag in old:
        unset = flag._replace(target=UNDEFINED, offset=0)
        changes[unset] = changes.get(unset, heap.flag(unset)) | heap.flag(flag)
    heap.set(changes)
    heap.drop(old)


def release(heap: Heap, node: Node, report: Report) -> None:
    """Free the node: its pointers are lost, and pointers to it dangle."""
    clear(heap, node, report)
    forget_above(heap, node)
    gone = heap.edges_to(node, PARENT)
    if heap.sizes is not None:
        heap.sizes = heap.sizes.with_size(node, 0)
    heap.drop([*gone, Flag(EXISTS, node), Flag(ROOTED, node), Flag(GHOST, node)])
    unseen = not heap.edges_to(node)
    if unseen:
        heap.drop(heap.mentioning(node))
