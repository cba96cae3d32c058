"""Arrays from an allocator that returns `void *`, such as `xmalloc`, or from ``void *new = realloc(...)``.

The lists of slots (`elements`) need two facts about the place where an array is made: that its size is a number of
elements, and the type of these. For a call of `xmalloc` both are in the caller. So the size gets the expression that
the caller passes, where nothing that it reads may change on the way; and the block the type that the pointer to it gets
on its way through copies, if one such type has the size of an element. As with `block_types`, any choice is sound.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from kleene.cfa.expressions import Binary, Cast, Constant, Expression, Unary, Variable, walk
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    Allocate,
    Assign,
    Assume,
    DeclareLocal,
    EndScope,
    Operation,
    Realloc,
    Skip,
    address_taken,
)
from kleene.cfa.program import CProgram, Function
from kleene.cfa.types import IntegerType, PointerType, RecordType, Type, VoidType
from kleene.passes.facts.blocks_of_pointers import array_at_end, factors, terms
from kleene.passes.facts.intervals import Intervals
from kleene.passes.facts.liveness import defined_variables
from kleene.passes.facts.memory import constant_of
from kleene.passes.indices import has_pointers
from kleene.passes.pointers.block_types import Copies
from kleene.passes.rewrite import Choice, expand_edges, rewrite

_OWN = Binary | Cast | Constant | Unary | Variable
"""Expressions that read no memory but variables."""


def with_array_types(program: CProgram) -> CProgram:
    """The program with sizes and types for arrays of pointers from allocators that return `void *`."""
    return replace(program, functions={name: _Arrays(program, f).function() for name, f in program.functions.items()})


class _Arrays:
    """One function, rewritten."""

    def __init__(self, program: CProgram, function: Function) -> None:
        self.program, self.before = program, function
        self.copies = Copies(function.cfa)
        self.sizes = _Sizes(program, function.cfa)
        self.new: list[Variable] = []

    def function(self) -> Function:
        cfa = expand_edges(self.before.cfa, self._typed, " typed ")
        if cfa == self.before.cfa:
            return self.before
        return replace(self.before, cfa=cfa, locals=(*self.before.locals, *self.new))

    def _typed(self, edge: Edge[Operation]) -> list[Choice] | None:
        label = edge.label
        if not isinstance(label, Allocate | Realloc) or not _is_untyped(label):
            return None
        if not isinstance(label.target, Variable):
            return None
        targets = self.copies.targets(label.target)
        if isinstance(label, Allocate):
            flexible = self._with_array_at_end(label, targets, edge)
            if flexible is not None:
                return [Choice(None, (flexible,))]
        pointed = {t for t in targets if has_pointers(t, self.program)}
        written = self.sizes.before(label.size, edge, lambda size: factors(size) is not None)
        fitting = [(size, t) for size in _orders(written) for t in pointed if (factors(size) or (0, 0))[1] == t.size]
        if len({t for _, t in fitting}) != 1:
            return None
        size, element = fitting[0]
        if isinstance(label, Allocate):
            return [Choice(None, (replace(label, size=size, element=element),))]
        typed = Variable(f"$typed{len(self.new) + 1}", PointerType(element, self.program.pointer_size))
        self.new.append(typed)
        copy = Assign(label.place, label.target, Cast(typed, label.target.type))
        return [Choice(None, (replace(label, target=typed, size=size), copy))]

    def _with_array_at_end(self, label: Allocate, targets: set[Type], edge: Edge[Operation]) -> Allocate | None:
        """The block of a struct and of an array of any length behind it, if the size that the caller wrote says so."""
        layouts = [self.program.records.get(t.name) for t in targets if isinstance(t, RecordType) and t.complete]
        ends = [layout for layout in layouts if layout is not None and array_at_end(layout) is not None]
        if len(ends) != 1:
            return None
        least = array_at_end(ends[0])
        assert least is not None
        size = self.sizes.before(label.size, edge, lambda size: _is_more_than(size, least.offset))
        return replace(label, size=size, element=ends[0].type) if _is_more_than(size, least.offset) else None


def _is_more_than(size: Expression, least: int) -> bool:
    """Whether a size is a constant of at least so many bytes and something more."""
    parts = list(terms(size))
    return len(parts) > 1 and sum(part.value for part in parts if isinstance(part, Constant)) >= least > 0


def _orders(size: Expression) -> list[Expression]:
    """A size as it is; a product of two constants also the other way round, as each may be the size of an element."""
    if isinstance(size, Cast) and size.operand.type == size.type:
        return _orders(size.operand)
    if isinstance(size, Binary) and size.operator == "*" and constant_of(size) is not None:
        return [size, replace(size, left=size.right, right=size.left)]
    return [size]


def _without_conversion(node: Expression) -> Expression:
    """A constant before a conversion that does not change it: an allocator may take its size as an `int`."""
    if isinstance(node, Cast) and isinstance(node.type, IntegerType) and isinstance(node.operand.type, IntegerType):
        number = constant_of(node.operand)
        if number is not None and node.type.wrap(number) == number:
            return node.operand
    return node


def _is_untyped(label: Allocate | Realloc) -> bool:
    if isinstance(label, Allocate):
        return label.element is None or isinstance(label.element, VoidType)
    return isinstance(label.target.type, PointerType) and isinstance(label.target.type.target, VoidType)


class _Sizes:
    """Numbers that parameters of functions have got, as the callers wrote them."""

    def __init__(self, program: CProgram, cfa: Cfa[Operation]) -> None:
        self.cfa = cfa
        self.intervals = Intervals(program, cfa)
        self.exposed = address_taken(edge.label for edge in cfa.edges)
        changing = (e.label for e in cfa.edges if not isinstance(e.label, DeclareLocal | EndScope))
        written = Counter(v for label in changing for v in defined_variables(label))
        self.definitions = {
            edge.label.target: edge
            for edge in cfa.edges
            if isinstance(edge.label, Assign)
            and isinstance(edge.label.target, Variable)
            and isinstance(edge.label.target.type, IntegerType)
            and not edge.label.target.is_global
            and edge.label.target not in self.exposed
            and written[edge.label.target] == 1
        }

    def before(self, size: Expression, use: Edge[Operation], is_enough: Callable[[Expression], bool]) -> Expression:
        """A size as the callers wrote it, until it is enough."""

        def value(node: Expression) -> Expression:
            edge = self.definitions.get(node) if isinstance(node, Variable) else None
            if edge is None or not isinstance(edge.label, Assign):
                return node
            written = edge.label.value
            if not self._is_kept(node, written, edge, use):
                return node
            return written if written.type == node.type else Cast(written, node.type)

        def widened(node: Expression) -> Expression:
            return self._without_narrow_type(node, use.source)

        while not is_enough(size := rewrite(size, widened)):
            written = rewrite(size, value)
            if written == size:
                return rewrite(size, _without_conversion)
            size = written
        return size

    def _without_narrow_type(self, node: Expression, location: str) -> Expression:
        """A number that is converted to a narrow type and back, without that: an allocator may have an `unsigned` size.

        The intervals at the use of the size say that the number has room in the narrow type.
        """
        match node:
            case Cast(type=IntegerType() as wide, operand=Cast(type=IntegerType() as narrow, operand=number)):
                if narrow.boolean or not isinstance(number.type, IntegerType) or number.type.size != wide.size:
                    return node
                low, high = self.intervals.of(number, location)
                if narrow.minimum <= low and high <= narrow.maximum:
                    return number if number.type == wide else Cast(number, wide)
        return node

    def _is_kept(self, variable: Expression, value: Expression, start: Edge[Operation], use: Edge[Operation]) -> bool:
        """Whether a variable has a value at a use of it, and what this value reads is unchanged by then.

        In a loop, the use itself is one of the operations before it.
        """
        if use.source in self._reached(self.cfa.entry, start, forward=True):
            return False  # it may have no value
        read = {n for n in (variable, *walk(value)) if isinstance(n, Variable)}
        passed = self._reached(start.target, start, forward=True) & self._reached(use.source, start, forward=False)
        between = [e for e in self.cfa.edges if e is not start and e.source in passed and e.target in passed]
        if all(isinstance(n, _OWN) for n in walk(value)) and not any(v.is_global or v in self.exposed for v in read):
            return not any(read & set(defined_variables(e.label)) for e in between)
        return all(self._leaves(e.label, read) for e in between)

    def _leaves(self, operation: Operation, read: set[Variable]) -> bool:
        """Whether an operation changes no memory but variables that are not read and have no address."""
        match operation:
            case Assume() | Skip():
                return True
            case Assign(target=Variable() as target) | Allocate(target=Variable() as target):
                return target not in read and not target.is_global and target not in self.exposed
            case DeclareLocal(variable=variable):
                return variable not in read
            case EndScope(variables=variables):
                return not read & set(variables)
        return False

    def _reached(self, start: str, without: Edge[Operation], *, forward: bool) -> set[str]:
        """The locations behind a location, or before it, on ways without an edge."""
        seen, waiting = {start}, [start]
        while waiting:
            here = waiting.pop()
            for edge in self.cfa.leaving(here) if forward else self.cfa.entering(here):
                there = edge.target if forward else edge.source
                if edge is not without and there not in seen:
                    seen.add(there)
                    waiting.append(there)
        return seen
