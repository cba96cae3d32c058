"""What operations and conditions do to a state of symbols and relations."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence

from kleene.cfa.expressions import (
    NEGATED,
    Cast,
    Comparison,
    Constant,
    Deref,
    Expression,
    Field,
    Index,
    Unary,
    Variable,
    without_casts,
)
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
from kleene.cfa.types import IntegerType, PointerType, RecordType, Type, is_scalar
from kleene.passes.facts.blocks_of_pointers import before_conversion, factors, is_whole
from kleene.passes.facts.liveness import defined_variables
from kleene.passes.facts.memory import constant_of, leaves
from kleene.passes.facts.relations.states import Cell, Part, State
from kleene.passes.facts.relations.text_operations import TextOperations
from kleene.passes.facts.relations.values import address_of, full_range
from kleene.passes.facts.relations.zones import ZERO, relate

MOST_SYMBOLS = 60
"""With more symbols than this in a state, those that nothing holds are dropped."""

MOST_ZEROED = 16
"""Members of a struct whose values are known once it is filled with zeros: larger ones hold few lengths of arrays."""


class Operations(TextOperations, ABC):
    """What each operation does to numbers, to pointers and to the cells in memory."""

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
                if operation.zeroed:
                    self._zero_members(block, 0, operation.element or target.type, size, state)
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
                self._overwrite_bytes(target_symbol, amount, state)
                self.write_bytes(state, target_symbol, amount, zero=zero)
                if zero:
                    whole = without_casts(pointer)
                    base, offset = self._locate(Deref(whole, _target_of(whole.type)), state)
                    self._zero_members(base, offset, whole.type, size, state)
            case MemCopy(destination=pointer, source=source, size=size):
                self.numbers_written(operation, state)
                target_symbol, amount = self.pointer(pointer, state), self.number(size, state)
                from_symbol = self.pointer(source, state)
                ends = self.copies_end(state, from_symbol, amount)
                self.pay(from_symbol, state)
                self._overwrite_bytes(target_symbol, amount, state)
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
        self.close_texts(state)
        if state.following > MOST_SYMBOLS:
            state.collect()
        return state

    def _zero_members(self, base: int, offset: int | None, type_: Type, size: Expression, state: State) -> None:
        """The members of a struct are 0 and NULL where all of it is made so, as if each was assigned."""
        record = _target_of(type_)
        if offset is None or not isinstance(record, RecordType) or constant_of(size) != record.size:
            return
        scalars = [x for x in leaves(record, self.program) if isinstance(x.type, IntegerType | PointerType)]
        for leaf in scalars if len(scalars) <= MOST_ZEROED else ():
            zero = self.number if isinstance(leaf.type, IntegerType) else self.pointer
            state.held[Cell(base, offset + leaf.offset, leaf.type.size)] = zero(Constant(0, leaf.type), state)

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
        key = self._cell(target, base, offset, state)
        if key is not None and not _is_bit_field(target):
            state.held[key] = symbol

    def _overwrite_bytes(self, pointer: int, amount: int, state: State) -> None:
        """So many bytes are written: of an array in a struct only, if they stay in it."""
        if self._stays_in_array(state, pointer, amount) is not None:
            self._overwrite_text(pointer, state)
        else:
            self._overwrite(pointer, None, 0, state)

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
            return self._assume_numbers(operator, self.number(left, state), self.number(right, state), state)
        if isinstance(left.type, PointerType) and isinstance(right.type, PointerType):
            one, two = self.pointer(left, state), self.pointer(right, state)
            return self._assume_pointers(operator, one, two, left, state)
        return True

    def _assume_numbers(self, operator: str, one: int, two: int, state: State) -> bool:
        """A comparison of numbers holds; where one is the outcome of another comparison, this holds or does not."""
        is_zero = state.interval(two) == (0, 0)
        if operator == "!=" and is_zero:
            state.nonzero.add(one)
        if operator == "==" and is_zero and state.is_nonzero(one):
            return False
        if not relate(operator, one, two, state.zone):
            return False
        before = self._compared_by(one, state) if is_zero and operator in ("==", "!=") else None
        if before is not None:
            compared, left, right = before
            if not self._assume_numbers(compared if operator == "!=" else NEGATED[compared], left, right, state):
                return False
        return self._relate_differences(one, two, state) and self.settle(state)

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
            if symbol == pointer and (not isinstance(key, Part) or key.kind == "debt"):
                state.held[key] = null
        return True

    def _assume_pointers(self, operator: str, a: int, b: int, left: Expression, state: State) -> bool:
        nulls = [Part("null", side, 1) in state.held for side in (a, b)]
        if any(nulls) and operator in ("==", "!="):
            return self._assume_null(operator, (a, b) if nulls[0] else (b, a), state, both=all(nulls))
        scale = left.type.target.size if isinstance(left.type, PointerType) else 1
        one, two = (self.coordinates(state, side, scale) for side in (a, b))
        if one is None or two is None or one[0] != two[0]:
            return operator != "==" or not self._are_elsewhere(a, b, state)
        return relate(operator, one[1], two[1], state.zone)

    def _are_elsewhere(self, a: int, b: int, state: State) -> bool:
        """Whether one pointer leads to a block of the heap, and the other one to a variable, and not both are NULL."""
        blocks = [state.blocks.get(state.held.get(Part("block", side, 1), -1)) for side in (a, b)]
        one, two = (own or frozenset() for own in blocks)
        exists = any(Part("nonzero", side, 1) in state.held for side in (a, b))
        return exists and self._kinds.are_elsewhere(one, two)


def _is_bit_field(target: Expression) -> bool:
    return isinstance(target, Field) and target.bit_width is not None


def _target_of(type_: Type) -> Type:
    """What a pointer of a type leads to, or the type itself: that of the element which an allocation names."""
    return type_.target if isinstance(type_, PointerType) else type_
