"""Global variables that a program does not use: each one would be followed by every analysis."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import replace

from kleene.cfa.expressions import Variable, walk
from kleene.cfa.operations import Operation, expressions
from kleene.cfa.program import CProgram


def without_unused_variables(program: CProgram, own: Set[str] = frozenset()) -> CProgram:
    """The program without the global variables that nothing in it mentions, except some of its own by name.

    A variable that only the initial value of such a one mentions is left out, too: tables in headers have many texts.
    """
    initial = {g.variable: _mentions(g.initial) for g in program.globals}
    used = _mentions(edge.label for f in program.functions.values() for edge in f.cfa.edges)
    waiting = [*used, *(g.variable for g in program.globals if g.variable.name in own)]
    used = set()
    while waiting:
        variable = waiting.pop()
        if variable not in used:
            used.add(variable)
            waiting += initial.get(variable, ())
    return replace(program, globals=tuple(g for g in program.globals if g.variable in used))


def _mentions(operations: Iterable[Operation]) -> set[Variable]:
    nodes = (n for operation in operations for x in expressions(operation) for n in walk(x))
    return {n for n in nodes if isinstance(n, Variable) and n.is_global}
