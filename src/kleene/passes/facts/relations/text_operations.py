"""Operations on texts, in a state of the analysis of relations: new blocks, calls, and the primitives of summaries."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

from kleene.cfa.expressions import Cast, Deref, Expression, Index, PointerOffset, Variable, walk, without_casts
from kleene.cfa.operations import (
    Allocate,
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
    Realloc,
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
from kleene.passes.facts.blocks_of_pointers import factors
from kleene.passes.facts.liveness import starts
from kleene.passes.facts.memory import constant_of
from kleene.passes.facts.relations.states import Cell, Part, State
from kleene.passes.facts.relations.stored_numbers import StoredNumbers
from kleene.passes.facts.relations.texts import FIRST, NEWEST, OLDEST, is_byte, is_text
from kleene.passes.facts.relations.values import full_range
from kleene.passes.facts.relations.zones import ZERO


class TextOperations(StoredNumbers, ABC):
    """What operations do to texts; `Relations` says what they do to the rest of memory."""

    # Blocks ---------------------------------------------------------------------------------------------------

    def made_block(self, block: int, state: State, *, zeroed: bool) -> None:
        """A new block: nothing leads to it, so what it holds need not keep the promises yet.

        Pointers in it do until others are stored: NULL keeps them, and the first use of one that was not initialized is
        an error. They are not written as bytes: blocks would not be told apart (`Blocks.known`).
        """
        if not self.promises.kinds:
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
            self._remember_end(state, block, last)
            if zero and room is not None and self._is_whole(state, at, amount, room):
                self._zero_all(block, state)

    # Calls ----------------------------------------------------------------------------------------------------

    def before_call(self, operation: Operation, state: State) -> None:
        """What a function gets, or returns, must keep the promises; all blocks are known to it."""
        if not self.promises.kinds:
            return
        self.break_open(state)
        for variable in self._shared_texts if isinstance(operation, Invoke | Leave) else ():
            self._publish(self.pointer(variable, state), state, [variable])
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
        """Forget the terminators of all that functions write that are analysed apart; they keep the promises."""
        for key in [k for k in state.held if isinstance(k, Part) and k.kind in (OLDEST, NEWEST, "byte", "byte at")]:
            kinds = state.blocks.get(key.symbol)
            if key.scale == 1 and (kinds is None or kinds & self._written_apart):
                del state.held[key]
        self._promise_again(state)

    def after_call(self, operation: Operation, state: State) -> None:
        """Parameters, results and global pointers to texts have what is promised of them."""
        given = {v: v for v in self._shared_texts} if isinstance(operation, Enter | Invoke) else {}
        if isinstance(operation, Enter):
            given |= {p: p for p in operation.parameters}
        elif isinstance(operation, Invoke) and operation.target is not None and operation.returned is not None:
            given |= {operation.target: operation.returned}
        for variable, key in given.items():
            if isinstance(variable.type, PointerType) and self._is_tracked(variable) and self.promises.kinds:
                kinds = self._kinds.of_value(variable)
                pointer = state.held[variable] = state.fresh_pointer(kinds)
                if kinds:
                    self._mark_loaded(pointer, kinds, state)
                    self._promise(pointer, [key], state)

    @cached_property
    def _shared_texts(self) -> tuple[Variable, ...]:
        """The global pointers to texts, which the functions that are analysed apart move on."""
        shared = [item.variable for item in self.program.globals if not item.external]
        return tuple(v for v in shared if is_text(v) and self._is_tracked(v))

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
                self._within_text(result, pointer, state, limit=amount)
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
        self._remember_end(state, *known)

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
            self._remember_end(state, known[0], end)
        return length

    def _within_text(self, length: int, pointer: int, state: State, limit: int | None = None) -> None:
        """A length is at most the distance to a terminator; that of a literal is known, up to a limit."""
        end = self._end_of(state, pointer)
        if end is None:
            return
        block, at, position = end
        state.zone.add(length, self._sum(state, position, at, minus=True), 0)
        first = state.held.get(Part(FIRST, block, 1))
        if first is None or state.zone.upper(at, first) > 0:
            return
        distance = self._sum(state, first, at, minus=True)
        if limit is None or state.zone.upper(distance, limit) <= 0:
            state.zone.same(length, distance)
        elif state.zone.upper(limit, distance) <= 0:
            state.zone.same(length, limit)

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
        size = (
            state.interval(state.held[Part("room", known[0], 1)])[1] if known is not None and member is not None else 0
        )
        if known is None or member is None or size in self._sizes_in_unions:
            self._overwrite(pointer, None, 0, state)
            return
        owner, offset = member
        for key in [k for k in state.held if isinstance(k, Cell)]:
            gone = key.offset < offset + size and offset < key.offset + key.size
            if key.symbol != owner:  # of the same struct, or of another one with other members at these offsets
                gone |= key.size == 1 or Part("text", key.symbol, 1) in state.held
                gone &= self._may_be_same(state, owner, key.symbol)
            if gone:
                del state.held[key]

    @abstractmethod
    def _overwrite(self, base: int, offset: int | None, size: int, state: State) -> None:
        """Forget what is known of memory that a write at an offset of a pointer may change."""

    @abstractmethod
    def _store(self, target: Expression, symbol: int, state: State) -> None:
        """Assign a value to an lvalue."""

    # The program ----------------------------------------------------------------------------------------------

    def _byte_kinds(self) -> frozenset[object]:
        """The kinds of blocks in which bytes are accessed; none if blocks are not told apart."""
        lvalues, pointers = [], []
        for edge in self.cfa.edges:
            if isinstance(edge.label, Call) and edge.label.function in TEXT_PRIMITIVES:
                pointers += [a for a in edge.label.arguments if isinstance(a.type, PointerType)]
            if isinstance(edge.label, Print):
                pointers += edge.label.texts
            if isinstance(edge.label, MemCopy | MemSet) and constant_of(edge.label.size) is None:
                pointers += _moved(edge.label)
            nodes = (n for x in expressions(edge.label) for n in walk(x))
            lvalues += [n for n in nodes if isinstance(n, Deref | Index) and is_byte(n) and not _is_of_struct(n)]
        if (not lvalues and not pointers) or not self._kinds.known:
            return frozenset()
        kinds: set[object] = set()
        for pointer in dict.fromkeys(pointers):
            kinds |= self._kinds.of_value(pointer) or frozenset()
        for lvalue in dict.fromkeys(lvalues):
            kinds |= {kind for kind, _ in self._kinds.address_places(lvalue) or ()}
        return frozenset(kinds)

    def _row_kinds(self) -> frozenset[object]:
        """The kinds of blocks of larger numbers that are indexed by a variable, and that memory leads to."""
        if not self._kinds.known:
            return frozenset()
        memory = self._kinds.memory
        nodes = (n for edge in self.cfa.edges for x in expressions(edge.label) for n in walk(x))
        moved = {
            n.pointer for n in nodes if isinstance(n, PointerOffset) and n.scale > 1 and constant_of(n.index) is None
        }
        touched = {kind for pointer in moved for kind in self._kinds.of_value(pointer) or ()}
        held = {kind for targets in memory.cell_targets.values() for kind, _ in targets}
        return frozenset(touched & held - {size for size, _ in memory.cell_of})

    @cached_property
    def _unit_of_kind(self) -> dict[object, int]:
        made = [e.label for e in self.cfa.edges if isinstance(e.label, Allocate | Realloc)]
        products = {self._kinds.of_allocation(o): factors(o.size) for o in made}
        return {kind: product[1] for kind, product in products.items() if product is not None}

    def _unit_of(self, kind: object) -> int:
        """The bytes of the elements of a kind of blocks, as its allocation counts them."""
        return self._unit_of_kind.get(kind, 1)

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


def _moved(operation: MemCopy | MemSet) -> list[Expression]:
    """The pointers to the bytes that an operation reads and writes."""
    return [operation.destination, operation.source] if isinstance(operation, MemCopy) else [operation.pointer]


def _is_of_struct(byte: Deref | Index) -> bool:
    """Whether a byte is the first one of a struct, which a pass reads to see whether the struct is there."""
    pointer = byte.pointer if isinstance(byte, Deref) else None
    type_ = without_casts(pointer).type if isinstance(pointer, Cast) else None
    return isinstance(type_, PointerType) and isinstance(type_.target, RecordType)
