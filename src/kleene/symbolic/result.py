"""The options and the result of a symbolic operation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar

from kleene.diagnostics import LimitReached
from kleene.smt.solver import Limits, Solver, Statistics
from kleene.structures.embedding import embeds
from kleene.structures.structure import Structure
from kleene.structures.tvs_writer import structure_order

Result = TypeVar("Result")


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


@dataclass(frozen=True)
class SymbolicResult:
    """A set of structures. If `most_precise`, they are exactly the canonical abstractions of the stores of the query;
    otherwise the set is still sound, and `reason` names an undecided question. `stores` has for each structure a
    concrete one with this canonical abstraction, or None if undecided.
    """

    structures: tuple[Structure, ...]
    stores: tuple[Structure | None, ...]
    most_precise: bool
    reason: str | None
    solver_calls: int
    seconds: float
    statistics: Statistics


def in_order(structures: Iterable[Structure], *, minimal: bool) -> tuple[Structure, ...]:
    """The structures sorted, without repetitions; with `minimal`, without those embedded in others (section 2.4)."""
    kept = sorted(dict.fromkeys(structures), key=structure_order)
    if minimal:
        kept = [s for s in kept if not any(t is not s and embeds(s, t) for t in kept)]
    return tuple(kept)
