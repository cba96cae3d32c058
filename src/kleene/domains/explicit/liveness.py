"""Which local variables may still be read, by a backward pass over each function.

Used to forget irrelevant values: dead temporaries hold no block, and dead numbers do not distinguish states.
"""

from __future__ import annotations

from kleene.cfa.expressions import AddressOf, Expression, Field, Index, Variable, variables, walk
from kleene.cfa.graph import Edge
from kleene.cfa.operations import (
    Allocate,
    Assign,
    Call,
    DeclareLocal,
    EndScope,
    Havoc,
    Operation,
    Realloc,
    Specified,
    expressions,
)
from kleene.cfa.program import CProgram, Function
from kleene.cfa.types import FloatType, IntegerType, is_scalar


class Liveness:
    """The dead variables at each location, computed per function when first asked for."""

    def __init__(self, program: CProgram) -> None:
        self._program = program
        self._live: dict[str, dict[str, frozenset[str]]] = {}
        self._temporaries: dict[str, frozenset[str]] = {}
        self._numbers: dict[str, frozenset[str]] = {}

    def dead_temporaries(self, function: str, location: str) -> frozenset[str]:
        """Temporaries that are not read from here before they are written again."""
        live = self._locations(function)
        return self._temporaries[function] - live.get(location, frozenset())

    def forgettable(self, function: str, location: str) -> frozenset[str]:
        """Temporaries and numbers that are not read from here; pointers stay, for they hold blocks."""
        live = self._locations(function)
        return self._numbers[function] - live.get(location, frozenset())

    def _locations(self, name: str) -> dict[str, frozenset[str]]:
        if name not in self._live:
            function = self._program.functions[name]
            self._live[name] = live_variables(function)
            exposed = address_taken(function)
            scalars = [
                v for v in (*function.locals, *function.parameters) if is_scalar(v.type) and v.name not in exposed
            ]
            temporaries = frozenset(v.name for v in function.locals if v.is_temporary and v.name not in exposed)
            numbers = {v.name for v in scalars if isinstance(v.type, IntegerType | FloatType)}
            self._temporaries[name] = temporaries
            self._numbers[name] = temporaries | frozenset(numbers)
        return self._live[name]


def address_taken(function: Function) -> frozenset[str]:
    """The variables whose address, or the address of a part, is taken."""
    found: set[str] = set()
    for edge in function.cfa.edges:
        for expression in expressions(edge.label):
            for node in walk(expression):
                if isinstance(node, AddressOf):
                    base: Expression = node.target
                    while isinstance(base, Field | Index):
                        base = base.base
                    if isinstance(base, Variable):
                        found.add(base.name)
    return frozenset(found)


def live_variables(function: Function) -> dict[str, frozenset[str]]:
    """For each location, the local variables that may be read before they are written."""
    live: dict[str, frozenset[str]] = dict.fromkeys(function.cfa.locations, frozenset())
    effects = {id(edge): _uses_and_kills(edge.label) for edge in function.cfa.edges}
    waiting: list[Edge[Operation]] = list(function.cfa.edges)
    pending = {id(edge) for edge in waiting}
    while waiting:
        edge = waiting.pop()
        pending.discard(id(edge))
        uses, kills = effects[id(edge)]
        new = live[edge.source] | (live[edge.target] - kills) | uses
        if new != live[edge.source]:
            live[edge.source] = new
            for before in function.cfa.entering(edge.source):
                if id(before) not in pending:
                    pending.add(id(before))
                    waiting.append(before)
    return live


def _uses_and_kills(operation: Operation) -> tuple[frozenset[str], frozenset[str]]:
    if isinstance(operation, DeclareLocal):
        return frozenset(), frozenset({operation.variable.name})
    if isinstance(operation, EndScope):
        return frozenset(), frozenset(v.name for v in operation.variables)
    if isinstance(operation, Specified):
        return frozenset(v.name for v in operation.arguments), frozenset(v.name for v in operation.targets)
    target: Expression | None = None
    if isinstance(operation, Assign | Allocate | Realloc | Havoc):
        target = operation.target
    elif isinstance(operation, Call):
        target = operation.result
    used: set[str] = set()
    for expression in expressions(operation):
        if expression is not target:
            used |= {v.name for v in variables(expression) if not v.is_global}
    if isinstance(target, Variable):
        return frozenset(used), frozenset() if target.is_global else frozenset({target.name})
    if target is not None:
        used |= {v.name for v in variables(target) if not v.is_global}
    return frozenset(used), frozenset()
