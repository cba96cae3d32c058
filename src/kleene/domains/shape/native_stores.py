"""The stores of the native machine (the counterpart of `stores.py`)."""

from __future__ import annotations

from collections.abc import Sequence

from kleene import _native
from kleene.logic.vocabulary import Vocabulary
from kleene.structures.canonical import Canonicalizer
from kleene.structures.layout import layout_for
from kleene.structures.packed import PackedBatch, pack
from kleene.structures.structure import Structure


def too_many_nodes(error: _native.TooManyNodes) -> None:
    """Raises what is raised in Python where a join that has the nodes of both structures is too large."""
    layout_for(int(str(error)))


class NativeStore:
    """A store of the native machine. Batches that it gave back stay native."""

    def __init__(
        self, vocabulary: Vocabulary, signature: _native.Signature, native: _native.Store, threads: int
    ) -> None:
        self._vocabulary = vocabulary
        self._signature = signature
        self.native = native
        self._threads = threads

    @staticmethod
    def of(join: str, canonicalizer: Canonicalizer, signature: _native.Signature, *, threads: int) -> NativeStore:
        named, nullary = canonicalizer.named, canonicalizer.nullary
        key = nullary if join == "ind" else [*named, *nullary]
        native = _native.Store(signature, join, named, key, canonicalizer.pointing)
        return NativeStore(canonicalizer.vocabulary, signature, native, threads)

    def empty(self) -> NativeStore:
        """Another store of the same kind."""
        return NativeStore(self._vocabulary, self._signature, self.native.empty(), self._threads)

    def add(self, elements: Sequence[Structure]) -> Sequence[Structure]:
        if isinstance(elements, PackedBatch):
            batch = elements.batch
        else:
            batch = _native.Batch(self._signature, [pack(s, self._signature) for s in elements])
        try:
            return PackedBatch(self._vocabulary, self.native.add(batch, self._threads))
        except _native.TooManyNodes as error:
            too_many_nodes(error)
            raise

    def covers(self, element: Structure) -> bool:
        return self.native.covers(pack(element, self._signature))

    def current(self, element: Structure) -> bool:
        return self.native.current(pack(element, self._signature))

    def unite(self, batches: Sequence[Sequence[Structure]], *, only_current: bool) -> Sequence[Structure]:
        if len(batches) == 1:
            batch = batches[0]
            if not only_current or (isinstance(batch, PackedBatch) and self.native.is_current(batch.batch)):
                return batch
        given = [batch.batch for batch in batches if isinstance(batch, PackedBatch)]
        assert len(given) == len(batches), "what waits at a location was given by its store"
        return PackedBatch(self._vocabulary, self.native.united(given, only_current, self._threads))

    def elements(self) -> Sequence[Structure]:
        return PackedBatch(self._vocabulary, self.native.elements())

    def clear(self) -> None:
        self.native.clear()

    def __len__(self) -> int:
        return len(self.native)
