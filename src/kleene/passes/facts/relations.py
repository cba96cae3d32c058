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
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from kleene.cfa.dataflow import solve_forward
from kleene.cfa.expressions import (
    MIRRORED,
    NEGATED,
    Binary,
    Cast,
    Comparison,
    Constant,
    Expression,
    Field,
    Unary,
    Variable,
    walk,
)
from kleene.cfa.graph import Edge
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
    expressions,
)
from kleene.cfa.types import IntegerType, PointerType, Type
from kleene.passes.facts.liveness import defined_variables
from kleene.passes.facts.memory import constant_of
from kleene.passes.facts.symbolic_states import Cell, Part, State, covers, merge
from kleene.passes.facts.symbolic_values import LARGEST_BLOCK, WORD, Values, address_of, full_range
from kleene.passes.facts.zones import ZERO, Interval, Zone

MOST_EDGES = 4_000
"""Larger automata are not looked at: the analysis would take longer than what it could help to prove."""
PATIENCE = 3
"""Visits of a location before its bounds are widened."""
CHAR_BITS = 8
MOST_SYMBOLS = 60
"""With more symbols than this in a state, those that nothing holds are dropped."""


class Relations(Values):
    """The states at the locations of one automaton; computed when they are asked for."""

    # Questions ------------------------------------------------------------------------------------------------

    def of(self, expression: Expression, location: str) -> Interval:
        """The values that an integer expression may have where an edge leaves a location."""
        state = self._state(location)
        if state is None:
            return full_range(expression.type)
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

    def is_nonzero(self, expression: Expression, location: str) -> bool:
        """Whether a number is not 0."""
        state = self._state(location)
        return state is not None and state.is_nonzero(self.number(expression, state))

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

    def difference(
        self, left: Expression, right: Expression | None, location: str, behind: Assume
    ) -> tuple[float, float]:
        """The least and the greatest value of the first number less the second, without overflow, after a condition."""
        state = self._state(location)
        after = self.after(behind, state) if state is not None else None
        if after is None:
            return -math.inf, math.inf
        a, b = self.number(left, after), ZERO if right is None else self.number(right, after)
        return -after.zone.upper(b, a), after.zone.upper(a, b)

    def has_at_most(self, pointer: Expression, count: Expression, scale: int, location: str) -> bool:
        """Whether a pointer is the start of a block of not more than so many elements, or NULL."""
        state = self._state(location)
        if state is None:
            return False
        base, number = self.pointer(pointer, state), self.number(count, state)
        room, behind = self._part(state, "room", base, scale), self._part(state, "behind", base, scale)
        if room is None or behind is None or state.interval(behind) != (0, 0):
            return False
        return state.growth(number, room) is not None  # a number less than 0 gives no block

    def _state(self, location: str) -> State | None:
        state = self.at.get(location)
        return None if state is None else state.copy()

    # The fixpoint ---------------------------------------------------------------------------------------------

    @cached_property
    def at(self) -> dict[str, State]:
        if len(self.cfa.edges) > MOST_EDGES:
            return {}
        operations = [e.label for e in self.cfa.edges]
        nodes = {n for o in operations for x in expressions(o) for n in walk(x)}
        constants = {n.value for n in nodes if isinstance(n, Constant)}
        limits = {limit for n in nodes if isinstance(n.type, IntegerType) for limit in full_range(n.type)}
        limits |= {LARGEST_BLOCK // c for c in constants if c > 0}
        self._steps = sorted({c + d for c in constants for d in (-1, 0, 1)} | limits)
        return self._solve()

    def _solve(self) -> dict[str, State]:
        joins: Counter[str] = Counter()
        reached = {self.cfa.entry}

        def after(edge: Edge[Operation], before: State) -> State | None:
            state = self.after(edge.label, before)
            if state is not None and edge.target not in reached:
                reached.add(edge.target)
                state.collect()
            return state

        def join(location: str, known: State, new: State) -> State | None:
            joins[location] += 1
            joint, pairs = merge(known, new)
            if joins[location] > PATIENCE and location in self.cfa.loop_heads:
                self._widen(known, joint, pairs)
            return None if covers(known, joint, pairs) else joint

        return solve_forward(self.cfa, {self.cfa.entry: self._initial()}, after, join)

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
                self._store(target, self._block(size, state, self._kinds.of_allocation(operation)), state)
            case Realloc(target=target, size=size):
                self._store(target, self._block(size, state, self._kinds.of_allocation(operation)), state)
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
                self._end(defined_variables(operation), state)
            case Skip() | Print() | Free():
                pass
        if state.following > MOST_SYMBOLS:
            state.collect()
        return state

    def _end(self, variables: Sequence[Variable], state: State) -> None:
        """Variables that have no value any more, or not yet."""
        for variable in variables:
            state.held.pop(variable, None)
            if address_of(variable) in state.held:
                self._overwrite(self._object(variable, state), None, 0, state)

    def _any(self, type_: Type, state: State) -> int:
        if isinstance(type_, PointerType):
            return state.fresh_pointer(None)
        return state.fresh(*full_range(type_))

    def _forget_memory(self, state: State) -> None:
        state.held = {
            k: s for k, s in state.held.items() if isinstance(k, Part) or (isinstance(k, Variable) and not k.is_global)
        }

    def _block(self, size: Expression, state: State, kind: object) -> int:
        """A new block or NULL: no relation is known."""
        bytes_ = self.number(size, state)
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
            low, high = state.interval(number)
            if low * each >= -LARGEST_BLOCK and high * each < WORD:  # less than 0 is too much, and gives NULL
                state.held[Part("room", block, each)] = number
                state.held[Part("behind", block, each)] = nothing
        return block

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
            return _relate(operator, one, two, state.zone)
        if isinstance(left.type, PointerType) and isinstance(right.type, PointerType):
            one, two = self.pointer(left, state), self.pointer(right, state)
            if operator == "!=" and constant_of(right) == 0:
                return self._exists(one, state)
            return self._assume_pointers(operator, one, two, left, state)
        return True

    def _exists(self, pointer: int, state: State) -> bool:
        """A pointer is not NULL: its block is not larger than a block can be."""
        parts = [(k, s) for k, s in state.held.items() if isinstance(k, Part) and k.symbol == pointer]
        for part, number in parts:
            if part.kind == "room" and Part("behind", pointer, part.scale) in state.held:
                behind = state.interval(state.held[Part("behind", pointer, part.scale)])
                if behind == (0, 0):
                    most = LARGEST_BLOCK // part.scale
                    if not (state.zone.add(number, ZERO, most) and state.is_natural(number)):
                        return False
        return True

    def _assume_pointers(self, operator: str, a: int, b: int, left: Expression, state: State) -> bool:
        blocks = [state.held.get(Part("block", side, 1)) for side in (a, b)]
        if blocks[0] is None or blocks[0] != blocks[1] or not isinstance(left.type, PointerType):
            return True
        scale = left.type.target.size
        one, two = self._part(state, "behind", a, scale), self._part(state, "behind", b, scale)
        return one is None or two is None or _relate(operator, one, two, state.zone)


def _relate(operator: str, a: int, b: int, zone: Zone) -> bool:
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


def factors(size: Expression) -> tuple[Expression, int] | None:
    """A count of elements and the size of each, if a size is written as their product.

    The count is a number whose product is the size modulo the width of a size; it may be less than 0.
    """
    while isinstance(size, Cast) and isinstance(size.operand.type, IntegerType):
        size = size.operand
    if isinstance(size, Binary) and size.operator == "*":
        for count, each in ((size.left, size.right), (size.right, size.left)):
            if isinstance(each, Constant) and each.value > 1:
                return _before_conversion(count, size.type), each.value
    return None


def _before_conversion(count: Expression, size: Type) -> Expression:
    """A number before its conversion to the type of sizes, which does not change it modulo the width."""
    while isinstance(count, Cast) and count.type == size and isinstance(count.operand.type, IntegerType):
        if count.operand.type.bits > count.type.size * CHAR_BITS or count.operand.type.boolean:
            break
        count = count.operand
    return count
