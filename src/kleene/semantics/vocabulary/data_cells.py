"""Cells whose pointers are data: they point to no object of the program at any time, and nothing follows them.

In a list of `void *` that other code gave, or of keys, nodes with a value and nodes without one are alike: whether a
cell is undefined (here: not NULL) tells no nodes apart. Where the program follows pointers to nothing, as it does with
the empty slots of a table, this matters. Any choice is sound.
"""

from __future__ import annotations

from kleene.cfa.expressions import Deref, Expression, walk
from kleene.cfa.operations import Allocate, Free, Realloc, expressions
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


def cells_to_variables(memory: Memory) -> frozenset[str]:
    """The cells that lead from objects to variables without pointers, and to nothing else: they keep no block alive.

    What they lead to is known for the nodes of variables; a closure over them would tell which nodes lead to the same
    variable.
    """
    made: set[int | None] = {
        memory.block_size(e.label) for e in memory.cfa.edges if isinstance(e.label, Allocate | Realloc)
    }
    with_cells = {size for size, _ in memory.cell_of}
    return frozenset(
        cell
        for cell, targets in memory.cell_targets.items()
        if targets and None not in made and not {size for size, _ in targets} & (made | with_cells)
    )
