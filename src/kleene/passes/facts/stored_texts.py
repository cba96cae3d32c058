"""Texts in memory, in a state of the analysis of relations: promises, and debts.

What is in memory is described by *promises*, for each kind of blocks: every pointer that is stored there has a
terminator at or behind it, or is the start of its block. They are guessed, and each operation is checked to keep them;
`relations` starts again without those that were broken (Flanagan, Leino, FME 2001: guess and check).

A block is *fresh* until a pointer to it is stored in memory that is not fresh itself. A fresh block need not keep any
promise. What it holds is its *debts*, which are paid when it is stored: so a struct can be made, get a block for a
text, and get the text, before it becomes an element of a list.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from kleene.cfa.expressions import Deref, Expression, Index, Variable, walk
from kleene.cfa.operations import (
    Assign,
    Call,
    Enter,
    Havoc,
    Invoke,
    Leave,
    MemCopy,
    MemSet,
    Operation,
    Print,
    expressions,
)
from kleene.cfa.program import (
    BYTES_WRITE,
    TEXT_DIGITS,
    TEXT_LENGTH,
    TEXT_PREFIX,
    TEXT_PRIMITIVES,
    TEXT_PUT,
    TEXT_PUT_END,
    TEXT_WRITE,
)
from kleene.cfa.types import ArrayType, PointerType, RecordType
from kleene.passes.facts.liveness import starts
from kleene.passes.facts.symbolic_states import Cell, Part, State
from kleene.passes.facts.symbolic_values import full_range
from kleene.passes.facts.texts import LONGEST_ARGUMENT, NEWEST, OLDEST, SHORT, Texts, is_byte
from kleene.passes.facts.zones import ZERO


@dataclass
class Promises:
    """What holds for all pointers in memory, and for parameters and results of recursive functions: what is not broken.

    A key is a kind of blocks, a kind and the offset of an array of bytes in it, or a variable.
    """

    kinds: frozenset[object] = frozenset()
    """The kinds of blocks in which bytes are accessed."""
    broken: set[tuple[str, object]] = field(default_factory=set)
    everything: bool = False
    """Whether an unknown pointer was stored, so that nothing is known."""

    def holds(self, promise: str, key: object) -> bool:
        return not self.everything and (promise, key) not in self.broken

    def break_(self, promise: str, key: object) -> None:
        self.broken.add((promise, key))


class StoredTexts(Texts):
    """Promises, debts, and the operations on texts."""

    promises: Promises
    byte_arrays: dict[object, list[tuple[int, int]]]
    """The offsets and sizes of the arrays of bytes in the structs of each kind."""

    # What is loaded and stored --------------------------------------------------------------------------------

    def _load(self, lvalue: Expression, base: int, pointer: int, state: State) -> int:
        """A pointer that was read from memory: its kinds tell what is promised of it."""
        if self._is_argument(base, state):
            return self._argument(base, pointer, state)
        if Part("fresh", base, 1) in state.held or Part("murky", base, 1) in state.held:
            state.held[Part("murky", pointer, 1)] = pointer
            return pointer
        kinds = state.blocks.get(pointer)
        if kinds and self.promises.kinds:
            self._mark_loaded(pointer, kinds, state)
            self._promise(pointer, kinds, state)
        return pointer

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
        if all(self.promises.holds("ended", kind) for kind in state.blocks.get(pointer) or ()):
            end = state.held[Part(OLDEST, pointer, 1)] = state.fresh(0, LONGEST_ARGUMENT - 1)
            state.zone.add(end, room, -1)
        state.held[Part("byte at", block, width)] = position
        state.held[Part("byte", block, width)] = pointer
        return pointer

    def _promise_member(self, state: State, owner: int, block: int, offset: int, size: int) -> None:
        kinds = state.blocks.get(owner)
        if Part("loaded", owner, 1) not in state.held or not kinds:
            return
        if all(self.promises.holds("ended", (kind, offset)) for kind in kinds):
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
        if holds("ended"):
            end = state.held[Part(OLDEST, block, 1)] = state.fresh(0, most)
            state.zone.add(end, room, -1)
            if block != pointer:
                state.zone.add(state.held[Part("at", pointer, 1)], end, 0)

    def _publish(self, pointer: int, state: State, keys: Iterable[object] | None = None) -> None:
        """A pointer is stored in memory, or given to a function: it must keep the promises."""
        kinds = state.blocks.get(pointer)
        if kinds is None and keys is None:
            self.promises.everything = True
        if kinds == frozenset() or not self.promises.kinds:
            return
        if keys is None:
            keys = [k for k in kinds or () if k in self.promises.kinds]
        self._publish_members(pointer, kinds or (), state)
        behind = self._part(state, "behind", pointer, 1)
        is_start = behind is not None and state.interval(behind) == (0, 0)
        end = self._end_of(state, pointer)
        for key in keys:
            if not is_start:
                self.promises.break_("starts", key)
            if end is None:
                self.promises.break_("ended", key)
            if end is None or state.interval(end[2])[1] > SHORT:
                self.promises.break_("short", key)
        self._not_fresh(pointer, state)

    def _publish_members(self, pointer: int, kinds: Iterable[object], state: State) -> None:
        for kind, offset in self._arrays_in(kinds):
            array = state.held.get(Part("member", pointer, offset))
            loaded = Part("loaded", pointer, 1) in state.held and array is None
            if not loaded and (array is None or Part(OLDEST, array, 1) not in state.held):
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
        holding = {size for size, _ in self._kinds.memory.cell_of}
        kinds = state.blocks.get(base)
        if Part("fresh", base, 1) in state.held and (kinds is None or kinds & holding):
            self._not_fresh(base, state)

    def settle_debts(
        self, known: State, after: State, joint: State, pairs: Iterable[tuple[int, tuple[int, int]]]
    ) -> None:
        """Where two states meet, blocks that are fresh in one of them only are fresh no more, and pay."""
        pairs = list(pairs)
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
                    if Part("debt", stay[symbol], key.scale) not in joint.held:
                        self._publish(scratch.held[key], scratch)

    def record_store(self, target: Expression, symbol: int, base: int, offset: int | None, state: State) -> None:
        """A value is stored in memory."""
        if not self.promises.kinds:
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
                self._publish(symbol, state)

    def _keeps(self, pointer: int, state: State) -> bool:
        """Whether a pointer could be stored in memory without breaking a promise."""
        broken, everything = set(self.promises.broken), self.promises.everything
        self._publish(pointer, state.copy())
        keeps = self.promises.broken == broken and self.promises.everything == everything
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
        """The terminator of a block may be lost: a promise is broken, unless nothing in memory leads to it."""
        member = self._member_of(state, block)
        owner = block if member is None else member[0]
        if Part("fresh", owner, 1) in state.held:
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
                elif member is not None and member[1] != offset:
                    continue
                if not self._may_be_same(state, owner, block if member is None else member[0]):
                    continue
            elif member is not None or not self._may_be_same(state, block, other):
                continue
            del state.held[key]
            if key.kind == "byte":
                del state.held[Part("byte at", other, 1)]

    def memory_written(self, state: State, base: int, target: Expression | None, size: int) -> None:
        """A write whose position in a text is not known."""
        places = self._places_of(target) if target is not None else None
        kinds = state.blocks.get(base)
        if not self.promises.kinds and not self.byte_arrays:
            return
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

    # Blocks ---------------------------------------------------------------------------------------------------

    def made_block(self, block: int, state: State, *, zeroed: bool) -> None:
        """A new block. One of zeros without bytes of texts keeps all promises from the start: its pointers are NULL."""
        if not self.promises.kinds:
            return
        kinds = state.blocks.get(block)
        if zeroed and kinds and not any(k in self.promises.kinds or k in self.byte_arrays for k in kinds):
            return
        state.held[Part("fresh", block, 1)] = block
        if zeroed:
            self._zero_all(block, state)

    def _zero_all(self, block: int, state: State) -> None:
        """All bytes of a block are 0, and those of the arrays in it."""
        room = state.held.get(Part("room", block, 1))
        if room is not None and state.interval(room)[0] >= 1:
            last = self._sum(state, room, state.fresh(1, 1), minus=True)
            state.held[Part(OLDEST, block, 1)] = last
        for kind in state.blocks.get(block) or ():
            for offset, size in self.byte_arrays.get(kind, ()):
                array = self._array_in(block, offset, size, state)
                if array is not None:
                    state.held[Part(OLDEST, array, 1)] = state.fresh(size - 1, size - 1)

    def moved_block(self, old: int, block: int, state: State) -> None:
        """A block is moved to one of another size: a terminator that is inside this one too is kept."""
        if not self.promises.kinds:
            return
        self.pay(old, state)
        state.held[Part("fresh", block, 1)] = block
        end, room = state.held.get(Part(OLDEST, old, 1)), state.held.get(Part("room", block, 1))
        at = self.coordinates(state, old)
        if end is None or room is None or at is None or not self.is_zero(state, at[1]):
            return
        if state.zone.upper(end, room) <= -1:
            state.held[Part(OLDEST, block, 1)] = end

    def begin_local(self, variable: Variable, state: State) -> None:
        """A local array of bytes begins to live: nothing leads to it yet."""
        if self.promises.kinds and isinstance(variable.type, ArrayType) and variable.type.element.size == 1:
            block = self._object(variable, state)
            for which in (OLDEST, NEWEST, "byte", "byte at"):
                state.held.pop(Part(which, block, 1), None)
            state.held[Part("fresh", block, 1)] = block

    def copies_end(self, state: State, source: int, amount: int) -> bool:
        """Whether the last one of so many bytes of a text is its terminator."""
        end = self._end_of(state, source)
        if end is None:
            return False
        behind = self._plus(state, end[1], amount)
        return state.zone.upper(behind, end[2]) <= 1 and state.zone.upper(end[2], behind) <= -1

    def write_bytes(self, state: State, pointer: int, amount: int, *, zero: bool = False, ends: bool = False) -> None:
        """So many bytes are written from a pointer on: all of them are 0, or the last one is."""
        if not self.promises.kinds:
            return
        known = self.coordinates(state, pointer)
        if known is None:
            self.memory_written(state, pointer, None, 0)
            return
        block, at = known
        last = self._sum(state, self._plus(state, at, amount), state.fresh(1, 1), minus=True)
        self.bytes_written(state, block, at, last, zero=zero, ends=ends)
        room = state.held.get(Part("room", block, 1))
        if (zero or ends) and state.interval(amount)[0] >= 1:
            self._note_access(state, block, last)
            self._set_end(state, block, last)
            if zero and room is not None and self._is_whole(state, at, amount, room):
                self._zero_all(block, state)

    def _is_whole(self, state: State, at: int, amount: int, room: int) -> bool:
        return self.is_zero(state, at) and state.zone.upper(room, amount) <= 0

    # Calls ----------------------------------------------------------------------------------------------------

    def before_call(self, operation: Operation, state: State) -> None:
        """What a function gets, or returns, must keep the promises; all blocks are known to it."""
        if not self.promises.kinds:
            return
        if isinstance(operation, Invoke):
            for argument, parameter in zip(operation.arguments, operation.parameters, strict=True):
                if isinstance(argument.type, PointerType):
                    self._publish(self.pointer(argument, state), state, [parameter])
            self._damage_by_functions(state)
        elif isinstance(operation, Leave):
            if operation.result is not None and isinstance(operation.result.type, PointerType):
                self._publish(self.pointer(operation.result, state), state, [operation.result])
        elif not isinstance(operation, Enter):
            self.promises.everything = True
        for key in [k for k in state.held if isinstance(k, Part) and k.kind == "fresh"]:
            if key in state.held:
                del state.held[key]
                self.pay(key.symbol, state)

    def _damage_by_functions(self, state: State) -> None:
        """Forget the terminators of all that functions write that are analysed apart."""
        for key in [k for k in state.held if isinstance(k, Part) and k.kind in (OLDEST, NEWEST, "byte", "byte at")]:
            kinds = state.blocks.get(key.symbol)
            if key.scale == 1 and (kinds is None or kinds & self._written_apart):
                del state.held[key]

    def after_call(self, operation: Operation, state: State) -> None:
        """Parameters and results have what is promised of them."""
        given: dict[Variable, Variable] = {}
        if isinstance(operation, Enter):
            given = {p: p for p in operation.parameters}
        elif isinstance(operation, Invoke) and operation.target is not None and operation.returned is not None:
            given = {operation.target: operation.returned}
        for variable, key in given.items():
            if isinstance(variable.type, PointerType) and self._is_tracked(variable) and self.promises.kinds:
                kinds = self._kinds.of_value(variable)
                pointer = state.held[variable] = state.fresh_pointer(kinds)
                if kinds:
                    self._mark_loaded(pointer, kinds, state)
                    self._promise(pointer, [key], state)

    # Primitives -----------------------------------------------------------------------------------------------

    def primitive(self, call: Call, state: State) -> None:
        """An operation of a summary."""
        first, *rest = call.arguments
        result = None
        if call.function == TEXT_DIGITS:
            result = self._digits(self.number(first, state), self.number(rest[0], state), state)
        else:
            pointer = self.pointer(first, state)
            amount = self.number(rest[0], state) if rest else ZERO
            if call.function == TEXT_LENGTH:
                result = self._length(pointer, state)
            elif call.function == TEXT_PREFIX:
                result = state.fresh(0, max(state.interval(amount)[1], 0))
                state.zone.add(result, amount, 0)
                self._within_text(result, pointer, state)
            elif call.function == TEXT_PUT:
                result = self._put(pointer, self.number(rest[1], state), self.number(rest[2], state), state)
            elif call.function == TEXT_PUT_END:
                result = self.number(rest[1], state)
                self._put_end(pointer, amount, result, state)
            elif call.function in (TEXT_WRITE, BYTES_WRITE):
                ends = call.function == TEXT_WRITE
                size = self._sum(state, amount, state.fresh(1, 1), minus=False) if ends else amount
                self._overwrite_text(pointer, state)
                self.write_bytes(state, pointer, size, ends=ends)
        if call.result is not None:
            self._store(call.result, state.fresh(*full_range(call.result.type)) if result is None else result, state)

    def _put(self, pointer: int, at: int, length: int, state: State) -> int:
        """Up to so many bytes are written at a position of a target; the position behind them."""
        behind = self._plus(state, at, length)
        self._overwrite_text(pointer, state)
        known = self.coordinates(state, pointer)
        if known is None:
            self.memory_written(state, pointer, None, 0)
        else:
            block, start = known
            last = self._sum(state, self._plus(state, start, behind), state.fresh(1, 1), minus=True)
            self.bytes_written(state, block, self._plus(state, start, at), last)
        return behind

    def _put_end(self, pointer: int, size: int, at: int, state: State) -> None:
        """A terminator is written at a position, or at the last one of a target of some size if this is less."""
        if state.interval(size)[0] < 1:  # nothing is written to a target of size 0
            self.write_bytes(state, pointer, size, zero=True)
            return
        position = state.fresh(0, min(state.interval(at)[1], state.interval(size)[1] - 1))
        if state.zone.upper(at, size) <= -1:
            position = at
        else:
            state.zone.add(position, at, 0)
            state.zone.add(position, size, -1)
        self._overwrite_text(pointer, state)
        known = self.place(state, pointer, position)
        if known is None:
            self.memory_written(state, pointer, None, 0)
            return
        self.bytes_written(state, known[0], known[1], known[1], zero=True)
        self._note_access(state, *known)
        self._set_end(state, *known)

    def _length(self, pointer: int, state: State) -> int:
        """The distance from a pointer to the first terminator: there is one now."""
        length = state.fresh(0, self.most_bytes)
        self._within_text(length, pointer, state)
        known = self.coordinates(state, pointer)
        if known is not None:
            end = self._plus(state, known[1], length)
            for which in (OLDEST, NEWEST):
                old = state.held.get(Part(which, known[0], 1))
                if old is not None and state.zone.upper(known[1], old) <= 0:
                    state.zone.add(end, old, 0)
            self._note_access(state, known[0], end)
            self._set_end(state, known[0], end)
        return length

    def _within_text(self, length: int, pointer: int, state: State) -> None:
        end = self._end_of(state, pointer)
        if end is not None:
            most = self._sum(state, end[2], end[1], minus=True)
            state.zone.add(length, most, 0)

    @staticmethod
    def _digits(value: int, base: int, state: State) -> int:
        high, least = state.interval(value)[1], max(state.interval(base)[0], 2)
        count = 1
        while high >= least:
            high //= least
            count += 1
        return state.fresh(1, count)

    def _overwrite_text(self, pointer: int, state: State) -> None:
        """Bytes of a text are written: what is known of them may change."""
        known = self.coordinates(state, pointer)
        member = self._member_of(state, known[0]) if known is not None else None
        if known is None or member is None:
            self._overwrite(pointer, None, 0, state)
            return
        owner, offset = member
        size = state.interval(state.held[Part("room", known[0], 1)])[1]
        for key in [k for k in state.held if isinstance(k, Cell)]:
            if key.symbol == owner:
                gone = key.offset < offset + size and offset < key.offset + key.size
            else:
                inner = key.size == 1 or Part("text", key.symbol, 1) in state.held
                gone = inner and self._may_be_same(state, owner, key.symbol)
            if gone:
                del state.held[key]

    def _overwrite(self, base: int, offset: int | None, size: int, state: State) -> None:
        raise NotImplementedError

    def _store(self, target: Expression, symbol: int, state: State) -> None:
        raise NotImplementedError

    # The program ----------------------------------------------------------------------------------------------

    def _byte_kinds(self) -> frozenset[object]:
        """The kinds of blocks in which bytes are accessed; none if blocks are not told apart."""
        lvalues, pointers = [], []
        for edge in self.cfa.edges:
            if isinstance(edge.label, Call) and edge.label.function in TEXT_PRIMITIVES:
                pointers += [a for a in edge.label.arguments if isinstance(a.type, PointerType)]
            if isinstance(edge.label, Print):
                pointers += edge.label.texts
            nodes = (n for x in expressions(edge.label) for n in walk(x))
            lvalues += [n for n in nodes if isinstance(n, Deref | Index) and is_byte(n)]
        if (not lvalues and not pointers) or not self._kinds.known:
            return frozenset()
        kinds: set[object] = set()
        for pointer in dict.fromkeys(pointers):
            kinds |= self._kinds.of_value(pointer) or frozenset()
        for lvalue in dict.fromkeys(lvalues):
            kinds |= {kind for kind, _ in self._kinds.address_places(lvalue) or ()}
        return frozenset(kinds)

    @cached_property
    def _written_apart(self) -> frozenset[object]:
        """The kinds of blocks in which functions that are analysed apart write bytes."""
        kinds: set[object] = set()
        seen = set(starts(self.cfa)[1:])
        waiting = list(seen)
        while waiting:
            for edge in self.cfa.leaving(waiting.pop()):
                kinds |= self._written_kinds(edge.label)
                if edge.target not in seen:
                    seen.add(edge.target)
                    waiting.append(edge.target)
        return frozenset(kinds)

    def _written_kinds(self, operation: Operation) -> frozenset[object]:
        match operation:
            case Call(function=str() as name, arguments=arguments) if name in (
                TEXT_WRITE,
                BYTES_WRITE,
                TEXT_PUT,
                TEXT_PUT_END,
            ):
                return self._kinds.of_value(arguments[0]) or self.promises.kinds
            case MemSet(pointer=pointer) | MemCopy(destination=pointer):
                return self._kinds.of_value(pointer) or self.promises.kinds
            case Assign(target=target) | Havoc(target=target) if not isinstance(target, Variable):
                places = self._kinds.address_places(target)
                return self.promises.kinds if places is None else frozenset(kind for kind, _ in places)
        return frozenset()
