"""Widening by summarisation (FESA section 3.2): nodes that the same variables reach in the graph become one.

Only the graph counts, not the Boolean function. The oldest node of each class stays, so that addresses are stable.
"""

from __future__ import annotations

from kleene.domains.fesa.flags import LOST, VARIABLE, Node
from kleene.domains.fesa.heap import Heap
from kleene.domains.fesa.summaries import summarise


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
    heap.pruned()
    while True:
        classes: dict[tuple[int, frozenset[Node]], list[Node]] = {}
        for node, roots in sorted(reached_from(heap).items()):
            classes.setdefault((node.size, roots), []).append(node)
        crowded = next((members for members in classes.values() if len(members) > 1), None)
        if crowded is None:
            return
        for member in crowded[1:]:
            summarise(heap, crowded[0], member)
        heap.pruned()
