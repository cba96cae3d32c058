"""Numbers in memory that become indices, in a state of the analysis of relations: what is promised of them.

The numbers at a place (`number_places`) are promised not to be less than 0, or than -1, and to be less than a constant
or a variable. Promises are guessed, and every store is checked to keep them, as those of texts are (`stored_texts`).

A new block has no numbers yet: its places are *open*, and what is read there may be anything. A place of a struct is
open until it is written. The elements of an array are *filled* from the first one on: an element that is written just
behind the filled ones makes them one more. An open place of which the state loses sight breaks its promises.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterable
from functools import cached_property

from kleene.cfa.expressions import Deref, Expression, Field, Index, Variable
from kleene.cfa.operations import Call, Enter, Invoke, Leave, MemCopy, MemSet, Operation
from kleene.cfa.program import BYTES_READ, TEXT_DIGITS, TEXT_LENGTH, TEXT_PREFIX, Global
from kleene.cfa.types import IntegerType, RecordType
from kleene.passes.facts.relations.number_places import NumberPlace, NumberPlaces, number_places
from kleene.passes.facts.relations.states import Part, State
from kleene.passes.facts.relations.stored_texts import StoredTexts
from kleene.passes.facts.relations.zones import ZERO

LEAST = (0, -1)
"""Numbers that an index in memory is often not less than: the first one, and a mark for none."""
FROM, BELOW = "from", "below"
"""The two promises."""
READING_PRIMITIVES = frozenset((TEXT_LENGTH, TEXT_PREFIX, BYTES_READ, TEXT_DIGITS))
"""Operations on texts that write nothing."""
OPEN = "open"
MOVED = "moved to"
"""The block to which `realloc` moved another one, if that is not NULL."""


class StoredNumbers(StoredTexts, ABC):
    """Promises of numbers."""

    @cached_property
    def number_places(self) -> NumberPlaces:
        return number_places(self.cfa, self._kinds)

    # Promises -------------------------------------------------------------------------------------------------

    def _places_at(self, lvalue: Expression) -> list[NumberPlace]:
        """The places of an lvalue, if it has no others; else none."""
        if not self.number_places.of_kind:
            return []
        if lvalue not in self._known_places:
            spots = self._kinds.address_places(lvalue) or ()
            known = [
                next((p for p in self.number_places.of_kind.get(kind, ()) if p.offset == offset), None)
                for kind, offset in spots
            ]
            self._known_places[lvalue] = [p for p in known if p is not None] if all(known) else []
        return self._known_places[lvalue]

    @cached_property
    def _known_places(self) -> dict[Expression, list[NumberPlace]]:
        return {}

    def _number_read(self, lvalue: Expression, base: int, number: int, state: State) -> None:
        """A number is read from memory and not known yet: it is as promised, unless its place may be open."""
        places = self._places_at(lvalue)
        if not places or any(p.type != lvalue.type for p in places) or self._may_be_open(lvalue, base, places, state):
            return
        least = next((n for n in LEAST if all(self.promises.holds(FROM, (p, n)) for p in places)), None)
        if least is not None:
            state.zone.add(ZERO, number, -least)
        for bound in self.number_places.bounds:
            if all(self.promises.holds(BELOW, (p, bound)) for p in places):
                self._add_bound(number, bound, state)

    def _add_bound(self, number: int, bound: Variable | int, state: State) -> None:
        if isinstance(bound, int):
            state.zone.add(number, ZERO, bound - 1)
        else:
            state.zone.add(number, self.number(bound, state), -1)

    def _check_number(self, number: int, place: NumberPlace, state: State) -> None:
        """A number is stored at a place: it breaks the promises that it does not keep."""
        if number not in state.zone.bounds:
            self._break_place(place)
            return
        for least in LEAST:
            if state.interval(number)[0] < least:
                self.promises.break_(FROM, (place, least))
        for bound in self.number_places.bounds:
            if (BELOW, (place, bound)) not in self.promises.broken:
                other, more = (ZERO, bound) if isinstance(bound, int) else (self.number(bound, state), 0)
                if self.upper(state, number, other) >= more:
                    self.promises.break_(BELOW, (place, bound))

    def _break_place(self, place: NumberPlace) -> None:
        for least in LEAST:
            self.promises.break_(FROM, (place, least))
        for bound in self.number_places.bounds:
            self.promises.break_(BELOW, (place, bound))

    def _break_kinds(self, kinds: Iterable[object] | None) -> None:
        """Bytes of unknown values are written to blocks of some kinds; None for any."""
        of_kind = self.number_places.of_kind
        for kind in of_kind if kinds is None else kinds:
            for place in of_kind.get(kind, ()):
                self._break_place(place)

    # Open places ----------------------------------------------------------------------------------------------

    def _open_parts(self, state: State) -> list[Part]:
        return [k for k in state.held if isinstance(k, Part) and k.kind == OPEN]

    def _filled(self, block: int, offset: int, state: State) -> Part | None:
        """The key of the number of elements that have a number at an offset."""
        kinds = state.blocks.get(block) or ()
        strides = {self.number_places.strides.get(kind, 0) for kind in kinds}
        return Part(f"filled {offset}", block, strides.pop()) if len(strides) == 1 and 0 not in strides else None

    def _is_full(self, part: Part, state: State) -> bool:
        """Whether all elements of a block have a number."""
        key = self._filled(part.symbol, part.scale, state)
        room = self._part(state, "room", part.symbol, key.scale) if key is not None and key in state.held else None
        return key is not None and room is not None and state.zone.upper(room, state.held[key]) <= 0

    def _position(self, lvalue: Expression, base: int, unit: int, state: State) -> tuple[int, int] | None:
        """The block of an element of an array, and its index."""
        while isinstance(lvalue, Field):
            lvalue = lvalue.base
        if isinstance(lvalue, Index) and isinstance(lvalue.base, Variable):
            return base, self.number(lvalue.index, state)
        return self.coordinates(state, base, unit) if isinstance(lvalue, Deref) else None

    def _may_be_open(self, lvalue: Expression, base: int, places: list[NumberPlace], state: State) -> bool:
        """Whether what is read may not have been written."""
        offsets = {place.offset for place in places}
        for part in self._open_parts(state):
            block = part.symbol
            if part.scale not in offsets or not self._may_be_same(state, base, block) or self._is_full(part, state):
                continue
            key = self._filled(block, part.scale, state)
            at = self._position(lvalue, base, key.scale, state) if key is not None and key in state.held else None
            if key is None or at is None or at[0] != block:
                return True
            if state.interval(at[1])[0] < 0 or self.upper(state, at[1], state.held[key]) >= 0:
                return True
        return False

    def open_places(self, block: int, state: State, *, zeroed: bool) -> None:
        """A new block: it has no numbers, or only 0."""
        for kind in (state.blocks.get(block) or ()) if self.number_places.of_kind else ():
            for place in self.number_places.of_kind.get(kind, ()):
                if zeroed:
                    self._check_number(state.fresh(0, 0), place, state)
                    continue
                state.held[Part(OPEN, block, place.offset)] = block
                key = self._filled(block, place.offset, state)
                if key is not None:
                    state.held[key] = state.fresh(0, 0)

    def begin_numbers(self, item: Global, state: State) -> None:
        """A global object begins with 0 everywhere, unless other code made it."""
        for place in self.number_places.of_kind.get(self._kinds.of_object(item.variable), ()):
            if item.external:
                self._break_place(place)
            else:
                self._check_number(state.fresh(0, 0), place, state)

    def move_places(self, old: int, block: int, state: State) -> None:
        """A block is moved: its numbers come to be in blocks of another kind, and the rest is open.

        If the new block is NULL, the old one is still there.
        """
        if not self.number_places.of_kind:
            return
        self.open_places(block, state, zeroed=False)
        before = state.blocks.get(old)
        for kind in state.blocks.get(block) or ():
            for place in self.number_places.of_kind.get(kind, ()):
                if before is None or not all(self._keeps_of(own, place) for own in before):
                    self._break_place(place)
                self._move_filled(old, block, place, state)
        state.held[Part(MOVED, old, 1)] = block

    def _move_filled(self, old: int, block: int, place: NumberPlace, state: State) -> None:
        """The elements that were filled are filled in the new block, as far as it has room for them."""
        key, was = self._filled(block, place.offset, state), self._filled(old, place.offset, state)
        if key is None or was is None or was.scale != key.scale:
            return
        is_open = Part(OPEN, old, place.offset) in state.held
        count = state.held.get(was) if is_open else self._part(state, "room", old, key.scale)
        behind, room = self._part(state, "behind", old, key.scale), self._part(state, "room", block, key.scale)
        if count is None or room is None or behind is None or not self.is_zero(state, behind):
            return
        fewer = next((n for n, m in ((count, room), (room, count)) if state.zone.upper(n, m) <= 0), None)
        if fewer is not None:
            state.held[key] = fewer

    def _keeps_of(self, kind: object, place: NumberPlace) -> bool:
        """Whether the numbers in blocks of a kind are promised all that those at a place are."""
        own = next((p for p in self.number_places.of_kind.get(kind, ()) if p.offset == place.offset), None)
        if own is None or own.type != place.type:
            return False
        pairs = [(FROM, n) for n in LEAST] + [(BELOW, b) for b in self.number_places.bounds]
        return all(
            self.promises.holds(promise, (own, bound)) or not self.promises.holds(promise, (place, bound))
            for promise, bound in pairs
        )

    def _close(self, block: int, state: State, offset: int | None = None) -> None:
        """The places of a block are open no more, or the one at an offset."""
        for part in self._open_parts(state):
            if part.symbol == block and offset in (None, part.scale):
                del state.held[part]

    def end_moved(self, block: int, state: State) -> None:
        """A block is not NULL: one that was moved to it is there no more."""
        for part in [k for k, s in state.held.items() if isinstance(k, Part) and k.kind == MOVED and s == block]:
            self._close(part.symbol, state)

    # Operations -----------------------------------------------------------------------------------------------

    def number_stored(self, target: Expression, symbol: int, base: int, offset: int | None, state: State) -> None:
        """A value is stored in memory."""
        if not self.number_places.of_kind:
            return
        spots = self._kinds.address_places(target)
        if spots is None:
            self._break_kinds(None)
            return
        is_number = isinstance(target.type, IntegerType) and not (isinstance(target, Field) and target.bit_width)
        for kind, start in spots:
            for place in self.number_places.of_kind.get(kind, ()):
                if is_number and place.offset == start:
                    self._check_number(symbol, place, state)
                elif place.offset < start + target.type.size and start < place.offset + place.type.size:
                    self._break_place(place)
        for place in self._places_at(target):
            if place.kind not in self.number_places.strides and offset == place.offset:
                self._close(base, state, place.offset)
            stride = self.number_places.strides.get(place.kind, 0)
            at = self._position(target, base, stride, state) if stride else None
            key = self._filled(at[0], place.offset, state) if at is not None else None
            if at is not None and key is not None and key in state.held:
                state.held[key] = self._filled_after(state.held[key], at[1], state)

    def _filled_after(self, count: int, index: int, state: State) -> int:
        """How many elements from the first one on have a number, after one is stored at an index."""
        if state.interval(index)[0] < 0 or state.zone.upper(index, count) > 0 or state.zone.upper(index, count) <= -1:
            return count  # behind a gap, or there already
        behind = self._sum(state, index, state.fresh(1, 1), minus=False)
        if state.zone.upper(count, index) <= 0:
            return behind
        low, high = state.interval(count)
        filled = state.fresh(low, high + 1)  # as many as before, or one more
        for less, more, difference in ((count, filled, 0), (behind, filled, 0), (filled, count, 1)):
            state.zone.add(less, more, difference)
        return filled

    def struct_stored(self, target: Expression, value: Expression, state: State) -> None:
        """A struct is copied: from blocks of the same kinds, its numbers keep the promises."""
        if not self.number_places.of_kind:
            return
        to, from_ = self._kinds.address_places(target), self._kinds.address_places(value)
        source, _ = self._locate(value, state)
        is_same = to is not None and to == from_ and len(to) == 1 and isinstance(target.type, RecordType)
        if not is_same or any(self._may_be_same(state, source, part.symbol) for part in self._open_parts(state)):
            self._break_kinds(None if to is None else {kind for kind, _ in to})

    def numbers_written(self, operation: Operation, state: State) -> None:
        """Bytes are written by an operation on blocks, or a function is called."""
        if not self.number_places.of_kind:
            return
        match operation:
            case MemSet(pointer=pointer, value=value, size=size):
                base, amount = self._bytes(pointer, size, state)
                kinds, array = self._kinds.of_value(pointer), self._stays_in_array(state, base, amount)
                if kinds is None or array is not None or not self.is_zero(state, self.number(value, state)):
                    self._break_array(pointer, array)
                    return
                zero = state.fresh(0, 0)
                for place in [p for kind in kinds for p in self.number_places.of_kind.get(kind, ())]:
                    self._check_number(zero, place, state)
                room, behind = self._part(state, "room", base, 1), self._part(state, "behind", base, 1)
                if room is not None and behind is not None and self._is_whole(state, behind, amount, room):
                    self._close(base, state)
            case MemCopy(destination=pointer, size=size):
                self._break_array(pointer, self._stays_in_array(state, *self._bytes(pointer, size, state)))
            case Call(function=name) if name in READING_PRIMITIVES:
                pass
            case Call(arguments=arguments):
                for argument in arguments:
                    if isinstance(argument.type, IntegerType):
                        continue
                    self._break_kinds(self._kinds.of_value(argument))
            case Invoke() | Leave():
                self._lose(self._open_parts(state), state)
            case Enter():
                pass
            case _:
                self._break_kinds(None)

    def _bytes(self, pointer: Expression, size: Expression, state: State) -> tuple[int, int]:
        return self.pointer(pointer, state), self.number(size, state)

    def _break_array(self, pointer: Expression, array: tuple[int, int] | None) -> None:
        """Break the promises of the blocks of a pointer; of an array in a struct, those of the places in it."""
        kinds = self._kinds.of_value(pointer)
        if array is None or kinds is None:
            self._break_kinds(kinds)
            return
        begin, end = array
        for place in [p for kind in kinds for p in self.number_places.of_kind.get(kind, ())]:
            if place.offset < end and begin < place.offset + place.type.size:
                self._break_place(place)

    def _is_whole(self, state: State, at: int, amount: int, room: int) -> bool:
        return self.is_zero(state, at) and state.zone.upper(room, amount) <= 0

    # Losing sight ---------------------------------------------------------------------------------------------

    def _lose(self, parts: Iterable[Part], state: State) -> None:
        """Open places that the state does not have any more: something may be read there, so the promises break."""
        for part in list(parts):
            if not self._is_full(part, state):
                for kind in state.blocks.get(part.symbol) or ():
                    for place in self.number_places.of_kind.get(kind, ()):
                        if place.offset == part.scale:
                            self._break_place(place)
            del state.held[part]

    def lose_unreached(self, state: State) -> None:
        """Blocks to which no variable leads are lost."""
        parts = self._open_parts(state)
        if parts:
            reached = state.reached()
            self._lose([part for part in parts if part.symbol not in reached], state)

    def settle_open(
        self, known: State, after: State, joint: State, pairs: Iterable[tuple[int, tuple[int, int]]]
    ) -> None:
        """Where two states meet, places that are open in one of them only are lost."""
        pairs = list(pairs)
        for side, state in enumerate((known, after)):
            parts = self._open_parts(state)
            if parts:
                stay = {p[side]: n for n, p in pairs}
                lost = [
                    k for k in parts if k.symbol not in stay or Part(OPEN, stay[k.symbol], k.scale) not in joint.held
                ]
                self._lose(lost, state.copy())
