"""What a first-order prover offers: expanded formulas in, an answer about the axioms out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from kleene.logic.formula import Formula
from kleene.smt.finite_model import FiniteModel


@dataclass(frozen=True)
class Proof:
    """'sat', 'unsat' or 'unknown'; a model of the axioms is still to be evaluated."""

    verdict: str
    model: FiniteModel | None = None
    core: frozenset[int] = frozenset()
    reason: str = ""
    calls: int = 1


class Prover(Protocol):
    """One incremental solver over one expansion."""

    name: str

    def add(self, f: Formula) -> None: ...

    def check(self, assumptions: list[Formula], milliseconds: int, extra: Sequence[Formula] = ()) -> Proof: ...
