"""The slots of indices: for a pair of an array and an index, a pointer to the slot and a number that says what it is.

The slot is looked up where the program accesses the element; ``i = 0`` and ``i++`` before that are noted, and after
that they move the pointer. What a comparison of two indices, or of an index and the length, says about the numbers
holds of the slots too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set

from kleene.cfa.expressions import Comparison, Constant, Expression, PointerOffset, Variable
from kleene.cfa.operations import Assign, Place
from kleene.cfa.types import INT, IntegerType, PointerType
from kleene.passes.elements.chains import Chains
from kleene.passes.elements.chosen import Chosen, Pair, bare, conversions, owner_of
from kleene.passes.elements.lists import DROPPED, Lists
from kleene.passes.elements.slots import Slot, leads_to_array
from kleene.passes.facts.relations.questions import Relations

UNKNOWN, THERE, FIRST, BEHIND, SECOND, LAST, END = range(7)
"""What is known of the slot of an index: nothing; the pointer points to it; it is the first one (and the pointer is not
set yet); the pointer points to the slot behind it; it is the second one, the last one, or the end."""

NEVER = Comparison("!=", Constant(0, INT), Constant(0, INT))
"""What does not hold."""
Within = tuple[Comparison, ...]
"""What holds of each slot on the way to that of an index."""
Walk = Callable[[str, Within], str]
"""Writes the way to the slot of an index, from a location to another one."""


class Positions:
    """Keeps the slots of the pairs, by operations in chains of edges."""

    def __init__(self, chosen: Chosen, relations: Relations, chains: Chains, lists: Lists) -> None:
        self.chosen, self.relations, self.chains, self.lists = chosen, relations, chains, lists
        self.pairs = sorted(chosen.pairs, key=str)
        self.live: Set[Variable] = frozenset()
        """The variables that are read after the operation at hand: `rewritten` sets it for each operation."""

    def matters(self, pair: Pair) -> bool:
        """Whether the slot of an index may be used before the index is set: else nothing about it is kept.

        Without this rule, the slots of a function that has returned tell structures apart until it is called again.
        """
        index = pair[1]
        return index.is_global or index in self.chosen.taken or index in self.live

    def at(self, pair: Pair) -> Variable:
        slot = self.chosen.slot(pair[0])
        assert slot is not None
        return Variable(f"$slot {pair[0]}[{pair[1]}]", slot.pointer, self._is_global(pair))

    def state(self, pair: Pair) -> Variable:
        return Variable(f"{pair[0]}[{pair[1]}]?", INT, self._is_global(pair))

    def _is_global(self, pair: Pair) -> bool:
        """Positions are local, as the pass runs where there is one function."""
        return False

    def with_indices(self, index: Expression) -> list[Pair]:
        return [pair for pair in self.pairs if pair[1] == index]

    def with_array(self, array: Expression) -> list[Pair]:
        return [pair for pair in self.pairs if pair[0] == array]

    def start(self, here: str, place: Place) -> str:
        """At the start of the program nothing is known, except of globals that get no value: they are 0."""
        zero = {item.variable for item in self.chosen.program.globals if not (item.initial or item.external)}
        for pair in self.pairs:
            self.chains.locals[self.at(pair)] = None
            self.chains.locals[self.state(pair)] = None
            here = self._set(here, pair, FIRST if pair[1] in zero else UNKNOWN, place)
        return here

    def begin(self, here: str, pairs: Iterable[Pair], place: Place) -> str:
        """At the start of a function that is analysed apart nothing is known of its own indices."""
        for pair in pairs:
            here = self._set(here, pair, UNKNOWN, place)
        return here

    def _set(self, here: str, pair: Pair, state: int, place: Place) -> str:
        """Note what is known. A pointer that is of no use is NULL, so that the old one is dead before this place."""
        if state not in (THERE, BEHIND):
            slot = self.chosen.slot(pair[0])
            assert slot is not None
            here = self.chains.add(here, Assign(place, self.at(pair), slot.null))
        return self.chains.add(here, Assign(place, self.state(pair), Constant(state, INT)))

    # Looking up -----------------------------------------------------------------------------------------------

    def look_up(
        self, here: str, pair: Pair, start: Expression, slot: Slot, location: str, place: Place
    ) -> tuple[str, Variable]:
        """The slot of an index, where the array is accessed; it may be the end, or NULL if it is outside."""
        at, chains = self.at(pair), self.chains

        some = chains.local(f"$some {slot.element}", slot.pointer)

        def by(walk: Walk) -> Callable[[str], str]:
            def way(here: str) -> str:
                here = self._below_bound(here, pair, some, walk, location, place)
                return self._set(chains.add(here, Assign(place, at, some)), pair, THERE, place)

            return way

        def first(here: str, within: Within) -> str:
            here = chains.add(here, Assign(place, some, slot.as_slot(start)))
            for test in within:
                here = chains.only(here, test, place)
            return here

        def second(here: str, within: Within) -> str:
            end = chains.location()
            outside, here = chains.branch(first(here, within), slot.is_end(some), place)
            chains.connect(chains.add(outside, Assign(place, some, slot.null)), end, place)
            here = chains.add(here, Assign(place, some, slot.following(some)))
            for test in within:
                here = chains.only(here, test, place)
            chains.connect(here, end, place)
            return end

        def before(here: str) -> str:
            end = chains.location()
            outside, here = chains.branch(here, Comparison("==", at, slot.as_slot(start)), place)
            outside = chains.add(outside, Assign(place, at, slot.null))  # the index is -1
            chains.connect(self._set(outside, pair, THERE, place), end, place)
            here, result = self.lists.before(here, start, at, slot, place)
            here = self._set(chains.add(here, Assign(place, at, result)), pair, THERE, place)
            chains.connect(here, end, place)
            return end

        def last(here: str, within: Within) -> str:
            return self.lists.last(first(here, ()), some, slot, place, before_end=True)

        def beyond(here: str, within: Within) -> str:
            return self.lists.last(first(here, ()), some, slot, place, before_end=False)

        ways: dict[int, Callable[[str], str]] = {
            THERE: lambda here: here,
            FIRST: by(first),
            SECOND: by(second),
            LAST: by(last),
            END: by(beyond),
            BEHIND: before,
            UNKNOWN: by(lambda here, within: self.lists.anywhere(here, start, slot, place, within)[0]),
        }
        counted = self._from_end(pair, pair[1], location)
        ways[UNKNOWN] = ways[counted]
        here = chains.cases(here, self.state(pair), ways, place)
        for other in self.with_array(pair[0]):
            if other != pair and self.matters(other):
                here = self._beside(here, pair, other, location, place)
        return here, at

    def somewhere(
        self, here: str, access: PointerOffset, start: Expression, slot: Slot, location: str, place: Place
    ) -> tuple[str, Variable]:
        """Some slot that the index of an access may have, where nothing is remembered of it."""
        some = self.chains.local(f"$some {slot.element}", slot.pointer)
        walk: Walk = lambda here, within: self.lists.anywhere(here, start, slot, place, within)[0]  # noqa: E731
        return self._below_bound(here, (bare(access.pointer), access.index), some, walk, location, place), some

    def _below_bound(
        self, here: str, access: tuple[Expression, Expression], some: Variable, walk: Walk, location: str, place: Place
    ) -> str:
        """Walk to the slot of an index; all slots on the way are before that of a greater index, as a length is."""
        bound = self._upper_bound(*access, location)
        if bound is None:
            return walk(here, ())
        slot, chains, at = self.chosen.slot(access[0]), self.chains, self.at(bound)
        assert slot is not None
        not_there = Comparison("!=", some, at)

        def two_before(here: str) -> str:
            end = chains.location()
            outside, here = chains.branch(here, Comparison("==", at, slot.null), place)
            chains.connect(walk(outside, ()), end, place)
            chains.connect(walk(here, (not_there, Comparison("!=", slot.following(some), at))), end, place)
            return end

        ways: dict[int, Callable[[str], str]] = {
            THERE: lambda here: walk(here, (not_there,)),
            BEHIND: two_before,
            FIRST: lambda here: chains.only(here, NEVER, place),  # no index is less than 0
            UNKNOWN: lambda here: walk(here, ()),
        }
        return chains.cases(here, self.state(bound), ways, place)

    def _upper_bound(self, array: Expression, index: Expression, location: str) -> Pair | None:
        """A pair of an array whose index is greater than one that is not less than 0."""
        others = [pair for pair in self.with_array(array) if pair[1] != index and self.matters(pair)]
        if not others or self.relations.of(index, location)[0] < 0:
            return None
        others.sort(key=lambda pair: pair[1] not in self.chosen.lengths)
        return next((pair for pair in others if self.relations.is_below(index, pair[1], location)), None)

    def _beside(self, here: str, pair: Pair, other: Pair, location: str, place: Place) -> str:
        """The slot of another index that is the same number, or one more or less, where the slot of one is known."""
        distance = self.relations.distance(other[1], pair[1], location)
        if distance == 1:
            return self._next(here, other, self.at(pair), place)
        if distance not in (0, -1):
            return here
        here = self.chains.add(here, Assign(place, self.at(other), self.at(pair)))
        return self._set(here, other, THERE if distance == 0 else BEHIND, place)

    # Assignments ----------------------------------------------------------------------------------------------

    def index_assigned(self, here: str, index: Variable, value: Expression | None, location: str, place: Place) -> str:
        """After an assignment to an index; without a value, of anything."""
        for pair in self.with_indices(index):
            here = self._move(here, pair, value, location, place)
        return here

    def _move(self, here: str, pair: Pair, value: Expression | None, location: str, place: Place) -> str:
        if value is None:
            return self._set(here, pair, UNKNOWN, place)
        low, high = self.relations.of(value, location)
        if low == high and low in (0, 1):
            return self._set(here, pair, FIRST if low == 0 else SECOND, place)
        origin, shift = self.chosen.step(value)
        source = (pair[0], origin)
        from_end = self._from_end(pair, value, location)
        if origin is None or source not in self.chosen.pairs:
            return self._set(here, pair, from_end, place)
        if not self._keeps_value(origin, pair[1], value, shift, location):
            if not self._wraps_at_zero(origin, pair[1], value, shift, location):
                return self._set(here, pair, UNKNOWN, place)
            end = self.chains.location()
            zero, here = self.chains.branch(here, Comparison("==", origin, Constant(0, origin.type)), place)
            self.chains.connect(self._set(zero, pair, UNKNOWN, place), end, place)
            self.chains.connect(self._moved(here, pair, source, shift, place), end, place)
            return end
        if from_end == UNKNOWN:
            return self._moved(here, pair, source, shift, place)

        def counted(here: str) -> str:
            return self._set(here, pair, from_end, place)

        def moved(here: str) -> str:
            return self._moved(here, pair, source, shift, place)

        return self.chains.cases(here, self.state(source), {UNKNOWN: counted, THERE: moved}, place)

    def _from_end(self, pair: Pair, value: Expression, location: str) -> int:
        """Whether a number that an index gets is the length of the array, or one less."""
        slot, target = self.chosen.slot(pair[0]), pair[1].type
        low, high = self.relations.of(value, location)
        assert slot is not None
        if not (isinstance(target, IntegerType) and target.has(low) and target.has(high)):
            return UNKNOWN
        for more, state in ((0, END), (1, LAST)):
            if self.relations.length_is(pair[0], value, slot.element.size, location, more=more):
                return state
        return UNKNOWN

    def _moved(self, here: str, pair: Pair, source: Pair, shift: int, place: Place) -> str:
        """The slot of an index that gets the number of another one, or one more or less."""
        own, other, was, chains = self.at(pair), self.at(source), self.state(source), self.chains

        def same(state: int) -> Callable[[str], str]:
            return lambda here: self._set(chains.add(here, Assign(place, own, other)), pair, state, place)

        def remember(state: int) -> Callable[[str], str]:
            return lambda here: self._set(here, pair, state, place)

        if shift == 0:
            ways = {state: same(state) for state in (THERE, BEHIND)} | {
                s: remember(s) for s in (FIRST, SECOND, LAST, END, UNKNOWN)
            }
        elif shift > 0:
            ways = {THERE: lambda here: self._next(here, pair, other, place), BEHIND: same(THERE)}
            ways |= {FIRST: remember(SECOND), LAST: remember(END), UNKNOWN: remember(UNKNOWN)}
        else:

            def behind(slot_before: Variable) -> Callable[[str], str]:
                def way(here: str) -> str:
                    if pair[1] in self.chosen.lengths:
                        here = self._drop(here, pair, slot_before, place)
                    return self._set(chains.add(here, Assign(place, own, slot_before)), pair, BEHIND, place)

                return way

            ways = {THERE: behind(other), SECOND: remember(FIRST), END: remember(LAST)}
            ways[BEHIND] = lambda here: self._back(here, pair, other, behind, place)
            ways[UNKNOWN] = remember(UNKNOWN)
        return chains.cases(here, was, ways, place)

    def _back(
        self, here: str, pair: Pair, at: Variable, way: Callable[[Variable], Callable[[str], str]], place: Place
    ) -> str:
        """Go a way with the slot before one; before the first there is none, and nothing is known."""
        slot, chains, end = self.chosen.slot(pair[0]), self.chains, self.chains.location()
        assert slot is not None
        start = slot.as_slot(pair[0])
        for none in (Comparison("==", start, slot.null), Comparison("==", at, start)):
            first, here = chains.branch(here, none, place)
            chains.connect(self._set(first, pair, UNKNOWN, place), end, place)
        here, before = self.lists.before(here, start, at, slot, place)
        chains.connect(way(before)(here), end, place)
        return end

    def _drop(self, here: str, pair: Pair, at: Variable, place: Place) -> str:
        """The element behind the last one is not kept: it is as if it had not been initialized."""
        slot, chains = self.chosen.slot(pair[0]), self.chains
        if slot is None or not isinstance(slot.element, PointerType):
            return here
        outside, here = chains.branch(here, Comparison("==", at, slot.null), place)
        here = self.lists.lose(here, slot.element_of(at), DROPPED, place)
        end = chains.location()
        chains.connect(outside, end, place)
        chains.connect(here, end, place)
        return end

    def keeps_number(self, index: Variable, side: Expression, location: str) -> bool:
        """Whether no conversion of an index changes its number."""
        low, high = self.relations.of(index, location)
        return all(t.has(low) and t.has(high) for t in conversions(side)[0])

    def _keeps_value(self, origin: Variable, target: Variable, value: Expression, shift: int, location: str) -> bool:
        """Whether a number that is computed from an index is this index plus the shift: nothing wraps on the way."""
        low, high = self.relations.of(origin, location)
        types = [t for t in (origin.type, target.type, *conversions(value)[1]) if isinstance(t, IntegerType)]
        is_kept = all(t.has(low + shift) and t.has(high + shift) for t in types)
        return is_kept and self.keeps_number(origin, value, location)

    def _wraps_at_zero(self, origin: Variable, target: Variable, value: Expression, shift: int, location: str) -> bool:
        """Whether a number one less than another one wraps only where that is 0, as in ``while (n--)``."""
        low, high = self.relations.of(origin, location)
        types = [t for t in (origin.type, target.type, *conversions(value)[1]) if isinstance(t, IntegerType)]
        is_kept = all(t.has(high) for t in types) and self.keeps_number(origin, value, location)
        return shift == -1 and low == 0 and origin != target and is_kept

    def _next(self, here: str, pair: Pair, other: Variable, place: Place) -> str:
        """The slot behind one that is known: behind the end there is none, and nothing is known."""
        chains, slot = self.chains, self.chosen.slot(pair[0])
        assert slot is not None
        end = chains.location()
        outside, here = chains.branch(here, Comparison("==", other, slot.null), place)
        chains.connect(self._set(outside, pair, UNKNOWN, place), end, place)
        over, here = chains.branch(here, slot.is_end(other), place)
        chains.connect(self._set(over, pair, UNKNOWN, place), end, place)
        here = chains.add(here, Assign(place, self.at(pair), slot.following(other)))
        chains.connect(self._set(here, pair, THERE, place), end, place)
        return end

    def copy(self, here: str, pair: Pair, source: Pair, state: int, place: Place) -> str:
        """The slot of an index is that of another one, of which something is known."""
        if state in (THERE, BEHIND):
            here = self.chains.add(here, Assign(place, self.at(pair), self.at(source)))
        return self._set(here, pair, state, place)

    def array_assigned(self, here: str, array: Expression, source: Expression | None, place: Place) -> str:
        """After an assignment to a variable that is an array, or leads to one: its slots are those of the source."""
        for pair in self.pairs:
            if (pair[0] != array and owner_of(pair[0]) != array) or not self.matters(pair):
                continue
            other = (source, pair[1]) if source is not None else None
            if pair[0] == array and other is not None and other in self.chosen.pairs:
                here = self.chains.add(here, Assign(place, self.at(pair), self.at(other)))
                here = self.chains.add(here, Assign(place, self.state(pair), self.state(other)))
            else:
                here = self.forget(here, pair, place)
        return here

    def memory_written(self, here: str, target: Expression, place: Place) -> str:
        """After a write to memory: arrays that are members may be others."""
        for pair in self.pairs:
            if owner_of(pair[0]) is not None and self._may_overlap(pair[0], target):
                here = self.forget(here, pair, place)
        return here

    def _may_overlap(self, array: Expression, target: Expression) -> bool:
        if leads_to_array(array.type):  # it is set where the struct is made, and never again
            return False
        first, second = (self.chosen.blocks.address_places(lvalue) for lvalue in (array, target))
        moved = self.chosen.blocks.moved_kinds
        if first is None or second is None or moved is None:
            return True
        return any(
            kind == other and (kind in moved or (offset < at + target.type.size and at < offset + array.type.size))
            for kind, offset in first
            for other, at in second
        )

    def call(self, here: str, place: Place) -> str:
        """After a call of a function that is analysed apart: it may have set arrays that are not local variables."""
        for pair in self.pairs:
            if self.chosen.may_move(pair[0]):
                here = self.forget(here, pair, place)
        return here

    def free(self, here: str, pointer: Expression, place: Place) -> str:
        """After a block ends: pointers to its slots are of no use."""
        kinds = self.chosen.kinds(pointer)
        for pair in self.pairs:
            if kinds & self.chosen.kinds(pair[0]):
                here = self.forget(here, pair, place)
        return here

    def forget(self, here: str, pair: Pair, place: Place) -> str:
        """The pointer to the slot is of no use any more; that the index is 0 or 1 still holds."""
        if not self.matters(pair):
            return here

        def forget(here: str) -> str:
            return self._set(here, pair, UNKNOWN, place)

        ways = dict.fromkeys((THERE, BEHIND, LAST, END), forget) | {UNKNOWN: lambda here: here}
        return self.chains.cases(here, self.state(pair), ways, place)

    def grown(self, here: str, array: Expression, place: Place) -> str:
        """After an array has got another length: which slot is the last one is not known any more."""
        for pair in filter(self.matters, self.with_array(array)):

            def unknown(here: str, own: Pair = pair) -> str:
                return self._set(here, own, UNKNOWN, place)

            ways: dict[int, Callable[[str], str]] = {LAST: unknown, END: unknown, UNKNOWN: lambda here: here}
            here = self.chains.cases(here, self.state(pair), ways, place)
        return here
