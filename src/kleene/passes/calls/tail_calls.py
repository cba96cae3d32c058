"""Tail recursion is a loop: a call of the function itself that nothing follows becomes a jump to its beginning.

The meaning stays the same if no local variable is a memory object, since then nobody sees that the caller's are gone.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from kleene.cfa.expressions import Variable
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, Call, DeclareLocal, EndScope, Operation, Return, Skip, address_taken
from kleene.cfa.program import CProgram, Function
from kleene.cfa.types import ArrayType, RecordType
from kleene.passes.calls.inline import convert_value


def without_tail_recursion(program: CProgram) -> CProgram:
    """The program with functions that call themselves only in tail position turned into loops."""
    functions = {name: _looping(function) for name, function in program.functions.items()}
    return replace(program, functions=functions)


def _looping(function: Function) -> Function:
    calls = [e for e in function.cfa.edges if isinstance(e.label, Call) and e.label.function == function.name]
    own = (*function.parameters, *function.locals)
    objects = address_taken(e.label for e in function.cfa.edges) | {
        v for v in own if isinstance(v.type, RecordType | ArrayType)
    }
    fitting = all(_in_tail_position(e, function) and _complete(e.label, function) for e in calls)
    if not calls or not fitting or objects & set(own):
        return function
    return _Loop(function).function()


def _complete(operation: Operation, function: Function) -> bool:
    return isinstance(operation, Call) and len(operation.arguments) == len(function.parameters)


def _in_tail_position(edge: Edge[Operation], function: Function) -> bool:
    """Only the end of scopes lies between the call and a return of its result."""
    result = edge.label.result if isinstance(edge.label, Call) else None
    location, seen = edge.target, set()
    while location not in seen:
        seen.add(location)
        following = function.cfa.leaving(location)
        if len(following) != 1:
            return False
        operation = following[0].label
        if isinstance(operation, Return):
            return operation.value == result and (result is None or isinstance(result, Variable))
        if not isinstance(operation, Skip | EndScope):
            return False
        location = following[0].target
    return False


@dataclass
class _Loop:
    """Builds the automaton with jumps instead of calls."""

    source: Function
    edges: list[Edge[Operation]] = field(default_factory=list)
    fresh: int = 0

    def function(self) -> Function:
        own = self.source
        copies = tuple(Variable(f"$next.{p.name}", p.type) for p in own.parameters)
        begin = f"{own.name}.begin"  # nothing may lead to the entry, which declares parameters when inlined
        self.edges.append(Edge(begin, Skip(own.place), own.cfa.entry))
        for edge in own.cfa.edges:
            if isinstance(edge.label, Call) and edge.label.function == own.name:
                self._jump(edge, edge.label, copies)
            else:
                self.edges.append(edge)
        return replace(own, cfa=Cfa(begin, tuple(self.edges)), locals=(*own.locals, *copies))

    def _jump(self, edge: Edge[Operation], call: Call, copies: tuple[Variable, ...]) -> None:
        place, own = call.place, self.source
        steps: list[Operation] = []
        for copy, argument in zip(copies, call.arguments, strict=True):
            steps += [DeclareLocal(place, copy), Assign(place, copy, convert_value(argument, copy))]
        steps += [Assign(place, p, copy) for p, copy in zip(own.parameters, copies, strict=True)]
        steps.append(EndScope(place, (*own.locals, *copies)))
        here = edge.source
        for number, step in enumerate(steps):
            self.fresh += 1
            there = own.cfa.entry if number == len(steps) - 1 else f"{edge.source}'next{self.fresh}"
            self.edges.append(Edge(here, step, there))
            here = there
