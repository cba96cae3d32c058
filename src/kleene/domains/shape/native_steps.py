"""The steps of the shape domain on the native machine (`machine.py` says what the domain asks of it)."""

from __future__ import annotations

from collections.abc import Sequence

from kleene import _native
from kleene.domains.shape.machine import NativePart
from kleene.domains.shape.native_stores import NativeStore
from kleene.domains.shape.stores import Store, store_factory
from kleene.logic.vocabulary import Vocabulary
from kleene.structures.canonical import Canonicalizer
from kleene.structures.machine import thread_count
from kleene.structures.packed import PackedBatch, PackedStructure, pack
from kleene.structures.program.native_machine import Unsupported, signature_of
from kleene.structures.structure import Structure
from kleene.transformers.coerce import Coercer
from kleene.transformers.native_transformer import NativeAction
from kleene.transformers.transformer import Outcome, Report, Transformer

STAGES = ("focus", "coerce", "precondition", "update", "blur")
"""The stages of a step that the native machine measures on request."""


class NativeSteps:
    """Actions are compiled when they are first used."""

    def __init__(self, vocabulary: Vocabulary, coercer: Coercer, canonicalizer: Canonicalizer, join: str) -> None:
        self._vocabulary = vocabulary
        self._coercer = coercer
        self._canonicalizer = canonicalizer
        self._join = join
        self._python_store = store_factory(join, canonicalizer)
        self._first_store: NativeStore | None = None
        self._threads = thread_count()
        self._actions: dict[Transformer, NativeAction | None] = {}
        self.stage_seconds: dict[str, float] | None = None

    def store(self) -> Store | NativeStore:
        if self._first_store is None:
            signature = signature_of(self._vocabulary)
            if signature is None:
                return self._python_store()
            self._first_store = NativeStore.of(self._join, self._canonicalizer, signature, threads=self._threads)
        return self._first_store.empty()

    def post(self, transformer: Transformer, elements: Sequence[Structure]) -> Sequence[NativePart | Structure]:
        try:
            action = self._actions[transformer]
        except KeyError:
            action = self._actions[transformer] = self._make_action(transformer)
        if action is None:
            return elements
        if isinstance(elements, PackedBatch):
            if self.stage_seconds is None:  # most steps are these, and most batches are small
                outcome = action.post(elements.batch, self._threads, timed=False)
                return (
                    (self._part(action, outcome),)
                    if outcome[0] is None
                    else self._divided(action, elements.batch, outcome)
                )
            return self._parts(action, elements.batch)
        rules = self._coercer.native
        assert rules is not None
        handles = [pack(element, rules.signature) for element in elements]
        return self._parts(action, _native.Batch(rules.signature, handles))

    def _parts(self, action: NativeAction, batch: _native.Batch) -> Sequence[NativePart | Structure]:
        """What a batch leads to, with what the Python machine has to take in between: there the batch is divided."""
        seconds = self.stage_seconds
        outcome = action.post(batch, self._threads, timed=seconds is not None)
        if seconds is not None:
            for name, more in zip(STAGES, outcome[-1] or (), strict=True):
                seconds[name] = seconds.get(name, 0.0) + more
        return self._divided(action, batch, outcome)

    def _divided(
        self, action: NativeAction, batch: _native.Batch, outcome: _native.Outcome
    ) -> Sequence[NativePart | Structure]:
        unfinished = outcome[0]
        if unfinished is None:
            return (self._part(action, outcome),)
        parts: list[NativePart | Structure] = []
        first = 0
        for number, _ in unfinished:
            if first < number:
                parts += self._parts(action, batch.slice(first, number))
            parts.append(PackedStructure(self._vocabulary, batch.handle(number)))
            first = number + 1
        if first < len(batch):
            parts += self._parts(action, batch.slice(first, len(batch)))
        return parts

    def _make_action(self, transformer: Transformer) -> NativeAction | None:
        if self._coercer.native is None:
            return None
        try:
            blur = self._join != "conc"
            return NativeAction(transformer, self._coercer.native, self._canonicalizer, blur=blur)
        except Unsupported:
            return None

    def _part(self, action: NativeAction, outcome: _native.Outcome) -> NativePart:
        vocabulary = self._vocabulary
        _, results, given, unmet, discarded, discarded_in_focus, contradictory, _ = outcome
        messages = None
        if given is not None or unmet is not None:
            reports = [
                Report(action.message(post, number), PackedStructure(vocabulary, handle), definite)
                for post, number, definite, handle in given or ()
            ]
            messages = Outcome(reports=reports, unmet=[action.message(post, number) for post, number in unmet or ()])
        return NativePart(
            PackedBatch(vocabulary, results),
            messages,
            discarded,
            discarded_in_focus,
            None if contradictory is None else PackedStructure(vocabulary, contradictory),
        )
