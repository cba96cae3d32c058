"""String literals: global arrays whose name is their text."""

from __future__ import annotations

from dataclasses import replace

from kleene.cfa.expressions import Constant, Expression, Index, StringLiteral, Variable, walk
from kleene.cfa.operations import expressions
from kleene.cfa.program import CProgram, Global
from kleene.cfa.types import IntegerType
from kleene.passes.rewrite import operations_of, rewrite_program


def with_literals(program: CProgram) -> CProgram:
    """The program with a global array for each string literal."""
    variables: dict[StringLiteral, Variable] = {}
    for operation in operations_of(program):
        for expression in expressions(operation):
            for node in walk(expression):
                if isinstance(node, StringLiteral):
                    variables.setdefault(node, Variable(str(node), node.type, is_global=True))
    if not variables:
        return program

    def change(node: Expression) -> Expression:
        return variables[node] if isinstance(node, StringLiteral) else node

    changed = rewrite_program(program, change)
    literals = tuple(Global(variable, constant=True) for variable in variables.values())
    return replace(changed, globals=(*literals, *changed.globals))


def is_literal(expression: Expression) -> bool:
    return isinstance(expression, Variable) and expression.name.startswith('"')


def literal_bytes(literal: Variable) -> bytes:
    """The bytes of a literal, with its terminator."""
    return literal.name[1:-1].encode("ascii").decode("unicode_escape").encode("latin-1") + b"\0"


def character(expression: Expression) -> int | None:
    """The value of a character of a literal at a constant index."""
    if (
        not isinstance(expression, Index)
        or not isinstance(expression.base, Variable)
        or not is_literal(expression.base)
    ):
        return None
    if not isinstance(expression.index, Constant) or not isinstance(expression.type, IntegerType):
        return None
    text = literal_bytes(expression.base)
    position = expression.index.value
    return expression.type.wrap(text[position]) if 0 <= position < len(text) else None
