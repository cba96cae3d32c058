"""The weakest preconditions of conditions on members along one path, for the objects that they are about.

Henzinger, Jhala, Majumdar, McMillan. Abstractions from proofs. POPL 2004, section 4 takes predicates from one path. An
assignment through a pointer changes the condition of its object only. So it asks for another condition on this object,
and for the same one on the others: ``p->a++; p->c++`` asks for ``a + b == c + 1`` in between, and for nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from kleene.cfa.expressions import Expression, Variable, walk, without_casts
from kleene.cfa.graph import Edge
from kleene.cfa.operations import Assign, Havoc, Operation
from kleene.passes.facts.liveness import defined_variables
from kleene.passes.rewrite import rewrite
from kleene.refine.conditions.cells import AnyCondition, CellCondition
from kleene.refine.conditions.entailment import is_implied
from kleene.refine.conditions.linear import Condition, before_assignment
from kleene.refine.conditions.members import Members
from kleene.refine.tree.reachability_tree import ErrorPath

MOST_DEMANDS = 12
"""Conditions on objects that are followed along one path: with more, loops would ask for one in each round."""


@dataclass(frozen=True)
class _Demand:
    """A condition on one object, or on all objects (`base` is None); `others` are different from it, or excepted."""

    condition: CellCondition
    base: Expression | None
    others: frozenset[Expression] = frozenset()

    def before_change(self, variable: Variable, value: Expression | None) -> _Demand:
        """The demand before a variable that names objects gets another value."""
        source = without_casts(value) if value is not None else None
        known = source if isinstance(source, Variable) else None

        def renamed(base: Expression) -> Expression | None:
            if variable not in walk(base):
                return base
            return rewrite(base, lambda node: known if node == variable else node) if known is not None else None

        others = frozenset(named for base in self.others if (named := renamed(base)) is not None)
        base = renamed(self.base) if self.base is not None else None
        return replace(self, base=base, others=frozenset() if base is None and self.base is not None else others)


def conditions_along(
    members: Members, first: Sequence[tuple[CellCondition, Expression | None]], path: ErrorPath, end: int
) -> list[AnyCondition]:
    """The conditions before step `end` of a path, and what makes them hold there: the nearest ones first."""
    demands: list[_Demand | Condition] = [_Demand(condition, base) for condition, base in first]
    asked: dict[AnyCondition, None] = {condition: None for condition, _ in first}
    for step in reversed(path.steps[:end]):
        before: dict[_Demand | Condition, None] = {}
        for demand in demands:
            earlier = (
                _before(members, demand, step.edge)
                if isinstance(demand, _Demand)
                else _above(members, demand, step.edge)
            )
            for each in earlier:
                condition = sufficient(each.condition if isinstance(each, _Demand) else each, asked)
                asked[condition] = None
                if isinstance(condition, CellCondition):
                    assert isinstance(each, _Demand)
                    before[replace(each, condition=condition)] = None
                else:
                    before[condition] = None
        demands = list(before)[:MOST_DEMANDS]
    return list(asked)


def sufficient(condition: AnyCondition, asked: Iterable[AnyCondition]) -> AnyCondition:
    """One of the conditions that were asked for, if it implies this one; sums alone stay as they are.

    So ``(a ^ 5) == (b ^ 5)`` before two assignments is ``a == b`` again, and a loop asks for no more.
    """
    plain = _plain(condition)
    if plain.is_linear:
        return condition
    for other in asked:
        alike = type(other) is type(condition) and _plain(other).variables == plain.variables
        if isinstance(other, CellCondition) and isinstance(condition, CellCondition):
            alike = alike and other.record == condition.record
        if alike and is_implied(plain, _plain(other)):
            return other
    return condition


def _plain(condition: AnyCondition) -> Condition:
    return condition.condition if isinstance(condition, CellCondition) else condition


def _above(members: Members, condition: Condition, edge: Edge[Operation]) -> Iterable[_Demand | Condition]:
    """What makes a condition on variables hold after an operation: nothing, if that is about one variable only.

    A variable that was read from a member makes it a condition on the object.
    """
    operation = edge.label
    changed = condition.variables.intersection(defined_variables(operation))
    if not changed:
        yield condition
    elif isinstance(operation, Assign) and isinstance(operation.target, Variable):
        earlier = before_assignment(condition, operation.target, operation.value)
        if earlier is not None and len(earlier.variables) > 1:
            yield earlier
        member = members.member(without_casts(operation.value))
        read = members.before_load(condition, operation.target, operation.value)
        if member is not None and read is not None:
            yield _Demand(read, member.base)


def _before(members: Members, demand: _Demand, edge: Edge[Operation]) -> Iterable[_Demand | Condition]:
    """What makes a demand hold after an operation: demands, and conditions on variables."""
    operation = edge.label
    target = members.member(operation.target) if isinstance(operation, Assign | Havoc) else None
    if target is not None and members.is_part(target, demand.condition):
        if demand.base != target.base:  # the other objects
            yield replace(demand, others=demand.others | {target.base})
        if target.base not in demand.others and isinstance(operation, Assign):
            earlier = members.before_store(demand.condition, edge, target)
            if isinstance(earlier, CellCondition):
                if members.follows(earlier):
                    yield _Demand(earlier, target.base)
            elif earlier is not None and len(earlier.variables) > 1:
                yield earlier
        return
    for variable in defined_variables(operation):
        value = operation.value if isinstance(operation, Assign) and operation.target == variable else None
        if variable in demand.condition.outer:
            copied = _before_copy(members, demand, variable, value)
            if copied is None:
                return
            demand = replace(demand, condition=copied)
        demand = demand.before_change(variable, value)
    yield demand


def _before_copy(
    members: Members, demand: _Demand, variable: Variable, value: Expression | None
) -> CellCondition | None:
    """What makes a condition hold after a variable of it became a copy of another one, or of a member of the object."""
    member = members.member(without_casts(value)) if value is not None else None
    if value is None or (member is not None and member.base != demand.base):
        return None
    return members.before_copy(demand.condition, variable, value)
