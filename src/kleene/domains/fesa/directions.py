"""Forests of parents along one direction: some slots are never parent edges.

A doubly linked list has a forest along `next` and one along `prev`, and mixtures of both. `ownership` chooses step by
step, so joined states have both, and a summary does not say which cells hang on which side: a node that is inserted
before another may then seem lost. Any forest shows that nothing is lost, so an attempt may decide beforehand that
one of the slots of each recursive type never is a parent edge; nor is one of two slots that lead to this type from
another one, such as `first` and `last` of a header.
"""

from __future__ import annotations

from itertools import product

from kleene.passes.facts.memory import Memory

Slots = frozenset[tuple[int, int]]
"""Slots of blocks: the size of the block and the offset in it."""

MOST_LINKS = 3
"""Types with more pointers to themselves have no direction that is worth a guess (a tree with parents has three)."""

MOST_WAYS = 4
"""Directions that are tried: two links of a list, two ends of a header."""


def leads_to(memory: Memory) -> dict[tuple[int, int], set[int]]:
    """For each slot, the sizes of the blocks that its pointers lead to."""
    return {place: {size for size, _ in memory.cell_places([place])} for place in memory.cell_of}


def one_way_forests(memory: Memory) -> list[Slots]:
    """The sets of slots that an attempt may exclude from the forest, each for one direction."""
    leads = leads_to(memory)
    links: dict[int, list[int]] = {}
    for (size, slot), sizes in sorted(leads.items()):
        if size in sizes:
            links.setdefault(size, []).append(slot)
    links = {size: slots for size, slots in links.items() if 1 < len(slots) <= MOST_LINKS}
    ends: dict[tuple[int, int], list[int]] = {}
    for (size, slot), sizes in sorted(leads.items()):
        for to in sizes & links.keys() - {size}:
            ends.setdefault((size, to), []).append(slot)
    ends = {pair: slots for pair, slots in ends.items() if len(slots) == 2}
    forests: dict[Slots, None] = {}
    for link, end in product(range(max(map(len, links.values()), default=0)), range(2)):
        back = {(size, slots[min(link, len(slots) - 1)]) for size, slots in links.items()}
        forests[frozenset(back | {(size, slots[end]) for (size, _), slots in ends.items()})] = None
    return list(forests)
