"""The kinds of blocks that a pointer may point to, whatever offset it has there and however large they are.

`Memory` computes where pointers may point for offsets and sizes that are constants. Here the automaton is changed so
that all are: a pointer that is moved stays where it is, and each allocation of a variable size has a size of its own.
So has each one that is made for numbers: a buffer of 16 bytes is no struct of that size.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from kleene.cfa.expressions import (
    Binary,
    Cast,
    Constant,
    Deref,
    Expression,
    Field,
    Index,
    PointerOffset,
    Variable,
    walk,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Allocate, Call, MemCopy, Operation, Realloc, expressions
from kleene.cfa.program import TEXT_PRIMITIVES, CProgram, Global
from kleene.cfa.types import (
    CHAR,
    ArrayType,
    FloatType,
    IntegerType,
    PointerType,
    RecordField,
    RecordLayout,
    RecordType,
    Type,
)
from kleene.passes.facts.memory import Memory, Place, Unmodelled, constant_of
from kleene.passes.facts.relations.zones import Interval
from kleene.passes.literals import is_literal
from kleene.passes.rewrite import rewrite, rewrite_operation

LITERALS = RecordLayout(RecordType("literals", 1), (RecordField("character", CHAR, 0),))
"""A type of its own, so that no other object is taken for a literal."""
LITERAL = Variable('"any literal"', LITERALS.type, is_global=True)
"""The object that stands for all literals."""
CHAR_BITS = 8
LEAST_POINTER = 4
"""Bytes of the smallest pointer: a smaller constant in a size of an array of pointers belongs to the number of them."""
OWN_SIZES = 1 << 48
"""Where the sizes begin that stand for variable ones: no block is as large."""


@dataclass(frozen=True)
class ByteArray:
    """An array of bytes in the structs of a kind."""

    kind: object
    offset: int
    size: int


class Blocks:
    """The kinds of blocks of pointers in one automaton."""

    def __init__(self, program: CProgram, cfa: Cfa[Operation]) -> None:
        self._program = program
        self.operations: list[Operation] = [*program.initial_values, *(edge.label for edge in cfa.edges)]
        """The initial values of global variables, and what the automaton executes."""
        self._sizes: dict[Allocate | Realloc, int] = {}
        changed = Cfa(cfa.entry, tuple(map(self._fix, cfa.edges)))
        merged = replace(
            program,
            globals=tuple(map(_merge, program.globals)),
            records=program.records | {LITERALS.type.name: LITERALS},
        )
        self.memory = _MemoryOfTexts(merged, changed, typed=True)
        self.known = not any(map(_is_unknown, cfa.edges)) and not self._has_pools()
        """Whether all pointers are seen: no other function stores any, and none lie at computed bytes."""

    @property
    def _nodes(self) -> Iterator[Expression]:
        return (n for o in self.operations for x in expressions(o) for n in walk(x))

    def _has_pools(self) -> bool:
        """Whether blocks that have pointers in them are indexed by bytes: then they are not where they are sought."""
        holding = self.holding
        moved = [
            n for n in self._nodes if isinstance(n, PointerOffset) and n.scale == 1 and constant_of(n.index) is None
        ]
        places = [self.places(n.pointer) for n in moved]
        text = (
            set()
            if _reads_bytes_as_pointers(self._nodes)
            else {(k, o) for k, a in self.byte_arrays.items() for o, _ in a}
        )
        return any(spots is None or holding & {size for size, _ in spots - text} for spots in places)

    @cached_property
    def holding(self) -> frozenset[object]:
        """The kinds of blocks that may have pointers in them.

        An array of numbers is no pointer of its size, unless a pointer is read or written there.
        """
        others = {self.of_allocation(o) for o in self.operations if isinstance(o, Allocate | Realloc)}
        numbers: set[object] = set()
        for variable in self.memory.objects:
            (numbers if _is_of_numbers(variable.type) else others).add(self.of_object(variable))
        holding: set[object] = {size for size, _ in self.memory.cell_of}
        if not holding & numbers - others:
            return frozenset(holding)
        lvalues = [n for n in self._nodes if isinstance(n, Deref | Field | Index) and not _is_number(n.type)]
        places = [self._places_of(lvalue) for lvalue in lvalues]
        accessed = {kind for own in places for kind, _ in own or ()}
        return frozenset(holding if None in places else holding - (numbers - others - accessed))

    def are_elsewhere(self, one: frozenset[object], two: frozenset[object]) -> bool:
        """Whether blocks of the one kinds are on the heap, and those of the other kinds are not."""
        heap, others = self._heap_and_others
        return any(
            bool(a) and bool(b) and a <= heap - others and b <= others - heap for a, b in ((one, two), (two, one))
        )

    @cached_property
    def _heap_and_others(self) -> tuple[frozenset[object], frozenset[object]]:
        """The kinds of blocks of the heap, and those of variables and blocks of the stack."""
        made = [o for o in self.operations if isinstance(o, Allocate | Realloc)]
        heap = {self.of_allocation(o) for o in made if isinstance(o, Realloc) or not o.stack}
        stack = {self.of_allocation(o) for o in made if isinstance(o, Allocate) and o.stack}
        return frozenset(heap), frozenset(stack | {self.of_object(v) for v in self.memory.objects})

    @cached_property
    def byte_arrays(self) -> dict[object, list[tuple[int, int]]]:
        """The offsets and sizes of the arrays of bytes in the structs of each kind."""
        arrays: dict[object, list[tuple[int, int]]] = {}
        for kind in self.memory.sizes:
            for layout in self._program.records.values():
                if _may_be(kind, layout.type):
                    arrays.setdefault(kind, []).extend(byte_arrays(layout.type, self._program))
        return {kind: sorted(set(spots)) for kind, spots in arrays.items() if spots}

    def _fix(self, edge: Edge[Operation]) -> Edge[Operation]:
        label = rewrite_operation(edge.label, _at_start)
        if isinstance(label, Allocate | Realloc) and (constant_of(label.size) is None or _makes_numbers(label)):
            own = edge.label
            assert isinstance(own, Allocate | Realloc)
            size = self._sizes.setdefault(own, OWN_SIZES + len(self._sizes))
            label = replace(label, size=Constant(size, label.size.type))
        if isinstance(label, MemCopy) and constant_of(label.size) is None:
            label = replace(label, size=Constant(OWN_SIZES, label.size.type))
        return replace(edge, label=label)

    def of_allocation(self, operation: Allocate | Realloc) -> object:
        """The kind of the block that an allocation makes."""
        own = self._sizes.get(operation, 0)
        if own:
            return own
        return self.memory.block_size(operation)

    @cached_property
    def _constant_sizes(self) -> dict[object, int | None]:
        """The sizes of the blocks with a kind of their own; None if variable."""
        return {own: constant_of(operation.size) for operation, own in self._sizes.items()}

    def bytes_of(self, kind: object) -> int | None:
        """The bytes of all blocks of a kind; None if they differ."""
        if not isinstance(kind, int):
            return None
        return self._constant_sizes.get(kind, None if kind >= OWN_SIZES else int(kind))

    def of_object(self, variable: Variable) -> object:
        """The kind of the block that a variable is."""
        return self.memory.size_of(LITERAL if is_literal(variable) else variable)

    def of_value(self, pointer: Expression) -> frozenset[object] | None:
        """The kinds of blocks that a pointer may point to; None if any."""
        places = self.places(pointer) if self.known else None
        return None if places is None else frozenset(size for size, _ in places)

    def address_places(self, lvalue: Expression) -> set[Place] | None:
        """The places where an lvalue may be; None if anywhere."""
        return self._places_of(lvalue) if self.known else None

    def _places_of(self, lvalue: Expression) -> set[Place] | None:
        try:
            return self.memory.address_places(rewrite(lvalue, _at_start))
        except Unmodelled:
            return None

    @cached_property
    def moved_kinds(self) -> frozenset[object] | None:
        """The kinds in which some pointer is moved, other than byte by byte; None if any.

        In blocks of other kinds, pointers have the offsets of their places.
        """
        kinds: set[object] = set()
        for node in self._nodes:
            if isinstance(node, PointerOffset) and node.scale > 1 and constant_of(node.index) != 0:
                places = self.places(node.pointer)
                if places is None:
                    return None
                kinds |= {kind for kind, _ in places}
        return frozenset(kinds)

    def places(self, pointer: Expression) -> set[Place] | None:
        """The places that a pointer may point to if it were not moved along arrays; None if any."""
        try:
            return self.memory.value_places(rewrite(pointer, _at_start))
        except Unmodelled:
            return None


class _MemoryOfTexts(Memory):
    """A memory in which a pointer that walks through an array of bytes of a struct stays at its start.

    It may be behind the array, then. The pass on texts does not follow accesses there (`TextBlocks.may_be_inside`).
    """

    def _moved(self, place: Place, shift: int) -> Place:
        size, offset = place
        types = [t for t in self._used_records if _may_be(size, t)]
        arrays = byte_arrays(types[0], self.program) if len(types) == 1 else []
        if any(start == offset and stays_in(length, shift) for start, length in arrays):
            return place
        return super()._moved(place, shift)

    @cached_property
    def _used_records(self) -> list[RecordType]:
        return [type_ for type_ in self.used_types() if isinstance(type_, RecordType)]


def stays_in(length: int, shift: int) -> bool:
    """Whether a pointer that is moved by so many bytes counts as one into the same array: also one step backwards."""
    return -1 <= shift < length


def _may_be(kind: int, record: RecordType) -> bool:
    """Whether a struct may be a block of a kind."""
    return record.size == int(kind) and str(kind) in (str(int(kind)), str(record))


def _makes_numbers(operation: Allocate | Realloc) -> bool:
    """Whether a block is made for an array of numbers."""
    element = operation.element if isinstance(operation, Allocate) else None
    size = constant_of(operation.size)
    return isinstance(element, IntegerType | FloatType) and size is not None and size > element.size


def _is_number(type_: Type) -> bool:
    return isinstance(type_, IntegerType | FloatType)


def _is_of_numbers(type_: Type) -> bool:
    return isinstance(type_, ArrayType) and (_is_number(type_.element) or _is_of_numbers(type_.element))


def _merge(item: Global) -> Global:
    initial = tuple(rewrite_operation(a, _at_start) for a in item.initial)
    return replace(item, initial=initial)  # type: ignore[arg-type]


def _is_unknown(edge: Edge[Operation]) -> bool:
    return isinstance(edge.label, Call) and edge.label.function not in TEXT_PRIMITIVES


def _reads_bytes_as_pointers(nodes: Iterable[Expression]) -> bool:
    """Whether a pointer to bytes is converted to one to something larger."""
    casts = (n for n in nodes if isinstance(n, Cast))
    return any(_to_bytes(n.operand.type) and isinstance(n.type, PointerType) and n.type.target.size > 1 for n in casts)


def _to_bytes(type_: Type) -> bool:
    return isinstance(type_, PointerType) and isinstance(type_.target, IntegerType) and type_.target.size == 1


def byte_arrays(type_: Type, program: CProgram, base: int = 0) -> list[tuple[int, int]]:
    """The offsets and sizes of the arrays of bytes in a struct."""
    if isinstance(type_, ArrayType) and isinstance(type_.element, IntegerType) and type_.element.size == 1:
        return [(base, type_.size)] if type_.size else []
    layout = program.records.get(type_.name) if isinstance(type_, RecordType) else None
    fields = layout.fields if layout is not None and not layout.union else ()
    return [array for f in fields for array in byte_arrays(f.type, program, base + f.offset)]


def _at_start(node: Expression) -> Expression:
    """A pointer that is moved along an array, for one to its first element: all elements are looked at as one.

    All literals are one object: none of them is written.
    """
    if isinstance(node, Variable) and is_literal(node):
        return LITERAL
    if isinstance(node, PointerOffset) and (node.scale > 1 or constant_of(node.index) is None):
        return node.pointer if node.pointer.type == node.type else Cast(node.pointer, node.type)
    if isinstance(node, Index):
        return replace(node, index=Constant(0, node.index.type))
    return node


def factors(size: Expression) -> tuple[Expression, int] | None:
    """A count of elements and the size of each, if a size is written as their product.

    The count is a number whose product is the size modulo the width of a size; it may be less than 0. What has fewer
    bits on the way to a size may have wrapped: that is no number of elements.
    """
    size = _written(size)
    product = _times(size)
    if product is None:
        return None
    count, each = product
    inner = _times(count) if count.type == size.type else None
    if inner is not None and each.value < LEAST_POINTER <= inner[1].value:  # ``sizeof(void *) * n * 2``
        count, each = Binary("*", inner[0], each, count.type), inner[1]
    return before_conversion(count, size.type), each.value


def _written(size: Expression) -> Expression:
    """A size without conversions that keep its bits, and without the factor 1 of ``calloc(1, n * sizeof *p)``."""
    width = size.type.size
    while True:
        match size:
            case Cast(operand=inner) if isinstance(inner.type, IntegerType) and inner.type.size >= width:
                size = inner
            case Binary("*", inner, Constant(value=1)) | Binary("*", Constant(value=1), inner):
                if inner.type.size < width:
                    return size
                size = inner
            case _:
                return size


def _times(size: Expression) -> tuple[Expression, Constant] | None:
    """The factors of a product with a constant."""
    if isinstance(size, Binary) and size.operator == "*":
        for count, each in ((size.left, size.right), (size.right, size.left)):
            if isinstance(each, Constant) and each.value > 1:
                return count, each
    return None


def array_at_end(layout: RecordLayout) -> RecordField | None:
    """The last member of a struct, if it is an array without a length or of one element."""
    last = layout.fields[-1] if layout.fields and not layout.union else None
    array = last.type if last is not None and isinstance(last.type, ArrayType) else None
    return last if array is not None and array.count <= 1 and array.element.size else None


def terms(size: Expression) -> Iterator[Expression]:
    """The terms of a sum in one type."""
    if isinstance(size, Binary) and size.operator == "+" and size.left.type == size.right.type == size.type:
        yield from terms(size.left)
        yield from terms(size.right)
    else:
        yield size


def is_whole(count: Interval, each: int, size: Type) -> bool:
    """Whether a number of elements gives a block of that many, or none: less than 0 is too much for any block."""
    width = size.size * CHAR_BITS
    return count[0] * each >= -(1 << width - 1) and count[1] * each < 1 << width


def before_conversion(count: Expression, size: Type) -> Expression:
    """A number before its conversion to the type of sizes, which does not change it modulo the width."""
    while isinstance(count, Cast) and count.type == size and isinstance(count.operand.type, IntegerType):
        if count.operand.type.bits > count.type.size * CHAR_BITS or count.operand.type.boolean:
            break
        count = count.operand
    return count


def scalars(type_: Type, program: CProgram, base: int = 0) -> list[tuple[int, int]]:
    """The offsets and sizes of what a value of a type consists of, without its arrays of bytes."""
    if isinstance(type_, ArrayType):
        is_text = isinstance(type_.element, IntegerType) and type_.element.size == 1
        return [] if is_text or not type_.size else [(base, type_.size)]
    layout = program.records.get(type_.name) if isinstance(type_, RecordType) else None
    if layout is None:
        return [(base, type_.size)]
    return [scalar for f in layout.fields for scalar in scalars(f.type, program, base + f.offset)]
