"""Cells whose pointers are data: they point to no object of the program at any time, and nothing follows them.

In a list of `void *` that other code gave, or of keys, nodes with a value and nodes without one are alike: whether a
cell is undefined (here: not NULL) tells no nodes apart. Where the program follows pointers to nothing, as it does with
the empty slots of a table, this matters. Any choice is sound.
"""

from __future__ import annotations

from kleene.cfa.expressions import Deref, Expression, walk
from kleene.cfa.operations import Free, expressions
from kleene.passes.facts.memory import Memory, Unmodelled


def data_cells(memory: Memory) -> frozenset[str]:
    """The cells of data."""
    pointers: dict[Expression, None] = {}
    for edge in memory.cfa.edges:
        nodes = [n for x in expressions(edge.label) for n in walk(x)]
        pointers |= dict.fromkeys(n.pointer for n in nodes if isinstance(n, Deref))
        pointers |= {edge.label.pointer: None} if isinstance(edge.label, Free) else {}
    try:
        if not all(map(memory.value_places, pointers)):
            return frozenset()
    except Unmodelled:
        return frozenset()
    return frozenset(cell for cell, targets in memory.cell_targets.items() if not targets)
