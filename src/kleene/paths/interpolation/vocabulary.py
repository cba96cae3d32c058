"""The vocabulary of interpolants: versions of program variables and of fields as arrays over blocks.

A pointer is the number of the block that it points into: 0 for NULL, positive for heap blocks, negative for variables
and other blocks that exist by name. Its offset in the block is a fact of the path and no part of the vocabulary.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Union

import z3

POINTER = "pointer"
NUMBER = "number"
UNSIGNED = "unsigned number"
"""A cell that is used as both has no relation: its number would have to be converted where it is read."""
FREED, SIZE, ALLOCATED = "freed", "size", "allocated"
_GHOSTS = {
    FREED: z3.ArraySort(z3.IntSort(), z3.BoolSort()),
    SIZE: z3.ArraySort(z3.IntSort(), z3.IntSort()),
    ALLOCATED: z3.ArraySort(z3.IntSort(), z3.BoolSort()),
}


@dataclass(frozen=True, slots=True)
class Cell:
    """A piece of a variable (`owner`), or of every block (no owner): an array over blocks."""

    kind: str
    owner: str
    bit: int
    width: int


@dataclass(frozen=True, slots=True)
class Defined:
    """Whether something was ever written to a cell that holds a pointer."""

    cell: Cell


Key = Union[Cell, Defined, str]  # noqa: UP007 (an alias of classes, used in annotations)


class Vocabulary:
    """Names, and one constant for each version of each key."""

    def __init__(self) -> None:
        self.labels: dict[Cell, str] = {}
        self.keys: dict[str, Key] = {}
        self.blocks: dict[int, str] = {}
        """The variables whose blocks are numbers of the vocabulary."""
        self.parts: dict[tuple[str, Cell], str] = {}
        """Cells of these blocks, and of blocks that variables point to, as in the source."""
        self._names: dict[Key, str] = {}
        self._versions: Counter[Key] = Counter()

    def label(self, cell: Cell, text: str) -> None:
        """Set the source name of a cell; the first name stays."""
        self.labels.setdefault(cell, text)

    def name(self, key: Key) -> str:
        if key not in self._names:
            wanted = self._wanted_text(key)
            if wanted in self.keys and isinstance(key, Cell):
                wanted = f"{wanted}+{key.bit // 8}.{key.kind[0]}{key.width}"
            while wanted in self.keys:  # a variable may have the name of what is known about blocks
                wanted += "'"
            self._names[key] = wanted
            self.keys[wanted] = key
        return self._names[key]

    def _wanted_text(self, key: Key) -> str:
        if isinstance(key, str):
            return key
        if isinstance(key, Defined):
            return f"defined({self.name(key.cell)})"
        if key.owner:
            return self.labels.get(key, key.owner if key.bit == 0 else f"{key.owner}+{key.bit // 8}")
        return f"->{self.labels.get(key, f'+{key.bit // 8}')}"

    def plain(self, key: Key) -> Any:
        """The constant that stands for the key in an interpolant."""
        return z3.Const(self.name(key), self.sort(key))

    def fresh(self, key: Key) -> Any:
        """A new version of the key."""
        self._versions[key] += 1
        return z3.Const(f"{self.name(key)}@{self._versions[key]}", self.sort(key))

    @staticmethod
    def sort(key: Key) -> Any:
        if isinstance(key, str):
            return _GHOSTS[key]
        cell = key.cell if isinstance(key, Defined) else key
        value = z3.BoolSort() if isinstance(key, Defined) else z3.IntSort()
        return value if cell.owner else z3.ArraySort(z3.IntSort(), value)
