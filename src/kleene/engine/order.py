"""In which order locations are explored.

The final set of a partial join depends on it, so TVLA's order can be reproduced exactly (docs/concepts/engine.md).
"""

from __future__ import annotations

from typing import Any

from kleene.cfa.graph import Cfa

ORDERS = ("inner-first", "heads-last", "tvla", "tvla-post")


def location_ranks(cfa: Cfa[Any], order: str) -> dict[str, int]:
    """The rank of each reachable location; the waiting location of lowest rank is taken next.

    `tvla` is reverse post order, `tvla-post` post order (``-post``); `inner-first` finishes inner loops before what
    follows them, and is reverse post order otherwise. `heads-last` is the same with the head of a loop behind its
    body: what all branches lead to is joined before it goes round again.
    """
    number = cfa.post_order
    names = list(number)
    if order == "tvla-post":
        names.sort(key=lambda name: number[name])
    elif order == "tvla":
        names.sort(key=lambda name: -number[name])
    elif order == "inner-first":
        names.sort(key=lambda name: (-cfa.loop_depth[name], -number[name]))
    elif order == "heads-last":
        last = {head: max(-number[name] for name in body) for head, body in cfa.loops.items()}
        names.sort(key=lambda name: (-cfa.loop_depth[name], last.get(name, -number[name]), name in last))
    else:
        raise ValueError(f"unknown order '{order}'")
    return {name: rank for rank, name in enumerate(names)}
