"""Three-valued logical structures (thesis section 2.2), immutable and compared by value.

Predicate number p of the vocabulary has two rails in `values`: ``values[2 * p]`` holds the tuples whose value is
1 ("must"), ``values[2 * p + 1]`` those whose value is not 0 ("may"). Nodes are the numbers 0 .. size - 1. `sm` and
`ac` are ordinary predicates. Canonical structures (see `canonical`) are isomorphic iff they are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Literal

from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Vocabulary
from kleene.structures.layout import Layout, layout_for

SM_MUST, SM, AC, AC_MAY, IS_NEW, IS_NEW_MAY, INSTANCE, INSTANCE_MAY = range(8)
"""Positions in `values` of the rails of the built-in predicates; `SM` is the may rail, `AC` the must rail."""


TextForm = Literal["tvs", "json"]
ColumnsOf = Callable[[Vocabulary], tuple[tuple[int, int, str], ...]]
"""The predicates that are written: place, arity, and the text before the value."""


class Structure:
    """A three-valued structure. `names` are node names for people; they do not take part in equality."""

    __slots__ = ("_hash", "names", "size", "values", "vocabulary")

    def __init__(
        self,
        vocabulary: Vocabulary,
        size: int,
        values: tuple[int, ...],
        names: tuple[str, ...] | None = None,
    ) -> None:
        self.vocabulary = vocabulary
        self.size = size
        self.values = values
        self.names = names
        self._hash: int | None = None

    @property
    def layout(self) -> Layout:
        return layout_for(self.size)

    @property
    def nodes(self) -> range:
        return range(self.size)

    def precedes(self, other: Structure) -> bool:
        """Whether it comes before the other, or is equal to it: small structures first, then by value."""
        return (self.size, self.values) <= (other.size, other.values)

    def text(self, form: TextForm, columns_of: ColumnsOf, indent: str = "") -> str | None:
        """The text that the machine which keeps the structure makes of it; None if Python has to make it."""
        return None

    def value(self, predicate: str, *nodes: int) -> Kleene:
        """The value of a predicate on a tuple of nodes."""
        index = self.vocabulary.index(predicate)
        _check(self.vocabulary, self.size, predicate, nodes)
        bit = self.layout.bit(nodes)
        return Kleene.of(bool(self.values[2 * index] >> bit & 1), bool(self.values[2 * index + 1] >> bit & 1))

    def entries(self, predicate: str) -> Iterator[tuple[tuple[int, ...], Kleene]]:
        """The tuples on which a predicate is not 0, in order, with their values."""
        index = self.vocabulary.index(predicate)
        arity = self.vocabulary[predicate].arity
        must, may = self.values[2 * index], self.values[2 * index + 1]
        layout = self.layout
        for nodes in layout.tuples(may, arity):
            yield nodes, Kleene.of(bool(must >> layout.bit(nodes) & 1), True)

    def is_summary(self, node: int) -> bool:
        return bool(self.values[SM] >> node & 1)

    def is_maybe_active(self, node: int) -> bool:
        return not self.values[AC] >> node & 1

    @property
    def is_concrete(self) -> bool:
        """True iff the structure is two-valued: no summary node, no maybe-active node, no value 1/2."""
        values = self.values
        return all(values[i] == values[i + 1] for i in range(0, len(values), 2)) and not values[SM]

    def name(self, node: int) -> str:
        return self.names[node] if self.names else f"u{node}"

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Structure):
            return NotImplemented
        return (
            self.size == other.size
            and self.values == other.values
            and (self.vocabulary is other.vocabulary or self.vocabulary == other.vocabulary)
        )

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((self.size, self.values))
        return self._hash

    def __repr__(self) -> str:
        parts = []
        for p in self.vocabulary:
            if p.name == "ac" and self.values[AC] == (1 << self.size) - 1:
                continue
            shown = [
                ("(" + ",".join(map(str, nodes)) + ")" if nodes else "") + ("" if v is Kleene.TRUE else ":1/2")
                for nodes, v in self.entries(p.name)
            ]
            if shown:
                parts.append(f"{p.name}={' '.join(shown)}" if p.arity else p.name + shown[0])
        return f"Structure({self.size} nodes; {'; '.join(parts)})"


def _check(vocabulary: Vocabulary, size: int, predicate: str, nodes: tuple[int, ...]) -> None:
    if len(nodes) != vocabulary[predicate].arity or not all(0 <= u < size for u in nodes):
        raise ValueError(f"{predicate} cannot be applied to {nodes} in a structure of {size} nodes")


class StructureBuilder:
    """A mutable structure in the making: every value is 0 and every node active until set."""

    def __init__(self, vocabulary: Vocabulary, size: int, names: tuple[str, ...] | None = None) -> None:
        self.vocabulary = vocabulary
        self.size = size
        self.names = names
        self.layout = layout_for(size)
        self.values = [0] * (2 * len(vocabulary))
        self.values[AC] = self.values[AC_MAY] = (1 << size) - 1

    def set(self, predicate: str, nodes: tuple[int, ...], value: Kleene) -> None:
        index = 2 * self.vocabulary.index(predicate)
        _check(self.vocabulary, self.size, predicate, nodes)
        bit = 1 << self.layout.bit(nodes)
        for rail, present in ((index, value is Kleene.TRUE), (index + 1, value is not Kleene.FALSE)):
            self.values[rail] = self.values[rail] | bit if present else self.values[rail] & ~bit

    def fill(self, predicate: str, value: Kleene) -> None:
        """Set every tuple of a predicate."""
        for nodes in product(range(self.size), repeat=self.vocabulary[predicate].arity):
            self.set(predicate, nodes, value)

    def build(self) -> Structure:
        return Structure(self.vocabulary, self.size, tuple(self.values), self.names)
