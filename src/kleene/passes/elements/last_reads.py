"""Where an element of an array is read for the last time before the array is freed, and goes to another array.

A table that grows moves what is in its old array to a new one, and frees the old one. Up to there the old elements still
point to what was moved, so that everything seems to be shared by two arrays. What is read for the last time is as if it
had not been initialized afterwards (`Lists.move`). So nothing here has to be right: a program that uses the element once
more has an alarm, and one whose old array held the last pointer to a block loses it sooner.
"""

from __future__ import annotations

from collections.abc import Iterator

from kleene.cfa.expressions import Deref, Expression, PointerOffset, Variable, walk
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, DeclareLocal, EndScope, Error, Free, Operation, expressions
from kleene.cfa.types import PointerType
from kleene.passes.elements.chosen import Chosen, bare
from kleene.passes.facts.liveness import defined_variables

Element = tuple[Expression, Variable | None]
"""An array and the variable that is the index; of a pointer that walks, the pointer and itself."""


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
