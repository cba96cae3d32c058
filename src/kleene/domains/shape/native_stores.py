"""The stores of the native machine (the counterpart of `stores.py`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kleene import _native
from kleene.domains.shape import stores
from kleene.structures.canonical import Canonicalizer
from kleene.structures.embedding import embeds
from kleene.structures.packed import PackedBatch, pack
from kleene.structures.structure import Structure


class NativeStore:
    """A store of the native machine; structures that are too large for it are kept by one in Python."""

    def __init__(
        self,
        join: str,
        canonicalizer: Canonicalizer,
        signature: _native.Signature,
        python: Callable[[], stores.Store],
        *,
        threads: int = 1,
    ) -> None:
        named, nullary = canonicalizer.named, canonicalizer.nullary
        key = nullary if join == "ind" else [*named, *nullary]
        self._join = join
        self._vocabulary = canonicalizer.vocabulary
        self._signature = signature
        self._python = python
        self._threads = threads
        self._native = _native.Store(signature, join, named, key)
        self._large: stores.Store | None = None
        self._all_in_python = False

    def add(self, elements: Sequence[Structure]) -> Sequence[Structure]:
        if self._all_in_python:
            return self._in_python.add(list(elements))
        if self._join == "ind":
            return self._add_to_joined(elements)
        if isinstance(elements, PackedBatch):
            return PackedBatch(self._vocabulary, self._native.add(elements.batch, self._threads))
        handles = [pack(s, self._signature) for s in elements]
        batch = self._add_small([handle for handle in handles if handle is not None])
        large = [s for s, handle in zip(elements, handles, strict=True) if handle is None]
        return [*batch, *self._in_python.add(large)] if large else batch

    def _add_to_joined(self, elements: Sequence[Structure]) -> Sequence[Structure]:
        """Join `ind`: a join may have more nodes than both of its arguments. If too many, Python keeps them all."""
        before = self._native.elements()
        handles = [pack(s, self._signature) for s in elements]
        small = [handle for handle in handles if handle is not None]
        if len(small) == len(handles):
            try:
                return self._add_small(small)
            except _native.NeedsPython:
                pass
        self._native.clear()
        self._all_in_python = True
        self._in_python.add(list(PackedBatch(self._vocabulary, before)))
        return self._in_python.add(list(elements))

    def _add_small(self, handles: Sequence[_native.Handle]) -> PackedBatch:
        return PackedBatch(self._vocabulary, self._native.add(_native.Batch(self._signature, handles)))

    @property
    def _in_python(self) -> stores.Store:
        if self._large is None:
            self._large = self._python()
        return self._large

    def covers(self, element: Structure) -> bool:
        handle = pack(element, self._signature)
        if handle is not None and self._native.covers(handle):
            return True
        if self._large is not None and self._large.covers(element):
            return True
        if handle is not None or self._join == "conc":
            return False
        return any(embeds(element, s) for s in PackedBatch(self._vocabulary, self._native.elements()))

    def current(self, element: Structure) -> bool:
        handle = None if self._all_in_python else pack(element, self._signature)
        return self._native.current(handle) if handle is not None else self._in_python.current(element)

    def unite(self, batches: Sequence[Sequence[Structure]], *, only_current: bool) -> Sequence[Structure]:
        if len(batches) == 1:
            batch = batches[0]
            if not only_current or (isinstance(batch, PackedBatch) and self._native.is_current(batch.batch)):
                return batch
        small = [batch.batch for batch in batches if isinstance(batch, PackedBatch)]
        if len(small) == len(batches) and not self._all_in_python:
            return PackedBatch(self._vocabulary, self._native.united(small, only_current, self._threads))
        return [s for batch in batches for s in batch if not only_current or self.current(s)]

    def elements(self) -> list[Structure]:
        packed = list(PackedBatch(self._vocabulary, self._native.elements()))
        return packed if self._large is None else stores.in_order([*packed, *self._large.elements()])

    def clear(self) -> None:
        self._native.clear()
        self._large = None
        self._all_in_python = False

    def __len__(self) -> int:
        return len(self._native) + (0 if self._large is None else len(self._large))
