"""The solver facade: satisfiability of formulas over finite universes; knows formulas, not structures or programs.

In reading order:

- `solver`: sessions of queries, limits, statistics
- `answers`: the three answers
- `universe`: individuals divided into cells
- `expand`: one sort for each cell
- `units`: unit propagation
- `finite_model`: finite models
- `finder`: bounded search for models
- `ground`: formulas as clauses
- `ground_backend`: the back end without a prover
- `propositional`: effectively propositional queries
- `named_witnesses`: existential quantifiers as names
- `closures`: transitive closure by axioms
- `finiteness`: axioms of finite universes
- `prover`: the contract of a prover
- `z3_backend`: Z3
- `cvc5_backend`: cvc5
- `child`: a computation that can be ended from outside
- `smtlib`: SMT-LIB text
"""

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
