"""Numbers in static variables of a library, which operations on other objects change: any value before each call.

The client has one object of each type. In a program with more, calls on the others change the static variables of the
library between two calls on this one. If the library is safe with any numbers there, it is safe with those.
"""

from __future__ import annotations

from dataclasses import replace

from kleene.cfa.expressions import Variable
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Call, Havoc, Operation
from kleene.cfa.program import CProgram
from kleene.cfa.types import IntegerType


def with_any_numbers(program: CProgram, changing: tuple[Variable, ...]) -> CProgram | None:
    """The program of a client in which these variables get any value before each call.

    None if one of them is no number, or if the library calls functions of the client: these may use other objects.
    """
    labels = [e.label for name in program.reachable_functions for e in program.functions[name].cfa.edges]
    if any(isinstance(label, Call) and not isinstance(label.function, str) for label in labels):
        return None
    if not all(isinstance(v.type, IntegerType) for v in changing):
        return None
    edges: list[Edge[Operation]] = []
    for edge in program.main.cfa.edges:
        here = edge.source
        for variable in changing if isinstance(edge.label, Call) else ():
            there = f"{edge.source}?{len(edges)}"
            edges.append(Edge(here, Havoc(edge.label.place, variable), there))
            here = there
        edges.append(Edge(here, edge.label, edge.target))
    main = replace(program.main, cfa=Cfa(program.main.cfa.entry, tuple(edges)))
    return replace(program, functions={**program.functions, program.entry: main})
