"""Joins of canonical structures: partial join (TVLA 3's `part`) and single-structure join (thesis Fig. 41).

Both work on canonical structures over one vocabulary. The result represents at least what both arguments do.
"""

from __future__ import annotations

from functools import lru_cache

from kleene.structures.canonical import Canonicalizer
from kleene.structures.edit import mapping_of, with_new_nodes
from kleene.structures.layout import Layout, layout_for
from kleene.structures.structure import AC, AC_MAY, Structure


def join_partial(a: Structure, b: Structure) -> Structure:
    """The join of two structures with the same node names: every predicate is joined in the information order.

    The result is the first structure itself if the second adds nothing to it.
    """
    if a.size != b.size:
        raise ValueError("partial join needs structures with the same node names")
    values: list[int] | None = None
    for rail, (x, y) in enumerate(zip(a.values, b.values, strict=True)):
        if x != y:
            joined = x | y if rail & 1 else x & y
            if joined != x:
                if values is None:
                    values = list(a.values)
                values[rail] = joined
    return a if values is None else Structure(a.vocabulary, a.size, tuple(values), a.names)


def join_independent(a: Structure, b: Structure, canonicalizer: Canonicalizer | None = None) -> Structure:
    """The join of Fig. 41: the nodes are matched by name, those that one side lacks become maybe active.

    Fig. 41 leaves open the value of a tuple whose nodes never occur together in one argument (one node only in a, the
    other only in b). It is 0 here: both arguments embed in the result whatever it is.
    """
    c = canonicalizer or Canonicalizer(a.vocabulary)
    names_a, names_b = c.names(a.values, a.size), c.names(b.values, b.size)
    names = sorted(set(names_a) | set(names_b), reverse=True)
    both = set(names_a) & set(names_b)
    size = len(names)
    placed_a = _place(a, names_a, names, c)
    placed_b = _place(b, names_b, names, c)
    only_a = sum(1 << g for g, name in enumerate(names) if name in set(names_a) - both)
    only_b = sum(1 << g for g, name in enumerate(names) if name in set(names_b) - both)
    layout = layout_for(size)
    universe = (1 << size) - 1
    values = list(placed_a)
    for p, arity in enumerate(c.arities):
        in_a = _over(layout, universe & ~only_b, arity)
        in_b = _over(layout, universe & ~only_a, arity)
        must_a, may_a = placed_a[2 * p], placed_a[2 * p + 1]
        must_b, may_b = placed_b[2 * p], placed_b[2 * p + 1]
        # A side that lacks a tuple says nothing about it.
        values[2 * p] = (must_a | ~in_a) & (must_b | ~in_b) & (in_a | in_b)
        values[2 * p + 1] = may_a | may_b
    values[AC] &= universe & ~(only_a | only_b)
    values[AC_MAY] = universe
    if c.definite_names:  # nodes of one argument may differ from those of the other in 1/2 only
        values, size, _ = c.blur(values, size)
    return Structure(a.vocabulary, size, tuple(values))


def _place(s: Structure, own: list[int], names: list[int], c: Canonicalizer) -> list[int]:
    """The values of a structure with its nodes at the places of their names among all names."""
    position = {name: u for u, name in enumerate(own)}
    absent = s.size
    groups = tuple((position.get(name, absent),) for name in names)
    extended = with_new_nodes(list(s.values), s.size, c.arities, 1)
    return mapping_of(groups, s.size + 1).apply(extended, c.arities)


@lru_cache(maxsize=4096)
def _over(layout: Layout, nodes: int, arity: int) -> int:
    """All tuples over a set of nodes."""
    result = 1
    for k in range(arity):
        block = layout.width**k
        result = sum(result << (u * block) for u in range(nodes.bit_length()) if nodes >> u & 1)
    return result
