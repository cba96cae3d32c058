"""Terms of conditions: variables, and what the machine computes from them by other operations than sums.

A sum has factors (`linear.py`). All else that C computes from integers (``a ^ 5``, ``a / 3``, ``a * b``) is one term of
a sum, with the width of its type. Left out are operations without a value for some operands: divisions by and shifts by
anything but a suitable constant. Operands have the type of the result: the text of a term says what it computes.
"""

from __future__ import annotations

from collections.abc import Mapping

from kleene.cfa.expressions import ARITHMETIC, Binary, Cast, Constant, Expression, Unary, Variable, walk
from kleene.cfa.types import IntegerType

LARGEST_TERM_NODES = 12
"""Nodes of a term: three operations with constants and conversions. Preconditions around a loop would grow further."""
SHIFTS = frozenset(("<<", ">>"))
DIVISIONS = frozenset(("/", "%"))


def is_term(expression: Expression) -> bool:
    """Whether an expression has a value for all values of its variables, and is small."""
    nodes = list(walk(expression))
    return len(nodes) <= LARGEST_TERM_NODES and all(map(_is_computable, nodes))


def _is_computable(node: Expression) -> bool:
    if not isinstance(node.type, IntegerType) or node.type.function:
        return False
    if node.type.boolean and not isinstance(node, Variable):
        return False
    match node:
        case Constant() | Variable() | Cast():
            return True
        case Unary(operator="-" | "~", operand=operand):
            return operand.type == node.type
        case Binary(operator=operator, left=left, right=right, type=IntegerType() as type_) if left.type == type_:
            number = right.value if isinstance(right, Constant) else None
            if operator in DIVISIONS:
                return number is not None and number > 0
            if operator in SHIFTS:
                return number is not None and 0 <= number < type_.bits
            return operator in ARITHMETIC and right.type == type_
    return False


def value_of(term: Expression, values: Mapping[Variable, int]) -> int:
    """What the machine computes."""
    type_ = term.type
    assert isinstance(type_, IntegerType)
    match term:
        case Constant(value=value):
            return value
        case Variable():
            return values[term]
        case Cast(operand=operand):
            return type_.wrap(value_of(operand, values))
        case Unary(operator=operator, operand=operand):
            inner = value_of(operand, values)
            return type_.wrap(-inner if operator == "-" else ~inner)
        case Binary(operator=operator, left=left, right=right):
            a, b = value_of(left, values), value_of(right, values)
            if operator in SHIFTS:
                return type_.wrap(a << b if operator == "<<" else a >> b)
            if operator in DIVISIONS:  # C rounds towards zero
                quotient = abs(a) // b * (1 if a >= 0 else -1)
                return type_.wrap(quotient if operator == "/" else a - quotient * b)
            return type_.wrap(ARITHMETIC[operator](a, b))
    raise AssertionError(term)


def variables_of(term: Expression) -> frozenset[Variable]:
    return frozenset(node for node in walk(term) if isinstance(node, Variable))
