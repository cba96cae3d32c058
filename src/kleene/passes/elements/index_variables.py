"""Indices that are one more or less than a variable, as variables of their own: then their slots are remembered.

In ``a[i] = a[i + 1]`` and ``a[i] = a[n - 1]``, the slot of the second index is beside that of `i` or `n`
(`positions`). Without a variable, it would be any slot of the list.
"""

from __future__ import annotations

from dataclasses import replace

from kleene.cfa.expressions import Cast, Comparison, Expression, PointerOffset, Variable, walk
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, Assume, DeclareLocal, EndScope, Operation, expressions
from kleene.cfa.program import CProgram
from kleene.passes.elements.chosen import Chosen, bare
from kleene.passes.rewrite import rewrite_operation


def with_index_variables(program: CProgram, chosen: Chosen) -> tuple[CProgram, frozenset[Variable]]:
    """The program with a variable for each index next to a variable, in arrays that become lists.

    Also for such numbers with which indices are compared; these variables are the second result.
    """
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
        return program, frozenset()
    main = replace(program.main, cfa=Cfa(cfa.entry, tuple(edges)), locals=(*program.main.locals, *variables.values()))
    numbers = {number for edge in cfa.edges for number in _compared_numbers(edge.label, chosen)}
    return replace(program, functions={main.name: main}), frozenset(v for x, v in variables.items() if x in numbers)


def _indices(operation: Operation, chosen: Chosen) -> list[Expression]:
    """The indices next to variables with which an operation accesses arrays."""
    if isinstance(operation, DeclareLocal | EndScope):
        return []
    nodes = [n for x in expressions(operation) for n in walk(x)]
    indices = [bare(n.index) for n in nodes if isinstance(n, PointerOffset) and _is_beside(n, chosen)]
    return indices + _compared_numbers(operation, chosen)


def _compared_numbers(operation: Operation, chosen: Chosen) -> list[Expression]:
    """The number next to an index with which a condition compares another index of the same array."""
    if not isinstance(operation, Assume) or not isinstance(operation.condition, Comparison):
        return []
    left, right = bare(operation.condition.left), bare(operation.condition.right)
    return [number for index, number in ((left, right), (right, left)) if _has_both(index, number, chosen)]


def _has_both(index: Expression, number: Expression, chosen: Chosen) -> bool:
    """Whether an index and the one next to a number are of one array."""
    origin, shift = chosen.step(number)
    arrays = {array for array, own in chosen.pairs if own == index}
    return shift != 0 and any(own == origin and array in arrays for array, own in chosen.pairs)


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
    numbers = _compared_numbers(operation, chosen)

    def compared(side: Expression) -> Expression:
        return inner(side) if bare(side) in numbers else side

    if isinstance(operation, Assume) and isinstance(operation.condition, Comparison) and numbers:
        test = operation.condition
        operation = replace(operation, condition=replace(test, left=compared(test.left), right=compared(test.right)))
    return rewrite_operation(operation, access)
