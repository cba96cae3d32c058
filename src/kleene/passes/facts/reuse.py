"""Where an address may be given out again: behind an allocation that comes after an end of a block or an object.

A pointer to a block that was freed may be equal to one to a later block, and to no other. So where nothing was
allocated since the first block was freed, pointers to different blocks differ, freed or not.
"""

from __future__ import annotations

from enum import IntEnum

from kleene.cfa.dataflow import solve_forward
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Allocate, DeclareLocal, EndScope, Free, Operation, Realloc
from kleene.passes.facts.liveness import starts
from kleene.passes.facts.memory import Memory


class _Past(IntEnum):
    """What has happened before a location; a larger one covers a smaller one."""

    NOTHING = 0
    END = 1
    REUSE = 2


def locations_of_reuse(memory: Memory, cfa: Cfa[Operation]) -> frozenset[str]:
    """The locations where two blocks may have had one address; all of them where functions are analysed apart."""
    if len(starts(cfa)) > 1:
        return frozenset(cfa.locations)

    def after(edge: Edge[Operation], before: _Past) -> _Past:
        begins, ends = _begins(memory, edge.label), _ends(memory, edge.label)
        if before is not _Past.NOTHING or isinstance(edge.label, Realloc):
            return _Past.REUSE if begins else before
        return _Past.END if ends else before

    def join(_: str, known: _Past, new: _Past) -> _Past | None:
        return new if new > known else None

    at = solve_forward(cfa, {cfa.entry: _Past.NOTHING}, after, join)
    return frozenset(name for name, past in at.items() if past is _Past.REUSE)


def _begins(memory: Memory, operation: Operation) -> bool:
    local = isinstance(operation, DeclareLocal) and memory.kind(operation.variable) == "object"
    return local or isinstance(operation, Allocate | Realloc)


def _ends(memory: Memory, operation: Operation) -> bool:
    objects = isinstance(operation, EndScope) and any(memory.kind(v) == "object" for v in operation.variables)
    return objects or isinstance(operation, Free | Realloc)
