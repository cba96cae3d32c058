"""Pointers that are numbers for a while, as `(T *)((uintptr_t)p + k)`: as large as a pointer, they lose nothing.

Conversions there and back become a conversion of the pointer, sums with constants moved pointers, and comparisons
of two such numbers comparisons of the pointers. A number in memory that becomes a pointer goes through a variable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kleene.cfa.expressions import (
    Binary,
    Cast,
    Comparison,
    Constant,
    Expression,
    PointerOffset,
    Variable,
    has_dereference,
)
from kleene.cfa.graph import Edge
from kleene.cfa.operations import Assign, Operation
from kleene.cfa.program import CProgram, Function
from kleene.cfa.types import IntegerType, PointerType
from kleene.passes.facts.memory import constant_of
from kleene.passes.rewrite import Choice, expand_edges, rewrite_operation, rewrite_program


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

    return _with_numbers_read(rewrite_program(program, change))


def _with_numbers_read(program: CProgram) -> CProgram:
    """The program with ``n = a->n; p = (void *)n`` for ``p = (void *)a->n``."""
    functions = {name: _with_reads_in(function) for name, function in program.functions.items()}
    return replace(program, functions=functions)


def _with_reads_in(function: Function) -> Function:
    read: dict[Expression, Variable] = {}

    def expand(edge: Edge[Operation]) -> Sequence[Choice] | None:
        own: dict[Expression, Variable] = {}

        def change(node: Expression) -> Expression:
            if not _is_read_as_pointer(node):
                return node
            assert isinstance(node, Cast)
            number = Variable(f"$number{len(read) + 1}", node.operand.type)
            own[node.operand] = read.setdefault(node.operand, number)
            return Cast(own[node.operand], node.type)

        label = rewrite_operation(edge.label, change)
        reads = [Assign(edge.label.place, variable, value) for value, variable in own.items()]
        return [Choice(None, (*reads, label))] if reads else None

    cfa = expand_edges(function.cfa, expand, " number ")
    return replace(function, cfa=cfa, locals=(*function.locals, *read.values())) if read else function


def _is_read_as_pointer(node: Expression) -> bool:
    if not isinstance(node, Cast) or not isinstance(node.type, PointerType):
        return False
    return isinstance(node.operand.type, IntegerType) and has_dereference(node.operand)
