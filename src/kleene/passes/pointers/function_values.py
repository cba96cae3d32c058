"""Addresses of functions as numbers.

The analysis never dereferences a pointer to a function: a call through it compares it with the known functions
(`passes/calls/inline.py`). So each function becomes a unique number, and a pointer to functions becomes an integer
variable or cell (`passes/facts/integers.py`). A conversion of such a number, or a read of its bytes as another type,
gives an unknown number other than 0.
"""

from __future__ import annotations

from dataclasses import replace

from kleene.cfa.expressions import Constant, Expression, FunctionAddress, walk
from kleene.cfa.operations import expressions
from kleene.cfa.program import CProgram
from kleene.cfa.types import FunctionType, IntegerType, PointerType, Type
from kleene.passes.rewrite import operations_of, rewrite_program

_NUMBERS = range(0x4B000000, 0x4B010000)
"""The numbers of functions, more than a program has; those that a program names itself are left out."""


def with_function_numbers(program: CProgram) -> CProgram:
    """The program with numbers for functions, and integers for pointers to functions."""
    nodes = [n for o in operations_of(program) for x in expressions(o) for n in walk(x)]
    if not any(is_function_pointer(n.type) or isinstance(n, FunctionAddress) for n in nodes):
        return program
    names = sorted({n.name for n in nodes if isinstance(n, FunctionAddress)})
    named = {n.value for n in nodes if isinstance(n, Constant)}
    numbers = dict(zip(names, (n for n in _NUMBERS if n not in named), strict=False))

    def change(node: Expression) -> Expression:
        if isinstance(node, FunctionAddress):
            return Constant(numbers[node.name], scalar_type(node.type, program.pointer_size))
        type_ = scalar_type(node.type, program.pointer_size)
        return node if type_ is node.type else replace(node, type=type_)

    return rewrite_program(program, change)


def is_function_number(number: int) -> bool:
    """Whether a number stands for a function."""
    return number in _NUMBERS


def is_function_pointer(type_: Type) -> bool:
    return isinstance(type_, FunctionType) or (
        isinstance(type_, PointerType) and isinstance(type_.target, FunctionType)
    )


def scalar_type(type_: Type, pointer_size: int) -> Type:
    """The type of a value as the analysis sees it."""
    if is_function_pointer(type_):
        return IntegerType(8 * pointer_size, signed=False, name=str(type_), function=True)
    return type_
