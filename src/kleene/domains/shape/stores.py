"""What a location keeps: one store for each kind of join (thesis 3.3 and 7.6; docs/concepts/joins.md)."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Sequence

from kleene.diagnostics import UsageError
from kleene.structures.canonical import Canonicalizer
from kleene.structures.embedding import embeds, isomorphic
from kleene.structures.join import join_independent, join_partial
from kleene.structures.structure import Structure

FEW_CHANGES = 8
"""A list of which less than this part has changed is not sorted anew: a structure is put in its place instead."""


def _rank(structure: Structure) -> tuple[int, tuple[int, ...]]:
    return structure.size, structure.values


def in_order(structures: Sequence[Structure]) -> list[Structure]:
    """Small structures first, then by their values."""
    return sorted(structures, key=_rank)


class OrderedStructures:
    """Distinct structures in order, asked for again and again while some are replaced."""

    def __init__(self) -> None:
        self._sorted: list[Structure] = []
        self._gone: list[Structure] = []
        self._new: dict[int, Structure] = {}
        """The structures that are not in their places yet, by identity."""

    def replace(self, old: Structure | None, new: Structure) -> None:
        """Put a structure in the place of another, or beside all."""
        if old is not None and self._new.pop(id(old), None) is None:
            self._gone.append(old)
        self._new[id(new)] = new

    def clear(self) -> None:
        self._sorted, self._gone, self._new = [], [], {}

    def in_order(self) -> list[Structure]:
        """All structures, in order."""
        ordered = self._sorted
        if FEW_CHANGES * (len(self._gone) + len(self._new)) > len(ordered):
            gone = {id(structure) for structure in self._gone}
            ordered = self._sorted = in_order([*(s for s in ordered if id(s) not in gone), *self._new.values()])
        else:
            for structure in self._gone:
                del ordered[bisect_left(ordered, _rank(structure), key=_rank)]
            for structure in self._new.values():
                insort(ordered, structure, key=_rank)
        self._gone.clear()
        self._new.clear()
        return ordered[:]


class RelationalStore:
    """`rel`: all structures, up to isomorphism (canonical structures are isomorphic iff they are equal)."""

    def __init__(self, canonicalizer: Canonicalizer) -> None:
        self._structures: dict[Structure, None] = {}
        self._key = canonicalizer.key
        self._alike: dict[object, list[Structure]] = {}
        """The structures by size and names of nodes, as of the last question what is covered."""

    def add(self, elements: Sequence[Structure]) -> list[Structure]:
        added = []
        for s in elements:
            if s not in self._structures:
                self._structures[s] = None
                added.append(s)
        if added:
            self._alike.clear()
        return added

    def covers(self, element: Structure) -> bool:
        """Structures with the same names of nodes are looked at first: they are most likely to cover it."""
        if element in self._structures:
            return True
        if not self._alike:
            for s in self._structures:
                self._alike.setdefault((s.size, self._key(s.values)), []).append(s)
        alike = self._alike.get((element.size, self._key(element.values)), ())
        return any(embeds(element, s) for s in alike) or any(embeds(element, s) for s in self._structures)

    def current(self, element: Structure) -> bool:
        return True

    def elements(self) -> list[Structure]:
        return in_order(list(self._structures))

    def clear(self) -> None:
        self._structures.clear()
        self._alike.clear()

    def __len__(self) -> int:
        return len(self._structures)


class MergingStore:
    """Stores that keep at most one structure for each key, and join structures with the same key."""

    def __init__(
        self,
        key: Callable[[Structure], object],
        join: Callable[[Structure, Structure], Structure],
    ) -> None:
        self._key = key
        self._join = join
        self._structures: dict[object, Structure] = {}
        self._ordered = OrderedStructures()

    def add(self, elements: Sequence[Structure]) -> list[Structure]:
        added = []
        for s in elements:
            key = self._key(s)
            old = self._structures.get(key)
            if old is None:
                joined = s
            elif old.values == s.values and old.size == s.size:
                continue
            else:
                joined = self._join(old, s)
                if joined is old or (joined.values == old.values and joined.size == old.size):
                    continue
            self._structures[key] = joined
            self._ordered.replace(old, joined)
            added.append(joined)
        return added

    def covers(self, element: Structure) -> bool:
        old = self._structures.get(self._key(element))
        if old is not None and (old == element or embeds(element, old)):
            return True
        return any(
            embeds(element, s) for s in self._structures.values()
        )  # where a name is not definite, the key is another

    def current(self, element: Structure) -> bool:
        return self._structures.get(self._key(element)) is element

    def elements(self) -> list[Structure]:
        return self._ordered.in_order()

    def clear(self) -> None:
        self._structures.clear()
        self._ordered.clear()

    def __len__(self) -> int:
        return len(self._structures)


class EmbeddingStore:
    """`part_embedding`: structures with the same key are merged only if one embeds the other."""

    def __init__(self, canonicalizer: Canonicalizer) -> None:
        self._key = canonicalizer.key
        self._structures: dict[object, list[Structure]] = {}

    def add(self, elements: Sequence[Structure]) -> list[Structure]:
        added = []
        for s in elements:
            group = self._structures.setdefault((s.size, self._key(s.values)), [])
            if any(embeds(s, old) for old in group):
                continue
            group[:] = [old for old in group if not embeds(old, s)]
            group.append(s)
            added.append(s)
        return added

    def covers(self, element: Structure) -> bool:
        if any(embeds(element, s) for s in self._structures.get((element.size, self._key(element.values)), ())):
            return True
        return any(embeds(element, s) for group in self._structures.values() for s in group)

    def current(self, element: Structure) -> bool:
        return any(s is element for s in self._structures.get((element.size, self._key(element.values)), ()))

    def elements(self) -> list[Structure]:
        return in_order([s for group in self._structures.values() for s in group])

    def clear(self) -> None:
        self._structures.clear()

    def __len__(self) -> int:
        return sum(len(group) for group in self._structures.values())


class ConcreteStore:
    """`conc`: structures are not blurred; isomorphic ones are kept once."""

    def __init__(self, canonicalizer: Canonicalizer) -> None:
        self._structures: dict[object, list[Structure]] = {}
        self._canonicalizer = canonicalizer

    def _group(self, s: Structure) -> list[Structure]:
        arities = self._canonicalizer.arities
        counts = tuple(value.bit_count() if arities[r // 2] else value for r, value in enumerate(s.values))
        names = tuple(sorted(self._canonicalizer.names(s.values, s.size)))
        return self._structures.setdefault((s.size, counts, names), [])

    def add(self, elements: Sequence[Structure]) -> list[Structure]:
        added = []
        for s in elements:
            group = self._group(s)
            if not any(isomorphic(s, old) for old in group):
                group.append(s)
                added.append(s)
        return added

    def covers(self, element: Structure) -> bool:
        return any(isomorphic(element, s) for s in self._group(element))

    def current(self, element: Structure) -> bool:
        return True

    def elements(self) -> list[Structure]:
        return in_order([s for group in self._structures.values() for s in group])

    def clear(self) -> None:
        self._structures.clear()

    def __len__(self) -> int:
        return sum(len(group) for group in self._structures.values())


JOINS = ("rel", "part", "part_embedding", "pointed", "ind", "conc")
NODE_JOINS = ("pointed", "ind")
"""Joins of structures with different nodes: a node that one of them lacks may be there or not in the result."""
Store = RelationalStore | MergingStore | EmbeddingStore | ConcreteStore


def store_factory(join: str, canonicalizer: Canonicalizer) -> Callable[[], Store]:
    """A function that makes an empty store for the given kind of join."""
    nullary = [
        2 * canonicalizer.vocabulary.index(p.name) + rail
        for p in canonicalizer.vocabulary.nullary_abstraction
        for rail in (0, 1)
    ]
    if join == "rel":
        return lambda: RelationalStore(canonicalizer)
    if join == "part":
        key = canonicalizer.key
        return lambda: MergingStore(lambda s: (s.size, key(s.values)), join_partial)
    if join == "part_embedding":
        return lambda: EmbeddingStore(canonicalizer)
    if join == "pointed":
        return lambda: MergingStore(
            lambda s: canonicalizer.pointed_key(s.values, s.size), lambda a, b: join_independent(a, b, canonicalizer)
        )
    if join == "ind":
        return lambda: MergingStore(
            lambda s: tuple(s.values[r] for r in nullary), lambda a, b: join_independent(a, b, canonicalizer)
        )
    if join == "conc":
        return lambda: ConcreteStore(canonicalizer)
    if join == "j3":
        raise UsageError(
            "join 'j3' is not supported: it merges nodes whose names are only comparable, which has no sound "
            "definition; the nearest is 'part_embedding'"
        )
    raise UsageError(f"unknown join '{join}'; there are {', '.join(JOINS)}")
