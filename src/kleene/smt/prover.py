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


@dataclass(frozen=True)
class Allowance:
    """How long a check may take: about so many milliseconds' worth of the prover's steps, so that answers can be
    repeated, and on the clock no more than `clock`, because steps are none.
    """

    milliseconds: int
    clock: int


class Prover(Protocol):
    """One solver over one expansion; every check is on its own, terms may be kept."""

    name: str

    def check(self, assertions: Sequence[Formula], assumptions: Sequence[Formula], allowance: Allowance) -> Proof: ...
