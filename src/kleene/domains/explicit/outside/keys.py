"""Runs of many operations on few keys: trees are rotated, and nodes removed, only where many keys meet again.

Breadth-first exploration executes three or four operations. A rotation at an inner node needs seven keys or more, in
some order; removal needs a key that was inserted before. Here each number is one of a few keys, or 0; how often a place
gets 0 differs from run to run, so that some runs fill a structure before they empty it. In every second run an
allocation fails, early or late. (Random testing of operations with small scopes: Claessen, Hughes. QuickCheck. ICFP
2000; Jackson. Software Abstractions. 2006.)
"""

from __future__ import annotations

import random

from kleene.domains.explicit.outside.vocabulary import Vocabulary
from kleene.domains.explicit.outside.world import World

KEYS = 12
"""Numbers that a run gets: so few that keys are found again, and enough for trees of four levels."""
REPEATS = (24, 48, 96)
"""Numbers that a run asks for before it gets 0 only: some a key and some a choice."""
_MOST_ALLOCATIONS = 40
"""Allocations, one of which fails in every second run."""
_LETTERS = b"abcdefghijkl"
"""Keys of lines."""


def key_world(seed: int, vocabulary: Vocabulary | None = None, *, malloc_may_fail: bool = False) -> World:
    """The world of a run on keys; its lines are keys, with a character of the program in front or not."""
    chance = random.Random(seed)
    repeats = chance.choice(REPEATS)
    fails = chance.randrange(1, _MOST_ALLOCATIONS + 1) if malloc_may_fail and seed % 2 else 0
    marks = [b"", *(bytes((c,)) for c in vocabulary.characters)] if vocabulary is not None else [b""]
    reads = vocabulary is not None and vocabulary.reads
    lines = [chance.choice(marks) + bytes((chance.choice(_LETTERS),)) for _ in range(repeats if reads else 0)]
    return World((), b"".join(line + b"\n" for line in lines), repeats, seed, fails=fails, keys=KEYS)
