"""One operation as a slice sees it.

A slice keeps some classes of objects, with all classes from which pointers lead to them. An operation on other objects
is left out: that it is right is shown by a slice that keeps these. What it reads from objects that are kept, on its way
to the others, is still accessed. A number that it reads from other objects may be any number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, replace
from functools import cached_property

from kleene.cfa.expressions import (
    AddressOf,
    Comparison,
    Constant,
    Deref,
    Expression,
    Field,
    Index,
    Variable,
    children,
    variables,
    walk,
)
from kleene.cfa.graph import Edge
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
    Place,
    Print,
    Realloc,
    Return,
    Skip,
    Unsupported,
    expressions,
)
from kleene.cfa.types import INT, IntegerType, PointerType
from kleene.passes.attempts.slices.classes import Class, Classes, NoSlices, Spot
from kleene.passes.attempts.slices.values import equal_pointers


@dataclass(frozen=True)
class Projected:
    """What is left of an operation.

    `kept` is always executed. `number` is executed after it if the slice needs the number that it changes. `test` is a
    condition on numbers, which is kept if the slice needs to know which way is taken.
    """

    kept: tuple[Operation, ...] = ()
    number: Operation | None = None
    test: Operation | None = None

    @property
    def matters(self) -> bool:
        """Whether it accesses objects, changes pointers, or ends the program."""
        return not all(
            isinstance(operation, DeclareLocal | EndScope | Enter | Invoke | Leave) for operation in self.kept
        )


class Projection:
    """The operations of a program as one slice sees them."""

    def __init__(self, classes: Classes, kept: Set[Class], left_calls: Set[int] = frozenset()) -> None:
        self.classes = classes
        self.memory = classes.memory
        self.kept = kept
        self.left_calls = left_calls
        """The calls from outside that the slice leaves out, by edge."""
        self.mixed = self._mixed_variables()
        """Pointers that point to objects that are kept at one time, and to others at another time."""

    def keeps(self, class_: Class | None) -> bool:
        return class_ is None or self.classes.find(class_) in self.kept

    def _mixed_variables(self) -> frozenset[Variable]:
        seen: dict[Variable, set[bool]] = {}
        for variable, class_ in self.classes.variables(outside=True):
            seen.setdefault(variable, set()).add(self.keeps(class_))
        return frozenset(variable for variable, kept in seen.items() if len(kept) > 1)

    # Operations -----------------------------------------------------------------------------------------------------

    def project(self, operation: Operation, spot: Spot) -> Projected:
        """What is left of an operation; raises NoSlices if that cannot be told."""
        match operation:
            case Skip():
                return Projected()
            case Error() | Unsupported() | Leave(result=None):
                return Projected((operation,))
            case Leave(result=result) if result is not None:
                return Projected(
                    (operation if self._is_kept_variable(result, spot) else replace(operation, result=None),)
                )
            case Enter(parameters=parameters):
                own = tuple(p for p in parameters if self._is_kept_variable(p, spot))
                return Projected((replace(operation, parameters=own),))
            case Invoke():
                return self._call(operation, spot)
            case Exit(status=status):
                touched = self._touches(operation, spot)
                return Projected(
                    (*touched, replace(operation, status=Constant(0, INT) if status is not None else None))
                )
            case Return():
                return Projected((*self._touches(operation, spot), replace(operation, value=None)))
            case DeclareLocal(variable=variable):
                return self._declaration(operation, variable, spot)
            case EndScope(variables=ended):
                own = tuple(v for v in ended if self._is_kept_in_memory(v, spot))
                numbers = tuple(v for v in ended if self.memory.kind(v) == "integer")
                number = replace(operation, variables=numbers) if numbers else None
                return Projected((replace(operation, variables=own),) if own else (), number)
            case Assume():
                return self._test(operation, spot)
            case Print(texts=texts):
                own_texts = tuple(text for text in texts if self._is_visible(text, spot))
                touched = self._touches(replace(operation, texts=()), spot)
                if not own_texts:
                    return Projected(touched)
                return Projected((*touched, replace(operation, arguments=(), texts=own_texts)))
            case Free(pointer=pointer) | HandOut(pointer=pointer) | MemSet(pointer=pointer):
                is_kept = self.keeps(self.classes.pointee(pointer, spot))
                return self._whole(operation, spot) if is_kept else Projected(self._touches(operation, spot))
            case Allocate(target=target) | Realloc(target=target):
                if self.keeps(self.classes.pointee(target, spot, written=True)):
                    return self._whole(operation, spot)
                return Projected((*self._touches(operation, spot), *self._overwritten(operation.place, target)))
            case Assign(target=target) | Havoc(target=target):
                return self._assignment(operation, target, spot)
        raise NoSlices(f"'{operation}' is not understood")

    def _whole(self, operation: Operation, spot: Spot) -> Projected:
        """An operation on objects of the slice must not need what other slices have."""
        target = getattr(operation, "target", None)
        nodes = [n for x in expressions(operation) for n in (_inside(x) if x is target else _read_nodes(x))]
        if not all(self._is_kept_node(node, spot) for node in nodes):
            raise NoSlices(f"'{operation}' needs what another slice has")
        return Projected((operation,))

    def _assignment(self, operation: Assign | Havoc, target: Expression, spot: Spot) -> Projected:
        value = operation.value if isinstance(operation, Assign) else None
        sees = value is None or self._is_visible(value, spot)
        if isinstance(target.type, PointerType):
            holds = not self.classes.is_in_memory(target) or self.keeps(self.classes.object_of(target, spot))
            if holds and self.keeps(self.classes.pointee(target, spot, written=True)):
                return self._whole(operation, spot)
            return Projected((*self._touches(operation, spot), *self._overwritten(operation.place, target)))
        if self.classes.is_in_memory(target):
            if not self._is_visible(target, spot):
                return Projected(self._touches(operation, spot))
            if sees:
                return self._whole(operation, spot)
            if not isinstance(target.type, IntegerType):
                raise NoSlices(f"'{operation}' stores what another slice has")
            return Projected((*self._touches(operation, spot), Havoc(operation.place, target)))
        if not isinstance(target.type, IntegerType):
            return Projected(self._touches(operation, spot))
        touched = self._touches(operation, spot)
        if not sees:
            return Projected(touched, Havoc(operation.place, target))
        return Projected(touched, operation)

    def _test(self, operation: Assume, spot: Spot) -> Projected:
        condition = operation.condition
        if not self._is_visible(condition, spot):
            return Projected((*self._touches(operation, spot), *self._null_pointers(operation, spot)))
        looks = any(self.memory.kind(v) != "integer" for v in variables(condition)) or _has_memory(condition)
        return Projected((operation,)) if looks else Projected(test=operation)

    def _null_pointers(self, operation: Assume, spot: Spot) -> Iterator[Operation]:
        """A pointer of the slice that is equal to a lasting one of another slice is NULL."""
        sides = equal_pointers(operation)
        if sides is None or not self.classes.are_apart(*sides, spot):
            return
        for side, other in (sides, sides[::-1]):
            if self._is_visible(side, spot) and self.classes.is_lasting(other, spot):
                yield Assume(operation.place, Comparison("==", side, Constant(0, side.type)), truth=True)

    def _declaration(self, operation: DeclareLocal, variable: Variable, spot: Spot) -> Projected:
        if self.memory.kind(variable) == "integer":
            return Projected(number=operation)
        return Projected((operation,) if self._is_kept_in_memory(variable, spot) else ())

    def _overwritten(self, place: Place, target: Expression) -> tuple[Operation, ...]:
        """A pointer to an object that is kept points to another one from now on."""
        if isinstance(target, Variable) and target in self.mixed:
            return (Assign(place, target, Constant(0, target.type)),)
        return ()

    def _call(self, operation: Invoke, spot: Spot) -> Projected:
        call = spot.call or id(spot.edge)
        if call in self.left_calls:
            target = operation.target
            if target is not None and self.memory.kind(target) == "integer":
                return Projected(number=Havoc(operation.place, target))
            return Projected((), None) if target is None else Projected(self._overwritten(operation.place, target))
        inside = Spot(None, call)
        pairs = [
            (argument, parameter)
            for argument, parameter in zip(operation.arguments, operation.parameters, strict=True)
            if self._is_kept_variable(parameter, inside)
        ]
        target, returned = operation.target, operation.returned
        if target is not None and returned is not None and not self._is_kept_variable(returned, inside):
            target = returned = None
        kept = replace(
            operation,
            arguments=tuple(argument for argument, _ in pairs),
            parameters=tuple(parameter for _, parameter in pairs),
            target=target,
            returned=returned,
        )
        lost = operation.target if target is None else None
        return Projected((kept, *(self._overwritten(operation.place, lost) if lost is not None else ())))

    def gives_pointer(self, call: Edge[Operation]) -> bool:
        """Whether the result of a call is a pointer of the slice: it may have no value, if nothing assigns it."""
        assert isinstance(call.label, Invoke)
        returned = call.label.returned if call.label.target is not None else None
        return (
            returned is not None
            and self.memory.kind(returned) == "pointer"
            and self._is_kept_variable(returned, Spot(None, id(call)))
        )

    # Variables and expressions ----------------------------------------------------------------------------------------

    def _is_kept_variable(self, variable: Variable, spot: Spot) -> bool:
        """Whether a parameter or a result belongs to the slice; numbers do."""
        if self.memory.kind(variable) == "pointer":
            return self.keeps(self.classes.variable(variable, spot))
        return self.memory.kind(variable) == "integer"

    def keeps_global(self, variable: Variable) -> bool:
        """Whether a global pointer or object belongs to the slice."""
        everywhere = Spot(None)
        if not self.classes.mentions(variable):
            return False
        if self.memory.kind(variable) == "pointer":
            return self.keeps(self.classes.variable(variable, everywhere))
        return self.keeps(self.classes.object_of(variable, everywhere))

    def _is_kept_in_memory(self, variable: Variable, spot: Spot) -> bool:
        """Whether a pointer or an object belongs to the slice."""
        kind = self.memory.kind(variable)
        if kind == "object":
            return self.keeps(self.classes.object_of(variable, spot))
        return kind == "pointer" and variable in self.kept_variables

    @cached_property
    def kept_variables(self) -> frozenset[Variable]:
        """The pointers that point to objects of the slice at some time."""
        return frozenset(variable for variable, class_ in self.classes.variables() if self.keeps(class_))

    def _is_visible(self, expression: Expression, spot: Spot) -> bool:
        """Whether all that the value of an expression depends on belongs to the slice."""
        return all(self._is_kept_node(node, spot) for node in _read_nodes(expression))

    def _is_kept_node(self, node: Expression, spot: Spot) -> bool:
        if isinstance(node, AddressOf):
            return self.keeps(self.classes.object_of(node.target, spot))
        if self.classes.is_in_memory(node):
            own = self.keeps(self.classes.object_of(node, spot))
            if own and isinstance(node.type, PointerType):
                return self.keeps(self.classes.cell(node, spot))
            return own
        if isinstance(node, Variable) and self.memory.kind(node) == "pointer":
            return self.keeps(self.classes.variable(node, spot))
        return True

    def hidden_classes(self, operation: Operation, spot: Spot) -> set[Class]:
        """The classes of other slices on which what an operation reads depends."""
        target = getattr(operation, "target", None)
        hidden: set[Class] = set()
        for expression in expressions(operation):
            for node in _read_nodes(expression) if expression is not target else ():
                if not self._is_kept_node(node, spot):
                    hidden |= self._classes_of(node, spot) - self.kept
        return hidden

    def _classes_of(self, node: Expression, spot: Spot) -> set[Class]:
        own = set()
        if self.classes.is_in_memory(node):
            own.add(self.classes.object_of(node, spot))
        if isinstance(node.type, PointerType) and (to := self.classes.pointee(node, spot)) is not None:
            own.add(to)
        return {self.classes.find(c) for c in own}

    def _touches(self, operation: Operation, spot: Spot) -> tuple[Operation, ...]:
        """What an operation reads from objects of the slice, though it is left out.

        A pointer of the slice to another object is not read: the slice of that object does it.
        """
        target = getattr(operation, "target", None)
        touches: dict[Operation, None] = {}
        for expression in expressions(operation):
            for node in _value_nodes(expression) if expression is not target else ():
                if self._is_visible(node, spot) and _has_memory(node):
                    touches[Print(operation.place, None, (node,))] = None
        return tuple(touches)


def accesses(operations: Iterable[Operation]) -> set[tuple[type, Expression]]:
    """What operations read, write, free or print: a memory error is an error of one of these."""
    every: set[tuple[type, Expression]] = set()
    for operation in operations:
        for node in (n for x in expressions(operation) for n in walk(x)):
            if isinstance(node, Field | Index | Deref):
                every.add((type(node), node))
        match operation:
            case Free(pointer=p) | HandOut(pointer=p) | MemSet(pointer=p) | Realloc(pointer=p):
                every.add((type(operation), p))
            case Print(texts=texts):
                every |= {(Print, text) for text in texts}
    return every


def numbers_of_places(operation: Operation) -> Iterator[tuple[Expression, Expression]]:
    """What is read from memory to know which element of an array is accessed, each with the element."""
    for element in (n for x in expressions(operation) for n in walk(x) if isinstance(n, Index)):
        yield from ((element, node) for node in _read_nodes(element.index) if _has_memory(node))


def _has_memory(expression: Expression) -> bool:
    return isinstance(expression, Field | Index | Deref) or any(map(_has_memory, children(expression)))


def _value_nodes(expression: Expression) -> Iterator[Expression]:
    """The variables, addresses and places in memory whose values an expression is made of."""
    if isinstance(expression, Field | Index | Deref | AddressOf | Variable):
        yield expression
    else:
        for part in children(expression):
            yield from _value_nodes(part)


def _read_nodes(expression: Expression) -> Iterator[Expression]:
    """The same, with all that is read to know where they are."""
    for node in _value_nodes(expression):
        yield node
        yield from _inside(node.target if isinstance(node, AddressOf) else node)


def _inside(lvalue: Expression) -> Iterator[Expression]:
    """What is read to know where an lvalue is."""
    match lvalue:
        case Field(base=base):
            yield from _inside(base)
        case Index(base=base, index=index):
            yield from _inside(base)
            yield from _read_nodes(index)
        case Deref(pointer=pointer):
            yield from _read_nodes(pointer)
