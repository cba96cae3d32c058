"""Relations between numbers, members and the lengths of blocks: is an index inside its block, whatever its length?

An abstract interpretation with zones (`zones`). A variable, or a member of a struct that a variable points to, holds a
*symbol*; what is copied has the same symbol, so that a function and its caller speak of one object. A pointer has two
numbers for each size of elements: how many elements lie ahead of it in its block (`room`), and how many behind it. So
``p[i]`` is inside its block iff -behind <= i < room (Gopan, Reps, Sagiv, POPL 2005, on such numbers for arrays).

A value in memory is known until something may overwrite it: where blocks that a pointer may point to are told apart
without regard to control flow (`memory`), and a fresh block differs from all that there are already.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from kleene.cfa.expressions import (
    MIRRORED,
    NEGATED,
    AddressOf,
    Binary,
    Cast,
    Comparison,
    Constant,
    Deref,
    Expression,
    Field,
    Index,
    PointerDifference,
    PointerOffset,
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
    address_taken,
    expressions,
)
from kleene.cfa.program import CProgram
from kleene.cfa.types import ArrayType, IntegerType, PointerType, Type
from kleene.passes.facts.blocks_of_pointers import Blocks
from kleene.passes.facts.liveness import defined
from kleene.passes.facts.zones import ZERO, Interval, Zone, joined
from kleene.passes.literals import character
from kleene.passes.promote import exposed_globals

MOST_EDGES = 4_000
"""Larger automata are not looked at: the analysis would take longer than what it could help to prove."""
PATIENCE = 3
"""Visits of a location before its bounds are widened."""
MOST_SYMBOLS = 60
"""With more symbols than this in a state, those that nothing holds are dropped."""
WORD = 1 << 64
"""Bytes that a block can have at most, on all machines."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The number or pointer in the block of a pointer symbol, at an offset in bytes from there."""

    symbol: int
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class Part:
    """A number of a pointer symbol: its `room` ahead, how much is `behind` it, in elements of `scale` bytes."""

    kind: str
    symbol: int
    scale: int


Key = Variable | Cell | Part


@dataclass
class State:
    """What is known at a location. `blocks` has the kinds of blocks of a pointer symbol; None: any."""

    held: dict[Key, int] = field(default_factory=dict)
    zone: Zone = field(default_factory=Zone)
    blocks: dict[int, frozenset[object] | None] = field(default_factory=dict)
    apart: set[tuple[int, int]] = field(default_factory=set)
    following: int = 1

    def copy(self) -> State:
        return State(dict(self.held), self.zone.copy(), dict(self.blocks), set(self.apart), self.following)

    def fresh(self, low: int, high: int) -> int:
        symbol = self.following
        self.following += 1
        self.zone.bounds[symbol] = (low, high)
        return symbol

    def fresh_pointer(self, blocks: frozenset[object] | None) -> int:
        symbol = self.following
        self.following += 1
        self.blocks[symbol] = blocks
        return symbol

    def interval(self, symbol: int) -> Interval:
        return self.zone.bounds[symbol]

    def collect(self) -> None:
        """Drop what no variable leads to."""
        reached: set[int] = {s for key, s in self.held.items() if isinstance(key, Variable)}
        grew = True
        while grew:
            more = {s for k, s in self.held.items() if not isinstance(k, Variable) and k.symbol in reached}
            grew = not more <= reached
            reached |= more
        self.held = {k: s for k, s in self.held.items() if isinstance(k, Variable) or k.symbol in reached}
        self.zone.keep(reached & self.zone.bounds.keys())
        self.blocks = {s: b for s, b in self.blocks.items() if s in reached}
        self.apart = {(a, b) for a, b in self.apart if a in reached and b in reached}


def merged(first: State, second: State) -> tuple[State, list[tuple[int, int]]]:
    """The state that covers both, and the pair of symbols that each of its symbols 1, 2, ... stands for."""
    return _Merge(first.copy(), second.copy()).run()


