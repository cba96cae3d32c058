"""What the next condition of an automaton asks: where results of a function meet, their constants tell them apart."""

from __future__ import annotations

from kleene.cfa.expressions import Cast, Comparison, Expression, Unary, Variable
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Assign, Assume, DeclareLocal, EndScope, Operation, Skip
from kleene.cfa.types import IntegerType, PointerType
from kleene.passes.facts.memory import constant_of

_LOOK_AHEAD = 8
"""Edges from a place to the condition: the end of the scope of a function, and copies of its result."""


def next_comparisons(cfa: Cfa[Operation], location: str) -> frozenset[tuple[Variable, int]]:
    """Variables and the constants with which the next condition compares them, or copies of them; NULL is 0."""
    origins: dict[Variable, Variable | None] = {}
    for _ in range(_LOOK_AHEAD):
        edges = cfa.leaving(location)
        if edges and isinstance(edges[0].label, Assume):
            pairs = _compared(edges[0].label.condition)
            asked = [(origins.get(variable, variable), number) for variable, number in pairs]
            return frozenset((variable, number) for variable, number in asked if variable is not None)
        if len(edges) != 1:
            break
        match edges[0].label:
            case Assign(target=Variable() as target, value=value):
                source = _uncast(value)
                origins[target] = origins.get(source, source) if isinstance(source, Variable) else None
            case DeclareLocal() | EndScope() | Skip():
                pass
            case _:
                break
        location = edges[0].target
    return frozenset()


def _compared(condition: Expression) -> list[tuple[Variable, int]]:
    condition = _uncast(condition)
    match condition:
        case Variable():
            return [(condition, 0)]
        case Unary(operator="!", operand=operand):
            return _compared(operand)
        case Comparison(left=left, right=right):
            sides = [(_uncast(left), constant_of(right)), (_uncast(right), constant_of(left))]
            return [(side, number) for side, number in sides if isinstance(side, Variable) and number is not None]
    return []


def _uncast(expression: Expression) -> Expression:
    while isinstance(expression, Cast) and isinstance(expression.operand.type, IntegerType | PointerType):
        expression = expression.operand
    return expression
