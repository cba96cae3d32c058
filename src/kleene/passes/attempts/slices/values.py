"""Which pointers are NULL or point to objects that never end, and when two pointers of different classes are equal.

Pointers of different classes never point to the same object. If they are equal, both are NULL: unless one has no value
at all, or holds a constant address, or its object has ended and another one began at the same address. An object that
lives as long as the program is at no address that an ended one had. So a slice knows that its pointer is NULL where it
is equal to a *lasting* pointer of another slice: NULL or the address of a global.
"""

from __future__ import annotations

from collections.abc import Iterable

from kleene.cfa.dataflow import solve_forward
from kleene.cfa.expressions import AddressOf, Cast, Comparison, Constant, Expression, Unary, Variable, walk
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, Assume, Invoke, Operation, expressions
from kleene.cfa.types import PointerType
from kleene.passes.facts.liveness import defined_variables
from kleene.passes.facts.memory import Memory

Known = frozenset[Variable]


class LastingPointers:
    """The pointer variables that are NULL or hold the address of a global, at each location of an automaton.

    The automaton has no functions that are analysed apart; calls of them are edges.
    """

    def __init__(self, memory: Memory, cfa: Cfa[Operation]) -> None:
        self._memory = memory
        start = frozenset(
            item.variable
            for item in memory.program.globals
            if memory.kind(item.variable) == "pointer"
            and not item.external
            and all(_is_lasting(assignment.value, frozenset()) for assignment in item.initial)
        )
        self._at = solve_forward(cfa, {cfa.entry: start}, self._after, _common)

    def contain(self, pointer: Expression, location: str) -> bool:
        """Whether a pointer is lasting for sure; one that is read from memory is not known to be."""
        return _is_lasting(pointer, self._at.get(location, frozenset()))

    def _after(self, edge: Edge[Operation], known: Known) -> Known:
        operation = edge.label
        after = known.difference(defined_variables(operation))
        match operation:
            case Assign(target=Variable() as target, value=value) if self._memory.kind(target) == "pointer":
                return after | {target} if _is_lasting(value, known) else after
            case Invoke():
                return frozenset(v for v in after if not v.is_global)
        return after


def _is_lasting(value: Expression, known: Known) -> bool:
    match value:
        case Constant(value=0):
            return True
        case AddressOf(target=Variable(is_global=True)):
            return True
        case Cast(operand=operand) if isinstance(operand, Constant) or isinstance(operand.type, PointerType):
            return _is_lasting(operand, known)
        case Variable():
            return value in known
    return False


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


def equal_pointers(test: Assume) -> tuple[Expression, Expression] | None:
    """The two pointers that are equal if a condition is as it is assumed to be."""
    condition, truth = test.condition, test.truth
    while isinstance(condition, Unary) and condition.operator == "!":
        condition, truth = condition.operand, not truth
    if not isinstance(condition, Comparison) or condition.operator != ("==" if truth else "!="):
        return None
    if not all(isinstance(side.type, PointerType) for side in (condition.left, condition.right)):
        return None
    return condition.left, condition.right
