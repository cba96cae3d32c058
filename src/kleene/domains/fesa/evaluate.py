"""Expressions: targets of pointers, values of integers, and the dereferences in them (FESA Fig. 9, deref').

Evaluating an expression may split the state, one part for each target of a dereferenced pointer; in each part the
target is no summary. An error of a dereference is reported, and the state continues without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from kleene.cfa.expressions import (
    ARITHMETIC,
    AddressOf,
    Binary,
    Cast,
    Comparison,
    Constant,
    Deref,
    Expression,
    Field,
    FunctionAddress,
    Index,
    PointerOffset,
    StringLiteral,
    Unary,
    Variable,
    children,
    has_dereference,
)
from kleene.cfa.types import IntegerType, PointerType, rereads
from kleene.domains.fesa.counters import at_least, keep_hygiene, reduce
from kleene.domains.fesa.flags import MOVED_NULL, OTHERS, STATIC, UNDEFINED, VALUE, VARIABLE, Flag, Node
from kleene.domains.fesa.functions import Function
from kleene.domains.fesa.heap import Heap
from kleene.domains.fesa.summaries import separate_instance
from kleene.domains.fesa.writing import NOWHERE, Pointer, null, read, to, write
from kleene.passes.facts.integers import COMPARE, INJECTIVE, Constants
from kleene.passes.facts.memory import Memory, Unmodelled, constant_of

Report = Callable[[str, str], None]
MAX_CONSTANTS = 10
"""Values of one number that are told apart: with more, it may be any number."""
_REGISTER = "$register"


@dataclass(frozen=True)
class Integer:
    """An integer value: where it may be each number of the table, and where it may be any other number."""

    table: dict[int, Function]
    rest: Function
    constant: int | None = None

    def may_be(self, number: int) -> Function:
        return self.table.get(number, self.rest)


class Evaluator:
    """Evaluates the expressions of one program; `report` gets possible errors with their kinds."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.constants = Constants(memory)
        self.report: Report = lambda kind, text: None
        self.reuses = True
        """Whether a pointer to a freed block may equal one to another block, where the operation is."""

    # Names ----------------------------------------------------------------------------------------------------

    def node(self, variable: Variable) -> Node:
        return Node(VARIABLE, variable.name, self.memory.size_of(variable))

    def is_object(self, variable: Variable) -> bool:
        return self.memory.kind(variable) == "object"

    def slots_of(self, size: int) -> list[int]:
        return sorted(o for s, o in self.memory.cell_of if s == size and o + self.memory.program.pointer_size <= size)

    def numbers(self, node: Node, offset: int, variable: Variable | None = None) -> tuple[int, ...]:
        """The numbers that an integer is compared with; none if it is not tracked."""
        if variable is not None and not self.is_object(variable):
            constants = self.constants.of(variable)
        elif self.memory.integer_type((node.size, offset)) is not None:
            constants = self.constants.of(offset)
        else:
            constants = ()
        return constants if len(constants) <= MAX_CONSTANTS else ()

    # Pointers -------------------------------------------------------------------------------------------------

    def pointer(self, heap: Heap, expression: Expression) -> Iterator[tuple[Heap, Pointer]]:
        """The value of a pointer expression, in each part of the state."""
        match expression:
            case Constant(value=0):
                yield heap, null(heap)
            case Constant():
                yield heap, to(heap, UNDEFINED)
            case Cast(operand=operand) if isinstance(operand.type, PointerType):
                yield from self.pointer(heap, operand)
            case Cast(operand=operand) if constant_of(operand) == 0:
                yield heap, null(heap)
            case FunctionAddress(name=name):
                yield heap, to(heap, Node(STATIC, name))
            case AddressOf(target=target):
                yield from self.address(heap, target)
            case PointerOffset(pointer=inner, index=index, scale=scale):
                number = constant_of(index)
                if number is None:
                    raise Unmodelled("pointer arithmetic with a variable")
                for part, value in self.pointer(heap, inner):
                    yield part, value.shift(number * scale)
            case Variable() | Field() | Deref() | Index():
                for part, node, offset in self.access(heap, expression):
                    if node == OTHERS:
                        yield part, to(part, OTHERS)
                        continue
                    self._known_slot(node, offset, expression)
                    yield part, read(part, node, offset)
            case _:
                raise Unmodelled(f"pointer value {expression}")

    def _known_slot(self, node: Node, offset: int, expression: Expression) -> None:
        plain = isinstance(expression, Variable) and not self.is_object(expression)
        if not plain and (node.size, offset) not in self.memory.cell_of:
            raise Unmodelled(f"{expression} is at a place where no pointer is known")

    def address(self, heap: Heap, lvalue: Expression) -> Iterator[tuple[Heap, Pointer]]:
        """A pointer to an lvalue."""
        match lvalue:
            case Variable():
                yield heap, to(heap, self.node(lvalue))
            case StringLiteral():
                yield heap, to(heap, Node(STATIC, str(lvalue)))
            case Deref(pointer=pointer):
                yield from self.pointer(heap, pointer)
            case Field(base=base, offset=offset, bit_width=None):
                for part, value in self.address(heap, base):
                    yield part, value.shift(offset)
            case Index(base=base, index=index):
                number = constant_of(index)
                if number is None:
                    raise Unmodelled("an array element with a variable index")
                for part, value in self.address(heap, base):
                    yield part, value.shift(number * lvalue.type.size)
            case _:
                raise Unmodelled(f"memory access {lvalue}")

    def access(self, heap: Heap, lvalue: Expression, size: int = 0) -> Iterator[tuple[Heap, Node, int]]:
        """The place of an lvalue: a node that is no summary, and an offset."""
        if isinstance(lvalue, Variable):
            yield heap, self.node(lvalue), 0
            return
        for part, value in self.address(heap, lvalue):
            yield from self.dereference(part, value, size or lvalue.type.size, str(lvalue))

    def touch(self, heap: Heap, lvalue: Expression) -> Iterator[tuple[Heap, Node, int, int]]:
        """A byte range that contains the lvalue: node, offset and size; evaluates indices, too."""
        whole, size = span(lvalue)
        parts, inner = [heap], lvalue
        while isinstance(inner, Field | Index):
            if isinstance(inner, Index):
                parts = [last for part in parts for last in self.visit(part, inner.index)]
            inner = inner.base
        for part in parts:
            for last, node, offset in self.access(part, whole, size):
                yield last, node, offset, size

    def dereference(self, heap: Heap, value: Pointer, size: int, text: str) -> Iterator[tuple[Heap, Node, int]]:
        """deref' of the paper: one part of the state for each target, where exactly that target is pointed to."""
        for part, node, offset in self.resolve(heap, value, text):
            if node == UNDEFINED:
                self.report("uninitialized_pointer", f"{text}: the pointer may not be initialized")
                continue
            if node == MOVED_NULL:
                self.report("null_dereference", f"{text}: the pointer may be NULL")
                continue
            if node == OTHERS:
                yield part, node, offset
                continue
            if self.still_possible(part, ~part.exists(node)):
                self.report("dangling_dereference", f"{text}: the object may not exist any more")
            alive = part.restrict(part.exists(node))
            if alive is None:
                continue
            if node.kind == STATIC:
                raise Unmodelled(f"access to {text}, which is {node}")
            if offset < 0 or offset + size > node.size:
                self.report("out_of_bounds", f"{text} is out of the bounds of its object")
                continue
            yield alive, node, offset

    def resolve(self, heap: Heap, value: Pointer, text: str) -> Iterator[tuple[Heap, Node, int]]:
        """The parts of a state in which the pointer has each of its targets; NULL is reported."""
        if self.still_possible(heap, value.null):
            self.report("null_dereference", f"{text}: the pointer may be NULL")
        if not heap.options.out_counter:
            several = at_least(heap, list(value.targets.values()), 2)[1]
            if heap.possible(several):
                self.report("null_dereference", f"{text}: the pointer may be ambiguous")
        for key in sorted(value.targets):
            yield from self.pointing(heap, value, key)

    def pointing(self, heap: Heap, value: Pointer, target: tuple[Node, int]) -> Iterator[tuple[Heap, Node, int]]:
        """The part of the state in which a pointer has one of its targets, taken out of its summary."""
        node, offset = target
        where = value.targets[target]
        if not heap.possible(where):
            return
        others = heap.any_of(f for key, f in value.targets.items() if key != target)
        part = heap.copy()
        if heap.is_summary(node):
            new = separate_instance(part, node, where, others)
            if not part.vectors.is_empty():
                self.tidy(part, node, new)
            node = new
        else:
            part.assume(where & ~others)
        if not part.vectors.is_empty():
            yield part, node, offset

    def tidy(self, heap: Heap, *nodes: Node) -> None:
        """Use the counters after a node was taken out."""
        keep_hygiene(heap, nodes)
        if heap.options.reduce and not heap.vectors.is_empty():
            reduce(heap, nodes)
        heap.prune()

    def still_possible(self, heap: Heap, condition: Function) -> bool:
        """Whether a condition is still possible after all reductions by counters; called before a warning."""
        if not heap.possible(condition):
            return False
        if heap.options.reduce:
            nodes = heap.nodes()
            keep_hygiene(heap, nodes)
            reduce(heap, nodes)
        return heap.possible(condition)

    def pair(self, heap: Heap, left: Expression, right: Expression) -> Iterator[tuple[Heap, Pointer, Pointer]]:
        """Two pointers; evaluating the second may change the graph, so a register keeps the first."""
        for part, value in self.pointer(heap, left):
            if not has_dereference(right):
                for last, second in self.pointer(part, right):
                    yield last, value, second
                continue
            register = Node(VARIABLE, _REGISTER)
            write(part, register, 0, value, lambda kind, text: None)
            for last, second in self.pointer(part, right):
                yield last, read(last, register, 0), second

    # Integers -------------------------------------------------------------------------------------------------

    def integer(self, heap: Heap, expression: Expression) -> Iterator[tuple[Heap, Integer]]:
        """The value of an integer expression, in each part of the state; everything in it is dereferenced."""
        unknown = Integer({}, heap.space.true)
        match expression:
            case Constant(value=value):
                yield heap, Integer({value: heap.space.true}, heap.space.false, value)
            case Variable() | Field() | Deref() | Index() if isinstance(expression.type, IntegerType):
                yield from self._read_integer(heap, expression)
            case Cast(operand=operand, type=IntegerType() as kind) if isinstance(operand.type, IntegerType):
                for part, inner in self.integer(heap, operand):
                    if kind.function != operand.type.function and not kind.boolean:
                        null = inner.may_be(0)  # only the conversion of null is known
                        yield part, Integer({0: null}, heap.any_of(f for c, f in inner.table.items() if c) | inner.rest)
                    else:
                        yield part, map_value(inner, kind.wrap, injective=_is_injective(operand.type, kind))
            case Unary(operator="!", operand=operand):
                for part, truth, untruth in self.condition(heap, operand):
                    yield part, Integer({0: truth, 1: untruth}, heap.space.false)
            case Comparison():
                for part, truth, untruth in self.condition(heap, expression):
                    yield part, Integer({1: truth, 0: untruth}, heap.space.false)
            case Binary(operator=operator, left=left, right=right, type=IntegerType() as kind) if (
                operator in ARITHMETIC and not has_dereference(right)
            ):
                for part, a in self.integer(heap, left):
                    for last, b in self.integer(part, right):
                        yield last, _combine(a, b, operator, kind) or unknown
            case _:
                for part in self.visit(heap, expression):
                    yield part, unknown

    def _read_integer(self, heap: Heap, lvalue: Expression) -> Iterator[tuple[Heap, Integer]]:
        if is_vague(lvalue):
            for part, _, _, _ in self.touch(heap, lvalue):
                yield part, Integer({}, part.space.true)
            return
        variable = lvalue if isinstance(lvalue, Variable) else None
        for part, node, offset in self.access(heap, lvalue):
            assert isinstance(lvalue.type, IntegerType)
            plain = variable is not None and not self.is_object(variable)
            kept = lvalue.type if plain else self.memory.integer_type((node.size, offset))
            yield part, convert_number(self.stored_number(part, node, offset, variable), kept, lvalue.type)

    def stored_number(self, heap: Heap, node: Node, offset: int, variable: Variable | None = None) -> Integer:
        """The number that a variable or cell holds, as the type as which it is kept."""
        plain = variable is not None and not self.is_object(variable)
        kept = None if plain else self.memory.integer_type((node.size, offset))
        numbers = [c for c in self.numbers(node, offset, variable) if kept is None or kept.has(c)]
        table = {c: heap.flag(Flag(VALUE, node, offset, None, c)) for c in numbers}
        return Integer(table, ~heap.any_of(table.values()) if table else heap.space.true)

    def visit(self, heap: Heap, expression: Expression) -> Iterator[Heap]:
        """Evaluate for the dereferences only."""
        if not has_dereference(expression):
            yield heap
        elif isinstance(expression, Deref | Field | Index):
            for part, _, _, _ in self.touch(heap, expression):
                yield part
        elif isinstance(expression, AddressOf):
            for part, _ in self.address(heap, expression.target):
                yield part
        else:
            parts = [heap]
            for child in children(expression):
                parts = [last for part in parts for last in self.visit(part, child)]
            yield from parts

    # Conditions -----------------------------------------------------------------------------------------------

    def condition(self, heap: Heap, expression: Expression) -> Iterator[tuple[Heap, Function, Function]]:
        """Where a condition may be true, and where it may be false."""
        match expression:
            case Unary(operator="!", operand=operand):
                for part, truth, untruth in self.condition(heap, operand):
                    yield part, untruth, truth
            case Cast(operand=Comparison() as inner):
                yield from self.condition(heap, inner)
            case Comparison(operator=operator, left=left, right=right) if isinstance(left.type, PointerType):
                yield from self._compare_pointers(heap, operator, left, right)
            case Comparison(operator=operator, left=left, right=right) if (
                isinstance(left.type, IntegerType)
                and isinstance(right.type, IntegerType)
                and not has_dereference(right)
            ):
                for part, a in self.integer(heap, left):
                    for last, b in self.integer(part, right):
                        yield last, *_comparison(operator, a, b)
            case _ if isinstance(expression.type, PointerType):
                zero = Constant(0, expression.type)
                yield from self._compare_pointers(heap, "!=", expression, zero)
            case _ if isinstance(expression.type, IntegerType) and not isinstance(expression, Comparison):
                for part, value in self.integer(heap, expression):
                    some = part.any_of(f for c, f in value.table.items() if c) | value.rest
                    yield part, some, value.may_be(0)
            case _:
                for part in self.visit(heap, expression):
                    yield part, part.space.true, part.space.true

    def _compare_pointers(
        self, heap: Heap, operator: str, left: Expression, right: Expression
    ) -> Iterator[tuple[Heap, Function, Function]]:
        if operator not in ("==", "!="):
            raise Unmodelled(f"comparison {operator} of pointers")
        for part, a, b in self.pair(heap, left, right):
            if left == right:  # whether it has a value
                unset = part.any_of(where for (node, _), where in a.settle(part).targets.items() if node in NOWHERE)
                same, different = part.space.true, unset
            else:
                same, different = equality(part, a.settle(part), b.settle(part), reuses=self.reuses)
            yield (part, same, different) if operator == "==" else (part, different, same)


