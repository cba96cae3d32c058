"""Which blocks become lists of slots, and for which pairs of an array and an index the slot is remembered."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from kleene.cfa.expressions import Binary, Cast, Deref, Expression, Field, PointerOffset, Variable, walk
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Allocate, Assign, Enter, MemCopy, Operation, Realloc, address_taken, expressions
from kleene.cfa.program import CProgram
from kleene.cfa.types import IntegerType, PointerType, Type
from kleene.passes.elements.slots import Slot, leads_to_array, slot_of
from kleene.passes.facts.blocks_of_pointers import Blocks, factors
from kleene.passes.facts.memory import constant_of
from kleene.passes.indices import has_pointers
from kleene.passes.promote import exposed_globals

MOST_PAIRS = 24
"""With more pairs of an array and an index, the slots of indices are not remembered: there would be too many states."""

Pair = tuple[Expression, Variable]
"""An array (a pointer variable, or a member that one leads to) and the variable that is its index."""


@dataclass
class Chosen:
    """The kinds of blocks that become lists, with their slots, and the pairs."""

    program: CProgram
    cfa: Cfa[Operation]
    blocks: Blocks
    on_stack: bool = False
    """Whether the blocks of the stack become lists, not those of the heap."""
    compared: frozenset[Variable] = frozenset()
    """Variables that stand for numbers next to an index, with which indices are compared."""
    slots: dict[object, Slot] = field(default_factory=dict)
    pairs: set[Pair] = field(default_factory=set)

    def __post_init__(self) -> None:
        if not self.blocks.known:
            return
        self._choose_kinds()
        if self.slots:
            self.taken = address_taken([e.label for e in self.cfa.edges]) | exposed_globals(self.program)
            self._choose_pairs()

    def kinds(self, pointer: Expression) -> frozenset[object]:
        return self.blocks.of_value(pointer) or frozenset()

    def slot(self, pointer: Expression) -> Slot | None:
        """The slots that a pointer may point to, if it may point to some."""
        slots = {self.slots[k] for k in self.kinds(pointer) if k in self.slots}
        return slots.pop() if len(slots) == 1 else None

    def only_slots(self, pointer: Expression) -> bool:
        kinds = self.kinds(pointer)
        return bool(kinds) and all(k in self.slots for k in kinds)

    def only_start(self, pointer: Expression) -> Variable | None:
        """The first element of the array into which a pointer points, if there is no other array of its kind.

        So it is with an array that is a variable and is made once: where no way leads back to.
        """
        kinds = self.kinds(pointer)
        if len(kinds) != 1 or not self.only_slots(pointer) or self._has_calls:
            return None
        made = [(e, e.label) for e in self.cfa.edges if isinstance(e.label, Allocate | Realloc)]
        own = [(edge, label.target) for edge, label in made if self.blocks.of_allocation(label) in kinds]
        if len(own) != 1:
            return None
        edge, target = own[0]
        if not isinstance(target, Variable) or not leads_to_array(target.type) or target in self.taken:
            return None
        return None if edge.source in Cfa(edge.target, self.cfa.edges).reachable else target

    # Kinds ----------------------------------------------------------------------------------------------------

    def _choose_kinds(self) -> None:
        elements: dict[object, Type] = {}
        for edge in self.cfa.edges:
            label = edge.label
            if isinstance(label, Allocate | Realloc) and constant_of(label.size) is None:
                type_ = label.target.type.target if isinstance(label.target.type, PointerType) else None
                stack = isinstance(label, Allocate) and label.stack
                if stack != self.on_stack or (isinstance(label, Allocate) and label.element is None):
                    continue
                type_ = label.element if isinstance(label, Allocate) else type_
                product = factors(label.size)
                if type_ is None or product is None or product[1] != type_.size:
                    continue  # no array: a struct with something behind it
                if has_pointers(type_, self.program):
                    elements[self.blocks.of_allocation(label)] = type_
        fitting = {k: t for k, t in elements.items() if not self._is_used_otherwise(k, t)}
        sizes = {*self.blocks.memory.sizes, *(layout.type.size for layout in self.program.records.values())}
        made: dict[Type, Slot] = {}
        for kind, type_ in fitting.items():
            if type_ not in made:
                made[type_] = slot_of(
                    type_, {*sizes, *(s.record.size for s in made.values())}, self.program.pointer_size
                )
            self.slots[kind] = made[type_]

    def _is_used_otherwise(self, kind: object, type_: Type) -> bool:
        """Whether blocks of a kind are used other than as arrays of the type: moved by another size, or copied."""
        for edge in self.cfa.edges:
            label = edge.label
            if isinstance(label, MemCopy) and kind in self.kinds(label.destination) | self.kinds(label.source):
                return True
            for node in (n for x in expressions(label) for n in walk(x)):
                if isinstance(node, PointerOffset) and node.scale != type_.size and kind in self.kinds(node.pointer):
                    return True
                if isinstance(node, Deref) and node.type.size > type_.size and kind in self.kinds(node.pointer):
                    return True
        return False

    # Pairs ----------------------------------------------------------------------------------------------------

    def _choose_pairs(self) -> None:
        pairs: set[Pair] = set()
        for edge in self.cfa.edges:
            for node in (n for x in expressions(edge.label) for n in walk(x)):
                if isinstance(node, PointerOffset) and self.only_slots(node.pointer) and self.slot(node.pointer):
                    index = self.index_variable(node.index)
                    if index is not None and self.is_path(node.pointer):
                        pairs.add((bare(node.pointer), index))
        pairs |= {pair for edge in self.cfa.edges for pair in self._compared_pairs(edge.label, pairs)}
        while True:
            copied = (pair for edge in self.cfa.edges for pair in self._copied_pairs(edge.label, pairs))
            more = {pair for pair in copied if self.slot(pair[0]) is not None} - pairs
            if not more or len(pairs) + len(more) > MOST_PAIRS:
                break
            pairs |= more
        if len(pairs) <= MOST_PAIRS:
            self.pairs = pairs

    def _compared_pairs(self, operation: Operation, pairs: set[Pair]) -> list[Pair]:
        """The pairs of numbers next to an index, with which indices are compared."""
        if not isinstance(operation, Assign) or operation.target not in self.compared:
            return []
        origin, _ = self.step(operation.value)
        assert isinstance(operation.target, Variable)
        return [(array, operation.target) for array, index in pairs if index == origin]

    def _copied_pairs(self, operation: Operation, pairs: set[Pair]) -> list[Pair]:
        """The pairs from which others get their slots."""
        if isinstance(operation, Realloc):
            target, source = operation.target, bare(operation.pointer)
        elif isinstance(operation, Assign):
            target, source = operation.target, bare(operation.value)
        else:
            return []
        if isinstance(target.type, IntegerType):
            origin, _ = self.step(source)
            return [(a, origin) for a, i in pairs if i == target and origin is not None]
        if leads_to_array(target.type):  # a new block: no index has a slot in it yet
            return []
        if isinstance(target.type, PointerType) and isinstance(source, Variable | Field) and self.is_path(source):
            both = [(source, i) for a, i in pairs if a == target]
            return both + [(target, i) for a, i in pairs if a == source and self.is_path(target)]
        return []

    @cached_property
    def lengths(self) -> frozenset[Variable]:
        """The indices that grow and shrink by one, and at which elements are stored: of stacks and vectors.

        What is behind such an index is of no use to the program, but for mistakes.
        """
        steps: dict[Variable, set[tuple[Variable, int]]] = {}
        stored: set[Variable] = set()
        for edge in self.cfa.edges:
            if not isinstance(edge.label, Assign):
                continue
            target = edge.label.target
            if isinstance(target, Variable) and isinstance(target.type, IntegerType):
                origin, shift = self.step(edge.label.value)
                if origin is not None:
                    steps.setdefault(target, set()).add((origin, shift))
            elif isinstance(target, Deref) and isinstance(moved := bare(target.pointer), PointerOffset):
                index = self.index_variable(moved.index)
                stored |= {index} if index is not None and self.slot(moved.pointer) is not None else set()
        copies = {(v, origin) for v, own in steps.items() for origin, shift in own if shift == 0}
        moved_by = {v: {s for o, s in own if o == v or (o, v) in copies} for v, own in steps.items()}
        stored |= {origin for v, origin in copies if v in stored}
        return frozenset(v for v, shifts in moved_by.items() if v in stored and {1, -1} <= shifts)

    def step(self, value: Expression) -> tuple[Variable | None, int]:
        """A number as a variable plus -1, 0 or 1."""
        inner = bare(value)
        if isinstance(inner, Variable):
            return self.index_variable(inner), 0
        if isinstance(inner, Binary) and inner.operator in ("+", "-"):
            shift = constant_of(inner.right)
            if shift in (1, -1):
                return self.index_variable(inner.left), shift if inner.operator == "+" else -shift
        return None, 0

    def index_variable(self, index: Expression) -> Variable | None:
        inner = bare(index)
        tracked = isinstance(inner, Variable) and isinstance(inner.type, IntegerType) and self._is_own(inner)
        return inner if tracked and isinstance(inner, Variable) else None

    def is_path(self, array: Expression) -> bool:
        """A pointer variable, or a member of the struct that one points to."""
        inner = bare(array)
        if isinstance(inner, Variable):
            return inner not in self.taken and isinstance(inner.type, PointerType)
        owner = owner_of(inner)
        return owner is not None and self._is_own(owner)

    def _is_own(self, variable: Variable) -> bool:
        """Whether no other function sets a variable, and no pointer leads to it."""
        return variable not in self.taken and not (variable.is_global and self._has_calls)

    def may_move(self, array: Expression) -> bool:
        """Whether a call of a function that is analysed apart may set an array."""
        is_local = isinstance(array, Variable) and not array.is_global
        return self._has_calls and not leads_to_array(array.type) and not is_local

    @cached_property
    def _has_calls(self) -> bool:
        return any(isinstance(e.label, Enter) for e in self.cfa.edges)


def owner_of(array: Expression) -> Variable | None:
    """The variable that points to the struct of which an array is a member."""
    if isinstance(array, Field) and isinstance(array.base, Deref) and isinstance(array.base.pointer, Variable):
        return array.base.pointer
    return None


def conversions(value: Expression) -> tuple[list[IntegerType], list[IntegerType]]:
    """The types to which a number like ``(int)((unsigned)i + 1)`` converts: the index first, then the sum."""
    inner = bare(value)
    if not isinstance(inner, Binary):
        return _types_above(value, inner), []
    outer = [inner.type] if isinstance(inner.type, IntegerType) else []
    return _types_above(inner.left, bare(inner.left)), [*outer, *_types_above(value, inner)]


def _types_above(value: Expression, inner: Expression) -> list[IntegerType]:
    types = []
    while value is not inner and isinstance(value, Cast):
        types += [value.type] if isinstance(value.type, IntegerType) else []
        value = value.operand
    return types


def bare(value: Expression) -> Expression:
    """The operand of conversions that keep all numbers, apart from the sign; and of those between pointers."""
    while isinstance(value, Cast):
        inner, outer = value.operand.type, value.type
        if isinstance(inner, IntegerType) and isinstance(outer, IntegerType):
            wider = outer.has(inner.maximum) and (outer.has(inner.minimum) or not inner.signed)
            if not (wider or outer.bits >= inner.bits):
                break
        elif not (isinstance(inner, PointerType) and isinstance(outer, PointerType)):
            break
        value = value.operand
    return value
