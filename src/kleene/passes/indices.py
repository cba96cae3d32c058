"""Array elements with a variable index: a choice between the elements of a small array.

Before an access, the index is compared with the bounds of the array, unless its interval is inside them. In large
arrays the index stays variable: such an access concerns the whole array, whose content is unknown afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from kleene.cfa.expressions import (
    AddressOf,
    Comparison,
    Constant,
    Deref,
    Expression,
    Field,
    Index,
    PointerOffset,
    children,
    has_dereference,
    walk,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    Allocate,
    Assume,
    Error,
    MemCopy,
    MemSet,
    Operation,
    Place,
    Print,
    Realloc,
    Unsupported,
    expressions,
)
from kleene.cfa.program import CProgram
from kleene.cfa.types import VOID, ArrayType, IntegerType, PointerType, RecordType, Type
from kleene.passes.calls.inline import MAX_POINTER_TARGETS
from kleene.passes.facts.blocks_of_pointers import factors
from kleene.passes.facts.intervals import Interval, Intervals
from kleene.passes.facts.memory import Memory, Unmodelled, constant_of
from kleene.passes.facts.relations.questions import Relations
from kleene.passes.facts.same_values import with_same_values
from kleene.passes.literals import is_literal
from kleene.passes.rewrite import Choice, exchange, expand_edges, operations_of, rewrite_operation

MAX_ELEMENTS = 16
"""Arrays of pointers (or of structs with pointers) are followed element by element up to this length."""
MOST_ELEMENTS = 6
"""Arrays of pointers of so few elements are never lists of slots (`elements`)."""
MAX_NUMBERS = 4
"""Arrays of numbers, whose elements matter less, up to this one."""


def most_elements(program: CProgram) -> int:
    """Arrays of pointers of so few elements are no lists of slots: all that can be followed, where choices are made."""
    return MAX_ELEMENTS if program.by_choices else MOST_ELEMENTS


def with_constant_indices(program: CProgram, cfa: Cfa[Operation]) -> Cfa[Operation]:
    """The automaton with variable indices of small arrays replaced, and sizes that do not vary."""
    if any(True for e in cfa.edges for x in expressions(e.label) for _ in variable_indices(x)):
        cfa = with_same_values(program, cfa)
    while True:
        splitter = _Splitter(program, Intervals(program, cfa), Relations(program, cfa))
        changed = expand_edges(_with_arrays(program, cfa), splitter.expand, "#")
        if changed.edges == cfa.edges:
            return cfa
        cfa = changed


def growing_elements(program: CProgram) -> frozenset[Type]:
    """The types of the elements of arrays that `realloc` makes longer: small ones become lists of slots, too."""
    moved = [o.target.type for o in operations_of(program) if isinstance(o, Realloc) and constant_of(o.size) is None]
    return frozenset(t.target for t in moved if isinstance(t, PointerType))


def with_constant_sizes(program: CProgram, cfa: Cfa[Operation]) -> Cfa[Operation]:
    """The automaton with sizes of blocks that do not vary, such as those that an allocator of the program is given."""
    if not any(isinstance(e.label, Allocate) and constant_of(e.label.size) is None for e in cfa.edges):
        return cfa
    intervals = Intervals(program, cfa)

    def fix(edge: Edge[Operation]) -> list[Choice] | None:
        label = edge.label
        if not isinstance(label, Allocate) or constant_of(label.size) is not None:
            return None
        low, high = intervals.of(label.size, edge.source)
        return [_with_size(label, low)] if low == high else None

    return expand_edges(cfa, fix, " constant size ")


def _with_size(operation: Allocate | Realloc, size: int) -> Choice:
    """A block of another size; what its own size is computed from is still read."""
    new = replace(operation, size=Constant(size, operation.size.type))
    return Choice(None, (*_reads(operation.place, [operation.size]), new))


def _reads(place: Place, values: Iterable[Expression]) -> Iterator[Operation]:
    """The reads of values that are not used any more: their accesses may still be errors."""
    return (Print(place, None, (value,)) for value in values if has_dereference(value))


def with_least_sizes(program: CProgram, cfa: Cfa[Operation]) -> Cfa[Operation]:
    """The automaton with blocks of a variable size taken for as large as they are at least: more is not used safely.

    In a program of several functions, blocks of pointers become lists later (`elements`).
    """
    intervals = Intervals(program, cfa)
    apart = len(program.functions) > 1

    def least(edge: Edge[Operation]) -> list[Choice] | None:
        label = edge.label
        if not isinstance(label, Allocate | Realloc) or isinstance(label.size, Constant):
            return None
        if apart and has_pointers(label.element or VOID if isinstance(label, Allocate) else label.target.type, program):
            return None
        low, _ = intervals.of(label.size, edge.source)
        return [_with_size(label, max(low, 0))]

    return expand_edges(cfa, least, " least size ")


def _with_arrays(program: CProgram, cfa: Cfa[Operation]) -> Cfa[Operation]:
    """A pointer moved by a variable is an element of the array that the rest of its block is."""
    labels = [edge.label for edge in cfa.edges]
    if not any(_is_moved(n) for o in labels for x in expressions(o) for n in walk(x)):
        return cfa
    memory = Memory(program, cfa, typed=True)

    def element(node: Expression) -> Index | None:
        if not isinstance(node, PointerOffset) or not _is_moved(node) or not isinstance(node.type, PointerType):
            return None
        type_ = node.type.target
        try:
            places = memory.value_places(node.pointer)
        except Unmodelled:
            return None
        count = max(((size - offset) // node.scale for size, offset in places), default=0)
        if count <= 0 or type_.size != node.scale:
            return None
        return Index(Deref(node.pointer, ArrayType(type_, count)), node.index, type_)

    def change(node: Expression) -> Expression:
        if isinstance(node, Deref) and isinstance(node.pointer, AddressOf) and node.pointer.target.type == node.type:
            return node.pointer.target  # made below
        chosen = element(node)
        return node if chosen is None else AddressOf(chosen, node.type)

    return Cfa(cfa.entry, tuple(replace(e, label=rewrite_operation(e.label, change)) for e in cfa.edges))


def _is_moved(node: Expression) -> bool:
    return isinstance(node, PointerOffset) and constant_of(node.index) is None


class _Splitter:
    def __init__(self, program: CProgram, intervals: Intervals, relations: Relations) -> None:
        self.program = program
        self.intervals = intervals
        self.relations = relations
        self.growing = growing_elements(program)

    def expand(self, edge: Edge[Operation]) -> list[Choice] | None:
        """The choices that replace an operation with a variable index, for its first one; None if there is none."""
        if not self._may_change(edge.label) or edge.source not in self.intervals.at:
            return None
        operation, dropped = self._fix_sizes(edge.label, edge.source)
        if reads := tuple(_reads(operation.place, dropped)):
            return [Choice(None, (*reads, operation))]
        for expression in expressions(operation):
            for node, read in variable_indices(expression):
                count = _count(node)
                if count is not None and count <= self._limit(node):
                    return self._choices(replace(edge, label=operation), node, count, read=read)
                if count is not None and read and not node.checked:
                    return self._access_cases(replace(edge, label=operation), node, count)
        return None if operation is edge.label else [Choice(None, (operation,))]

    @staticmethod
    def _may_change(operation: Operation) -> bool:
        """Whether there is an index or a size that is no constant."""
        if isinstance(operation, Allocate | Realloc | MemCopy | MemSet) and not isinstance(operation.size, Constant):
            return True
        nodes = (node for expression in expressions(operation) for node in walk(expression))
        return any(isinstance(node, Index) and not isinstance(node.index, Constant) for node in nodes)

    def _limit(self, node: Index) -> int:
        if isinstance(node.type, IntegerType) and node.type.function:
            return MAX_POINTER_TARGETS  # each element is another call
        exact = is_literal(node.base) or has_pointers(node.type, self.program)
        return MAX_ELEMENTS if exact else MAX_NUMBERS

    def _fix_sizes(self, operation: Operation, location: str) -> tuple[Operation, list[Expression]]:
        """The operation with sizes and indices whose interval is one number, and what they were."""
        dropped: list[Expression] = []

        def fix(node: Expression) -> Expression:
            if isinstance(node, Index) and not isinstance(node.index, Constant):
                low, high = self.intervals.of(node.index, location)
                if low == high:
                    dropped.append(node.index)
                    return replace(node, index=Constant(low, node.index.type))
            return node

        operation = rewrite_operation(operation, fix)
        if isinstance(operation, Allocate | Realloc | MemSet | MemCopy) and not isinstance(operation.size, Constant):
            low, high = self.intervals.of(operation.size, location)
            if low == high and not self._becomes_list(operation, low):
                dropped.append(operation.size)
                operation = replace(operation, size=Constant(low, operation.size.type))
        return operation, dropped

    def _becomes_list(self, operation: Operation, size: int) -> bool:
        """Whether a block of pointers becomes a list of slots (`elements`), though its size does not vary."""
        if not isinstance(operation, Allocate) or operation.element is None or factors(operation.size) is None:
            return False
        if not has_pointers(operation.element, self.program):
            return False
        return size > most_elements(self.program) * operation.element.size or operation.element in self.growing

    def _interval(self, index: Expression, location: str, last: int) -> Interval:
        """The values of an index; relations to other numbers are asked for only where its own interval is too large."""
        low, high = self.intervals.of(index, location)
        if low < 0 or high > last:
            least, most = self.relations.of(index, location)
            low, high = max(low, least), min(high, most)
        return low, high

    def _access_cases(self, edge: Edge[Operation], node: Index, count: int) -> list[Choice]:
        """The access itself, and the errors for an index outside the array."""
        checked = replace(node, checked=True)
        chosen = exchange(edge.label, node, checked)
        return [*self._outside(edge, node, count - 1, read=True), Choice(None, (chosen,))]

    def _choices(self, edge: Edge[Operation], node: Index, count: int, *, read: bool) -> list[Choice]:
        last = count - 1 if read else count
        low, high = self._interval(node.index, edge.source, last)
        choices = self._outside(edge, node, last, read=read)
        numbers = range(max(low, 0), min(high, last) + 1)
        for k in numbers:
            number = Constant(k, node.index.type)
            element = replace(node, index=number)
            chosen = exchange(edge.label, node, element)
            test = Comparison("==", node.index, number)
            if k != numbers[-1]:
                choices.append(Choice(test, (chosen,)))
            else:
                choices.append(Choice(None, (Assume(edge.label.place, test), chosen)))
        return choices

    def _outside(self, edge: Edge[Operation], node: Index, last: int, *, read: bool) -> list[Choice]:
        """The errors for an index less than 0 or greater than `last`."""
        low, high = self._interval(node.index, edge.source, last)
        outside: list[Choice] = []
        for operator, bound, wrong in (("<", 0, low < 0), (">", last, high > last)):
            if wrong:
                test = Comparison(operator, node.index, Constant(bound, node.index.type))
                outside.append(Choice(test, (_out_of_bounds(edge.label, node, read=read),)))
        return outside


def _out_of_bounds(operation: Operation, node: Index, *, read: bool) -> Operation:
    text = f"the index of {node} may be out of bounds"
    if read:
        return Error(operation.place, "out_of_bounds", text)
    return Unsupported(operation.place, text)


def variable_indices(expression: Expression, *, read: bool = True) -> Iterator[tuple[Index, bool]]:
    """The array elements with a variable index, innermost first; whether they are accessed (not only their address)."""
    match expression:
        case AddressOf(target=target):
            yield from _in_address(target)
        case Index(base=base, index=index):
            yield from variable_indices(base, read=read)
            yield from variable_indices(index)
            if not isinstance(index, Constant):
                yield expression, read
        case _:
            for child in children(expression):
                yield from variable_indices(child, read=read if isinstance(expression, Field) else True)


def _in_address(lvalue: Expression) -> Iterator[tuple[Index, bool]]:
    match lvalue:
        case Field(base=base):
            yield from _in_address(base)
        case Index(base=base, index=index):
            yield from _in_address(base)
            yield from variable_indices(index)
            if not isinstance(index, Constant):
                yield lvalue, False
        case Deref(pointer=pointer):
            yield from variable_indices(pointer)


def _count(node: Index) -> int | None:
    type_ = node.base.type
    return type_.count if isinstance(type_, ArrayType) and type_.count > 0 else None


def has_pointers(type_: Type, program: CProgram) -> bool:
    """Whether a value of the type has pointers in it."""
    match type_:
        case PointerType():
            return True
        case ArrayType(element=element):
            return has_pointers(element, program)
        case RecordType(name=name):
            layout = program.records.get(name)
            return layout is None or any(has_pointers(f.type, program) for f in layout.fields)
    return False


def whole_array(lvalue: Expression) -> Expression | None:
    """The outermost array that an lvalue indexes by a variable; None without variable indices."""
    result = None
    while isinstance(lvalue, Field | Index):
        if isinstance(lvalue, Index) and not isinstance(lvalue.index, Constant):
            result = lvalue.base
        lvalue = lvalue.base
    return result
