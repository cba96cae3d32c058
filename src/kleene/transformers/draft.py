"""Structures in the making, as the stages of an action pass them on."""

from __future__ import annotations

from collections.abc import Iterable

from kleene.structures.structure import AC, Structure


class Draft:
    """A mutable structure: rails, number of nodes, node names if they are kept, and the rules that may be breached."""

    __slots__ = ("dirty", "names", "size", "values")

    def __init__(self, values: list[int], size: int, dirty: int, names: list[str] | None = None) -> None:
        self.values = values
        self.size = size
        self.dirty = dirty
        self.names = names

    @staticmethod
    def of(structure: Structure, dirty: int, *, keep_names: bool = False) -> Draft:
        names = [structure.name(u) for u in structure.nodes] if keep_names else None
        return Draft(list(structure.values), structure.size, dirty, names)

    def copy(self) -> Draft:
        return Draft(list(self.values), self.size, self.dirty, None if self.names is None else list(self.names))

    @property
    def all_active(self) -> bool:
        return self.values[AC] == (1 << self.size) - 1

    def structure(self, like: Structure) -> Structure:
        names = None if self.names is None else tuple(self.names)
        return Structure(like.vocabulary, self.size, tuple(self.values), names)


def bits(mask: int) -> Iterable[int]:
    """The numbers of the bits that are set, in increasing order."""
    while mask:
        low = mask & -mask
        mask ^= low
        yield low.bit_length() - 1
