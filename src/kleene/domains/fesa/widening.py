"""Widening by summarisation (FESA section 3.2): nodes that the same variables reach in the graph become one.

Only the graph counts, not the Boolean function. The oldest node of each class stays, so that addresses are stable.
"""

from __future__ import annotations

from collections.abc import Iterable

from kleene.domains.fesa.counters import at_least
from kleene.domains.fesa.flags import (
    COUNT_HIGH,
    COUNT_LOW,
    EDGE,
    EXISTS,
    GHOST,
    LOST,
    NOT_NULL,
    PARENT,
    ROOTED,
    VALUE,
    VARIABLE,
    Flag,
    Node,
)
from kleene.domains.fesa.functions import Function
from kleene.domains.fesa.heap import Heap
from kleene.domains.fesa.ownership import forget_above
from kleene.domains.fesa.summaries import rename_nodes, summarise
from kleene.domains.fesa.vectors import Vectors


def reached_from(heap: Heap) -> dict[Node, frozenset[Node]]:
    """For each heap node, the variables from which it can be reached along edges of the graph."""
    following: dict[Node, set[Node]] = {}
    for flag in heap.edges():
        if flag.target is not None and not flag.source.ghost and not flag.target.ghost:
            following.setdefault(flag.source, set()).add(flag.target)
    reached: dict[Node, set[Node]] = {node: set() for node in heap.heap_nodes()}
    for root in heap.nodes():
        if root.kind != VARIABLE or root == LOST:
            continue
        stack, seen = [root], {root}
        while stack:
            for node in following.get(stack.pop(), ()):
                if node not in seen:
                    seen.add(node)
                    stack.append(node)
        for node in seen:
            if node in reached:
                reached[node].add(root)
    return {node: frozenset(roots) for node, roots in reached.items()}


def widen(heap: Heap) -> None:
    """Summarise until every class of nodes has one member."""
    forget_above(heap)
    heap.prune()
    while True:
        classes: dict[tuple[object, ...], list[Node]] = {}
        for node, roots in sorted(reached_from(heap).items()):
            key: tuple[object, ...] = node.size, node.name, roots
            if heap.options.apart:
                holders = frozenset(f.source for f in heap.edges_to(node) if f.source.kind == VARIABLE)
                key = *key, Flag(EXISTS, node) in heap.flags, holders
            classes.setdefault(key, []).append(node)
        crowded = next((members for members in classes.values() if len(members) > 1), None)
        if crowded is None:
            return
        for member in crowded[1:]:
            summarise(heap, crowded[0], member)
        heap.prune()


Role = tuple[object, ...]
"""The variables that reach a node and those that point to it; and a number, as several nodes may share a role."""


def rename_by_role(heap: Heap, numbers: dict[Role, int]) -> None:
    """Name nodes by their roles, so that joined states have the same names for nodes with the same role."""
    names: dict[Node, Node | None] = {}
    used: dict[Role, int] = {}
    for node, roots in sorted(reached_from(heap).items()):
        holders = frozenset(f.source for f in heap.edges_to(node) if f.source.kind == VARIABLE)
        role: Role = node.size, (holders or roots), bool(holders), node.name
        used[role] = used.get(role, 0) + 1
        role = *role, used[role]
        number = numbers.setdefault(role, 1 + sum(1 for known in numbers if known[0] == node.size))
        if number != node.number:
            new = node._replace(number=number)
            names |= {node: new, node.other: new.other}
    if names:
        heap.vectors = rename_nodes(heap.vectors, names)
        if heap.sizes is not None:
            heap.sizes = heap.sizes.renamed(names)


FORGOTTEN = (
    (VALUE,),
    (COUNT_LOW, COUNT_HIGH),
    (PARENT, ROOTED),
    (EDGE, NOT_NULL, EXISTS, GHOST),
)
"""The kinds of flags that a too large function forgets, in this order."""


def coarsen(heap: Heap, limit: int) -> bool:
    """Forget relations until the function has at most `limit` nodes: flags that may vary get any value.

    This adds vectors and removes none but those in which a place has two numbers: no heap is like that. Flags that are
    the same in all vectors stay.
    """
    space = heap.space
    if space.size(heap.vectors.function) <= limit:
        return False
    for kinds in FORGOTTEN:
        function = heap.vectors.function
        varying = [
            f for f in heap.flags if f.kind in kinds and heap.possible(space.var(f)) and heap.possible(~space.var(f))
        ]
        forgotten = space.exists(function, varying) & _one_number(heap, varying)
        heap.vectors = Vectors(space, heap.vectors.dims, forgotten)
        if space.size(heap.vectors.function) <= limit:
            break
    return True


def _one_number(heap: Heap, flags: Iterable[Flag]) -> Function:
    """Where each place has at most one of the numbers that flags say it has."""
    places: dict[tuple[Node, int], list[Function]] = {}
    for flag in flags:
        if flag.kind == VALUE:
            places.setdefault((flag.source, flag.slot), []).append(heap.flag(flag))
    return heap.all_of(~at_least(heap, numbers, 2)[1] for numbers in places.values())
