"""The steps of the shape domain on the native machine (`machine.py` says what the domain asks of it)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from kleene import _native
from kleene.cfa.graph import Edge
from kleene.domains.shape.machine import NativePart, NativeParts
from kleene.domains.shape.native_edges import NativeEdges
from kleene.domains.shape.native_stores import NativeStore
from kleene.domains.shape.stores import Store, store_factory
from kleene.logic.vocabulary import Vocabulary
from kleene.semantics.vocabulary.names import FREED, HEAP
from kleene.structures.canonical import Canonicalizer
from kleene.structures.machine import thread_count
from kleene.structures.packed import PackedBatch, PackedStructure, pack
from kleene.structures.program.native_machine import Unsupported, signature_of
from kleene.structures.structure import Structure
from kleene.transformers.action import Action, Message
from kleene.transformers.coerce import Coercer
from kleene.transformers.native_transformer import NativeAction, what_a_step_does
from kleene.transformers.transformer import Outcome, Report, Transformer

if TYPE_CHECKING:
    from kleene.domains.shape.domain import ShapeDomain
    from kleene.domains.shape.local_heaps import LocalHeaps
    from kleene.domains.shape.native_calls import NativeCalls

CALL_ARITY = 2
"""Calls on local heaps move vectors and matrices."""
STAGES = ("focus", "coerce", "precondition", "update", "blur")
"""The stages of a step that the native machine measures on request."""
_QUIET = (None, None, 0, 0, None, None)
"""The end of an outcome without messages, discarded structures, contradictions and measures."""


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
        self._made: dict[Hashable, NativeAction | None] = {}
        self.stage_seconds: dict[str, float] | None = None

    def store(self) -> Store | NativeStore:
        if self._first_store is None:
            signature = signature_of(self._vocabulary)
            if signature is None:
                return self._python_store()
            self._first_store = NativeStore.of(self._join, self._canonicalizer, signature, threads=self._threads)
        return self._first_store.empty()

    def native_action(self, transformer: Transformer) -> _native.Action | None:
        try:
            action = self._actions[transformer]
        except KeyError:
            action = self._actions[transformer] = self._make_action(transformer)
        return None if action is None else action.native

    def edges(self, domain: ShapeDomain, edges: Sequence[Edge[Action]]) -> NativeEdges | None:
        if self.stage_seconds is not None or not isinstance(self.store(), NativeStore):
            return None
        return NativeEdges(domain, self._vocabulary, edges, self._threads)

    def post(self, transformer: Transformer, elements: Sequence[Structure]) -> Sequence[Structure] | NativeParts:
        try:
            action = self._actions[transformer]
        except KeyError:
            action = self._actions[transformer] = self._make_action(transformer)
        if action is None:
            return NativeParts(list(elements))
        if not isinstance(elements, PackedBatch):
            rules = self._coercer.native
            assert rules is not None
            handles = [pack(element, rules.signature) for element in elements]
            return NativeParts(self._parts(action, transformer.action, _native.Batch(rules.signature, handles)))
        if self.stage_seconds is not None:
            return NativeParts(self._parts(action, transformer.action, elements.batch))
        outcome = action.native.post(elements.batch, self._threads, False)
        if outcome[2:] == _QUIET and outcome[0] is None:  # most steps are these, and most batches are small
            return PackedBatch(self._vocabulary, outcome[1])
        return NativeParts(self._divided(action, transformer.action, elements.batch, outcome))

    def calls(self, heaps: LocalHeaps, settling: Transformer, *, closed: bool) -> NativeCalls | None:
        """Calls on local heaps; None if the Python machine divides and joins structures."""
        action = self._make_action(settling)
        names = {p.name for p in self._vocabulary}
        told = {HEAP, FREED, *heaps.calls.edges, *heaps.calls.markers} <= names
        if action is None or not told or any(p.arity > CALL_ARITY for p in self._vocabulary):
            return None
        from kleene.domains.shape.native_calls import NativeCalls  # most programs have no calls

        rules = self._coercer.native
        assert rules is not None
        return NativeCalls(heaps, rules, action, closed=closed, threads=self._threads)

    def _parts(self, native: NativeAction, action: Action, batch: _native.Batch) -> list[NativePart | Structure]:
        """What a batch leads to, with what the Python machine has to take in between: there the batch is divided."""
        seconds = self.stage_seconds
        outcome = native.native.post(batch, self._threads, seconds is not None)
        if seconds is not None:
            for name, more in zip(STAGES, outcome[-1] or (), strict=True):
                seconds[name] = seconds.get(name, 0.0) + more
        return self._divided(native, action, batch, outcome)

    def _divided(
        self, native: NativeAction, action: Action, batch: _native.Batch, outcome: _native.Outcome
    ) -> list[NativePart | Structure]:
        unfinished = outcome[0]
        if unfinished is None:
            return [self._part(action, outcome)]
        if native.generalise(unfinished):
            return self._parts(native, action, batch)
        parts: list[NativePart | Structure] = []
        first = 0
        for number, _ in unfinished:
            if first < number:
                parts += self._parts(native, action, batch.slice(first, number))
            parts.append(PackedStructure(self._vocabulary, batch.handle(number)))
            first = number + 1
        if first < len(batch):
            parts += self._parts(native, action, batch.slice(first, len(batch)))
        return parts

    def _make_action(self, transformer: Transformer) -> NativeAction | None:
        """The action on the native machine; those that differ in names and texts only are one."""
        if self._coercer.native is None:
            return None
        key = what_a_step_does(transformer)
        if key not in self._made:
            try:
                blur = self._join != "conc"
                made: NativeAction | None = NativeAction(
                    transformer, self._coercer.native, self._canonicalizer, blur=blur
                )
            except Unsupported:
                made = None
            self._made[key] = made
        return self._made[key]

    def _part(self, action: Action, outcome: _native.Outcome) -> NativePart:
        vocabulary = self._vocabulary
        _, results, given, unmet, discarded, discarded_in_focus, contradictory, _ = outcome
        messages = None
        if given is not None or unmet is not None:
            reports = [
                Report(_message(action, number, post=post), PackedStructure(vocabulary, handle), definite)
                for post, number, definite, handle in given or ()
            ]
            messages = Outcome(
                reports=reports, unmet=[_message(action, number, post=post) for post, number in unmet or ()]
            )
        return NativePart(
            PackedBatch(vocabulary, results),
            messages,
            discarded,
            discarded_in_focus,
            None if contradictory is None else PackedStructure(vocabulary, contradictory),
        )


def _message(action: Action, number: int, *, post: bool) -> Message:
    return (action.post_messages if post else action.messages)[number]
