"""Questions about numbers, members and the lengths of blocks where an edge leaves a location."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import lru_cache

from kleene.cfa.expressions import (
    Comparison,
    Constant,
    Expression,
    Field,
    Variable,
)
from kleene.cfa.operations import (
    Assume,
    Call,
)
from kleene.cfa.types import IntegerType, Type, is_scalar
from kleene.passes.facts.blocks_of_pointers import Blocks, ByteArray
from kleene.passes.facts.memory import Memory
from kleene.passes.facts.relations.fixpoint import Fixpoint, is_constant
from kleene.passes.facts.relations.states import Part, State
from kleene.passes.facts.relations.texts import OLDEST
from kleene.passes.facts.relations.values import full_range
from kleene.passes.facts.relations.zones import ZERO, Interval


@lru_cache(maxsize=1)
def relations_of(memory: Memory) -> Relations:
    """The relations of the automaton that was asked about last: several parts of one translation need them."""
    return Relations(memory.program, memory.cfa)


class Relations(Fixpoint):
    """What holds in all states of a location."""

    # Questions ------------------------------------------------------------------------------------------------

    def of(self, expression: Expression, location: str) -> Interval:
        """The values that an integer expression may have where an edge leaves a location."""
        return self._hull(location, expression.type, lambda state: state.interval(self.number(expression, state)))

    def result_of(self, call: Call, location: str) -> Interval:
        """The numbers that an operation of a summary may give."""
        result = call.result
        assert result is not None

        def interval(state: State) -> Interval:
            after = self.after(call, state)
            return full_range(result.type) if after is None else after.interval(self.number(result, after))

        return self._hull(location, result.type, interval)

    def _hull(self, location: str, type_: Type, interval: Callable[[State], Interval]) -> Interval:
        intervals = [interval(state.copy()) for state in self.at.get(location, {}).values()]
        if not intervals:
            return full_range(type_)
        return min(low for low, _ in intervals), max(high for _, high in intervals)

    def _always(self, location: str, holds: Callable[[State], bool]) -> bool:
        """Whether something holds in all states of a location that is reached."""
        states = self.at.get(location, {})
        return bool(states) and all(holds(state.copy()) for state in states.values())

    def excludes(self, condition: Assume, location: str) -> bool:
        """Whether no run passes a condition."""
        return self._always(location, lambda state: self.after(condition, state) is None)

    def inside(
        self,
        pointer: Expression,
        index: Expression,
        scale: int,
        location: str,
        *,
        or_end: bool = False,
        or_null: bool = False,
    ) -> bool:
        """Whether the element of `scale` bytes at an index from a pointer is in the pointer's block, or its end.

        With `or_null`, the pointer may be NULL: who asks looks whether the block is there.
        """

        def holds(state: State) -> bool:
            base, at = self.pointer(pointer, state), self.number(index, state)
            if or_null and is_constant(state, base, 0):
                return True
            if self._fits(state, base, at, scale, room_needed=0 if or_end else 1):
                return True
            place = self.place(state, base, at, scale)
            return place is not None and self._is_in(state, *place, scale)

        return self._always(location, holds)

    def has_bytes(self, pointer: Expression, size: Expression, location: str, *, more: int = 0) -> bool:
        """Whether so many bytes, and some more, are in the block of a pointer from there on."""

        def holds(state: State) -> bool:
            base, amount = self.pointer(pointer, state), self.number(size, state)
            place, known = self.place(state, base, amount), self.coordinates(state, base)
            if place is None or known is None or state.interval(known[1])[0] < 0 or state.interval(amount)[0] < 0:
                return False
            room = self._part(state, "room", base, 1)
            has_room = room is not None and self.upper(state, amount, room) <= -more
            return has_room or self._is_in(state, *place, behind=more)

        return self._always(location, holds)

    def stays_in_arrays(
        self, pointer: Expression, size: Expression, arrays: Iterable[ByteArray], location: str, *, more: int = 0
    ) -> bool:
        """Whether so many bytes from a pointer on, and some more, are in one of some arrays of bytes in structs.

        A pointer to a struct that begins with such an array has the room of the whole struct. Who asks looks whether
        the bytes are in the block: so it is where the block of the pointer is the array itself.
        """

        def holds(state: State) -> bool:
            base, amount = self.pointer(pointer, state), self.number(size, state)
            known = self.coordinates(state, base)
            if known is None or self._member_of(state, known[0]) is not None:
                return known is not None or is_constant(state, base, 0)
            kinds, ends = state.blocks.get(known[0]), (known[1], self._plus(state, known[1], amount))
            first, behind = min(state.interval(end)[0] for end in ends), max(state.interval(end)[1] for end in ends)
            own = [array for array in arrays if kinds is None or array.kind in kinds]
            return all(a.offset <= first and behind + more <= a.offset + a.size for a in own)

        return self._always(location, holds)

    def is_ended(self, pointer: Expression, location: str, unit: int = 1) -> bool:
        """Whether a pointer is NULL or leads to a text with a terminator: who asks looks whether it is NULL, too."""

        def holds(state: State) -> bool:
            base = self.pointer(pointer, state)
            return is_constant(state, base, 0) or self._is_ended(state, base, unit)

        return self._always(location, holds)

    def is_before_end(self, pointer: Expression, index: Expression, unit: int, location: str) -> bool:
        """Whether an element is before the first one that is 0."""

        def holds(state: State) -> bool:
            base, at = self.pointer(pointer, state), self.number(index, state)
            place = self.place(state, base, at, unit)
            end = state.held.get(Part(OLDEST, place[0], unit)) if place is not None else None
            if place is None or end is None:
                return False
            length = state.held.get(Part("room", place[0], unit))
            is_last = length is not None and state.zone.upper(length, end) <= 1  # ``while (--argc > 0) use(*++argv)``
            return state.zone.upper(place[1], end) <= -1 or (
                is_last and self._fits(state, base, at, unit, room_needed=2)
            )

        return self._always(location, holds)

    def is_start(self, pointer: Expression, location: str) -> bool:
        """Whether a pointer is NULL or the start of its block."""

        return self._always(location, lambda state: self._is_start(pointer, state))

    def _is_start(self, pointer: Expression, state: State) -> bool:
        behind = self._part(state, "behind", self.pointer(pointer, state), 1)
        return behind is not None and state.interval(behind) == (0, 0)

    def is_null(self, pointer: Expression, location: str) -> bool:
        """Whether a pointer is NULL."""
        return self._always(location, lambda state: is_constant(state, self.pointer(pointer, state), 0))

    def length_is(self, pointer: Expression, count: Expression, scale: int, location: str, *, more: int = 0) -> bool:
        """Whether a pointer is the start of a block of just that many elements, and some more."""

        def holds(state: State) -> bool:
            room, number = self._whole_room(pointer, scale, state), self.number(count, state)
            return room is not None and state.zone.upper(room, number) == more == -state.zone.upper(number, room)

        return self._always(location, holds)

    def has_at_most(self, pointer: Expression, count: Expression, scale: int, location: str) -> bool:
        """Whether a pointer is the start of a block of not more than so many elements, or NULL."""

        def holds(state: State) -> bool:
            room, number = self._whole_room(pointer, scale, state), self.number(count, state)
            return room is not None and state.growth(number, room) is not None  # a number less than 0 gives no block

        return self._always(location, holds)

    def _whole_room(self, pointer: Expression, scale: int, state: State) -> int | None:
        """The number of elements of a block, if a pointer is its start."""
        base = self.pointer(pointer, state)
        room, behind = self._part(state, "room", base, scale), self._part(state, "behind", base, scale)
        return room if behind is not None and state.interval(behind) == (0, 0) else None

    def is_nonzero(self, expression: Expression, location: str) -> bool:
        """Whether a number is not 0."""
        return self._always(location, lambda state: state.is_nonzero(self.number(expression, state)))

    def at_most(self, left: Expression, right: Expression, location: str, *, more: int = 0) -> bool:
        """Whether a number is not greater than another one, and some more."""
        return self._always(
            location, lambda state: state.zone.upper(self.number(left, state), self.number(right, state)) <= more
        )

    def is_below(self, left: Expression, right: Expression, location: str) -> bool:
        """Whether a number is less than another one."""
        return self._always(
            location, lambda state: state.zone.upper(self.number(left, state), self.number(right, state)) <= -1
        )

    def distance(self, left: Expression, right: Expression, location: str) -> int | None:
        """The first number less the second, if that is always the same."""
        distances: set[int | None] = set()
        for known in self.at.get(location, {}).values():
            state = known.copy()
            a, b = self.number(left, state), self.number(right, state)
            most = state.zone.upper(a, b)
            distances.add(most if state.zone.upper(b, a) == -most else None)
        return distances.pop() if len(distances) == 1 else None

    def difference(
        self, left: Expression, right: Expression | None, location: str, behind: Assume
    ) -> tuple[float, float]:
        """The least and the greatest value of the first number less the second, without overflow, after a condition."""
        bounds: list[tuple[int, int]] = []
        for state in self.at.get(location, {}).values():
            after = self.after(behind, state)
            if after is not None:
                a, b = self.number(left, after), ZERO if right is None else self.number(right, after)
                bounds.append((-after.zone.upper(b, a), after.zone.upper(a, b)))
        if not bounds:
            return -math.inf, math.inf
        return min(low for low, _ in bounds), max(high for _, high in bounds)

    def told_nonzero(self, condition: Assume, location: str) -> list[Expression]:
        """The numbers that a comparison of two numbers tells not to be 0: ``if (used + more <= room)`` says it of room.

        That is for the shape analysis, which knows of such a comparison only what constants say: numbers that have one
        value after it are left out.
        """
        test = condition.condition
        if not isinstance(test, Comparison) or Constant in (type(test.left), type(test.right)):
            return []
        sides = [s for s in (test.left, test.right) if isinstance(s, Variable | Field) and is_scalar(s.type)]
        numbers = [s for s in sides if isinstance(s.type, IntegerType) and not self.is_nonzero(s, location)]
        bounds = {number: self.difference(number, None, location, condition) for number in numbers}
        told = {n: (low, high) for n, (low, high) in bounds.items() if 0 < low < math.inf or -math.inf < high < 0}
        return [number for number, (low, high) in told.items() if low != high]

    @property
    def blocks(self) -> Blocks:
        return self._kinds
