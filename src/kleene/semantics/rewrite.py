"""Rewriting the expressions of operations, bottom up, and the edges of automata."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any

from kleene.cfa.expressions import Expression, Variable, children
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Operation
from kleene.cfa.program import CProgram, Function, Global

Rewrite = Callable[[Expression], Expression]
_KINDS = Expression.__args__  # type: ignore[attr-defined]


def rewrite(expression: Expression, change: Rewrite) -> Expression:
    """The expression with `change` applied to every subexpression, inner ones first."""
    if not children(expression):
        return change(expression)
    changes: dict[str, Any] = {}
    for attribute in fields(expression):
        value = getattr(expression, attribute.name)
        if isinstance(value, _KINDS):
            new = rewrite(value, change)
            if new is not value:
                changes[attribute.name] = new
    return change(replace(expression, **changes) if changes else expression)


def rewrite_operation(operation: Operation, change: Rewrite) -> Operation:
    """The operation with all its expressions rewritten."""
    changes: dict[str, Any] = {}
    for attribute in fields(operation):
        value = getattr(operation, attribute.name)
        if isinstance(value, _KINDS):
            new: Any = rewrite(value, change)
        elif isinstance(value, tuple) and any(isinstance(part, _KINDS) for part in value):
            new = tuple(rewrite(part, change) if isinstance(part, _KINDS) else part for part in value)
        else:
            continue
        if new is not value and new != value:
            changes[attribute.name] = new
    return replace(operation, **changes) if changes else operation


def operations_of(program: CProgram) -> list[Operation]:
    """All operations of a program: those that initialise globals, then those of its functions."""
    found: list[Operation] = [a for g in program.globals for a in g.initial]
    return found + [e.label for f in program.functions.values() for e in f.cfa.edges]


def rewrite_program(program: CProgram, change: Rewrite) -> CProgram:
    """The program with all its expressions and variables rewritten."""

    def variable(old: Variable) -> Variable:
        new = change(old)
        assert isinstance(new, Variable)
        return new

    def in_function(function: Function) -> Function:
        edges = tuple(replace(e, label=rewrite_operation(e.label, change)) for e in function.cfa.edges)
        return replace(
            function,
            cfa=Cfa(function.cfa.entry, edges),
            parameters=tuple(map(variable, function.parameters)),
            locals=tuple(map(variable, function.locals)),
        )

    def in_global(item: Global) -> Global:
        initial: Any = tuple(rewrite_operation(a, change) for a in item.initial)
        return replace(item, variable=variable(item.variable), initial=initial)

    functions = {name: in_function(f) for name, f in program.functions.items()}
    return replace(program, functions=functions, globals=tuple(map(in_global, program.globals)))


Chains = Sequence[Sequence[Operation]]
"""What an operation is replaced by: a choice between sequences of operations."""


def expanded(cfa: Cfa[Operation], expand: Callable[[Edge[Operation]], Chains | None], mark: str) -> Cfa[Operation]:
    """The automaton with some edges replaced by choices of chains; None keeps an edge. `mark` is in the new names."""
    edges: list[Edge[Operation]] = []
    for edge in cfa.edges:
        chains = expand(edge)
        if chains is None:
            edges.append(edge)
            continue
        for chain in chains:
            here = edge.source
            for number, operation in enumerate(chain):
                last = number == len(chain) - 1
                there = edge.target if last else f"{edge.source}{mark}{len(edges)}"
                edges.append(Edge(here, operation, there))
                here = there
    return Cfa(cfa.entry, tuple(edges))
