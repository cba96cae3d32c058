"""The automaton with a Boolean variable for each condition, which says whether the condition holds.

Ball, Majumdar, Millstein, Rajamani. Automatic predicate abstraction of C programs. PLDI 2001. Deviation: the Boolean
program is not a program of its own, its variables are ghosts in the automaton beside pointers and other numbers. A
ghost is 1 where its condition holds in the state of the run, and 0 where not (`cells.py`: each object has ghosts too):

- an operation that changes a variable of the condition is followed by two branches: to 1, unless what is known of the
  ghosts before it implies that the condition is false after it; and to 0, unless it implies that it is true;
  new values of two ghosts that contradict each other are excluded;
- where the variable is one beside the members of objects, the ghosts of all objects change by what is known of each;
  where it dies, they are forgotten;
- after an assumption, the combinations of ghosts that contradict it (and each other) are excluded.

So every run of the program is a run of the automaton with the ghosts that its states have, and no more is used: which
combinations are implied is asked of a solver, and an unanswered question leaves both branches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from kleene.cfa.expressions import Binary, Comparison, Constant, Expression, Field, Variable, walk
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    Assign,
    Assume,
    ChangeGhosts,
    EndScope,
    GhostChange,
    GhostCube,
    Havoc,
    MemSet,
    Operation,
    Place,
)
from kleene.cfa.program import CProgram
from kleene.cfa.types import INT, IntegerType
from kleene.passes.facts.liveness import defined_variables, live_before
from kleene.passes.facts.memory import Memory, constant_of
from kleene.refine.conditions.cells import (
    AnyCondition,
    CellCondition,
    cell_conditions,
    ghost_member,
    ghost_offset,
    member_variable,
    plain_conditions,
)
from kleene.refine.conditions.entailment import Cube, Entailment, implying_cubes
from kleene.refine.conditions.linear import Condition
from kleene.refine.conditions.members import Members

MOST_RELATED = 5
"""Conditions that one question is about: the number of cubes grows with their third power."""
NEXT = "$next"
"""The name of the next value of a ghost begins with it."""
_LINKS = 2
"""Steps from the variables of a question to facts about others."""
NOWHERE = Place("", 0, 0, "")
NO_GHOSTS: Mapping[Condition, Expression] = MappingProxyType({})
_ONE = Constant(1, INT)
_ZERO = Constant(0, INT)


def ghost_of(condition: Condition) -> Variable:
    """The variable that says whether a condition on variables holds."""
    return Variable(f"[{condition}]", INT)


def ghosts_of(condition: AnyCondition) -> tuple[Variable, ...]:
    """The variables of a condition: its ghost, and the one that has its next value while others still need this one."""
    following = Variable(f"{NEXT}[{condition}]", INT)
    return (ghost_of(condition), following) if isinstance(condition, Condition) else (following,)


@dataclass(frozen=True)
class Ghostly:
    """The rewritten automaton; `origins` maps its edges, by identity, to those of the automaton before, or None."""

    cfa: Cfa[Operation]
    origins: Mapping[int, Edge[Operation] | None]


def with_ghosts(memory: Memory, conditions: Sequence[AnyCondition], initial: Mapping[Variable, int]) -> Ghostly:
    """The automaton with a ghost for each condition; `initial` are the values that global variables begin with.

    Conditions on members must be such that all writes to the members are seen (`Members.follows`).
    """
    return _Rewriting(memory.cfa, Members(memory), conditions).result(initial)


@dataclass(frozen=True)
class _Change:
    """A ghost that changes: of which condition, and what its variables become."""

    owner: AnyCondition
    ghost: Expression
    condition: Condition
    values: tuple[tuple[Variable, Expression | None], ...]
    """The new values of variables; None is any value."""


@dataclass(frozen=True)
class _Known:
    """What a question to the solver may use: comparisons that hold there, and conditions with ghosts."""

    facts: tuple[Expression, ...]
    related: tuple[Condition, ...]


@dataclass
class _Rewriting:
    cfa: Cfa[Operation]
    members: Members
    conditions: Sequence[AnyCondition]
    edges: list[Edge[Operation]] = field(default_factory=list)
    origins: dict[int, Edge[Operation] | None] = field(default_factory=dict)
    _decisions: dict[tuple[_Change, _Known], tuple[Sequence[Cube], Sequence[Cube]]] = field(default_factory=dict)
    _contradictions: dict[tuple[Expression, bool, _Known], Sequence[Cube]] = field(default_factory=dict)
    _pairs: dict[tuple[Condition, Condition], Sequence[Cube]] = field(default_factory=dict)
    _ghosts: dict[Condition, tuple[Expression, int]] = field(default_factory=dict)
    """The ghosts of conditions, those of members at one object too, and their values where the conditions hold."""
    _locations: int = 0

    def __post_init__(self) -> None:
        self.plain, self.cells = plain_conditions(self.conditions), cell_conditions(self.conditions)
        self._ghosts.update({c: (ghost_of(c), 1) for c in self.plain})

    def result(self, initial: Mapping[Variable, int]) -> Ghostly:
        known = [c for c in self.plain if c.variables <= initial.keys()]
        entry = here = f"{self.cfa.entry}!start" if known else self.cfa.entry
        for number, condition in enumerate(known):
            value = _ONE if condition.holds(initial) else _ZERO
            there = self.cfa.entry if number == len(known) - 1 else None
            here = self._add(here, Assign(NOWHERE, ghost_of(condition), value), there)
        for edge in self.cfa.edges:
            self._rewrite(edge)
        return Ghostly(Cfa(entry, tuple(self.edges)), self.origins)

    def _rewrite(self, edge: Edge[Operation]) -> None:
        """The operation, and behind it what it says about ghosts, which still are those before it."""
        operation, target = edge.label, edge.target
        copies = self._copied_ghosts(operation)
        changes = [] if copies else [*self._changed_variables(operation), *self._changed_members(operation)]
        everywhere = self._changed_everywhere(edge)
        forgotten = self._forgotten(edge, changes)
        changes = [change for change in changes if not self._is_dead(change.owner, edge.target)]
        if forgotten:
            target = self._new_location(edge.source)
            self._add(target, ChangeGhosts(operation.place, forgotten), edge.target)
        if copies:
            self._assign_all(self._add(edge.source, operation, None, edge), copies, target, operation.place)
        elif everywhere:
            self._update(edge, [*changes, *self._changed_at_bases(edge)], target, everywhere)
        elif changes:
            self._update(edge, changes, target)
        elif isinstance(operation, Assume):
            excluded = self._excluded_cubes(edge.source, operation)
            here = self._add(edge.source, operation, None if excluded else target, edge)
            self._exclude(here, excluded, target, operation.place)
        else:
            self._add(edge.source, operation, target, edge)

    def _add(self, source: str, operation: Operation, target: str | None, origin: Edge[Operation] | None = None) -> str:
        """A new edge, to a new location if there is no target; the location to which it leads."""
        target = self._new_location(source) if target is None else target
        same = origin is not None and (origin.source, origin.target) == (source, target)
        edge = origin if origin is not None and same else Edge(source, operation, target)
        self.edges.append(edge)
        self.origins[id(edge)] = origin
        return target

    def _new_location(self, source: str) -> str:
        self._locations += 1
        return f"{source.partition('!')[0]}!{self._locations}"

    # Changes --------------------------------------------------------------------------------------------------------

    def _changed_variables(self, operation: Operation) -> list[_Change]:
        """The ghosts of conditions on variables that an operation changes."""
        changed = set(defined_variables(operation)) if not isinstance(operation, EndScope) else set()
        return [
            _Change(c, ghost_of(c), c, tuple((v, _assigned_value(operation, v)) for v in sorted(own, key=str)))
            for c in self.plain
            if (own := c.variables & changed)
        ]

    def _changed_members(self, operation: Operation) -> list[_Change]:
        """The ghosts of the object to one of whose members an operation assigns."""
        if isinstance(operation, MemSet):
            return self._zeroed_members(operation)
        target = self.members.member(operation.target) if isinstance(operation, Assign | Havoc) else None
        if target is None:
            return []
        value = operation.value if isinstance(operation, Assign) else None
        changed = member_variable(target)
        return [
            _Change(c, self._ghost_at(c, target.base), own, ((changed, value),))
            for c in self.cells
            if c.record == target.base.type and changed in (own := c.at(target.base)).variables
        ]

    def _zeroed_members(self, operation: MemSet) -> list[_Change]:
        """The ghosts of an object that becomes zero."""
        changes = []
        for c in self.cells:
            zeroed = self.members.zeroed_object(operation, c.record)
            if zeroed is not None:
                own = c.at(zeroed)
                zeros = tuple((v, Constant(0, v.type)) for v in sorted(own.variables - c.outer, key=str))
                changes.append(_Change(c, self._ghost_at(c, zeroed), own, zeros))
        return changes

    def _changed_everywhere(self, edge: Edge[Operation]) -> tuple[GhostChange, ...]:
        """The ghosts of all objects that change with a variable: what decides them is known of each object alone."""
        operation = edge.label
        changed = set(defined_variables(operation)) if not isinstance(operation, EndScope) else set()
        changes: list[GhostChange] = []
        for c, number in self.cells.items():
            values = tuple((v, _assigned_value(operation, v)) for v in sorted(c.outer & changed, key=str))
            if not values or self._is_dead(c, edge.target):
                continue
            owners = self._of_one_object(c)
            true, false = self._decide(edge.source, _Change(c, _ZERO, c.condition, values), tuple(owners))
            for _, base in sorted(self.members.bases(c.record)):
                offsets = {one: ghost_offset(own, self.cells[own]) + base for one, own in owners.items()}
                cubes = [tuple(_encoded(cube, owners, offsets) for cube in part) for part in (true, false)]
                changes.append(GhostChange(ghost_offset(c, number) + base, *cubes))
        return tuple(dict.fromkeys(changes))

    def _is_dead(self, condition: AnyCondition, location: str) -> bool:
        """Whether a condition on members is about a variable that no path from a location reads.

        Where members of two objects are compared, what both have in common with the variable is still of use.
        """
        if not isinstance(condition, CellCondition) or condition.record in self.members.compared_records:
            return False
        return not condition.outer <= self._live_numbers.get(location, frozenset())

    def _forgotten(self, edge: Edge[Operation], changes: Sequence[_Change]) -> tuple[GhostChange, ...]:
        """The ghosts of all objects that change here, or with a variable that dies here, and are of no use behind."""
        before = self._live_numbers.get(edge.source, frozenset()) | set(defined_variables(edge.label))
        changed = {change.owner for change in changes}
        offsets = {
            ghost_offset(c, number) + base
            for c, number in self.cells.items()
            if (c in changed or c.outer & before) and self._is_dead(c, edge.target)
            for _, base in self.members.bases(c.record)
        }
        return tuple(GhostChange(offset, (), ()) for offset in sorted(offsets))

    @cached_property
    def _live_numbers(self) -> dict[str, frozenset[Variable]]:
        """The variables of conditions on members that are live before each location."""
        outer = frozenset(v for c in self.cells for v in c.outer)
        return live_before(self.cfa, outer) if outer else {}

    def _of_one_object(self, condition: CellCondition) -> dict[Condition, CellCondition]:
        """The conditions on the same object, as those of one that no name is known of; nearest ones first."""
        own = [c for c in self.cells if c.record == condition.record and c.members.keys() & condition.members.keys()]
        own.sort(key=lambda c: (c != condition, len(c.condition.variables - condition.condition.variables)))
        return {c.condition: c for c in own[:MOST_RELATED]}

    def _changed_at_bases(self, edge: Edge[Operation]) -> list[_Change]:
        """The ghosts of the objects whose members a variable gets: more is known of these than of any object."""
        operation = edge.label
        value = operation.value if isinstance(operation, Assign) else None
        if value is None or not isinstance(operation, Assign) or not isinstance(operation.target, Variable):
            return []
        read = [m.base for m in self.members.members_in(value)]
        read += [m.base for m, v in self.members.equalities_at(edge.source) if v == value]
        changes: dict[CellCondition, _Change] = {}
        for base in read:
            for c in self.cells:
                if operation.target in c.outer and c.record == base.type and c not in changes:
                    ghost = self._ghost_at(c, base)
                    changes[c] = _Change(c, ghost, c.at(base), ((operation.target, value),))
        return list(changes.values())

    def _copied_ghosts(self, operation: Operation) -> list[tuple[Expression, Expression]]:
        """The ghosts of an object that becomes a copy of another one, with their values."""
        if isinstance(operation, Assign) and self.members.is_copy(operation):
            pairs = [(c, operation.target, operation.value) for c in self.cells if c.record == operation.target.type]
            return [(self._ghost_at(c, to), self._ghost_at(c, source)) for c, to, source in pairs]
        return []

    def _ghost_at(self, condition: CellCondition, base: Expression) -> Expression:
        ghost = ghost_member(base, condition, self.cells[condition])
        self._ghosts[condition.at(base)] = (ghost, condition.true_value)
        return ghost

    def _update(
        self, edge: Edge[Operation], changes: Sequence[_Change], end: str, everywhere: tuple[GhostChange, ...] = ()
    ) -> None:
        """New values for ghosts, first in temporaries: they change at once, those of all objects too."""
        place = edge.label.place
        here = self._add(edge.source, edge.label, None, edge)
        several = len(changes) + len(everywhere) > 1
        temporaries = [ghosts_of(change.owner)[-1] for change in changes] if several else []
        settled: dict[Condition, Expression] = {}
        for number, change in enumerate(changes):
            target = temporaries[number] if temporaries else change.ghost
            last = number == len(changes) - 1 and not temporaries
            true, false = self._decide(edge.source, change)
            here = self._choose(
                here, target, self._ghosts[change.condition][1], true, false, place, end if last else None
            )
            excluded = list(self._contradictory_pairs(change.condition, settled))
            settled[change.condition] = target
            for cube in excluded:
                here = self._add(here, Assume(place, self._all_of(cube, settled), False), None)
        if everywhere:
            here = self._add(here, ChangeGhosts(place, everywhere), None if changes else end)
        pairs = [(change.ghost, temporary) for change, temporary in zip(changes, temporaries, strict=False)]
        self._assign_all(here, pairs, end, place)

    def _contradictory_pairs(self, condition: Condition, others: Iterable[Condition]) -> Iterator[Cube]:
        """The values of the ghosts of a condition and of one of the others that no numbers have."""
        for other in others:
            pair = (condition, other)
            if pair not in self._pairs:
                (self._pairs[pair],) = implying_cubes(
                    lambda theory: ([theory.z3.BoolVal(False)], ()), pair, longest=len(pair)
                )
            yield from self._pairs[pair]

    def _assign_all(self, here: str, pairs: Sequence[tuple[Expression, Expression]], target: str, place: Place) -> None:
        for number, (ghost, value) in enumerate(pairs):
            here = self._add(here, Assign(place, ghost, value), target if number == len(pairs) - 1 else None)

    def _choose(
        self,
        here: str,
        target: Expression,
        true_value: int,
        true: Sequence[Cube],
        false: Sequence[Cube],
        place: Place,
        joined: str | None,
    ) -> str:
        """Set a ghost to 'holds' unless `false` is known, and to 'does not' unless `true` is."""
        for value, against in ((true_value, false), (1 - true_value, true)):
            if frozenset() in against:
                continue  # it is the other value in any case
            step = here
            for cube in against:
                step = self._add(step, Assume(place, self._all_of(cube), False), None)
            joined = self._add(step, Assign(place, target, Constant(value, INT)), joined)
        assert joined is not None
        return joined

    def _decide(
        self, location: str, change: _Change, related: tuple[Condition, ...] | None = None
    ) -> tuple[Sequence[Cube], Sequence[Cube]]:
        """The cubes over the ghosts before an operation that imply the condition after it, and its negation.

        The cubes are over `related`, or else over all conditions on what the operation is about.
        """
        changed = [v for v, _ in change.values]
        values = [x for _, x in change.values if x is not None]
        read = [*values, *(change.condition.variables - {*changed})]
        known = self._known(location, [*read, *changed] if related else read, change.condition)
        known = known if related is None else replace(known, related=related)
        key = (change, known)
        if key not in self._decisions:

            def question(theory: Entailment) -> tuple[Sequence[Any], Sequence[Any]]:
                new = {v: theory.value(self._term(x, v)) for v, x in change.values}
                after = theory.condition(change.condition, new)
                return [after, theory.z3.Not(after)], [theory.truth(fact) for fact in known.facts]

            true, false = implying_cubes(question, known.related)
            impossible = [cube for cube in true if cube in false]
            self._decisions[key] = (
                [cube for cube in true if cube not in impossible],
                [cube for cube in false if cube not in impossible],
            )
        return self._decisions[key]

    def _term(self, value: Expression | None, variable: Variable) -> Expression:
        """A value over variables; any number of the variable's type without one."""
        return self.members.over_variables(value) if value is not None else _any_number(variable)

    def _known(self, location: str, read: Sequence[Expression], first: Condition | None = None) -> _Known:
        """What is known of the variables and members that some expressions read; members stand for themselves."""
        bases = {m.base for x in read for m in self.members.members_in(x)}
        if first is not None:
            ghost = self._ghosts[first][0] if first in self._ghosts else None  # there is none of any object
            bases |= {ghost.base} if isinstance(ghost, Field) else set()
        variables = {v for x in read for v in _variables(self.members.over_variables(x))}
        facts: set[Expression] = set()
        rest = {f: self.members.over_variables(f) for f in self.members.facts_at(location)} if self.cells else {}
        for _ in range(_LINKS):
            near = [f for f, term in rest.items() if _variables(term) & variables or self._bases_of(f) & bases]
            facts |= {rest[f] for f in near}
            variables |= {v for f in near for v in _variables(rest.pop(f))}
            bases |= {base for f in near for base in self._bases_of(f)}
        objects = [(c, base) for base in sorted(bases, key=str) for c in self.cells if c.record == base.type]
        for c, base in objects:
            self._ghost_at(c, base)
        related = [c for c in (*(c.at(base) for c, base in objects), *self.plain) if c.variables & variables]
        alike = first.variables if first is not None else frozenset()
        related.sort(key=lambda c: (c != first, c.variables != alike, len(c.variables - variables)))
        return _Known(tuple(sorted(facts, key=str)), tuple(dict.fromkeys(related))[:MOST_RELATED])

    def _bases_of(self, fact: Expression) -> set[Expression]:
        return {m.base for m in self.members.members_in(fact)}

    # Assumptions ------------------------------------------------------------------------------------------------------

    def _excluded_cubes(self, location: str, operation: Assume) -> Sequence[Cube]:
        """The cubes that contradict an assumption."""
        known = self._known(location, [operation.condition])
        if not known.related:
            return []
        key = (operation.condition, operation.truth, known)
        if key not in self._contradictions:
            asked = self.members.over_variables(operation.condition)

            def question(theory: Entailment) -> tuple[Sequence[Any], Sequence[Any]]:
                truth = theory.truth(asked)
                against = theory.z3.Not(truth) if operation.truth else truth
                return [against], [theory.truth(fact) for fact in known.facts]

            (self._contradictions[key],) = implying_cubes(question, known.related)
        return self._contradictions[key]

    def _exclude(self, here: str, cubes: Sequence[Cube], target: str, place: Place) -> None:
        for number, cube in enumerate(cubes):
            there = target if number == len(cubes) - 1 else None
            if len(cube) == 1:
                ((condition, truth),) = cube
                here = self._add(here, Assume(place, self._is(condition, truth=not truth)), there)
            else:
                here = self._add(here, Assume(place, self._all_of(cube), False), there)

    def _is(self, condition: Condition, ghost: Expression | None = None, *, truth: bool = True) -> Expression:
        own, value = self._ghosts[condition]
        return Comparison("==", own if ghost is None else ghost, Constant(value if truth else 1 - value, INT))

    def _all_of(self, cube: Cube, ghosts: Mapping[Condition, Expression] = NO_GHOSTS) -> Expression:
        """All literals of a cube hold, if `ghosts` are the ghosts of conditions that have other ones."""
        literals = sorted(cube, key=lambda literal: str(literal[0]))
        terms = [self._is(c, ghosts.get(c), truth=truth) for c, truth in literals]
        if not terms:
            return _ONE
        whole = terms[0]
        for term in terms[1:]:
            whole = Binary("&", whole, term, INT)
        return whole


def _assigned_value(operation: Operation, variable: Variable) -> Expression | None:
    """The new value of a variable; None without an assignment."""
    return operation.value if isinstance(operation, Assign) and operation.target == variable else None


def _encoded(cube: Cube, owners: Mapping[Condition, CellCondition], offsets: Mapping[Condition, int]) -> GhostCube:
    """A cube over conditions on one object as values of its ghosts."""
    literals = sorted((offsets[c], owners[c].true_value ^ (not truth)) for c, truth in cube)
    return tuple((offset, int(value)) for offset, value in literals)


def _any_number(variable: Variable) -> Expression:
    """An expression of the variable's type of which nothing is known."""
    return Binary("/", variable, variable, variable.type)


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
