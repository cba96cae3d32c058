"""The interface of a first-order prover: expanded formulas in, an answer about the axioms out."""

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
    """The limit of a check: prover steps worth about `milliseconds`, so that answers can be repeated; and at most
    `clock` milliseconds of real time, because steps have no fixed duration. With `strict`, a prover that does not look
    at the clock often enough is ended from outside.
    """

    milliseconds: int
    clock: int
    strict: bool = False


class Prover(Protocol):
    """One solver over one expansion; every check is on its own, terms may be kept."""

    name: str

    def check(self, assertions: Sequence[Formula], assumptions: Sequence[Formula], allowance: Allowance) -> Proof: ...
