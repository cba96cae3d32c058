"""The states at each location: the least fixpoint with widening, apart by NULL and by results."""

from __future__ import annotations

from abc import ABC
from functools import cached_property

from kleene.cfa.expressions import (
    Variable,
    walk,
)
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import (
    Assume,
)
from kleene.cfa.types import IntegerType, PointerType
from kleene.passes.entry_parameters import ARGUMENTS
from kleene.passes.facts.liveness import starts
from kleene.passes.facts.relations.compared_numbers import Landmarks, next_comparisons, next_equations
from kleene.passes.facts.relations.counted_together import CountedTogether
from kleene.passes.facts.relations.merging import merge
from kleene.passes.facts.relations.promises import Promises, least_lengths
from kleene.passes.facts.relations.states import Part, State, covers, image
from kleene.passes.facts.relations.texts import is_text
from kleene.passes.facts.relations.zones import widen

MOST_EDGES = 4_000
"""Larger automata are not looked at: the analysis would take longer than what it could help to prove."""
PATIENCE = 3
"""Visits of a location before its bounds are widened."""
TIGHTENED = 60
"""Visits of a location up to which bounds that were widened are added again from differences: a number without a bound
that is compared with an index would else grow by the length of the array each time, and never come to an end."""
UNHURRIED = 8
"""Visits of a location up to which bounds stop at many landmarks: a table of ten primes, each a landmark, took 5 s of
the processor in nested loops."""
MOST_PARTS = 4
"""States of a location that are kept apart by the pointers that are NULL in them."""
Nulls = frozenset[str]
"""Names of pointers that are NULL."""
ALL: Nulls = frozenset()
"""The part of all states."""
NONE: Nulls = frozenset(("",))
"""The part of the states in which no pointer is NULL."""
MOST_INITIAL_CELLS = 16
"""Elements of a global array whose initial values are known: a state with a table of primes would be large."""


