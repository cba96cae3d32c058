"""Adding, duplicating and removing nodes of a structure in the making.

A structure in the making is a list of rails and a number of nodes; these functions return a new list, since the width
may change with the number of nodes. `arities` are those of the vocabulary's predicates, in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from kleene.structures.layout import Layout, layout_for

Arities = tuple[int, ...]


def restride(values: list[int], arities: Arities, old: Layout, new: Layout) -> list[int]:
    """The same values in another layout."""
    if old.width == new.width:
        return list(values)
    result = list(values)
    for p, arity in enumerate(arities):
        if arity > 1:
            for rail in (2 * p, 2 * p + 1):
                result[rail] = old.restride(values[rail], arity, new)
    return result


def with_new_nodes(values: list[int], size: int, arities: Arities, count: int) -> list[int]:
    """`count` more nodes, on which every predicate is 0 (`ac` included)."""
    return restride(values, arities, layout_for(size), layout_for(size + count))


def with_duplicate(values: list[int], size: int, arities: Arities, node: int) -> list[int]:
    """One more node, number `size`, with every tuple that `node` has; tuples with itself are copied both ways."""
    layout = layout_for(size + 1)
    values = restride(values, arities, layout_for(size), layout)
    width, new, row, col = layout.width, size, layout.row, layout.col
    shift = new - node
    for p, arity in enumerate(arities):
        if arity == 1:
            for rail in (2 * p, 2 * p + 1):
                values[rail] |= (values[rail] >> node & 1) << new
        elif arity == 2:
            for rail in (2 * p, 2 * p + 1):
                matrix = values[rail]
                if matrix:
                    matrix |= ((matrix >> (node * width)) & row) << (new * width)
                    values[rail] = matrix | (matrix & (col << node)) << shift
        elif arity > 2:
            for rail in (2 * p, 2 * p + 1):
                values[rail] = _duplicate(values[rail], layout, arity, node, new)
    return values


def _duplicate(tensor: int, layout: Layout, arity: int, node: int, new: int) -> int:
    for axis in range(arity):
        for index in layout.tuples(tensor, arity):
            if index[axis] == node:
                tensor |= 1 << layout.bit((*index[:axis], new, *index[axis + 1 :]))
    return tensor


def without_nodes(values: list[int], size: int, arities: Arities, removed: int) -> tuple[list[int], int]:
    """The structure without the nodes of a bit set, and its size; the others keep their order."""
    kept = tuple(u for u in range(size) if not removed >> u & 1)
    return list(mapping_of(tuple((u,) for u in kept), size).apply(values, arities)), len(kept)


class Mapping:
    """A renumbering of nodes: new node g stands for the old nodes of groups[g]; some old nodes may be dropped.

    Merged values are joined in the information order (thesis Def. 2.4): 1 if all are 1, 0 if all are 0, else 1/2. A new
    node that stands for none has every value 0.
    """

    def __init__(self, groups: tuple[tuple[int, ...], ...], size: int) -> None:
        self.groups = groups
        self.size = len(groups)
        self.old = layout_for(size)
        self.new = layout_for(self.size)
        self._masks = tuple(sum(1 << u for u in group) for group in groups)
        self._memo: tuple[dict[tuple[int, int], int], dict[tuple[int, int], int]] = ({}, {})

    def apply(self, values: Sequence[int], arities: Arities) -> list[int]:
        result = list(values)
        for p, arity in enumerate(arities):
            may = values[2 * p + 1]
            if arity and may:
                result[2 * p] = self.rail(values[2 * p], arity, 0)
                result[2 * p + 1] = self.rail(may, arity, 1)
        return result

    def rail(self, tensor: int, arity: int, rail: int) -> int:
        """A rail of a k-ary predicate over the new nodes: all (must) or any (may) of the merged tuples."""
        if not tensor or not arity:
            return tensor
        memo = self._memo[rail]
        result = memo.get((tensor, arity))
        if result is None:
            if len(memo) > 20_000:
                memo.clear()
            result = self._vector(tensor, rail) if arity == 1 else self._blocks(tensor, arity, rail)
            memo[tensor, arity] = result
        return result

    def _vector(self, vector: int, rail: int) -> int:
        result = 0
        for g, mask in enumerate(self._masks):
            part = vector & mask
            if part and (rail or part == mask):
                result |= 1 << g
        return result

    def _blocks(self, tensor: int, arity: int, rail: int) -> int:
        bits = self.old.width ** (arity - 1)
        mask = (1 << bits) - 1
        target_bits = self.new.width ** (arity - 1)
        result = 0
        for g, group in enumerate(self.groups):
            if not group:
                continue
            blocks = [(tensor >> (u * bits)) & mask for u in group]
            joined = blocks[0]
            for block in blocks[1:]:
                joined = joined | block if rail else joined & block
            if joined:
                result |= self.rail(joined, arity - 1, rail) << (g * target_bits)
        return result


@cache
def mapping_of(groups: tuple[tuple[int, ...], ...], size: int) -> Mapping:
    return Mapping(groups, size)
