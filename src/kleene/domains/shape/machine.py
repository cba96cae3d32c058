"""The shape domain's way to the native machine: batches of structures in, results, messages and counts out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from kleene.core.domain import Store
from kleene.domains.shape.stores import store_factory
from kleene.logic.vocabulary import Vocabulary
from kleene.structures.canonical import Canonicalizer
from kleene.structures.machine import is_native, thread_count
from kleene.structures.structure import Structure
from kleene.transformers.coerce import Coercer
from kleene.transformers.transformer import Outcome, Report, Transformer

if TYPE_CHECKING:
    from kleene import _native
    from kleene.transformers.native_transformer import NativeAction


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

    def store(self) -> Store[Structure]:
        from kleene.domains.shape.native_stores import NativeStore
        from kleene.structures.program.native_machine import signature_of

        signature = signature_of(self._vocabulary)
        if signature is None:
            return self._python_store()
        return NativeStore(self._join, self._canonicalizer, signature, self._python_store)

    def post(self, transformer: Transformer, elements: Sequence[Structure]) -> Iterator[NativePart | Structure]:
        from kleene.structures.packed import pack

        rules = self._coercer.native
        action = self._action(transformer)
        if action is None or rules is None:
            yield from elements
            return
        handles = [pack(element, rules.signature) for element in elements]
        outcomes = action.post([handle for handle in handles if handle is not None], self._threads)
        first = last = 0
        unfinished = {number for number, _ in outcomes.unfinished()}
        if not unfinished and None not in handles:
            yield self._part(action, outcomes, 0, len(outcomes))
            return
        for element, handle in zip(elements, handles, strict=True):
            if handle is not None and last not in unfinished:
                last += 1
                continue
            if first < last:
                yield self._part(action, outcomes, first, last)
            yield element
            last += handle is not None
            first = last
        if first < last:
            yield self._part(action, outcomes, first, last)

    def _action(self, transformer: Transformer) -> NativeAction | None:
        if transformer not in self._actions:
            self._actions[transformer] = self._made(transformer)
        return self._actions[transformer]

    def _made(self, transformer: Transformer) -> NativeAction | None:
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
        reports = [
            Report(action.message(post, number), PackedStructure(vocabulary, handle), definite)
            for post, number, definite, handle in outcomes.reports(first, last)
        ]
        unmet = [action.message(post, number) for post, number in outcomes.unmet(first, last)]
        discarded, discarded_in_focus = outcomes.discarded(first, last)
        contradictory = outcomes.contradictory(first, last)
        return NativePart(
            PackedBatch(vocabulary, outcomes.results(first, last)),
            Outcome(reports=reports, unmet=unmet),
            discarded,
            discarded_in_focus,
            None if contradictory is None else PackedStructure(vocabulary, contradictory),
        )
