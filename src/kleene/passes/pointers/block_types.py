"""The types of blocks from an allocator that returns `void *`.

Objects of one size but different types are told apart by the type that they are made for (`facts/memory.py`). For a
block from `malloc` this is the type of the pointer that gets it. For one from a function of the program, such as
`xmalloc`, it is the type that the pointer gets first on its way through copies. Any choice is sound, because an object
keeps its type whatever a pointer to it is cast to.
"""

from __future__ import annotations

from dataclasses import replace

from kleene.cfa.expressions import Cast, Expression, Variable, without_casts
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Allocate, Assign, Operation
from kleene.cfa.types import PointerType, RecordType, Type, VoidType
from kleene.passes.facts.memory import constant_of


def with_block_types(cfa: Cfa[Operation]) -> Cfa[Operation]:
    """The automaton with types for blocks that are made for one type of struct only."""
    copies = Copies(cfa)

    def with_type(operation: Operation) -> Operation:
        if not isinstance(operation, Allocate) or not isinstance(operation.target, Variable):
            return operation
        size = constant_of(operation.size)
        known = operation.element
        if size is None or (isinstance(known, RecordType) and known.size == size):
            return operation
        pointed = copies.targets(operation.target)
        types = {t for t in pointed if isinstance(t, RecordType) and t.complete and t.size == size}
        return replace(operation, element=types.pop()) if len(types) == 1 else operation

    return Cfa(cfa.entry, tuple(replace(edge, label=with_type(edge.label)) for edge in cfa.edges))


class Copies:
    """The ways of pointers from variable to variable in an automaton."""

    def __init__(self, cfa: Cfa[Operation]) -> None:
        self._copies: dict[Variable, list[Assign]] = {}
        self._origins: dict[Variable, list[Expression]] = {}
        for edge in cfa.edges:
            if isinstance(edge.label, Assign):
                source = _copied_variable(edge.label.value)
                if source is not None:
                    self._copies.setdefault(source, []).append(edge.label)
                if isinstance(edge.label.target, Variable):
                    self._origins.setdefault(edge.label.target, []).append(without_casts(edge.label.value))

    def sources(self, pointer: Expression) -> set[Type]:
        """What the pointers point to that are copied to a pointer, however they are cast; `void` is no such type."""
        types: set[Type] = set()
        seen: set[Expression] = set()
        waiting = [without_casts(pointer)]
        while waiting:
            here = waiting.pop()
            if here in seen:
                continue
            seen.add(here)
            types.update(t for t in _pointed(here.type) if not isinstance(t, VoidType))
            waiting += self._origins.get(here, ()) if isinstance(here, Variable) else ()
        return types

    def targets(self, variable: Variable) -> set[Type]:
        """The types that the copies of a variable point to."""
        types: set[Type] = set()
        seen = {variable}
        waiting = [variable]
        while waiting:
            for assignment in self._copies.get(waiting.pop(), ()):
                types.update(_pointed(assignment.target.type))
                value = assignment.value
                while isinstance(value, Cast):
                    types.update(_pointed(value.type))
                    value = value.operand
                target = assignment.target
                if isinstance(target, Variable) and target not in seen:
                    seen.add(target)
                    waiting.append(target)
        return types


def _copied_variable(value: Expression) -> Variable | None:
    """The variable whose value an expression is, however it is cast."""
    while isinstance(value, Cast):
        value = value.operand
    return value if isinstance(value, Variable) and isinstance(value.type, PointerType) else None


def _pointed(type_: Type) -> list[Type]:
    return [type_.target] if isinstance(type_, PointerType) else []
