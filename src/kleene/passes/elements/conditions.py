"""Conditions on indices: what a comparison of two indices, or of an index and a number, says about their slots."""

from __future__ import annotations

from collections.abc import Callable

from kleene.cfa.expressions import MIRRORED, NEGATED, Comparison, Constant, Expression, Variable
from kleene.cfa.operations import Assign, Assume, Place
from kleene.cfa.types import IntegerType
from kleene.passes.elements.chosen import Pair
from kleene.passes.elements.positions import BEHIND, END, FIRST, LAST, NEVER, SECOND, THERE, UNKNOWN, Positions
from kleene.passes.facts.memory import constant_of

Way = Callable[[str], str]
"""Writes edges from a location on, and returns where they end."""
_BEYOND_LAST = {"<=": "<", ">": ">="}
"""Comparisons with the last index of an array, as comparisons with its length."""


class Conditions:
    """Writes the operations that follow a condition into chains of edges."""

    def __init__(self, positions: Positions) -> None:
        self.positions, self.chosen = positions, positions.chosen
        self.relations, self.chains = positions.relations, positions.chains

    def compare(self, here: str, operation: Assume, location: str) -> str:
        """After a condition on an index: what it says about slots."""
        condition = operation.condition
        if not isinstance(condition, Comparison) or not isinstance(condition.left.type, IntegerType):
            return here
        operator = condition.operator if operation.truth else NEGATED[condition.operator]
        sides = ((condition.left, operator, condition.right), (condition.right, MIRRORED[operator], condition.left))
        for left, symbol, right in sides:
            index = self._index(left, location)
            for pair in self.positions.with_indices(index) if index is not None else ():
                here = self._against_length(here, pair, symbol, right, location, operation.place)
                here = self._against_constant(here, pair, symbol, right, location, operation.place)
                here = self._against_zero(here, pair, symbol, right, location, operation.place)
        left_index, right_index = self._index(condition.left, location), self._index(condition.right, location)
        if left_index is not None and right_index is not None:
            for pair in self.positions.with_indices(left_index):
                if (pair[0], right_index) in self.chosen.pairs:
                    other = (pair[0], right_index)
                    here = self._against_index(here, pair, operator, other, location, operation.place)
        return here

    def _index(self, side: Expression, location: str) -> Variable | None:
        """The index that is a side of a comparison: a conversion that changes its number compares another one."""
        index = self.chosen.index_variable(side)
        return index if index is not None and self.positions.keeps_number(index, side, location) else None

    def knows(self, condition: Expression) -> bool:
        """Whether a condition says of an index of some pair that it is less or greater than another number."""
        if not isinstance(condition, Comparison) or condition.operator in ("==", "!="):
            return False
        sides = [self.chosen.index_variable(side) for side in (condition.left, condition.right)]
        return any(side is not None and self.positions.with_indices(side) for side in sides)

    def zero_test(self, condition: Expression, location: str) -> Comparison | None:
        """``i > 0`` as ``i != 0``, and ``i <= 0`` as ``i == 0``, for an index without a sign: these are followed.

        So it is where one less than such an index wraps (``for (i = n; i-- > 0;)``).
        """
        if not isinstance(condition, Comparison):
            return None
        left, right, operator = condition.left, condition.right, condition.operator
        if constant_of(left) == 0:
            left, right, operator = right, left, MIRRORED[operator]
        index, as_equation = self._index(left, location), {">": "!=", "<=": "=="}.get(operator)
        if index is None or as_equation is None or constant_of(right) != 0:
            return None
        is_unsigned = isinstance(index.type, IntegerType) and not index.type.signed
        return Comparison(as_equation, index, Constant(0, index.type)) if is_unsigned else None

    def _against_length(
        self, here: str, pair: Pair, symbol: str, bound: Expression, location: str, place: Place
    ) -> str:
        """An index is the length of its array iff its slot is the end; the bound may also be the last index."""
        slot = self.chosen.slot(pair[0])
        assert slot is not None
        is_last = symbol in _BEYOND_LAST and self.relations.length_is(
            pair[0], bound, slot.element.size, location, more=1
        )
        if not is_last and not self.relations.length_is(pair[0], bound, slot.element.size, location):
            return here
        symbol = _BEYOND_LAST[symbol] if is_last else symbol
        at, chains = self.positions.at(pair), self.chains
        below = self.relations.of(pair[1], location)[0] >= 0
        not_above = self.relations.at_most(pair[1], bound, location, more=int(is_last))
        if below and (symbol == "<" or (symbol == "!=" and not_above)):
            test: Callable[[str], str] = lambda here: chains.only(here, slot.is_end(at), place, truth=False)  # noqa: E731
        elif below and not_above and symbol in (">=", "=="):
            test = lambda here: chains.only(here, slot.is_end(at), place)  # noqa: E731
        else:
            return here
        some = self.relations.of(bound, location)[0] >= 1 - int(is_last) and symbol in (">=", "==")
        ways: dict[int, Callable[[str], str]] = {THERE: test}
        if some:  # an index that is 0 is not at the end of an array that has elements
            ways[FIRST] = lambda here: chains.only(here, NEVER, place)
        ways[UNKNOWN] = lambda here: here
        here = chains.cases(here, self.positions.state(pair), ways, place)
        if isinstance(pair[0], Variable):  # it is not lost before the impossible ways have ended
            here = chains.add(here, Assign(place, chains.local(f"$touched {pair[0].type}", pair[0].type), pair[0]))
        return here

    def _against_constant(
        self, here: str, pair: Pair, symbol: str, bound: Expression, location: str, place: Place
    ) -> str:
        """An index is 0 iff its slot is the first one, where the array is a variable."""
        array, slot = pair[0], self.chosen.slot(pair[0])
        assert slot is not None
        low, high = self.relations.of(bound, location)
        least = self.relations.of(pair[1], location)[0]
        zero = (symbol == "==" and low == high == 0) or (symbol == "<=" and low == high == 0 and least >= 0)
        more = (symbol == ">" and low >= 0) or (symbol == "!=" and low == high == 0 and least >= 0)
        if not (zero or more) or not isinstance(array, Variable):
            return here
        same = Comparison("==", self.positions.at(pair), slot.as_slot(array))
        ways: dict[int, Callable[[str], str]] = {
            THERE: lambda here: self.chains.only(here, same, place, truth=zero),
            BEHIND: lambda here: self._behind_first(here, pair, place, truth=zero),
            SECOND: lambda here: self.chains.only(here, NEVER, place) if zero else here,
            FIRST: lambda here: here if zero else self.chains.only(here, NEVER, place),
            END: lambda here: self._if_empty(here, pair, place, truth=zero),
            UNKNOWN: lambda here: here,
        }
        return self.chains.cases(here, self.positions.state(pair), ways, place)

    def _against_zero(self, here: str, pair: Pair, symbol: str, bound: Expression, location: str, place: Place) -> str:
        """An index is -1 iff the slot behind its own is the first one: so loops from the last slot to the first end."""
        low, high = self.relations.of(bound, location)
        least = self.relations.of(pair[1], location)[0]
        below = (symbol == "<" and high <= 0) or (symbol in ("<=", "==") and high <= -1)
        inside = (symbol == ">=" and low >= 0) or (symbol == ">" and low >= -1)
        inside |= symbol == "!=" and low == high == -1 and least >= -1
        slot = self.chosen.slot(pair[0])
        assert slot is not None
        if not (below or inside):
            return here
        start, at = slot.as_slot(pair[0]), self.positions.at(pair)
        is_first = Comparison("==", at, start)
        ways: dict[int, Way] = {
            BEHIND: lambda here: self._if_both(here, start, at, is_first, place, truth=below),
            LAST: lambda here: self._if_empty(here, pair, place, truth=below),
        }
        if below:  # a slot that was looked up and is not there may be that of -1
            ways[THERE] = lambda here: self.chains.only(here, Comparison("==", at, slot.null), place)
            ways |= {state: lambda here: self.chains.only(here, NEVER, place) for state in (FIRST, SECOND)}
        ways[UNKNOWN] = lambda here: here
        return self.chains.cases(here, self.positions.state(pair), ways, place)

    def _if_empty(self, here: str, pair: Pair, place: Place, *, truth: bool) -> str:
        """Go on only where an array has no elements, or only where it has some; where it is not there, anyway."""
        slot, end = self.chosen.slot(pair[0]), self.chains.location()
        assert slot is not None
        start = slot.as_slot(pair[0])
        outside, here = self.chains.branch(here, Comparison("==", start, slot.null), place)
        self.chains.connect(outside, end, place)
        self.chains.connect(self.chains.only(here, slot.is_end(start), place, truth=truth), end, place)
        return end

    def _behind_first(self, here: str, pair: Pair, place: Place, *, truth: bool) -> str:
        """Go on only where the slot behind that of an index is the second one, or only where it is not."""
        slot = self.chosen.slot(pair[0])
        assert slot is not None
        start, at = slot.as_slot(pair[0]), self.positions.at(pair)
        return self._if_both(here, start, at, Comparison("==", slot.following(start), at), place, truth=truth)

    def _if_both(
        self, here: str, one: Expression, two: Expression, test: Comparison, place: Place, *, truth: bool
    ) -> str:
        """Go on only where a comparison has an outcome; where one of two slots is not there, it says nothing."""
        chains, end = self.chains, self.chains.location()
        for side in (one, two):
            outside, here = chains.branch(here, Comparison("==", side, Constant(0, side.type)), place)
            chains.connect(outside, end, place)
        chains.connect(chains.only(here, test, place, truth=truth), end, place)
        return end

    def _against_index(self, here: str, pair: Pair, symbol: str, other: Pair, location: str, place: Place) -> str:
        not_above = self.relations.at_most(pair[1], other[1], location)
        not_below = self.relations.at_most(other[1], pair[1], location)
        differs = symbol in ("<", ">", "!=")
        equal = symbol == "==" or (symbol == ">=" and not_above) or (symbol == "<=" and not_below)
        if not differs and not equal:
            return here
        states, positions = (THERE, FIRST, SECOND, BEHIND), self.positions

        def known_by(own: Pair, source: Pair, state: int) -> Way:
            if equal and positions.matters(own):
                return lambda here: positions.copy(here, own, source, state, place)
            return lambda here: here

        def by_other(one: int) -> Way:
            ways: dict[int, Way] = {two: self._are_same(pair, one, other, two, place, truth=equal) for two in states}
            ways[UNKNOWN] = known_by(other, pair, one)
            return lambda here: self.chains.cases(here, positions.state(other), ways, place)

        def by_other_alone(here: str) -> str:
            ways = {two: known_by(pair, other, two) for two in states}
            ways[UNKNOWN] = lambda here: here
            return self.chains.cases(here, positions.state(other), ways, place)

        ways = {one: by_other(one) for one in states}
        ways[UNKNOWN] = by_other_alone if equal and positions.matters(pair) else lambda here: here
        return self.chains.cases(here, positions.state(pair), ways, place)

    def _are_same(self, pair: Pair, one: int, other: Pair, two: int, place: Place, *, truth: bool) -> Way:
        """Go on only where two indices are the same, or only where they are not, by what is known of their slots."""
        slot, chains = self.chosen.slot(pair[0]), self.chains
        assert slot is not None
        if {one, two} <= {FIRST, SECOND}:
            return (lambda here: here) if (one == two) == truth else lambda here: chains.only(here, NEVER, place)
        if SECOND in (one, two) and BEHIND in (one, two):
            return lambda here: here
        if {one, two} & {FIRST, SECOND} and not isinstance(pair[0], Variable):
            return lambda here: here
        start = slot.as_slot(pair[0])
        sides: list[Expression] = []
        for own, state in ((pair, one), (other, two)):
            sides.append(self.positions.at(own) if state in (THERE, BEHIND) else start)
        left, right = sides
        if one == SECOND or (two == BEHIND and one != BEHIND):
            test = Comparison("==", slot.following(left), right)
        elif two == SECOND or (one == BEHIND and two != BEHIND):
            test = Comparison("==", left, slot.following(right))
        else:
            test = Comparison("==", left, right)
        return lambda here: self._if_both(here, left, right, test, place, truth=truth)
