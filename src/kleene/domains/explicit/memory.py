"""Blocks of memory: cells of any width at any bit offset, read and written as C's effective types demand.

A block that was zeroed (calloc, globals) reads as zero where it has no cell, any other as undefined. Little endian.
"""

from __future__ import annotations

from collections.abc import Iterator

from kleene.cfa.operations import Place
from kleene.domains.explicit.values import UNDEFINED, NotModelled, Pointer, Undefined, Value

_WIDEST = 128
_CHUNK = 64

Cell = tuple[int, Value]
"""Width in bits, and the value."""


CONSTANT = frozenset(("constant", "string"))
"""The kinds of blocks that a program may not write to."""


STREAM = "stream"
"""The kind of the blocks of streams, which the library makes and ends."""


class Block:
    """A piece of memory: `kind` is heap, stack, stream, global, constant, string or function; `size` in bytes.

    The contents of kind `opaque` are unknown; for kind `unknown` even its existence (`entry`). The contents of kind
    `arguments` are made on first access.
    """

    __slots__ = ("alive", "birth", "cells", "death", "kind", "label", "owner", "place", "size", "zeroed")

    def __init__(self, kind: str, size: int, label: str, owner: object, place: Place | None = None) -> None:
        self.kind = kind
        self.size = size
        self.label = label
        self.owner = owner
        self.place = place
        self.alive = True
        self.zeroed = False
        self.birth = 0
        self.death = 0
        self.cells: dict[int, Cell] = {}

    def copy(self, owner: object) -> Block:
        twin = Block(self.kind, self.size, self.label, owner, self.place)
        twin.alive = self.alive
        twin.zeroed = self.zeroed
        twin.birth, twin.death = self.birth, self.death
        twin.cells = dict(self.cells)
        return twin

    def overlapping(self, bit: int, width: int) -> list[int]:
        """The starts of the cells that share a bit with the range, in order."""
        cells = self.cells
        if len(cells) < width + _WIDEST:
            return sorted(start for start, cell in cells.items() if start < bit + width and bit < start + cell[0])
        candidates = range(max(0, bit - _WIDEST), bit + width)
        return [start for start in candidates if start in cells and start + cells[start][0] > bit]

    def load(self, bit: int, width: int) -> Value:
        """The value of the range; integers put together from several cells are unsigned."""
        cell = self.cells.get(bit)
        if cell is not None and cell[0] == width:
            return cell[1]
        starts = self.overlapping(bit, width)
        if not starts:
            return 0 if self.zeroed else UNDEFINED
        return self._assemble(starts, bit, width)

    def _assemble(self, starts: list[int], bit: int, width: int) -> Value:
        result = 0
        covered = 0
        for start in starts:
            cell_width, value = self.cells[start]
            if isinstance(value, Undefined):
                return UNDEFINED
            if not isinstance(value, int):
                raise NotModelled("part of a pointer or of a number read as something else")
            low, high = max(start, bit), min(start + cell_width, bit + width)
            piece = (value >> (low - start)) & ((1 << (high - low)) - 1)
            result |= piece << (low - bit)
            covered += high - low
        if covered < width and not self.zeroed:
            return UNDEFINED
        return result

    def store(self, bit: int, width: int, value: Value) -> None:
        """Write a value; cells that it overlaps only in part keep their other bits."""
        cell = self.cells.get(bit)
        if cell is None or cell[0] != width:
            self.clear(bit, width)
        self.cells[bit] = (width, value)

    def clear(self, bit: int, width: int) -> None:
        """Remove the cells in the range, which then has the block's background value."""
        for start in self.overlapping(bit, width):
            cell_width, value = self.cells.pop(start)
            end = start + cell_width
            if start < bit:
                self.cells[start] = (bit - start, _piece(value, 0, bit - start))
            if end > bit + width:
                rest = end - bit - width
                self.cells[bit + width] = (rest, _piece(value, cell_width - rest, rest))

    def fill(self, bit: int, width: int, value: Value) -> None:
        """Write the value (0 or undefined) all over the range."""
        zero = not isinstance(value, Undefined)
        if bit == 0 and width >= self.size * 8:
            self.cells.clear()
            self.zeroed = zero
            return
        self.clear(bit, width)
        if zero == self.zeroed:
            return
        while width > 0:
            chunk = min(width, _CHUNK)
            self.cells[bit] = (chunk, value)
            bit += chunk
            width -= chunk

    def paste(self, bit: int, source: Block, source_bit: int, width: int) -> None:
        """Copy a range from another block, or from a copy of this one."""
        cells = [(s, *source.cells[s]) for s in source.overlapping(source_bit, width)]
        self.fill(bit, width, 0 if source.zeroed else UNDEFINED)
        for start, cell_width, value in cells:
            low, high = max(start, source_bit), min(start + cell_width, source_bit + width)
            if high - low != cell_width:
                value = _piece(value, low - start, high - low)
            self.store(bit + low - source_bit, high - low, value)

    def pointers(self) -> Iterator[Pointer]:
        for _, value in self.cells.values():
            if type(value) is Pointer:
                yield value


def _piece(value: Value, shift: int, width: int) -> Value:
    if isinstance(value, int):
        return (value >> shift) & ((1 << width) - 1)
    return UNDEFINED
