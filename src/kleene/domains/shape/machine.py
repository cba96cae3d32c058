"""The shape domain's way to the native machine: batches of structures in, results, messages and counts out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from kleene.domains.shape.stores import store_factory
from kleene.logic.vocabulary import Vocabulary
from kleene.structures.canonical import Canonicalizer
from kleene.structures.machine import is_native, thread_count
from kleene.structures.structure import Structure
from kleene.transformers.coerce import Coercer
from kleene.transformers.transformer import Outcome, Report, Transformer

if TYPE_CHECKING:
    from kleene import _native
    from kleene.core.domain import Store
    from kleene.transformers.native_transformer import NativeAction


STAGES = ("focus", "coerce", "precondition", "update", "blur")
"""The stages of a step that the native machine measures on request."""


@dataclass(frozen=True, slots=True)
class NativePart:
    """What a run of elements of a batch led to; `outcome` has the messages of all of them."""

    results: Sequence[Structure]
    outcome: Outcome
    discarded: int
    discarded_in_focus: int
    contradictory: Structure | None


class NativeShapeMachine(Protocol):
    """What the shape domain asks of the native machine."""

    stage_seconds: dict[str, float] | None
    """The seconds of each stage of the steps, of all threads together; None if they are not measured."""

    def store(self) -> Store[Structure]: ...

    def post(self, transformer: Transformer, elements: Sequence[Structure]) -> Iterator[NativePart | Structure]:
        """The parts of a batch in order; an element that the Python machine has to take comes as itself."""


def native_machine(
    vocabulary: Vocabulary, coercer: Coercer, canonicalizer: Canonicalizer, join: str
) -> NativeShapeMachine | None:
    """The native machine for one domain; None where the Python machine runs."""
    if not is_native() or canonicalizer.definite_names:  # the native blur compares names, not pairs of nodes
        return None
    return _NativeMachine(vocabulary, coercer, canonicalizer, join)


class _NativeMachine:
    def __init__(self, vocabulary: Vocabulary, coercer: Coercer, canonicalizer: Canonicalizer, join: str) -> None:
        self._vocabulary = vocabulary
        self._coercer = coercer
        self._canonicalizer = canonicalizer
        self._join = join
        self._python_store = store_factory(join, canonicalizer)
        self._threads = thread_count()
        self._actions: dict[Transformer, NativeAction | None] = {}
        self.stage_seconds: dict[str, float] | None = None

    def store(self) -> Store[Structure]:
        from kleene.domains.shape.native_stores import NativeStore
        from kleene.structures.program.native_machine import signature_of

        signature = signature_of(self._vocabulary)
        if signature is None:
            return self._python_store()
        return NativeStore(self._join, self._canonicalizer, signature, self._python_store)

    def post(self, transformer: Transformer, elements: Sequence[Structure]) -> Iterator[NativePart | Structure]:
        from kleene import _native
        from kleene.structures.packed import PackedBatch, pack

        rules = self._coercer.native
        action = self._action(transformer)
        if action is None or rules is None:
            yield from elements
            return
        if isinstance(elements, PackedBatch):
            small, batch = [True] * len(elements), elements.batch
        else:
            handles = [pack(element, rules.signature) for element in elements]
            small = [handle is not None for handle in handles]
            batch = _native.Batch(rules.signature, [handle for handle in handles if handle is not None])
        outcomes = action.post(batch, self._threads, timed=self.stage_seconds is not None)
        if self.stage_seconds is not None:
            for name, seconds in zip(STAGES, outcomes.stages(), strict=True):
                self.stage_seconds[name] = self.stage_seconds.get(name, 0.0) + seconds
        if outcomes.all_done and all(small):
            yield self._part(action, outcomes, 0, len(outcomes))
            return
        first = last = 0
        unfinished = {number for number, _ in outcomes.unfinished()}
        for element, is_small in zip(elements, small, strict=True):
            if is_small and last not in unfinished:
                last += 1
                continue
            if first < last:
                yield self._part(action, outcomes, first, last)
            yield element
            last += is_small
            first = last
        if first < last:
            yield self._part(action, outcomes, first, last)

    def _action(self, transformer: Transformer) -> NativeAction | None:
        if transformer not in self._actions:
            self._actions[transformer] = self._make_action(transformer)
        return self._actions[transformer]

    def _make_action(self, transformer: Transformer) -> NativeAction | None:
        from kleene.structures.program.native_machine import Unsupported
        from kleene.transformers.native_transformer import NativeAction

        if self._coercer.native is None:
            return None
        try:
            blur = self._join != "conc"
            return NativeAction(transformer, self._coercer.native, self._canonicalizer, blur=blur)
        except Unsupported:
            return None

    def _part(self, action: NativeAction, outcomes: _native.Outcomes, first: int, last: int) -> NativePart:
        from kleene.structures.packed import PackedBatch, PackedStructure

        vocabulary = self._vocabulary
        results, given, unmet, discarded, discarded_in_focus, contradictory = outcomes.part(first, last)
        reports = [
            Report(action.message(post, number), PackedStructure(vocabulary, handle), definite)
            for post, number, definite, handle in given
        ]
        return NativePart(
            PackedBatch(vocabulary, results),
            Outcome(reports=reports, unmet=[action.message(post, number) for post, number in unmet]),
            discarded,
            discarded_in_focus,
            None if contradictory is None else PackedStructure(vocabulary, contradictory),
        )
