"""The arrays of pointers whose blocks can be followed one at a time, and the variables that point to these blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace

from kleene.cfa.expressions import (
    AddressOf,
    Deref,
    Expression,
    Field,
    Index,
    PointerOffset,
    Variable,
    children,
    walk,
)
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import (
    Allocate,
    Assign,
    Call,
    DeclareLocal,
    EndScope,
    Havoc,
    MemCopy,
    Operation,
    Realloc,
    address_taken,
    expressions,
)
from kleene.cfa.program import CProgram
from kleene.cfa.types import IntegerType, PointerType, RecordType
from kleene.passes.attempts.owned.shapes import Shape, shape_of
from kleene.passes.attempts.owned.starts import start_of_place
from kleene.passes.elements.chosen import Chosen, bare
from kleene.passes.facts.blocks_of_pointers import Blocks
from kleene.passes.promote import exposed_globals

Kind = object
"""A kind of blocks (`passes/facts/blocks_of_pointers.py`)."""


@dataclass(frozen=True)
class Owned:
    """One array of pointers, which may move when it grows, and what its elements point to."""

    blocks: Blocks
    arrays: frozenset[Kind]
    """The kinds of the blocks that are the array."""
    targets: frozenset[Kind]
    """The kinds of the blocks that elements point to."""
    parts: frozenset[Kind]
    """The kinds of blocks without pointers that members of such blocks point to."""
    holders: frozenset[Variable]
    """The variables that may point to such a block, or to a part of one."""
    lengths: frozenset[Variable]
    """The indices behind which no element is used (decision 116)."""
    shape: Shape
    """What an element consists of."""
    _known: dict[Expression, frozenset[Kind]] = field(default_factory=dict, init=False, compare=False, repr=False)
    """The kinds of blocks of the pointers that were asked about."""
    _elements: dict[Expression, bool] = field(default_factory=dict, init=False, compare=False, repr=False)
    """Whether the lvalues that were asked about are pointers in an element."""

    @property
    def scale(self) -> int:
        """Bytes of an element."""
        return self.shape.size

    @property
    def members(self) -> tuple[int, ...]:
        """The offsets of the pointers in an element."""
        return self.shape.pointers

    def is_array(self, pointer: Expression) -> bool:
        """Whether a pointer points into the array, or is NULL."""
        return isinstance(pointer.type, PointerType) and bool(self._kinds(pointer) & self.arrays)

    def whole(self, lvalue: Expression) -> Deref | None:
        """The element of which an lvalue is a part, or which it is."""
        start = self.shape.root(lvalue)
        return start if start is not None and self.is_array(start.pointer) else None

    def is_element(self, lvalue: Expression) -> bool:
        """Whether an lvalue is a pointer in an element."""
        known = self._elements.get(lvalue)
        if known is None:
            known = self.shape.member(lvalue) is not None and self.whole(lvalue) is not None
            self._elements[lvalue] = known
        return known

    def element(self, lvalue: Expression) -> tuple[Deref, int]:
        """The element that an lvalue is a pointer in, and which of its pointers it is."""
        whole, member = self.whole(lvalue), self.shape.member(lvalue)
        assert whole is not None and member is not None
        return whole, member

    def is_number(self, lvalue: Expression) -> bool:
        """Whether an lvalue is a number in an element."""
        return self.shape.is_number(lvalue) and self.whole(lvalue) is not None

    def is_inside(self, lvalue: Expression) -> bool:
        """Whether an lvalue is a pointer or a number in an element."""
        return self.is_element(lvalue) or self.is_number(lvalue)

    def touched(self, operation: Assign | Havoc) -> Deref | None:
        """The element in which a number is written, or read into a variable."""
        value = bare(operation.value) if isinstance(operation, Assign) else operation.target
        for lvalue in (operation.target, value):
            if self.is_number(lvalue):
                return self.whole(lvalue)
        return None

    def is_target(self, pointer: Expression) -> bool:
        """Whether a pointer may point to a block that an element may have."""
        return isinstance(pointer.type, PointerType) and bool(self._kinds(pointer) & self.targets)

    def is_part(self, pointer: Expression) -> bool:
        """Whether a pointer that is not NULL points to a part of a block."""
        kinds = self._kinds(pointer) if isinstance(pointer.type, PointerType) else frozenset()
        return bool(kinds) and kinds <= self.parts

    def is_part_member(self, lvalue: Expression) -> bool:
        """Whether an lvalue is a member of a block that points to a part of it."""
        start = start_of_place(lvalue) if isinstance(lvalue, Deref | Field | Index) else None
        return start is not None and self.is_target(start) and self.is_part(lvalue)

    def copied_structs(self, operation: Operation) -> tuple[Expression, ...]:
        """The pointers and variables of an operation that copies a struct to or from an element; nothing of others."""
        if not isinstance(operation, Assign) or operation.target.type != self.shape.element or not self.shape.is_struct:
            return ()
        sides = (operation.target, operation.value)
        if not any(isinstance(s, Deref) and self.is_array(s.pointer) for s in sides):
            return ()
        return tuple(s.pointer if isinstance(s, Deref) else s for s in sides)

    def makes_array(self, operation: Operation) -> bool:
        return isinstance(operation, Allocate | Realloc) and self.blocks.of_allocation(operation) in self.arrays

    def makes_target(self, operation: Operation) -> bool:
        return isinstance(operation, Allocate | Realloc) and self.blocks.of_allocation(operation) in self.targets

    def _kinds(self, pointer: Expression) -> frozenset[Kind]:
        known = self._known.get(pointer)
        if known is None:
            known = self._known[pointer] = self.blocks.of_value(pointer) or frozenset()
        return known


def owned_arrays(program: CProgram, cfa: Cfa[Operation]) -> Iterator[Owned]:
    """The arrays whose blocks can be followed."""
    blocks = Blocks(program, cfa)
    if not blocks.known:
        return
    every = [Chosen(program, cfa, blocks, on_stack=on_stack) for on_stack in (False, True)]
    shapes = {k: shape_of(s.element, program) for chosen in every for k, s in chosen.slots.items()}
    for kinds, shape in _with_common_targets(blocks, shapes):
        targets = _targets(blocks, kinds, shape)
        if not targets or targets & kinds:
            continue
        operations = [o for o in blocks.operations if not isinstance(o, DeclareLocal | EndScope)]
        nodes = {n for o in operations for x in expressions(o) for n in walk(x)}
        found = {n for n in nodes if isinstance(n, Variable) and isinstance(n.type, PointerType)}
        parts = _parts(blocks, targets, nodes) - kinds - targets
        holders = frozenset(v for v in found if (blocks.of_value(v) or frozenset()) & (targets | parts))
        own = Owned(blocks, kinds, targets, parts, holders, frozenset(), shape)
        own = replace(own, lengths=_lengths(own, next(c for c in every if c.slots).step), holders=_holders(own))
        taken = address_taken(blocks.operations) | exposed_globals(program)
        if not own.holders & taken and all(_is_followed(o, own) for o in operations):
            yield own


def _with_common_targets(
    blocks: Blocks, shapes: Mapping[Kind, Shape | None]
) -> Iterator[tuple[frozenset[Kind], Shape]]:
    """The kinds of arrays in classes: pointers lead to all kinds of a class, or blocks may go from one to another."""
    found: list[tuple[frozenset[Kind], Shape]] = []
    for kinds in _groups(blocks, frozenset(k for k, shape in shapes.items() if shape is not None)):
        shape = next((shapes[k] for k in kinds), None)
        if shape is None or any(shapes[k] != shape for k in kinds):
            continue
        targets = _targets(blocks, kinds, shape)
        met = [own for own in found if own[1] == shape and _targets(blocks, own[0], shape) & targets]
        found = [own for own in found if own not in met]
        found.append((kinds.union(*(own for own, _ in met)), shape))
    yield from found


def _groups(blocks: Blocks, kinds: frozenset[Kind]) -> list[frozenset[Kind]]:
    """The kinds of arrays in classes: some pointer may point to all kinds of a class."""
    groups = [frozenset((k,)) for k in sorted(kinds, key=str)]
    pointers = {n for o in blocks.operations for x in expressions(o) for n in walk(x)}
    for pointer in pointers:
        own = (blocks.of_value(pointer) or frozenset()) if isinstance(pointer.type, PointerType) else frozenset()
        if not own & kinds:
            continue
        met = [g for g in groups if g & own]
        groups = [g for g in groups if not g & own]
        if own <= kinds:
            groups.append(frozenset().union(*met))
    return groups


def _targets(blocks: Blocks, arrays: frozenset[Kind], shape: Shape) -> frozenset[Kind]:
    """The kinds of blocks that are made and whose address is stored in an element."""
    made = {blocks.of_allocation(o) for o in blocks.operations if isinstance(o, Allocate | Realloc)}
    found: set[Kind] = set()
    for operation in blocks.operations:
        for node in (n for x in expressions(operation) for n in walk(x)):
            whole = shape.root(node) if shape.member(node) is not None else None
            if whole is not None and (blocks.of_value(whole.pointer) or frozenset()) & arrays:
                found |= blocks.of_value(node) or frozenset()
    return frozenset(found & made)


def _parts(blocks: Blocks, targets: frozenset[Kind], nodes: Set[Expression]) -> frozenset[Kind]:
    """The kinds of blocks that are made, have no pointers in them, and to which members of `targets` point."""
    made = {blocks.of_allocation(o) for o in blocks.operations if isinstance(o, Allocate | Realloc)}
    with_pointers = {kind for kind, _ in blocks.memory.cell_of}
    found: set[Kind] = set()
    for node in nodes:
        start = start_of_place(node) if isinstance(node, Deref | Field | Index) else None
        if start is not None and isinstance(node.type, PointerType) and (blocks.of_value(start) or set()) & targets:
            found |= blocks.of_value(node) or set()
    return frozenset(found & made - with_pointers)


def _holders(own: Owned) -> frozenset[Variable]:
    """The variables that may point to a block, and those that are stored in elements or get one.

    What the latter are is known, too, where they are NULL or the address of a variable: ``a[n].kind = "word"``.
    """
    found: set[Expression] = {*own.holders}
    copies = [(o.target, bare(o.value)) for o in own.blocks.operations if isinstance(o, Assign)]
    found |= {value for target, value in copies if own.is_element(target)}
    found |= {target for target, value in copies if own.is_element(value)}
    while more := {value for target, value in copies if target in found and isinstance(value, Variable)} - found:
        found |= more
    return frozenset(v for v in found if isinstance(v, Variable) and isinstance(v.type, PointerType))


def _lengths(own: Owned, step: Callable[[Expression], tuple[Variable | None, int]]) -> frozenset[Variable]:
    """The numbers that grow and shrink by one, and at which elements are stored: by way of copies, too."""
    origins: dict[Variable, set[tuple[Variable, int]]] = {}
    stored: set[Variable | None] = set()
    for operation in own.blocks.operations:
        target = getattr(operation, "target", None)
        if target is not None and own.is_element(target):
            at = bare(own.element(target)[0].pointer)
            stored |= {step(at.index)[0]} if isinstance(at, PointerOffset) else set()
        elif isinstance(target, Variable) and isinstance(target.type, IntegerType) and isinstance(operation, Assign):
            origin, shift = step(operation.value)
            if origin is not None:
                origins.setdefault(target, set()).add((origin, shift))
    while more := {o for v in stored if v is not None for o, shift in origins.get(v, ()) if not shift} - stored:
        stored |= more
    lengths = set()
    for variable in filter(None, stored):
        first = origins.get(variable, set())
        second = {(o, s + shift) for v, s in first for o, shift in origins.get(v, ())}
        if {1, -1} <= {shift for origin, shift in first | second if origin == variable}:
            lengths.add(variable)
    runs = {v for v in lengths for o, _ in origins[v] if o != v and o in lengths}  # ``i = n``: it runs up to a length
    return frozenset(lengths - runs)


def _has_known_elements(expression: Expression, own: Owned) -> bool:
    """Whether elements are only used as pointers and numbers, and by their addresses."""
    whole = own.whole(expression) if isinstance(expression, Deref | Field | Index) else None
    if whole is not None:
        return own.is_inside(expression) and _has_known_elements(whole.pointer, own)
    if isinstance(expression, AddressOf) and (whole := own.whole(expression.target)) is not None:
        return expression.target == whole and _has_known_elements(whole.pointer, own)
    return all(_has_known_elements(part, own) for part in children(expression))


def _is_followed(operation: Operation, own: Owned) -> bool:
    """Whether an operation does nothing with arrays and their blocks that `steps` has no word for."""
    if not all(_has_known_elements(x, own) for x in own.copied_structs(operation) or expressions(operation)):
        return False
    nodes = [n for x in expressions(operation) for n in walk(x)]
    for node in nodes:
        if isinstance(node, Deref | Field | Index) and own.is_target(node) and not own.is_element(node):
            return False
        if isinstance(node, PointerOffset) and own.is_array(node.pointer) and node.scale != own.scale:
            return False
    if isinstance(operation, MemCopy):
        return not any(own.is_array(p) for p in (operation.destination, operation.source))
    if isinstance(operation, Realloc):
        return not own.makes_target(operation) and not own.is_target(operation.pointer)
    if isinstance(operation, Call):
        return False
    target = getattr(operation, "target", None)
    if isinstance(operation, Allocate | Assign | Havoc) and target is not None and not isinstance(target, Variable):
        if isinstance(target.type, RecordType):
            return True
        gets = own.makes_target(operation) or (isinstance(operation, Assign) and own.is_target(operation.value))
        return not gets or own.is_element(target)
    if isinstance(operation, Havoc):
        return target not in own.holders
    return True
