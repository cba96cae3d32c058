"""Indices that are one more or less than a variable, as variables of their own: then their slots are remembered.

In ``a[i] = a[i + 1]`` and ``a[i] = a[n - 1]``, the slot of the second index is beside that of `i` or `n`
(`positions`). Without a variable, it would be any slot of the list.
"""

from __future__ import annotations

from dataclasses import replace

from kleene.cfa.expressions import Cast, Expression, PointerOffset, Variable, walk
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, DeclareLocal, EndScope, Operation, expressions
from kleene.cfa.program import CProgram
from kleene.passes.elements.chosen import Chosen, bare
from kleene.passes.rewrite import rewrite_operation


def with_index_variables(program: CProgram, chosen: Chosen) -> CProgram:
    """The program with a variable for each index next to a variable, in arrays that become lists."""
    cfa = program.main.cfa
    variables: dict[Expression, Variable] = {}
    edges: list[Edge[Operation]] = []
    for location in cfa.locations:
        leaving = cfa.leaving(location)
        indices = list(dict.fromkeys(i for edge in leaving for i in _indices(edge.label, chosen)))
        here = location
        for index in indices:
            variable = variables.setdefault(index, Variable(f"${index}", index.type))
            there = f"{here}, {index}"
            edges.append(Edge(here, Assign(leaving[0].label.place, variable, index), there))
            here = there
        edges += [Edge(here, _rewritten(e.label, chosen, variables), e.target) if indices else e for e in leaving]
    if not variables:
        return program
    main = replace(program.main, cfa=Cfa(cfa.entry, tuple(edges)), locals=(*program.main.locals, *variables.values()))
    return replace(program, functions={main.name: main})


def _indices(operation: Operation, chosen: Chosen) -> list[Expression]:
    """The indices next to variables with which an operation accesses arrays."""
    if isinstance(operation, DeclareLocal | EndScope):
        return []
    nodes = [n for x in expressions(operation) for n in walk(x)]
    return [bare(n.index) for n in nodes if isinstance(n, PointerOffset) and _is_beside(n, chosen)]


def _is_beside(access: PointerOffset, chosen: Chosen) -> bool:
    variable, shift = chosen.step(access.index)
    if variable is None or shift == 0 or not chosen.only_slots(access.pointer):
        return False
    return chosen.slot(access.pointer) is not None and chosen.is_path(access.pointer)


def _rewritten(operation: Operation, chosen: Chosen, variables: dict[Expression, Variable]) -> Operation:
    def inner(index: Expression) -> Expression:
        if isinstance(index, Cast) and bare(index) is not index:
            return replace(index, operand=inner(index.operand))
        return variables[index]

    def access(node: Expression) -> Expression:
        if isinstance(node, PointerOffset) and bare(node.index) in variables and _is_beside(node, chosen):
            return replace(node, index=inner(node.index))
        return node

    if isinstance(operation, DeclareLocal | EndScope):
        return operation
    return rewrite_operation(operation, access)
