"""Sizes of blocks as numbers of elements: ``malloc(n * sizeof *a)`` makes n of them."""

from __future__ import annotations

from kleene.cfa.expressions import Binary, Cast, Constant, Expression
from kleene.cfa.types import IntegerType, Type
from kleene.passes.facts.zones import Interval

CHAR_BITS = 8


def factors(size: Expression) -> tuple[Expression, int] | None:
    """A count of elements and the size of each, if a size is written as their product.

    The count is a number whose product is the size modulo the width of a size; it may be less than 0. What has fewer
    bits on the way to a size may have wrapped: that is no number of elements.
    """
    width = size.type.size
    while isinstance(size, Cast) and isinstance(size.operand.type, IntegerType) and size.operand.type.size >= width:
        size = size.operand
    if isinstance(size, Binary) and size.operator == "*":
        for count, each in ((size.left, size.right), (size.right, size.left)):
            if isinstance(each, Constant) and each.value > 1:
                return before_conversion(count, size.type), each.value
    return None


def is_whole(count: Interval, each: int, size: Type) -> bool:
    """Whether a number of elements gives a block of that many, or none: less than 0 is too much for any block."""
    width = size.size * CHAR_BITS
    return count[0] * each >= -(1 << width - 1) and count[1] * each < 1 << width


def before_conversion(count: Expression, size: Type) -> Expression:
    """A number before its conversion to the type of sizes, which does not change it modulo the width."""
    while isinstance(count, Cast) and count.type == size and isinstance(count.operand.type, IntegerType):
        if count.operand.type.bits > count.type.size * CHAR_BITS or count.operand.type.boolean:
            break
        count = count.operand
    return count
