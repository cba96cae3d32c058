"""When nodes that no variable points to may be there or not: most structures of a location differ in them only."""

from __future__ import annotations

from dataclasses import dataclass

from kleene.engine.fixpoint import Reached
from kleene.logic.vocabulary import Vocabulary
from kleene.structures.canonical import Canonicalizer
from kleene.structures.structure import Structure

SAMPLED_STRUCTURES = 256
"""Structures of a location whose pointed-to nodes are compared: the share that is alike grows with their number."""
GAIN_FACTOR = 4
"""The join pays if so many times fewer structures are expected: a step with nodes that may be missing costs more."""


@dataclass(frozen=True)
class NodesLook:
    """Finds out whether the structures of a run have few combinations of nodes that variables point to."""

    vocabulary: Vocabulary

    def __call__(self, reached: Reached[Structure]) -> bool:
        largest = max(reached.stores.values(), key=len, default=None)
        if largest is None:
            return False
        every, key = largest.elements(), Canonicalizer(self.vocabulary).pointed_key
        sample = every[:: max(1, len(every) // SAMPLED_STRUCTURES)][:SAMPLED_STRUCTURES]
        distinct = {key(structure.values, structure.size) for structure in sample}
        return GAIN_FACTOR * len(distinct) <= len(sample)
