"""Numbers that are computed again: ``table[hash(k)]`` twice is the same element, if the analysis knows that it is.

Of each variable the expression is followed that it holds the value of, where all paths agree (value numbering; Alpern,
Wegman, Zadeck. Detecting equality of variables in programs, POPL 1988). An expression that a variable holds already is
replaced by it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from kleene.cfa.dataflow import solve_forward
from kleene.cfa.expressions import Binary, Cast, Constant, Expression, Unary, Variable, walk
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, Call, Invoke, Operation, address_taken
from kleene.cfa.program import CProgram
from kleene.cfa.types import IntegerType
from kleene.passes.facts.liveness import defined_variables
from kleene.passes.promote import exposed_globals
from kleene.passes.rewrite import rewrite

MOST_NODES = 16
"""Nodes of the largest expression that is followed."""

Values = dict[Variable, Expression]
"""Maps a variable to an expression with the same value, over variables that have not changed since."""


def with_same_values(program: CProgram, cfa: Cfa[Operation]) -> Cfa[Operation]:
    """The automaton with computations replaced whose result some variable holds."""
    return Cfa(cfa.entry, tuple(map(same_values(program, cfa).replace_value, cfa.edges)))


def same_values(program: CProgram, cfa: Cfa[Operation]) -> SameValues:
    """What variables hold at each location."""
    known = SameValues(cfa, unseen_variables(program, cfa))
    known.solve()
    return known


def unseen_variables(program: CProgram, cfa: Cfa[Operation]) -> frozenset[Variable]:
    """The variables that may change without being named."""
    labels = [edge.label for edge in cfa.edges]
    unseen = address_taken(labels) | exposed_globals(program)
    if any(isinstance(label, Call | Invoke) for label in labels):
        unseen |= {g.variable for g in program.globals}
    return unseen


@dataclass
class SameValues:
    """The fixpoint: at each location what all paths to it agree on; nothing where no path leads."""

    cfa: Cfa[Operation]
    untracked: frozenset[Variable]

    def solve(self) -> None:
        def agree(_: str, known: Values, new: Values) -> Values | None:
            agreed = {v: e for v, e in known.items() if new.get(v) == e}
            return agreed if agreed != known else None

        start: dict[str, Values] = {self.cfa.entry: {}}
        self.at = solve_forward(self.cfa, start, lambda edge, before: self._after(edge.label, before), agree)

    def replace_value(self, edge: Edge[Operation]) -> Edge[Operation]:
        """The edge, with an assignment of a variable that holds the same value."""
        values, label = self.at.get(edge.source), edge.label
        if values is None or not isinstance(label, Assign) or not isinstance(label.value, Binary):
            return edge
        value = self._value(label.value, values)
        for variable, held in values.items():
            if held == value and variable != label.target and variable.type == label.value.type:
                return replace(edge, label=replace(label, value=variable))
        return edge

    def held_by(self, expression: Expression, location: str) -> Expression | None:
        """The expression in terms of variables that have not changed; None if it reads memory or is large."""
        return self._value(expression, self.at.get(location, {}))

    def _after(self, operation: Operation, before: Values) -> Values:
        changed: set[Expression] = set(defined_variables(operation))
        if isinstance(operation, Call) and operation.result is not None:
            changed.add(operation.result)
        value = None
        if isinstance(operation, Assign) and self._is_tracked(operation.target):
            value = self._value(operation.value, before)
        after = {v: e for v, e in before.items() if v not in changed and changed.isdisjoint(walk(e))}
        if value is not None and isinstance(operation, Assign) and changed.isdisjoint(walk(value)):
            assert isinstance(operation.target, Variable)
            after[operation.target] = value
        return after

    def _value(self, expression: Expression, values: Values) -> Expression | None:
        """The expression in terms of variables that have not changed; None if it reads memory or is large."""
        nodes = list(walk(expression))
        if not all(isinstance(n, Constant | Unary | Binary | Cast) or self._is_tracked(n) for n in nodes):
            return None
        value = rewrite(expression, lambda n: values.get(n, n) if isinstance(n, Variable) else n)
        return value if sum(1 for _ in walk(value)) <= MOST_NODES else None

    def _is_tracked(self, node: Expression) -> bool:
        return isinstance(node, Variable) and isinstance(node.type, IntegerType) and node not in self.untracked
