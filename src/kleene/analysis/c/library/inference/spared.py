"""Programs of clients whose runs end otherwise: where some calls get no memory, and at calls of `exit`.

A function that does not test what `malloc` returns has an error. Where there is memory, it makes objects and elements
all the same, and the other functions are checked on them.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from kleene.cfa.expressions import Comparison, Constant, Expression
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Allocate, Assume, Call, Exit, Operation, Place, Realloc
from kleene.cfa.program import CProgram, Function
from kleene.cfa.types import PointerType


def without_exits(program: CProgram) -> CProgram:
    """The program whose calls of `exit` end it as `abort` does: what a client holds there is no leak of the library.

    A library that says that there is no memory, and exits, cannot free the objects of its clients.
    """

    def end(function: Function) -> Function:
        edges = (replace(e, label=Exit(e.label.place)) if isinstance(e.label, Exit) else e for e in function.cfa.edges)
        return replace(function, cfa=Cfa(function.cfa.entry, tuple(edges)))

    return replace(program, functions={name: end(function) for name, function in program.functions.items()})


def with_spared(program: CProgram, places: Collection[Place]) -> CProgram:
    """The program whose runs end where an allocation, or a call for one, at one of the places returns NULL."""
    if not places:
        return program
    spots = {(p.file, p.line, p.column, p.function) for p in places}
    functions = {name: _spared(function, spots) for name, function in program.functions.items()}
    return replace(program, functions=functions)


def _spared(function: Function, spots: set[tuple[str, int, int, str]]) -> Function:
    edges: list[Edge[Operation]] = []
    for number, edge in enumerate(function.cfa.edges):
        place, block = edge.label.place, _block(edge.label)
        if block is None or (place.file, place.line, place.column, place.function) not in spots:
            edges.append(edge)
            continue
        is_null = Comparison("==", block, Constant(0, block.type))
        done, ended = (f"{edge.source}{mark}{number}" for mark in ("~", "!"))
        edges.append(Edge(edge.source, edge.label, done))
        edges.append(Edge(done, Assume(place, is_null), ended))
        edges.append(Edge(ended, Exit(place), function.exit))
        edges.append(Edge(done, Assume(place, is_null, truth=False), edge.target))
    return replace(function, cfa=Cfa(function.cfa.entry, tuple(edges)))


def _block(operation: Operation) -> Expression | None:
    """What gets the pointer that an allocation, or a call, returns."""
    result = operation.result if isinstance(operation, Call) else None
    target = operation.target if isinstance(operation, Allocate | Realloc) else result
    return target if target is not None and isinstance(target.type, PointerType) else None