def is_vague(lvalue: Expression) -> bool:
    """Whether it is not known which bytes an lvalue has: an element with a variable index, or a bit-field."""
    return span(lvalue)[0] != lvalue


def span(lvalue: Expression) -> tuple[Expression, int]:
    """An lvalue of known bytes that has all the bytes of another, and how many these are.

    An element with a variable index, which must have been compared with the bounds, may be any of the array.
    """
    result = lvalue, lvalue.type.size
    if isinstance(lvalue, Field) and lvalue.bit_width is not None:
        result = replace(lvalue, bit_offset=0, bit_width=None), (lvalue.bit_offset + lvalue.bit_width + 7) // 8
    inner = lvalue
    while isinstance(inner, Field | Index):
        if isinstance(inner, Index) and constant_of(inner.index) is None:
            if not inner.checked:
                raise Unmodelled("an array element with a variable index")
            result = inner.base, inner.base.type.size
        inner = inner.base
    return result


def equality(heap: Heap, a: Pointer, b: Pointer, *, reuses: bool = True) -> tuple[Function, Function]:
    """Where two pointers may be equal, and where they may be different.

    Pointers to one instance agree on the flags of every instance in the vector; with different pointers, no instance
    has both. A dangling pointer is not NULL; where addresses are given out again (`reuses`), it may equal a pointer to
    a later block.
    """
    none = heap.space.false
    agree, both, vague, unset = heap.space.true, none, none, none
    for key in sorted(a.targets.keys() | b.targets.keys()):
        first: Function = a.targets.get(key, none)
        second: Function = b.targets.get(key, none)
        node = key[0]
        if node in NOWHERE:
            unset = unset | first | second
            continue
        agree = agree & ~(first ^ second)
        both = both | (first & second)
        gone = (first | second) & ~heap.exists(node)
        if reuses and heap.possible(gone):
            vague = heap.space.true if heap.is_summary(node) else vague | gone
    if heap.options.out_counter:
        agree = agree & ~(a.some ^ b.some)
        both = both | (a.null & b.null)
    else:
        if not heap.possible(a.some & a.null) and not heap.possible(b.some & b.null):
            both = both | (a.null & b.null)
    return agree | (vague & a.some & b.some) | unset, ~both | unset


