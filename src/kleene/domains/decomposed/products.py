"""The abstract values of the decomposed domain, and the stores that join them.

A product has a set of parts for each class of a partition of the roots. It means all structures that have one part of
each class, and any number of the parts without a root (`adrift`). Correlations between classes are not kept.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import product as product_of_sets
from math import prod

from kleene.core.domain import Store
from kleene.diagnostics import Limit, LimitReached
from kleene.domains.decomposed.partition import Partition, Roots
from kleene.domains.decomposed.parts import Parts
from kleene.structures.structure import Structure

MOST_COMBINATIONS = 20_000
"""Combinations of parts that are composed at once; a program with more of them is connected again and again."""
MOST_CASES = 64
"""Cases of one location: as many as a large table has slots. More come from several numbers that multiply."""
TOO_CONNECTED = "the parts of the heap become connected again and again"


def require_few(sets: Sequence[Sequence[Structure]]) -> None:
    """Raise LimitReached if there are too many combinations of parts."""
    if prod(len(parts) for parts in sets) > MOST_COMBINATIONS:
        raise LimitReached(TOO_CONNECTED, Limit.PRECISION)


@dataclass(frozen=True, eq=False)
class Product:
    """One set of parts for each class; no set is empty. Equal only to itself.

    `context` says in which activation of a procedure it was computed, or in which case (`in_cases`): results are
    remembered for each of them.
    """

    partition: Partition
    sets: Mapping[Roots, Sequence[Structure]]
    adrift: Sequence[Structure] = ()
    context: Hashable = None

    @property
    def parts(self) -> list[Structure]:
        """All parts with nodes or facts, of all classes."""
        return [*(part for own in self.partition for part in self.sets[own]), *self.adrift]

    def __len__(self) -> int:
        return sum(len(parts) for parts in self.sets.values()) + len(self.adrift)


def in_cases(product: Product, cases: Set[Roots]) -> list[Product]:
    """One product for each combination of the parts of some classes; together they mean the same."""
    chosen = [own for own in product.partition if own in cases]
    if not chosen:
        return [product]
    require_few([product.sets[own] for own in chosen])
    results = []
    for parts in product_of_sets(*(product.sets[own] for own in chosen)):
        facts = frozenset(part for part in parts if any(part.values))
        sets = {**product.sets, **{own: (part,) for own, part in zip(chosen, parts, strict=True)}}
        results.append(Product(product.partition, sets, product.adrift, facts or None))
    return results


class CaseStore:
    """The products of a location, one for each case."""

    def __init__(self, make: Callable[[], ProductStore]) -> None:
        self._make = make
        self._stores: dict[Hashable, ProductStore] = {}

    def add(self, elements: Sequence[Product]) -> list[Product]:
        by_case: dict[Hashable, list[Product]] = {}
        for element in elements:
            by_case.setdefault(element.context, []).append(element)
        added: list[Product] = []
        for case, own in by_case.items():
            if case not in self._stores:
                if len(self._stores) == MOST_CASES:
                    raise LimitReached(TOO_CONNECTED, Limit.PRECISION)
                self._stores[case] = self._make()
            added += self._stores[case].add(own)
        return added

    def covers(self, element: Product) -> bool:
        store = self._stores.get(element.context)
        return store is not None and store.covers(element)

    def current(self, element: Product) -> bool:
        store = self._stores.get(element.context)
        return store is not None and store.current(element)

    def elements(self) -> list[Product]:
        return [element for store in self._stores.values() for element in store.elements()]

    def clear(self) -> None:
        self._stores.clear()

    def __len__(self) -> int:
        return sum(map(len, self._stores.values()))


class ProductStore:
    """The product of everything that arrived at a location; each class has a store of the shape domain."""

    def __init__(self, parts: Parts, make: Callable[[], Store[Structure]], finest: Partition) -> None:
        self._parts = parts
        self._make = make
        self._finest = finest
        self._current: Product | None = None
        self._stores: dict[Roots, Store[Structure]] = {}
        self._sets: dict[Roots, Sequence[Structure]] = {}
        """The content of the stores: a set that did not change stays the same object."""
        self._adrift = make()
        self._seen: dict[Roots, set[Structure]] = {}
        """What was added to each store: sets that grow bring it again, and joining it again adds nothing."""
        self._last: dict[Roots, Sequence[Structure]] = {}
        """The set that was added last for each class: often it comes again."""
        self.added = 0
        """How many parts were added."""

    def add(self, elements: Sequence[Product]) -> list[Product]:
        changed = False
        for element in elements:
            changed |= self._add(element)
        if not changed:
            return []
        for own in self._stores.keys() - self._sets.keys():
            self._sets[own] = tuple(self._stores[own].elements())
        adrift, context = tuple(self._adrift.elements()), elements[-1].context
        self._current = Product(Partition(frozenset(self._sets)), dict(self._sets), adrift, context)
        return [self._current]

    def _add(self, element: Product) -> bool:
        before = self.partition if self._stores else element.partition
        partition = before.join(element.partition.classes)
        changed = self._current is None or partition != before
        for own in partition.classes - self._stores.keys():
            merged = [old for old in self._stores if old <= own]
            store = self._make()
            if merged:
                store.add(self._compose(own, [self._stores.pop(old).elements() for old in merged]))
                for old in merged:
                    self._sets.pop(old, None)
            self._stores[own] = store
            self._seen[own] = set()
        for own in partition.classes:
            given = self._parts_for(element, own)
            if self._last.get(own) is not given:
                self._last[own] = given
                seen = self._seen[own]
                new = [part for part in given if part not in seen]
                seen.update(new)
                added = len(self._stores[own].add(new))
                if added:
                    self.added += added
                    self._sets.pop(own, None)
                    changed = True
        added = len(self._adrift.add(element.adrift))
        self.added += added
        return changed or bool(added)

    def _parts_for(self, element: Product, own: Roots) -> Sequence[Structure]:
        """The parts of an element for a class that may unite several of its classes."""
        known = element.sets.get(own)
        if known is not None:
            return known
        return self._compose(own, [element.sets[c] for c in element.partition if c <= own])

    def _compose(self, own: Roots, sets: Sequence[Sequence[Structure]]) -> list[Structure]:
        require_few(sets)
        wholes = (self._parts.compose(parts) for parts in product_of_sets(*sets))
        return [self._parts.cut(whole, (1 << whole.size) - 1, own) for whole in wholes]

    @property
    def partition(self) -> Partition:
        return Partition(frozenset(self._stores)) if self._stores else self._finest

    def covers(self, element: Product) -> bool:
        if self._current is None or not element.partition.is_finer_than(self.partition):
            return False
        for own, store in self._stores.items():
            if not all(map(store.covers, self._parts_for(element, own))):
                return False
        return all(map(self._adrift.covers, element.adrift))

    def current(self, element: Product) -> bool:
        return element is self._current

    def elements(self) -> list[Product]:
        return [] if self._current is None else [self._current]

    def clear(self) -> None:
        self._current = None
        self._stores.clear()
        self._sets.clear()
        self._last.clear()
        self._seen.clear()
        self._adrift.clear()

    def __len__(self) -> int:
        return 0 if self._current is None else len(self._current)
