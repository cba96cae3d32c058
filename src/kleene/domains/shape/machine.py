"""What the shape domain asks of the native machine: batches of structures in, results, messages and counts out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from kleene.logic.vocabulary import Vocabulary
from kleene.structures.canonical import Canonicalizer
from kleene.structures.machine import is_native
from kleene.structures.structure import Structure
from kleene.transformers.coerce import Coercer
from kleene.transformers.transformer import Outcome, Transformer

if TYPE_CHECKING:
    from kleene.core.domain import Store
    from kleene.domains.shape.local_heaps import LocalHeaps
    from kleene.domains.shape.native_calls import NativeCalls


@dataclass(slots=True)  # not frozen: there is one for each step of a location
class NativePart:
    """What a run of elements of a batch led to; `outcome` has the messages of all of them, if there are any."""

    results: Sequence[Structure]
    outcome: Outcome | None
    discarded: int
    discarded_in_focus: int
    contradictory: Structure | None


@dataclass(slots=True)
class NativeParts:
    """What a batch led to, if that is more than results; what is left to the Python machine comes as itself."""

    parts: list[NativePart | Structure]


class NativeShapeMachine(Protocol):
    """The native machine for one domain."""

    stage_seconds: dict[str, float] | None
    """The seconds of each stage of the steps, of all threads together; None if they are not measured."""

    def store(self) -> Store[Structure]: ...

    def post(self, transformer: Transformer, elements: Sequence[Structure]) -> Sequence[Structure] | NativeParts:
        """The results of a batch, or its parts in order: most steps report nothing and discard nothing."""

    def calls(self, heaps: LocalHeaps, settling: Transformer, *, closed: bool) -> NativeCalls | None: ...


def native_machine(
    vocabulary: Vocabulary, coercer: Coercer, canonicalizer: Canonicalizer, join: str
) -> NativeShapeMachine | None:
    """The native machine for one domain; None where the Python machine runs."""
    if not is_native() or canonicalizer.definite_names:  # the native blur compares names, not pairs of nodes
        return None
    from kleene.domains.shape.native_steps import NativeSteps  # there may be no native machine

    return NativeSteps(vocabulary, coercer, canonicalizer, join)
