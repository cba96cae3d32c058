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
        self._threads = thread_count()
        self._actions: dict[Transformer, NativeAction | None] = {}
        self.stage_seconds: dict[str, float] | None = None

    def store(self) -> Store | NativeStore:
        signature = signature_of(self._vocabulary)
        if signature is None:
            return self._python_store()
        return NativeStore(self._join, self._canonicalizer, signature, self._python_store, threads=self._threads)

    def post(self, transformer: Transformer, elements: Sequence[Structure]) -> Sequence[NativePart | Structure]:
        try:
            action = self._actions[transformer]
        except KeyError:
            action = self._actions[transformer] = self._make_action(transformer)
        if action is None:
            return elements
        if not isinstance(elements, PackedBatch):
            return self._of_objects(action, elements)
        outcomes = self._outcomes(action, elements.batch)
        if outcomes.all_done:
            return (self._part(action, outcomes, 0, len(outcomes)),)
        return self._parts(action, outcomes, elements, [True] * len(elements))

    def _of_objects(self, action: NativeAction, elements: Sequence[Structure]) -> Sequence[NativePart | Structure]:
        """A batch of Python's structures; large ones are left to the Python machine."""
        rules = self._coercer.native
        assert rules is not None
        handles = [pack(element, rules.signature) for element in elements]
        small = [handle is not None for handle in handles]
        batch = _native.Batch(rules.signature, [handle for handle in handles if handle is not None])
        return self._parts(action, self._outcomes(action, batch), elements, small)

    def _outcomes(self, action: NativeAction, batch: _native.Batch) -> _native.Outcomes:
        seconds = self.stage_seconds
        outcomes = action.post(batch, self._threads, timed=seconds is not None)
        if seconds is not None:
            for name, more in zip(STAGES, outcomes.stages(), strict=True):
                seconds[name] = seconds.get(name, 0.0) + more
        return outcomes

    def _parts(
        self,
        action: NativeAction,
        outcomes: _native.Outcomes,
        elements: Sequence[Structure],
        small: Sequence[bool],
    ) -> list[NativePart | Structure]:
        """The outcomes with what the Python machine has to take in between; only small elements have an outcome."""
        parts: list[NativePart | Structure] = []
        first = last = 0
        unfinished = {number for number, _ in outcomes.unfinished()}
        for element, is_small in zip(elements, small, strict=True):
            if is_small and last not in unfinished:
                last += 1
                continue
            if first < last:
                parts.append(self._part(action, outcomes, first, last))
            parts.append(element)
            last += is_small
            first = last
        if first < last:
            parts.append(self._part(action, outcomes, first, last))
        return parts

    def _make_action(self, transformer: Transformer) -> NativeAction | None:
        if self._coercer.native is None:
            return None
        try:
            blur = self._join != "conc"
            return NativeAction(transformer, self._coercer.native, self._canonicalizer, blur=blur)
        except Unsupported:
            return None

    def _part(self, action: NativeAction, outcomes: _native.Outcomes, first: int, last: int) -> NativePart:
        vocabulary = self._vocabulary
        results, given, unmet, discarded, discarded_in_focus, contradictory = outcomes.part(first, last)
        outcome = None
        if given or unmet:
            reports = [
                Report(action.message(post, number), PackedStructure(vocabulary, handle), definite)
                for post, number, definite, handle in given
            ]
            outcome = Outcome(reports=reports, unmet=[action.message(post, number) for post, number in unmet])
        return NativePart(
            PackedBatch(vocabulary, results),
            outcome,
            discarded,
            discarded_in_focus,
            None if contradictory is None else PackedStructure(vocabulary, contradictory),
        )
