"""Programs of clients whose runs end otherwise: before some dereferences of null pointers, and at calls of `exit`.

A function that makes objects and does not test what `malloc` returns has an error. Where there is memory, it makes the
objects of its clients all the same, and the other functions are checked on them.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from kleene.cfa.expressions import Comparison, Constant, Deref, Expression, walk
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assume, Exit, Operation, Place, expressions
from kleene.cfa.program import CProgram, Function


def without_exits(program: CProgram) -> CProgram:
    """The program whose calls of `exit` end it as `abort` does: what a client holds there is no leak of the library.

    A library that says that there is no memory, and exits, cannot free the objects of its clients.
    """

    def end(function: Function) -> Function:
        edges = (replace(e, label=Exit(e.label.place)) if isinstance(e.label, Exit) else e for e in function.cfa.edges)
        return replace(function, cfa=Cfa(function.cfa.entry, tuple(edges)))

    return replace(program, functions={name: end(function) for name, function in program.functions.items()})


def with_spared(program: CProgram, places: Collection[Place]) -> CProgram:
    """The program whose runs end before an operation at one of the places dereferences NULL."""
    if not places:
        return program
    spots = {(p.file, p.line, p.column) for p in places}
    functions = {name: _spared(function, spots) for name, function in program.functions.items()}
    return replace(program, functions=functions)


def _spared(function: Function, spots: set[tuple[str, int, int]]) -> Function:
    edges: list[Edge[Operation]] = []
    for edge in function.cfa.edges:
        place, here = edge.label.place, edge.source
        at_spot = (place.file, place.line, place.column) in spots
        for number, pointer in enumerate(_dereferenced(edge.label) if at_spot else ()):
            is_null = Comparison("==", pointer, Constant(0, pointer.type))
            ended, there = (f"{edge.source}{mark}{number}.{edge.target}" for mark in ("!", "~"))
            edges.append(Edge(here, Assume(place, is_null), ended))
            edges.append(Edge(ended, Exit(place), function.exit))
            edges.append(Edge(here, Assume(place, is_null, truth=False), there))
            here = there
        edges.append(Edge(here, edge.label, edge.target))
    return replace(function, cfa=Cfa(function.cfa.entry, tuple(edges)))


def _dereferenced(operation: Operation) -> list[Expression]:
    """The pointers that an operation dereferences, each after those on the way to it."""
    if isinstance(operation, Assume):  # its two edges would be told apart
        return []
    found = [node.pointer for x in expressions(operation) for node in walk(x) if isinstance(node, Deref)]
    return sorted(dict.fromkeys(found), key=lambda pointer: len(list(walk(pointer))))
