"""Taking structures apart and putting them together again.

A part is a structure over the whole vocabulary: the nodes that are connected with the roots of a class, with the facts
of the class. The predicates of all other roots are 0 there. So the composition of parts is their disjoint union.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kleene.domains.decomposed.locality import Locality
from kleene.domains.decomposed.partition import Roots
from kleene.structures.canonical import Canonicalizer
from kleene.structures.edit import mapping_of
from kleene.structures.layout import layout_for
from kleene.structures.structure import Structure


@dataclass(frozen=True)
class Islands:
    """The connected sets of nodes of a structure, each with the roots on it; `adrift` are those without a root."""

    structure: Structure
    nodes: dict[Roots, int]
    adrift: tuple[int, ...]

    def nodes_of(self, roots: Roots) -> int:
        """The nodes of the islands with a root of a class."""
        return sum(nodes for own, nodes in self.nodes.items() if own & roots)


class Parts:
    """Composes and decomposes structures over one vocabulary."""

    def __init__(self, locality: Locality, canonicalizer: Canonicalizer) -> None:
        vocabulary = locality.vocabulary
        self.locality = locality
        self.vocabulary = vocabulary
        self.canonicalizer = canonicalizer
        self.arities = tuple(p.arity for p in vocabulary)
        self._edges = [2 * vocabulary.index(name) + 1 for name in locality.edges]
        self._pointers = [(name, 2 * vocabulary.index(name) + 1) for name in locality.pointers]
        facts = [(frozenset((name,)), 2 * vocabulary.index(name)) for name in sorted(locality.facts)]
        self._owned = facts + [(roots, 2 * vocabulary.index(name)) for name, roots in locality.rooted.items()]
        self._by_arity = [
            [r for p, a in enumerate(self.arities) if a == n for r in (2 * p, 2 * p + 1)] for n in range(3)
        ]
        self.empty = Structure(vocabulary, 0, (0,) * (2 * len(vocabulary)))
        self._of_others: dict[Roots, tuple[int, ...]] = {}
        self._blurred: dict[tuple[int, ...], dict[int, Structure]] = {}
        """The parts made so far, by their values and numbers of nodes before blur: most parts are cut out again."""

    # Together ---------------------------------------------------------------------------------------------------

    def compose(self, parts: Sequence[Structure]) -> Structure:
        """The disjoint union of parts of different classes."""
        if len(parts) == 1:
            return parts[0]
        size = sum(part.size for part in parts)
        layout = layout_for(size)
        values = [0] * (2 * len(self.vocabulary))
        nullary, unary, binary = self._by_arity
        first = 0
        for part in parts:
            given = part.values
            for rail in nullary:
                values[rail] |= given[rail]
            if part.size:
                for rail in unary:
                    if given[rail]:
                        values[rail] |= given[rail] << first
                shift, own = layout.bit((first, first)), part.layout
                for rail in binary:
                    if given[rail]:
                        values[rail] |= own.restride(given[rail], 2, layout) << shift
            first += part.size
        return Structure(self.vocabulary, size, tuple(values))

    # Apart ------------------------------------------------------------------------------------------------------

    def islands(self, structure: Structure) -> Islands:
        """The sets of nodes that core predicates, or a pointer that may point to several nodes, connect."""
        values, layout, size = structure.values, layout_for(structure.size), structure.size
        links = [0] * size
        row, width = layout.row, layout.width
        for rail in self._edges:
            matrix, u = values[rail], 0
            while matrix:
                links[u] |= matrix & row
                matrix >>= width
                u += 1
        groups: list[int] = [links[u] | 1 << u for u in range(size)]
        here = {name: values[rail] for name, rail in self._pointers if values[rail]}
        merged: list[int] = []
        for group in (*groups, *here.values()):
            together = group
            apart = []
            for other in merged:
                if other & together:
                    together |= other
                else:
                    apart.append(other)
            merged = [*apart, together]
        nodes: dict[Roots, int] = {}
        adrift = []
        for group in sorted(merged):
            own = frozenset(name for name, places in here.items() if places & group)
            if own:
                nodes[own] = group
            else:
                adrift.append(group)
        return Islands(structure, nodes, tuple(adrift))

    def cut(self, structure: Structure, nodes: int, roots: Roots) -> Structure:
        """The part with these nodes and the facts of these roots, blurred; what belongs to other roots is 0."""
        kept = tuple([(u,) for u in range(structure.size) if nodes >> u & 1])
        if len(kept) == structure.size:
            values = list(structure.values)
        elif kept:
            values = mapping_of(kept, structure.size).apply(structure.values, self.arities)
        else:
            values = list(self.empty.values)
            for rail in self._by_arity[0]:
                values[rail] = structure.values[rail]
        for rail in self._rails_of_others(roots):
            values[rail] = values[rail + 1] = 0
        known = self._blurred.setdefault(tuple(values), {})
        part = known.get(len(kept))
        if part is None:
            size = 0
            if kept:
                values, size, _ = self.canonicalizer.blur(values, len(kept))
            part = known[len(kept)] = Structure(self.vocabulary, size, tuple(values))
        return part

    def _rails_of_others(self, roots: Roots) -> tuple[int, ...]:
        """The places of the values that belong to other roots."""
        known = self._of_others.get(roots)
        if known is None:
            others = [rail for owners, rail in self._owned if owners.isdisjoint(roots)]
            known = self._of_others[roots] = tuple(others)
        return known
