"""Reads of elements as operations of their own: ``$element1 = a[i]`` before ``$element1->size < n``.

So are reads of members that point to parts of blocks: ``$element2 = $element1->name`` before ``*$element2``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kleene.cfa.expressions import AddressOf, Constant, Deref, Expression, Field, Index, Variable
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Allocate, Assign, DeclareLocal, EndScope, Operation, Realloc
from kleene.passes.attempts.owned.selection import Owned
from kleene.passes.elements.chosen import bare
from kleene.passes.rewrite import Choice, expand_edges, with_parts

ELEMENT = "$element"
"""How the names of the variables begin that get the value of an element."""


def with_loads(cfa: Cfa[Operation], own: Owned) -> tuple[Cfa[Operation], tuple[Variable, ...]]:
    """The automaton in which elements are only read into variables, or set to one; and the new variables."""
    loads = _Loads(own)
    return expand_edges(cfa, loads.expand, " load "), tuple(loads.variables)


class _Loads:
    def __init__(self, own: Owned) -> None:
        self.own = own
        self.variables: list[Variable] = []
        self.before: list[Operation] = []

    def expand(self, edge: Edge[Operation]) -> list[Choice] | None:
        label = edge.label
        if isinstance(label, DeclareLocal | EndScope) or self._is_plain(label):
            return None
        self.before = []
        after: list[Operation] = []
        target: Any = getattr(label, "target", None)
        if isinstance(label, Allocate | Realloc) and self.own.is_element(target):
            fresh = self._variable(target)
            after = [Assign(label.place, self._place(target, label), fresh)]
            label = replace(label, target=fresh)
        elif isinstance(label, Assign) and self.own.is_element(target):
            value = self._value(label.value, label)
            if not self._is_simple(value):
                fresh = self._variable(target)
                self.before.append(Assign(label.place, fresh, value))
                value = fresh
            label = replace(label, target=self._place(target, label), value=value)
        elif isinstance(label, Assign) and isinstance(target, Variable) and self._is_loaded(bare(label.value)):
            label = replace(label, value=self._around(label.value, label))
        else:
            old = label
            label = with_parts(label, lambda x: self._value(x, old) if x is not target else self._place(x, old))
        operations = (*self.before, label, *after)
        return [Choice(None, operations)] if operations != (edge.label,) else None

    def _is_plain(self, label: Operation) -> bool:
        """Whether there is no element in an operation."""
        found: list[Expression] = []

        def look(x: Expression) -> Expression:
            found.append(x)
            return with_parts(x, look)

        with_parts(label, look)
        return not any(map(self._is_loaded, found))

    def _is_loaded(self, value: Expression) -> bool:
        return self.own.is_inside(value) or self.own.is_part_member(value)

    def _is_simple(self, value: Expression) -> bool:
        inner = bare(value)
        return isinstance(inner, Variable | Constant) or (
            isinstance(inner, AddressOf) and isinstance(inner.target, Variable)
        )

    def _variable(self, element: Expression) -> Variable:
        variable = Variable(f"{ELEMENT}{len(self.variables) + 1}", element.type)
        self.variables.append(variable)
        return variable

    def _around(self, value: Expression, label: Operation) -> Expression:
        """An element or a member inside of conversions, with what is in its index."""
        if isinstance(value, Deref | Field | Index):
            return self._place(value, label)
        return with_parts(value, lambda x: self._around(x, label))

    def _place(self, lvalue: Expression, label: Operation) -> Expression:
        """An lvalue that is not read itself."""
        if isinstance(lvalue, Variable):
            return lvalue
        if isinstance(lvalue, Deref):
            return replace(lvalue, pointer=self._value(lvalue.pointer, label))
        return with_parts(
            lvalue, lambda x: self._place(x, label) if x is getattr(lvalue, "base", None) else self._value(x, label)
        )

    def _value(self, value: Expression, label: Operation) -> Expression:
        """A value in which no element is read."""
        if isinstance(value, AddressOf):
            whole = self.own.whole(value.target)
            if whole is not None and whole == value.target:
                return self._value(whole.pointer, label)
            return replace(value, target=self._place(value.target, label))
        is_loaded = self._is_loaded(value)
        value = with_parts(value, lambda x: self._value(x, label))
        if not is_loaded:
            return value
        loaded = self._variable(value)
        self.before.append(Assign(label.place, loaded, value))
        return loaded
