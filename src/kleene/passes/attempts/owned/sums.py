"""The sum of where a ring begins and how many elements it has, as a number of its own.

In ``a[(first + count) % 32] = p`` the elements of the ring are those from `first` on, before the sum, and around the
end those that are 32 less than it. Zones relate two numbers, so the sum has a variable: it changes as its terms do, and
a bound of one term is a bound of the difference of the sum and the other one.
"""

from __future__ import annotations

from kleene.cfa.expressions import Variable
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Operation
from kleene.cfa.program import CProgram
from kleene.passes.attempts.owned.facts import WORD
from kleene.passes.attempts.owned.wrapped import set_from_wrapped, wrapped_sums
from kleene.passes.facts.relations.questions import Relations
from kleene.passes.facts.relations.states import Part, State
from kleene.passes.facts.relations.zones import ZERO

SUM = "$sum"
"""How the variables of sums are called; a number follows."""


class Sums(Relations):
    """Relations in which sums of two variables are followed."""

    def __init__(self, program: CProgram, cfa: Cfa[Operation]) -> None:
        super().__init__(program, cfa)
        pairs = sorted(wrapped_sums(cfa), key=str)
        self.sums = {
            Variable(f"{SUM}{number}", WORD): pair
            for number, pair in enumerate(pairs)
            if all(self._is_tracked(v) for v in pair)
        }
        """The variables of sums, each with its two terms."""
        self.wrapped = set_from_wrapped(cfa)
        """The numbers that go round."""

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

    def _follow(self, own: Variable, terms: tuple[Variable, Variable], before: State, state: State) -> bool:
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


def _change(before: State, old: int, state: State, new: int) -> tuple[int, int]:
    """By how much a number is more than another one at least and at most; the old one may be known before only."""
    if old in state.zone.bounds:
        return -state.zone.upper(old, new), state.zone.upper(new, old)
    (low, high), (least, most) = before.interval(old), state.interval(new)
    return least - high, most - low
