"""The solver facade: satisfiability of formulas over finite universes; knows formulas, not structures or programs."""

from kleene.smt.answers import Answer, Sat, Unknown, Unsat
from kleene.smt.finite_model import FiniteModel
from kleene.smt.solver import BACKENDS, Limits, Session, Solver, Statistics, check
from kleene.smt.universe import Cell, Universe

__all__ = [
    "BACKENDS",
    "Answer",
    "Cell",
    "FiniteModel",
    "Limits",
    "Sat",
    "Session",
    "Solver",
    "Statistics",
    "Universe",
    "Unknown",
    "Unsat",
    "check",
]
