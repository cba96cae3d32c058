"""Sets of parts of stores, by their summaries, each with an example; and the parts that are still to be looked at.

In a set of *maximal* parts, one is left out if another one has the same exact bits (`Summaries.exact`) and all its
other bits. Whatever the smaller one can become part of, the larger one can too, and the structure of the smaller store
is embedded in that of the larger one. With all bits exact, the set has all parts.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import ItemsView
from typing import Generic, TypeVar

from kleene.symbolic.one_field.summary import Summary

Example = TypeVar("Example")
Item = TypeVar("Item")


class Parts(Generic[Example]):
    def __init__(self, exact: int) -> None:
        self._exact = exact
        self._groups: dict[int, list[Summary]] = defaultdict(list)
        self._examples: dict[Summary, Example] = {}

    def covers(self, part: Summary) -> bool:
        """Whether the part is there, or one that stands for it."""
        return part in self._examples or any(
            not part & ~other for other in self._groups.get(part & self._exact, ()) if other != part
        )

    def add(self, part: Summary, example: Example) -> bool:
        """Add a part in place of all smaller ones; False if it is covered."""
        if self.covers(part):
            return False
        group = self._groups[part & self._exact]
        for smaller in [other for other in group if not other & ~part]:
            group.remove(smaller)
            del self._examples[smaller]
        group.append(part)
        self._examples[part] = example
        return True

    def items(self) -> ItemsView[Summary, Example]:
        return self._examples.items()


class Waiting(Generic[Item]):
    """Parts to be looked at: those with few kinds first, and of these the largest, which make others superfluous."""

    def __init__(self, all_some: int) -> None:
        self._all_some = all_some
        self._heap: list[tuple[int, int, int, Summary, Item]] = []
        self._number = 0

    def push(self, part: Summary, item: Item) -> None:
        self._number += 1
        kinds = (part & self._all_some).bit_count()
        heapq.heappush(self._heap, (kinds, -part.bit_count(), self._number, part, item))

    def pop(self) -> tuple[Summary, Item]:
        *_, part, item = heapq.heappop(self._heap)
        return part, item

    def __bool__(self) -> bool:
        return bool(self._heap)
