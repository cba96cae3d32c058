"""The automaton with a Boolean variable for each condition, which says whether the condition holds.

Ball, Majumdar, Millstein, Rajamani. Automatic predicate abstraction of C programs. PLDI 2001. Deviation: the Boolean
program is not a program of its own, its variables are ghosts in the automaton beside pointers and other numbers. A
ghost is 1 where its condition holds in the state of the run, and 0 where not:

- an operation that changes a variable of the condition is followed by two branches: to 1, unless what is known of the
  ghosts before it implies that the condition is false after it; and to 0, unless it implies that it is true;
- after an assumption, the combinations of ghosts that contradict it (and each other) are excluded.

So every run of the program is a run of the automaton with the ghosts that its states have, and no more is used: which
combinations are implied is asked of a solver, and an unanswered question leaves both branches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kleene.cfa.expressions import Binary, Comparison, Constant, Expression, Variable, walk
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, Assume, EndScope, Operation, Place
from kleene.cfa.program import CProgram
from kleene.cfa.types import INT, IntegerType
from kleene.passes.facts.liveness import defined_variables
from kleene.passes.facts.memory import constant_of
from kleene.refine.conditions.entailment import Cube, Entailment
from kleene.refine.conditions.linear import Condition

MOST_RELATED = 5
"""Conditions that one question is about: the number of cubes grows with their third power."""
NEXT = "$next"
"""The name of the next value of a ghost begins with it."""
NOWHERE = Place("", 0, 0, "")
_ONE = Constant(1, INT)
_ZERO = Constant(0, INT)


def ghost_of(condition: Condition) -> Variable:
    """The variable that says whether a condition holds."""
    return Variable(f"[{condition}]", INT)


def ghosts_of(condition: Condition) -> tuple[Variable, Variable]:
    """The variable of a condition, and the one that has its next value while others still need this one."""
    ghost = ghost_of(condition)
    return ghost, Variable(f"{NEXT}{ghost.name}", INT)


@dataclass(frozen=True)
class Ghostly:
    """The rewritten automaton; `origins` maps its edges, by identity, to those of the automaton before, or None."""

    cfa: Cfa[Operation]
    origins: Mapping[int, Edge[Operation] | None]


def with_ghosts(cfa: Cfa[Operation], conditions: Sequence[Condition], initial: Mapping[Variable, int]) -> Ghostly:
    """The automaton with a variable for each condition; `initial` are the values that global variables begin with."""
    return _Rewriting(cfa, conditions).result(initial)


@dataclass
class _Rewriting:
    cfa: Cfa[Operation]
    conditions: Sequence[Condition]
    edges: list[Edge[Operation]] = field(default_factory=list)
    origins: dict[int, Edge[Operation] | None] = field(default_factory=dict)
    _decisions: dict[tuple[Operation, Condition], tuple[Sequence[Cube], Sequence[Cube]]] = field(default_factory=dict)
    _contradictions: dict[tuple[Expression, bool], Sequence[Cube]] = field(default_factory=dict)
    _locations: int = 0

    def result(self, initial: Mapping[Variable, int]) -> Ghostly:
        known = [c for c in self.conditions if c.variables <= initial.keys()]
        entry = here = f"{self.cfa.entry}!start" if known else self.cfa.entry
        for number, condition in enumerate(known):
            value = _ONE if condition.holds(initial) else _ZERO
            there = self.cfa.entry if number == len(known) - 1 else None
            here = self._add(here, Assign(NOWHERE, ghost_of(condition), value), there)
        for edge in self.cfa.edges:
            self._rewrite(edge)
        return Ghostly(Cfa(entry, tuple(self.edges)), self.origins)

    def _rewrite(self, edge: Edge[Operation]) -> None:
        operation = edge.label
        changed = set(defined_variables(operation)) if not isinstance(operation, EndScope) else set()
        touched = [c for c in self.conditions if c.variables & changed]
        if touched:
            self._update(edge, touched)
        elif isinstance(operation, Assume):
            excluded = self._excluded_cubes(operation)
            here = self._add(edge.source, operation, None if excluded else edge.target, edge)
            self._exclude(here, excluded, edge.target, operation.place)
        else:
            self._add(edge.source, operation, edge.target, edge)

    def _add(self, source: str, operation: Operation, target: str | None, origin: Edge[Operation] | None = None) -> str:
        """A new edge, to a new location if there is no target; the location to which it leads."""
        if target is None:
            self._locations += 1
            target = f"{source.partition('!')[0]}!{self._locations}"
        same = origin is not None and (origin.source, origin.target) == (source, target)
        edge = origin if origin is not None and same else Edge(source, operation, target)
        self.edges.append(edge)
        self.origins[id(edge)] = origin
        return target

    # Changes --------------------------------------------------------------------------------------------------------

    def _update(self, edge: Edge[Operation], touched: Sequence[Condition]) -> None:
        """New values for the ghosts of conditions whose variables change, first in temporaries: they change at once."""
        operation, place = edge.label, edge.label.place
        decisions = {c: self._decide(operation, c) for c in touched}
        here = edge.source
        temporaries = {c: ghosts_of(c)[1] for c in touched} if len(touched) > 1 else {}
        for condition, (true, false) in decisions.items():
            target = temporaries.get(condition, ghost_of(condition))
            here = self._choose(here, target, true, false, place)
        last = list(temporaries.items())
        here = self._add(here, operation, None if last else edge.target, edge)
        for number, (condition, temporary) in enumerate(last):
            there = edge.target if number == len(last) - 1 else None
            here = self._add(here, Assign(place, ghost_of(condition), temporary), there)

    def _choose(self, here: str, target: Variable, true: Sequence[Cube], false: Sequence[Cube], place: Place) -> str:
        """Set a ghost to 1 unless `false` is known, and to 0 unless `true` is."""
        joined = None
        for value, against in ((_ONE, false), (_ZERO, true)):
            if frozenset() in against:
                continue  # it is the other value in any case
            step = here
            for cube in against:
                step = self._add(step, Assume(place, _all_of(cube), False), None)
            joined = self._add(step, Assign(place, target, value), joined)
        assert joined is not None
        return joined

    def _decide(self, operation: Operation, condition: Condition) -> tuple[Sequence[Cube], Sequence[Cube]]:
        """The cubes over the ghosts before an operation that imply the condition after it, and its negation."""
        key = (operation, condition)
        if key not in self._decisions:
            solver = Entailment()
            changed = set(defined_variables(operation)) & condition.variables
            values = {variable: solver.value(_assigned_value(operation, variable)) for variable in changed}
            read = set(condition.variables) - changed
            if isinstance(operation, Assign):
                read |= _variables(operation.value)
            after = solver.condition(condition, values)
            true, false = solver.cubes([after, solver.z3.Not(after)], self._related_conditions(read, condition))
            impossible = [cube for cube in true if cube in false]
            self._decisions[key] = (
                [cube for cube in true if cube not in impossible],
                [cube for cube in false if cube not in impossible],
            )
        return self._decisions[key]

    def _related_conditions(self, variables: set[Variable], first: Condition | None = None) -> list[Condition]:
        """The conditions about some of the variables; those that share most variables come first."""
        related = [c for c in self.conditions if c.variables & variables]
        related.sort(key=lambda c: (c != first, len(c.variables - variables)))
        return related[:MOST_RELATED]

    # Assumptions ------------------------------------------------------------------------------------------------------

    def _excluded_cubes(self, operation: Assume) -> Sequence[Cube]:
        """The cubes that contradict an assumption."""
        variables = _variables(operation.condition)
        related = self._related_conditions(variables)
        if not related:
            return []
        key = (operation.condition, operation.truth)
        if key not in self._contradictions:
            solver = Entailment()
            truth = solver.truth(operation.condition)
            against = solver.z3.Not(truth) if operation.truth else truth
            (self._contradictions[key],) = solver.cubes([against], related)
        return self._contradictions[key]

    def _exclude(self, here: str, cubes: Sequence[Cube], target: str, place: Place) -> None:
        for number, cube in enumerate(cubes):
            there = target if number == len(cubes) - 1 else None
            if len(cube) == 1:
                ((condition, truth),) = cube
                here = self._add(here, Assume(place, _is(condition), not truth), there)
            else:
                here = self._add(here, Assume(place, _all_of(cube), False), there)


def _assigned_value(operation: Operation, variable: Variable) -> Expression:
    """The new value of a variable; without an assignment an expression of its type of which nothing is known."""
    if isinstance(operation, Assign) and operation.target == variable:
        return operation.value
    return Binary("/", variable, variable, variable.type)


def _is(condition: Condition) -> Expression:
    return Comparison("==", ghost_of(condition), _ONE)


def _all_of(cube: Cube) -> Expression:
    """All literals of a cube hold."""
    terms: list[Expression] = [
        Comparison("==" if truth else "!=", ghost_of(condition), _ONE)
        for condition, truth in sorted(cube, key=lambda literal: str(literal[0]))
    ]
    if not terms:
        return _ONE
    whole = terms[0]
    for term in terms[1:]:
        whole = Binary("&", whole, term, INT)
    return whole


def _variables(expression: Expression) -> set[Variable]:
    return {node for node in walk(expression) if isinstance(node, Variable)}


def initial_numbers(program: CProgram) -> dict[Variable, int]:
    """The numbers that global integer variables begin with."""
    result: dict[Variable, int] = {}
    for item in program.globals:
        if isinstance(item.variable.type, IntegerType) and not item.external:
            values = [constant_of(a.value) for a in item.initial if isinstance(a, Assign) and a.target == item.variable]
            if None not in values and len(values) == len(item.initial):
                known = [value for value in values if value is not None]
                result[item.variable] = item.variable.type.wrap(known[-1] if known else 0)
    return result
