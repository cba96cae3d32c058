"""Texts in a state of the analysis of relations: where a block of bytes has a terminator.

A pointer into a block of bytes has coordinates: the block, and its position there. A block has up to two *terminators*,
positions where a byte is known to be 0: the oldest one that is still there, and the newest one. It need not be the
first one. So a write in front of a terminator keeps it, a loop that stops at the first 0 stops there at the latest, and
``strlen`` is at most its distance.

`stored_texts` tells what is known of texts in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from kleene.cfa.expressions import Expression, Field, Variable
from kleene.cfa.program import Global
from kleene.cfa.types import INT, ArrayType, IntegerType, PointerType, RecordType, Type
from kleene.passes.entry_parameters import ARGUMENTS, COUNT
from kleene.passes.facts.relations.states import Part, State
from kleene.passes.facts.relations.values import LESS, Values, address_of, full_range
from kleene.passes.facts.relations.zones import ZERO
from kleene.passes.literals import is_literal, literal_bytes

MOST_BYTES = 1 << 47
"""Bytes of a block at most: no process has a larger address space (2 to the 30 where pointers have 32 bits)."""
MOST_BYTES_32 = 1 << 30
SHORT = 1 << 30
"""Bytes of a text that an `int` can count, whatever is done with it."""
LONGEST_ARGUMENT = 1 << 17
"""Bytes of an argument of a program: Linux allows no longer ones (MAX_ARG_STRLEN)."""
OLDEST, NEWEST = "nul", "near"
"""The two terminators of a block."""
FIRST = "first"
"""The first terminator of a literal: nothing may write to it, so it stays the first one."""


class Texts(Values):
    """Coordinates and terminators."""

    # Coordinates ----------------------------------------------------------------------------------------------

    @property
    def most_bytes(self) -> int:
        return MOST_BYTES if self.program.pointer_size > 4 else MOST_BYTES_32

    def coordinates(self, state: State, pointer: int, unit: int = 1) -> tuple[int, int] | None:
        """The block of a pointer and its position there, in elements of `unit` bytes."""
        block = state.held.get(Part("text", pointer, 1))
        if block is not None:
            return (block, state.held[Part("at", pointer, 1)]) if unit == 1 else None
        block = state.held.get(Part("block", pointer, 1))
        behind = self._part(state, "behind", pointer, unit) if block is not None else None
        return None if block is None or behind is None else (block, behind)

    def place(self, state: State, pointer: int, index: int, unit: int = 1) -> tuple[int, int] | None:
        """The coordinates of the element at an index from a pointer."""
        known = self.coordinates(state, pointer, unit)
        return None if known is None else (known[0], self._plus(state, known[1], index))

    def _stays_in_array(self, state: State, pointer: int, amount: int) -> tuple[int, int] | None:
        """Where an array in a struct begins and ends, if so many bytes from a pointer on stay in it."""
        known = self.coordinates(state, pointer)
        member = self._member_of(state, known[0]) if known is not None else None
        room = self._part(state, "room", pointer, 1)
        if known is None or member is None or room is None:
            return None
        stays = state.interval(known[1])[0] >= 0 and self.upper(state, amount, room) <= 0
        size = state.interval(state.held[Part("room", known[0], 1)])[1]
        return (member[1], member[1] + size) if stays and size not in self._sizes_in_unions else None

    @cached_property
    def _sizes_in_unions(self) -> frozenset[int]:
        """The sizes of arrays in unions: their bytes may be those of another member."""
        unions = (record for record in self.program.records.values() if record.union)
        return frozenset(size for union in unions for member in union.fields for size in self._arrays_of(member.type))

    def _arrays_of(self, type_: Type) -> Iterator[int]:
        if isinstance(type_, ArrayType):
            yield type_.size
            yield from self._arrays_of(type_.element)
        layout = self.program.records.get(type_.name) if isinstance(type_, RecordType) else None
        for member in layout.fields if layout is not None else ():
            yield from self._arrays_of(member.type)

    def _plus(self, state: State, a: int, b: int) -> int:
        """The sum of two numbers; one of them itself if the other one is 0."""
        return b if self.is_zero(state, a) else self._sum(state, a, b, minus=False)

    def _is_in(self, state: State, block: int, position: int, unit: int = 1, *, behind: int = 1) -> bool:
        """Whether a position is not before the start of a block, and at least `behind` before its end."""
        room = self._part(state, "room", block, unit)
        if room is None or state.interval(position)[0] < 0:
            return False
        return self.upper(state, position, room) <= -behind

    def _is_ended(self, state: State, pointer: int, unit: int = 1) -> bool:
        """Whether there is a terminator at or behind a pointer."""
        return self._end_of(state, pointer, unit) is not None

    def _end_of(self, state: State, pointer: int, unit: int = 1) -> tuple[int, int, int] | None:
        """The block of a pointer, its position and that of a terminator behind it."""
        known = self.coordinates(state, pointer, unit)
        if known is None:
            return None
        block, at = known
        for which in (NEWEST, OLDEST):
            end = state.held.get(Part(which, block, unit))
            if end is not None and state.zone.upper(at, end) <= 0 and state.interval(at)[0] >= 0:
                return block, at, end
        return None

    def _note_access(self, state: State, block: int, position: int, unit: int = 1) -> None:
        """An access is inside its block, or the program has an error there."""
        room = self._part(state, "room", block, unit)
        state.zone.add(ZERO, position, 0)
        if room is not None:
            state.zone.add(position, room, -1)

    # Members that are arrays of bytes -------------------------------------------------------------------------

    def _array_in(self, start: int, offset: int, size: int, state: State) -> int | None:
        """The array of bytes at an offset of the struct that a pointer points to, as a block."""
        key = Part("member", start, offset)
        if key not in state.held:
            block = state.held[key] = state.fresh_pointer(state.blocks.get(start))
            state.held[Part("member of", block, offset)] = start
            state.held[Part("behind", block, 1)] = state.fresh(offset, offset + self.most_bytes)
            state.held[Part("room", block, 1)] = state.fresh(size, size)
            state.held[Part("text", block, 1)] = block
            state.held[Part("at", block, 1)] = state.fresh(0, 0)
            self._promise_member(state, start, block, offset, size)
        return state.held[key]

    def _promise_member(self, state: State, owner: int, block: int, offset: int, size: int) -> None:
        """The terminator of an array in a struct that was read from memory."""

    def _member_of(self, state: State, block: int) -> tuple[int, int] | None:
        """The struct and the offset of an array in it."""
        for key, owner in state.held.items():
            if isinstance(key, Part) and key.kind == "member of" and key.symbol == block:
                return owner, key.scale
        return None

    def _may_be_same(self, state: State, a: int, b: int) -> bool:
        """Whether two pointers may lead into one block."""
        if a == b:
            return True
        if (a, b) in state.apart:
            return False
        one, two = state.blocks.get(a), state.blocks.get(b)
        return one is None or two is None or bool(one & two)

    # Bytes ----------------------------------------------------------------------------------------------------

    def _byte_read(self, lvalue: Expression, number: int, state: State) -> int:
        """The symbol of a byte that is read: the one that is remembered if it is the same byte."""
        known = self._byte_place(lvalue, state) if is_byte(lvalue) else None
        if known is None:
            return number
        block, position = known
        self._note_access(state, block, position)
        old = state.held.get(Part("byte at", block, 1))
        if old is not None and state.zone.upper(old, position) <= 0 and state.zone.upper(position, old) <= 0:
            content = state.held[Part("byte", block, 1)]
            if content in state.zone.bounds:  # it may have been written with a sign and read without one
                return self._convert(content, full_range(lvalue.type), state)
        self._remember(state, block, position, number)
        return number

    def _byte_place(self, lvalue: Expression, state: State) -> tuple[int, int] | None:
        address = self._address(lvalue, state)
        return self.coordinates(state, address)

    def _remember(self, state: State, block: int, position: int, content: int) -> None:
        state.held[Part("byte at", block, 1)] = position
        state.held[Part("byte", block, 1)] = content
        self._settle_block(state, block, 1)

    def _remember_end(self, state: State, block: int, position: int) -> None:
        """A terminator is at a position: it is the last byte that is known, so that no older one replaces it."""
        self._remember(state, block, position, state.fresh(0, 0))

    def is_zero(self, state: State, symbol: int) -> bool:
        return state.interval(symbol) == (0, 0)

    def settle(self, state: State) -> bool:
        """Draw conclusions from what a condition says of bytes and differences; false if it cannot hold."""
        for less in [k for k in state.held if isinstance(k, Part) and k.kind == LESS]:
            minuend = state.held[less]
            known = minuend in state.zone.bounds and less.symbol in state.zone.bounds
            if known and state.interval(minuend)[0] >= less.scale:  # it has not wrapped
                del state.held[less]
                if not state.zone.same(less.symbol, minuend, -less.scale):
                    return False
        for key in [k for k in state.held if isinstance(k, Part) and k.kind == "zero like"]:
            content = state.held.get(key)
            if content is None or content not in state.zone.bounds:
                continue
            if state.is_nonzero(key.symbol):
                state.nonzero.add(content)
            elif self.is_zero(state, key.symbol) and not self._becomes_zero(state, content):
                return False
        for key in [k for k in state.held if isinstance(k, Part) and k.kind == "wrapped"]:
            wrapped = state.held[key]  # a number in a type of the other sign; where both types have it, it is the same
            low, high = state.interval(wrapped)
            if low >= 0 and high < 1 << (key.scale - 1) and not state.zone.same(key.symbol, wrapped):
                return False
        blocks = [(k.symbol, k.scale) for k in state.held if isinstance(k, Part) and k.kind == "byte at"]
        return all(self._settle_block(state, block, unit) for block, unit in blocks)

    @staticmethod
    def _becomes_zero(state: State, number: int) -> bool:
        """Add that a number is 0; false if it is not."""
        return not state.is_nonzero(number) and state.zone.same(number, ZERO)

    @staticmethod
    def _is_not_zero(state: State, number: int) -> bool:
        """Whether a number is not 0, or equals one that is not: ``*p && *p == *q``."""
        if state.is_nonzero(number):
            return True
        others = [n for n in state.nonzero if n in state.zone.bounds]
        return any(state.zone.upper(number, n) <= 0 and state.zone.upper(n, number) <= 0 for n in others)

    def _settle_block(self, state: State, block: int, unit: int) -> bool:
        position = state.held[Part("byte at", block, unit)]
        content = state.held[Part("byte", block, unit)]
        if unit > 1:  # pointers: a mark tells whether one is NULL
            nonzero, zero = Part("nonzero", content, 1) in state.held, Part("zero", content, 1) in state.held
        else:
            nonzero, zero = self._is_not_zero(state, content), self.is_zero(state, content)
        ends = [state.held.get(Part(which, block, unit)) for which in (OLDEST, NEWEST)]
        if nonzero:
            for end in ends:
                if end is not None and state.zone.upper(position, end) <= 0 and not state.zone.add(position, end, -1):
                    return False
        elif zero and unit == 1:
            self._set_end(state, block, position)
        return True

    def _set_end(self, state: State, block: int, position: int) -> None:
        """A terminator is at a position."""
        old, new = (state.held.get(Part(which, block, 1)) for which in (OLDEST, NEWEST))
        if old is not None and new is not None and state.zone.upper(new, position) <= 0:
            if state.zone.upper(position, old) <= 0:
                return  # nothing is new: one is known before it, and one behind it
            if new != position:
                state.held[Part(OLDEST, block, 1)] = position
                return
        state.held[Part(OLDEST if old is None or old == position else NEWEST, block, 1)] = position

    # Objects --------------------------------------------------------------------------------------------------

    def _object(self, variable: Variable, state: State) -> int:
        known = address_of(variable) in state.held
        block = super()._object(variable, state)
        if not known and is_literal(variable):
            first = literal_bytes(variable).index(0)
            state.held[Part(OLDEST, block, 1)] = state.held[Part(FIRST, block, 1)] = state.fresh(first, first)
        elif not known and variable.name == ARGUMENTS:
            self._begin_arguments(block, self.program.pointer_size, state)
        return block

    def _begin_arguments(self, block: int, width: int, state: State) -> None:
        """The array of arguments has one element more than there are arguments; the last one is NULL."""
        count = self.number(Variable(COUNT, INT), state)
        one = state.fresh(1, 1)
        state.held[Part("room", block, width)] = self._sum(state, count, one, minus=False)
        state.held[Part("room", block, 1)] = state.fresh(width, self.most_bytes)
        state.held[Part("behind", block, width)] = state.held[Part("behind", block, 1)]
        state.held[Part(OLDEST, block, width)] = count

    def begin_object(self, item: Global, state: State) -> None:
        """The terminator of a global array of bytes at the start: all of them are 0."""
        variable = item.variable
        if not item.external and is_byte_array(variable.type) and variable.type.size and not is_literal(variable):
            last = variable.type.size - 1
            state.held[Part(OLDEST, self._object(variable, state), 1)] = state.fresh(last, last)


def is_byte_array(type_: Type) -> bool:
    """Whether a type is an array of bytes."""
    return isinstance(type_, ArrayType) and isinstance(type_.element, IntegerType) and type_.element.size == 1


def is_byte(lvalue: Expression) -> bool:
    """Whether an lvalue is one byte in an array or behind a pointer."""
    return isinstance(lvalue.type, IntegerType) and lvalue.type.size == 1 and not isinstance(lvalue, Variable | Field)


def is_text(variable: Variable) -> bool:
    """Whether a variable points to bytes."""
    return isinstance(variable.type, PointerType) and variable.type.target.size <= 1
