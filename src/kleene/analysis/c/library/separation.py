"""Whether the objects of a client are separate: no block belongs to two of them.

The client keeps one object of each type (two, if an operation takes two). That is general enough if operations on one
object cannot touch another one: then any number of objects behaves like one (the frame rule of separation logic). If
two objects share a block, clients with more objects have heaps that this client does not make: nothing is proved.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from kleene.domains.explicit.state import State
from kleene.domains.explicit.values import Pointer
from kleene.logic.kleene import Kleene
from kleene.logic.roles import RoleKind
from kleene.structures.structure import Structure

STATIC = "a static variable"
"""How the static variables of the library are called among the owners of blocks."""

Shared = tuple[str, str]
"""Two owners of one block: variables of the client, or `STATIC`."""


def shared_in_state(state: State, variables: Sequence[str], function: str) -> Shared | None:
    """Two variables of `function` whose objects share a block of the heap in a state of a run; None if none do."""
    if len(state.frames) != 1 or state.frames[0].function != function:
        return None
    owners: list[tuple[str, set[int]]] = []
    for name in variables:
        number = state.locals.get(name)
        if number is not None:
            owners.append((name, _heap(state, _targets(state, number))))
    statics = [t for n, b in state.blocks.items() if b.kind == "global" for t in _targets(state, n)]
    owners.append((STATIC, _heap(state, statics)))
    return next(_overlaps(owners), None)


def objects_in_state(state: State, variables: Sequence[str], function: str) -> set[str]:
    """The variables of `function` that lead to a block."""
    if len(state.frames) != 1 or state.frames[0].function != function:
        return set()
    return {name for name in variables if name in state.locals and _targets(state, state.locals[name])}


def _targets(state: State, number: int) -> list[int]:
    return [v.block for _, v in state.blocks[number].cells.values() if type(v) is Pointer]


def _heap(state: State, roots: list[int]) -> set[int]:
    """The blocks of the heap that the roots lead to."""
    return {n for n in state.reachable(roots) if n in state.blocks and state.blocks[n].kind == "heap"}


def shared_in_structures(
    structures: Sequence[Structure],
    live: Mapping[str, Sequence[str]],
    variables: Sequence[str],
    static: Collection[str],
) -> Shared | None:
    """Two owners that may lead to one block in a structure.

    `live` has the predicates of each pointer. `static` are the variables of the library; the analysis has others of its
    own, such as pointers to the slots of arrays.
    """
    owned = {name: live.get(name, ()) for name in variables}
    own = [name for name in live if any(name == s or name.startswith((f"{s}.", f"{s}[", f"{s}->")) for s in static)]
    statics = [p for name in own for p in live[name]]
    for structure in structures:
        owners = [(name, _reach(structure, pointers)) for name, pointers in {**owned, STATIC: statics}.items()]
        shared = next(_overlaps(owners), None)
        if shared is not None:
            return shared
    return None


def _reach(structure: Structure, pointers: Sequence[str]) -> set[int]:
    """The blocks of the heap to which pointers may lead."""
    declared = structure.vocabulary.declared
    cells = [p.name for p in declared if p.is_a(RoleKind.CELL)]
    heap = [p.name for p in declared if p.is_a(RoleKind.HEAP)]
    known = [p for p in pointers if p in structure.vocabulary]
    reached = {u for p in known for u in structure.nodes if structure.value(p, u) is not Kleene.FALSE}
    waiting = list(reached)
    while waiting:
        u = waiting.pop()
        for cell in cells:
            for w in structure.nodes:
                if w not in reached and structure.value(cell, u, w) is not Kleene.FALSE:
                    reached.add(w)
                    waiting.append(w)
    return {u for u in reached if not any(structure.value(h, u) is Kleene.FALSE for h in heap)}


def _overlaps(owners: Sequence[tuple[str, set[int]]]) -> Iterator[Shared]:
    for i, (first, blocks) in enumerate(owners):
        for second, others in owners[i + 1 :]:
            if blocks & others:
                yield first, second
