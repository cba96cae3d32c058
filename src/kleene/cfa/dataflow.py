"""Forward data flow: the least solution of equations between the locations of an automaton."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from heapq import heappop, heappush
from typing import TypeVar

from kleene.cfa.graph import Cfa, Edge

Label = TypeVar("Label")
Value = TypeVar("Value")


def solve_forward(
    cfa: Cfa[Label],
    start: Mapping[str, Value],
    after: Callable[[Edge[Label], Value], Value | None],
    join: Callable[[str, Value, Value], Value | None],
) -> dict[str, Value]:
    """The values at the locations that can be reached from those of `start`.

    `after` is the value behind an edge; None if no run passes it. `join` gets a location, its value and a new one, and
    returns a value that covers both, or None if the first one does. Sources come before targets, as far as they can.
    """
    order = cfa.post_order
    at = dict(start)
    queue = sorted((-order.get(name, -1), name) for name in at)
    waiting = {name for _, name in queue}
    while queue:
        _, location = heappop(queue)
        waiting.remove(location)
        for edge in cfa.leaving(location):
            new = after(edge, at[location])
            if new is None:
                continue
            joined = join(edge.target, at[edge.target], new) if edge.target in at else new
            if joined is not None:
                at[edge.target] = joined
                if edge.target not in waiting:
                    waiting.add(edge.target)
                    heappush(queue, (-order.get(edge.target, -1), edge.target))
    return at
