"""Partitions of the roots of a program: which pointers and facts are known together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

Roots = frozenset[str]


@dataclass(frozen=True)
class Partition:
    """A partition; its classes are disjoint and not empty."""

    classes: frozenset[Roots]

    @staticmethod
    def finest(roots: Iterable[str], together: Iterable[Iterable[str]]) -> Partition:
        """The finest partition that keeps each of the given sets together."""
        leader = {root: root for root in roots}

        def find(root: str) -> str:
            while leader[root] != root:
                leader[root] = leader[leader[root]]
                root = leader[root]
            return root

        for names in together:
            first, *others = names if isinstance(names, list | tuple) else sorted(names)
            for other in others:
                leader[find(other)] = find(first)
        classes: dict[str, set[str]] = {}
        for root in leader:
            classes.setdefault(find(root), set()).add(root)
        return Partition(frozenset(map(frozenset, classes.values())))

    @cached_property
    def class_of(self) -> dict[str, Roots]:
        return {root: own for own in self.classes for root in own}

    def join(self, together: Iterable[Roots]) -> Partition:
        """The finest partition above this one that keeps each of the given sets together."""
        split = [names for names in together if len(names) > 1 and not names <= self.class_of[next(iter(names))]]
        if not split:
            return self
        return Partition.finest(self.class_of, [*self.classes, *split])

    def is_finer_than(self, other: Partition) -> bool:
        return all(own <= other.class_of[next(iter(own))] for own in self.classes)

    def __iter__(self) -> Iterator[Roots]:
        return iter(sorted(self.classes, key=sorted))

    def __len__(self) -> int:
        return len(self.classes)
