"""What the shape domain asks of the native machine: batches of structures in, results, messages and counts out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Protocol

from kleene.logic.vocabulary import Vocabulary
from kleene.structures.canonical import Canonicalizer
from kleene.structures.machine import is_native
from kleene.structures.structure import Structure
from kleene.transformers.coerce import Coercer
from kleene.transformers.transformer import Outcome, Transformer

if TYPE_CHECKING:
    from kleene import _native
    from kleene.cfa.graph import Edge
    from kleene.core.domain import Store
    from kleene.domains.shape.domain import ShapeDomain
    from kleene.domains.shape.local_heaps import LocalHeaps
    from kleene.domains.shape.native_calls import NativeCalls
    from kleene.domains.shape.native_edges import NativeEdges
    from kleene.transformers.action import Action


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


class EdgeWork(Enum):
    """What the native machine does at an edge by itself."""

    SKIP = auto()
    """Nothing: its messages are known, and it has no results."""
    WHOLE = auto()
    DROP = auto()
    """The step, to see whether there is a message: it has no results."""
    CONTRADICTORY = auto()
    """The whole; that results contradict the rules is known."""
    PYTHON = auto()
    """Nothing: only Python can."""


class NativeShapeMachine(Protocol):
    """The native machine for one domain."""

    stage_seconds: dict[str, float] | None
    """The seconds of each stage of the steps, of all threads together; None if they are not measured."""

    def store(self) -> Store[Structure]: ...

    def post(self, transformer: Transformer, elements: Sequence[Structure]) -> Sequence[Structure] | NativeParts:
        """The results of a batch, or its parts in order: most steps report nothing and discard nothing."""

    def edges(self, domain: ShapeDomain, edges: Sequence[Edge[Action]]) -> NativeEdges | None:
        """The edges that leave a location, to be done at once; None if their steps are measured one by one."""

    def native_action(self, transformer: Transformer) -> _native.Action | None: ...

    def calls(self, heaps: LocalHeaps, settling: Transformer, *, closed: bool) -> NativeCalls | None: ...


def native_machine(
    vocabulary: Vocabulary, coercer: Coercer, canonicalizer: Canonicalizer, join: str
) -> NativeShapeMachine | None:
    """The native machine for one domain; None where the Python machine runs."""
    if not is_native() or canonicalizer.definite_names:  # the native blur compares names, not pairs of nodes
        return None
    from kleene.domains.shape.native_steps import NativeSteps  # there may be no native machine

    return NativeSteps(vocabulary, coercer, canonicalizer, join)
