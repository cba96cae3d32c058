"""A program made ready for the shape analysis: what the memory model has no words for is said in others.

Functions become numbers, string literals objects, variable indices choices; then structs and arrays that nothing needs
whole become variables, and pointers to one variable that variable.
"""

from __future__ import annotations

from dataclasses import replace

from kleene.cfa.expressions import Expression, StringLiteral, Variable, walk
from kleene.cfa.operations import expressions
from kleene.cfa.program import CProgram, Global
from kleene.semantics.function_values import with_function_numbers
from kleene.semantics.indices import with_constant_indices
from kleene.semantics.promote import promoted
from kleene.semantics.rewrite import operations_of, rewrite_program
from kleene.semantics.scalars import with_scalars


def prepared(program: CProgram) -> CProgram:
    """The inlined program in a form that `Memory` and the translation cover best."""
    program = with_literals(with_function_numbers(program))
    while True:
        before = program
        program = _promoted(program)
        functions = {n: replace(f, cfa=with_constant_indices(program, f.cfa)) for n, f in program.functions.items()}
        program = with_scalars(replace(program, functions=functions))
        if program == before:
            return program


def _promoted(program: CProgram) -> CProgram:
    """Pointers to one variable replaced; only where all operations of the program are seen at once."""
    functions = {n: replace(f, cfa=promoted(f.cfa)) for n, f in program.functions.items()}
    return replace(program, functions=functions)


def with_literals(program: CProgram) -> CProgram:
    """The program with a global array for each string literal."""
    found: dict[StringLiteral, Variable] = {}
    for operation in operations_of(program):
        for expression in expressions(operation):
            for node in walk(expression):
                if isinstance(node, StringLiteral):
                    found.setdefault(node, Variable(str(node), node.type, is_global=True))
    if not found:
        return program

    def change(node: Expression) -> Expression:
        return found[node] if isinstance(node, StringLiteral) else node

    changed = rewrite_program(program, change)
    literals = tuple(Global(variable, constant=True) for variable in found.values())
    return replace(changed, globals=(*literals, *changed.globals))