def _comparison(operator: str, a: Integer, b: Integer) -> tuple[Function, Function]:
    """Where a comparison of two integers may hold, and where not."""
    truth = untruth = a.rest & ~a.rest
    holds = COMPARE[operator]
    for x, f in a.table.items():
        for y, g in b.table.items():
            if holds(x, y):
                truth = truth | (f & g)
            else:
                untruth = untruth | (f & g)
    for value, other in ((a, b), (b, a)):
        for number, where in other.table.items():
            meet = value.rest & where
            apart = number in value.table  # the rest of a value is no number of its own table
            if operator != "==" or not apart:
                truth = truth | meet
            if operator != "!=" or not apart:
                untruth = untruth | meet
    both = a.rest & b.rest
    return truth | both, untruth | both


def map_value(value: Integer, change: Callable[[int], int], *, injective: bool) -> Integer:
    """The value after a function of it."""
    table: dict[int, Function] = {}
    for number, where in value.table.items():
        new = change(number)
        table[new] = table[new] | where if new in table else where
    if not injective:
        table = {number: where | value.rest for number, where in table.items()}
    constant = None if value.constant is None else change(value.constant)
    return Integer(table, value.rest, constant)


def convert_number(value: Integer, written: IntegerType | None, read: IntegerType | None) -> Integer:
    """A number that was written as one type and is read as another; any number if C does not define it."""
    if written is None or read is None or not rereads(written, read):
        return Integer({}, value.rest | ~value.rest)
    return value if written == read else map_value(value, read.wrap, injective=_is_injective(written, read))


def _is_injective(source: IntegerType, target: IntegerType) -> bool:
    """Whether conversion gives different numbers for different numbers."""
    return target.bits >= source.bits and not target.boolean


def _combine(a: Integer, b: Integer, operator: str, kind: IntegerType) -> Integer | None:
    """The value of a binary operation with a constant; None if it is unknown."""
    number = b.constant
    if number is None:
        return None
    return map_value(a, lambda x: kind.wrap(ARITHMETIC[operator](x, number)), injective=operator in INJECTIVE)