class Fixpoint(CountedTogether, ABC):
    """The states at the locations of one automaton; computed when they are asked for."""

    # The fixpoint ---------------------------------------------------------------------------------------------

    @cached_property
    def at(self) -> dict[str, dict[Nulls, State]]:
        if len(self.cfa.edges) > MOST_EDGES:
            return {}
        self.promises = self._all_promises()
        self.byte_arrays = self._kinds.byte_arrays if self._kinds.known and self.promises.kinds else {}
        while True:
            self.promises.begin()
            at = self._solve()
            if self.promises.are_kept:
                for state in (state for states in at.values() for state in states.values()):
                    state.zone.tighten()
                return at

    @cached_property
    def _landmarks(self) -> Landmarks:
        return Landmarks(self.program, self.cfa)

    def _all_promises(self) -> Promises:
        """The promises, all kept so far."""
        texts, rows = self._byte_kinds(), self._row_kinds()
        variables = [v for v in self._kinds.memory.integers if self._is_tracked(v)] if texts or rows else []
        return Promises(texts, rows, least_lengths(self.cfa, self._kinds, texts | rows, variables))

    def _solve(self) -> dict[str, dict[Nulls, State]]:
        """The states that believe the promises; not all of them where a promise is broken, as it is broken for good."""
        functions = [Cfa(start, self.cfa.edges) for start in starts(self.cfa)]
        order = {location: n for part in functions for location, n in part.post_order.items()}
        heads = frozenset[str]().union(*(part.loop_heads for part in functions))
        at: dict[str, dict[Nulls, State]] = {self.cfa.entry: {ALL: self._initial()}}
        for start in starts(self.cfa):
            at.setdefault(start, {ALL: State()})
        begins = set(at)
        waiting = {(location, ALL) for location in at}
        visits: dict[str, int] = {}
        broken, quiet = 0, 0
        while waiting:
            quiet = quiet + 1 if broken == self.promises.many_broken else 0
            broken = self.promises.many_broken
            if broken and quiet > len(self.cfa.edges):  # what else is broken shows when they are computed anew
                break
            here = max(waiting, key=lambda item: (order[item[0]], item[0], sorted(item[1])))
            waiting.remove(here)
            location, part = here
            if part not in at[location]:
                continue
            for edge in self.cfa.leaving(location):
                after = self.after(edge.label, at[location][part])
                if after is None:
                    continue
                states = at.setdefault(edge.target, {})
                if len(at[location]) == 1 and len(self.cfa.entering(edge.target)) == 1 and edge.target not in begins:
                    waiting |= self._only_state(edge.target, states, after)
                    continue
                nulls = self._part_of(after, states, edge.target, is_head=edge.target in heads)
                if nulls == ALL and states and ALL not in states:
                    after = self._all_parts(states, after, edge.target)
                    states.clear()
                known = states.get(nulls)
                after.collect()
                if known is None:
                    states[nulls] = after
                    waiting.add((edge.target, nulls))
                    continue
                visits[edge.target] = visits.get(edge.target, 0) + 1
                changed = self.share_promises(known, after, edge.target)
                symbols = None if changed else image(known, after)
                if symbols is not None:
                    if self._settle(known, after, known, [(s, (s, twin)) for s, twin in symbols.items()]):
                        waiting.add((edge.target, nulls))
                    continue
                joint, pairs = merge(known, after)
                self._settle(known, after, joint, list(enumerate(pairs, 1)))
                if visits[edge.target] > PATIENCE and edge.target in heads:
                    landmarks = self._landmarks.of_each(joint.holders(), only_ends=visits[edge.target] > UNHURRIED)
                    widen(known.zone, joint.zone, pairs, landmarks)
                    joint.sharpen()
                    if visits[edge.target] <= TIGHTENED:
                        joint.zone.tighten()
                if changed or not covers(known, joint, pairs):
                    states[nulls] = joint
                    waiting.add((edge.target, nulls))
        return at

    def _only_state(self, location: str, states: dict[Nulls, State], after: State) -> set[tuple[str, Nulls]]:
        """The state of a location to which one edge leads: it replaces the one before."""
        nulls = self._part_of(after, {}, location)
        known = states.get(nulls) if len(states) == 1 else None
        if known is not None and image(known, after) is not None and image(after, known) is not None:
            return set()
        states.clear()
        after.collect()
        states[nulls] = after
        return {(location, nulls)}

    def _part_of(self, state: State, states: dict[Nulls, State], location: str, *, is_head: bool = False) -> Nulls:
        """The part of the states of a location to which a state belongs: by the pointers that are NULL in it.

        At the head of a loop only those count that its condition compares; where there are many parts, all are one.
        A number or pointer that is compared with a constant soon tells parts, too: it may be a result. So does a number
        that is a copy of another one with which it is compared soon: the index of the smallest child, or of none.
        """
        if ALL in states:
            return ALL
        asked = self._asked_at(location) if is_head else None
        if asked == frozenset():
            return ALL
        nulls = {
            k.name
            for k, s in state.held.items()
            if isinstance(k, Variable) and Part("null", s, 1) in state.held and self._tells_parts(k, asked)
        }
        if not is_head:
            nulls |= {
                f"{variable.name}={number}"
                for variable, number in self._asked_soon(location)
                if variable in state.held and is_constant(state, state.held[variable], number)
            }
            nulls |= {
                f"{one.name}={two.name}"
                for one, two in self._equations_soon(location)
                if one in state.held and state.held[one] == state.held.get(two)
            }
        known = frozenset(nulls) or NONE
        return known if known in states or len(states) < MOST_PARTS else ALL

    def _asked_soon(self, location: str) -> frozenset[tuple[Variable, int]]:
        """The numbers that the next condition compares with constants, if only copies are between here and there."""
        if location not in self._asked:
            self._asked[location] = next_comparisons(self.cfa, location)
        return self._asked[location]

    def _equations_soon(self, location: str) -> frozenset[tuple[Variable, Variable]]:
        """The pairs of numbers that conditions soon compare with each other."""
        if location not in self._equations:
            self._equations[location] = next_equations(self.cfa, location)
        return self._equations[location]

    @cached_property
    def _equations(self) -> dict[str, frozenset[tuple[Variable, Variable]]]:
        return {}

    @cached_property
    def _asked(self) -> dict[str, frozenset[tuple[Variable, int]]]:
        return {}

    def _tells_parts(self, pointer: Variable, asked: Nulls | None) -> bool:
        """Whether states are kept apart by a pointer: where there are texts, by pointers to them only."""
        return (is_text(pointer) or not self.promises.texts) and (asked is None or pointer.name in asked)

    def _asked_at(self, location: str) -> Nulls:
        """The pointers to texts that the conditions at a location compare."""
        if not self.promises.texts:
            return frozenset()
        labels = [edge.label for edge in self.cfa.leaving(location)]
        nodes = [n for label in labels if isinstance(label, Assume) for n in walk(label.condition)]
        return frozenset(n.name for n in nodes if isinstance(n, Variable) and isinstance(n.type, PointerType))

    def _all_parts(self, states: dict[Nulls, State], after: State, location: str) -> State:
        for other in states.values():
            self.share_promises(other, after, location)
            joint, pairs = merge(other, after)
            self._settle(other, after, joint, list(enumerate(pairs, 1)))
            after = joint
        return after

    def _settle(self, known: State, after: State, joint: State, pairs: list[tuple[int, tuple[int, int]]]) -> bool:
        """Check promises where two states meet; whether the joint state has changed."""
        changed = self.settle_debts(known, after, joint, pairs)
        self.settle_open(known, after, joint, pairs)
        self.settle_open_texts(known, after, joint)
        return changed

    def _initial(self) -> State:
        state = State()
        for item in self.program.globals:
            if item.external or not self._is_tracked(item.variable):
                continue
            if isinstance(item.variable.type, IntegerType):
                state.held[item.variable] = state.fresh(0, 0)
            elif isinstance(item.variable.type, PointerType):
                state.held[item.variable] = self._null(state)
        for item in self.program.globals if self.promises.kinds else ():
            self.begin_object(item, state)
        for item in self.program.globals if self.number_places.of_kind else ():
            self.begin_numbers(item, state)
        for item in self.program.globals:
            for assignment in item.initial if not item.external and item.variable.name != ARGUMENTS else ():
                self._assign(assignment.target, assignment.value, state)
            if len(item.initial) > MOST_INITIAL_CELLS:
                self._overwrite(self._object(item.variable, state), None, 0, state)
        return state


def is_constant(state: State, symbol: int, number: int) -> bool:
    """Whether a number is that one, or a pointer NULL."""
    if symbol in state.blocks:
        return number == 0 and Part("null", symbol, 1) in state.held
    return state.zone.bounds.get(symbol) == (number, number)
