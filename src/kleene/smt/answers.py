"""The three answers of a solver. No `bool`: each caller decides what 'unknown' means for it."""

from __future__ import annotations

from dataclasses import dataclass

from kleene.smt.finite_model import FiniteModel


@dataclass(frozen=True, slots=True)
class Sat:
    """There is a finite model; this one has been evaluated and satisfies the query."""

    model: FiniteModel


@dataclass(frozen=True, slots=True)
class Unsat:
    """There is no finite model. `core` are the positions of assumptions that suffice for that."""

    core: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Unknown:
    """Neither was shown."""

    reason: str


Answer = Sat | Unsat | Unknown
