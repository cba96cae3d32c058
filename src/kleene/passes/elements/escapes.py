"""Pointers to elements, other than the array itself: which are left when a block ends, which are inside of a block.

``p = &a[i]; free(a); *p`` reads a slot that is not the first one: where such a pointer is left, all slots end with the
block. In ``for (p = &a[i]; *p; p = &(*p)->next)`` the pointer is to an element or to a member of something else, and
never to the end of the array.

A table that grows moves what is in its old array to a new one, and frees the old one. Up to there the old elements
still point to what was moved, so that everything seems to be shared by two arrays. An element that is read for the last
time is as if it had not been initialized afterwards (`Lists.move`). So `last_reads` need not be right: a program that
uses the element once more has an alarm, and one whose old array held the last pointer to a block loses it sooner.
"""

from __future__ import annotations

from collections.abc import Iterator
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
    walk,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    Allocate,
    Assign,
    DeclareLocal,
    EndScope,
    Enter,
    Error,
    Free,
    Havoc,
    Invoke,
    Operation,
    Realloc,
    expressions,
)
from kleene.cfa.types import INT, PointerType
from kleene.passes.elements.chosen import Chosen, bare
from kleene.passes.elements.slots import leads_to_array
from kleene.passes.facts.liveness import defined_variables, live_before
from kleene.passes.facts.relations.questions import Relations

Element = tuple[Expression, Variable | None]
"""An array and the variable that is the index; of a pointer that walks, the pointer and itself."""


class Escapes:
    """The variables and the memory that may hold pointers to slots, other than the array itself."""

    def __init__(self, chosen: Chosen) -> None:
        self.chosen, self.cfa = chosen, chosen.cfa
        self.variables: set[Variable] = set()
        self.in_memory: set[object] = set()
        """The kinds of blocks to whose elements pointers are stored in memory."""
        moves = [pair for edge in self.cfa.edges for pair in _moves(edge.label)]
        while any([self._flow(target, value) for target, value in moves]):  # noqa: C419 (all of them, each time)
            pass
        self._everywhere = any(isinstance(edge.label, Enter) for edge in self.cfa.edges)

    def _flow(self, target: Expression, value: Expression) -> bool:
        """Note that a target gets a pointer to an element; true if that is new."""
        if leads_to_array(target.type) or not self._is_element(value):
            return False
        if isinstance(target, Variable) and target not in self.chosen.taken:
            new = target not in self.variables
            self.variables.add(target)
            return new
        kinds = self.chosen.kinds(value) & self.chosen.slots.keys()
        new = not kinds <= self.in_memory
        self.in_memory |= kinds
        return new

    def _is_element(self, value: Expression) -> bool:
        """Whether a value may be the address of an element, or of a part of one."""
        match value:
            case Cast(operand=operand):
                return self._is_element(operand)
            case PointerOffset(pointer=pointer):
                return self.chosen.slot(pointer) is not None or self._is_element(pointer)
            case AddressOf(target=target):
                while isinstance(target, Field | Index):
                    target = target.base
                return isinstance(target, Deref) and (
                    self.chosen.slot(target.pointer) is not None or self._is_element(target.pointer)
                )
            case Variable() if value in self.variables:
                return True
        if self.chosen.on_stack and self.chosen.kinds(value) & self.chosen.slots.keys():
            return True  # nothing ends the first slot of an array on the stack
        return bool(self.chosen.kinds(value) & self.in_memory)

    @cached_property
    def _live(self) -> dict[str, frozenset[Variable]]:
        return live_before(self.cfa, self.variables)

    def outlive(self, pointer: Expression, location: str) -> bool:
        """Whether a pointer to an element of a block may be used at a location or later."""
        kinds = self.chosen.kinds(pointer)
        if kinds & self.in_memory:
            return True
        live = self._live.get(location, frozenset())
        lasting = {v for v in self.variables if self._everywhere or v.is_global or v in live}
        return any(kinds & self.chosen.kinds(v) for v in lasting)


class SettledPointers:
    """The variables that point to an element inside of its block, to something other than an array, or nowhere."""

    def __init__(self, chosen: Chosen, relations: Relations) -> None:
        self.chosen, self.relations = chosen, relations
        self._others: set[Variable] = set()
        """Variables that may also point to the end of an array, or outside."""
        moves = [(*pair, edge.source) for edge in chosen.cfa.edges for pair in _moves(edge.label)]
        for edge in chosen.cfa.edges:
            if isinstance(edge.label, Allocate | Realloc | Havoc) and isinstance(edge.label.target, Variable):
                self._others.add(edge.label.target)
        grown = True
        while grown:
            before = len(self._others)
            self._others |= {t for t, v, at in moves if isinstance(t, Variable) and not self._is_settled(v, at)}
            grown = len(self._others) > before

    def has(self, pointer: Expression) -> bool:
        """Whether a pointer is one of these variables."""
        inner = bare(pointer)
        return isinstance(inner, Variable) and inner not in self._others and inner not in self.chosen.taken

    def _is_settled(self, value: Expression, location: str) -> bool:
        slot = self.chosen.slot(value)
        match value:
            case Constant():
                return True
            case Cast(operand=operand):
                return self._is_settled(operand, location)
            case PointerOffset(pointer=pointer, index=index, scale=scale) if slot is not None:
                return self.relations.inside(pointer, index, scale, location)
            case AddressOf(target=target):
                while isinstance(target, Field | Index):
                    target = target.base
                return not isinstance(target, Deref) or self._is_settled(target.pointer, location)
            case Variable() if self.has(value):
                return True
        if not self.chosen.kinds(value) & self.chosen.slots.keys():
            return True
        return slot is not None and self.relations.inside(value, Constant(0, INT), slot.element.size, location)