class _Merge:
    """Two states on their way to one: they get the same members of pointers that are NULL in one of them."""

    def __init__(self, first: State, second: State) -> None:
        self.first, self.second = first, second
        self.numbers: dict[tuple[int, int], int] = {}
        self.order: list[tuple[int, int]] = []
        self.held: dict[Key, int] = {}

    def run(self) -> tuple[State, list[tuple[int, int]]]:
        first, second = self.first, self.second
        variables = [k for k in first.held if isinstance(k, Variable) and k in second.held]
        for variable in sorted(variables, key=lambda v: v.name):
            self._hold(variable, first.held[variable], second.held[variable])
        self._look_into(0)
        looked = len(self.order)
        for a, b in list(self.order):
            if first.blocks.get(a) == frozenset() and second.blocks.get(b):
                _imitate(first, a, second, b, {two: one for one, two in self.order})
            elif second.blocks.get(b) == frozenset() and first.blocks.get(a):
                _imitate(second, b, first, a, dict(self.order))
        self._look_into(0)
        assert len(self.order) >= looked
        return self._result(), self.order

    def _hold(self, key: Key, a: int, b: int) -> None:
        if (a in self.first.blocks) != (b in self.second.blocks):
            return
        if (a, b) not in self.numbers:
            self.order.append((a, b))
            self.numbers[a, b] = len(self.order)
        self.held[key] = self.numbers[a, b]

    def _look_into(self, looked: int) -> None:
        """The members of pointers that both states know."""
        inner: dict[int, list[Cell | Part]] = {}
        for key in self.first.held:
            if not isinstance(key, Variable):
                inner.setdefault(key.symbol, []).append(key)
        while looked < len(self.order):
            a, b = self.order[looked]
            looked += 1
            for key in sorted(inner.get(a, ()), key=str):
                other = replace(key, symbol=b)
                if other in self.second.held:
                    self._hold(replace(key, symbol=looked), self.first.held[key], self.second.held[other])

    def _result(self) -> State:
        first, second, order = self.first, self.second, self.order
        result = State(self.held, following=len(order) + 1)
        for index, (a, b) in enumerate(order, 1):
            if a in first.blocks:
                one, two = first.blocks[a], second.blocks[b]
                result.blocks[index] = None if one is None or two is None else one | two
        for i in result.blocks:
            for j in result.blocks:
                (a, b), (c, d) = order[i - 1], order[j - 1]
                if i != j and (a, c) in first.apart and (b, d) in second.apart:
                    result.apart.add((i, j))
        plain = [(ZERO, ZERO) if i in result.blocks else pair for i, pair in enumerate(order, 1)]
        result.zone = joined(first.zone, second.zone, plain)
        result.zone.keep(i for i in range(1, len(order) + 1) if i not in result.blocks)
        return result


def _imitate(state: State, null: int, other: State, pointer: int, known: dict[int, int]) -> None:
    """Give a pointer that is NULL in a state the members that it has in the other one.

    Nothing can be read through it, so its members may have any values: those of variables that the two states hold in
    common, or else new ones with the same relations.
    """
    made: dict[int, int] = {pointer: null}
    waiting = [pointer]
    while waiting:
        symbol = waiting.pop()
        keys = [k for k in other.held if not isinstance(k, Variable) and k.symbol == symbol]
        for key in sorted(keys, key=str):
            value = other.held[key]
            if value not in made:
                if value in known:
                    made[value] = known[value]
                elif value in other.blocks:
                    made[value] = state.fresh_pointer(frozenset())
                    waiting.append(value)
                else:
                    made[value] = state.fresh(*other.zone.bounds[value])
            state.held[replace(key, symbol=made[symbol])] = made[value]
    new = {old: own for old, own in made.items() if old not in known and old in other.zone.bounds}
    for (a, b), c in other.zone.gaps.items():
        if a in new and b in new:
            state.zone.add(new[a], new[b], c)


