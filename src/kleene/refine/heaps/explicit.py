"""Explicit heaps: concrete instances of data structures, with unknowns, and their depth.

Beyer, Henzinger, Théoduloz, Zufferey. Shape refinement through explicit heap analysis. FASE 2010, section 2.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

NULL = 0
_DEEPEST = 12
"""Cells of a path beyond which its length does not matter."""
"""The address of the null pointer."""


@dataclass(frozen=True)
class ExplicitHeap:
    """``H = (v, h)``. A value is an address (0 is NULL), or None for the unknown value ⊤.

    `pointers` maps tracked pointer variables to addresses, `cells` every address to its pointer fields, `data` every
    address to its integer fields. `sizes` are the sizes of the blocks.
    """

    pointers: Mapping[str, int | None]
    cells: Mapping[int, Mapping[str, int | None]]
    data: Mapping[int, Mapping[int, int | None]]
    sizes: Mapping[int, int]

    def depth(self, pointer: str | None = None) -> int:
        """The largest number of cells on a path without repetition from a pointer (from any, without an argument)."""
        starts = [self.pointers.get(pointer)] if pointer is not None else list(self.pointers.values())
        return max((self._longest(start, frozenset()) for start in starts if start in self.cells), default=0)

    def _longest(self, address: int | None, seen: frozenset[int]) -> int:
        if address not in self.cells or address in seen or len(seen) > _DEEPEST:
            return 0
        assert address is not None
        further = (self._longest(to, seen | {address}) for to in self.cells[address].values())
        return 1 + max(further, default=0)

    def reachable(self) -> set[int]:
        """The addresses that the pointers lead to."""
        waiting = [a for a in self.pointers.values() if a in self.cells]
        reachable: set[int] = set()
        while waiting:
            address = waiting.pop()
            if address is not None and address not in reachable and address in self.cells:
                reachable.add(address)
                waiting += [a for a in self.cells[address].values() if a]
        return reachable

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for heaps of the same shape: addresses renumbered in the order in which pointers reach them."""
        numbers: dict[int, int] = {}
        waiting = [a for _, a in sorted(self.pointers.items()) if a in self.cells]
        while waiting:
            address = waiting.pop(0)
            if address is not None and address in self.cells and address not in numbers:
                numbers[address] = len(numbers) + 1
                waiting += [a for _, a in sorted(self.cells[address].items()) if a]
        edges = tuple(
            (numbers[a], field, numbers.get(to, 0) if to else to)
            for a in numbers
            for field, to in sorted(self.cells[a].items())
        )
        return tuple((p, numbers.get(a or 0, 0)) for p, a in sorted(self.pointers.items())), edges

    def __str__(self) -> str:
        shown = [f"{p} = {_name(a)}" for p, a in sorted(self.pointers.items())]
        for address in sorted(self.reachable()):
            fields = ", ".join(f"{f}: {_name(to)}" for f, to in sorted(self.cells[address].items()))
            shown.append(f"#{address} {{{fields}}}")
        return "; ".join(shown)


def _name(address: int | None) -> str:
    return "?" if address is None else "NULL" if address == NULL else f"#{address}"
