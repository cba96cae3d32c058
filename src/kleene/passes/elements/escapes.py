"""Pointers to elements, other than the array itself: which are left when a block ends, which are inside of a block.

``p = &a[i]; free(a); *p`` reads a slot that is not the first one: where such a pointer is left, all slots end with the
block. In ``for (p = &a[i]; *p; p = &(*p)->next)`` the pointer is to an element or to a member of something else, and
never to the end of the array.
"""

from __future__ import annotations

from functools import cached_property

from kleene.cfa.expressions import AddressOf, Cast, Constant, Deref, Expression, Field, Index, PointerOffset, Variable
from kleene.cfa.operations import Allocate, Assign, Enter, Havoc, Invoke, Operation, Realloc
from kleene.cfa.types import INT, PointerType
from kleene.passes.elements.chosen import Chosen, bare
from kleene.passes.elements.slots import leads_to_array
from kleene.passes.facts.liveness import live_before
from kleene.passes.facts.relations.questions import Relations


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