class Relations:
    """The states at the locations of one automaton; computed when they are asked for."""

    def __init__(self, program: CProgram, cfa: Cfa[Operation]) -> None:
        self.program, self.cfa = program, cfa

    # Questions ------------------------------------------------------------------------------------------------

    def of(self, expression: Expression, location: str) -> Interval:
        """The values that an integer expression may have where an edge leaves a location."""
        state = self._state(location)
        if state is None:
            return _full(expression.type)
        return state.interval(self.number(expression, state))

    def inside(self, pointer: Expression, index: Expression, scale: int, location: str) -> bool:
        """Whether the element of `scale` bytes at an index from a pointer is in the pointer's block."""
        state = self._state(location)
        if state is None:
            return False
        base, at = self.pointer(pointer, state), self.number(index, state)
        return self._fits(state, base, at, scale, room_needed=1)

    def has_room(self, pointer: Expression, size: Expression, location: str) -> bool:
        """Whether so many bytes from a pointer on are in its block."""
        state = self._state(location)
        if state is None:
            return False
        base, amount = self.pointer(pointer, state), self.number(size, state)
        room = self._part(state, "room", base, 1)
        return room is not None and self._is_after_start(state, base, ZERO, 1) and state.zone.upper(amount, room) <= 0

    def is_start(self, pointer: Expression, location: str) -> bool:
        """Whether a pointer is NULL or the start of its block."""
        state = self._state(location)
        if state is None:
            return False
        behind = self._part(state, "behind", self.pointer(pointer, state), 1)
        return behind is not None and state.interval(behind) == (0, 0)

    def length_is(self, pointer: Expression, count: Expression, scale: int, location: str) -> bool:
        """Whether a pointer is the start of a block of just that many elements."""
        state = self._state(location)
        if state is None:
            return False
        base, number = self.pointer(pointer, state), self.number(count, state)
        room, behind = self._part(state, "room", base, scale), self._part(state, "behind", base, scale)
        if room is None or behind is None or state.interval(behind) != (0, 0):
            return False
        return state.zone.upper(room, number) <= 0 and state.zone.upper(number, room) <= 0

    def at_most(self, left: Expression, right: Expression, location: str) -> bool:
        """Whether a number is not greater than another one."""
        state = self._state(location)
        if state is None:
            return False
        a, b = self.number(left, state), self.number(right, state)
        return state.zone.upper(a, b) <= 0

    def distance(self, left: Expression, right: Expression, location: str) -> int | None:
        """The first number less the second, if that is always the same."""
        state = self._state(location)
        if state is None:
            return None
        a, b = self.number(left, state), self.number(right, state)
        most = state.zone.upper(a, b)
        return most if state.zone.upper(b, a) == -most else None

    def has_at_most(self, pointer: Expression, count: Expression, scale: int, location: str) -> bool:
        """Whether a pointer is the start of a block of not more than so many elements, or NULL."""
        state = self._state(location)
        if state is None:
            return False
        base, number = self.pointer(pointer, state), self.number(count, state)
        room, behind = self._part(state, "room", base, scale), self._part(state, "behind", base, scale)
        if room is None or behind is None or state.interval(behind) != (0, 0):
            return False
        return state.zone.upper(room, number) <= 0

    def _state(self, location: str) -> State | None:
        found = self.at.get(location)
        return None if found is None else found.copy()

    def _fits(self, state: State, base: int, at: int, scale: int, *, room_needed: int) -> bool:
        room = self._part(state, "room", base, scale)
        if room is None or state.zone.upper(at, room) > -room_needed:
            return False
        return self._is_after_start(state, base, at, scale)

    def _is_after_start(self, state: State, base: int, at: int, scale: int) -> bool:
        behind = self._part(state, "behind", base, scale)
        least = state.interval(at)[0]
        return behind is not None and state.interval(behind)[0] + least >= 0

    # The fixpoint ---------------------------------------------------------------------------------------------

    @cached_property
    def at(self) -> dict[str, State]:
        if len(self.cfa.edges) > MOST_EDGES:
            return {}
        operations = [e.label for e in self.cfa.edges]
        constants = {n.value for o in operations for x in expressions(o) for n in walk(x) if isinstance(n, Constant)}
        self._steps = sorted({c + d for c in constants for d in (-1, 0, 1)})
        return self._solved()

    @cached_property
    def _untracked(self) -> frozenset[Variable]:
        return address_taken([e.label for e in self.cfa.edges]) | exposed_globals(self.program)

    @cached_property
    def _calls(self) -> bool:
        return any(isinstance(e.label, Call) for e in self.cfa.edges)

    @cached_property
    def _kinds(self) -> Blocks:
        return Blocks(self.program, self.cfa)

    def _solved(self) -> dict[str, State]:
        order, heads = self.cfa.post_order, self.cfa.loop_heads
        at: dict[str, State] = {self.cfa.entry: self._initial()}
        waiting = {self.cfa.entry}
        visits: dict[str, int] = {}
        while waiting:
            location = max(waiting, key=lambda name: order.get(name, -1))
            waiting.remove(location)
            for edge in self.cfa.leaving(location):
                after = self.after(edge.label, at[location])
                if after is None:
                    continue
                known = at.get(edge.target)
                if known is None:
                    after.collect()
                    at[edge.target] = after
                    waiting.add(edge.target)
                    continue
                visits[edge.target] = visits.get(edge.target, 0) + 1
                joint, pairs = merged(known, after)
                if visits[edge.target] > PATIENCE and edge.target in heads:
                    self._widen(known, joint, pairs)
                if not _covers(known, joint, pairs):
                    at[edge.target] = joint
                    waiting.add(edge.target)
        return at

    def _widen(self, known: State, joint: State, pairs: list[tuple[int, int]]) -> None:
        zone = joint.zone
        for number, (old, _) in enumerate(pairs, 1):
            if number in joint.blocks or old not in known.zone.bounds:  # a member that a null pointer was given
                continue
            (low, high), (a, b) = zone.bounds[number], known.zone.bounds[old]
            if low < a:
                k = bisect_right(self._steps, low)
                low = self._steps[k - 1] if k else -WORD
            if high > b:
                k = bisect_left(self._steps, high)
                high = self._steps[k] if k < len(self._steps) else WORD
            zone.bounds[number] = (low, high)
        for (i, j), c in list(zone.gaps.items()):
            one, two = pairs[i - 1][0], pairs[j - 1][0]
            if {one, two} <= known.zone.bounds.keys() and c > known.zone.upper(one, two):
                del zone.gaps[i, j]

    def _initial(self) -> State:
        state = State()
        for item in self.program.globals:
            if item.external or not self._is_tracked(item.variable):
                continue
            if isinstance(item.variable.type, IntegerType):
                state.held[item.variable] = state.fresh(0, 0)
            elif isinstance(item.variable.type, PointerType):
                state.held[item.variable] = self._null(state)
        for item in self.program.globals:
            for assignment in item.initial if not item.external else ():
                self._assign(assignment.target, assignment.value, state)
        return state

    def _is_tracked(self, variable: Expression) -> bool:
        if not isinstance(variable, Variable) or variable in self._untracked:
            return False
        return not (variable.is_global and self._calls)

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
                self._store(target, self._block(size, state, self._kinds.made(operation)), state)
            case Realloc(target=target, size=size):
                self._store(target, self._block(size, state, self._kinds.made(operation)), state)
            case Havoc(target=target):
                self._store(target, self._any(target.type, state), state)
            case MemSet(pointer=pointer) | MemCopy(destination=pointer):
                self._overwrite(self.pointer(pointer, state), None, 0, state)
            case Call(result=result):
                self._forget_memory(state)
                if result is not None:
                    self._store(result, self._any(result.type, state), state)
            case Exit() | Error() | Unsupported() | Return():
                return None
            case DeclareLocal(variable=variable):
                self._end((variable,), state)
            case EndScope(variables=variables):
                self._end(variables, state)
            case Specified() | Invoke() | Enter() | Leave():
                self._forget_memory(state)
                self._end(defined(operation), state)
            case Skip() | Print() | Free():
                pass
        if state.following > MOST_SYMBOLS:
            state.collect()
        return state

    def _end(self, variables: Sequence[Variable], state: State) -> None:
        """Variables that have no value any more, or not yet."""
        for variable in variables:
            state.held.pop(variable, None)
            if _address_of(variable) in state.held:
                self._overwrite(self._object(variable, state), None, 0, state)

    def _any(self, type_: Type, state: State) -> int:
        if isinstance(type_, PointerType):
            return state.fresh_pointer(None)
        return state.fresh(*_full(type_))

    def _forget_memory(self, state: State) -> None:
        state.held = {
            k: s for k, s in state.held.items() if isinstance(k, Part) or (isinstance(k, Variable) and not k.is_global)
        }

    def _block(self, size: Expression, state: State, kind: object) -> int:
        """A new block, or NULL, of which anything may be said."""
        bytes_ = self.number(size, state)
        found = state.fresh_pointer(frozenset((kind,)))
        for other in list(state.blocks):
            if other != found:
                state.apart |= {(found, other), (other, found)}
        nothing = state.fresh(0, 0)
        state.held[Part("behind", found, 1)] = nothing
        state.held[Part("room", found, 1)] = bytes_
        state.held[Part("block", found, 1)] = found
        product = factors(size)
        if product is not None:
            count, each = product
            number = self.number(count, state)
            low, high = state.interval(number)
            if low >= 0 and high * each < WORD:
                state.held[Part("room", found, each)] = number
                state.held[Part("behind", found, each)] = nothing
        return found

    def _null(self, state: State) -> int:
        """The null pointer: it may not be dereferenced, so it may be said to have no room."""
        found = state.fresh_pointer(frozenset())
        nothing = state.fresh(0, 0)
        for kind in ("behind", "room"):
            state.held[Part(kind, found, 1)] = nothing
        return found

    def _assign(self, target: Expression, value: Expression, state: State) -> None:
        if isinstance(target.type, PointerType):
            self._store(target, self.pointer(value, state), state)
        elif isinstance(target.type, IntegerType) and not (isinstance(target, Field) and target.bit_width is not None):
            self._store(target, self.number(value, state), state)
        else:
            base, offset = self._locate(target, state)
            self._overwrite(base, offset, target.type.size, state)

    def _store(self, target: Expression, symbol: int, state: State) -> None:
        if isinstance(target, Variable) and self._is_tracked(target):
            state.held[target] = symbol
            return
        base, offset = self._locate(target, state)
        self._overwrite(base, offset, target.type.size, state)
        if offset is not None and not (isinstance(target, Field) and target.bit_width is not None):
            state.held[Cell(base, offset, target.type.size)] = symbol

    def _overwrite(self, base: int, offset: int | None, size: int, state: State) -> None:
        """Forget the cells that a write of `size` bytes may change; without an offset, all of the block."""
        own = state.blocks.get(base)
        gone: list[Key] = []
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

    def _locate(self, lvalue: Expression, state: State) -> tuple[int, int | None]:
        """The pointer symbol from which an lvalue is reached, and its offset from there; None if it varies."""
        match lvalue:
            case Field(base=base, offset=shift):
                symbol, offset = self._locate(base, state)
                return symbol, None if offset is None else offset + shift
            case Index(base=base, index=index):
                symbol, offset = self._locate(base, state)
                at = state.interval(self.number(index, state))
                exact = offset is not None and at[0] == at[1]
                return symbol, offset + at[0] * lvalue.type.size if exact and offset is not None else None
            case Deref(pointer=pointer):
                return self.pointer(pointer, state), 0
            case Variable():
                return self._object(lvalue, state), 0
            case Cast(operand=operand):
                return self._locate(operand, state)
        return state.fresh_pointer(None), None

    def _object(self, variable: Variable, state: State) -> int:
        """The address of a variable, as a pointer symbol."""
        key = _address_of(variable)
        if key not in state.held:
            found = state.held[key] = state.fresh_pointer(frozenset((self._kinds.of_object(variable),)))
            state.held[Part("behind", found, 1)] = state.fresh(0, 0)
            state.held[Part("room", found, 1)] = state.fresh(variable.type.size, variable.type.size)
            state.held[Part("block", found, 1)] = found
            for other, other_symbol in list(state.held.items()):
                if isinstance(other, Variable) and other.name.startswith("&") and other != key:
                    state.apart |= {(found, other_symbol), (other_symbol, found)}
        return state.held[key]

    # Pointers -------------------------------------------------------------------------------------------------

    def pointer(self, value: Expression, state: State) -> int:
        """The symbol of a pointer value."""
        match value:
            case Constant(value=0):
                return self._null(state)
            case Variable() if self._is_tracked(value):
                if value not in state.held:
                    state.held[value] = state.fresh_pointer(self._kinds.of_value(value))
                return state.held[value]
            case Cast(operand=operand) if isinstance(operand.type, PointerType):
                return self.pointer(operand, state)
            case AddressOf(target=target):
                return self._address(target, state)
            case PointerOffset(pointer=base, index=index, scale=scale):
                return self._moved(self.pointer(base, state), self.number(index, state), scale, state)
            case Variable() | Field() | Deref() | Index():
                base_symbol, offset = self._locate(value, state)
                found = state.fresh_pointer(self._kinds.of_value(value))
                if offset is None:
                    return found
                return state.held.setdefault(Cell(base_symbol, offset, value.type.size), found)
        return state.fresh_pointer(None)

    def _address(self, target: Expression, state: State) -> int:
        match target:
            case Variable():
                return self._object(target, state)
            case Deref(pointer=pointer):
                return self.pointer(pointer, state)
            case Index(base=base, index=index):
                start = self._address(base, state)
                if isinstance(base.type, ArrayType) and base.type.count:
                    scale = target.type.size
                    part = state.fresh_pointer(state.blocks.get(start))
                    state.held[Part("room", part, scale)] = state.fresh(base.type.count, base.type.count)
                    state.held[Part("behind", part, scale)] = state.fresh(0, 0)
                    start = part
                return self._moved(start, self.number(index, state), target.type.size, state)
            case Field(base=base, offset=offset):
                start = self._address(base, state)
                if offset == 0 and not isinstance(target.type, ArrayType):
                    return start
                found = state.fresh_pointer(state.blocks.get(start))
                if isinstance(target.type, ArrayType) and target.type.count:
                    size = target.type.size
                    state.held[Part("room", found, 1)] = state.fresh(size, size)
                    state.held[Part("behind", found, 1)] = state.fresh(offset, WORD)
                return found
        return state.fresh_pointer(None)

    def _moved(self, base: int, by: int, scale: int, state: State) -> int:
        if state.interval(by) == (0, 0):
            return base
        found = state.fresh_pointer(state.blocks.get(base))
        room, behind = self._part(state, "room", base, scale), self._part(state, "behind", base, scale)
        if room is not None:
            state.held[Part("room", found, scale)] = self._sum(state, room, by, minus=True)
        if behind is not None:
            state.held[Part("behind", found, scale)] = self._sum(state, behind, by, minus=False)
        block = state.held.get(Part("block", base, 1))
        if block is not None:
            state.held[Part("block", found, 1)] = block
        return found

    def _part(self, state: State, kind: str, symbol: int, scale: int) -> int | None:
        """A number of a pointer, for elements of some size; from bytes if it is known for them only."""
        found = state.held.get(Part(kind, symbol, scale))
        if found is None and scale > 0:
            by_bytes = state.held.get(Part(kind, symbol, 1))
            if by_bytes is None:
                by_bytes = self._in_bytes(state, kind, symbol)
            if by_bytes is not None:
                low, high = state.interval(by_bytes)
                found = by_bytes if scale == 1 else state.fresh(low // scale, high // scale)
                state.held[Part(kind, symbol, scale)] = found
        return found

    def _in_bytes(self, state: State, kind: str, symbol: int) -> int | None:
        """A number of a pointer in bytes, from one for larger elements: its interval is all that is known."""
        for key, number in state.held.items():
            if isinstance(key, Part) and key.kind == kind and key.symbol == symbol and key.scale > 1:
                low, high = state.interval(number)
                return state.fresh(low * key.scale, high * key.scale)
        return None

    # Numbers --------------------------------------------------------------------------------------------------

    def number(self, expression: Expression, state: State) -> int:
        """The symbol of the value of an integer expression."""
        full = _full(expression.type)
        match expression:
            case Constant(value=value):
                return state.fresh(value, value)
            case Variable() if self._is_tracked(expression):
                if expression not in state.held or state.held[expression] in state.blocks:
                    state.held[expression] = state.fresh(*full)
                return state.held[expression]
            case Index() if (constant := character(expression)) is not None:
                return state.fresh(constant, constant)
            case Field(bit_width=int()):
                return state.fresh(*full)
            case Variable() | Field() | Deref() | Index():
                base, offset = self._locate(expression, state)
                found = state.fresh(*full)
                if offset is None:
                    return found
                known = state.held.setdefault(Cell(base, offset, expression.type.size), found)
                return self._converted(known, full, state) if known in state.zone.bounds else found
            case Comparison() | Unary(operator="!"):
                return state.fresh(0, 1)
            case Unary(operator="-", operand=operand):
                low, high = state.interval(self.number(operand, state))
                return state.fresh(*_fitting((-high, -low), full))
            case Cast(operand=operand, type=IntegerType() as type_) if isinstance(operand.type, IntegerType):
                inner = self.number(operand, state)
                if type_.boolean:
                    return state.fresh(0, 1)
                return (
                    state.fresh(*full)
                    if type_.function != operand.type.function
                    else self._converted(inner, full, state)
                )
            case Binary():
                return self._binary(expression, full, state)
            case PointerDifference(left=left, right=right, scale=scale):
                return self._distance(self.pointer(left, state), self.pointer(right, state), scale, full, state)
        return state.fresh(*full)

    def _converted(self, symbol: int, full: Interval, state: State) -> int:
        low, high = state.interval(symbol)
        return symbol if full[0] <= low and high <= full[1] else state.fresh(*full)

    def _binary(self, expression: Binary, full: Interval, state: State) -> int:
        a, b = self.number(expression.left, state), self.number(expression.right, state)
        (al, ah), (bl, bh) = state.interval(a), state.interval(b)
        match expression.operator:
            case "+" if full[0] <= al + bl and ah + bh <= full[1]:
                return self._sum(state, a, b, minus=False)
            case "-":
                low, high = -state.zone.upper(b, a), state.zone.upper(a, b)
                if full[0] <= low and high <= full[1]:
                    return self._sum(state, a, b, minus=True)
            case "*":
                return self._product(a, b, full, state)
            case "/" if bl == bh and bl > 0 and al >= 0:
                found = state.fresh(al // bl, ah // bl)
                self._between(state, a, found, al - al // bl, ah - ah // bl)
                return found
            case "%" if bl >= 0 and bh > 0:
                low = max(al, 1 - bh) if al < 0 else 0
                found = state.fresh(low, max(0, min(ah, bh - 1)))
                state.zone.add(found, b, -1)
                if al >= 0:
                    state.zone.add(found, a, 0)
                return found
            case "&" if bl >= 0 or al >= 0:
                found = state.fresh(0, min(n for n, least in ((ah, al), (bh, bl)) if least >= 0))
                for side, least in ((a, al), (b, bl)):
                    if least >= 0:
                        state.zone.add(found, side, 0)
                return found
            case ">>" if al >= 0 and bl == bh and bl >= 0:
                found = state.fresh(al >> bl, ah >> bl)
                state.zone.add(found, a, 0)
                return found
            case "<<" if bl == bh and 0 <= bl < WORD.bit_length():
                return self._product(a, state.fresh(1 << bl, 1 << bl), full, state)
        return state.fresh(*full)

    def _product(self, a: int, b: int, full: Interval, state: State) -> int:
        (al, ah), (bl, bh) = state.interval(a), state.interval(b)
        if al == ah:
            a, b, al, ah, bl, bh = b, a, bl, bh, al, ah
        products = [x * y for x in (al, ah) for y in (bl, bh)]
        if min(products) < full[0] or max(products) > full[1]:
            return state.fresh(*full)
        if bl == bh == 1:
            return a
        found = state.fresh(min(products), max(products))
        if bl == bh and bl > 0:
            self._between(state, found, a, (bl - 1) * al, (bl - 1) * ah)
        return found

    def _sum(self, state: State, a: int, b: int, *, minus: bool) -> int:
        """A new symbol for a + b or a - b, which do not overflow."""
        (al, ah), (bl, bh) = state.interval(a), state.interval(b)
        if (bl, bh) == (0, 0):
            return a
        zone = state.zone
        if minus:
            found = state.fresh(max(al - bh, -zone.upper(b, a)), min(ah - bl, zone.upper(a, b)))
            self._between(state, a, found, bl, bh)
        else:
            found = state.fresh(al + bl, ah + bh)
            self._between(state, found, a, bl, bh)
            self._between(state, found, b, al, ah)
        return found

    @staticmethod
    def _between(state: State, a: int, b: int, low: int, high: int) -> None:
        """Add low <= a - b <= high."""
        state.zone.add(a, b, high)
        state.zone.add(b, a, -low)

    def _distance(self, left: int, right: int, scale: int, full: Interval, state: State) -> int:
        blocks = [state.held.get(Part("block", side, 1)) for side in (left, right)]
        a, b = self._part(state, "behind", left, scale), self._part(state, "behind", right, scale)
        if a is None or b is None or blocks[0] is None or blocks[0] != blocks[1]:
            return state.fresh(*full)
        return self._sum(state, a, b, minus=True)

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
            return _related(operator, self.number(left, state), self.number(right, state), state.zone)
        if isinstance(left.type, PointerType) and isinstance(right.type, PointerType):
            return self._assume_pointers(operator, self.pointer(left, state), self.pointer(right, state), left, state)
        return True

    def _assume_pointers(self, operator: str, a: int, b: int, left: Expression, state: State) -> bool:
        blocks = [state.held.get(Part("block", side, 1)) for side in (a, b)]
        if blocks[0] is None or blocks[0] != blocks[1] or not isinstance(left.type, PointerType):
            return True
        scale = left.type.target.size
        one, two = self._part(state, "behind", a, scale), self._part(state, "behind", b, scale)
        return one is None or two is None or _related(operator, one, two, state.zone)


def _address_of(variable: Variable) -> Variable:
    """The name of the address of a variable among the variables."""
    return Variable(f"&{variable.name}", PointerType(variable.type), variable.is_global)


def _related(operator: str, a: int, b: int, zone: Zone) -> bool:
    """Add a comparison of two numbers; false if it cannot hold."""
    if operator in (">", ">="):
        a, b, operator = b, a, MIRRORED[operator]
    match operator:
        case "<":
            return zone.add(a, b, -1)
        case "<=":
            return zone.add(a, b, 0)
        case "==":
            return zone.same(a, b)
    if zone.upper(a, b) <= 0 and zone.upper(b, a) <= 0:
        return False
    if zone.upper(a, b) <= 0:
        return zone.add(a, b, -1)
    return zone.upper(b, a) > 0 or zone.add(b, a, -1)


def _covers(known: State, joint: State, pairs: list[tuple[int, int]]) -> bool:
    """Whether a join has added nothing to the state that was known."""
    if len(known.held) != len(joint.held) or len({old for old, _ in pairs}) != len(pairs):
        return False
    if any(old not in known.zone.bounds and old not in known.blocks for old, _ in pairs):
        return False
    if {(pairs[i - 1][0], pairs[j - 1][0]) for i, j in joint.apart} != known.apart & {
        (a, b) for a, _ in pairs for b, _ in pairs
    }:
        return False
    for number, (old, _) in enumerate(pairs, 1):
        if number in joint.blocks:
            if joint.blocks[number] != known.blocks[old]:
                return False
        elif joint.zone.bounds[number] != known.zone.bounds[old]:
            return False
    numbers = [(n, old) for n, (old, _) in enumerate(pairs, 1) if n not in joint.blocks]
    return all(
        joint.zone.upper(n, m) <= known.zone.upper(old, other) for n, old in numbers for m, other in numbers if n != m
    )


def _full(type_: Type) -> Interval:
    if isinstance(type_, IntegerType):
        return type_.minimum, type_.maximum
    return -WORD, WORD


def _fitting(interval: Interval, full: Interval) -> Interval:
    return interval if full[0] <= interval[0] and interval[1] <= full[1] else full


def factors(size: Expression) -> tuple[Expression, int] | None:
    """A count of elements and the size of each, if a size is written as their product."""
    while isinstance(size, Cast) and isinstance(size.operand.type, IntegerType):
        size = size.operand
    if isinstance(size, Binary) and size.operator == "*":
        for count, each in ((size.left, size.right), (size.right, size.left)):
            if isinstance(each, Constant) and each.value > 1:
                return count, each.value
    return None
