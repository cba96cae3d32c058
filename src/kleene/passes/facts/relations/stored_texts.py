"""Texts in memory, in a state of the analysis of relations: promises, and debts.

What is in memory is described by *promises*, for each kind of blocks: every pointer that is stored there has a
terminator at or behind it, or is the start of its block. They are guessed, and each operation is checked to keep
them (`promises`).

A block is *fresh* until a pointer to it is stored in memory that is not fresh itself. A fresh block need not keep any
promise. What it holds is its *debts*, which are paid when it is stored: so a struct can be made, get a block for a
text, and get the text, before it becomes an element of a list.

A text that loses its terminator for a while need not break a promise (`open_texts`).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from kleene.cfa.expressions import Expression, Variable
from kleene.cfa.types import ArrayType, PointerType, RecordType
from kleene.passes.entry_parameters import ARGUMENT
from kleene.passes.facts.blocks_of_pointers import LITERAL
from kleene.passes.facts.relations.open_texts import WHOLE, OpenTexts
from kleene.passes.facts.relations.states import Part, State
from kleene.passes.facts.relations.texts import LONGEST_ARGUMENT, NEWEST, OLDEST, SHORT, is_byte
from kleene.passes.facts.relations.values import WORD
from kleene.passes.facts.relations.zones import ZERO
from kleene.passes.literals import is_literal


class StoredTexts(OpenTexts):
    """Promises, debts, and the operations on texts."""

    def _unit_of(self, kind: object) -> int:
        """The bytes of the elements of a kind of blocks, as its allocation counts them."""
        return 1

    # What is loaded and stored --------------------------------------------------------------------------------

    def _load(self, lvalue: Expression, base: int, pointer: int, state: State) -> int:
        """A pointer that was read from memory: its kinds tell what is promised of it."""
        if self._is_argument(base, state):
            return self._argument(base, pointer, state)
        if self._may_owe(base, state):
            state.held[Part("murky", pointer, 1)] = pointer
            return pointer
        kinds = state.blocks.get(pointer)
        if kinds and self.promises.kinds:
            self._mark_stored(pointer, kinds, state)
            self._promise(pointer, kinds, state)
        return pointer

    def _loaded_again(self, base: int, pointer: int, state: State) -> None:
        """The arrays of its struct keep the promises from here on: it was stored before they were checked."""
        kinds = state.blocks.get(pointer)
        is_published = not self._is_argument(base, state) and not self._may_owe(base, state)
        if kinds and is_published and self._has_text(pointer, state) and Part("fresh", pointer, 1) not in state.held:
            self._mark_stored(pointer, kinds, state)
            self._promise_again(state)

    @staticmethod
    def _may_owe(base: int, state: State) -> bool:
        """Whether some pointer in a block may not keep the promises."""
        debts = (k for k in state.held if isinstance(k, Part) and k.kind == "debt" and k.symbol == base)
        return Part("murky", base, 1) in state.held or (Part("fresh", base, 1) in state.held and any(debts))

    def _mark_stored(self, pointer: int, kinds: frozenset[object], state: State) -> None:
        """Memory may lead to a block: it keeps all promises."""
        state.held[Part("stored", pointer, 1)] = pointer
        self._mark_loaded(pointer, kinds, state)

    def _mark_loaded(self, pointer: int, kinds: frozenset[object], state: State) -> None:
        state.held[Part("loaded", pointer, 1)] = pointer
        for kind in kinds if len(kinds) == 1 else ():
            for offset, size in self.byte_arrays.get(kind, ()):
                self._array_in(pointer, offset, size, state)

    def _is_argument(self, base: int, state: State) -> bool:
        block = state.held.get(Part("block", base, 1))
        return block is not None and Part(OLDEST, block, self.program.pointer_size) in state.held

    def _argument(self, base: int, pointer: int, state: State) -> int:
        """An element of `argv`: a text, or NULL at the end; the one that was read last if it is the same."""
        width = self.program.pointer_size
        known = self.coordinates(state, base, width)
        if known is None:
            return pointer
        block, position = known
        self._note_access(state, block, position, width)
        last = state.held.get(Part("byte at", block, width))
        if last is not None and state.zone.upper(last, position) <= 0 and state.zone.upper(position, last) <= 0:
            same = state.held[Part("byte", block, width)]
            if same in state.blocks:
                return same
        nothing = state.fresh(0, 0)
        room = state.held[Part("room", pointer, 1)] = state.fresh(1, LONGEST_ARGUMENT)
        state.held[Part("behind", pointer, 1)] = nothing
        state.held[Part("block", pointer, 1)] = pointer
        kept = all(self.promises.holds("ended", kind) for kind in state.blocks.get(pointer) or ())
        if kept and not self.is_open(pointer, WHOLE, state):
            end = state.held[Part(OLDEST, pointer, 1)] = state.fresh(0, LONGEST_ARGUMENT - 1)
            state.zone.add(end, room, -1)
        state.held[Part("byte at", block, width)] = position
        state.held[Part("byte", block, width)] = pointer
        return pointer

    def _promise_member(self, state: State, owner: int, block: int, offset: int, size: int) -> None:
        kinds = state.blocks.get(owner)
        if Part("loaded", owner, 1) not in state.held or not kinds:
            return
        checked = all((offset, size) in self.byte_arrays.get(kind, ()) for kind in kinds)  # arrays in unions are not
        kept = all(self.promises.holds("ended", (kind, offset)) for kind in kinds)
        if checked and kept and not self.is_open(owner, offset, state):
            state.held[Part(OLDEST, block, 1)] = state.fresh(0, size - 1)

    def _promise(self, pointer: int, keys: Iterable[object], state: State) -> None:
        """Give a pointer the coordinates that are promised."""
        keys = list(keys)

        def holds(promise: str) -> bool:
            known = all(k in self.promises.kinds or isinstance(k, Variable) for k in keys)
            return known and all(self.promises.holds(promise, k) for k in keys)

        if not holds("ended") and not holds("starts"):
            return
        most = SHORT if holds("short") else self.most_bytes
        block = pointer
        if holds("starts"):
            state.held[Part("behind", pointer, 1)] = state.fresh(0, 0)
            state.held[Part("block", pointer, 1)] = pointer
        else:
            block = state.fresh_pointer(state.blocks.get(pointer))
            state.held[Part("text", pointer, 1)] = block
            state.held[Part("at", pointer, 1)] = state.fresh(0, most)
        room = state.held[Part("room", block, 1)] = state.fresh(0, self.most_bytes)
        if holds("ended") and not self.is_open(block, WHOLE, state):
            end = state.held[Part(OLDEST, block, 1)] = state.fresh(0, most)
            state.zone.add(end, room, -1)
            if block != pointer:
                state.zone.add(state.held[Part("at", pointer, 1)], end, 0)
        if holds("starts"):
            self._promise_length(pointer, keys, state)

    def _promise_length(self, pointer: int, kinds: list[object], state: State) -> None:
        """Give the start of a block the length that is promised. A null pointer may be said to have any.

        Arguments of the program and literals may have any length: the objects that stand for them have one byte.
        """
        if not self._any_texts.isdisjoint(kinds):
            return
        constants = [self._kinds.bytes_of(k) for k in kinds]
        sizes = [size for size in constants if size is not None]
        if len(sizes) == len(kinds):
            state.zone.add(state.held[Part("room", pointer, 1)], ZERO, max(sizes))
            state.zone.add(ZERO, state.held[Part("room", pointer, 1)], -min(sizes))
            return
        units = {self._unit_of(k) for k in kinds}
        promised = [{(x.variable, x.more) for x in self.promises.lengths_of(k)} for k in kinds]
        common = [(v, more) for v, more in set.intersection(*promised) if v in state.held]
        if len(units) != 1 or not common:
            return
        room = state.fresh(0, WORD)
        for variable, more in common:
            number = state.held[variable]
            if number in state.zone.bounds:
                state.zone.add(number, room, -more)
        unit = units.pop()
        end = state.held.get(Part(OLDEST, pointer, 1))
        if unit == 1 and end is not None:
            state.zone.add(end, room, -1)
        state.held[Part("room", pointer, unit)] = room

    @cached_property
    def _any_texts(self) -> frozenset[object]:
        """The kinds of the objects that stand for many texts."""
        named = {item.variable for item in self.program.globals}
        return frozenset(self._kinds.of_object(v) for v in named if v in (ARGUMENT, LITERAL) or is_literal(v))

    def check_lengths(self, kind: object, block: int, state: State) -> None:
        """A block of a kind is made: it must be as long as is promised."""
        promised = self.promises.lengths_of(kind)
        room = self._part(state, "room", block, self._unit_of(kind)) if promised else None
        for length in promised:
            number = state.held.get(length.variable)
            if room is None or number not in state.zone.bounds or state.zone.upper(number, room) > -length.more:
                self.promises.break_("length", length)

    def _publish(
        self, pointer: int, state: State, keys: Iterable[object] | None = None, *, opens: bool = False
    ) -> None:
        """A pointer is stored in memory, or given to a function: it must keep the promises.

        With `opens`, the arrays of its struct may get their terminators later.
        """
        kinds = state.blocks.get(pointer)
        if kinds is None and keys is None:
            self.promises.everything = True
        if kinds == frozenset() or not self.promises.kinds:
            return
        is_stored = keys is None
        if keys is None:
            keys = [k for k in kinds or () if k in self.promises.kinds]
        is_start = self._begins(pointer, state)
        self._publish_members(pointer, kinds or (), state, opens=opens and is_start)
        end = self._end_of(state, pointer)
        for key in keys:
            if not is_start:
                self.promises.break_("starts", key)
            if end is None and opens and key not in self.byte_arrays and self.opens(pointer, WHOLE, state):
                continue
            if end is None:
                self.promises.break_("ended", key)
            if end is None or state.interval(end[2])[1] > SHORT:
                self.promises.break_("short", key)
        self._not_fresh(pointer, state)
        if is_start and kinds and is_stored and self._has_text(pointer, state):
            self._mark_stored(pointer, kinds, state)

    def _begins(self, pointer: int, state: State) -> bool:
        """Whether a pointer is the start of its block."""
        behind = self._part(state, "behind", pointer, 1)
        return behind is not None and state.interval(behind) == (0, 0)

    def _publish_members(self, pointer: int, kinds: Iterable[object], state: State, *, opens: bool) -> None:
        """The arrays of a struct must keep the promises; those of one that was read from memory do at all times."""
        inside = self._member_of(state, state.held.get(Part("text", pointer, 1), pointer))
        pointer = pointer if inside is None else inside[0]
        if Part("loaded", pointer, 1) in state.held:
            return
        for kind, offset in self._arrays_in(kinds):
            array = state.held.get(Part("member", pointer, offset))
            if array is not None and Part(OLDEST, array, 1) in state.held:
                continue
            if not opens or inside is not None or not self.opens(pointer, offset, state):
                self.promises.break_("ended", (kind, offset))

    def _arrays_in(self, kinds: Iterable[object]) -> list[tuple[object, int]]:
        """The arrays of bytes that structs of some kinds have."""
        return [(k, offset) for k in kinds for offset, _ in self.byte_arrays.get(k, ())]

    def _not_fresh(self, pointer: int, state: State) -> None:
        """A block is known to others, and what it holds with it."""
        fresh = [k for k in state.held if isinstance(k, Part) and k.kind == "fresh"]
        for key in fresh:
            if self._may_be_same(state, pointer, key.symbol) and key in state.held:
                del state.held[key]
                self.pay(key.symbol, state)

    def pay(self, owner: int, state: State) -> None:
        """What a block holds must keep the promises from here on."""
        debts = [k for k in state.held if isinstance(k, Part) and k.kind == "debt" and k.symbol == owner]
        pointers = [state.held.pop(key) for key in debts]
        for pointer in pointers:
            self._publish(pointer, state)

    def _escapes(self, base: int, state: State) -> None:
        holding = self._kinds.holding
        kinds = state.blocks.get(base)
        if Part("fresh", base, 1) in state.held and (kinds is None or kinds & holding):
            self._not_fresh(base, state)

    def share_promises(self, known: State, after: State, location: str) -> bool:
        """Before two states meet: what keeps the promises in one of them does so in the other one, if it can.

        A struct that is new in one state and was read from memory in the other one would be neither. Returns whether
        the known state has changed.
        """
        changed = False
        for one, two in ((known, after), (after, known)) if self.byte_arrays else ():
            for variable in [v for v in one.held if isinstance(v, Variable) and two.blocks.get(two.held.get(v, 0))]:
                is_new = Part("fresh", two.held[variable], 1) in two.held
                if self._begins_to_keep(one.held[variable], one, is_new=is_new):
                    changed |= one is known
        return self.share_open(known, after, location) or changed

    def _begins_to_keep(self, owner: int, state: State, *, is_new: bool) -> bool:
        """Note that a struct keeps the promises if it does so, unless it may stay new."""
        if Part("stored", owner, 1) in state.held or not self._has_text(owner, state):
            return False
        if Part("fresh", owner, 1) in state.held:
            if is_new or not self._keeps(owner, state, opens=True):
                return False
            self._publish(owner, state, opens=True)
            return True
        if not self._begins(owner, state) or not all(
            self._has_end(text, state) for text in self._texts_of(owner, state)
        ):
            return False
        if any(
            self._may_be_same(state, owner, k.symbol) for k in state.held if isinstance(k, Part) and k.kind == "fresh"
        ):
            return False  # what is written by this name is not checked
        self._mark_stored(owner, state.blocks[owner] or frozenset(), state)
        return True

    def _has_text(self, owner: int, state: State) -> bool:
        """Whether a block is a text, or a struct with arrays of bytes."""
        return any(kind in self.promises.texts or kind in self.byte_arrays for kind in state.blocks.get(owner) or ())

    def _texts_of(self, owner: int, state: State) -> list[int | None]:
        """The texts of a block: the arrays in a struct, or the block itself."""
        arrays = self._arrays_in(state.blocks.get(owner) or ())
        return [state.held.get(Part("member", owner, offset)) for _, offset in arrays] or [owner]

    @staticmethod
    def _has_end(text: int | None, state: State) -> bool:
        return text is not None and Part(OLDEST, text, 1) in state.held

    def settle_debts(
        self, known: State, after: State, joint: State, pairs: Iterable[tuple[int, tuple[int, int]]]
    ) -> bool:
        """Where two states meet, blocks that are fresh in one of them only are fresh no more, and pay.

        What they pay with is known to others, in the joint state, too. Returns whether this has changed.
        """
        pairs, changed = list(pairs), False
        for side, state in enumerate((known, after)):
            fresh = [k.symbol for k in state.held if isinstance(k, Part) and k.kind == "fresh"]
            if not fresh:
                continue
            scratch = state.copy()
            stay = {p[side]: n for n, p in pairs if Part("fresh", n, 1) in joint.held}
            for symbol in fresh:
                if symbol not in stay:
                    self.pay(symbol, scratch)
                    continue
                for key in [k for k in scratch.held if isinstance(k, Part) and k.kind == "debt" and k.symbol == symbol]:
                    is_open = key in scratch.held  # another one may have paid it
                    if is_open and Part("debt", stay[symbol], key.scale) not in joint.held:
                        self._publish(scratch.held[key], scratch)
            paid = {symbol for symbol in fresh if Part("fresh", symbol, 1) not in scratch.held}
            for symbol in [n for n, pair in pairs if pair[side] in paid and Part("fresh", n, 1) in joint.held]:
                joint.held.pop(Part("fresh", symbol, 1), None)
                self.pay(symbol, joint)
                changed = True
        return changed

    def record_store(self, target: Expression, symbol: int, base: int, offset: int | None, state: State) -> None:
        """A value is stored in memory."""
        if not self.promises.kinds and not self._sizes_in_unions:
            return
        if is_byte(target):
            known = self._byte_place(target, state)
            if known is not None:
                block, position = known
                self.bytes_written(state, block, position, position, zero=self.is_zero(state, symbol))
                self._note_access(state, block, position)
                self._remember(state, block, position, symbol)
                return
        self.memory_written(state, base, target, target.type.size)
        if isinstance(target.type, PointerType):
            state.held.pop(Part("debt", base, offset or 0), None)
            if Part("fresh", base, 1) in state.held and offset is not None and not self._keeps(symbol, state):
                state.held[Part("debt", base, offset)] = symbol
            else:
                self._publish(symbol, state, opens=True)

    def _keeps(self, pointer: int, state: State, *, opens: bool = False) -> bool:
        """Whether a pointer could be stored in memory without breaking a promise.

        That all pointers into structs lead to texts is none that a pointer to a struct with arrays could keep.
        """
        broken, everything = set(self.promises.broken), self.promises.everything
        self._publish(pointer, state.copy(), opens=opens)
        new = self.promises.broken - broken
        if self._begins(pointer, state):
            new = {(promise, key) for promise, key in new if key not in self.byte_arrays}
        keeps = not new and self.promises.everything == everything
        self.promises.broken, self.promises.everything = broken, everything
        return keeps

    def copied_struct(self, value: Expression, state: State) -> None:
        """A struct is copied, and what it holds."""
        if isinstance(value.type, RecordType | ArrayType):
            self.pay(self._locate(value, state)[0], state)

    # Writes ---------------------------------------------------------------------------------------------------

    def bytes_written(
        self, state: State, block: int, first: int, last: int, *, zero: bool = False, ends: bool = False
    ) -> None:
        """Bytes are written from one position to another, both included."""
        self._publish_others(block, state)
        intact = zero
        for which in (OLDEST, NEWEST):
            end = state.held.get(Part(which, block, 1))
            if end is None:
                continue
            if zero or state.zone.upper(last, end) <= -1 or state.zone.upper(end, first) <= -1:
                intact = True
            else:
                del state.held[Part(which, block, 1)]
        if not intact and not ends:
            self._break_written(state, block)
        elif ends and state.interval(last)[1] > SHORT and Part("fresh", block, 1) not in state.held:
            for kind in state.blocks.get(block) or ():
                self.promises.break_("short", kind)
        self._drop_bytes(state, block, first, last)
        self._damage_others(state, block, None)

    def _break_written(self, state: State, block: int) -> None:
        """The terminator of a block may be lost: it is open, or a promise is broken, unless the block is new."""
        member = self._member_of(state, block)
        owner = block if member is None else member[0]
        if Part("fresh", owner, 1) in state.held:
            return
        if self.opens(owner, WHOLE if member is None else member[1], state):
            return
        kinds = state.blocks.get(block)
        if kinds is None:
            self.promises.everything = True
        for kind in kinds or ():
            self.promises.break_("ended", kind if member is None else (kind, member[1]))
            for pair in self._arrays_in((kind,)) if member is None else ():
                self.promises.break_("ended", pair)

    def _drop_bytes(self, state: State, block: int, first: int, last: int) -> None:
        old = state.held.get(Part("byte at", block, 1))
        if old is not None and state.zone.upper(last, old) > -1 and state.zone.upper(old, first) > -1:
            del state.held[Part("byte at", block, 1)]
            del state.held[Part("byte", block, 1)]

    def _damage_others(self, state: State, block: int, places: set[tuple[object, int]] | None, size: int = 0) -> None:
        """Forget terminators of blocks that may be the same as one that is written.

        With `places`, the write concerns `size` bytes at these places; without, some bytes of the block.
        """
        member = self._member_of(state, block)
        behind = member[1] + state.interval(state.held[Part("room", block, 1)])[1] if member is not None else 0
        for key in [k for k in state.held if isinstance(k, Part) and k.kind in (OLDEST, NEWEST, "byte")]:
            other = key.symbol
            if other == block or key not in state.held or key.scale != 1:
                continue
            inner = self._member_of(state, other)
            if inner is not None:
                owner, offset = inner
                length = state.interval(state.held[Part("room", other, 1)])[1]
                if places is not None:
                    kinds = state.blocks.get(other)
                    near = [p for p in places if kinds is None or p[0] in kinds]
                    if all(o + size <= offset or offset + length <= o for _, o in near):
                        continue
                elif member is not None and (behind <= offset or offset + length <= member[1]):
                    continue  # arrays of one struct are side by side, unless it is seen as two types
                if not self._may_be_same(state, owner, block if member is None else member[0]):
                    continue
            elif not self._may_be_same(state, block if member is None else member[0], other):
                continue
            del state.held[key]
            if key.kind == "byte":
                del state.held[Part("byte at", other, 1)]
        self._promise_again(state)

    def _publish_others(self, block: int, state: State) -> None:
        """New structs that may be the one that is written keep the promises from here on, if they do so now.

        After the write, nothing would be known of them. So the one that is written is no new one, either.
        """
        member = self._member_of(state, block)
        written = block if member is None else member[0]
        fresh = [k.symbol for k in state.held if isinstance(k, Part) and k.kind == "fresh" and k.symbol != written]
        for owner in fresh:
            if self._has_text(owner, state) and self._may_be_same(state, owner, written) and self._keeps(owner, state):
                self._publish(owner, state)

    def memory_written(self, state: State, base: int, target: Expression | None, size: int) -> None:
        """A write whose position in a text is not known."""
        places = self._places_of(target) if target is not None else None
        kinds = state.blocks.get(base)
        if not self.promises.kinds and not self.byte_arrays and not self._sizes_in_unions:
            return
        self._publish_others(base, state)
        if places is None:
            if kinds is None:
                self.promises.everything = True
            for kind in kinds or ():
                if Part("fresh", base, 1) not in state.held:
                    self.promises.break_("ended", kind)
                    for pair in self._arrays_in((kind,)):
                        self.promises.break_("ended", pair)
        else:
            for kind, offset in places:
                if Part("fresh", base, 1) in state.held:
                    continue
                if kind in self.promises.kinds:
                    self.promises.break_("ended", kind)
                for start, length in self.byte_arrays.get(kind, ()):
                    if offset < start + length and start < offset + size:
                        self.promises.break_("ended", (kind, start))
        for which in (OLDEST, NEWEST):
            if places is None or base not in state.blocks:
                state.held.pop(Part(which, base, 1), None)
        self._damage_others(state, base, places, size)
        if kinds is None or any(k in self.promises.kinds for k in kinds):
            for which in (OLDEST, NEWEST, "byte", "byte at"):
                state.held.pop(Part(which, base, 1), None)

    def _places_of(self, lvalue: Expression) -> set[tuple[object, int]] | None:
        places = self._kinds.address_places(lvalue)
        return None if places is None else set(places)
