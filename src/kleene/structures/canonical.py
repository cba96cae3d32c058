"""Canonical abstraction ("blur"): merge the nodes that agree on all unary abstraction predicates.

Thesis section 3.2.5; the merged structure is a tight embedding (Def. 2.4). The nodes of the result are sorted by their
names, so two canonical structures are isomorphic iff they are equal.

With `definite_names`, the second rule of Appendix C.7 (``-b2``): two nodes stay apart only if an abstraction predicate
is 1 for one of them and 0 for the other. Merged values are less definite, so merging continues until it holds for all
pairs; the result does not depend on the order. With `half_is_zero`, TVLA 3's version of that rule
(``tvla.blur.threeWay = false``): 1/2 counts as 0 in the names.
"""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from kleene.logic.vocabulary import Vocabulary
from kleene.structures.edit import Arities, mapping_of
from kleene.structures.structure import SM, SM_MUST, Structure


class Canonicalizer:
    """Blur over one vocabulary."""

    def __init__(self, vocabulary: Vocabulary, *, definite_names: bool = False, half_is_zero: bool = False) -> None:
        self.vocabulary = vocabulary
        self.arities: Arities = tuple(p.arity for p in vocabulary)
        abstraction = [2 * vocabulary.index(p.name) for p in vocabulary.unary_abstraction]
        nullary = [2 * vocabulary.index(p.name) for p in vocabulary.nullary_abstraction]
        named = abstraction if half_is_zero else [r for m in abstraction for r in (m, m + 1)]
        self.definite_names = definite_names and not half_is_zero
        self.named = named
        """The rails that make up a node's name, most significant first: pointed-to nodes come first."""
        self._bits = len(named)
        self._named = tuple((rail, self._bits - 1 - k) for k, rail in enumerate(named))
        self._spread: dict[int, int] = {}
        self.nullary = [r for m in nullary for r in (m, m + 1)]
        """The rails that keep structures apart in joins."""
        unique = [p for p in vocabulary.unary_abstraction if "unique" in p.properties]
        self.pointing = [2 * vocabulary.index(p.name) + 1 for p in unique]
        """The rails that say which nodes pointers may point to."""
        rails = [*named, *self.nullary]
        self._key = itemgetter(*rails) if len(rails) > 1 else (lambda values: tuple(values[r] for r in rails))

    def names(self, values: list[int] | tuple[int, ...], size: int) -> list[int]:
        """The name of each node: the values of the abstraction predicates, as one number."""
        packed, spread = 0, self._spread
        for rail, place in self._named:
            vector = values[rail]
            if vector:
                part = spread.get(vector)
                if part is None:
                    part = spread[vector] = self._spread_out(vector)
                packed |= part << place
        bits, mask = self._bits, (1 << self._bits) - 1
        return [(packed >> (u * bits)) & mask for u in range(size)]

    def _spread_out(self, vector: int) -> int:
        """Bit u of the vector at bit u * (number of name bits)."""
        return sum(1 << (u * self._bits) for u in range(vector.bit_length()) if vector >> u & 1)

    def blur(
        self, values: list[int], size: int, names: list[str] | None = None
    ) -> tuple[list[int], int, list[str] | None]:
        """The canonical abstraction of a structure in the making (and of the names of its nodes)."""
        node_names = self.names(values, size)
        if self.definite_names:
            groups = self._indistinct(node_names)
            if len(groups) == size and all(node_names[u] > node_names[u + 1] for u in range(size - 1)):
                return values, size, names
        elif all(node_names[u] > node_names[u + 1] for u in range(size - 1)):
            return values, size, names
        else:
            groups = {}
            for u, name in enumerate(node_names):
                groups.setdefault(name, []).append(u)
        ordered = tuple(tuple(groups[name]) for name in sorted(groups, reverse=True))
        mapping = mapping_of(ordered, size)
        values = mapping.apply(values, self.arities)
        for g, group in enumerate(ordered):
            if len(group) > 1:
                values[SM] |= 1 << g
                values[SM_MUST] &= ~(1 << g)
        if names is not None:
            names = [names[g[0]] if len(g) == 1 else f"[{','.join(names[u] for u in g)}]" for g in ordered]
        return values, len(ordered), names

    def abstraction(self, structure: Structure) -> Structure:
        """The canonical abstraction of a structure."""
        values, size, _ = self.blur(list(structure.values), structure.size)
        return Structure(self.vocabulary, size, tuple(values))

    def _indistinct(self, node_names: list[int]) -> dict[int, list[int]]:
        """The least coarse grouping in which any two groups differ in a definite value, by joined name."""
        may_bits = sum(1 << place for place in range(0, self._bits, 2))  # the must bit of a predicate is above it
        groups: dict[int, list[int]] = {}
        for u, node_name in enumerate(node_names):
            name, nodes = node_name, [u]
            while (other := next((g for g in groups if not _differ(g, name, may_bits)), None)) is not None:
                nodes += groups.pop(other)
                name = (other | name) & may_bits | other & name & ~may_bits
            groups[name] = sorted(nodes)
        return groups

    def pointed_key(self, values: list[int] | tuple[int, ...], size: int) -> Any:
        """What two canonical structures must share to be merged by the join `pointed`."""
        pointed = 0
        for rail in self.pointing:
            pointed |= values[rail]
        names = [name for u, name in enumerate(self.names(values, size)) if pointed >> u & 1]
        return tuple(names), tuple([values[r] for r in self.nullary])

    def key(self, values: list[int] | tuple[int, ...]) -> Any:
        """What two canonical structures must share to be merged by partial join (docs/concepts/joins.md)."""
        return self._key(values)


def _differ(a: int, b: int, may_bits: int) -> bool:
    """True iff a predicate is 1 in one of two names and 0 in the other."""
    return bool((a >> 1 & ~b | b >> 1 & ~a) & may_bits)


def canonical_abstraction(structure: Structure, *, definite_names: bool = False) -> Structure:
    """The canonical abstraction of a structure over its own vocabulary."""
    return Canonicalizer(structure.vocabulary, definite_names=definite_names).abstraction(structure)


def is_bounded(structure: Structure) -> bool:
    """True iff no two nodes agree on all unary abstraction predicates."""
    names = Canonicalizer(structure.vocabulary).names(structure.values, structure.size)
    return len(set(names)) == len(names)
