"""Rewriting the expressions of operations, bottom up, and the edges of automata."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from kleene.cfa.expressions import EXPRESSION_KINDS, Expression, Variable, children
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assume, Operation
from kleene.cfa.program import CProgram, Function, Global

Rewrite = Callable[[Expression], Expression]
_Whole = TypeVar("_Whole")


def rewrite(expression: Expression, change: Rewrite) -> Expression:
    """The expression with `change` applied to every subexpression, inner ones first."""
    if not children(expression):
        return change(expression)
    changes: dict[str, Any] = {}
    for attribute in fields(expression):
        value = getattr(expression, attribute.name)
        if isinstance(value, EXPRESSION_KINDS):
            new = rewrite(value, change)
            if new is not value:
                changes[attribute.name] = new
    return change(replace(expression, **changes) if changes else expression)


def rewrite_operation(operation: Operation, change: Rewrite) -> Operation:
    """The operation with all its expressions rewritten."""
    return with_parts(operation, lambda expression: rewrite(expression, change))


def exchange(operation: Operation, old: Expression, new: Expression) -> Operation:
    """The operation with one expression in the place of another."""
    return rewrite_operation(operation, lambda expression: new if expression == old else expression)


def with_parts(whole: _Whole, change: Rewrite) -> _Whole:
    """An operation or expression with `change` applied to the expressions that are its direct parts."""
    changes: dict[str, Any] = {}
    for attribute in fields(whole):  # type: ignore[arg-type]
        value = getattr(whole, attribute.name)
        if isinstance(value, EXPRESSION_KINDS):
            new: Any = change(value)
        elif isinstance(value, tuple) and any(isinstance(part, EXPRESSION_KINDS) for part in value):
            new = tuple(change(part) if isinstance(part, EXPRESSION_KINDS) else part for part in value)
        else:
            continue
        if new is not value and new != value:
            changes[attribute.name] = new
    return replace(whole, **changes) if changes else whole  # type: ignore[type-var]


def operations_of(program: CProgram) -> list[Operation]:
    """All operations of a program: those that initialise globals, then those of its functions."""
    initializers: list[Operation] = [a for g in program.globals for a in g.initial]
    return initializers + [e.label for f in program.functions.values() for e in f.cfa.edges]


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


@dataclass(frozen=True)
class Choice:
    """Operations that are taken where a condition holds and those of the choices before did not; None: always."""

    condition: Expression | None
    operations: tuple[Operation, ...]


Expand = Callable[[Edge[Operation]], Sequence[Choice] | None]


def expand_edges(cfa: Cfa[Operation], expand: Expand, mark: str) -> Cfa[Operation]:
    """The automaton with some edges replaced by choices; None keeps an edge. `mark` is in the names of new locations.

    The two branches of a condition stay together: they share the choices made before them.
    """
    edges: list[Edge[Operation]] = []
    for edge in cfa.edges:
        other = _other_branch(cfa, edge)
        if other is not None and isinstance(edge.label, Assume) and not edge.label.truth:
            continue
        choices = expand(edge)
        if choices is None:
            edges += [edge] if other is None else [edge, other]
            continue
        left = edge.source
        for choice in choices:
            here = left
            if choice.condition is not None:
                yes, no = f"{edge.source}{mark}{len(edges)}", f"{edge.source}{mark}{len(edges)}'"
                test = Assume(edge.label.place, choice.condition)
                edges += [Edge(left, test, yes), Edge(left, replace(test, truth=False), no)]
                here, left = yes, no
            for operation in choice.operations[:-1]:
                there = f"{edge.source}{mark}{len(edges)}"
                edges.append(Edge(here, operation, there))
                here = there
            last = choice.operations[-1]
            edges.append(Edge(here, last, edge.target))
            if other is not None and isinstance(last, Assume):
                edges.append(Edge(here, replace(last, truth=False), other.target))
    return Cfa(cfa.entry, tuple(edges))


def _other_branch(cfa: Cfa[Operation], edge: Edge[Operation]) -> Edge[Operation] | None:
    """The edge for the opposite truth of the same condition, if it is the only other one."""
    label, leaving = edge.label, cfa.leaving(edge.source)
    if not isinstance(label, Assume) or len(leaving) != 2:
        return None
    opposite = replace(label, truth=not label.truth)
    return next((e for e in leaving if e.label == opposite), None)
