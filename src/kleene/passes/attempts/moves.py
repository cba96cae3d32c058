"""Pointers are moved, not copied, by the last read of a cell: the cell is as if it had not been initialized afterwards.

Rotations, splaying and removal take a pointer out of a cell and put it into another one; the first cell is overwritten
later, or its object is freed. Until then two cells lead to one node, so a tree is none for a while, and what follows
from its being one is lost. Dead variables are forgotten; this forgets dead cells. (Uniqueness by moves: Boyland. Alias
burying. Software: Practice and Experience 31, 2001: a field that was read is dead until it is written again.)

A cell that points back is not moved. It dies where it is written, if what is written there is never read: halves of a
doubly linked list are apart for what sorts them, though the second one leads back into the first one.

Which reads are the last ones, and which stores are for nothing, is a guess of the caller. It need not be right: a
program that uses what such a cell contains has an alarm, and comparisons with it have both outcomes. So nothing wrong
is proved.
"""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass, replace
from itertools import count

from kleene.cfa.expressions import (
    Cast,
    Constant,
    Deref,
    Expression,
    Field,
    Index,
    Variable,
    has_dereference,
    without_casts,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, DeclareLocal, Operation, Unsupported
from kleene.cfa.types import ArrayType, PointerType
from kleene.passes.attempts.unread import is_understood
from kleene.passes.facts.memory import Memory, Place, Unmodelled
from kleene.passes.rewrite import Choice, expand_edges

Read = tuple[str, int]
"""The location of the program that reads a pointer from memory, and the offset of the cell in its object."""
_CELLS = Field | Index | Deref


@dataclass(frozen=True)
class Store:
    """A location of the program that stores a pointer in a cell with this offset."""

    location: str
    offset: int


_MOVED = "$moved"
"""Variables without a value, which are stored in cells that were read for the last time, have names with this."""
_OWN_LOCATION = re.compile(r"(?:.*[.:])?([^.:]+\.\w+)['~% ]?")
"""A location of a copy ends with that of the program, and with what later passes put between this and the next."""


def with_moves(memory: Memory, deaths: Set[Read | Store], back: Set[str]) -> Cfa[Operation]:
    """The automaton in which cells die behind the assignments with these reads, and at these stores.

    Cells that point `back` die at stores only, and other cells behind reads only. It is the same one if an operation
    may read memory otherwise than by its expressions, and is supported.
    """
    numbers = count()
    if not all(is_understood(edge.label) or isinstance(edge.label, Unsupported) for edge in memory.cfa.edges):
        return memory.cfa

    def expand(edge: Edge[Operation]) -> list[Choice] | None:
        label = edge.label
        if not isinstance(label, Assign):
            return None
        location, target, cell = _source_location(edge.source), label.target, without_casts(label.value)
        if isinstance(target, _CELLS) and Store(location, offset_in_object(target)) in deaths:
            if not (cells := _cells(memory, target)) or not cells <= back:
                return None
            held, dies = _death(label, target, next(numbers))
            return [Choice(None, (*([replace(label, target=held)] if has_dereference(label.value) else []), *dies))]
        if not isinstance(cell, _CELLS) or (location, offset_in_object(cell)) not in deaths:
            return None
        if not (cells := _cells(memory, cell)) or cells & back:
            return None
        held, dies = _death(label, cell, next(numbers))
        value = held if held.type == label.value.type else Cast(held, label.value.type)
        return [Choice(None, (Assign(label.place, held, cell), *dies, replace(label, value=value)))]

    cfa = expand_edges(memory.cfa, expand, "%")
    return cfa if next(numbers) else memory.cfa


def moved_places(memory: Memory) -> frozenset[Place]:
    """The places of the cells that die in an automaton with moves."""
    labels = [edge.label for edge in memory.cfa.edges if isinstance(edge.label, Assign)]
    dying = [label.target for label in labels if isinstance(label.value, Variable) and _MOVED in label.value.name]
    return frozenset(place for cell in dying for place in memory.address_places(cell))


def offset_in_object(lvalue: Expression) -> int:
    """The offset of a cell in its object; of elements of arrays in the object, those with a constant index have one."""
    offset = 0
    while isinstance(lvalue, Field | Index):
        if isinstance(lvalue, Field):
            offset += lvalue.offset
        elif isinstance(lvalue.index, Constant) and isinstance(lvalue.base.type, ArrayType):
            offset += lvalue.index.value * lvalue.type.size
        lvalue = lvalue.base
    return offset


def _death(label: Assign, cell: Expression, number: int) -> tuple[Variable, tuple[Operation, ...]]:
    """A variable for a pointer of the type of a cell, and the operations that leave the cell without a value."""
    held, nothing = Variable(f"$held{number}", cell.type), Variable(f"{_MOVED}{number}", cell.type)
    return held, (DeclareLocal(label.place, nothing), Assign(label.place, cell, nothing))


def _cells(memory: Memory, lvalue: Expression) -> frozenset[str]:
    """The cells that an lvalue may be, if it is a pointer in memory that is followed."""
    if not isinstance(lvalue.type, PointerType):
        return frozenset()
    try:
        cells = [memory.cell_of.get(place) for place in memory.address_places(lvalue)]
    except Unmodelled:
        return frozenset()
    known = frozenset(cell for cell in cells if cell is not None)
    return known if None not in cells else frozenset()


def _source_location(name: str) -> str:
    """The location of the program of which a location is a copy, as far as names tell."""
    match = _OWN_LOCATION.match(name)
    return match[1] if match is not None else name