def _moves(operation: Operation) -> list[tuple[Expression, Expression]]:
    """The targets that get a pointer by an operation, with its value."""
    match operation:
        case Invoke(assignments=assignments):
            return [(a.target, a.value) for a in assignments if isinstance(a.target.type, PointerType)]
        case Assign(target=target, value=value) if isinstance(target.type, PointerType):
            return [(target, value)]
        case Realloc(target=target, pointer=pointer):
            return [(target, pointer)]
    return []


def last_reads(cfa: Cfa[Operation], chosen: Chosen) -> frozenset[Edge[Operation]]:
    """The assignments that read an element for the last time, in loops that fill another array."""
    freed = {bare(e.label.pointer) for e in cfa.edges if isinstance(e.label, Free) and not e.label.stack}
    if not any(chosen.only_slots(pointer) for pointer in freed):
        return frozenset()
    loads = [(edge, _loaded(edge.label, chosen)) for edge in cfa.edges]
    origins = _origins(cfa, chosen)
    return frozenset(
        edge for edge, element in loads if element is not None and _Way(cfa, chosen, origins, element).is_last(edge)
    )


def _loaded(label: Operation, chosen: Chosen) -> Element | None:
    """The element that is the value of an assignment of a pointer."""
    value = bare(label.value) if isinstance(label, Assign) else None
    return _element(value, chosen) if isinstance(value, Deref) and isinstance(value.type, PointerType) else None


def _element(access: Deref, chosen: Chosen) -> Element | None:
    pointer = bare(access.pointer)
    if not chosen.only_slots(pointer) or chosen.slot(pointer) is None:
        return None
    if isinstance(pointer, PointerOffset):
        return bare(pointer.pointer), chosen.index_variable(pointer.index)
    return pointer, pointer if isinstance(pointer, Variable) else None


def _origins(cfa: Cfa[Operation], chosen: Chosen) -> dict[Expression, Expression]:
    """The array of which a variable is always a copy, or into which it always points."""
    values: dict[Expression, set[Expression]] = {}
    for edge in cfa.edges:
        label = edge.label
        target = getattr(label, "target", None)
        if isinstance(target, Variable) and isinstance(target.type, PointerType) and chosen.only_slots(target):
            value = bare(label.value) if isinstance(label, Assign) else target
            moved = bare(value.pointer) if isinstance(value, PointerOffset) else value
            if moved != target or not isinstance(label, Assign):
                values.setdefault(target, set()).add(moved)
    return {target: own.pop() for target, own in values.items() if len(own) == 1 and target not in own}


class _Way:
    """The ways from a read of an element to where its array is freed."""

    def __init__(
        self, cfa: Cfa[Operation], chosen: Chosen, origins: dict[Expression, Expression], element: Element
    ) -> None:
        self.cfa, self.chosen, self.element, self.origins = cfa, chosen, element, origins
        self.names = self._names(element[0])

    def _names(self, array: Expression) -> set[Expression]:
        """An array and the variables and members that it is a copy of."""
        names = {array}
        while array in self.origins and self.origins[array] not in names:
            array = self.origins[array]
            names.add(array)
        return names

    def is_last(self, load: Edge[Operation]) -> bool:
        """Whether all ways lead to the end of the array, without another read, and a store to another array."""
        seen = {(load.target, False)}
        waiting = list(seen)
        stores = self._stores_elsewhere(load.label)
        while waiting:
            location, moved = waiting.pop()
            leaving = self.cfa.leaving(location)
            if not leaving:
                return False
            for edge in leaving:
                label = edge.label
                if isinstance(label, Error) or (isinstance(label, Free) and bare(label.pointer) in self.names):
                    continue
                if any(not (moved and own[1] == self.element[1]) for own in self._reads(label)):
                    return False
                stores |= self._stores_elsewhere(label)
                behind = edge.target, moved or self.element[1] in defined_variables(label)
                if edge == load:
                    behind = edge.target, False
                if behind not in seen:
                    seen.add(behind)
                    waiting.append(behind)
        return stores

    def _reads(self, label: Operation) -> Iterator[Element]:
        """The elements of the array that an operation reads."""
        if isinstance(label, DeclareLocal | EndScope):
            return
        target = getattr(label, "target", None)
        inner = (target.pointer,) if isinstance(target, Deref) else ()
        for expression in (*inner, *(x for x in expressions(label) if x is not target)):
            for node in walk(expression):
                element = _element(node, self.chosen) if isinstance(node, Deref) else None
                if element is not None and self._names(element[0]) & self.names:
                    yield element

    def _stores_elsewhere(self, label: Operation) -> bool:
        """Whether a pointer goes to an element of another array."""
        target = bare(label.target) if isinstance(label, Assign) else None
        element = _element(target, self.chosen) if isinstance(target, Deref) else None
        return element is not None and not self._names(element[0]) & self.names
