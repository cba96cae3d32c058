"""Conditions on integers that an infeasible path asks for: the nullary predicates of the abstraction.

Beyer, Henzinger, Théoduloz, Zufferey. Shape refinement through explicit heap analysis. FASE 2010, section 4:
nullary-predicate abstraction and refinement based on interpolants. A variable with few values is tracked by these
values; conditions are for those that relate several variables, or compare with a number that no count reaches.
Deviation: the comparisons of the contradictory steps, and their weakest preconditions, count beside the atoms of
interpolants, which may be about one round of a loop only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import z3

from kleene.cfa.expressions import Comparison, Expression, Unary, Variable
from kleene.cfa.operations import Assign, Assume, Error, Operation
from kleene.cfa.types import IntegerType
from kleene.passes.facts.integers import MAX_CONSTANTS
from kleene.passes.facts.liveness import defined_variables
from kleene.passes.facts.memory import Memory
from kleene.passes.rewrite import rewrite
from kleene.paths import Interpolants
from kleene.paths.interpolation.atoms import IntegerPredicate
from kleene.refine.conditions.cells import AnyCondition, CellCondition, cell_conditions, ghost_offset
from kleene.refine.conditions.ghosts import ghosts_of
from kleene.refine.conditions.linear import Condition, before_assignment, condition_of, normal
from kleene.refine.conditions.members import Members
from kleene.refine.tracking.definition import TrackingDefinition
from kleene.refine.tracking.demands import conditions_along, sufficient
from kleene.refine.tree.reachability_tree import ErrorPath

MOST_NEW = 8
"""Conditions that one path adds."""
MOST_CONDITIONS = 16
"""Conditions of an abstraction: each may double the number of structures."""


def asked_conditions(
    members: Members,
    path: ErrorPath,
    core: Iterable[int],
    answer: Interpolants | None,
    known: Sequence[AnyCondition] = (),
) -> tuple[AnyCondition, ...]:
    """The conditions of the contradictory steps and of the assertion that fails, and those of interpolants.

    On members these are those along the path; if all of them are `known`, those of all assignments of the program.
    Interpolants come last: where numbers wrap around, they speak of bounds that do not matter.
    """
    memory = members.memory
    asked: dict[AnyCondition, None] = {}
    tests = [k for k, operation in enumerate(path.operations) if isinstance(operation, Assume)]
    failing = tests[-1:] if isinstance(path.operations[-1], Error) else []
    for k in sorted({*core, *failing}, reverse=True):
        operation = path.steps[k].edge.label if k < len(path.steps) else None
        compared = _comparison(operation.condition) if isinstance(operation, Assume) else None
        condition = condition_of(compared.operator, compared.left, compared.right) if compared is not None else None
        if compared is not None and not asked:
            first = list(_first_conditions(members, compared, path.steps[k].edge.source))
            near = conditions_along(members, first, path, k)
            all_known = all(c in known for c in near)
            asked |= dict.fromkeys(_on_members(members, compared, path.steps[k].edge.source) if all_known else near)
        if condition is not None:
            asked |= dict.fromkeys(_backwards(condition, path.operations[:k], memory))
    if any(c not in known for c in asked):
        return tuple(asked)[:MOST_NEW]
    for predicate in (p for cut in (answer.cuts if answer else ()) for p in cut.spoken.integer_predicates):
        atom = _condition_of(predicate)
        if atom is not None and _is_useful(atom, memory):
            asked[atom] = None
    return tuple(asked)[:MOST_NEW]


def _on_members(members: Members, compared: Comparison, location: str) -> list[AnyCondition]:
    """The conditions of a comparison of members of one object, or of variables that hold their values.

    With them those that make them hold after each assignment to the members, on members or on variables.
    """
    asked: dict[AnyCondition, None] = {c: None for c, _ in _first_conditions(members, compared, location)}
    waiting = list(asked)
    while waiting and len(asked) < MOST_NEW:
        for precondition in _preconditions(members, waiting.pop(0)):
            before = sufficient(precondition, asked)
            if before not in asked and len(asked) < MOST_NEW:
                asked[before] = None
                waiting.append(before)
    return list(asked)


def _first_conditions(
    members: Members, compared: Comparison, location: str
) -> Iterator[tuple[CellCondition, Expression | None]]:
    """The conditions that a comparison is about itself: with the members that variables hold, then without.

    With each the object that it is about; None for any object. A comparison of members of two objects is one with each
    variable that the program stores there.
    """
    held = [(m, v) for m, v in members.equalities_at(location) if isinstance(v, Variable)]
    readings: list[dict[Expression, Expression]] = [{v: m for m, v in held}, {}]
    readings += [{v: m for m, v in held if m.base == base} for base in dict.fromkeys(m.base for m, _ in held)]
    for sources in readings:
        sides = [_with_members(side, sources) for side in (compared.left, compared.right)]
        read = [m for side in sides for m in members.members_in(side)]
        bases = {m.base for m in read}
        if len(bases) == 1:
            left, right = map(members.over_variables, sides)
            condition = condition_of(compared.operator, left, right)
            (base,) = bases
            first = members.on_members(condition, base) if condition is not None else None
            if first is not None and _tells_more_than_values(first.condition) and members.follows(first):
                yield first, base
                return
        elif len(bases) > 1:
            yield from ((c, None) for m in read for c in members.stored_variables(m) if members.follows(c))


def _with_members(expression: Expression, sources: Mapping[Expression, Expression]) -> Expression:
    """The expression with the members that variables hold."""
    return rewrite(expression, lambda node: sources.get(node, node))


def _preconditions(members: Members, condition: AnyCondition) -> Iterator[AnyCondition]:
    """The conditions that make one hold after each assignment of the program that changes it."""
    if isinstance(condition, CellCondition):
        for edge, target in members.stores(condition):
            before = members.before_store(condition, edge, target)
            seen = members.follows(before) if isinstance(before, CellCondition) else True
            plain = _tells_more_than_values(before) if isinstance(before, Condition) else True
            if before is not None and seen and plain:
                yield before
        yield from members.before_copies(condition)
        return
    for edge in members.memory.cfa.edges:
        label = edge.label
        if isinstance(label, Assign) and isinstance(label.target, Variable) and label.target in condition.variables:
            weakest = before_assignment(condition, label.target, label.value)
            if weakest is not None and _is_useful(weakest, members.memory):
                yield weakest


def _tells_more_than_values(condition: Condition) -> bool:
    """Whether a condition is no equation with a small number: values that are tracked decide those."""
    return len(condition.variables) > 1 or not condition.equal or abs(condition.constant) > MAX_CONSTANTS


def _comparison(condition: Expression) -> Comparison | None:
    while isinstance(condition, Unary) and condition.operator == "!":
        condition = condition.operand
    return condition if isinstance(condition, Comparison) else None


def _is_known(condition: Condition, memory: Memory) -> bool:
    return all(memory.kind(variable) == "integer" for variable in condition.variables)


def _is_useful(condition: Condition, memory: Memory) -> bool:
    related = len(condition.variables) > 1 or abs(condition.constant) > MAX_CONSTANTS
    return related and _is_known(condition, memory)


def _backwards(condition: Condition, operations: Sequence[Operation], memory: Memory) -> list[Condition]:
    """The condition, and what it is before each assignment on the way to it (its weakest preconditions).

    A condition on one variable with a small number is followed only if it relates several variables further up
    (``z == 0`` behind ``z = x - y``): the values of the variable decide it otherwise.
    """
    chain = [condition, *_weakest_preconditions(condition, operations)]
    if not any(len(c.variables) > 1 for c in chain):
        chain = [condition] if abs(condition.constant) > MAX_CONSTANTS else []
        if condition.equal:  # the number is reached from one side
            chain += [replace(c, equal=False) for c in chain]
    return [c for c in chain if _is_known(c, memory)]


def _weakest_preconditions(condition: Condition, operations: Sequence[Operation]) -> Iterator[Condition]:
    """What a condition is before each assignment that changes it, from the last one up.

    Ends where a condition on one variable would be another one before each round of a loop (``x = x + 1``).
    """
    for operation in reversed(operations):
        changed = set(defined_variables(operation)) & condition.variables
        if not changed:
            continue
        before = None
        if isinstance(operation, Assign) and isinstance(operation.target, Variable):
            before = before_assignment(condition, operation.target, operation.value)
        if before is None or (len(condition.variables) == 1 and before.variables <= condition.variables):
            return
        condition = before
        yield condition


def _condition_of(predicate: IntegerPredicate) -> Condition | None:
    """An atom of an interpolant as a condition; None if it is about members."""
    variables = {p.name: p.variable for p in predicate.places if not p.fields}
    if len(variables) != len(predicate.places):
        return None
    known = {n: v for n, v in variables.items() if v is not None and isinstance(v.type, IntegerType)}
    node = predicate.formula
    if z3.is_not(node):
        node = node.arg(0)
    if len(node.children()) != 2:
        return None
    left, right = _sum(node.arg(0), known), _sum(node.arg(1), known)
    if left is None or right is None:
        return None
    if z3.is_ge(node) or z3.is_gt(node):
        left, right = right, left
    strict = z3.is_lt(node) or z3.is_gt(node)
    factors: dict[Expression, int] = {v: left[0].get(v, 0) - right[0].get(v, 0) for v in {**left[0], **right[0]}}
    return normal(factors, left[1] - right[1] + strict, equal=z3.is_eq(node) or z3.is_distinct(node))


def _sum(term: Any, known: dict[str, Variable]) -> tuple[dict[Variable, int], int] | None:
    if z3.is_int_value(term):
        return {}, term.as_long()
    if z3.is_const(term):
        variable = known.get(str(term))
        return None if variable is None else ({variable: 1}, 0)
    parts = [_sum(child, known) for child in term.children()]
    if any(part is None for part in parts):
        return None
    sums = [part for part in parts if part is not None]
    if z3.is_add(term):
        factors: dict[Variable, int] = {}
        for own, _ in sums:
            for v, f in own.items():
                factors[v] = factors.get(v, 0) + f
        return factors, sum(c for _, c in sums)
    if z3.is_mul(term) and len(sums) == 2 and not sums[0][0]:
        return {v: f * sums[0][1] for v, f in sums[1][0].items()}, sums[0][1] * sums[1][1]
    return None


def tracked_conditions(
    definition: TrackingDefinition, conditions: Sequence[AnyCondition], members: Members
) -> TrackingDefinition:
    """The definition with the ghosts of the conditions."""
    offsets = {
        ghost_offset(c, number) + base
        for c, number in cell_conditions(conditions).items()
        for _, base in members.bases(c.record)
    }
    names = {v.name for c in conditions for v in ghosts_of(c)}
    return replace(definition, integers=definition.integers | names, data=definition.data | offsets)
