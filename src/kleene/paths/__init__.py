"""Paths through a C program: their formulas, whether they can happen, and why not.

Beyer, Henzinger, Théoduloz, Zufferey. Shape refinement through explicit heap analysis. FASE 2010, sections 3.1 and 3.3.

In reading order:

- `formulas`: formulas of paths
- `interpolation`: why a path cannot happen
- `search`: directed symbolic execution
"""

from kleene.paths.formulas.encode import Case, PathFormula, PathStep, encode
from kleene.paths.formulas.feasible import Feasible, Infeasible, Undecided, fault_of_run, feasible, replay
from kleene.paths.interpolation.interpolants import Cut, Failure, Interpolants, interpolants

__all__ = [
    "Case",
    "Cut",
    "Failure",
    "Feasible",
    "Infeasible",
    "Interpolants",
    "PathFormula",
    "PathStep",
    "Undecided",
    "encode",
    "fault_of_run",
    "feasible",
    "interpolants",
    "replay",
]
