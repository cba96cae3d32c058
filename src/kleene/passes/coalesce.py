"""Pointer variables that are never needed at the same time share one predicate: fewer roots, fewer structures.

After inlining a program has many local pointers with short lives. Two of them whose live ranges do not overlap can be
one variable, as registers are shared in a compiler (Chaitin. Register allocation & spilling via graph coloring, 1982).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from kleene.cfa.expressions import Variable
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Assign, DeclareLocal, EndScope, Operation, Skip, address_taken, rename_variables
from kleene.cfa.types import PointerType
from kleene.passes.facts.liveness import defined_variables, in_scope, live_before
from kleene.passes.facts.memory import Place

FEWEST_POINTERS = 3
"""Largest number of local pointers for which sharing is not worth its cost."""


@dataclass(frozen=True)
class Sharing:
    """The automaton with local pointer variables shared; the first variable of a class gives the name.

    `members` are the classes by that name, `live` the variables that are needed at each location of the old automaton.
    """

    cfa: Cfa[Operation]
    members: Mapping[str, Sequence[Variable]] = field(default_factory=dict)
    live: Mapping[str, Set[Variable]] = field(default_factory=dict)

    def names_after(self, other: Sharing, names: Set[str]) -> frozenset[str]:
        """The names that variables have here, given their names with another sharing."""
        own = {name for given in names for name in (given, *(v.name for v in other.members.get(given, ())))}
        return frozenset(own | {name for name, members in self.members.items() if own & {v.name for v in members}})


def coalesce(
    cfa: Cfa[Operation],
    places: Mapping[Variable, Set[Place]],
    *,
    whole_scope: bool = False,
    to_exits: bool = False,
) -> Cfa[Operation]:
    """The automaton with local pointer variables shared."""
    return sharing_of(cfa, places, whole_scope=whole_scope, to_exits=to_exits).cfa


def sharing_of(
    cfa: Cfa[Operation],
    places: Mapping[Variable, Set[Place]],
    *,
    whole_scope: bool = False,
    to_exits: bool = False,
) -> Sharing:
    """Which local pointer variables are shared.

    Variables that may point to different places stay apart, so that each keeps its small set of targets. With
    `whole_scope`, a variable is needed until its scope ends, with `to_exits` before exits, too (see `live_before`).
    """
    variables = _local_pointers(cfa)
    if len(variables) <= FEWEST_POINTERS:
        return Sharing(cfa)
    live = live_before(cfa, set(variables), whole_scope=whole_scope, to_exits=to_exits)
    conflicts = _conflicts(cfa, variables, live)
    classes: list[list[Variable]] = []
    for variable in variables:
        fitting = (m for m in classes if _alike(m[0], variable) and places.get(m[0]) == places.get(variable))
        members = next((m for m in fitting if not conflicts[variable] & set(m)), None)
        if members is None:
            classes.append([variable])
        else:
            members.append(variable)
    chosen = {v: members for members in classes if len(members) > 1 for v in members}
    edges = [replace(e, label=_rename(e.label, live[e.target], chosen)) for e in cfa.edges]
    if not chosen:
        return Sharing(cfa)
    return Sharing(Cfa(cfa.entry, tuple(edges)), {m[0].name: m for m in chosen.values()}, live)


def _alike(a: Variable, b: Variable) -> bool:
    return a.type == b.type and a.is_temporary == b.is_temporary


def _local_pointers(cfa: Cfa[Operation]) -> list[Variable]:
    taken = address_taken(edge.label for edge in cfa.edges)
    local_pointers: dict[Variable, None] = {}
    for edge in cfa.edges:
        for variable in defined_variables(edge.label):
            if isinstance(variable.type, PointerType) and not variable.is_global and variable not in taken:
                local_pointers[variable] = None
    return list(local_pointers)


def _conflicts(
    cfa: Cfa[Operation], variables: list[Variable], live: dict[str, frozenset[Variable]]
) -> dict[Variable, set[Variable]]:
    """The pairs of variables that cannot share: one is assigned while the other is live.

    Before an exit, a variable that some paths have set is live, on the other paths too (decision 127). There, it
    must not have the value of a variable in scope: the end of that one would lose nothing.
    """
    scope = in_scope(cfa)
    given = live[cfa.entry]  # the parameters of the entry have their values at once
    conflicts: dict[Variable, set[Variable]] = {v: set(given - {v}) if v in given else set() for v in variables}
    for edge in cfa.edges:
        after = live[edge.target]
        for held in (after - live[edge.source]).difference(defined_variables(edge.label)):
            for other in (scope.get(edge.source, frozenset()) & conflicts.keys()) - {held}:
                conflicts[held].add(other)
                conflicts[other].add(held)
        for written in defined_variables(edge.label):
            if written not in conflicts or _without_effect(edge.label, written, after):
                continue
            for other in after - {written}:
                conflicts[written].add(other)
                conflicts[other].add(written)
    return conflicts


def _without_effect(operation: Operation, variable: Variable, after: frozenset[Variable]) -> bool:
    """Whether an operation only ends the scope of a variable, or declares one that is written before it is read."""
    return isinstance(operation, EndScope) or (isinstance(operation, DeclareLocal) and variable not in after)


def _rename(operation: Operation, after: frozenset[Variable], chosen: dict[Variable, list[Variable]]) -> Operation:
    """The operation over the shared variables; `after` are the variables needed after it."""
    if isinstance(operation, DeclareLocal) and operation.variable in chosen:
        if operation.variable not in after:
            return Skip(operation.place)
        return replace(operation, variable=chosen[operation.variable][0])
    if isinstance(operation, EndScope):
        ended = [v for v in operation.variables if not after & set(chosen.get(v, ()))]
        shared = dict.fromkeys(chosen[v][0] if v in chosen else v for v in ended)
        return replace(operation, variables=tuple(shared))
    renamed = rename_variables(operation, {v: members[0] for v, members in chosen.items()})
    if isinstance(renamed, Assign) and isinstance(renamed.target, Variable) and renamed.target == renamed.value:
        return Skip(operation.place)
    return renamed
