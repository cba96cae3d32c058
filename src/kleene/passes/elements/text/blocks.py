"""Which blocks are texts: blocks and arrays without pointers, in which something moves by a variable distance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from kleene.cfa.expressions import (
    AddressOf,
    Deref,
    Expression,
    Field,
    Index,
    PointerOffset,
    Variable,
    children,
    root_variable,
    walk,
)
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Call, DeclareLocal, EndScope, MemCopy, MemSet, Operation, Print, expressions
from kleene.cfa.program import TEXT_PRIMITIVES, CProgram
from kleene.cfa.types import ArrayType, FloatType, IntegerType, PointerType
from kleene.passes.elements.text.moved import MovedPointers
from kleene.passes.entry_parameters import ARGUMENT, ARGUMENTS
from kleene.passes.facts.blocks_of_pointers import LITERAL, Blocks, ByteArray, byte_arrays, scalars, stays_in
from kleene.passes.facts.memory import constant_of
from kleene.passes.facts.relations.texts import is_byte
from kleene.passes.literals import is_literal


@dataclass
class TextBlocks:
    """The kinds of blocks that are texts as a whole, and the places of texts in other blocks."""

    program: CProgram
    cfa: Cfa[Operation]
    blocks: Blocks

    def __post_init__(self) -> None:
        self.holding = self.blocks.holding
        self.arguments = {self.blocks.of_object(g.variable) for g in self.program.globals if _is_arguments(g.variable)}
        self.arrays = {(kind, at) for kind, spots in self.blocks.byte_arrays.items() for at, _ in spots}
        self.kinds: set[object] = set()
        if self.blocks.known:
            touched = {kind for pointer in self._pointers() for kind in self.blocks.of_value(pointer) or ()}
            touched |= {self.blocks.of_object(ARGUMENT)} if self.arguments else set()
            touched -= {self.blocks.of_object(variable) for variable in self._used_as_a_whole()}
            self.kinds = {kind for kind in touched if kind not in self.holding}

    def _used_as_a_whole(self) -> set[Variable]:
        """The variables that are read or written under their name, and by pointers too: their content is followed."""
        operations = [edge.label for edge in self.cfa.edges if not isinstance(edge.label, DeclareLocal | EndScope)]
        named = {v for operation in operations for x in expressions(operation) for v in _named_variables(x)}
        return {v for v in named if self.blocks.memory.kind(v) == "object" and not isinstance(v.type, ArrayType)}

    def _pointers(self) -> set[Expression]:
        """The pointers that are moved, or given to summaries, or to functions that copy a variable number of bytes."""
        pointers: set[Expression] = set()
        for edge in self.cfa.edges:
            label = edge.label
            if isinstance(label, Call) and label.function in TEXT_PRIMITIVES:
                pointers |= {a for a in label.arguments if isinstance(a.type, PointerType)}
            if isinstance(label, Print):
                pointers |= set(label.texts)
            if isinstance(label, MemCopy | MemSet) and constant_of(label.size) is None:
                pointers |= {label.destination, label.source} if isinstance(label, MemCopy) else {label.pointer}
            for node in (n for x in expressions(label) for n in walk(x)):
                if isinstance(node, PointerOffset) and _is_walk(node):
                    pointers.add(node.pointer)
                if isinstance(node, Index) and is_byte(node) and constant_of(node.index) is None:
                    pointers.add(AddressOf(node.base, PointerType(node.type, self.program.pointer_size)))
        return pointers

    def is_text(self, pointer: Expression) -> bool:
        """Whether a pointer points to texts only."""
        if not self.blocks.known:
            return False
        places = self.blocks.places(pointer)
        return bool(places) and all(self._is_text_place(p) for p in places or ())

    def is_text_lvalue(self, lvalue: Expression) -> bool:
        """Whether an lvalue is an element of a text."""
        if isinstance(lvalue, Variable) or not self.blocks.known:
            return False
        places = self.blocks.address_places(lvalue)
        return bool(places) and all(self._is_text_place(p, lvalue) for p in places or ())

    def is_in_text(self, lvalue: Expression) -> bool:
        """Whether an lvalue is in blocks that are texts as a whole."""
        places = self.blocks.address_places(lvalue) if self.blocks.known else None
        return bool(places) and all(kind in self.kinds for kind, _ in places or ())

    @cached_property
    def moved(self) -> MovedPointers:
        """Where pointers may be that were moved."""
        return MovedPointers(self.program, self.cfa, self.blocks, self._is_exact)

    def is_followed(self, moved: PointerOffset) -> bool:
        """Whether a pointer that is moved has its offset in the result, too: it is moved from one member to another."""
        return self._is_exact(moved) and not self.moved.may_be(moved.pointer)

    def _is_exact(self, moved: PointerOffset) -> bool:
        """Whether a pointer is moved by a constant from places that are no texts, or out of an array of bytes."""
        shift, places = constant_of(moved.index), self.blocks.places(moved.pointer)
        if shift is None or places is None:
            return False
        return all(not self._is_text_place(p) or self._leaves_array(p, shift * moved.scale) for p in places)

    def _leaves_array(self, place: tuple[object, int], shift: int) -> bool:
        """Whether a pointer to the start of an array of bytes in a struct is moved behind or before it."""
        lengths = [length for at, length in self.blocks.byte_arrays.get(place[0], ()) if at == place[1]]
        return place[0] not in self.kinds and not any(stays_in(length, shift) for length in lengths)

    def may_be_inside(self, pointer: Expression) -> bool:
        """Whether a pointer was moved in an array of bytes of a struct, or out of it: its offset is not known."""
        places = self.blocks.places(pointer) if self.blocks.known else None
        return any(place in self.arrays for place in places or ()) and self.moved.may_be(pointer)

    def arrays_of(self, pointer: Expression) -> list[ByteArray]:
        """The arrays of bytes in structs that a pointer may point to: what is behind them is something else."""
        places = self.blocks.places(pointer) if self.blocks.known else None
        return [
            ByteArray(kind, at, size)
            for kind, offset in sorted(places or (), key=str)
            for at, size in self.blocks.byte_arrays.get(kind, ())
            if at == offset and kind not in self.kinds
        ]

    def is_shared(self, array: ByteArray) -> bool:
        """Whether something else is at the bytes of an array where the struct is seen as another type."""
        arrays = {(array.kind, at, size) for at, size in self.blocks.byte_arrays.get(array.kind, ())}
        others = self._others | (arrays - {(array.kind, array.offset, array.size)})
        end = array.offset + array.size
        return any(k == array.kind and at < end and array.offset < at + size for k, at, size in others)

    @cached_property
    def _others(self) -> set[tuple[object, int, int]]:
        """Where pointers are in structs, and what is read or written there otherwise than as bytes of an array."""
        width = self.program.pointer_size
        others: set[tuple[object, int, int]] = {(kind, at, width) for kind, at in self.blocks.memory.cell_of}
        nodes = {n for edge in self.cfa.edges for x in expressions(edge.label) for n in walk(x)}
        moved = self.blocks.moved_kinds
        for node in (n for n in nodes if isinstance(n, Deref | Field | Index) and not is_byte(n)):
            seen: Expression = node
            while isinstance(seen, Index):
                seen = seen.base
            for kind, at in self.blocks.address_places(seen) or ():
                if moved is None or kind in moved:
                    others.add((kind, 0, self.blocks.bytes_of(kind) or 0))
                others |= {(kind, at + offset, size) for offset, size in scalars(seen.type, self.program)}
        return others

    def is_partly_text(self, pointer: Expression) -> bool:
        """Whether a pointer may point to a text."""
        places = self.blocks.places(pointer) if self.blocks.known else None
        return any(kind in self.kinds for kind, _ in places or ())

    def _is_text_place(self, place: tuple[object, int], lvalue: Expression | None = None) -> bool:
        if place[0] in self.kinds:
            return True
        return place in self.arrays and (lvalue is None or is_byte(lvalue))

    def is_address(self, pointer: Expression) -> bool:
        """Whether a pointer has the address of a run: it was not moved, and no object stands for several."""
        kinds = self.blocks.of_value(pointer)
        several = self.arguments | {self.blocks.of_object(v) for v in (LITERAL, ARGUMENT)}
        return kinds is not None and kinds.isdisjoint(several) and not self.moved.may_be(pointer)

    def is_argument(self, pointer: Expression) -> bool:
        """Whether a pointer points into `argv`."""
        kinds = self.blocks.of_value(pointer) if self.arguments else None
        return bool(kinds) and kinds is not None and kinds <= self.arguments

    def may_be_literal(self, pointer: Expression) -> bool:
        kinds = self.blocks.of_value(pointer)
        return kinds is None or self.blocks.of_object(LITERAL) in kinds


def _named_variables(expression: Expression) -> Iterator[Variable]:
    """The variables whose whole value an expression is or reads, and not only an element or their address."""
    waiting = [expression]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Variable):
            yield node
        elif isinstance(node, AddressOf | Field | Index) and isinstance(_inner(node), Variable):
            waiting += [node.index] if isinstance(node, Index) else []
        else:
            waiting += children(node)


def _inner(node: AddressOf | Field | Index) -> Expression:
    return node.target if isinstance(node, AddressOf) else node.base


def _is_walk(moved: PointerOffset) -> bool:
    """Whether a pointer is moved by a variable, or along numbers."""
    return constant_of(moved.index) is None or isinstance(moved.pointer, Variable)


def _is_arguments(variable: Variable) -> bool:
    return variable.name == ARGUMENTS


def is_in_literal(lvalue: Expression) -> bool:
    root = root_variable(lvalue)
    return root is not None and is_literal(root)


TEXT = "text"
"""The name of the type of blocks that are texts."""


@dataclass(frozen=True)
class TextPlaces:
    """Where the pointers of a program that was rewritten do not follow those of its runs."""

    size: int
    """The size of the objects that stand for texts."""
    arrays: frozenset[tuple[int, int, int]]
    """The size of a struct, and the offset and the size of an array of bytes in it."""

    @staticmethod
    def of(program: CProgram) -> TextPlaces | None:
        """The places of a program; None if nothing was rewritten in it."""
        record = program.records.get(TEXT)
        if record is None:
            return None
        arrays = [
            (layout.type.size, offset, size)
            for layout in program.records.values()
            for offset, size in byte_arrays(layout.type, program)
        ]
        return TextPlaces(record.type.size, frozenset(arrays))

    def is_array(self, variable: Variable) -> bool:
        return isinstance(variable.type, ArrayType) and isinstance(variable.type.element, IntegerType | FloatType)

    def is_inside(self, size: int, offset: int) -> bool:
        """Whether an offset is in an array of bytes, or behind its last one."""
        return any(s == size and start <= offset <= start + length for s, start, length in self.arrays)
