"""Which pointers have a value for sure, and when two pointers of different classes are equal.

Pointers of different classes never point to the same object. If they are equal, both are NULL: unless one has no value
at all, holds a constant address, or points to an object that has ended, since another may be where that was. A slice
that knows one of them gains from this.
"""

from __future__ import annotations

from collections.abc import Iterable

from kleene.cfa.dataflow import solve_forward
from kleene.cfa.expressions import (
    AddressOf,
    Cast,
    Comparison,
    Constant,
    Expression,
    PointerOffset,
    Unary,
    Variable,
    walk,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Allocate, Assign, Assume, Invoke, Operation, Realloc, expressions
from kleene.cfa.types import PointerType
from kleene.passes.facts.liveness import defined_variables
from kleene.passes.facts.memory import Memory

Known = frozenset[Variable]


class SureValues:
    """The pointer variables that have a value, at each location outside of functions that are analysed apart."""

    def __init__(self, memory: Memory, cfa: Cfa[Operation]) -> None:
        self._memory = memory
        globals_ = (item.variable for item in memory.program.globals)
        start = frozenset(v for v in globals_ if memory.kind(v) == "pointer")
        self._at = solve_forward(cfa, {cfa.entry: start}, self._after, _common)

    def has_value(self, expression: Expression, location: str) -> bool:
        """Whether a pointer has a value for sure; one that is read from memory may have none."""
        return self._is_sure(expression, self._at.get(location, frozenset()))

    def _is_sure(self, value: Expression, known: Known) -> bool:
        match value:
            case Constant():
                return True
            case AddressOf(target=Variable()):
                return True
            case Cast(operand=operand) if isinstance(operand.type, PointerType):
                return self._is_sure(operand, known)
            case PointerOffset(pointer=pointer):
                return self._is_sure(pointer, known)
            case Variable():
                return value in known
        return False

    def _after(self, edge: Edge[Operation], known: Known) -> Known:
        operation = edge.label
        after = known.difference(defined_variables(operation))
        match operation:
            case Assign(target=Variable() as target, value=value) if self._memory.kind(target) == "pointer":
                return after | {target} if self._is_sure(value, known) else after
            case Allocate(target=Variable() as target) | Realloc(target=Variable() as target):
                return after | {target} if self._memory.kind(target) == "pointer" else after
            case Invoke():
                return frozenset(v for v in after if not v.is_global)
        return after


def _common(location: str, old: Known, new: Known) -> Known | None:
    return None if old <= new else old & new


def has_constant_addresses(operations: Iterable[Operation]) -> bool:
    """Whether a pointer gets a number other than 0: two pointers may hold the same."""
    nodes = (n for operation in operations for x in expressions(operation) for n in walk(x))
    return any(_is_constant_address(node) for node in nodes)


def _is_constant_address(node: Expression) -> bool:
    if not isinstance(node.type, PointerType):
        return False
    inner = node.operand if isinstance(node, Cast) else node
    return isinstance(inner, Constant) and inner.value != 0


def equal_pointers(assume: Assume) -> tuple[Expression, Expression] | None:
    """The two pointers that are equal where a condition passes."""
    condition, is_equal = assume.condition, assume.truth
    while isinstance(condition, Unary) and condition.operator == "!":
        condition, is_equal = condition.operand, not is_equal
    if not isinstance(condition, Comparison) or condition.operator != ("==" if is_equal else "!="):
        return None
    if not all(isinstance(side.type, PointerType) for side in (condition.left, condition.right)):
        return None
    return condition.left, condition.right
