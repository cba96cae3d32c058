"""Headers: objects that are no part of a linked structure and have several pointers into one, as a list's two ends.

Nodes that such cells reach are separated as for variables: a list with pointers to its first and last node in a header
is tracked like a list with two pointer variables.
"""

from __future__ import annotations

from kleene.passes.facts.memory import Memory


def header_cells(memory: Memory) -> frozenset[str]:
    """The cells of headers, if several of one header may point to the same kind of linked object."""
    targets: dict[int, dict[str, set[int]]] = {}
    for (size, _), cell in memory.cell_of.items():
        targets.setdefault(size, {})[cell] = {to for to, _ in memory.cell_targets[cell]}
    linked = {size for size in targets if size in _reachable_kinds(size, targets)}
    inside = {cell for size in linked for cell in targets[size]}
    result: set[str] = set()
    for size in targets.keys() - linked:
        own = {cell: to & linked for cell, to in targets[size].items() if cell not in inside}
        result |= {c for c in own if any(own[c] & own[d] for d in own if d != c)}
    return frozenset(result)


def _reachable_kinds(size: int, targets: dict[int, dict[str, set[int]]]) -> set[int]:
    """The kinds of objects that some path of at least one cell leads to."""
    reached: set[int] = set()
    waiting = [size]
    while waiting:
        following = {to for cells in targets.get(waiting.pop(), {}).values() for to in cells} - reached
        reached |= following
        waiting += following
    return reached
