"""Relations between numbers, members and the lengths of blocks: is an index inside its block, whatever its length?

An abstract interpretation with zones (`zones`). A variable, or a member of a struct that a variable points to, holds a
*symbol*; what is copied has the same symbol, so that a function and its caller relate to one object. A pointer has two
numbers for each size of elements: how many elements lie ahead of it in its block (`room`), and how many behind it. So
``p[i]`` is inside its block iff -behind <= i < room (Gopan, Reps, Sagiv, POPL 2005, on such numbers for arrays).

A value in memory is known until something may overwrite it: where blocks that a pointer may point to are told apart
without regard to control flow (`memory`), and a fresh block differs from all that there are already.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache

from kleene.cfa.expressions import (
    NEGATED,
    Cast,
    Comparison,
    Constant,
    Expression,
    Field,
    Index,
    Unary,
    Variable,
    walk,
)
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import (
    Allocate,
    Assign,
    Assume,
    Call,
    DeclareLocal,
    EndScope,
    Enter,
    Error,
    Exit,
    Free,
    Havoc,
    Invoke,
    Leave,
    MemCopy,
    MemSet,
    Operation,
    Print,
    Realloc,
    Return,
    Skip,
    Specified,
    Unsupported,
)
from kleene.cfa.program import TEXT_PRIMITIVES
from kleene.cfa.types import IntegerType, PointerType, Type, is_scalar
from kleene.passes.entry_parameters import ARGUMENTS
from kleene.passes.facts.blocks_of_pointers import Blocks, before_conversion, factors, is_whole
from kleene.passes.facts.compared_numbers import Landmarks, next_comparisons
from kleene.passes.facts.liveness import defined_variables, starts
from kleene.passes.facts.memory import Memory
from kleene.passes.facts.stored_texts import Promises, least_lengths
from kleene.passes.facts.symbolic_states import Cell, Part, State, covers, image, merge
from kleene.passes.facts.symbolic_values import address_of, full_range
from kleene.passes.facts.text_operations import TextOperations
from kleene.passes.facts.texts import OLDEST, is_text
from kleene.passes.facts.zones import ZERO, Interval, relate, widen

MOST_EDGES = 4_000
"""Larger automata are not looked at: the analysis would take longer than what it could help to prove."""
PATIENCE = 3
"""Visits of a location before its bounds are widened."""
TIGHTENED = 60
"""Visits of a location up to which bounds that were widened are added again from differences: a number without a bound
that is compared with an index would else grow by the length of the array each time, and never come to an end."""
UNHURRIED = 8
"""Visits of a location up to which bounds stop at many landmarks: a table of ten primes, each a landmark, took 5 s of
the processor in nested loops."""
MOST_PARTS = 4
"""States of a location that are kept apart by the pointers that are NULL in them."""
Nulls = frozenset[str]
"""Names of pointers that are NULL."""
ALL: Nulls = frozenset()
"""The part of all states."""
NONE: Nulls = frozenset(("",))
"""The part of the states in which no pointer is NULL."""
MOST_INITIAL_CELLS = 16
"""Elements of a global array whose initial values are known: a state with a table of primes would be large."""
MOST_SYMBOLS = 60
"""With more symbols than this in a state, those that nothing holds are dropped."""


@lru_cache(maxsize=1)
def relations_of(memory: Memory) -> Relations:
    """The relations of the automaton that was asked about last: several parts of one translation need them."""
    return Relations(memory.program, memory.cfa)


class Relations(TextOperations):
    """The states at the locations of one automaton; computed when they are asked for."""

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

    def inside(self, pointer: Expression, index: Expression, scale: int, location: str) -> bool:
        """Whether the element of `scale` bytes at an index from a pointer is in the pointer's block."""

        def holds(state: State) -> bool:
            base, at = self.pointer(pointer, state), self.number(index, state)
            if self._fits(state, base, at, scale, room_needed=1):
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
            return self._is_in(state, *place, behind=more)

        return self._always(location, holds)

    def is_ended(self, pointer: Expression, location: str, unit: int = 1) -> bool:
        """Whether a text has a terminator."""
        return self._always(location, lambda state: self._is_ended(state, self.pointer(pointer, state), unit))

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
        return self._always(location, lambda state: _is_constant(state, self.pointer(pointer, state), 0))

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

    # The fixpoint ---------------------------------------------------------------------------------------------

    @cached_property
    def at(self) -> dict[str, dict[Nulls, State]]:
        if len(self.cfa.edges) > MOST_EDGES:
            return {}
        self.promises = self._all_promises()
        self.byte_arrays = self._kinds.byte_arrays if self._kinds.known and self.promises.kinds else {}
        while True:
            self.promises.begin()
            at = self._solve()
            if self.promises.are_kept:
                for state in (state for states in at.values() for state in states.values()):
                    state.zone.tighten()
                return at

    @cached_property
    def _landmarks(self) -> Landmarks:
        return Landmarks(self.program, self.cfa)

    def _all_promises(self) -> Promises:
        """The promises, all kept so far."""
        texts, rows = self._byte_kinds(), self._row_kinds()
        variables = [v for v in self._kinds.memory.integers if self._is_tracked(v)] if texts or rows else []
        return Promises(texts, rows, least_lengths(self.cfa, self._kinds, texts | rows, variables))

    def _solve(self) -> dict[str, dict[Nulls, State]]:
        functions = [Cfa(start, self.cfa.edges) for start in starts(self.cfa)]
        order = {location: n for part in functions for location, n in part.post_order.items()}
        heads = frozenset[str]().union(*(part.loop_heads for part in functions))
        at: dict[str, dict[Nulls, State]] = {self.cfa.entry: {ALL: self._initial()}}
        for start in starts(self.cfa):
            at.setdefault(start, {ALL: State()})
        begins = set(at)
        waiting = {(location, ALL) for location in at}
        visits: dict[str, int] = {}
        while waiting:
            here = max(waiting, key=lambda item: (order[item[0]], item[0], sorted(item[1])))
            waiting.remove(here)
            location, part = here
            if part not in at[location]:
                continue
            for edge in self.cfa.leaving(location):
                after = self.after(edge.label, at[location][part])
                if after is None:
                    continue
                states = at.setdefault(edge.target, {})
                if len(at[location]) == 1 and len(self.cfa.entering(edge.target)) == 1 and edge.target not in begins:
                    waiting |= self._only_state(edge.target, states, after)
                    continue
                nulls = self._part_of(after, states, edge.target, is_head=edge.target in heads)
                if nulls == ALL and states and ALL not in states:
                    after = self._all_parts(states, after)
                    states.clear()
                known = states.get(nulls)
                after.collect()
                if known is None:
                    states[nulls] = after
                    waiting.add((edge.target, nulls))
                    continue
                visits[edge.target] = visits.get(edge.target, 0) + 1
                symbols = image(known, after)
                if symbols is not None:
                    self._settle(known, after, known, [(s, (s, twin)) for s, twin in symbols.items()])
                    continue
                joint, pairs = merge(known, after)
                self._settle(known, after, joint, list(enumerate(pairs, 1)))
                if visits[edge.target] > PATIENCE and edge.target in heads:
                    landmarks = self._landmarks.of_each(joint.holders(), only_ends=visits[edge.target] > UNHURRIED)
                    widen(known.zone, joint.zone, pairs, landmarks)
                    joint.sharpen_doubled()
                    if visits[edge.target] <= TIGHTENED:
                        joint.zone.tighten()
                if not covers(known, joint, pairs):
                    states[nulls] = joint
                    waiting.add((edge.target, nulls))
        return at

    def _only_state(self, location: str, states: dict[Nulls, State], after: State) -> set[tuple[str, Nulls]]:
        """The state of a location to which one edge leads: it replaces the one before."""
        nulls = self._part_of(after, {}, location)
        known = states.get(nulls) if len(states) == 1 else None
        if known is not None and image(known, after) is not None and image(after, known) is not None:
            return set()
        states.clear()
        after.collect()
        states[nulls] = after
        return {(location, nulls)}

    def _part_of(self, state: State, states: dict[Nulls, State], location: str, *, is_head: bool = False) -> Nulls:
        """The part of the states of a location to which a state belongs: by the pointers that are NULL in it.

        At the head of a loop only those count that its condition compares; where there are many parts, all are one.
        A number or pointer that is compared with a constant soon tells parts, too: it may be a result.
        """
        if ALL in states:
            return ALL
        asked = self._asked_at(location) if is_head else None
        if asked == frozenset():
            return ALL
        nulls = {
            k.name
            for k, s in state.held.items()
            if isinstance(k, Variable) and Part("null", s, 1) in state.held and self._tells_parts(k, asked)
        }
        if not is_head:
            nulls |= {
                f"{variable.name}={number}"
                for variable, number in self._asked_soon(location)
                if variable in state.held and _is_constant(state, state.held[variable], number)
            }
        known = frozenset(nulls) or NONE
        return known if known in states or len(states) < MOST_PARTS else ALL

    def _asked_soon(self, location: str) -> frozenset[tuple[Variable, int]]:
        """The numbers that the next condition compares with constants, if only copies are between here and there."""
        if location not in self._asked:
            self._asked[location] = next_comparisons(self.cfa, location)
        return self._asked[location]

    @cached_property
    def _asked(self) -> dict[str, frozenset[tuple[Variable, int]]]:
        return {}

    def _tells_parts(self, pointer: Variable, asked: Nulls | None) -> bool:
        """Whether states are kept apart by a pointer: where there are texts, by pointers to them only."""
        return (is_text(pointer) or not self.promises.texts) and (asked is None or pointer.name in asked)

    def _asked_at(self, location: str) -> Nulls:
        """The pointers to texts that the conditions at a location compare."""
        if not self.promises.texts:
            return frozenset()
        labels = [edge.label for edge in self.cfa.leaving(location)]
        nodes = [n for label in labels if isinstance(label, Assume) for n in walk(label.condition)]
        return frozenset(n.name for n in nodes if isinstance(n, Variable) and isinstance(n.type, PointerType))

    def _all_parts(self, states: dict[Nulls, State], after: State) -> State:
        for other in states.values():
            joint, pairs = merge(other, after)
            self._settle(other, after, joint, list(enumerate(pairs, 1)))
            after = joint
        return after

    def _settle(self, known: State, after: State, joint: State, pairs: list[tuple[int, tuple[int, int]]]) -> None:
        self.settle_debts(known, after, joint, pairs)
        self.settle_open(known, after, joint, pairs)

    def _initial(self) -> State:
        state = State()
        for item in self.program.globals:
            if item.external or not self._is_tracked(item.variable):
                continue
            if isinstance(item.variable.type, IntegerType):
                state.held[item.variable] = state.fresh(0, 0)
            elif isinstance(item.variable.type, PointerType):
                state.held[item.variable] = self._null(state)
        for item in self.program.globals if self.promises.kinds else ():
            self.begin_object(item, state)
        for item in self.program.globals if self.number_places.of_kind else ():
            self.begin_numbers(item, state)
        for item in self.program.globals:
            for assignment in item.initial if not item.external and item.variable.name != ARGUMENTS else ():
                self._assign(assignment.target, assignment.value, state)
            if len(item.initial) > MOST_INITIAL_CELLS:
                self._overwrite(self._object(item.variable, state), None, 0, state)
        return state

    # Operations -----------------------------------------------------------------------------------------------

    def after(self, operation: Operation, before: State) -> State | None:
        """The state after an operation; None if it does not pass."""
        state = before.copy()
        match operation:
            case Assume(condition=condition, truth=truth):
                return state if self._assume(condition, truth, state) else None
            case Assign(target=target, value=value):
                self._assign(target, value, state)
            case Allocate(target=target, size=size):
                block = self._block(size, state, self._kinds.of_allocation(operation))
                self._note_length(block, target.type, state)
                self.check_lengths(self._kinds.of_allocation(operation), block, state)
                self.made_block(block, state, zeroed=operation.zeroed)
                self.open_places(block, state, zeroed=operation.zeroed)
                self._store(target, block, state)
            case Realloc(target=target, pointer=pointer, size=size):
                old = self.pointer(pointer, state)
                block = self._block(size, state, self._kinds.of_allocation(operation))
                self.check_lengths(self._kinds.of_allocation(operation), block, state)
                self.moved_block(old, block, state)
                self.move_places(old, block, state)
                self._store(target, block, state)
            case Havoc(target=target):
                self._store(target, self._any(target, state), state)
            case MemSet(pointer=pointer, value=value, size=size):
                self.numbers_written(operation, state)
                target_symbol, amount = self.pointer(pointer, state), self.number(size, state)
                zero = self.is_zero(state, self.number(value, state))
                self._overwrite(target_symbol, None, 0, state)
                self.write_bytes(state, target_symbol, amount, zero=zero)
            case MemCopy(destination=pointer, source=source, size=size):
                self.numbers_written(operation, state)
                target_symbol, amount = self.pointer(pointer, state), self.number(size, state)
                from_symbol = self.pointer(source, state)
                ends = self.copies_end(state, from_symbol, amount)
                self.pay(from_symbol, state)
                self._overwrite(target_symbol, None, 0, state)
                self.write_bytes(state, target_symbol, amount, ends=ends)
            case Call(function=str() as name) if name in TEXT_PRIMITIVES:
                self.numbers_written(operation, state)
                self.primitive(operation, state)
            case Call(result=result):
                self._forget_memory(state)
                if result is not None:
                    self._store(result, self._anything(result.type, state), state)
            case Exit() | Error() | Unsupported() | Return():
                return None
            case DeclareLocal(variable=variable):
                self._end((variable,), state)
                self.begin_local(variable, state)
                if self.number_places.of_kind and not (self._is_tracked(variable) and is_scalar(variable.type)):
                    self.open_places(self._object(variable, state), state, zeroed=False)
            case EndScope(variables=variables):
                self._end(variables, state)
            case Specified() | Invoke() | Enter() | Leave():
                self.before_call(operation, state)
                self.numbers_written(operation, state)
                self._forget_memory(state)
                self._end(defined_variables(operation), state)
                self.after_call(operation, state)
            case Free(pointer=pointer):
                self._close(self.pointer(pointer, state), state)
            case Skip() | Print():
                pass
        self.lose_unreached(state)
        if state.following > MOST_SYMBOLS:
            state.collect()
        return state

    def _end(self, variables: Sequence[Variable], state: State) -> None:
        """Variables that have no value any more, or not yet."""
        for variable in variables:
            state.held.pop(variable, None)
            if address_of(variable) in state.held:
                self._overwrite(self._object(variable, state), None, 0, state)
                self._close(self._object(variable, state), state)

    def _any(self, target: Expression, state: State) -> int:
        """An input: a pointer among them points to nothing that the program knows (`memory`)."""
        if isinstance(target.type, PointerType):
            return state.fresh_pointer(self._kinds.of_value(target))
        return self._anything(target.type, state)

    def _anything(self, type_: Type, state: State) -> int:
        if isinstance(type_, PointerType):
            return state.fresh_pointer(None)
        return state.fresh(*full_range(type_))

    def _forget_memory(self, state: State) -> None:
        state.held = {
            k: s for k, s in state.held.items() if isinstance(k, Part) or (isinstance(k, Variable) and not k.is_global)
        }

    def _block(self, size: Expression, state: State, kind: object) -> int:
        """A new block or NULL: no relation is known. A size that is less than 0 before its conversion makes none."""
        bytes_ = self.number(before_conversion(size, size.type), state)
        block = state.fresh_pointer(frozenset((kind,)))
        for other in list(state.blocks):
            if other != block:
                state.apart |= {(block, other), (other, block)}
        nothing = state.fresh(0, 0)
        state.held[Part("behind", block, 1)] = nothing
        state.held[Part("room", block, 1)] = bytes_
        state.held[Part("block", block, 1)] = block
        product = factors(size)
        if product is not None:
            count, each = product
            number = self.number(count, state)
            if is_whole(state.interval(number), each, size.type):
                state.held[Part("room", block, each)] = number
                state.held[Part("behind", block, each)] = nothing
        return block

    def _assign(self, target: Expression, value: Expression, state: State) -> None:
        if isinstance(target.type, PointerType):
            self._store(target, self.pointer(value, state), state)
        elif isinstance(target.type, IntegerType) and not _is_bit_field(target):
            self._store(target, self.number(value, state), state)
        else:
            base, offset = self._locate(target, state)
            self.struct_stored(target, value, state)
            if not isinstance(target, Variable) or not self._is_tracked(target):
                self.copied_struct(value, state)
                self.memory_written(state, base, target, target.type.size)
            self._overwrite(base, offset, target.type.size, state)

    def _store(self, target: Expression, symbol: int, state: State) -> None:
        if isinstance(target, Variable) and self._is_tracked(target):
            state.held[target] = symbol
            return
        base, offset = self._locate(target, state)
        first, size = offset, target.type.size
        if offset is None and isinstance(target, Index) and target.base.type.size:  # some element of a known array
            (base, first), size = self._locate(target.base, state), target.base.type.size
        self._overwrite(base, first, size, state)
        self.record_store(target, symbol, base, offset, state)
        self.number_stored(target, symbol, base, offset, state)
        if offset is not None and not _is_bit_field(target):
            state.held[Cell(base, offset, target.type.size)] = symbol

    def _overwrite(self, base: int, offset: int | None, size: int, state: State) -> None:
        """Forget the cells that a write of `size` bytes may change; without an offset, all of the block."""
        own = state.blocks.get(base)
        gone: list[Cell] = []
        for key in state.held:
            if not isinstance(key, Cell):
                continue
            if key.symbol == base:
                if offset is None or (key.offset < offset + size and offset < key.offset + key.size):
                    gone.append(key)
            elif (base, key.symbol) not in state.apart:
                other = state.blocks.get(key.symbol)
                if own is None or other is None or own & other:
                    gone.append(key)
        for key in gone:
            del state.held[key]

    # Conditions -----------------------------------------------------------------------------------------------

    def _assume(self, condition: Expression, truth: bool, state: State) -> bool:
        while isinstance(condition, Unary) and condition.operator == "!":
            condition, truth = condition.operand, not truth
        if isinstance(condition, Cast) and isinstance(condition.operand, Comparison):
            condition = condition.operand
        if not isinstance(condition, Comparison):
            if not isinstance(condition.type, IntegerType):
                return True
            condition = Comparison("!=", condition, Constant(0, condition.type))
        operator = condition.operator if truth else NEGATED[condition.operator]
        left, right = condition.left, condition.right
        if isinstance(left.type, IntegerType) and isinstance(right.type, IntegerType):
            one, two = self.number(left, state), self.number(right, state)
            if operator == "!=" and state.interval(two) == (0, 0):
                state.nonzero.add(one)
            if operator == "==" and state.interval(two) == (0, 0) and state.is_nonzero(one):
                return False
            if not relate(operator, one, two, state.zone):
                return False
            return self._relate_differences(one, two, state) and self.settle(state)
        if isinstance(left.type, PointerType) and isinstance(right.type, PointerType):
            one, two = self.pointer(left, state), self.pointer(right, state)
            return self._assume_pointers(operator, one, two, left, state)
        return True

    def _relate_differences(self, one: int, two: int, state: State) -> bool:
        """After a comparison with a difference: ``n < cap - len`` says that len + n is less than cap."""
        zone = state.zone
        for number, difference in ((one, two), (two, one)):
            whole, part = (state.held.get(Part(kind, difference, 1)) for kind in ("minuend", "subtrahend"))
            if whole is None or part is None or not {whole, part} <= zone.bounds.keys():
                continue
            total = self._sum(state, part, number, minus=False)
            below, above = zone.upper(number, difference), zone.upper(difference, number)
            if not (zone.add(total, whole, below) and zone.add(whole, total, above)):
                return False
        return True

    def _exists(self, pointer: int, state: State) -> bool:
        """A pointer is not NULL: its block is not larger than a block can be.

        Where it certainly is, nothing follows: an analysis in which `malloc` never fails goes on there.
        """
        parts = [(k, s) for k, s in state.held.items() if isinstance(k, Part) and k.symbol == pointer]
        for part, number in parts:
            if part.kind == "room" and Part("behind", pointer, part.scale) in state.held:
                behind = state.interval(state.held[Part("behind", pointer, part.scale)])
                if behind == (0, 0):
                    most = self.program.largest_block // part.scale
                    is_too_large = state.interval(number)[0] > most
                    if not is_too_large and not (state.zone.add(number, ZERO, most) and state.is_natural(number)):
                        return False
        return True

    def _assume_null(self, operator: str, sides: tuple[int, int], state: State, *, both: bool) -> bool:
        """A comparison of NULL with a pointer."""
        null, pointer = sides
        if both:
            return operator == "=="
        if operator == "!=":
            state.held[Part("nonzero", pointer, 1)] = pointer
            self.end_moved(pointer, state)
            return self._exists(pointer, state) and self.settle(state)
        if Part("nonzero", pointer, 1) in state.held:
            return False
        self._close(pointer, state)
        for key, symbol in state.held.items():
            if symbol == pointer and not isinstance(key, Part):
                state.held[key] = null
        return True

    def _assume_pointers(self, operator: str, a: int, b: int, left: Expression, state: State) -> bool:
        nulls = [Part("null", side, 1) in state.held for side in (a, b)]
        if any(nulls) and operator in ("==", "!="):
            return self._assume_null(operator, (a, b) if nulls[0] else (b, a), state, both=all(nulls))
        blocks = [state.held.get(Part("block", side, 1)) for side in (a, b)]
        if blocks[0] is None or blocks[0] != blocks[1] or not isinstance(left.type, PointerType):
            return True
        scale = left.type.target.size
        one, two = self._part(state, "behind", a, scale), self._part(state, "behind", b, scale)
        return one is None or two is None or relate(operator, one, two, state.zone)


def _is_bit_field(target: Expression) -> bool:
    return isinstance(target, Field) and target.bit_width is not None


def _is_constant(state: State, symbol: int, number: int) -> bool:
    """Whether a number is that one, or a pointer NULL."""
    if symbol in state.blocks:
        return number == 0 and Part("null", symbol, 1) in state.held
    return state.zone.bounds.get(symbol) == (number, number)
