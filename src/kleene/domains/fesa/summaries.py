"""Summaries: many cells as one node, and one cell taken out again (FESA sections 2.2 to 2.4 and 3.2).

A node N with a GHOST dimension is a summary. A vector describes one instance of N and, if GHOST is one, also a second
instance, the ghost, and the edges between the two. A heap is represented if the vector of every choice of instances is
in the set. So the summary of two nodes is the union of the vectors for each choice (`fold`), and a node taken out
satisfies the constraints of all its choices (`expand`).

Deviations: GHOST is explicit, since the ghost flags of a summary with a single instance mean nothing, and counters that
contradict them would exclude existing heaps. A cell that does not exist and has no pointers to it is no instance. With
`related_numbers` the ghost has its numbers too, not edges alone: no cell has a smaller number than the one before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from kleene.domains.fesa.flags import (
    COUNT_HIGH,
    COUNT_LOW,
    EXISTS,
    GHOST,
    VALUE,
    Flag,
    Node,
)
from kleene.domains.fesa.functions import Function
from kleene.domains.fesa.heap import Heap, flags_of
from kleene.domains.fesa.vectors import Vectors


def fresh(heap: Heap, like: Node) -> Node:
    """A heap node of the same kind with the first number that is free."""
    used = {n.number for n in heap.heap_nodes() if n.size == like.size}
    number = 1
    while number in used:
        number += 1
    return like._replace(number=number, ghost=False)


def move_flag(flag: Flag, nodes: Mapping[Node, Node | None]) -> Flag | None:
    """The flag with nodes replaced; None if that is no flag of a state.

    A ghost has edges with its own node, and numbers.
    """
    source = nodes.get(flag.source, flag.source)
    target = nodes.get(flag.target, flag.target) if flag.target is not None else None
    if source is None or (flag.target is not None and target is None):
        return None
    result = flag._replace(source=source, target=target)
    if source.ghost and flag.kind == VALUE:
        return result
    if source.ghost and not (target is not None and target.other == source and not target.ghost):
        return None
    if target is not None and target.ghost and not (source.other == target and not source.ghost):
        return None
    return result


def rename_nodes(vectors: Vectors, nodes: Mapping[Node, Node | None], without: Flag | None = None) -> Vectors:
    """The vectors with nodes renamed; flags that have no meaning afterwards are projected out."""
    gone, names, flags = _renaming(flags_of(vectors), frozenset(nodes.items()), without)
    space, function = vectors.space, vectors.function
    return Vectors(space, flags, space.rename(space.exists(function, gone), names), vectors.clean)


@lru_cache(maxsize=1 << 12)
def _renaming(
    flags: frozenset[Flag], nodes: frozenset[tuple[Node, Node | None]], without: Flag | None
) -> tuple[frozenset[Flag], dict[Flag, Flag], frozenset[Flag]]:
    """The removed flags, the new names of others, and the resulting flags; cached, as the same arguments recur."""
    mapping = dict(nodes)
    gone: set[Flag] = set()
    names: dict[Flag, Flag] = {}
    for flag in flags:
        new = move_flag(flag, mapping) if flag != without else None
        if new is None:
            gone.add(flag)
        elif new != flag:
            names[flag] = new
    after = frozenset(names.get(flag, flag) for flag in flags - gone)
    assert len(after) == len(flags) - len(gone), "two flags under one name: their vectors would have to agree"
    return frozenset(gone), names, after


def dead(heap: Heap, node: Node) -> Function:
    """The condition that a node is no instance: not allocated, no real summary, and without pointers to it."""
    condition = ~heap.flag(Flag(EXISTS, node)) & ~heap.flag(Flag(GHOST, node))
    counted = heap.options.in_counter
    if counted:
        condition = condition & ~heap.flag(Flag(COUNT_LOW, node)) & ~heap.flag(Flag(COUNT_HIGH, node))
    for flag in heap.edges_to(node):
        condition = condition & ~heap.flag(flag)
        if not counted:  # other instances of the source may point to it
            condition = condition & ~heap.flag(Flag(GHOST, flag.source))
    return condition


def summarise(heap: Heap, kept: Node, gone: Node) -> None:
    """Make `kept` the summary of both nodes (section 2.2, also of summaries)."""
    space = heap.space
    kept_dead, gone_dead = dead(heap, kept), dead(heap, gone)
    parts = []
    alone = heap.restrict(gone_dead)
    if alone is not None:
        parts.append(rename_nodes(alone.vectors, {gone: None, gone.other: None}))
    alone = heap.restrict(kept_dead & ~gone_dead)
    if alone is not None:
        cleared = rename_nodes(alone.vectors, {kept: None, kept.other: None})
        parts.append(rename_nodes(cleared, {gone: kept, gone.other: kept.other}))
    both = heap.restrict(~kept_dead & ~gone_dead)
    if both is not None:
        parts += _choices(both, kept, gone)
    dims = frozenset().union(*(p.dims for p in parts))
    function = space.false
    for part in parts:
        function = function | part.zero(dims).function
    heap.vectors = Vectors(space, dims, function)
    if heap.sizes is not None:
        heap.sizes = heap.sizes.merged(kept, gone)


def _choices(heap: Heap, kept: Node, gone: Node) -> list[Vectors]:
    """The choices of an instance and its ghost among the instances of two nodes."""
    choices = []
    ghost = Flag(GHOST, kept)
    roles: list[tuple[dict[Node, Node | None], Node | None]] = [
        ({gone: kept.other, kept.other: None, gone.other: None}, None),
        ({gone: kept, kept: kept.other, kept.other: None, gone.other: None}, None),
        ({gone: None, gone.other: None}, kept),
        ({gone: kept, gone.other: kept.other, kept: None, kept.other: None}, gone),
    ]
    for nodes, summary in roles:
        part = heap if summary is None else heap.restrict(heap.flag(Flag(GHOST, summary)))
        if part is None or (summary is not None and not heap.is_summary(summary)):
            continue
        vectors = part.vectors.drop(Flag(GHOST, kept), Flag(GHOST, gone), *_unrelated_numbers(heap, nodes, kept))
        chosen = rename_nodes(vectors, nodes).add(ghost)
        choices.append(chosen.restrict(heap.space.var(ghost)))
    return choices


def _unrelated_numbers(heap: Heap, nodes: Mapping[Node, Node | None], kept: Node) -> list[Flag]:
    """The numbers of the node that becomes a ghost, unless ghosts have numbers."""
    if heap.options.related_numbers:
        return []
    return [flag for node, new in nodes.items() if new == kept.other for flag in heap.edges_from(node, kind=VALUE)]


def materialise(heap: Heap, summary: Node, only: Function | None = None) -> Node:
    """Take one instance out of a summary that has several; the result is the node of that instance (section 2.3).

    With `only`, a condition on the result, the rest is not computed.
    """
    ghost = Flag(GHOST, summary)
    new = fresh(heap, summary)
    space = heap.space
    base = heap.vectors.restrict(space.var(ghost))
    one_less = space.none_of([ghost, *heap.to_ghost(summary)])
    taken = rename_nodes(base, {summary: new, summary.other: summary}, without=ghost)
    seen = rename_nodes(base, {summary.other: new}, without=ghost)
    dims = base.dims | taken.dims | seen.dims
    function = taken.function if only is None else only & taken.function
    heap.vectors = Vectors(space, dims, function & seen.function & (base.function | one_less))
    return new


def flags_of_instance(heap: Heap, summary: Node, new: Node) -> dict[Flag, Flag]:
    """The flags of an instance that was taken out, for each flag of the summary it was in."""
    result = {}
    for flag in heap.mentioning(summary):
        other = move_flag(flag, {summary: new, summary.other: summary})
        if other is not None:
            result[flag] = other
    return result


def single(heap: Heap, summary: Node) -> Heap | None:
    """The part of the state in which a summary has one instance, which is then an ordinary node."""
    part = heap.restrict(~heap.space.var(Flag(GHOST, summary)))
    if part is not None:
        part.drop([Flag(GHOST, summary), *part.to_ghost(summary)])
    return part


def separate_instance(heap: Heap, summary: Node, where: Function | None = None, others: Function | None = None) -> Node:
    """One instance of a summary as a node of its own, whether there are others or not (deref', section 3.2).

    With `where`, a condition on flags of the summary, the instance satisfies it; the remaining instances satisfy
    neither it nor `others`.
    """
    if where is None:
        alone, only = single(heap, summary), None
    else:
        apart = heap.space.true if others is None else ~others
        alone = heap.restrict(where & apart)
        alone = None if alone is None else single(alone, summary)
        only = heap.space.rename(where, flags_of_instance(heap, summary, fresh(heap, summary))) & ~where & apart
    several = heap.copy()
    new = materialise(several, summary, only)
    vectors = several.vectors
    if alone is not None:
        vectors = rename_nodes(alone.vectors, {summary: new, summary.other: None})
        if not several.vectors.is_empty():
            vectors = vectors.join(several.vectors)
    heap.vectors = vectors
    if heap.sizes is not None:
        exists = heap.exists(new)
        certain = int(heap.possible(exists)) if not heap.possible(exists) or not heap.possible(~exists) else None
        heap.sizes = heap.sizes.taken(summary, new, certain)
    return new


def part_summary(heap: Heap, summary: Node, new: Node, belongs: Function, remains: Function) -> None:
    """A summary as two nodes, which have its instances between them; either may have none.

    Every instance of `new` satisfies `belongs`, every remaining one `remains`. Both must follow from a property that
    each instance has or has not.
    """
    space = heap.space
    ghost = Flag(GHOST, summary)
    all_new: dict[Node, Node | None] = {summary: new, summary.other: new.other}
    base = heap.vectors.restrict(heap.flag(ghost))
    several = rename_nodes(base, all_new)
    hidden = heap.to_ghost(summary)
    one_old = space.none_of([ghost, *hidden])
    one_new = space.none_of(f for f in (move_flag(f, all_new) for f in [ghost, *hidden]) if f is not None)
    seen_new = rename_nodes(base, {summary: new, summary.other: summary}, without=ghost)
    seen_old = rename_nodes(base, {summary.other: new}, without=ghost)
    both = seen_new.function & seen_old.function & (base.function | one_old) & (several.function | one_new)
    parts = [
        Vectors(space, base.dims | several.dims | seen_new.dims | seen_old.dims, both & belongs & remains),
        heap.vectors.restrict(remains),
        rename_nodes(heap.vectors, all_new).restrict(belongs),
    ]
    dims = frozenset().union(*(p.dims for p in parts))
    function = space.false
    for part in parts:
        function = function | part.zero(dims).function
    heap.vectors = Vectors(space, dims, function)
