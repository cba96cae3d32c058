"""Classes of objects: a pointer points to objects of one class (Steensgaard. Points-to analysis in almost linear time).

Assignments unite the classes of what both sides may point to. The cells of a class are told apart by their offsets,
which `Memory` computes. The bodies of functions that are analysed apart are looked at for each call from outside of
them, so that a function that frees trees does not unite all trees.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from functools import cached_property

from kleene.cfa.expressions import (
    AddressOf,
    Cast,
    Constant,
    Deref,
    Expression,
    Field,
    Index,
    PointerOffset,
    Variable,
    root_variable,
    walk,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    Allocate,
    Assign,
    Assume,
    DeclareLocal,
    EndScope,
    Enter,
    Error,
    Exit,
    Free,
    HandOut,
    Havoc,
    Invoke,
    Leave,
    MemSet,
    Operation,
    Print,
    Realloc,
    Return,
    Skip,
    Unsupported,
    expressions,
)
from kleene.cfa.types import IntegerType, PointerType, RecordType
from kleene.passes.attempts.slices.values import LastingPointers, has_constant_addresses
from kleene.passes.attempts.slices.webs import Webs
from kleene.passes.facts.memory import Memory, Place, Unmodelled

_UNDERSTOOD = (
    Allocate
    | Assign
    | Assume
    | DeclareLocal
    | EndScope
    | Enter
    | Error
    | Exit
    | Free
    | HandOut
    | Havoc
    | Invoke
    | Leave
    | MemSet
    | Print
    | Realloc
    | Return
    | Skip
    | Unsupported
)
Class = int
"""A class of objects, by number."""


class NoSlices(Exception):
    """Why a program has no slices."""


@dataclass(frozen=True)
class Spot:
    """Where an operation is: its edge (None for initial values), and the call from outside if it is in a function."""

    edge: Edge[Operation] | None
    call: int = 0


_POINTER, _OBJECT, _BLOCK, _NOWHERE = "target of", "variable", "block", "nowhere"


@dataclass(frozen=True)
class _Key:
    """What a class is known by: the target of a pointer (in one web), a variable, or the blocks of an allocation."""

    kind: str
    variable: Variable | None
    call: int
    number: int


class Regions:
    """The functions that are analysed apart in an automaton, and the calls by which they are entered from outside."""

    def __init__(self, cfa: Cfa[Operation]) -> None:
        self.cfa = cfa
        self.function_of: dict[str, str] = {}
        self.enters: dict[str, Edge[Operation]] = {}
        for enter in cfa.edges:
            if isinstance(enter.label, Enter):
                self.enters[enter.label.function] = enter
                for location in cfa.reachable_from([enter.source]):
                    self.function_of[location] = enter.label.function
        self.edges_of: dict[str, list[Edge[Operation]]] = {}
        for edge in cfa.edges:
            self.edges_of.setdefault(self.function_of.get(edge.source, ""), []).append(edge)
        self.outer_calls = [e for e in self.edges_of.get("", ()) if isinstance(e.label, Invoke)]

    @property
    def main_edges(self) -> list[Edge[Operation]]:
        return self.edges_of.get("", [])

    def called_by(self, call: Edge[Operation]) -> list[str]:
        """The functions that a call may lead to."""
        assert isinstance(call.label, Invoke)
        called = [call.label.function]
        for name in called:
            inner = (e.label for e in self.edges_of.get(name, ()))
            called += dict.fromkeys(x.function for x in inner if isinstance(x, Invoke) and x.function not in called)
        return called

    def spots(self) -> Iterator[Spot]:
        """All operations, those of functions once for each call from outside."""
        for edge in self.main_edges:
            yield Spot(edge)
        for call in self.outer_calls:
            for name in self.called_by(call):
                for edge in self.edges_of.get(name, ()):
                    yield Spot(edge, id(call))


class Classes:
    """The classes of one program; raises NoSlices if an operation may do more than `Memory` can tell."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.regions = Regions(memory.cfa)
        local = {v for v in memory.pointers if not v.is_global}
        outside = Cfa(memory.cfa.entry, tuple(self.regions.main_edges))
        self.webs = Webs(outside, local)
        self._lasting = LastingPointers(memory, outside)
        self._parent: list[Class] = []
        self._cells: list[dict[int, Class]] = []
        self._known: dict[_Key, Class] = {}
        self._places: set[tuple[Class, Place]] = set()
        self._is_closed = False
        if memory.numbers_hold_addresses:
            raise NoSlices("numbers hold addresses")
        self._spots = list(self.regions.spots())
        try:
            for item in memory.program.globals:
                if item.external:
                    raise NoSlices(f"the variable {item.variable} is not defined")
                for assignment in item.initial:
                    if root_variable(assignment.target) != item.variable:
                        raise NoSlices(f"{assignment.target} is not set where it is defined")
                    self._flow(assignment, Spot(None))
            for spot in self._spots:
                assert spot.edge is not None
                self._flow(spot.edge.label, spot)
        except Unmodelled as reason:
            raise NoSlices(str(reason)) from None
        self._is_closed = True

    # Union and find -------------------------------------------------------------------------------------------------

    def find(self, class_: Class) -> Class:
        while self._parent[class_] != class_:
            self._parent[class_] = self._parent[self._parent[class_]]
            class_ = self._parent[class_]
        return class_

    def _require_open(self) -> None:
        """A class that is new when all operations were followed would be in no slice."""
        if self._is_closed:
            raise NoSlices("something has no class")

    def _new(self) -> Class:
        self._parent.append(len(self._parent))
        self._cells.append({})
        return len(self._parent) - 1

    def _of(self, kind: str, variable: Variable | None = None, call: int = 0, number: int = 0) -> Class:
        key = _Key(kind, variable, call, number)
        if key not in self._known:
            self._require_open()
            self._known[key] = self._new()
        return self.find(self._known[key])

    def _unite(self, a: Class | None, b: Class | None) -> Class | None:
        if a is None or b is None:
            return a if b is None else b
        waiting = [(a, b)]
        while waiting:
            x, y = (self.find(c) for c in waiting.pop())
            if x != y:
                self._parent[y] = x
                for offset, target in self._cells[y].items():
                    if offset in self._cells[x]:
                        waiting.append((self._cells[x][offset], target))
                    else:
                        self._cells[x][offset] = target
        return self.find(a)

    # Expressions ----------------------------------------------------------------------------------------------------

    def object_of(self, lvalue: Expression, spot: Spot) -> Class:
        """The class of the object that an lvalue in memory is a part of."""
        match lvalue:
            case Variable():
                return self._of(_OBJECT, lvalue, 0 if lvalue.is_global else spot.call)
            case Field(base=base) | Index(base=base):
                return self.object_of(base, spot)
            case Deref(pointer=pointer):
                target = self.pointee(pointer, spot)
                return target if target is not None else self._of(_NOWHERE)
        raise NoSlices(f"memory access {lvalue}")

    def is_in_memory(self, lvalue: Expression) -> bool:
        """Whether an expression is read from, or written to, an object."""
        if isinstance(lvalue, Variable):
            return self.memory.kind(lvalue) == "object"
        return isinstance(lvalue, Field | Index | Deref)

    def variable(self, variable: Variable, spot: Spot, *, written: bool = False) -> Class:
        """The class of what a pointer variable points to."""
        if variable.is_global:
            return self._of(_POINTER, variable)
        if spot.call or spot.edge is None:
            return self._of(_POINTER, variable, spot.call)
        web = self.webs.written(spot.edge, variable) if written else self.webs.read(spot.edge, variable)
        return self._of(_POINTER, variable, 0, web)

    def pointee(self, value: Expression, spot: Spot, *, written: bool = False) -> Class | None:
        """The class of what a pointer points to; None for NULL."""
        if self.is_in_memory(value):
            return self.cell(value, spot)
        match value:
            case Constant() | Cast(operand=Constant()):
                return None
            case Variable() if self.memory.kind(value) == "pointer":
                return self.variable(value, spot, written=written)
            case Cast(operand=operand) if isinstance(operand.type, PointerType):
                return self.pointee(operand, spot)
            case AddressOf(target=target):
                return self.object_of(target, spot)
            case PointerOffset(pointer=pointer):
                return self.pointee(pointer, spot)
        raise NoSlices(f"pointer value {value}")

    def cell(self, lvalue: Expression, spot: Spot) -> Class:
        """The class of what the pointer in a cell points to."""
        holder: Class | None = None
        own = self.object_of(lvalue, spot)  # once: a chain of k pointers would be followed 2^k times
        places = self.memory.address_places(lvalue)
        self._places |= {(own, place) for place in places}
        for offset in sorted({offset for _, offset in places}) or [0]:
            known = self._cells[self.find(own)]
            if offset not in known:
                self._require_open()
                known[offset] = self._new()
            holder = self._unite(holder, known[offset])
        assert holder is not None
        return self.find(holder)

    # Operations -----------------------------------------------------------------------------------------------------

    def _flow(self, operation: Operation, spot: Spot) -> None:
        if not isinstance(operation, _UNDERSTOOD):
            raise NoSlices(f"'{operation}' is not understood")
        target = getattr(operation, "target", None)
        is_scope = isinstance(operation, DeclareLocal | EndScope)  # what it names is not read
        for expression in expressions(operation):
            self._name(expression, spot, is_target=is_scope or expression is target)
        match operation:
            case Assign(target=target, value=value) if isinstance(target.type, PointerType):
                self._unite(self.pointee(target, spot, written=True), self.pointee(value, spot))
            case Assign(target=target) if not isinstance(target.type, IntegerType):
                if isinstance(target.type, RecordType):
                    raise NoSlices("a struct is copied")
            case Allocate(target=target):
                made = self._of(_BLOCK, None, spot.call, id(spot.edge))
                self._unite(self.pointee(target, spot, written=True), made)
            case Realloc(target=target, pointer=pointer):
                made = self._of(_BLOCK, None, spot.call, id(spot.edge))
                both = self._unite(self.pointee(target, spot, written=True), made)
                self._unite(both, self.pointee(pointer, spot))
            case Havoc(target=target) if not isinstance(target.type, IntegerType):
                raise NoSlices("a pointer gets any value")
            case Invoke():
                self._call(operation, spot)

    def _name(self, expression: Expression, spot: Spot, *, is_target: bool) -> None:
        """All that an expression looks at has a class."""
        if is_target and isinstance(expression, Variable) and self.memory.kind(expression) != "object":
            return
        for node in walk(expression):
            if isinstance(node, Cast) and isinstance(node.type, PointerType) and _is_number(node.operand):
                raise NoSlices("a number becomes a pointer")
            if self.is_in_memory(node):
                self.object_of(node, spot)
            if isinstance(node.type, PointerType) and (self.is_in_memory(node) or isinstance(node, Variable)):
                self.pointee(node, spot)

    def _call(self, call: Invoke, spot: Spot) -> None:
        inside = Spot(None, spot.call or id(spot.edge))
        for parameter, argument in zip(call.parameters, call.arguments, strict=True):
            if isinstance(parameter.type, PointerType):
                given = self.pointee(argument, spot)
                self._unite(self.pointee(parameter, inside), given)
            elif not isinstance(parameter.type, IntegerType):
                raise NoSlices(f"the parameter {parameter} is no pointer and no number")
        if call.target is not None and call.returned is not None and isinstance(call.target.type, PointerType):
            self._unite(self.pointee(call.target, spot, written=True), self.pointee(call.returned, inside))

    def are_apart(self, left: Expression, right: Expression, spot: Spot) -> bool:
        """Whether two pointers with values never point to the same object."""
        classes = [self.pointee(side, spot) for side in (left, right)]
        return None not in classes and len({self.find(c) for c in classes if c is not None}) == 2

    def is_lasting(self, pointer: Expression, spot: Spot) -> bool:
        """Whether a pointer is NULL or the address of an object that never ends (`values`)."""
        if spot.edge is None or spot.call or self._has_constant_addresses:
            return False
        return self._lasting.contain(pointer, spot.edge.source)

    @cached_property
    def _has_constant_addresses(self) -> bool:
        initial = (assignment for item in self.memory.program.globals for assignment in item.initial)
        return has_constant_addresses((*initial, *(edge.label for edge in self.memory.cfa.edges)))

    # Results --------------------------------------------------------------------------------------------------------

    def places_to(self, holders: Set[Class], targets: Set[Class]) -> set[Place]:
        """The places where objects of some classes have pointers to objects of others."""
        own = [(self.find(c), place) for c, place in self._places if self.find(c) in holders]
        return {place for c, place in own if self.targets(c).get(place[1]) in targets}

    def mentions(self, variable: Variable) -> bool:
        """Whether an operation is about a global variable."""
        return any(_Key(kind, variable, 0, 0) in self._known for kind in (_POINTER, _OBJECT))

    @property
    def spots(self) -> list[Spot]:
        return self._spots

    def leaders(self) -> set[Class]:
        """All classes."""
        return {self.find(c) for c in range(len(self._parent))}

    @property
    def with_objects(self) -> frozenset[Class]:
        """The classes of variables and of blocks: the others are classes of pointers that are always NULL."""
        return frozenset(self.find(c) for key, c in self._known.items() if key.kind in (_OBJECT, _BLOCK))

    def targets(self, class_: Class) -> dict[int, Class]:
        """The classes to which the cells of a class point, by offset."""
        return {offset: self.find(target) for offset, target in self._cells[class_].items()}

    def variables(self, *, outside: bool = False) -> list[tuple[Variable, Class]]:
        """The pointer variables, each with one of the classes that it points to; those outside of functions only."""
        keys = [key for key in self._known if key.kind == _POINTER and not (outside and key.call)]
        return [(key.variable, self.find(self._known[key])) for key in keys if key.variable is not None]


def _is_number(value: Expression) -> bool:
    return not isinstance(value.type, PointerType) and not isinstance(value, Constant)
