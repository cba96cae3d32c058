"""What the variables of a condition hold: the numbers in memory that a function has read, and what it computed of them.

A comparison function reads its numbers into variables of its own, ``int x = *(int *)a, y = *(int *)b; return (x > y) -
(x < y);``, and the caller tests its result, ``if (compare(n->data, c->data) > 0)``. Of each variable the expression is
followed that it holds the value of, over variables and memory that have not changed since, where all paths agree
(value numbering; Alpern, Wegman, Zadeck. Detecting equality of variables in programs, POPL 1988). So the condition is
one about ``*(int *)n->data`` and ``*(int *)c->data``, and a second call of the function makes the same comparison.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
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
    children,
    walk,
)
from kleene.cfa.graph import Edge
from kleene.cfa.operations import Allocate, Assign, DeclareLocal, EndScope, Havoc, Operation
from kleene.cfa.types import IntegerType, PointerType
from kleene.passes.facts.liveness import defined_variables, starts
from kleene.passes.facts.memory import Memory, Place, Unmodelled
from kleene.passes.rewrite import rewrite

MOST_NODES = 40
"""Nodes of the largest expression that is followed: a result of a comparison of two members of members has about 30."""

Values = dict[Variable, Expression]
"""Maps a variable to an expression with the same value, over variables and memory that have not changed since."""


def written_places(memory: Memory, operation: Operation) -> set[Place] | None:
    """The cells of numbers and pointers that an operation may write, or that begin or end with it; None if unknown."""
    match operation:
        case Assign(target=target) | Allocate(target=target) | Havoc(target=target):
            written = [target] if is_in_memory(memory, target) else []
        case DeclareLocal(variable=variable):
            written = [variable] if is_in_memory(memory, variable) else []
        case EndScope(variables=variables):
            written = [v for v in variables if is_in_memory(memory, v)]
        case _:
            return None
    try:
        starts_of = [(place, lvalue.type.size) for lvalue in written for place in memory.address_places(lvalue)]
    except Unmodelled:
        return None
    numbers = {cell for place, length in starts_of for cell in memory.overlapped_integers(place, length)}
    return numbers | {cell for place, length in starts_of for cell in memory.overlapped_pointers(place, length)}


def is_in_memory(memory: Memory, target: Expression) -> bool:
    return not isinstance(target, Variable) or memory.kind(target) == "object"


def read_places(memory: Memory, expression: Expression) -> set[Place] | None:
    """The cells that an expression reads; None if they are not known, or if it has other parts than followed ones."""
    places: set[Place] = set()
    for load in _loads(memory, expression):
        if load is None:
            return None
        try:
            own = {place for place in memory.address_places(load) if place[0]}  # other objects have no bytes
        except Unmodelled:
            return None
        cells = memory.cell_of if isinstance(load.type, PointerType) else memory.access_types
        if not own or not own <= cells.keys():
            return None
        places |= own
    return places


def _loads(memory: Memory, expression: Expression) -> Iterator[Expression | None]:
    """The reads of memory in an expression, also those that lead to others; None for a part that is not followed."""
    if not isinstance(expression.type, IntegerType | PointerType):
        yield None
        return
    match expression:
        case Constant() | AddressOf(target=Variable()):
            return
        case Variable():
            if memory.kind(expression) == "object":
                yield expression
        case Field(bit_width=None) | Deref():
            yield expression
            lvalue: Expression = expression
            while isinstance(lvalue, Field):
                lvalue = lvalue.base
            if isinstance(lvalue, Deref):
                yield from _loads(memory, lvalue.pointer)
            elif not (isinstance(lvalue, Variable) and memory.kind(lvalue) == "object"):
                yield None
        case Cast() | Unary() | Binary() | Comparison():
            for part in children(expression):
                yield from _loads(memory, part)
        case _:
            yield None


@dataclass
class HeldValues:
    """The fixpoint: at each location what all paths to it agree on."""

    memory: Memory
    quiet: tuple[type, ...]
    """Operations that change neither variables nor what live blocks hold."""

    @cached_property
    def at(self) -> dict[str, Values]:
        """The values at each location.

        A variable that is copied before a loop and changed in it holds one value in the first round and another one
        in the next; nothing is left of what was computed of it, although later rounds agree. So only the values at the
        heads of loops are taken from the fixpoint, and the others follow from them once more, sources first.
        """
        cfa = self.memory.cfa
        first: dict[str, Values] = {name: {} for name in starts(cfa)}
        fixed = solve_forward(cfa, first, self._after, _fewer)
        order = cfa.post_order
        again: dict[str, Values] = {}
        for name in sorted(fixed, key=lambda name: -order.get(name, -1)):
            entering = [edge for edge in cfa.entering(name) if edge.source in fixed]
            if name in first or any(edge.source not in again for edge in entering):
                again[name] = fixed[name]
                continue
            again[name], *others = (self._after(edge, again[edge.source]) for edge in entering)
            for other in others:
                again[name] = _agreed(again[name], other)
        return again

    def in_place(self, expression: Expression, location: str) -> Expression:
        """The expression at a location, with what its variables hold in place of them; itself if it is too large."""
        held = self.at.get(location)
        if not held:
            return expression
        return _with_values(expression, held) or expression

    def _after(self, edge: Edge[Operation], before: Values) -> Values:
        label = edge.label
        if isinstance(label, self.quiet):
            return before
        written = written_places(self.memory, label)
        if written is None:
            return {}
        changed = set(defined_variables(label))
        kept = before
        if changed or written:
            kept = {v: e for v, e in before.items() if v not in changed and self._stays(e, changed, written)}
        match label:
            case Assign(target=Variable() as target, value=value) if not is_in_memory(self.memory, target):
                held = self._followed(value, before)
                if held is not None and target not in walk(held):
                    return {**kept, target: held}
        return kept

    def _stays(self, expression: Expression, changed: set[Variable], written: set[Place]) -> bool:
        if not changed.isdisjoint(walk(expression)):
            return False
        return not written or written.isdisjoint(self._read(expression) or ())

    def _followed(self, value: Expression, held: Values) -> Expression | None:
        if not isinstance(value.type, IntegerType | PointerType):
            return None
        whole = _with_values(value, held)
        return whole if whole is not None and self._read(whole) is not None else None

    def _read(self, expression: Expression) -> set[Place] | None:
        known = self._reads
        if expression not in known:
            known[expression] = read_places(self.memory, expression)
        return known[expression]

    @cached_property
    def _reads(self) -> dict[Expression, set[Place] | None]:
        return {}


def _fewer(_: str, known: Values, new: Values) -> Values | None:
    agreed = _agreed(known, new)
    return agreed if len(agreed) < len(known) else None


def _agreed(known: Values, new: Values) -> Values:
    """What two ways agree on."""
    return {v: e for v, e in known.items() if new.get(v) == e}


def _with_values(expression: Expression, held: Values) -> Expression | None:
    """The expression with what its variables hold; None if it is too large."""

    def value(node: Expression) -> Expression:
        if not isinstance(node, Variable) or node not in held:
            return node
        own = held[node]
        return own if own.type == node.type else Cast(own, node.type)

    whole = rewrite(expression, value)
    return whole if sum(1 for _ in walk(whole)) <= MOST_NODES else None
