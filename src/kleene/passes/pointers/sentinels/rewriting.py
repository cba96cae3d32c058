"""NULL and the address of the node in which structures end change places.

The value of a pointer is NULL where the program has the address of the node, and the address of an object without bytes
(`passes/pointers/fixed_addresses.py`) where the program has NULL. Every other value stays. So each state has one of the
other program and back, comparisons have the outcomes that they had, and structures end in NULL, where nothing is
shared and no cycle closes. What is read and written through NULL are the members of the node, as those of a variable.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from kleene.cfa.expressions import (
    AddressOf,
    Cast,
    Comparison,
    Constant,
    Deref,
    Expression,
    Field,
    Index,
    Unary,
    Variable,
    member_base,
    walk,
    without_casts,
)
from kleene.cfa.graph import Cfa, Edge, chain
from kleene.cfa.operations import (
    Allocate,
    Assign,
    Assume,
    Call,
    Free,
    MemCopy,
    MemSet,
    Operation,
    Place,
    Skip,
    Unsupported,
    expressions,
)
from kleene.cfa.program import CProgram, Function, Global, Sentinel
from kleene.cfa.types import PointerType, RecordLayout, Type
from kleene.passes.facts.memory import constant_of
from kleene.passes.pointers.fixed_addresses import object_of
from kleene.passes.pointers.sentinels.elsewhere import NOWHERE, pointers_elsewhere
from kleene.passes.pointers.sentinels.finding import contains, lvalue_at, sentinel_of
from kleene.passes.rewrite import Choice, exchange, expand_edges, rewrite_operation
from kleene.passes.scalars import parts_of

_READ, _MADE = "$read", "$made"
"""How the names of variables begin that hold a pointer on the way to another, and a block that is made."""
_ELEMENT = "the address of an element of an array in what NULL leads to"
_UNLIKE = "the node in which structures end is used as an object of another type"


def with_sentinel_as_null(program: CProgram) -> CProgram:
    """The program in which NULL stands for the address of the node in which structures end, if there is such a node."""
    found = sentinel_of(program)
    if found is None:
        return program
    null = object_of(0)
    functions = {}
    for name, function in program.functions.items():
        functions[name] = _Rewriting(program, found, null).function(function)
    made = Global(null, constant=True)
    layout = RecordLayout(null.type, ())  # type: ignore[arg-type]
    return replace(
        program,
        functions=functions,
        globals=(made, *(_global(item, found, null, program) for item in program.globals)),
        records={**program.records, null.name: layout},
        sentinel=found,
    )


def _global(item: Global, found: Sentinel, null: Variable, program: CProgram) -> Global:
    """A global variable whose pointers to nodes are NULL at first if nothing is assigned."""
    values = _Rewriting(program, found, null)
    place = item.initial[0].place if item.initial else Place("", 0, 0, item.variable.name)
    zeros = tuple(values.zeros(item.variable, place)) if contains(item.variable.type, found, program) else ()
    initial = [values.rewritten(assignment) for assignment in item.initial]
    return replace(item, initial=(*zeros, *(a for a in initial if isinstance(a, Assign))))


def _with_read(operation: Operation, read: Expression, variable: Variable) -> Operation:
    """The operation with a variable in place of what is read; what it writes may be the same member."""
    changed = exchange(operation, read, variable)
    return replace(changed, target=read) if getattr(operation, "target", None) == read else changed  # type: ignore[arg-type]


def _is_free_of(operation: Operation, pointer: Expression) -> bool:
    """Whether a pointer is freed, and not only followed to what is freed."""
    return isinstance(operation, Free) and without_casts(operation.pointer) == pointer


@dataclass
class _Rewriting:
    """Rewrites one function."""

    program: CProgram
    found: Sentinel
    null: Variable
    new: dict[str, Variable] = field(default_factory=dict)

    def function(self, function: Function) -> Function:
        cfa = expand_edges(function.cfa, self._in_steps, " node ")
        others = pointers_elsewhere(cfa, self.program)
        cfa = expand_edges(cfa, lambda edge: self._by_cases(edge, others.get(edge.source, NOWHERE)), " end ")
        cfa = Cfa(cfa.entry, tuple(new for edge in cfa.edges for new in self._with_failure(edge)))
        return replace(function, cfa=cfa, locals=(*function.locals, *self.new.values()))

    def _in_steps(self, edge: Edge[Operation]) -> list[Choice] | None:
        """An operation with one pointer to a node that is followed."""
        operations = tuple(self._steps(self.rewritten(edge.label)))
        return None if operations == (edge.label,) else [Choice(None, operations)]

    # Values -------------------------------------------------------------------------------------------------------

    def rewritten(self, operation: Operation) -> Operation:
        """The operation with NULL for the address of the node, and an object for NULL."""
        operation = rewrite_operation(operation, self._value)
        if isinstance(operation, Assume) and self._is_exchanged(operation.condition):
            condition = operation.condition
            return replace(operation, condition=Comparison("!=", condition, self._null(condition.type)))
        return operation

    def _value(self, node: Expression) -> Expression:
        if isinstance(node, Unary) and node.operator == "!" and self._is_exchanged(node.operand):
            return Comparison("==", node.operand, self._null(node.operand.type))
        if not self._is_exchanged(node):
            return node
        if isinstance(node, AddressOf):
            base, offset = member_base(node.target)
            if node.target == self.found.place:
                return Constant(0, node.type)
            is_same = isinstance(base, Deref) and offset == 0 and self._is_exchanged(base.pointer)
            return Cast(base.pointer, node.type) if is_same and isinstance(base, Deref) else node
        is_rewritten = isinstance(node, Cast) and self._is_exchanged(node.operand)  # a zero is the node now
        return self._null(node.type) if constant_of(node) == 0 and not is_rewritten else node

    def _is_exchanged(self, node: Expression) -> bool:
        return self.found.is_exchanged(node.type)

    def _null(self, type_: Type) -> Expression:
        """What stands for NULL."""
        return Cast(AddressOf(self.null, PointerType(self.null.type, self.program.pointer_size)), type_)

    def zeros(self, lvalue: Expression, place: Place) -> Iterator[Assign]:
        """The assignments of NULL to all pointers to nodes in an lvalue."""
        for part in parts_of(lvalue.type, self.program) or ():
            if self.found.is_exchanged(part.type):
                yield Assign(place, part.of(lvalue), self._null(part.type))

    # Steps --------------------------------------------------------------------------------------------------------

    def _steps(self, operation: Operation) -> Iterator[Operation]:
        place = operation.place
        match operation:
            case Allocate(target=target) if not isinstance(target, Variable) and self._is_made_here(operation):
                made = self._variable(_MADE, target.type)
                yield replace(operation, target=made)
                yield from self._followed_one_by_one(Assign(place, target, made))
                return
            case Call(result=result) if result is not None and not isinstance(result, Variable):
                returned = self._variable(_READ, result.type)  # where it goes is computed behind the call
                yield from self._followed_one_by_one(replace(operation, result=returned))
                yield from self._followed_one_by_one(Assign(place, result, returned))
                return
            case MemSet(pointer=pointer):
                zeroed = lvalue_at(pointer)
                yield from self._followed_one_by_one(operation)
                if zeroed is not None and contains(zeroed.type, self.found, self.program):
                    for assignment in self.zeros(zeroed, place):
                        yield from self._followed_one_by_one(assignment)
                return
        yield from self._followed_one_by_one(operation)

    def _followed_one_by_one(self, operation: Operation) -> Iterator[Operation]:
        """The operation behind reads of all pointers to nodes that it follows, but one."""
        for address in self._first_members(operation):
            variable = self._variable(_MADE, address.type)
            yield from self._followed_one_by_one(Assign(operation.place, variable, address))
            operation = exchange(operation, address, variable)
        while True:
            pointers = self._pointers(operation)
            inner = next((p for p in pointers if not isinstance(p, Variable)), None)
            read = inner if inner is not None else next(self._reads(operation, pointers), None)
            if read is None:
                yield operation
                return
            variable = self._variable(_READ, read.type)
            yield from self._followed_one_by_one(Assign(operation.place, variable, read))
            operation = _with_read(operation, read, variable)

    def _first_members(self, operation: Operation) -> list[Expression]:
        """The addresses of nodes that are first members of other structs: they are NULL where that of the struct is."""
        if self._is_made_here(operation):
            return []
        nodes = dict.fromkeys(node for expression in expressions(operation) for node in walk(expression))
        return [n for n in nodes if isinstance(n, AddressOf) and self._is_exchanged(n) and self._is_first(n.target)]

    def _is_first(self, target: Expression) -> bool:
        base, offset = member_base(target)
        return isinstance(base, Deref) and offset == 0 and not self._is_exchanged(base.pointer)

    def _pointers(self, operation: Operation) -> list[Expression]:
        """The pointers to nodes that an operation follows, those in others first."""
        found = dict.fromkeys(
            node.pointer
            for expression in expressions(operation)
            for node in walk(expression)
            if isinstance(node, Deref) and self._is_exchanged(node.pointer)
        )
        if isinstance(operation, Free | MemSet):
            found |= dict.fromkeys(filter(self._is_exchanged, (without_casts(operation.pointer),)))
        if isinstance(operation, MemCopy):
            ends = map(without_casts, (operation.destination, operation.source))
            found |= dict.fromkeys(filter(self._is_exchanged, ends))
        return sorted(found, key=lambda pointer: sum(isinstance(n, Deref) for n in walk(pointer)))

    def _reads(self, operation: Operation, pointers: list[Expression]) -> Iterator[Expression]:
        """The members that are read through the first of several pointers."""
        if len(pointers) < (1 if isinstance(operation, Call) else 2):
            return
        written = getattr(operation, "target", None)
        for expression in expressions(operation):
            taken = {node.target for node in walk(expression) if isinstance(node, AddressOf)}
            for node in walk(expression) if expression is not written else ():
                base, _ = member_base(node)
                is_member = isinstance(node, Field) and isinstance(base, Deref) and base.pointer in pointers
                if is_member and node not in taken and node.type.size <= self.program.pointer_size:
                    yield node

    def _variable(self, start: str, type_: Type) -> Variable:
        name = f"{start}{len(self.new)}"
        return self.new.setdefault(name, Variable(name, type_))

    # Cases --------------------------------------------------------------------------------------------------------

    def _by_cases(self, edge: Edge[Operation], elsewhere: frozenset[Variable]) -> list[Choice] | None:
        """The operation on the members of the node where a pointer is NULL, and on those of a block elsewhere."""
        operation, place = edge.label, edge.label.place
        pointers = self._pointers(operation)
        if not pointers:
            return None
        if len(pointers) > 1:
            return [Choice(None, (Unsupported(place, _UNLIKE),))]
        (pointer,) = pointers
        choices = []
        if pointer not in elsewhere:
            null = Constant(0, pointer.type)
            choices.append(Choice(Comparison("==", pointer, null), (self._at_end(operation, pointer),)))
        is_null = Comparison("==", pointer, self._null(pointer.type))
        if _is_free_of(operation, pointer):
            choices.append(Choice(is_null, (Skip(place),)))
        elif (at_null := self._at_null(operation, pointer)) != operation:
            choices.append(Choice(is_null, (at_null,)))
        return [*choices, Choice(None, (operation,))] if choices else None

    def _is_made_here(self, operation: Operation) -> bool:
        """Whether a pointer to a block or to its first member, or pointers in the block, may be NULL behind this."""
        match operation:
            case Assign(target=Variable(name=name), value=AddressOf(target=target)):
                return name in self.new and self._is_first(target)
            case Allocate(target=target, element=element, zeroed=zeroed):
                has_zeros = zeroed and element is not None and contains(element, self.found, self.program)
                return has_zeros or self._is_exchanged(target)
        return False

    def _with_failure(self, edge: Edge[Operation]) -> list[Edge[Operation]]:
        """The edge, and behind an allocation what is NULL if it fails, or if its block is all zero."""
        label = edge.label
        if not isinstance(label, Allocate | Assign) or not self._is_made_here(label):
            return [edge]
        target, place = label.target, label.place
        assert isinstance(target.type, PointerType)
        is_zeroed = isinstance(label, Allocate) and label.zeroed
        zeros = self.zeros(Deref(target, target.type.target), place) if is_zeroed else ()
        failed = Assign(place, target, self._null(target.type)) if self._is_exchanged(target) else Skip(place)
        made, fails, succeeds = (f"{edge.source} made{part}" for part in ("", " not", " well"))
        test = Assume(place, Comparison("==", target, Constant(0, target.type)))
        edges: list[Edge[Operation]] = [
            Edge(edge.source, label, made),
            Edge(made, test, fails),
            Edge(fails, failed, edge.target),
        ]
        edges.append(Edge(made, replace(test, truth=False), succeeds))
        return edges + chain(f"{succeeds} ", [*zeros, Skip(place)], edge.target, succeeds)

    def _at_null(self, operation: Operation, pointer: Expression) -> Operation:
        """The operation where the pointer is NULL: so is the address of the first member of what it leads to."""
        for node in [n for x in expressions(operation) for n in walk(x) if isinstance(n, AddressOf)]:
            target, is_first = node.target, True
            while isinstance(target, Field | Index):
                is_first &= target.offset == 0 if isinstance(target, Field) else constant_of(target.index) == 0
                target = target.base
            if target == node.target or not isinstance(target, Deref) or target.pointer != pointer:
                continue
            if is_first:
                operation = exchange(operation, node, Constant(0, node.type))
            elif isinstance(node.target, Index) and constant_of(node.target.index) is None:
                return Unsupported(operation.place, _ELEMENT)
        return operation

    def _at_end(self, operation: Operation, pointer: Expression) -> Operation:
        """The operation where the pointer leads to the node."""
        if _is_free_of(operation, pointer):
            return replace(operation, pointer=self._null(pointer.type))  # type: ignore[arg-type]
        nodes = [n for x in expressions(operation) for n in walk(x)]
        if any(isinstance(n, Deref) and n.pointer == pointer and n.type != self.found.place.type for n in nodes):
            return Unsupported(operation.place, _UNLIKE)
        if isinstance(operation, MemSet | MemCopy):
            return Unsupported(operation.place, _UNLIKE)
        return exchange(operation, Deref(pointer, self.found.place.type), self.found.place)
