"""Values of expressions in a state of the analysis of relations (`relations`): the symbols of numbers and pointers."""

from __future__ import annotations

import math
from functools import cached_property

from kleene.cfa.expressions import (
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
)
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import (
    Call,
    Operation,
    address_taken,
)
from kleene.cfa.program import TEXT_PRIMITIVES, CProgram
from kleene.cfa.types import ArrayType, IntegerType, PointerType, Type
from kleene.passes.facts.blocks_of_pointers import Blocks
from kleene.passes.facts.relations.forms import Form
from kleene.passes.facts.relations.states import Cell, Part, State
from kleene.passes.facts.relations.sums import Sums, multiples
from kleene.passes.facts.relations.zones import ZERO, Interval
from kleene.passes.literals import character
from kleene.passes.promote import exposed_globals

LESS = "less"
"""A number of another one: it is that one less `scale`, or it has wrapped."""
REMAINDER = "remainder by"
"""A number with a sign that is the remainder by another one: with that added, it is greater than 0."""
OUTCOME = "outcome of "
"""How the numbers of an outcome are called, before the comparison: those that were compared."""
WORD = 1 << 64
"""Bytes that a block can have at most, on all machines."""


class Values(Sums):
    """Evaluates the expressions of one automaton; members that are read get a symbol, and keep it."""

    def __init__(self, program: CProgram, cfa: Cfa[Operation]) -> None:
        self.program, self.cfa = program, cfa

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
        key = address_of(variable)
        if key not in state.held:
            address = state.held[key] = state.fresh_pointer(frozenset((self._kinds.of_object(variable),)))
            state.held[Part("behind", address, 1)] = state.fresh(0, 0)
            state.held[Part("room", address, 1)] = state.fresh(variable.type.size, variable.type.size)
            state.held[Part("block", address, 1)] = address
            for other, other_symbol in list(state.held.items()):
                if isinstance(other, Variable) and other.name.startswith("&") and other != key:
                    state.apart |= {(address, other_symbol), (other_symbol, address)}
        return state.held[key]

    def _null(self, state: State) -> int:
        """The null pointer: it may not be dereferenced, so it may be said to have no room."""
        null = state.fresh_pointer(frozenset())
        nothing = state.fresh(0, 0)
        for kind in ("behind", "room"):
            state.held[Part(kind, null, 1)] = nothing
        state.held[Part("null", null, 1)] = null
        return null

    def _is_tracked(self, variable: Expression) -> bool:
        if not isinstance(variable, Variable) or variable in self._untracked_variables:
            return False
        return not (variable.is_global and self._calls)

    @cached_property
    def _untracked_variables(self) -> frozenset[Variable]:
        return address_taken([e.label for e in self.cfa.edges]) | exposed_globals(self.program)

    @cached_property
    def _calls(self) -> bool:
        return any(isinstance(e.label, Call) and e.label.function not in TEXT_PRIMITIVES for e in self.cfa.edges)

    @cached_property
    def _kinds(self) -> Blocks:
        return Blocks(self.program, self.cfa)

    def _is_after_start(self, state: State, base: int, at: int, scale: int) -> bool:
        behind = self._part(state, "behind", base, scale)
        least = state.interval(at)[0]
        return behind is not None and state.interval(behind)[0] + least >= 0

    def _fits(self, state: State, base: int, at: int, scale: int, *, room_needed: int) -> bool:
        room = self._part(state, "room", base, scale)
        if room is None or state.zone.upper(at, room) > -room_needed:
            return False
        return self._is_after_start(state, base, at, scale)

    # Pointers -------------------------------------------------------------------------------------------------

    def pointer(self, value: Expression, state: State) -> int:
        """The symbol of a pointer value."""
        match value:
            case Constant(value=0):
                return self._null(state)
            case Constant():  # a number that is no address of an object
                return state.fresh_pointer(frozenset())
            case Variable() if self._is_tracked(value):
                if value not in state.held:
                    state.held[value] = self._unknown_pointer(value, state)
                return state.held[value]
            case Cast(operand=operand) if isinstance(operand.type, PointerType) or isinstance(operand, Constant):
                return self.pointer(operand, state)
            case AddressOf(target=target):
                return self._address(target, state)
            case PointerOffset(pointer=base, index=index, scale=scale):
                return self._move(self.pointer(base, state), self.number(index, state), scale, state)
            case Variable() | Field() | Deref() | Index():
                base_symbol, offset = self._locate(value, state)
                key = self._cell(value, base_symbol, offset, state)
                if key is not None and state.held.get(key) in state.blocks:
                    self._loaded_again(base_symbol, state.held[key], state)
                    return state.held[key]
                pointer = self._load(value, base_symbol, self._unknown_pointer(value, state), state)
                if key is not None:
                    state.held[key] = pointer
                return pointer
        return state.fresh_pointer(None)

    def _cell(self, lvalue: Expression, base: int, offset: int | None, state: State) -> Cell | None:
        """The key of an lvalue at an offset of a block; of an element whose index varies, if it is a pointer."""
        size = lvalue.type.size
        if offset is not None:
            return Cell(base, offset, size)
        if not isinstance(lvalue, Index) or not isinstance(lvalue.type, PointerType):
            return None
        start, first = self._locate(lvalue.base, state)
        if first is None:
            return None
        by = self.number(lvalue.index, state)
        element = state.moved_before("element", start, by, first)
        if element is None:
            element = state.fresh_pointer(state.blocks.get(start))
            state.note_moved("element", start, by, first, element)
        return Cell(element, 0, size)

    def _unknown_pointer(self, lvalue: Expression, state: State) -> int:
        """A pointer of which only its kinds of blocks are known, and the length if it stands for an array."""
        pointer = state.fresh_pointer(self._kinds.of_value(lvalue))
        self._note_length(pointer, lvalue.type, state)
        return pointer

    def _note_length(self, pointer: int, type_: Type, state: State) -> None:
        """A pointer that stands for an array is the start of a block of so many elements."""
        if isinstance(type_, PointerType) and type_.count:
            state.held[Part("room", pointer, type_.target.size)] = state.fresh(type_.count, type_.count)
            state.held[Part("behind", pointer, type_.target.size)] = state.fresh(0, 0)

    def _load(self, lvalue: Expression, base: int, pointer: int, state: State) -> int:
        """A pointer that is read from memory and not known yet."""
        return pointer

    def _loaded_again(self, base: int, pointer: int, state: State) -> None:
        """A pointer that is read from memory and known already."""

    def _byte_read(self, lvalue: Expression, number: int, state: State) -> int:
        """A byte that is read from memory."""
        return number

    def _number_read(self, lvalue: Expression, base: int, number: int, state: State) -> None:
        """A number that is read from memory and not known yet."""

    def _escapes(self, base: int, state: State) -> None:
        """A pointer into the block of another one is made."""

    def _array_in(self, start: int, offset: int, size: int, state: State) -> int | None:
        """The array of bytes at an offset of the struct that a pointer points to."""
        return None

    def _address(self, target: Expression, state: State) -> int:
        match target:
            case Variable():
                return self._object(target, state)
            case Deref(pointer=pointer):
                return self.pointer(pointer, state)
            case Index(base=base, index=index):
                start = self._address(base, state)
                if isinstance(base.type, ArrayType) and base.type.count and not _is_text(target):
                    scale = target.type.size
                    part = state.fresh_pointer(state.blocks.get(start))
                    state.held[Part("room", part, scale)] = state.fresh(base.type.count, base.type.count)
                    state.held[Part("behind", part, scale)] = state.fresh(0, 0)
                    start = part
                return self._move(start, self.number(index, state), target.type.size, state)
            case Field(base=base, offset=offset):
                start = self._address(base, state)
                if offset == 0 and not isinstance(target.type, ArrayType):
                    return start
                if isinstance(target.type, ArrayType) and target.type.count and target.type.element.size == 1:
                    array = self._array_in(start, offset, target.type.size, state)
                    if array is not None:
                        return array
                self._escapes(start, state)
                address = state.fresh_pointer(state.blocks.get(start))
                if isinstance(target.type, ArrayType) and target.type.count:
                    size = target.type.size
                    state.held[Part("room", address, 1)] = state.fresh(size, size)
                    state.held[Part("behind", address, 1)] = state.fresh(offset, WORD)
                return address
        return state.fresh_pointer(None)

    def _move(self, base: int, by: int, scale: int, state: State) -> int:
        low, high = state.interval(by)
        if low == high == 0:
            return base
        known = Part("moved", base, low * scale)
        if scale > 1 and low == high and known in state.held:
            return state.held[known]
        last = state.moved_before("last moved", base, by, scale) if scale > 1 else None
        if last is not None:
            return last
        moved = state.fresh_pointer(state.blocks.get(base))
        if scale > 1 and low == high:  # what is read there stays known
            state.held[known] = moved
        elif scale > 1:
            state.note_moved("last moved", base, by, scale, moved)
        self._escapes(base, state)
        room, behind = self._part(state, "room", base, scale), self._part(state, "behind", base, scale)
        if room is not None:
            state.held[Part("room", moved, scale)] = self._sum(state, room, by, minus=True)
        if behind is not None:
            state.held[Part("behind", moved, scale)] = self._sum(state, behind, by, minus=False)
        block = state.held.get(Part("block", base, 1))
        if block is not None:
            state.held[Part("block", moved, 1)] = block
        text = state.held.get(Part("text", base, 1))
        if text is not None and scale == 1:
            state.held[Part("text", moved, 1)] = text
            state.held[Part("at", moved, 1)] = self._sum(state, state.held[Part("at", base, 1)], by, minus=False)
        return moved

    def _part(self, state: State, kind: str, symbol: int, scale: int) -> int | None:
        """A number of a pointer, for elements of some size; from bytes if it is known for them only."""
        part = state.held.get(Part(kind, symbol, scale))
        if part is None and scale > 0:
            by_bytes = state.held.get(Part(kind, symbol, 1))
            if by_bytes is None:
                by_bytes = self._in_bytes(state, kind, symbol)
            if by_bytes is not None:
                low, high = state.interval(by_bytes)
                part = by_bytes if scale == 1 else state.fresh(low // scale, high // scale)
                state.held[Part(kind, symbol, scale)] = part
        return part

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
        full = full_range(expression.type)
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
                number = state.fresh(*full)
                if offset is None or Cell(base, offset, expression.type.size) not in state.held:
                    self._number_read(expression, base, number, state)
                if offset is not None:
                    known = state.held.setdefault(Cell(base, offset, expression.type.size), number)
                    number = self._convert(known, full, state) if known in state.zone.bounds else number
                return self._byte_read(expression, number, state) if expression.type.size == 1 else number
            case Comparison() | Unary(operator="!"):
                return self._outcome(expression, state)
            case Unary(operator="-", operand=operand):
                return self._negated(self.number(operand, state), full, state)
            case Cast(operand=operand, type=IntegerType() as type_) if isinstance(operand.type, IntegerType):
                inner = self.number(operand, state)
                if type_.boolean:
                    return state.fresh(0, 1)
                if type_.function != operand.type.function:
                    return state.fresh(*full)
                wrapped = self._wrapped(inner, type_, state) if type_.bits == operand.type.bits else None
                converted = self._convert(inner, full, state) if wrapped is None else wrapped
                if converted != inner and state.interval(inner)[0] >= 0:  # what is cut off makes a number less
                    state.zone.add(converted, inner, 0)
                if converted != inner and type_.bits >= operand.type.bits:
                    state.held[Part("zero like", converted, 1)] = inner
                    if state.is_nonzero(inner):
                        state.nonzero.add(converted)
                if converted != inner and type_.bits == operand.type.bits:
                    state.held[Part("wrapped", inner, type_.bits)] = converted
                return converted
            case Binary():
                return self._binary(expression, full, state)
            case PointerDifference(left=left, right=right, scale=scale):
                return self._distance(self.pointer(left, state), self.pointer(right, state), scale, full, state)
        return state.fresh(*full)

    def _outcome(self, expression: Comparison | Unary, state: State) -> int:
        """Whether a condition holds, with the numbers that it compares: ``full = n == 64``, which is tested later.

        Numbers have symbols that do not change, so what is compared is known wherever the outcome is.
        """
        outcome = state.fresh(0, 1)
        if isinstance(expression, Unary):
            if isinstance(expression.operand.type, IntegerType):
                state.held[Part(f"{OUTCOME}==", outcome, 1)] = self.number(expression.operand, state)
                state.held[Part(f"{OUTCOME}==", outcome, 2)] = state.fresh(0, 0)
        elif isinstance(expression.left.type, IntegerType) and isinstance(expression.right.type, IntegerType):
            for place, side in enumerate((expression.left, expression.right), 1):
                state.held[Part(f"{OUTCOME}{expression.operator}", outcome, place)] = self.number(side, state)
        return outcome

    @staticmethod
    def _compared_by(outcome: int, state: State) -> tuple[str, int, int] | None:
        """The comparison whose outcome a number is."""
        for operator in NEGATED:
            one, two = (state.held.get(Part(f"{OUTCOME}{operator}", outcome, place)) for place in (1, 2))
            if one in state.zone.bounds and two in state.zone.bounds:
                assert one is not None
                assert two is not None
                return operator, one, two
        return None

    def _convert(self, symbol: int, full: Interval, state: State) -> int:
        low, high = state.interval(symbol)
        return symbol if full[0] <= low and high <= full[1] else state.fresh(*full)

    @staticmethod
    def _wrapped(number: int, type_: IntegerType, state: State) -> int | None:
        """A number as one of a type with as many bits, if it was converted before: each condition tells more of it."""
        known = state.held.get(Part("wrapped", number, type_.bits))
        low, high = state.interval(known) if known is not None else (0, 0)
        return known if type_.has(low) and type_.has(high) else None

    def _binary(self, expression: Binary, full: Interval, state: State) -> int:
        middle = self._middle(expression, full, state)
        if middle is not None:
            return middle
        a, b = self.number(expression.left, state), self.number(expression.right, state)
        (al, ah), (bl, bh) = state.interval(a), state.interval(b)
        match expression.operator:
            case "+" if full[0] <= al + bl and ah + bh <= full[1]:
                total = self._sum(state, a, b, minus=False)
                if any(self._is_remainder(state, x, y) for x, y in ((a, b), (b, a))):
                    state.zone.add(ZERO, total, -1)
                if min(al, bl) < 0 and total not in (a, b):  # a product among its terms may have wrapped
                    self._grow(state, total, expression, full)
                return total
            case "+" if (wrapped := self._wrapped_sum(expression, full, state)) is not None:
                return wrapped
            case "-":
                low, high = -state.zone.upper(b, a), state.zone.upper(a, b)
                if full[0] <= low and high <= full[1]:
                    return self._sum(state, a, b, minus=True)
                if bl == bh and bl > 0 and al >= 0 and ah <= full[1]:  # it wraps, if the first number is less
                    wrapped = state.fresh(*full)
                    state.held[Part(LESS, wrapped, bl)] = a
                    return wrapped
            case "*":
                return self._product(a, b, full, state)
            case "/" if bl == bh and bl > 0 and al >= 0:
                return self._quotient(a, bl, state)
            case "%" if bl >= 0 and bh > 0:
                low = max(al, 1 - bh) if al < 0 else 0
                binary = state.fresh(low, max(0, min(ah, bh - 1)))
                state.zone.add(binary, b, -1)
                if al >= 0:
                    state.zone.add(binary, a, 0)
                else:
                    state.held[Part(REMAINDER, binary, 1)] = b
                return binary
            case "&" if bl >= 0 or al >= 0:
                binary = state.fresh(0, min(n for n, least in ((ah, al), (bh, bl)) if least >= 0))
                for side, least in ((a, al), (b, bl)):
                    if least >= 0:
                        state.zone.add(binary, side, 0)
                if al >= 0 and bl == bh and (cut := _cut_bits(bl, full)) is not None:  # ``(n + 7) & ~7``
                    state.zone.add(a, binary, cut)
                    state.add_form(binary, Form(multiple=cut + 1))
                return binary
            case "|" if al >= 0 and bl >= 0:
                binary = state.fresh(max(al, bl), (1 << max(ah, bh).bit_length()) - 1)
                for side, other in ((a, bh), (b, ah)):
                    state.zone.add(side, binary, 0)
                    state.zone.add(binary, side, other)
                return binary
            case ">>" if al >= 0 and bl == bh and bl >= 0:
                binary = state.fresh(al >> bl, ah >> bl)
                state.zone.add(binary, a, 0)
                return binary
            case "<<" if bl == bh and 0 <= bl < WORD.bit_length():
                return self._product(a, state.fresh(1 << bl, 1 << bl), full, state)
        return state.fresh(*full)

    @staticmethod
    def _negated(number: int, full: Interval, state: State) -> int:
        """The number with the other sign; of a remainder, it is less than the divisor, too."""
        low, high = state.interval(number)
        negated = state.fresh(*_fitting((-high, -low), full))
        divisor = state.held.get(Part(REMAINDER, number, 1))
        if divisor is not None and divisor in state.zone.bounds and -low <= full[1]:
            state.zone.add(negated, divisor, -1)
        return negated

    @staticmethod
    def _is_remainder(state: State, number: int, divisor: int) -> bool:
        """Whether a number is the remainder by one that is not more than another."""
        known = state.held.get(Part(REMAINDER, number, 1))
        return known is not None and known in state.zone.bounds and state.zone.upper(known, divisor) <= 0

    def _middle(self, expression: Binary, full: Interval, state: State) -> int | None:
        """``low + (high - low) / 2`` or ``(low + high) / 2``, which lies between the two; None for what is neither.

        It is less than `high` where `low` is: a binary search ends, and reads elements only.
        """
        match expression:
            case Binary("+", low, Binary("/", Binary("-", high, base), Constant(value=parts))) if low == base:
                doubles = False
            case Binary("/", Binary("+", low, high), Constant(value=2 as parts)):
                doubles = True
            case _:
                return None
        a, b = self.number(low, state), self.number(high, state)
        (al, ah), (bl, bh) = state.interval(a), state.interval(b)
        if parts < 1 or state.zone.upper(a, b) > 0 or (doubles and not full[0] <= al + bl <= ah + bh <= full[1]):
            return None
        if not doubles and bh - al > full[1]:
            return None
        middle = state.fresh(al, bh)
        rounds_down = not doubles or al + bl >= 0
        distance = -state.zone.upper(a, b) if rounds_down else 0
        state.zone.add(a, middle, -(distance // parts))
        state.zone.add(middle, b, distance // parts - distance)
        return middle

    def _wrapped_sum(self, expression: Binary, full: Interval, state: State) -> int | None:
        """The sum of numbers that are not less than 0, if it wraps once at most: to a number less than 0."""
        wrapped = state.fresh(*full)
        return wrapped if self._grow(state, wrapped, expression, full) else None

    def _grow(self, state: State, total: int, expression: Binary, full: Interval) -> bool:
        """Write down that a sum is not less than each of its terms, or less than 0; false if that is not known."""
        terms = [(self.number(t, state), times) for t, times in multiples(expression)]
        bounds = [(times * state.interval(number)[0], times * state.interval(number)[1]) for number, times in terms]
        least, most = sum(low for low, _ in bounds), sum(high for _, high in bounds)
        if full[0] >= 0 or any(low < 0 for low, _ in bounds) or most > full[1] - full[0]:
            return False
        for number, _ in terms:
            state.grown[total, number] = min(least - state.interval(number)[0], 1)
        if least:
            state.nonzero.add(total)
        multiple = math.gcd(full[1] - full[0] + 1, *(times * state.form(number).multiple for number, times in terms))
        state.add_form(total, Form(multiple=multiple))
        return True

    def _distance(self, left: int, right: int, scale: int, full: Interval, state: State) -> int:
        blocks = [state.held.get(Part("block", side, 1)) for side in (left, right)]
        a, b = self._part(state, "behind", left, scale), self._part(state, "behind", right, scale)
        if a is None or b is None or blocks[0] is None or blocks[0] != blocks[1]:
            return state.fresh(*full)
        return self._sum(state, a, b, minus=True)


def _is_text(byte: Index) -> bool:
    """Whether a byte is in an array that is a variable or a member: that array is a block of its own."""
    return byte.type.size == 1 and isinstance(byte.base, Variable | Field)


def address_of(variable: Variable) -> Variable:
    """The name of the address of a variable among the variables."""
    return Variable(f"&{variable.name}", PointerType(variable.type), variable.is_global)


def full_range(type_: Type) -> Interval:
    if isinstance(type_, IntegerType):
        return type_.minimum, type_.maximum
    return -WORD, WORD


def _fitting(interval: Interval, full: Interval) -> Interval:
    return interval if full[0] <= interval[0] and interval[1] <= full[1] else full


def _cut_bits(mask: int, full: Interval) -> int | None:
    """The low bits that a mask in a type of some range cuts off, if it keeps all others: 7 for ``~7``."""
    cut = -mask - 1 if mask < 0 else full[1] - mask
    return cut if cut >= 0 and cut & (cut + 1) == 0 else None
