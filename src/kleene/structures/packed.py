"""Structures that the native machine keeps: machine words behind a handle, integers only when somebody looks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, overload

from kleene import _native
from kleene.logic.vocabulary import Vocabulary
from kleene.structures.structure import ColumnsOf, Structure, TextForm


@lru_cache(maxsize=16)
def _columns(vocabulary: Vocabulary, columns_of: ColumnsOf) -> _native.Columns:
    return _native.Columns(columns_of(vocabulary))


class PackedStructure(Structure):
    """A structure whose size and values are read from the native machine on first use."""

    __slots__ = ("handle",)

    def __init__(self, vocabulary: Vocabulary, handle: _native.Handle) -> None:
        self.vocabulary = vocabulary
        self.handle = handle
        self.names = None
        self._hash = None

    def __getattr__(self, name: str) -> Any:  # called where a slot is not set yet
        if name == "values":
            self.values = self.handle.rails()
            return self.values
        if name == "size":
            self.size = self.handle.size
            return self.size
        raise AttributeError(name)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, PackedStructure) and self.vocabulary is other.vocabulary:
            return self.handle.same_as(other.handle)
        return super().__eq__(other)

    __hash__ = Structure.__hash__

    def precedes(self, other: Structure) -> bool:
        if isinstance(other, PackedStructure) and self.vocabulary is other.vocabulary:
            return self.handle.precedes(other.handle)
        return super().precedes(other)

    def text(self, form: TextForm, columns_of: ColumnsOf, indent: str = "") -> str | None:
        columns = _columns(self.vocabulary, columns_of)
        return columns.tvs(self.handle, indent) if form == "tvs" else columns.json(self.handle)

    def __reduce__(self) -> tuple[Any, ...]:
        return Structure, (self.vocabulary, self.size, self.values, None)


class PackedBatch(Sequence[Structure]):
    """Structures that the native machine made, in order; they become objects when they are looked at."""

    __slots__ = ("_size", "batch", "vocabulary")

    def __init__(self, vocabulary: Vocabulary, batch: _native.Batch) -> None:
        self.vocabulary = vocabulary
        self.batch = batch
        self._size = len(batch)

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, index: int) -> Structure: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Structure]: ...
    def __getitem__(self, index: int | slice) -> Structure | Sequence[Structure]:
        if isinstance(index, slice):
            first, last, step = index.indices(len(self))
            if step != 1:
                return [self[k] for k in range(first, last, step)]
            return PackedBatch(self.vocabulary, self.batch.slice(first, max(first, last)))
        return PackedStructure(self.vocabulary, self.batch.handle(range(len(self))[index]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (list, PackedBatch)):
            return NotImplemented
        return list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __iter__(self) -> Iterator[Structure]:
        vocabulary = self.vocabulary
        return iter([PackedStructure(vocabulary, handle) for handle in self.batch.handles()])


def pack(structure: Structure, signature: _native.Signature) -> _native.Handle:
    """The handle of a structure."""
    if isinstance(structure, PackedStructure):
        return structure.handle
    return _native.Handle(signature, structure.size, structure.values)
