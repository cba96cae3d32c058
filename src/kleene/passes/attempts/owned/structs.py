"""Structs in arrays, which are copied member by member: ``a[i] = a[j]`` as ``a[i].name = a[j].name``, and so on.

One pointer of an element is then loaded and stored at a time. So is each member of an element that `memset` clears.
"""

from __future__ import annotations

from dataclasses import replace

from kleene.cfa.expressions import Constant, Deref, Expression, Variable, has_dereference
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, MemSet, Operation
from kleene.passes.attempts.owned.selection import Owned
from kleene.passes.elements.chosen import bare
from kleene.passes.facts.memory import constant_of
from kleene.passes.rewrite import Choice, expand_edges

HELD_POINTER = "$struct"
"""How the names of the variables begin that hold the pointer to a struct while it is copied."""


def with_members_copied(cfa: Cfa[Operation], own: Owned) -> tuple[Cfa[Operation], tuple[Variable, ...]]:
    """The automaton in which structs in the array are copied member by member, and its new variables."""
    if not own.shape.is_struct:
        return cfa, ()
    copies = _Copies(own)
    return expand_edges(cfa, copies.expand, " struct "), tuple(copies.variables)


class _Copies:
    def __init__(self, own: Owned) -> None:
        self.own = own
        self.variables: list[Variable] = []
        self.before: list[Operation] = []

    def expand(self, edge: Edge[Operation]) -> list[Choice] | None:
        label, parts = edge.label, self.own.shape.parts
        self.before = []
        match label:
            case Assign(target=target, value=value) if self.own.copied_structs(label):
                sides = self._held(target, label), self._held(value, label)
                copies = [Assign(label.place, p.of(sides[0]), p.of(sides[1])) for p in parts]
            case MemSet(pointer=pointer) if self._clears_one(label):
                element = self._held(Deref(bare(pointer), self.own.shape.element), label)
                copies = [Assign(label.place, p.of(element), Constant(0, p.type)) for p in parts]
            case _:
                return None
        return [Choice(None, (*self.before, *copies))]

    def _clears_one(self, label: MemSet) -> bool:
        is_zero = constant_of(label.value) == 0 and constant_of(label.size) == self.own.scale
        return is_zero and self.own.is_array(label.pointer)

    def _held(self, lvalue: Expression, label: Operation) -> Expression:
        """The lvalue by way of a variable, if what is copied may change the pointer to it."""
        if not isinstance(lvalue, Deref) or not has_dereference(lvalue.pointer):
            return lvalue
        held = Variable(f"{HELD_POINTER}{len(self.variables) + 1}", lvalue.pointer.type)
        self.variables.append(held)
        self.before.append(Assign(label.place, held, lvalue.pointer))
        return replace(lvalue, pointer=held)
