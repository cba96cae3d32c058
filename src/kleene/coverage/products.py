"""Products of parts as an invariant: a state is covered if each of its parts is.

A state falls into parts as a structure does (`domains/decomposed`): the nodes that the roots of a class are connected
with. A part of which the state does not determine everything is open: it may have more nodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kleene.core.domain import Store
from kleene.coverage.invariants import ShapeInvariant
from kleene.coverage.matching import Candidate, Places, Sketch
from kleene.coverage.shapes import Followed
from kleene.coverage.views import Program
from kleene.domains.decomposed.partition import Roots
from kleene.domains.decomposed.products import Product
from kleene.logic.vocabulary import Vocabulary
from kleene.structures.structure import Structure

ADRIFT: Roots = frozenset()
"""Stands for the class of the parts without a root."""


class ProductInvariant(ShapeInvariant):
    """The products of each location."""

    def __init__(
        self,
        program: Program,
        attempt: Followed,
        vocabulary: Vocabulary,
        products: Mapping[str, Store[Product]],
    ) -> None:
        super().__init__(program, attempt, vocabulary, {})
        self.products = products
        self._of_class: dict[tuple[Product, bool, Roots], list[Candidate]] = {}

    def empty(self, location: str) -> bool | None:
        return not self._at(location) if location in self.products else None

    def _products(self, location: str) -> Sequence[Product]:
        return self.products[location].elements() if location in self.products else ()

    def _at(self, location: str) -> Sequence[Structure]:
        if location not in self._elements:
            self._elements[location] = [part for product in self._products(location) for part in product.parts]
        return self._elements[location]

    def _candidates_of(self, product: Product, own: Roots, *, core: bool) -> list[Candidate]:
        key = (product, core, own)
        if key not in self._of_class:
            places = self.sketcher.places if core else self.all_places
            parts = product.sets[own] if own else product.adrift
            self._of_class[key] = [Candidate(part, places) for part in parts]
        return self._of_class[key]

    def _covers(self, location: str, sketch: Sketch, *, core: bool) -> bool:
        cut = SketchCut(sketch, self.sketcher.places if core else self.all_places, self.vocabulary)
        return any(
            all(
                any(c.covers(part) for c in self._candidates_of(product, own, core=core))
                for own, part in cut.parts(product)
            )
            for product in self._products(location)
        )


class SketchCut:
    """Takes one sketch apart."""

    def __init__(self, sketch: Sketch, places: Places, vocabulary: Vocabulary) -> None:
        self.sketch = sketch
        self.places = places
        self.edges = sum(bit for name, bit in places.binary.items() if vocabulary[name].definition is None)
        self.joined = self._islands()
        unknown = [self.edges & ~row for row in sketch.rows] + [self.edges & mask for mask in sketch.open.values()]
        self.has_open_edges = any(unknown)
        """Whether an edge is not known: it may lead into or out of any class."""

    def _islands(self) -> list[int]:
        """For each node, the nodes that are connected with it."""
        islands = [1 << u for u in range(self.sketch.size)]
        for (u, w), mask in self.sketch.pairs.items():
            if mask & self.edges and not islands[u] >> w & 1:
                together = islands[u] | islands[w]
                for node in range(self.sketch.size):
                    if together >> node & 1:
                        islands[node] = together
        return islands

    def parts(self, product: Product) -> list[tuple[Roots, Sketch]]:
        """The parts of the sketch by class; those without a root come last."""
        parts, rooted, open_roots = [], 0, False
        for own in product.partition:
            nodes, is_open = self._nodes_of(own)
            rooted |= nodes
            open_roots |= is_open
            parts.append((own, self._restrict(nodes, own, complete=self.sketch.complete and not is_open)))
        if self.sketch.complete and not open_roots:
            left = {self.joined[u] for u in range(self.sketch.size) if not rooted >> u & 1}
            parts += [(ADRIFT, self._restrict(nodes, ADRIFT, complete=True)) for nodes in sorted(left)]
        return parts

    def _nodes_of(self, own: Roots) -> tuple[int, bool]:
        """The nodes of a class, and whether there may be more of them."""
        sketch, nodes, is_open = self.sketch, 0, False
        for name in own:
            bit = self.places.unary.get(name, 0)
            if not bit:
                continue
            targets = [u for u in range(sketch.size) if sketch.nodes_true[u] & bit]
            for u in targets:
                nodes |= self.joined[u]
            is_open |= not targets and not all(mask & bit for mask in sketch.nodes_false)
        for u in range(sketch.size):
            unknown = self.edges & ~sketch.rows[u] or any(
                sketch.open.get((u, w), 0) & self.edges for w in range(sketch.size)
            )
            is_open |= bool(unknown)  # an edge that is not known may lead into or out of the class
        return nodes, is_open

    def _restrict(self, nodes: int, own: Roots, *, complete: bool) -> Sketch:
        sketch = self.sketch
        kept = [u for u in range(sketch.size) if nodes >> u & 1]
        place = {u: k for k, u in enumerate(kept)}
        facts = sum(bit for name, bit in self.places.nullary.items() if name in own)

        def move(pairs: Mapping[tuple[int, int], int]) -> dict[tuple[int, int], int]:
            return {(place[u], place[w]): mask for (u, w), mask in pairs.items() if u in place and w in place}

        return Sketch(
            sketch.true & facts,
            sketch.false & facts,
            [sketch.nodes_true[u] for u in kept],
            [sketch.nodes_false[u] for u in kept],
            move(sketch.pairs),
            [sketch.rows[u] for u in kept],
            move(sketch.open),
            complete,
        )
