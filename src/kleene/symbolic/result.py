"""The options and the result of a symbolic operation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Protocol, TypeVar, overload

from kleene.diagnostics import LimitReached
from kleene.smt.solver import Limits, Solver, Statistics
from kleene.structures.embedding import embeds
from kleene.structures.structure import AC, AC_MAY, Structure
from kleene.structures.tvs_writer import structure_order

Result = TypeVar("Result")
Value = TypeVar("Value")
Names = tuple[int, tuple[int, ...]] | None


class Within(Protocol):
    """Computes something, or returns the limit where that takes longer than a number of seconds."""

    def __call__(self, seconds: float, compute: Callable[[], Result]) -> Result | LimitReached: ...


def without_interruption(seconds: float, compute: Callable[[], Result]) -> Result | LimitReached:
    """Computes to the end: only queries look at the clock."""
    return compute()


@dataclass(frozen=True)
class SymbolicOptions:
    """The back end and its limits; with `minimal`, structures that are embedded in others are left out.

    `splits` is the number of cells up to which indefinite abstraction predicates are split before the first query,
    `leaves` the number of undecided cases that are kept apart. More than `most` structures with the same names of nodes
    are joined; with more than `most` sets of names, the result is undecided. `within` interrupts a computation at the
    end of the time (`analysis.limits.within`). With `one_field`, and the back end `auto`, stores with one functional
    field are decided without a prover where that is possible (`one_field`).
    """

    backend: str = "auto"
    limits: Limits = field(default_factory=Limits)
    minimal: bool = False
    dump: Path | None = None
    splits: int = 10
    leaves: int = 200
    most: int | None = None
    within: Within = without_interruption
    one_field: bool = True

    def solver(self) -> Solver:
        return Solver(self.backend, self.limits, dump=self.dump)


class Stores(Sequence[Structure | None]):
    """Stores, some of which are built when somebody looks at them."""

    def __init__(self, stores: Sequence[Structure | Callable[[], Structure | None] | None]) -> None:
        self._stores = list(stores)

    def __len__(self) -> int:
        return len(self._stores)

    @overload
    def __getitem__(self, place: int) -> Structure | None: ...
    @overload
    def __getitem__(self, place: slice) -> Stores: ...
    def __getitem__(self, place: int | slice) -> Structure | Stores | None:
        if isinstance(place, slice):
            return Stores(self._stores[place])
        store = self._stores[place]
        if store is None or isinstance(store, Structure):
            return store
        built = self._stores[place] = store()
        return built


@dataclass(frozen=True)
class SymbolicResult:
    """A set of structures. If `most_precise`, they are exactly the canonical abstractions of the stores of the query,
    with `minimal` without those that are embedded in others;
    otherwise the set is still sound, and `reason` names an undecided question. `stores` has for each structure a
    concrete one with this canonical abstraction, or None if undecided.
    """

    structures: tuple[Structure, ...]
    stores: Sequence[Structure | None]
    most_precise: bool
    reason: str | None
    solver_calls: int
    seconds: float
    statistics: Statistics
    minimal: bool = False


def in_order(structures: Iterable[Structure], *, minimal: bool) -> tuple[Structure, ...]:
    """The structures sorted, without repetitions; with `minimal`, without those embedded in others (section 2.4)."""
    kept = dict.fromkeys(structures)
    return tuple(sorted(without_embedded(kept) if minimal else kept, key=structure_order))


def without_embedded(structures: Mapping[Structure, Value]) -> dict[Structure, Value]:
    """The structures that are not embedded in others."""
    names = {s: _names(s) for s in structures}
    groups: dict[Names, list[Structure]] = defaultdict(list)
    for s in structures:
        groups[names[s]].append(s)

    def is_embedded(s: Structure) -> bool:
        if names[s] is None:
            return any(t is not s and embeds(s, t) for t in structures)
        return any(t is not s and _is_below(s, t) for t in groups[names[s]]) or any(embeds(s, t) for t in groups[None])

    return {s: value for s, value in structures.items() if not is_embedded(s)}


def _names(structure: Structure) -> Names:
    """The canonical names of the nodes in order, as bit sets of nodes, one for each abstraction predicate.

    None if one is not definite, two nodes have the same, or a node may be missing. Canonical structures with the same
    set of such names have them in the same order, and only the identity can embed one in another.
    """
    vocabulary, values = structure.vocabulary, structure.values
    rails = [2 * vocabulary.index(p.name) for p in vocabulary.unary_abstraction]
    if any(values[rail] != values[rail + 1] for rail in rails) or values[AC] != values[AC_MAY]:
        return None
    names = tuple(values[rail] for rail in rails)
    return (structure.size, names) if _are_different(structure.size, names) else None


@cache
def _are_different(size: int, names: tuple[int, ...]) -> bool:
    return len({tuple(bits >> u & 1 for bits in names) for u in range(size)}) == size


def _is_below(one: Structure, other: Structure) -> bool:
    """Whether all values of a structure are consistent with those of another on the same nodes."""
    rails = zip(one.values[::2], one.values[1::2], other.values[::2], other.values[1::2], strict=True)
    return all(not (other_must & ~must or may & ~other_may) for must, may, other_must, other_may in rails)
