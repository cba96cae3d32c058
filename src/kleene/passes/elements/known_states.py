"""What is known of slots without the heap: conditions on the states of positions that always or never hold.

Where an index has just been computed, nothing is known of its slot (`positions`): the other ways to look it up end
before the shape analysis, for which each condition is a step.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from kleene.cfa.dataflow import solve_forward
from kleene.cfa.expressions import Comparison, Constant, Variable
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, Assume, Operation, Skip
from kleene.passes.facts.liveness import defined_variables, starts

Values = dict[Variable, frozenset[int]]
"""The numbers that a variable may have; a missing one may have any."""


def without_impossible_ways(cfa: Cfa[Operation], states: Set[Variable]) -> Cfa[Operation]:
    """The automaton without edges that the states exclude, and without conditions on states that always hold."""

    def after(edge: Edge[Operation], before: Values) -> Values | None:
        label = edge.label
        if isinstance(label, Assume):
            return _assume(label, before, states)
        changed = [v for v in defined_variables(label) if v in states]
        if not changed:
            return before
        new = {v: values for v, values in before.items() if v not in changed}
        if isinstance(label, Assign) and isinstance(label.value, Constant):
            new[changed[0]] = frozenset((label.value.value,))
        elif isinstance(label, Assign) and isinstance(label.value, Variable) and label.value in before:
            new[changed[0]] = before[label.value]
        return new

    def join(location: str, known: Values, new: Values) -> Values | None:
        both = {v: known[v] | new[v] for v in known.keys() & new.keys()}
        return None if both == known else both

    begin: dict[str, Values] = {location: {} for location in starts(cfa)}
    at = solve_forward(cfa, begin, after, join)
    edges: list[Edge[Operation]] = []
    for edge in cfa.edges:
        test = edge.label if isinstance(edge.label, Assume) and _tested(edge.label, states) is not None else None
        if test is None or edge.source not in at:
            edges.append(edge)
            continue
        passes = _assume(test, at[edge.source], states)
        if passes is not None:
            always = passes == at[edge.source]
            edges.append(replace(edge, label=Skip(test.place)) if always else edge)
    return Cfa(cfa.entry, tuple(edges))


def _tested(label: Assume, states: Set[Variable]) -> tuple[Variable, int] | None:
    """The state that a condition compares, and the number."""
    match label.condition:
        case Comparison("==", Variable() as state, Constant(value=number)) if state in states:
            return state, number
    return None


def _assume(label: Assume, before: Values, states: Set[Variable]) -> Values | None:
    tested = _tested(label, states)
    if tested is None:
        return before
    state, number = tested
    known = before.get(state)
    if known is None:
        return before | {state: frozenset((number,))} if label.truth else before
    left = frozenset(v for v in known if (v == number) == label.truth)
    return before | {state: left} if left else None
