"""When calls on local heaps pay: structures multiply in the copies that inlining made of a few functions."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kleene.engine.fixpoint import Reached
from kleene.passes.facts.calls import Calls
from kleene.structures.structure import Structure

COPIES_FACTOR = 2
"""Calls pay if so many times fewer structures are expected: a call on a local heap costs more than an ordinary step."""
_COPY = re.compile(r"(.*)\$\d+\.")
"""The name of a location in a copy begins with the function and the number of the copy (`passes/calls/inline.py`)."""


@dataclass(frozen=True)
class CopiesLook:
    """Estimates how many of the structures of a run would be left if functions were analysed apart."""

    calls: Calls

    def __call__(self, reached: Reached[Structure]) -> bool:
        if not self.calls.apart:
            return False
        before, after = 0, 0.0
        for location, store in reached.stores.items():
            copy = _COPY.match(location)
            before += len(store)
            after += len(store) * (self.calls.share_left(copy[1]) if copy is not None else 1.0)
        return before > COPIES_FACTOR * after
