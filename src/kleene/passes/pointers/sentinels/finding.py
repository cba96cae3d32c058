"""The node in which the structures of a program end, where it is no block of the heap.

A red-black tree of a textbook has one black node ``nil`` for all leaves and for the parent of the root. No link of the
program is NULL then. The node is a variable, or a member of one. Pointers to nodes are compared with its address, and
its own links are read through such pointers only: the head of a ring, or a dummy before a list, is read by its name.

What is found is a guess, but it has to be such that NULL and the address can change places: every pointer that may be
one of both is known by its type, and none becomes a number, moves, or comes from code that is not there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from kleene.cfa.expressions import (
    AddressOf,
    Cast,
    Comparison,
    Deref,
    Expression,
    Field,
    PointerDifference,
    PointerOffset,
    ReturnedNull,
    Variable,
    children,
    member_base,
    root_variable,
    walk,
)
from kleene.cfa.operations import (
    Allocate,
    Call,
    Enter,
    HandOut,
    Havoc,
    Invoke,
    MemCopy,
    MemSet,
    Operation,
    Realloc,
    Specified,
    expressions,
)
from kleene.cfa.program import CProgram, Global, Sentinel
from kleene.cfa.types import ArrayType, PointerType, RecordType, Type, VoidType
from kleene.passes.facts.memory import Unmodelled, constant_of, leaves
from kleene.passes.pointers.sentinels.kinds import Kinds
from kleene.passes.rewrite import operations_of
from kleene.passes.scalars import parts_of


def sentinel_of(program: CProgram) -> Sentinel | None:
    """The node that changes places with NULL; None if there is none, or if they cannot."""
    places = _compared(program)
    if not places:
        return None
    kinds = Kinds(program)
    for place, _ in places.most_common():
        assert isinstance(place.type, RecordType)
        found = Sentinel(place, kinds.of(place.type))
        if _has_links(found, program) and _is_end(found, program) and _Exchange(found, program, kinds).is_possible():
            return found
    return None


def _compared(program: CProgram) -> Counter[Expression]:
    """The structs in global variables with whose addresses pointers are compared; each with the number of times."""
    places: Counter[Expression] = Counter()
    for node in _nodes(program):
        if isinstance(node, Comparison) and node.is_equation:
            for side in (node.left, node.right):
                target = side.target if isinstance(side, AddressOf) else None
                if target is not None and isinstance(target.type, RecordType) and is_static(target):
                    places[target] += 1
    return places


def is_static(lvalue: Expression) -> bool:
    """Whether an lvalue is a global variable, or a member of one: it lives to the end."""
    base, _ = member_base(lvalue)
    return isinstance(base, Variable) and base.is_global


def _nodes(program: CProgram) -> Iterator[Expression]:
    return (n for o in operations_of(program) for x in expressions(o) for n in walk(x))


def _has_links(found: Sentinel, program: CProgram) -> bool:
    """Whether the node has pointers to nodes."""
    try:
        return any(found.is_exchanged(part.type) for part in leaves(found.place.type, program))
    except Unmodelled:
        return False


def _is_end(found: Sentinel, program: CProgram) -> bool:
    """Whether no link of the node is read by its name, as that of a head is."""
    for operation in operations_of(program):
        written = getattr(operation, "target", None)
        for expression in expressions(operation):
            for node in walk(expression):
                is_link = isinstance(node, Field) and found.is_exchanged(node.type)
                if is_link and node is not written and _begins_with(node, found.place):
                    return False
    return True


def _begins_with(lvalue: Expression, place: Expression) -> bool:
    while isinstance(lvalue, Field):
        lvalue = lvalue.base
        if lvalue == place:
            return True
    return False


class _Exchange:
    """Whether NULL and the address of a node can change places."""

    def __init__(self, found: Sentinel, program: CProgram, kinds: Kinds) -> None:
        self.found, self.program, self.kinds = found, program, kinds
        variable = root_variable(found.place)
        assert variable is not None
        self.variable = variable

    def is_possible(self) -> bool:
        return (
            self._are_types_plain()
            and not any(self.found.is_exchanged(p.type) for p in self.program.main.parameters)
            and all(map(self._is_global_known, self.program.globals))
            and all(map(self._is_operation_known, operations_of(self.program)))
            and all(map(self._is_known, _nodes(self.program)))
        )

    def _are_types_plain(self) -> bool:
        """Whether pointers to nodes are read and written as such: not as numbers, by pointers to bytes or in unions."""
        records = self.program.records.values()
        holders = [r for r in records if contains(r.type, self.found, self.program)]
        if any(holder.union for holder in holders):
            return False
        kinds = [self.found.targets, *(self.kinds.of(holder.type) for holder in holders)]
        if not all(isinstance(t, RecordType | VoidType) for kind in kinds for t in kind):
            return False
        if not all(map(self._have_pointers_at_same_places, kinds)):
            return False
        pointers = [PointerType(t, self.program.pointer_size) for t in self.found.targets]
        return all(isinstance(t, PointerType) for pointer in pointers for t in self.kinds.of(pointer))

    def _have_pointers_at_same_places(self, kind: frozenset[Type]) -> bool:
        """Whether bytes that are pointers to nodes in a struct are so in all structs that they may be part of."""
        places = {t: frozenset(self._places_in(t, 0)) for t in kind}
        every = frozenset().union(*places.values())
        return all(places[t] == {p for p in every if p < t.size} for t in kind if isinstance(t, RecordType))

    def _places_in(self, type_: Type, start: int) -> Iterator[int]:
        """Where a value of a type has pointers to nodes."""
        if self.found.is_exchanged(type_):
            yield start
        elif isinstance(type_, ArrayType) and contains(type_, self.found, self.program):
            for number in range(type_.count):
                yield from self._places_in(type_.element, start + number * type_.element.size)
        elif isinstance(type_, RecordType) and type_.name in self.program.records:
            for member in self.program.records[type_.name].fields:
                yield from self._places_in(member.type, start + member.offset)

    def _is_global_known(self, item: Global) -> bool:
        """Whether it is known which pointers in a global variable are NULL at first."""
        if not contains(item.variable.type, self.found, self.program):
            return True
        return not item.external and parts_of(item.variable.type, self.program) is not None

    def _is_operation_known(self, operation: Operation) -> bool:
        found, program = self.found, self.program
        match operation:
            case Specified() | Invoke() | Enter():
                return False
            case Havoc(target=target) | Realloc(target=target):
                return not contains(target.type, found, program)
            case Call(function=function, arguments=arguments, result=result):
                values = [*arguments, *([result] if result is not None else [])]
                is_here = isinstance(function, str) and function in program.functions
                return is_here or not any(leads_to_pointers(v.type, found, program) for v in values)
            case HandOut(pointer=pointer):
                return not leads_to_pointers(pointer.type, found, program)
            case Allocate(zeroed=True, element=element, size=size):
                if element is None:
                    return False
                is_one = constant_of(size) == element.size and parts_of(element, program) is not None
                return is_one or not contains(element, found, program)
            case MemSet(pointer=pointer, value=value, size=size):
                zeroed = lvalue_at(pointer)
                if zeroed is None:
                    return False
                if contains(zeroed.type, found, program):
                    is_whole = constant_of(value) == 0 and constant_of(size) == zeroed.type.size
                    return is_whole and parts_of(zeroed.type, program) is not None
                return self._is_inside(zeroed, size) or not self._may_be_in_holder(zeroed)
            case MemCopy(destination=destination, source=source, size=size):
                ends = [lvalue_at(destination), lvalue_at(source)]
                return all(e is not None and self._is_inside(e, size) for e in ends) or not any(
                    map(self._may_have_holder_at, ends)
                )
        return True

    def _is_inside(self, lvalue: Expression, size: Expression) -> bool:
        """Whether so many bytes are not more than an lvalue has."""
        bytes_ = constant_of(size)
        return bytes_ is not None and bytes_ <= lvalue.type.size

    def _may_have_holder_at(self, lvalue: Expression | None) -> bool:
        """Whether pointers to nodes may be among bytes from a place on; of a place without a type, in the program."""
        if lvalue is None:
            holders = (r.type for r in self.program.records.values() if contains(r.type, self.found, self.program))
            return any(isinstance(t, VoidType) for holder in holders for t in self.kinds.of(holder))
        return contains(lvalue.type, self.found, self.program) or self._may_be_in_holder(lvalue)

    def _may_be_in_holder(self, lvalue: Expression) -> bool:
        """Whether pointers to nodes may be behind an lvalue, in the same object."""
        whole = root_variable(lvalue)
        if whole is not None:
            return contains(whole.type, self.found, self.program)
        while not isinstance(lvalue, Deref):
            lvalue = children(lvalue)[0]
        type_ = lvalue.type
        holders = (r for r in self.program.records.values() if contains(r.type, self.found, self.program))
        return any(type_ == t for holder in holders for t in self._types_in(holder.type))

    def _types_in(self, type_: Type) -> Iterator[Type]:
        """A type, and those of its members and elements."""
        yield type_
        if isinstance(type_, ArrayType):
            yield from self._types_in(type_.element)
        layout = self.program.records.get(type_.name) if isinstance(type_, RecordType) else None
        for member in layout.fields if layout is not None else ():
            yield from self._types_in(member.type)

    def _is_known(self, node: Expression) -> bool:
        """Whether the value of an expression is as before if NULL and the address change places, or can be made so."""
        exchanged = self.found.is_exchanged
        match node:
            case ReturnedNull(type=type_):
                return not exchanged(type_)
            case Cast(operand=operand, type=type_) if exchanged(type_) != exchanged(operand.type):
                return constant_of(operand) == 0
            case Comparison(left=left, right=right) if exchanged(left.type) or exchanged(right.type):
                return node.is_equation and exchanged(left.type) == exchanged(right.type)
            case PointerDifference(left=left, right=right):
                return not exchanged(left.type) and not exchanged(right.type)
            case PointerOffset(pointer=pointer):
                return not exchanged(pointer.type) and not exchanged(node.type)
            case AddressOf(target=target):
                return target == self.found.place or self._is_another(target, is_node=exchanged(node.type))
        return True

    def _is_another(self, target: Expression, *, is_node: bool) -> bool:
        """Whether an address is never that of the node, and one of a node that is computed from a plain pointer."""
        if root_variable(target) == self.variable:
            return not is_node and not _begins_with(self.found.place, target)
        if not is_node or root_variable(target) is not None:
            return True
        return isinstance(member_base(target)[0], Deref)


def lvalue_at(pointer: Expression) -> Expression | None:
    """What is set to zero or copied at an address; None if its type does not say it."""
    while isinstance(pointer, Cast):
        pointer = pointer.operand
    if isinstance(pointer, AddressOf):
        return pointer.target
    if not isinstance(pointer.type, PointerType) or isinstance(pointer.type.target, VoidType):
        return None
    return Deref(pointer, pointer.type.target)


def leads_to_pointers(type_: Type, found: Sentinel, program: CProgram) -> bool:
    """Whether a value of a type has pointers to nodes, or leads to some at once."""
    is_pointer = isinstance(type_, PointerType) and contains(type_.target, found, program)
    return is_pointer or contains(type_, found, program)


def contains(type_: Type, found: Sentinel, program: CProgram) -> bool:
    """Whether a value of a type has pointers to nodes, or may have some."""
    while isinstance(type_, ArrayType):
        type_ = type_.element
    if not isinstance(type_, RecordType):
        return found.is_exchanged(type_)
    layout = program.records.get(type_.name)
    return layout is not None and any(contains(member.type, found, program) for member in layout.fields)
