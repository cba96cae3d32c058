"""Which pointers do not lead to the node in which structures end: no case is needed for them.

(Forward over all paths.) The cases that are left are decided by the shape analysis. But a member of the node that some
case reads is needed until then, and keeps a pointer.
"""

from __future__ import annotations

from kleene.cfa.dataflow import solve_forward
from kleene.cfa.expressions import Comparison, Constant, Variable, without_casts
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Allocate, Assign, Assume, Call, Operation, address_taken
from kleene.cfa.program import CProgram
from kleene.passes.facts.liveness import defined_variables, starts
from kleene.passes.facts.memory import constant_of
from kleene.passes.rewrite import operations_of

NOWHERE: frozenset[Variable] = frozenset()


def pointers_elsewhere(cfa: Cfa[Operation], program: CProgram) -> dict[str, frozenset[Variable]]:
    """At each location the variables that do not lead to the node, for which NULL stands.

    What an allocation returns leads to a block, or to the object that stands for NULL.
    """
    taken = address_taken(operations_of(program))  # also by other functions, or first in a global variable

    def after(edge: Edge[Operation], before: frozenset[Variable]) -> frozenset[Variable]:
        label = edge.label
        known = before - set(defined_variables(label))
        if isinstance(label, Call):
            known = frozenset(v for v in known if not v.is_global)
        if isinstance(label, Assign) and isinstance(label.target, Variable):
            known |= {label.target} if without_casts(label.value) in before else NOWHERE
        if isinstance(label, Allocate) and isinstance(label.target, Variable):
            known |= {label.target}
        if isinstance(label, Assume):
            known |= _told(label)
        return known - taken

    def agree(_: str, known: frozenset[Variable], new: frozenset[Variable]) -> frozenset[Variable] | None:
        return known & new if not known <= new else None

    return solve_forward(cfa, dict.fromkeys(starts(cfa), NOWHERE), after, agree)


def _told(label: Assume) -> frozenset[Variable]:
    """The variable that is not NULL where a condition holds."""
    test = label.condition
    if not isinstance(test, Comparison) or test.operator != ("!=" if label.truth else "=="):
        return NOWHERE
    sides = (test.left, test.right)
    if not any(isinstance(without_casts(side), Constant) and constant_of(side) == 0 for side in sides):
        return NOWHERE
    return frozenset(v for v in map(without_casts, sides) if isinstance(v, Variable))
