"""Pointers that are numbers for a while, as `(T *)((uintptr_t)p + k)`: as large as a pointer, they lose nothing.

Conversions there and back become a conversion of the pointer, sums with constants moved pointers, and comparisons
of two such numbers comparisons of the pointers.
"""

from __future__ import annotations

from kleene.cfa.expressions import Binary, Cast, Comparison, Constant, Expression, PointerOffset
from kleene.cfa.program import CProgram
from kleene.cfa.types import IntegerType, PointerType
from kleene.passes.facts.memory import constant_of
from kleene.passes.rewrite import rewrite_program


def with_address_numbers(program: CProgram) -> CProgram:
    """The program without detours of pointers through numbers."""
    bits = program.pointer_size * 8

    def pointer_in(node: Expression) -> Expression | None:
        """The pointer whose address a number is."""
        if not isinstance(node, Cast) or not isinstance(node.type, IntegerType) or node.type.bits < bits:
            return None
        inner = node.operand
        if isinstance(inner.type, PointerType):
            return inner
        return pointer_in(inner)

    def pointer_of(node: Expression) -> Expression | None:
        """The pointer that a number stands for: an address, or one moved by a constant."""
        if isinstance(node, Cast) and isinstance(node.type, IntegerType) and isinstance(node.operand, Binary):
            return pointer_of(node.operand) if node.type.bits == bits else None
        if isinstance(node, Binary) and node.operator in "+-":
            base, distance = pointer_of(node.left), constant_of(node.right)
            if base is None or distance is None:
                return None
            shift = IntegerType(bits, signed=True).wrap(distance if node.operator == "+" else -distance)
            return PointerOffset(base, Constant(shift, IntegerType(bits, signed=True, name="long")), 1, base.type)
        return pointer_in(node)

    def change(node: Expression) -> Expression:
        if isinstance(node, Cast) and isinstance(node.type, PointerType) and isinstance(node.operand.type, IntegerType):
            pointer = pointer_of(node.operand)
            return Cast(pointer, node.type) if pointer is not None else node
        if isinstance(node, Comparison):
            left, right = pointer_in(node.left), pointer_in(node.right)
            if left is not None and right is not None:
                return Comparison(node.operator, left, right)
            if left is not None and constant_of(node.right) == 0 and node.operator in ("==", "!="):
                return Comparison(node.operator, left, Constant(0, left.type))
        return node

    return rewrite_program(program, change)
