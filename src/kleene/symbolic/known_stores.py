"""Which structures have stores, by the canonical abstractions of all stores in question.

The nodes of a bounded structure are told apart by definite values of abstraction predicates. So all individuals with
one canonical name are represented by the same node, and a structure represents a store iff the store's canonical
abstraction is embedded in it. A structure that differs from its parent in one value, or in a split node, keeps some of
its parent's embeddings.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from kleene.logic.kleene import Kleene
from kleene.structures.embedding import find_embedding
from kleene.structures.structure import SM, Structure


@dataclass(frozen=True)
class Embedded:
    """A canonical abstraction, with its nodes for each node of the structure that it is embedded in."""

    abstraction: Structure
    parts: tuple[tuple[int, ...], ...]

    def values(self, name: str, nodes: tuple[int, ...]) -> set[bool]:
        """The values of a predicate that the individuals of some nodes have; for `sm`, whether there are several."""
        a = self.abstraction
        if name == "sm":
            (node,) = nodes
            several = len(self.parts[node]) > 1 or any(a.is_summary(u) for u in self.parts[node])
            return {False, True} if several else {False}
        low = 2 * a.vocabulary.index(name)
        must, may, bit_of = a.values[low], a.values[low + 1], a.layout.bit
        bits = [bit_of(each) for each in product(*(self.parts[u] for u in nodes))]
        seen = {True} if any(may >> bit & 1 for bit in bits) else set()
        return seen | {False} if any(not must >> bit & 1 for bit in bits) else seen


class KnownStores:
    """Answers questions about bounded structures that refine `roots`, one step after the other.

    `abstractions` are the canonical abstractions of all stores of the roots that satisfy a condition.
    """

    def __init__(self, roots: Iterable[Structure], abstractions: Sequence[Structure]) -> None:
        self._embedded: dict[Structure, list[Embedded]] = {}
        for root in roots:
            found = [(a, find_embedding(a, root)) for a in abstractions]
            self._embedded[root] = [Embedded(a, _inverse(f, root.size)) for a, f in found if f is not None]

    def has_store(self, structure: Structure) -> bool:
        """Whether the structure represents one of the stores."""
        return bool(self._embedded[structure])

    def varies(self, structure: Structure, name: str, nodes: tuple[int, ...]) -> bool:
        """Whether a predicate has both values on some nodes in one store; for `sm`, whether a store has several."""
        return any(len(e.values(name, nodes)) > 1 for e in self._embedded[structure])

    def lower(self, structure: Structure, child: Structure, name: str, nodes: tuple[int, ...], value: Kleene) -> None:
        """`child` is the structure with another value of a predicate on some nodes."""
        if child not in self._embedded:
            wrong = value is Kleene.FALSE
            self._embedded[child] = [e for e in self._embedded[structure] if wrong not in e.values(name, nodes)]

    def split(self, structure: Structure, child: Structure, name: str, node: int) -> None:
        """`child` is the structure with a node split in two: a predicate is 0 on the old node, 1 on the last one."""
        found = []
        for e in self._embedded[structure]:
            ones = tuple(u for u in e.parts[node] if e.abstraction.value(name, u) is Kleene.TRUE)
            zeros = tuple(u for u in e.parts[node] if u not in ones)
            parts = (*e.parts[:node], zeros, *e.parts[node + 1 :], ones)
            if all(parts[u] or child.is_maybe_active(u) for u in child.nodes) and child.values[SM] >> node & 1:
                found.append(Embedded(e.abstraction, parts))
        self._embedded[child] = found


def _inverse(function: Sequence[int], size: int) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(u for u, v in enumerate(function) if v == w) for w in range(size))
