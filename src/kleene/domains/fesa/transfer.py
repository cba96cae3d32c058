"""The effect of each C operation on a state (FESA Fig. 9, over the operations of our automata)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kleene.cfa.expressions import Expression, Variable
from kleene.cfa.operations import (
    Allocate,
    Assign,
    Assume,
    DeclareLocal,
    EndScope,
    Error,
    Exit,
    Free,
    Havoc,
    MemCopy,
    MemSet,
    Operation,
    Print,
    Realloc,
    Return,
    Skip,
    Unsupported,
    expressions,
)
from kleene.cfa.types import IntegerType, PointerType, RecordType
from kleene.domains.fesa.evaluate import Evaluator, Integer, convert_number, is_vague
from kleene.domains.fesa.flags import EXISTS, LOST, OTHERS, STATIC, UNDEFINED, VALUE, VARIABLE, Flag, Node
from kleene.domains.fesa.functions import Function
from kleene.domains.fesa.heap import Heap
from kleene.domains.fesa.inner import changes_names, give_up, linked, store_in_others
from kleene.domains.fesa.ownership import Target
from kleene.domains.fesa.sizes import Sizes
from kleene.domains.fesa.vectors import Vectors
from kleene.domains.fesa.writing import (
    NOWHERE,
    Pointer,
    allocate,
    clear,
    detach,
    null,
    read,
    release,
    spoil,
    spoil_or_zero,
    to,
    write,
)
from kleene.passes.facts.memory import Memory, Unmodelled, constant_of

_CLEANUP = "a block may not be freed when the program ends"
_Branch = tuple[Vectors, Sizes | None, tuple[Expression, bool], list[tuple[Heap, Function, Function]]]


class Transfer(Evaluator):
    """The abstract semantics of one program."""

    def __init__(self, memory: Memory, *, malloc_may_fail: bool) -> None:
        super().__init__(memory)
        self.malloc_may_fail = malloc_may_fail
        self.globals = frozenset(g.variable.name for g in memory.program.globals)
        self.constant = frozenset(g.variable.name for g in memory.program.globals if g.constant)
        self._other_branch: _Branch | None = None

    def apply(self, heap: Heap, operation: Operation) -> Iterable[Heap]:
        """The states after an operation; `Unmodelled` if the domain has no such operation."""
        match operation:
            case Skip():
                return [heap]
            case Print(texts=()):
                return self._visit_all(heap, expressions(operation))
            case Assign(target=target, value=value):
                return self._assign(heap, target, value)
            case Assume(condition=condition, truth=truth):
                return self._assume(heap, condition, truth)
            case Allocate():
                return self._allocate(heap, operation)
            case Realloc():
                return self._realloc(heap, operation)
            case Free(pointer=pointer):
                return self._free(heap, pointer)
            case Havoc(target=target):
                return self._havoc(heap, target)
            case MemSet():
                return self._memset(heap, operation)
            case MemCopy():
                return self._memcopy(heap, operation)
            case DeclareLocal(variable=variable):
                return [self.declare(heap, variable)]
            case EndScope(variables=variables):
                for variable in variables:
                    self.end(heap, variable)
                return [heap]
            case Error(kind=kind, message=message):
                self.report(kind, message or "an error call may be reached")
                return []
            case Return() | Exit():
                return self._leave(heap, operation)
            case Unsupported(reason=reason):
                raise Unmodelled(reason)
        raise Unmodelled(str(operation))

    def _visit_all(self, heap: Heap, given: Iterable[Expression]) -> list[Heap]:
        parts = [heap]
        for expression in given:
            parts = [last for part in parts for last in self.visit(part, expression)]
        return parts

    # Variables --------------------------------------------------------------------------------------------------

    def declare(self, heap: Heap, variable: Variable) -> Heap:
        """A variable begins to live; if it lived already (a loop), that life ends."""
        node, kind = self.node(variable), self.memory.kind(variable)
        self.end(heap, variable)
        if kind == "pointer":
            spoil(heap, node, 0)
        elif kind == "integer":
            self.store_number(heap, node, 0, self.numbers(node, 0, variable), None)
        elif kind == "object":
            detach(heap, node)
            heap.set({Flag(EXISTS, node): heap.space.true})
            for slot in self.slots_of(node.size):
                spoil(heap, node, slot)
            self._forget_numbers(heap, node, 0, node.size)
        return heap

    def end(self, heap: Heap, variable: Variable) -> None:
        node = self.node(variable)
        clear(heap, node, self.report)
        heap.drop([Flag(EXISTS, node)])

    def zero(self, heap: Heap, variable: Variable) -> None:
        """A global variable before its initialiser: all zero."""
        node = self.node(variable)
        zero = Integer({0: heap.space.true}, heap.space.false)
        if self.memory.kind(variable) == "integer":
            self.store_number(heap, node, 0, self.numbers(node, 0, variable), zero)
        elif self.is_object(variable):
            for offset in self._integer_places(node, 0, node.size):
                self.store_number(heap, node, offset, self.numbers(node, offset), zero)

    def unknown(self, heap: Heap, variable: Variable) -> None:
        """A global variable whose numbers are not known."""
        node = self.node(variable)
        if self.is_object(variable):
            self._forget_numbers(heap, node, 0, node.size)
        else:
            self.store_number(heap, node, 0, self.numbers(node, 0, variable), None)

    # Assignments --------------------------------------------------------------------------------------------------

    def _assign(self, heap: Heap, target: Expression, value: Expression) -> Iterator[Heap]:
        if isinstance(target.type, RecordType):
            yield from self._assign_record(heap, target, value)
        elif isinstance(target.type, PointerType):
            for part, node, offset in self.access(heap, target):
                if node == OTHERS:
                    yield from self._store_in_others(part, value)
                    continue
                self._known_slot(node, offset, target)
                for last, pointer in self.pointer(part, value):
                    for linking, holder, stored in self._linked(last, node, offset, pointer.settle(last)):
                        if holder is None:
                            yield linking
                        else:
                            yield from self._store_sharply(linking, holder, offset, stored, target)
        elif isinstance(target.type, IntegerType):
            if isinstance(value.type, PointerType):
                raise Unmodelled("a pointer in an integer")
            for part, node, offset, size in self.touch(heap, target):
                for last, number in self.integer(part, value):
                    self._store_integer(last, node, offset, size, target, number)
                    yield last
        else:
            for part in self.visit(heap, value):
                yield from self._store_untracked(part, target)

    def _linked(
        self, heap: Heap, node: Node, offset: int, value: Pointer
    ) -> Iterator[tuple[Heap, Node | None, Pointer]]:
        """The parts of a state before a pointer is stored: the block, none if it is given up, and the pointer."""
        inner = heap.options.inner
        changed: list[Target] = []
        if inner is not None and node.is_heap and (node.size, offset) in inner.links:
            targets = value.targets.items()
            changed = [t for t, where in targets if changes_names(inner, node, t[0]) and heap.possible(where)]
        rest = heap.restrict(~heap.any_of(value.targets[t] for t in changed)) if changed else heap
        if rest is not None:
            yield rest, node, value
        for key in sorted(changed):
            for part, target, place in self.pointing(heap, value, key):
                for last, holder, held in linked(part, node, target):
                    stored = null(last) if held is None else to(last, held, 0 if held in NOWHERE else place)
                    yield last, holder, stored

    def _store_in_others(self, heap: Heap, value: Expression) -> Iterator[Heap]:
        """A pointer is stored in a block that is not followed: fresh blocks are given up."""
        for part, pointer in self.pointer(heap, value):
            fresh = list(store_in_others(part, pointer.settle(part).targets))
            rest = part.restrict(~part.any_of(pointer.targets[key] for key in fresh))
            if rest is not None:
                yield rest
            for key in fresh:
                for last, node, _ in self.pointing(part, pointer, key):
                    give_up(last, node)
                    yield last

    def _store_pointer(self, heap: Heap, node: Node, offset: int, value: Pointer, target: Expression) -> None:
        if not (isinstance(target, Variable) and not self.is_object(target)):
            self._spoil_overlap(heap, node, offset, self.memory.program.pointer_size, pointer=True)
        write(heap, node, offset, value, self.report)

    def _store_sharply(self, heap: Heap, node: Node, offset: int, value: Pointer, target: Expression) -> Iterator[Heap]:
        """Store a pointer; if that seems to lose a block, split by the targets of the pointer.

        If it still does, split by the targets of the overwritten pointer.
        """
        value = value.settle(heap)
        stored = self._stored_without_loss(heap, node, offset, value, target)
        if stored is not None:
            yield stored
            return
        for part, single in self.values(heap, value):
            stored = self._stored_without_loss(part, node, offset, single, target)
            if stored is not None:
                yield stored
                continue
            for last, _ in self.values(part, read(part, node, offset)):
                self._store_pointer(last, node, offset, single, target)
                yield last

    def _stored_without_loss(
        self, heap: Heap, node: Node, offset: int, value: Pointer, target: Expression
    ) -> Heap | None:
        """The state after a pointer is stored; None if that seems to lose a block."""
        told: list[tuple[str, str]] = []
        trial, report = heap.copy(), self.report
        self.report = lambda kind, text: told.append((kind, text))
        try:
            self._store_pointer(trial, node, offset, value, target)
        finally:
            self.report = report
        if any(kind == "memory_leak" for kind, _ in told):
            return None
        for kind, text in told:
            report(kind, text)
        return trial

    def values(self, heap: Heap, value: Pointer) -> Iterator[tuple[Heap, Pointer]]:
        """The parts of a state in which a pointer is NULL, or points to a single cell."""
        nothing = heap.restrict(value.null)
        if nothing is not None:
            yield nothing, null(nothing)
        for key in sorted(value.targets):
            for part, pointer, place in self.pointing(heap, value, key):
                yield part, to(part, pointer, place)

    def _store_integer(
        self, heap: Heap, node: Node, offset: int, size: int, target: Expression, value: Integer | None
    ) -> None:
        if isinstance(target, Variable) and not self.is_object(target):
            self.store_number(heap, node, 0, self.numbers(node, 0, target), value)
            return
        self._spoil_overlap(heap, node, offset, size)
        assert isinstance(target.type, IntegerType)
        if not is_vague(target) and value is not None:
            kept = self.memory.integer_type((node.size, offset))
            self.store_number(heap, node, offset, self.numbers(node, offset), convert_number(value, target.type, kept))

    def _store_untracked(self, heap: Heap, target: Expression) -> Iterator[Heap]:
        for part, node, offset, size in self.touch(heap, target):
            if not (isinstance(target, Variable) and not self.is_object(target)):
                self._spoil_overlap(part, node, offset, size)
            yield part

    def store_number(
        self, heap: Heap, node: Node, offset: int, numbers: tuple[int, ...], value: Integer | None
    ) -> None:
        """Set the flags ``value == c``; with no value, any number."""
        if not numbers:
            return
        flags = {c: Flag(VALUE, node, offset, None, c) for c in numbers}
        space = heap.space
        if value is None:
            value = Integer({}, space.true)
        new = {c: space.var(("new", flag)) for c, flag in flags.items()}
        choices = heap.any_of(f for c, f in value.table.items() if c not in flags) | value.rest
        for variable in new.values():
            choices = choices & ~variable
        for c in numbers:
            chosen = value.may_be(c) & new[c]
            for d in numbers:
                if d != c:
                    chosen = chosen & ~new[d]
            choices = choices | chosen
        vectors = heap.vectors.add(*(("new", f) for f in flags.values())).restrict(choices)
        heap.vectors = vectors.drop(*flags.values()).rename({("new", f): f for f in flags.values()})

    def _integer_places(self, node: Node, offset: int, length: int) -> list[int]:
        return [o for _, o in self.memory.overlapped_integers((node.size, offset), length)]

    def _forget_numbers(self, heap: Heap, node: Node, offset: int, length: int) -> None:
        for place in self._integer_places(node, offset, length):
            self.store_number(heap, node, place, self.numbers(node, place), None)

    def _spoil_overlap(
        self, heap: Heap, node: Node, offset: int, length: int, *, pointer: bool = False, zeros: bool = True
    ) -> None:
        """A write of `length` bytes makes overlapping values unknown, except for a `pointer` at the same place.

        With `zeros` the bytes may be zero: then a pointer that they overwrite has no value or is NULL.
        """
        self._require_writable(node)
        self._forget_numbers(heap, node, offset, length)
        for _, place in self.memory.overlapped_pointers((node.size, offset), length):
            if not (pointer and place == offset) and place in self.slots_of(node.size):
                if zeros:
                    spoil_or_zero(heap, node, place, self.report)
                else:
                    write(heap, node, place, to(heap, UNDEFINED), self.report)

    def _require_writable(self, node: Node) -> None:
        if node.kind == VARIABLE and node.name in self.constant:
            self.report("dangling_dereference", f"{node} may be written, and is constant")

    def _havoc(self, heap: Heap, target: Expression) -> Iterator[Heap]:
        if isinstance(target.type, PointerType):
            raise Unmodelled("a pointer with any value")
        if not isinstance(target.type, IntegerType):
            yield from self._store_untracked(heap, target)
            return
        for part, node, offset, size in self.touch(heap, target):
            self._store_integer(part, node, offset, size, target, None)
            yield part

    # Blocks ---------------------------------------------------------------------------------------------------

    def _allocate(self, heap: Heap, operation: Allocate) -> Iterator[Heap]:
        size = self.memory.block_size(operation)
        if size is None:
            raise Unmodelled("a block whose size is not a constant")
        if operation.stack:
            raise Unmodelled("a block on the stack (alloca, or an array of many pointers)")
        for part, node, offset in self.access(heap, operation.target):
            self._known_slot(node, offset, operation.target)
            if operation.may_fail and self.malloc_may_fail:
                failed = part.copy()
                self._store_pointer(failed, node, offset, null(failed), operation.target)
                yield failed
            new = self._new_block(part, size, zeroed=operation.zeroed)
            for last, holder, pointer in self._linked(part, node, offset, to(part, new)):
                if holder is not None:
                    self._store_pointer(last, holder, offset, pointer, operation.target)
                yield last

    def _new_block(self, heap: Heap, size: int, *, zeroed: bool) -> Node:
        new = allocate(heap, size, self.slots_of(size), zeroed=zeroed)
        zero = Integer({0: heap.space.true}, heap.space.false) if zeroed else None
        for place in self._integer_places(new, 0, size):
            self.store_number(heap, new, place, self.numbers(new, place), zero)
        return new

    def _realloc(self, heap: Heap, operation: Realloc) -> Iterator[Heap]:
        """A new block with the contents of the old one, which is freed; on failure only the target changes."""
        size = self.memory.block_size(operation)
        if not size:
            raise Unmodelled("realloc to a size that is not a constant, or zero")
        target, text = operation.target, str(operation.pointer)
        for part, node, offset in self.access(heap, target):
            self._known_slot(node, offset, target)
            for middle, pointer in self.pointer(part, operation.pointer):
                value = pointer.settle(middle)
                if operation.may_fail and self.malloc_may_fail:
                    failed = middle.copy()
                    self._store_pointer(failed, node, offset, null(failed), target)
                    yield failed
                nothing = middle.restrict(value.null)
                if nothing is not None:
                    new = self._new_block(nothing, size, zeroed=False)
                    self._store_pointer(nothing, node, offset, to(nothing, new), target)
                    yield nothing
                for key in sorted(value.targets):
                    for last, old, place in self.pointing(middle, value, key):
                        for alive in self._may_free(last, old, place, text):
                            if old == node:
                                raise Unmodelled("realloc of the block that holds its result")
                            new = self._new_block(alive, size, zeroed=False)
                            self._copy_bytes(alive, new, 0, old, 0, min(int(size), int(old.size)))
                            release(alive, old, self.report)
                            self._store_pointer(alive, node, offset, to(alive, new), target)
                            yield alive

    def _free(self, heap: Heap, expression: Expression) -> Iterator[Heap]:
        for part, pointer in self.pointer(heap, expression):
            value = pointer.settle(part)
            nothing = part.restrict(value.null)
            if nothing is not None:
                yield nothing
            for key in sorted(value.targets):
                for last, node, offset in self.pointing(part, value, key):
                    if node == OTHERS:
                        yield last
                        continue
                    for alive in self._may_free(last, node, offset, str(expression)):
                        release(alive, node, self.report)
                        yield alive

    def _may_free(self, heap: Heap, node: Node, offset: int, text: str) -> Iterator[Heap]:
        """The part of the state in which a node is a block that may be freed; what else it may be is reported."""
        if node in NOWHERE:
            self.report("invalid_free", f"{text} may not be initialized")
        elif not node.is_heap or node.kind == STATIC:
            self.report("invalid_free", f"{text} may point to an object that malloc did not give")
        elif offset != 0:
            self.report("invalid_free", f"{text} may not point to the start of a block")
        else:
            if self.still_possible(heap, ~heap.exists(node)):
                self.report("double_free", f"{text} may point to a block that was freed already")
            alive = heap.restrict(heap.exists(node))
            if alive is not None:
                yield alive

    # Ranges of bytes --------------------------------------------------------------------------------------------

    def _memset(self, heap: Heap, operation: MemSet) -> Iterator[Heap]:
        value, size = constant_of(operation.value), constant_of(operation.size)
        byte = None if value is None else value & 255
        if size is None:
            raise Unmodelled("memset of a size that is not a constant")
        for start in self.visit(heap, operation.value):
            if size == 0:
                yield start
                continue
            for part, pointer in self.pointer(start, operation.pointer):
                for last, node, offset in self.dereference(part, pointer, size, str(operation.pointer)):
                    self._spoil_overlap(last, node, offset, size, zeros=byte in (0, None))
                    if byte == 0:
                        self._zero_bytes(last, node, offset, size)
                    yield last

    def _zero_bytes(self, heap: Heap, node: Node, offset: int, size: int) -> None:
        for slot in self.slots_of(node.size):
            if offset <= slot <= offset + size - self.memory.program.pointer_size:
                write(heap, node, slot, null(heap), self.report)
        zero = Integer({0: heap.space.true}, heap.space.false)
        for place in self._integer_places(node, offset, size):
            width = self.memory.accessed_bytes((node.size, place))
            if offset <= place <= offset + size - width:
                self.store_number(heap, node, place, self.numbers(node, place), zero)

    def _memcopy(self, heap: Heap, operation: MemCopy) -> Iterator[Heap]:
        size = constant_of(operation.size)
        if size is None:
            raise Unmodelled("memcpy of a size that is not a constant")
        if size == 0:
            yield heap
            return
        text = str(operation)
        for part, to_pointer in self.pointer(heap, operation.destination):
            for middle, node, offset in self.dereference(part, to_pointer, size, text):
                for after, pointer in self.pointer(middle, operation.source):
                    for last, source, start in self.dereference(after, pointer, size, text):
                        self._copy_bytes(last, node, offset, source, start, size)
                        yield last

    def _assign_record(self, heap: Heap, target: Expression, value: Expression) -> Iterator[Heap]:
        size = target.type.size
        for part, node, offset in self.access(heap, target):
            for last, source, start in self.access(part, value):
                self._copy_bytes(last, node, offset, source, start, size)
                yield last

    def _copy_bytes(self, heap: Heap, node: Node, offset: int, source: Node, start: int, size: int) -> None:
        """Copy slot by slot; a slot without a counterpart gets no value."""
        self._require_writable(node)
        if OTHERS in (node, source):
            raise Unmodelled("a copy of a struct in a structure that is not followed")
        if (node, offset) == (source, start):
            return
        if node == source:
            raise Unmodelled("a copy within one object")
        width = self.memory.program.pointer_size
        here, there = self.slots_of(node.size), self.slots_of(source.size)
        for slot in here:
            if slot + width <= offset or slot >= offset + size:
                continue
            counterpart = slot - offset + start
            inside = offset <= slot <= offset + size - width
            if inside and counterpart in there:
                write(heap, node, slot, read(heap, source, counterpart), self.report)
            else:
                write(heap, node, slot, to(heap, UNDEFINED), self.report)
        for place in self._integer_places(node, offset, size):
            self._copy_number(heap, (node, place), (source, place - offset + start), (offset, offset + size))

    def _copy_number(
        self, heap: Heap, to_place: tuple[Node, int], source: tuple[Node, int], span: tuple[int, int]
    ) -> None:
        (node, place), (other, counterpart) = to_place, source
        kept, written = (self.memory.integer_type((n.size, o)) for n, o in (to_place, source))
        value = None
        if kept is not None and span[0] <= place <= span[1] - kept.size:
            value = convert_number(self.stored_number(heap, other, counterpart), written, kept)
        self.store_number(heap, node, place, self.numbers(node, place), value)

    # Control ----------------------------------------------------------------------------------------------------

    def _assume(self, heap: Heap, condition: Expression, truth: bool) -> Iterator[Heap]:
        """One branch; the value of the condition is cached for the other branch."""
        before, sizes, kept = heap.vectors, heap.sizes, self._other_branch
        if kept is not None and kept[0] is before and kept[1] is sizes and kept[2] == (condition, not truth):
            parts = kept[3]
            self._other_branch = None
        else:
            parts = list(self.condition(heap, condition))
            self._other_branch = before, sizes, (condition, truth), parts
        for part, holds, fails in parts:
            last = part.restrict(holds if truth else fails)
            if last is not None:
                yield last

    def _leave(self, heap: Heap, operation: Return | Exit) -> list[Heap]:
        """End the program: a return loses the variables of main, and remaining blocks are alarms of `memcleanup`."""
        value = operation.status if isinstance(operation, Exit) else operation.value
        for part in [heap] if value is None else self.visit(heap, value):
            if isinstance(operation, Return):
                for node in part.nodes():
                    if node.kind == VARIABLE and node.name not in self.globals and node != LOST:
                        clear(part, node, self.report)
            elif operation.status is None:
                continue
            self.tidy(part, *part.heap_nodes())
            if part.possible(part.any_of(part.exists(n) for n in part.heap_nodes())):
                self.report("memory_cleanup", _CLEANUP)
        return []
