"""Objects that begin and end: malloc and free, local variables, whole records copied or set."""

from __future__ import annotations

from collections.abc import Sequence

from kleene.cfa.expressions import OPEN_GHOST_OFFSET, Expression, Variable
from kleene.cfa.operations import Allocate, Free, MemCopy, MemSet, Realloc
from kleene.cfa.types import IntegerType, PointerType, shared_type
from kleene.logic.formula import FALSE, TRUE, UNKNOWN, Formula, IfThenElse, Not, conj, disj, exists, neg
from kleene.passes.facts.integers import UNKNOWN_INTEGER, IntegerValue
from kleene.passes.facts.memory import Unmodelled, constant_of
from kleene.semantics.steps.cells import CellSteps
from kleene.semantics.steps.context import Base, StepContext
from kleene.semantics.steps.numbers import NumberSteps
from kleene.semantics.steps.pointers import PointerSteps
from kleene.semantics.vocabulary.names import FREED, HEAP, at
from kleene.semantics.vocabulary.predicates import Pointer
from kleene.transformers.action import Update

Numbers = dict[int, tuple[IntegerType, IntegerValue]]


class ObjectSteps:
    """Steps on whole objects."""

    def __init__(self, context: StepContext, pointers: PointerSteps, cells: CellSteps, numbers: NumberSteps) -> None:
        self.context = context
        self.program = context.program
        self.memory = context.memory
        self.constants = context.constants
        self.symbols = context.symbols
        self.pointers = pointers
        self.cells = cells
        self.numbers = numbers

    def allocate(self, operation: Allocate) -> None:
        size = self.memory.block_size(operation)
        if size is None:
            raise Unmodelled("a block whose size is not a constant")
        if operation.stack and not operation.scoped and operation.place.function not in ("", self.program.entry):
            raise Unmodelled("alloca in a function other than the first")
        target = operation.target
        if isinstance(target, Variable) and self.memory.kind(target) == "pointer":
            self._new(self.symbols.pointer(target), size, zeroed=operation.zeroed, heap=not operation.stack)
            return
        bases = self.pointers.objects_of(target, (0, target.type.size))
        pointer = self.context.temporary({(size, 0)})
        self._new(pointer, size, zeroed=operation.zeroed, heap=not operation.stack)
        self.cells.store_pointer(bases, pointer, str(target))

    def _new(
        self, pointer: Pointer | None, size: int, *, zeroed: bool, stack: str | None = None, heap: bool = True
    ) -> None:
        """A new object, with undefined cells unless it is zeroed; a heap block unless it is on the stack."""
        new = at("isNew", "v")
        updates: list[Update] = []
        if pointer is not None:
            updates += self.context.set_pointer(pointer, {0: new}, FALSE)
        if stack is not None:
            updates.append(Update(stack, ("v",), new))
        elif heap:
            updates.append(Update(HEAP, ("v",), disj(at(HEAP, "v"), new)))
        kind = self.symbols.size(size)
        if kind:
            updates.append(Update(kind, ("v",), disj(at(kind, "v"), new)))
        cells = {cell for (s, o), cell in self.memory.cell_of.items() if s == size and o < size}
        for cell in sorted(cells):
            if not zeroed and self.symbols.precision.tracks_cell(cell):
                name = self.symbols.cell_undefined(cell)
                updates.append(Update(name, ("v",), disj(at(name, "v"), new)))
        for offset, constants in self.integer_cells():
            for c in constants:
                name = self.symbols.integer_cell(offset, c)
                value = (TRUE if c == 0 else FALSE) if zeroed and offset < OPEN_GHOST_OFFSET else UNKNOWN
                updates.append(Update(name, ("v",), IfThenElse(new, value, at(name, "v"))))
        if self.context.counts is not None:
            updates += self.context.counts.create(size, zeroed=zeroed, given=updates)
        self.context.step(f"{pointer.name if pointer else stack} = new", updates, creates=True)

    def integer_cells(self) -> list[tuple[int, tuple[int, ...]]]:
        return [(k, c) for k in self.constants.cells if (c := self.constants.of(k))]

    def free(self, operation: Free) -> None:
        pointer = self.pointers.load(operation.pointer)
        if pointer is None:
            return
        focus = tuple(pointer.at(o) for o in pointer.offsets)
        if not operation.stack:
            self._freeable(pointer, focus)
        if 0 in pointer.offsets:
            self._end_block(pointer, [size for size, o in pointer.places if o == 0], focus)

    def _freeable(self, pointer: Pointer, focus: Sequence[Formula]) -> None:
        """Alarms where a pointer is neither null nor the start of a block that is alive."""
        inside = disj(*(exists(["v"], pointer.at(o)) for o in pointer.offsets if o))
        stack = exists(["v"], conj(pointer.somewhere(), Not(at(HEAP, "v"))))
        freed = exists(["v"], conj(pointer.somewhere(), at(FREED, "v")))
        undefined = self.context.is_undefined(pointer)
        alarms = [
            (undefined, "invalid_free", f"{pointer.name} may not be initialized"),
            (inside, "invalid_free", f"{pointer.name} may not point to the start of a block"),
            (stack, "invalid_free", f"{pointer.name} may point to an object that malloc did not give"),
            (freed, "double_free", f"{pointer.name} may point to a block that was freed already"),
            *self.pointers.look_back_alarm(pointer),
        ]
        good = conj(Not(undefined), neg(inside), neg(stack), neg(freed), neg(self.pointers.is_opaque(pointer)))
        self.context.check_then_step(f"may free {pointer.name}", alarms, good, focus)

    def hand_out(self, expression: Expression) -> None:
        """An alarm where a pointer that a caller gets may lead to a block that was freed or has ended."""
        pointer = self.pointers.load(expression)
        if pointer is None:
            return
        freed = exists(["v"], conj(pointer.somewhere(), at(FREED, "v")))
        alarms = [(freed, "dangling_dereference", f"{pointer.name} may point to a block that was freed")]
        focus = tuple(pointer.at(o) for o in pointer.offsets)
        self.context.check_then_step(f"hand out {pointer.name}", alarms, neg(freed), focus)

    def _end_block(self, pointer: Pointer, sizes: Sequence[int], focus: Sequence[Formula]) -> None:
        self.cells.end_cells(lambda v: pointer.at(0, v), sizes, f"free({pointer.name})")
        update = Update(FREED, ("v",), disj(at(FREED, "v"), pointer.at(0)))
        self.context.step(f"free({pointer.name})", [update], focus=focus)

    def require_movable(self, operation: Realloc) -> Pointer | None:
        """The pointer that realloc gets, after the alarms where free may not have it; None for the null pointer."""
        pointer = self.pointers.load(operation.pointer)
        if pointer is not None:
            self._freeable(pointer, tuple(pointer.at(o) for o in pointer.offsets))
        return pointer

    def reallocate(self, operation: Realloc, old: int | None) -> None:
        """A pointer that is null (`old` is None), or a block of that size that moves to a new one."""
        size = self.memory.block_size(operation)
        if not size:
            raise Unmodelled("realloc with a size that may be 0")
        pointer = self.require_movable(operation)
        if old is None:
            nowhere = neg(exists(["v"], pointer.somewhere())) if pointer else TRUE
            self.context.step(f"{operation.pointer} == NULL", (), precondition=nowhere)
            self.allocate(Allocate(operation.place, operation.target, operation.size))
            return
        assert pointer is not None
        focus = tuple(pointer.at(o) for o in pointer.offsets)
        kind = self.symbols.size(old)
        here = conj(pointer.at(0), at(kind, "v") if kind else TRUE)
        self.context.step(f"size of {pointer.name}", (), precondition=exists(["v"], here), focus=focus)
        new = self.context.temporary({(size, 0)})
        self._new(new, size, zeroed=False)
        target = Base((size, 0), lambda v: new.at(0, v), new)
        source = Base((old, 0), lambda v: pointer.at(0, v), pointer)
        self._copy_bytes([target], [source], min(old, size), str(operation))
        self._end_block(pointer, [old], focus)
        if isinstance(operation.target, Variable) and self.memory.kind(operation.target) == "pointer":
            self.pointers.copy(self.symbols.pointer(operation.target), new, 0)
        else:
            self.cells.store_pointer(
                self.pointers.objects_of(operation.target, (0, operation.target.type.size)), new, str(operation.target)
            )

    # Local variables ------------------------------------------------------------------------------------------

    def declare(self, variable: Variable) -> None:
        kind = self.memory.kind(variable)
        if kind == "pointer":
            self.context.step(f"declare {variable}", self.context.set_pointer(self.symbols.pointer(variable), {}, TRUE))
        elif kind == "integer":
            self.context.step(f"declare {variable}", self.numbers.set_integer(variable, UNKNOWN_INTEGER))
        elif kind == "object":
            name = self.symbols.object(variable)
            self._new(None, self.memory.size_of(variable), zeroed=False, stack=name)

    def end_object(self, variable: Variable) -> None:
        """End a memory object: its cells are lost, and pointers to it dangle. (Other variables are dead already.)"""
        if self.memory.kind(variable) == "object":
            name = self.symbols.object(variable)
            self.cells.clear_object(lambda v: at(name, v), [self.memory.size_of(variable)], f"end {variable}")
            updates = [Update(FREED, ("v",), disj(at(FREED, "v"), at(name, "v"))), Update(name, ("v",), FALSE)]
            self.context.step(f"end {variable}", updates)

    def havoc(self, target: Expression) -> None:
        if isinstance(target.type, IntegerType):
            self.numbers.store_integer(target, UNKNOWN_INTEGER)
        elif isinstance(target.type, PointerType):
            self._store_any_pointer(target)
        else:
            self.store_untracked(target)

    def _store_any_pointer(self, target: Expression) -> None:
        """A pointer of any value is like one that is not initialized: it may only be copied and compared."""
        pointer = self.context.temporary(())
        self.context.step("any pointer", self.context.set_pointer(pointer, {}, TRUE))
        if isinstance(target, Variable) and self.memory.kind(target) == "pointer":
            self.pointers.copy(self.symbols.pointer(target), pointer, 0)
        else:
            self.cells.store_pointer(self.pointers.objects_of(target, (0, target.type.size)), pointer, str(target))

    def store_untracked(self, target: Expression) -> None:
        """Assign to a target of an untracked type: check the access, and forget the overwritten values."""
        if not (isinstance(target, Variable) and self.memory.kind(target) != "object"):
            self.numbers.overwrite(*self.numbers.access(target))

    # Ranges of bytes --------------------------------------------------------------------------------------------

    def set_bytes(self, operation: MemSet) -> None:
        value, size = constant_of(operation.value), constant_of(operation.size)
        if size is None:
            raise Unmodelled("memset of a size that is not a constant")
        self.numbers.value_of(operation.value)
        if size == 0:
            return
        bases = self.pointers.targets_of(self.pointers.load(operation.pointer), (0, size), str(operation))
        if value is None or value & 255:
            self.numbers.overwrite(bases, size)
            return
        self.pointers.require_writable(bases)
        for base in bases:
            for place in self.memory.overlapped_pointers(base.place, size):
                if base.offset <= place[1] <= base.offset + size - self.program.pointer_size:
                    self.cells.clear([base.to(place)], "memset")
                else:
                    self.cells.spoil_pointer(base.to(place))
            for place in self.memory.overlapped_integers(base.place, size):
                covered = base.offset <= place[1] <= base.offset + size - self.memory.accessed_bytes(place)
                zero = IntegerValue.constant(0) if covered else UNKNOWN_INTEGER
                names = [(self.symbols.integer_cell(place[1], c), zero.at(c)) for c in self.constants.of(place[1])]
                updates = [Update(n, ("v",), IfThenElse(base.formula("v"), new, at(n, "v"))) for n, new in names]
                if updates:
                    self.context.step("memset", updates)

    def copy_memory(self, operation: MemCopy) -> None:
        size = constant_of(operation.size)
        if size is None:
            raise Unmodelled("memcpy of a size that is not a constant")
        if size == 0:
            return
        source = self.pointers.targets_of(self.pointers.load(operation.source), (0, size), str(operation))
        target = self.pointers.targets_of(self.pointers.load(operation.destination), (0, size), str(operation))
        self._copy_bytes(target, source, size, str(operation))

    def assign_record(self, target: Expression, value: Expression) -> None:
        size = target.type.size
        source = self.pointers.objects_of(value, (0, size))
        self._copy_bytes(self.pointers.objects_of(target, (0, size)), source, size, f"{target} = {value}")

    def _copy_bytes(self, target: Sequence[Base], source: Sequence[Base], size: int, text: str) -> None:
        """Read every cell of the source first, then write them; where ranges overlap, as memmove."""
        width = self.program.pointer_size
        shifts = {o - b.offset for b in source for _, o in self.memory.overlapped_pointers(b.place, size)}
        pointers = {}
        for shift in sorted(shifts):
            if 0 <= shift <= size - width:
                bases = [b.move(shift) for b in source]
                pointers[shift] = self.context.temporary(self.memory.cell_places(b.place for b in bases))
                self.pointers.read_cell(pointers[shift], bases, text)
        values = self._integers_in(source, size)
        self.pointers.require_writable(target)
        for base in target:
            for place in self.memory.overlapped_pointers(base.place, size):
                pointer = pointers.get(place[1] - base.offset)
                if pointer is not None:
                    self.cells.clear([base.to(place)], text)
                    self.cells.set_cell([base.to(place)], pointer, text)
                else:
                    self.cells.spoil_pointer(base.to(place))
            self._write_integers(base, values, size, text)

    def _integers_in(self, source: Sequence[Base], size: int) -> Numbers:
        """The numbers in a range of bytes, by their distance from its start, with the type as which they are read."""
        shifts = {o - b.offset for b in source for _, o in self.memory.overlapped_integers(b.place, size)}
        numbers: Numbers = {}
        for shift in sorted(shifts):
            bases = [b.move(shift) for b in source]
            types = {t for b in bases if (t := self.memory.integer_type(b.place)) is not None}
            type_ = shared_type(types)
            if type_ is not None and 0 <= shift <= size - type_.size:
                numbers[shift] = type_, self.numbers.read_integer_at(bases, type_)
        return numbers

    def _write_integers(self, base: Base, numbers: Numbers, size: int, text: str) -> None:
        """The integer cells of the target, all in one step, since they are read from cells of the same kind."""
        updates = []
        for place in self.memory.overlapped_integers(base.place, size):
            copied = numbers.get(place[1] - base.offset)
            value = self.numbers.as_kept(place, *copied) if copied is not None else UNKNOWN_INTEGER
            for c in self.constants.of(place[1]):
                name = self.symbols.integer_cell(place[1], c)
                updates.append(Update(name, ("v",), IfThenElse(base.formula("v"), value.at(c), at(name, "v"))))
        if updates:
            self.context.step(text, updates)
