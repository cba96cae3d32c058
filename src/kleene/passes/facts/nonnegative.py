"""Numbers that are never less than 0, in variables and in members of blocks: the heights of nodes.

Guessed of all signed numbers, and taken back where something else may be stored, until nothing is taken back (Flanagan,
Leino. Houdini, an annotation assistant for ESC/Java. FME 2001). A variable must have a value wherever it is read, and a
member wherever anybody but the allocating code can read it. That a sum of such a number and a small constant does not
wrap is an assumption (`sums_behind`), which reports state: C leaves the overflow of signed numbers undefined. It is
made of heights only. What is added to itself is a counter, which loops wrap, and not guessed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from kleene.cfa.dataflow import solve_forward
from kleene.cfa.expressions import (
    AddressOf,
    Binary,
    Cast,
    Comparison,
    Constant,
    Deref,
    Expression,
    Field,
    Unary,
    Variable,
    base_pointer,
    children,
    walk,
    without_casts,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    Allocate,
    Assign,
    Assume,
    Call,
    ChangeGhosts,
    DeclareLocal,
    EndScope,
    Free,
    Havoc,
    Invoke,
    MemCopy,
    MemSet,
    Operation,
    Place,
    Realloc,
    Skip,
    Specified,
    address_taken,
    expressions,
)
from kleene.cfa.program import CProgram
from kleene.cfa.types import ArrayType, IntegerType, RecordType, Type
from kleene.passes.facts.blocks_of_pointers import Blocks
from kleene.passes.facts.liveness import defined_variables, starts, used_variables
from kleene.passes.facts.memory import constant_of
from kleene.passes.facts.relations.number_places import NumberPlace, PlaceSearch
from kleene.passes.rewrite import rewrite

MOST_ADDED = 2
"""The largest constant of a sum that is assumed not to wrap: heights and levels grow by one or two."""
MOST_CONSTANT = 1 << 12
"""The largest constant that is a height: what is larger means infinity, and one more of it wraps."""


class Nonnegative:
    """The variables and members of an automaton that are never less than 0."""

    def __init__(self, program: CProgram, cfa: Cfa[Operation]) -> None:
        self.program, self.cfa = program, cfa
        self._blocks = Blocks(program, cfa)
        self._search = PlaceSearch(cfa, self._blocks)
        self.variables: set[Variable] = set()
        self.places: set[NumberPlace] = set()
        if self._is_seen:
            self._guess()
            while self._take_back():
                pass

    @cached_property
    def _is_seen(self) -> bool:
        """Whether every store is seen: no unknown code, no contracts."""
        unseen = any(isinstance(edge.label, Call | Specified | ChangeGhosts) for edge in self.cfa.edges)
        return self._blocks.known and not unseen

    def holds(self, value: Expression) -> bool:
        """Whether a number is never less than 0."""
        match value:
            case Constant(value=number):
                return isinstance(number, int) and 0 <= number <= MOST_CONSTANT
            case Comparison():
                return True
            case Variable() if value in self.variables:
                return True
            case Cast(operand=operand, type=IntegerType() as type_) if isinstance(operand.type, IntegerType):
                fits = operand.type.bits < type_.bits or (operand.type.bits == type_.bits and operand.type.signed)
                return fits and (not operand.type.signed or self.holds(operand))
            case Binary(operator="+", left=left, right=right) if _is_signed(value.type):
                constants = [n for side in (left, right) if (n := constant_of(side)) is not None]
                return constants != [] and max(constants) <= MOST_ADDED and self.holds(left) and self.holds(right)
            case Field(bit_width=None):
                places = self._search.places(value)
                return bool(places) and places is not None and places <= self.places
        return False

    def is_positive(self, value: Expression) -> bool:
        """Whether a number is always more than 0."""
        match value:
            case Constant(value=number):
                return isinstance(number, int) and number > 0
            case Binary(operator="+", left=left, right=right):
                return self.holds(value) and (self.is_positive(left) or self.is_positive(right))
        return False

    def sums_behind(self, numbers: set[Expression]) -> list[Place]:
        """Where sums are made that numbers depend on: they are assumed not to wrap."""
        waiting = [n for number in numbers for n in walk(number) if isinstance(n, Variable | Field)]
        seen, sums = set(waiting), list[Place]()
        while waiting:
            number = waiting.pop()
            places = self._search.places(number) if isinstance(number, Field) else None
            for edge in self.cfa.edges:
                for target, value in _stores(edge.label):
                    is_same = target == number or (places and places & (self._search.places(target) or set()))
                    if is_same and self.holds(value):
                        sums += [edge.label.place] if any(map(_is_sum, walk(value))) else []
                        new = [n for n in walk(value) if isinstance(n, Variable | Field) and n not in seen]
                        seen.update(new)
                        waiting += new
        return sums

    # Guesses ----------------------------------------------------------------------------------------------------

    def _guess(self) -> None:
        hidden = address_taken(self._blocks.operations)
        stored = [v for edge in self.cfa.edges for v in defined_variables(edge.label)]
        self.variables = {v for v in stored if _is_signed(v.type) and not v.is_global and v not in hidden}
        fields = [node for node in self._search.nodes if isinstance(node, Field) and _is_signed(node.type)]
        asked = {place for node in fields if node.bit_width is None for place in self._search.places(node) or ()}
        whole = {kind for kind, stride in self._search.strides({p.kind for p in asked}).items() if not stride}
        made = {self._blocks.of_allocation(o) for o in self._operations if isinstance(o, Allocate) and not o.stack}
        self.places = {place for place in asked if place.kind in whole & made - self._objects}
        self.variables -= self._read_open

    @property
    def _operations(self) -> Iterator[Operation]:
        return (edge.label for edge in self.cfa.edges)

    @cached_property
    def _objects(self) -> set[object]:
        """The kinds of variables that are objects in memory: they may have no value, or an initial one."""
        declared = [o.variable for o in self._operations if isinstance(o, DeclareLocal)]
        variables = [*declared, *(g.variable for g in self.program.globals)]
        return {self._blocks.of_object(v) for v in variables if self.is_object(v)}

    def is_object(self, variable: Variable) -> bool:
        """Whether a variable is in memory, where pointers may point to it."""
        return self._blocks.memory.kind(variable) == "object"

    @cached_property
    def _read_open(self) -> set[Variable]:
        """The variables that may be read without a value."""
        every = frozenset(self.variables)

        def after(edge: Edge[Operation], before: frozenset[Variable]) -> frozenset[Variable]:
            defined = frozenset(defined_variables(edge.label)) & every
            is_open = isinstance(edge.label, DeclareLocal | EndScope)
            return before | defined if is_open else before - defined

        at = solve_forward(
            self.cfa,
            dict.fromkeys(starts(self.cfa), every),
            after,
            lambda _, known, new: None if new <= known else known | new,
        )
        return {
            v for edge in self.cfa.edges for v in used_variables(edge.label) if v in at.get(edge.source, frozenset())
        }

    # Stores -----------------------------------------------------------------------------------------------------

    def _take_back(self) -> bool:
        """Take back what an operation does not keep; true if there was something."""
        before = len(self.variables) + len(self.places)
        for edge in self.cfa.edges:
            self._check(edge)
        return len(self.variables) + len(self.places) < before

    def _check(self, edge: Edge[Operation]) -> None:
        label = edge.label
        match label:
            case Assign(target=target, value=value):
                self._store(target, value)
            case Invoke():
                for assignment in label.assignments:
                    self._store(assignment.target, assignment.value)
            case Havoc(target=target):
                self._store(target, None)
            case Allocate():
                self._store(label.target, None)
                kind = self._blocks.of_allocation(label)
                for place in [p for p in self.places if p.kind == kind]:
                    if not label.zeroed and not _Initialised(self, edge, place).holds:
                        self.places.discard(place)
            case Realloc():
                self._store(label.target, None)
                self._drop({self._blocks.of_allocation(label)} | (self._blocks.of_value(label.pointer) or set()))
            case MemSet(pointer=pointer, value=value) if constant_of(value) != 0:
                self._drop(self._blocks.of_value(pointer))
            case MemCopy(destination=pointer):
                self._drop(self._blocks.of_value(pointer))

    def _store(self, target: Expression, value: Expression | None) -> None:
        if isinstance(target, Variable):
            if value is None or self._counts(target, value) or not self.holds(value):
                self.variables.discard(target)
            if not self.is_object(target):
                return
        spots = self._blocks.address_places(target)
        if spots is None:
            self.places.clear()
        elif isinstance(target.type, RecordType):
            self._drop(frozenset(kind for kind, _ in spots))
        elif value is None or self._counts(target, value) or not self.holds(value):
            own = {place for place in self.places if (place.kind, place.offset) in spots}
            self.places -= own

    def _counts(self, target: Expression, value: Expression) -> bool:
        """Whether the value of a target is a sum that contains what the target was: variables hold it on the way."""
        target, is_sum, is_same = self._named(target), False, False
        waiting, seen = [value], {value}
        while waiting:
            for node in walk(waiting.pop()):
                is_sum |= _is_sum(node)
                is_same |= self._named(node) == target
                new = [v for v in self._values.get(node, ()) if v not in seen] if isinstance(node, Variable) else []
                seen.update(new)
                waiting += new
        return is_sum and is_same

    @cached_property
    def _values(self) -> dict[Expression, list[Expression]]:
        """What variables of numbers get."""
        values: dict[Expression, list[Expression]] = {}
        for operation in self._operations:
            for target, value in _stores(operation):
                if isinstance(target, Variable) and _is_number(target):
                    values.setdefault(target, []).append(value)
        return values

    @cached_property
    def _copies(self) -> dict[Variable, Variable]:
        """One name for all pointers that are copies of each other somewhere."""
        names: dict[Variable, Variable] = {}
        for operation in self._operations:
            for target, value in _stores(operation):
                source = without_casts(value)
                if isinstance(target, Variable) and isinstance(source, Variable) and not _is_number(target):
                    old, new = names.get(target, target), names.get(source, source)
                    same = [v for v, name in names.items() if name == old]
                    names |= dict.fromkeys([*same, target, source], new)
        return names

    def _named(self, number: Expression) -> Expression:
        """A member with one name for all pointers that are copies of each other."""
        if not isinstance(number, Field):
            return number
        return rewrite(number, lambda n: self._copies.get(n, n) if isinstance(n, Variable) else n)

    def _drop(self, kinds: frozenset[object] | set[object] | None) -> None:
        self.places = {p for p in self.places if kinds is not None and p.kind not in kinds}

    def stores(self, operation: Operation, pointers: frozenset[Expression], place: NumberPlace) -> bool:
        """Whether an operation stores a number at a place of the block of one of the pointers."""
        target = operation.target if isinstance(operation, Assign) else None
        return isinstance(target, Field) and base_pointer(target) in pointers and self._search.places(target) == {place}

    def reads(self, expression: Expression, pointers: frozenset[Expression], place: NumberPlace) -> bool:
        """Whether an expression may read a place of the block of one of the pointers, or pass the pointer on."""
        if isinstance(expression, Variable):
            return expression in pointers
        if isinstance(expression, Field) and base_pointer(expression) in pointers:
            is_whole = isinstance(expression.type, RecordType | ArrayType)
            return is_whole or place in (self._search.places(expression) or ())
        if isinstance(expression, AddressOf):
            return not pointers.isdisjoint(walk(expression))
        return any(self.reads(part, pointers, place) for part in children(expression))


class _Initialised:
    """Whether the code behind an allocation stores a number in a member before anybody else can read it."""

    def __init__(self, numbers: Nonnegative, edge: Edge[Operation], place: NumberPlace) -> None:
        self.numbers, self.place = numbers, place
        target = edge.label.target if isinstance(edge.label, Allocate) else None
        self.holds = False
        holder = target.pointer if isinstance(target, Deref) else target
        if target is not None and isinstance(holder, Variable) and not numbers.is_object(holder):
            self.holds = self._follow(edge.target, frozenset((target,)))

    def _follow(self, first: str, pointer: frozenset[Expression]) -> bool:
        waiting, seen = [(first, pointer)], {(first, pointer)}
        while waiting:
            here, pointers = waiting.pop()
            for edge in self.numbers.cfa.leaving(here):
                if self._ends(edge.label, pointers):
                    continue
                following = self._pointers_after(edge.label, pointers)
                if following is None:
                    return False
                if (edge.target, following) not in seen:
                    seen.add((edge.target, following))
                    waiting.append((edge.target, following))
        return True

    def _ends(self, label: Operation, pointers: frozenset[Expression]) -> bool:
        """Whether the member has a number now, or the block is not there."""
        if isinstance(label, Free) and label.pointer in pointers:
            return True
        if isinstance(label, MemSet) and label.pointer in pointers:
            bytes_set = constant_of(label.size) or 0
            return constant_of(label.value) == 0 and bytes_set >= self.place.offset + self.place.type.size
        if isinstance(label, Assume) and isinstance(label.condition, Comparison):
            sides, operator = (label.condition.left, label.condition.right), label.condition.operator
            is_null = any(s in pointers for s in sides) and any(constant_of(s) == 0 for s in sides)
            return is_null and operator == ("==" if label.truth else "!=")
        if not self.numbers.stores(label, pointers, self.place):
            return False
        assert isinstance(label, Assign)
        if _places_of(pointers):
            return self._is_apart(label.value, pointers)
        return not self.numbers.reads(label.value, pointers, self.place)

    def _pointers_after(self, label: Operation, pointers: frozenset[Expression]) -> frozenset[Expression] | None:
        """The variables that point to the block; None if something else may read it."""
        if _places_of(pointers):
            return self._pointers_after_in_memory(label, pointers)
        if isinstance(label, Skip | DeclareLocal | EndScope):
            return pointers.difference(defined_variables(label)) or None
        if isinstance(label, Assume) and isinstance(label.condition, Comparison):
            sides = (label.condition.left, label.condition.right)
            if any(s in pointers for s in sides) and any(constant_of(s) == 0 for s in sides):
                return pointers
        if isinstance(label, Assign) and label.value in pointers and isinstance(label.target, Variable):
            return None if self.numbers.is_object(label.target) else pointers | {label.target}
        if not isinstance(label, Assume | Assign | Havoc | Allocate | MemSet):
            return None
        parts = [x for x in expressions(label) if x not in defined_variables(label)]
        if any(self.numbers.reads(x, pointers, self.place) for x in parts):
            return None
        return pointers.difference(defined_variables(label)) or None

    def _pointers_after_in_memory(
        self, label: Operation, pointers: frozenset[Expression]
    ) -> frozenset[Expression] | None:
        """As before, where memory has a pointer to the block, as in ``*t = malloc(...)``: any other read may be of it.

        A write to the block leaves ``*t`` alone: `t` had its value before the block was there.
        """
        changed = frozenset[Expression](defined_variables(label))
        if not changed.isdisjoint(_places_of(pointers)):
            return None
        match label:
            case Skip() | DeclareLocal() | EndScope():
                is_apart = True
            case Assume(condition=Comparison(left=left, right=right)) if pointers & {left, right}:
                is_apart = constant_of(left) == 0 or constant_of(right) == 0
            case Assume(condition=condition):
                is_apart = self._is_apart(condition, pointers)
            case Assign(target=Variable() as target, value=value) if value in pointers:
                return None if self.numbers.is_object(target) else pointers | {target}
            case Assign(target=target, value=value):
                is_own = isinstance(target, Field) and base_pointer(target) in pointers
                is_own = is_own or (isinstance(target, Variable) and not self.numbers.is_object(target))
                is_apart = is_own and self._is_apart(value, pointers)
            case Havoc(target=Variable() as target):
                is_apart = not self.numbers.is_object(target)
            case _:
                is_apart = False
        return pointers - changed if is_apart else None

    def _is_apart(self, value: Expression, pointers: frozenset[Expression]) -> bool:
        """Whether a value is made of variables and of other members of the block, and is not a pointer to it."""
        match value:
            case Constant():
                return True
            case Variable():
                return value not in pointers and not self.numbers.is_object(value)
            case Field() if base_pointer(value) in pointers:
                return not self.numbers.reads(value, pointers, self.place)
            case Cast() | Binary() | Comparison() | Unary():
                return all(self._is_apart(part, pointers) for part in children(value))
        return False


def _places_of(pointers: frozenset[Expression]) -> frozenset[Expression]:
    """The variables that point to places in memory which hold one of the pointers."""
    return frozenset(p.pointer for p in pointers if isinstance(p, Deref))


def _stores(operation: Operation) -> Iterator[tuple[Expression, Expression]]:
    for assignment in operation.assignments if isinstance(operation, Invoke) else (operation,):
        if isinstance(assignment, Assign):
            yield assignment.target, assignment.value


def _is_number(value: Expression) -> bool:
    return isinstance(value.type, IntegerType)


def _is_sum(node: Expression) -> bool:
    return isinstance(node, Binary) and node.operator == "+"


def _is_signed(type_: Type) -> bool:
    return isinstance(type_, IntegerType) and type_.signed and not type_.boolean
