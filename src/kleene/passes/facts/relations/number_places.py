"""The places in memory whose numbers become indices, and what may be promised of them (`stored_numbers`).

A place is an integer member of the blocks of a kind, or the elements of an array. It is asked about if some index is
computed from what is read there. The blocks of a kind have places only if all accesses to them fit: two accesses are
to the same bytes as the same type, or have no byte in common, in every element of an array alike. An access to an array
in such an element is one to all elements of that array: which of them is not asked. An array that is a
member of a struct is one access to all its bytes, and its elements are no places: which of them was written last is
not known. An index outside of it is an alarm of its own, so it writes to no other member unnoticed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from kleene.cfa.expressions import (
    AddressOf,
    Binary,
    Cast,
    Comparison,
    Constant,
    Deref,
    Expression,
    Field,
    Index,
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
    Havoc,
    Invoke,
    MemCopy,
    MemSet,
    Operation,
    Realloc,
    address_taken,
    expressions,
)
from kleene.cfa.types import ArrayType, IntegerType, RecordType, Type
from kleene.passes.facts.blocks_of_pointers import Blocks
from kleene.passes.facts.memory import constant_of

MOST_BOUNDS = 6
"""Variables, and constants, that numbers in memory are compared with: each one is looked at in every store."""
LEAST_WIDTH = 2
"""Bytes of numbers that are looked at: single bytes are those of texts."""
MOST_SPANS = 256
"""Pieces of an element that one access is to: a member of the structs of an array in it has one in each of them."""
Span = tuple[int, int, tuple[int, Type]]
"""The first byte of an access, the one behind it, and what is accessed: where its place begins, and its type."""


@dataclass(frozen=True)
class NumberPlace:
    """The number of a type at an offset of all blocks of a kind, or of all their elements."""

    kind: object
    offset: int
    type: IntegerType


@dataclass(frozen=True)
class NumberPlaces:
    """The places of an automaton, and the bounds that their numbers may have."""

    of_kind: dict[object, tuple[NumberPlace, ...]] = field(default_factory=dict)
    strides: dict[object, int] = field(default_factory=dict)
    """The bytes of an element in blocks that are arrays."""
    bounds: tuple[Variable | int, ...] = ()
    """Constants, and variables that have one value as long as there are places."""


def number_places(cfa: Cfa[Operation], blocks: Blocks) -> NumberPlaces:
    """The places of an automaton; none where blocks are not told apart."""
    search = PlaceSearch(cfa, blocks)
    if not blocks.known or not search.indices:
        return NumberPlaces()
    asked = search.asked()
    strides = search.strides({place.kind for place in asked})
    chosen = [place for place in asked if place.kind in strides and not search.is_in_member(place)]
    if not chosen:
        return NumberPlaces()
    of_kind = {kind: tuple(p for p in chosen if p.kind == kind) for kind in {p.kind for p in chosen}}
    arrays = {kind: stride for kind, stride in strides.items() if stride}
    return NumberPlaces(of_kind, arrays, (*search.constants(), *search.anchors(of_kind.keys())))


def _leaves(value: Expression) -> Iterator[Expression]:
    """The variables and lvalues of which a number is computed."""
    match value:
        case Variable() | Field() | Deref() | Index():
            yield value
        case Cast(operand=operand) | Unary(operand=operand):
            yield from _leaves(operand)
        case Binary(left=left, right=right):
            yield from _leaves(left)
            yield from _leaves(right)


def plain(target: Expression) -> Expression:
    """The variable behind ``*&variable``."""
    if isinstance(target, Deref) and isinstance(target.pointer, AddressOf):
        return target.pointer.target
    return target


def _stores(operation: Operation) -> list[tuple[Expression, Expression | None]]:
    """The lvalues that an operation writes, and what they get if it is an expression."""
    match operation:
        case Assign(target=target, value=value):
            return [(target, value)]
        case Invoke(target=target, returned=returned):
            given: list[tuple[Expression, Expression | None]] = list(
                zip(operation.parameters, operation.arguments, strict=True)
            )
            return [*given, (target, returned)] if target is not None else given
        case Allocate(target=target) | Realloc(target=target) | Havoc(target=target):
            return [(target, None)]
        case Call(result=result) if result is not None:
            return [(result, None)]
    return []


class PlaceSearch:
    """The numbers in memory of one automaton, and how they are accessed."""

    def __init__(self, cfa: Cfa[Operation], blocks: Blocks) -> None:
        self.cfa, self.blocks = cfa, blocks
        self.operations = blocks.operations
        self.nodes = dict.fromkeys(n for o in self.operations for x in expressions(o) for n in walk(x))
        moves = [n for n in self.nodes if isinstance(n, PointerOffset | Index)]
        self.indices = [n.index for n in moves if constant_of(n.index) is None]
        self.exposed = address_taken(self.operations)
        self.member_arrays: dict[object, set[tuple[int, int]]] = {}
        """The first byte of each array in a struct of a kind, and the one behind it, after `strides`."""

    def is_in_member(self, place: NumberPlace) -> bool:
        """Whether a place is an element of an array in a struct."""
        members = self.member_arrays.get(place.kind, ())
        return any(start < place.offset + place.type.size and place.offset < end for start, end in members)

    def places(self, lvalue: Expression) -> set[NumberPlace] | None:
        """The places of a number in memory; None if they are not known."""
        spots = self.blocks.address_places(lvalue)
        if spots is None or not isinstance(lvalue.type, IntegerType):
            return None
        return {NumberPlace(kind, offset, lvalue.type) for kind, offset in spots}

    def asked(self) -> list[NumberPlace]:
        """The places whose numbers become indices, in a fixed order."""
        waiting = [leaf for index in self.indices for leaf in _leaves(index)]
        seen: set[Expression | NumberPlace] = set()
        while waiting:
            leaf = plain(waiting.pop())
            if leaf in seen:
                continue
            seen.add(leaf)
            own = set[NumberPlace]() if isinstance(leaf, Variable) else self.places(leaf) or set()
            seen |= {place for place in own if place.type.size >= LEAST_WIDTH}
            for target, value in (pair for o in self.operations for pair in _stores(o)):
                is_same = plain(target) == leaf or (own and own & (self.places(target) or set()))
                if value is not None and is_same:
                    waiting += _leaves(value)
        places = [place for place in seen if isinstance(place, NumberPlace)]
        return sorted(places, key=lambda p: (str(p.kind), p.offset, str(p.type)))

    def strides(self, kinds: set[object]) -> dict[object, int]:
        """The kinds among these whose accesses fit, with the bytes of an element; 0 for blocks that are no arrays."""
        spans: dict[object, set[Span]] = {kind: set() for kind in kinds}
        steps: dict[object, set[int]] = {kind: set() for kind in kinds}
        for node in self.nodes:
            if isinstance(node, PointerOffset) and constant_of(node.index) != 0:
                spots = self.blocks.places(node.pointer)
                if spots is None:
                    return {}
                for kind, offset in spots:
                    steps.setdefault(kind, set()).add(0 if offset else node.scale)
            is_object = isinstance(node, Variable) and (node.is_global or node in self.exposed)
            is_lvalue = is_object or isinstance(node, Field | Deref | Index)
            if not is_lvalue or isinstance(node.type, ArrayType | RecordType):
                continue
            spots = self.blocks.address_places(node)
            if spots is None:
                return {}
            arrays = _arrays_of(node)
            array, inner = next(iter(arrays), None), arrays[1:]
            starts = self.blocks.address_places(array) or () if array is not None else ()
            for kind, offset in spots:
                within = [start for other, start in starts if other == kind]
                if array is None or not isinstance(array.type, ArrayType):
                    spans.setdefault(kind, set()).add((offset, offset + node.type.size, (offset, node.type)))
                elif array.type.size == _bytes_of(kind):
                    steps.setdefault(kind, set()).add(array.type.element.size)
                    spans.setdefault(kind, set()).update(_spans_in_element(offset, node.type, inner))
                elif array.type.size and within:
                    for start in within:
                        spans.setdefault(kind, set()).add((start, start + array.type.size, (start, array.type)))
                        self.member_arrays.setdefault(kind, set()).add((start, start + array.type.size))
                else:
                    steps.setdefault(kind, set()).add(0)
        return {kind: max(steps[kind], default=0) for kind in kinds if _fit(spans[kind], steps[kind])}

    def constants(self) -> list[int]:
        """The lengths of arrays and the constants of comparisons."""
        lengths = {n.type.count for n in self.nodes if isinstance(n.type, ArrayType)}
        compared = {
            side.value + more
            for o in self.operations
            if isinstance(o, Assume)
            for n in walk(o.condition)
            if isinstance(n, Comparison)
            for side in (n.left, n.right)
            if isinstance(side, Constant)
            for more in (0, 1)
        }
        wanted = sorted(n for n in lengths if n > 0) + sorted(n for n in compared - lengths if n > 1)
        return wanted[:MOST_BOUNDS]

    def anchors(self, kinds: Iterable[object]) -> list[Variable]:
        """The variables that may be bounds: none gets a value once a place may have one."""
        kinds = set(kinds)
        filled = [edge for edge in self.cfa.edges if self._fills(edge.label, kinds)]
        begun = {edge.target for edge in filled}
        if any(edge.source not in self.cfa.reachable for edge in filled):
            begun |= {edge.target for edge in self.cfa.edges if isinstance(edge.label, Invoke)}
        later = self.cfa.reachable_from(begun)
        candidates = dict.fromkeys(
            leaf
            for operation in self.operations
            for side in _compared(operation)
            for leaf in map(plain, _leaves(side))
            if isinstance(leaf, Variable) and isinstance(leaf.type, IntegerType)
        )
        fixed = [
            variable
            for variable in candidates
            if not any(
                (edge.source in later or edge.source not in self.cfa.reachable)
                and self._may_write(edge.label, variable, exposed=variable in self.exposed or variable.is_global)
                for edge in self.cfa.edges
            )
        ]
        return sorted(fixed, key=lambda v: v.name)[:MOST_BOUNDS]

    def _fills(self, operation: Operation, kinds: set[object]) -> bool:
        """Whether values may come to be in blocks of some kinds."""
        match operation:
            case Allocate() | Realloc():
                return self.blocks.of_allocation(operation) in kinds
            case MemSet(pointer=pointer) | MemCopy(destination=pointer):
                spots = self.blocks.places(pointer)
                return spots is None or any(kind in kinds for kind, _ in spots)
        return any(self._is_in(target, kinds) for target, _ in _stores(operation) if not isinstance(target, Variable))

    def _is_in(self, lvalue: Expression, kinds: set[object]) -> bool:
        spots = self.blocks.address_places(lvalue)
        return spots is None or any(kind in kinds for kind, _ in spots)

    def _may_write(self, operation: Operation, variable: Variable, *, exposed: bool) -> bool:
        own = {self.blocks.of_object(variable)}
        if isinstance(operation, DeclareLocal) and operation.variable == variable:
            return True
        for target, _ in _stores(operation):
            exact = plain(target)
            if exact == variable or (exposed and not isinstance(exact, Variable) and self._is_in(exact, own)):
                return True
        return exposed and isinstance(operation, MemSet | MemCopy) and self._fills(operation, own)


def _compared(operation: Operation) -> list[Expression]:
    """The numbers of comparisons and of sizes in an operation."""
    match operation:
        case Assume(condition=condition):
            nodes = [n for n in walk(condition) if isinstance(n, Comparison)]
            return [side for n in nodes for side in (n.left, n.right)]
        case Allocate(size=size) | Realloc(size=size):
            return [size]
    return []


def _arrays_of(lvalue: Expression) -> list[Expression]:
    """The arrays in which an lvalue lies, from the outermost one on: each is in an element of the one before."""
    arrays: list[Expression] = []
    while isinstance(lvalue, Field | Index):
        lvalue = lvalue.base
        if isinstance(lvalue.type, ArrayType):
            arrays.insert(0, lvalue)
    return arrays


def _spans_in_element(offset: int, type_: Type, arrays: list[Expression]) -> Iterator[Span]:
    """The bytes that an access may be to in an element of an array: those of all elements of the arrays in it."""
    starts, size = [offset], type_.size
    for array in reversed(arrays):
        assert isinstance(array.type, ArrayType)
        count, each = array.type.count, array.type.element.size
        if not count or (count * len(starts) > MOST_SPANS and each != size):
            yield from ((offset, offset + 1, (n, type_)) for n in range(2))  # does not fit
            return
        if each == size:
            size *= count
        else:
            starts = [start + n * each for start in starts for n in range(count)]
    yield from ((start, start + size, (offset, type_)) for start in starts)


def _bytes_of(kind: object) -> int:
    return int(kind) if isinstance(kind, int) else 0


def _fit(spans: set[Span], steps: set[int]) -> bool:
    """Whether accesses are to the same bytes as the same type, or to different ones, in each element."""
    ordered = sorted(spans, key=lambda span: (span[0], span[1], str(span[2])))
    if any(one[1] > two[0] for one, two in pairwise(ordered)):
        return False
    return not steps or (len(steps) == 1 and 0 not in steps and ordered[-1][1] <= max(steps))
