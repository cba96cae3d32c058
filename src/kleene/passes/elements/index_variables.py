"""Indices that are not variables, as variables of their own: then their slots are remembered.

In ``a[i] = a[i + 1]`` and ``a[i] = a[n - 1]``, the slot of the second index is beside that of `i` or `n`
(`positions`). In ``e->next = a[key % n]; a[key % n] = e``, both slots are the same: an index that is computed twice is
computed once, where nothing it depends on was set between (available expressions: Aho, Lam, Sethi, Ullman, 9.2).
Without a variable, each would be any slot of the list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from kleene.cfa.dataflow import solve_forward
from kleene.cfa.expressions import Binary, Cast, Comparison, Constant, Expression, PointerOffset, Variable, walk
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, Assume, DeclareLocal, EndScope, Enter, Invoke, Operation, expressions
from kleene.cfa.program import CProgram
from kleene.passes.elements.chosen import Chosen, bare
from kleene.passes.facts.liveness import defined_variables, starts
from kleene.passes.rewrite import rewrite_operation


def with_index_variables(program: CProgram, chosen: Chosen) -> tuple[CProgram, frozenset[Variable]]:
    """The program with a variable for each index next to a variable or computed twice, in arrays that become lists.

    Also for numbers next to a variable with which indices are compared; these variables are the second result.
    """
    cfa = program.main.cfa
    indices_at = _indices_at(cfa, chosen)
    available = _available(cfa, indices_at)
    every = dict.fromkeys(index for indices in indices_at.values() for index in indices)
    variables = {index: Variable(f"${index}", index.type) for index in every}
    edges: list[Edge[Operation]] = []
    for location in cfa.locations:
        leaving = cfa.leaving(location)
        indices = indices_at[location]
        here = location
        for index in indices:
            if index in available.get(location, ()):
                continue
            there = f"{here}, {index}"
            edges.append(Edge(here, Assign(leaving[0].label.place, variables[index], index), there))
            here = there
        edges += [Edge(here, _rewritten(e.label, chosen, variables), e.target) if indices else e for e in leaving]
    if not variables:
        return program, frozenset()
    main = replace(program.main, cfa=Cfa(cfa.entry, tuple(edges)), locals=(*program.main.locals, *variables.values()))
    numbers = {number for edge in cfa.edges for number in _compared_numbers(edge.label, chosen)}
    return replace(program, functions={main.name: main}), frozenset(v for x, v in variables.items() if x in numbers)


def _indices_at(cfa: Cfa[Operation], chosen: Chosen) -> dict[str, list[Expression]]:
    """The indices and compared numbers that become variables, by the location of their use."""
    computed = Counter(i for location in cfa.locations for i in _used(cfa, location, lambda n: _is_list(n, chosen)))

    def is_chosen(access: PointerOffset) -> bool:
        index = bare(access.index)
        twice = computed[index] > 1 and isinstance(index, Binary) and _is_of_variables(index, chosen)
        return _is_list(access, chosen) and (twice or _is_beside(access, chosen))

    def indices(location: str) -> list[Expression]:
        numbers = [number for edge in cfa.leaving(location) for number in _compared_numbers(edge.label, chosen)]
        return list(dict.fromkeys([*_used(cfa, location, is_chosen), *numbers]))

    return {location: indices(location) for location in cfa.locations}


def _used(cfa: Cfa[Operation], location: str, is_chosen: Callable[[PointerOffset], bool]) -> list[Expression]:
    """The indices of some accesses of the operations at a location."""
    labels = [e.label for e in cfa.leaving(location) if not isinstance(e.label, DeclareLocal | EndScope)]
    nodes = (n for label in labels for x in expressions(label) for n in walk(x))
    return list(dict.fromkeys(bare(n.index) for n in nodes if isinstance(n, PointerOffset) and is_chosen(n)))


def _is_of_variables(index: Expression, chosen: Chosen) -> bool:
    """Whether an index is computed from variables that only assignments to them change."""
    return all(
        isinstance(node, Binary | Cast | Constant) or chosen.index_variable(node) == node for node in walk(index)
    )


def _available(cfa: Cfa[Operation], indices_at: dict[str, list[Expression]]) -> dict[str, frozenset[Expression]]:
    """For each location, the indices that were computed on all ways there, and would have the same value."""
    every = {index for indices in indices_at.values() for index in indices}
    reads = {index: frozenset(n for n in walk(index) if isinstance(n, Variable)) for index in every}

    def after(edge: Edge[Operation], before: frozenset[Expression]) -> frozenset[Expression]:
        if isinstance(edge.label, Invoke | Enter):  # what is analysed apart may compute them anew
            return frozenset()
        changed = set(defined_variables(edge.label))
        return frozenset(i for i in before.union(indices_at[edge.source]) if not reads[i] & changed)

    start: dict[str, frozenset[Expression]] = dict.fromkeys(starts(cfa), frozenset())
    return solve_forward(cfa, start, after, lambda _, old, new: None if old <= new else old & new)


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


def _is_list(access: PointerOffset, chosen: Chosen) -> bool:
    """Whether an access is to an array that becomes a list, and to no other."""
    if not chosen.only_slots(access.pointer):
        return False
    return chosen.slot(access.pointer) is not None and chosen.is_path(access.pointer)


def _is_beside(access: PointerOffset, chosen: Chosen) -> bool:
    variable, shift = chosen.step(access.index)
    return variable is not None and shift != 0


def _rewritten(operation: Operation, chosen: Chosen, variables: dict[Expression, Variable]) -> Operation:
    def inner(index: Expression) -> Expression:
        if isinstance(index, Cast) and bare(index) is not index:
            return replace(index, operand=inner(index.operand))
        return variables[index]

    def access(node: Expression) -> Expression:
        if isinstance(node, PointerOffset) and bare(node.index) in variables and _is_list(node, chosen):
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
