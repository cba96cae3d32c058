"""Numbers that are counted up together: in ``out[k++] = a[i++]`` and ``out[k++] = b[j++]``, k is the sum of i and j.

Two arrays are merged into one that is as long as both. That k is inside follows from i and j, but zones relate two
numbers only. So the sum of i and j has a number of its own in each state, which changes as its terms do; zones relate
it to k. The pairs are guessed from the text: every step of k has a step of one of two numbers beside it.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator
from functools import cached_property

from kleene.cfa.expressions import Binary, Variable, without_casts
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, Assume, Operation
from kleene.cfa.types import LONG_LONG, IntegerType
from kleene.passes.facts.memory import constant_of
from kleene.passes.facts.relations.operations import Operations
from kleene.passes.facts.relations.states import Part, State
from kleene.passes.facts.relations.zones import ZERO

SUM = "$sum"
"""How the variables of sums are called; a number follows."""
MOST_PAIRS = 4
"""Pairs of numbers whose sums are followed: each is a number more in every state."""
MOST_BETWEEN = 8
"""Operations between two steps that belong together: ``out[k++] = a[i++]`` is up to seven."""

Pair = tuple[Variable, Variable]


class CountedTogether(Operations, ABC):
    """The sums of two variables that are followed."""

    @cached_property
    def sums(self) -> dict[Variable, Pair]:
        """The variables of sums, each with its two terms."""
        pairs = list(dict.fromkeys(self._pairs()))[:MOST_PAIRS]
        return {Variable(f"{SUM}{number}", LONG_LONG): pair for number, pair in enumerate(pairs)}

    def _pairs(self) -> Iterator[Pair]:
        """The pairs of numbers of which another one may be the sum."""
        for one, two in counted_pairs(self.cfa):
            if self._is_tracked(one) and self._is_tracked(two):
                yield one, two

    def after(self, operation: Operation, before: State) -> State | None:
        """The state after an operation, with the sums that it changes; None if it does not pass."""
        state = super().after(operation, before)
        if state is None:
            return None
        for own, (one, two) in self.sums.items():
            if one not in state.held or two not in state.held:
                state.held.pop(own, None)
            elif not self._follow(own, (one, two), before, state):
                return None
        return state

    def _follow(self, own: Variable, terms: Pair, before: State, state: State) -> bool:
        """Set a sum to what its terms say; false if nothing satisfies it."""
        zone, known = state.zone, before.held.get(own)
        a, b = (state.held[term] for term in terms)
        if a not in zone.bounds or b not in zone.bounds:
            state.held.pop(own, None)
            return True
        old = [before.held.get(term) for term in terms]
        if known is None or known not in zone.bounds or old != [a, b]:
            (al, ah), (bl, bh) = state.interval(a), state.interval(b)
            total = state.fresh(al + bl, ah + bh)
            if known is not None and known in zone.bounds and None not in old:
                changes = [_change(before, o, state, new) for new, o in zip((a, b), old, strict=True) if o is not None]
                if not zone.add(total, known, sum(most for _, most in changes)):
                    return False
                if not zone.add(known, total, -sum(least for least, _ in changes)):
                    return False
            state.held[own] = total
        total = state.held[own]
        state.held[Part("term", total, 1)], state.held[Part("term", total, 2)] = a, b
        for one, other in ((a, b), (b, a)):
            low, high = state.interval(other)
            if not (zone.add(total, one, high) and zone.add(one, total, -low)):
                return False
            gap, back = zone.upper(total, one), zone.upper(one, total)
            if not (zone.add(other, ZERO, gap) and zone.add(ZERO, other, back)):
                return False
        return True

    def upper(self, state: State, a: int, b: int) -> float:
        """The least known bound of a difference, also by way of a sum that is followed."""
        bound = super().upper(state, a, b)
        for own in self.sums:
            total = state.held.get(own)
            if total is not None and total != a and {total, a} <= state.zone.bounds.keys():
                bound = min(bound, state.zone.upper(a, total) + super().upper(state, total, b))
        return bound


def _change(before: State, old: int, state: State, new: int) -> tuple[int, int]:
    """By how much a number is more than another one at least and at most; the old one may be known before only."""
    if old in state.zone.bounds:
        return -state.zone.upper(old, new), state.zone.upper(new, old)
    (low, high), (least, most) = before.interval(old), state.interval(new)
    return least - high, most - low


def counted_pairs(cfa: Cfa[Operation]) -> Iterator[Pair]:
    """The pairs of numbers such that some number is counted up where, and only where, one of them is."""
    steps: dict[Variable, list[Edge[Operation]]] = {}
    copies = {(e.label.target, without_casts(e.label.value)) for e in cfa.edges if isinstance(e.label, Assign)}
    stepped: dict[Edge[Operation], Variable] = {}
    for edge in cfa.edges:
        label = edge.label
        if not isinstance(label, Assign) or not isinstance(label.target, Variable):
            continue
        value = without_casts(label.value)
        if isinstance(label.target.type, IntegerType) and isinstance(value, Binary) and value.operator == "+":
            origin = without_casts(value.left)
            if constant_of(value.right) == 1 and (origin == label.target or (origin, label.target) in copies):
                steps.setdefault(label.target, []).append(edge)
                stepped[edge] = label.target
    for number, own in steps.items():
        beside = [frozenset(stepped[e] for e in _beside(cfa, edge) if e in stepped) - {number} for edge in own]
        partners = frozenset().union(*beside)
        if len(own) > 1 and len(partners) == 2 and all(len(found) == 1 for found in beside):
            one, two = sorted(partners, key=str)
            if len(steps[one]) + len(steps[two]) == len(own):
                yield one, two


def _beside(cfa: Cfa[Operation], edge: Edge[Operation]) -> Iterator[Edge[Operation]]:
    """The operations before and behind one, without branches between."""
    here = edge
    for _ in range(MOST_BETWEEN):
        following = cfa.leaving(here.target)
        if len(following) != 1 or len(cfa.entering(here.target)) != 1:
            break
        here = following[0]
        yield here
    here = edge
    for _ in range(MOST_BETWEEN):
        entering = cfa.entering(here.source)
        if len(entering) != 1 or len(cfa.leaving(here.source)) != 1 or isinstance(entering[0].label, Assume):
            break
        here = entering[0]
        yield here
