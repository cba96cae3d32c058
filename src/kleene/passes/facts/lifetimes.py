"""Lifetimes of variables: a forgotten variable holds no block any more, and a kept one costs flags."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Literal

from kleene.cfa.expressions import Variable
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Operation
from kleene.cfa.types import PointerType
from kleene.passes.facts.liveness import in_scope, live_before, starts

Keep = Literal["live", "loop", "scope"]
"""Until a variable is not read any more; pointers that go round a loop all the way; pointers till their scope ends."""


def variables_to_keep(cfa: Cfa[Operation], tracked: Set[Variable], keep: Keep) -> dict[str, frozenset[Variable]]:
    """For each location, the variables to keep."""
    live = live_before(cfa, tracked, whole_scope=keep == "scope", to_exits=True)
    if keep == "live":
        return live
    pointers = frozenset(v for v in tracked if isinstance(v.type, PointerType) and not v.is_temporary)
    scope = in_scope(cfa)
    more: dict[str, frozenset[Variable]] = scope
    if keep == "loop":
        more = dict.fromkeys(cfa.locations, frozenset())
        for head, body in _loops(cfa):
            for name in body:
                more[name] |= live[head] & scope.get(name, frozenset())
    return {name: alive | (pointers & more.get(name, frozenset())) for name, alive in live.items()}


def _loops(cfa: Cfa[Operation]) -> Iterator[tuple[str, frozenset[str]]]:
    """The loop heads of all functions, each with the locations of its loop."""
    for start in starts(cfa):
        yield from Cfa(start, cfa.edges).loops.items()
