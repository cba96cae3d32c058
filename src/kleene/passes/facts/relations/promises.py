"""What is promised of all pointers in memory, and of the blocks that they lead to.

Promises are guessed, and each operation is checked to keep them; the analysis starts again without those that were
broken (Flanagan, Leino, FME 2001: guess and check). `stored_texts` and `stored_numbers` say what is promised.

The rows of a matrix have lengths by variables: ``m[i] = malloc(w * sizeof **m)``. A variable that no operation changes
once there is a row is a candidate for the least number of elements of all rows, which is checked where a row is made.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from kleene.cfa.expressions import Variable
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Allocate, EndScope, Enter, Operation, Realloc
from kleene.cfa.types import IntegerType
from kleene.passes.facts.blocks_of_pointers import OWN_SIZES, Blocks
from kleene.passes.facts.liveness import defined_variables

MORE = (0, 1)
"""Elements that a row may have beside as many as a variable says: one more is for a terminator."""


@dataclass(frozen=True)
class LeastLength:
    """A promise: every block of a kind has at least as many elements as a variable says, and some more."""

    kind: object
    variable: Variable
    more: int


@dataclass
class Promises:
    """What holds for all pointers in memory, and for parameters and results of recursive functions: what is not broken.

    A key is a kind of blocks, a kind and the offset of an array of bytes in it, a variable, or a least length.
    """

    texts: frozenset[object] = frozenset()
    """The kinds of blocks in which bytes are accessed."""
    rows: frozenset[object] = frozenset()
    """The kinds of blocks of larger numbers that pointers in memory lead to."""
    lengths: dict[object, tuple[LeastLength, ...]] = field(default_factory=dict)
    broken: set[tuple[str, object]] = field(default_factory=set)
    everything: bool = False
    """Whether an unknown pointer was stored, so that nothing is known."""
    known: frozenset[tuple[str, object]] | None = frozenset()
    """What was broken when the states were begun, None for everything: all of them believe the same promises."""

    @property
    def kinds(self) -> frozenset[object]:
        return self.texts | self.rows

    def begin(self) -> None:
        """States are computed anew."""
        self.known = None if self.everything else frozenset(self.broken)

    @property
    def are_kept(self) -> bool:
        """Whether the states that were computed keep what they believed."""
        return self.known == (None if self.everything else self.broken)

    @property
    def many_broken(self) -> int:
        """How many promises are broken by now that the states believe; without any, none is."""
        return 0 if self.known is None else len(self.broken) - len(self.known) + self.everything

    def holds(self, promise: str, key: object) -> bool:
        return self.known is not None and (promise, key) not in self.known

    def break_(self, promise: str, key: object) -> None:
        self.broken.add((promise, key))

    def lengths_of(self, kind: object) -> list[LeastLength]:
        """The least lengths of the blocks of a kind that are not broken."""
        return [length for length in self.lengths.get(kind, ()) if self.holds("length", length)]


def least_lengths(
    cfa: Cfa[Operation], blocks: Blocks, kinds: Iterable[object], variables: Iterable[Variable]
) -> dict[object, tuple[LeastLength, ...]]:
    """The candidates for each kind: variables that no operation changes behind an allocation of a block of the kind."""
    if any(isinstance(edge.label, Enter) for edge in cfa.edges):
        return {}  # what follows a call is not seen behind it
    numbers = [v for v in variables if isinstance(v.type, IntegerType)]
    makes = [(e.label, e.target) for e in cfa.edges if isinstance(e.label, Allocate | Realloc)]
    made = [(blocks.of_allocation(operation), target) for operation, target in makes]
    lengths: dict[object, tuple[LeastLength, ...]] = {}
    for kind in kinds:
        behind = [target for own, target in made if own == kind]
        if not behind or not is_own_size(kind):
            continue
        later = cfa.reachable_from(behind)
        changed = {v for e in cfa.edges if e.source in later for v in _changed_variables(e)}
        lengths[kind] = tuple(LeastLength(kind, v, more) for v in numbers if v not in changed for more in MORE)
    return lengths


def _changed_variables(edge: Edge[Operation]) -> tuple[Variable, ...]:
    return () if isinstance(edge.label, EndScope) else defined_variables(edge.label)


def is_own_size(kind: object) -> bool:
    """Whether a kind of blocks has blocks of any size."""
    return isinstance(kind, int) and int(kind) >= OWN_SIZES
