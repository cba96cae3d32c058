"""Where the structures of an analysis multiplied, and the facts that tell them apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log2

from kleene.cfa.operations import Place
from kleene.logic.roles import RoleKind
from kleene.logic.vocabulary import Predicate
from kleene.report.findings.written_names import WrittenNames, names_of
from kleene.report.run.table import align_table
from kleene.results.shape import ShapeResult
from kleene.structures.structure import Structure

MOST_LOCATIONS = 10
"""Locations in the table: more are read by nobody."""
MOST_FACTS = 5
"""Facts that are named for a location."""
_BLOCKS = "blocks of the heap"
_HELD = "what other blocks hold"
_SLOT = re.compile(r"\$slot (.*?)(?:->element)?$")
"""The slot of an element (`passes/elements`), and what is stored in it: people read the element."""
_ARRAY = re.compile(r"\$(?:first of|rest of|slot of|array of|some|held|old|made|touched) ([^-]*?)(?:->\w+)*$")
"""What walks along a list of slots: people read what the array is of."""
SAMPLED_STRUCTURES = 200
"""Structures of a location that are compared: the order of the predicates hardly changes with more."""


@dataclass(frozen=True)
class Crowd:
    """A location with many structures; `facts` tell them apart, the best first."""

    place: Place
    is_loop: bool
    structures: int
    facts: tuple[str, ...]

    @property
    def words(self) -> str:
        where = f"{self.place.file}:{self.place.line}" + (" (a loop)" if self.is_loop else "")
        return f"{where} in {self.place.function}" if self.place.function else where


def crowds(shape: ShapeResult, most: int = MOST_LOCATIONS) -> list[Crowd]:
    """The locations of the program with the most structures, the most crowded first; one for each line."""
    if shape.slices:
        every = sorted((crowd for own in shape.slices for crowd in crowds(own, most)), key=lambda c: -c.structures)
        return list({(c.place.file, c.place.line): c for c in reversed(every)}.values())[::-1][:most]
    if shape.reached is None or shape.translation is None:
        return []
    places, heads = shape.translation.places, shape.translation.cfa.loop_heads
    counts = {name: len(store) for name, store in shape.reached.stores.items() if name in places}
    chosen: dict[tuple[str, int], Crowd] = {}
    for name in sorted(counts, key=lambda name: (-counts[name], name)):
        place = places[name]
        key = (place.file, place.line)
        if counts[name] > 1 and key not in chosen and place.line and len(chosen) < most:
            structures = [structure for structure, _ in shape.parts_at(name)]
            chosen[key] = Crowd(place, name in heads, counts[name], distinguishing(structures))
    return list(chosen.values())


def distinguishing(structures: Sequence[Structure]) -> tuple[str, ...]:
    """What splits the structures best: facts that hold or not, or hold on no node, one node, or more.

    Facts about what a variable points to and what it leads to count as one, with the name of the variable.
    """
    sample = structures[:: max(1, len(structures) // SAMPLED_STRUCTURES)]
    if not sample:
        return ()
    gains: dict[str, tuple[float, str]] = {}
    for index, predicate in enumerate(sample[0].vocabulary):
        if predicate.arity < 2 and predicate.abstraction:
            counts = Counter(min(s.values[2 * index + 1].bit_count(), 2) for s in sample)
            gain = -sum(n / len(sample) * log2(n / len(sample)) for n in counts.values())
            subject, words = _in_words(predicate)
            if gain > 0:
                gains[subject] = max(gains.get(subject, (0.0, "")), (gain, words))
    best = sorted(gains.values(), key=lambda entry: (-entry[0], entry[1]))
    return tuple(words for _, words in best[:MOST_FACTS])


def _in_words(predicate: Predicate) -> tuple[str, str]:
    """What a predicate is about, and the predicate in words."""
    role = predicate.role
    match role.kind if role is not None else None:
        case RoleKind.REACHED | RoleKind.WHOLE_REACHED if role is not None:
            return (root := role.root.removeprefix("&")), root
        case RoleKind.UNDEFINED_POINTER | RoleKind.UNDEFINED_TEMPORARY | RoleKind.UNDEFINED_CELL if role is not None:
            return predicate.name, f"{role.of} without a value"
        case RoleKind.NOT_NULL if role is not None:
            return predicate.name, f"{role.root.removeprefix('&')}->{role.of}"
        case RoleKind.SIZE | RoleKind.HEAP:
            return _BLOCKS, _BLOCKS
        case RoleKind.FREED:
            return predicate.name, "freed blocks"
        case RoleKind.HELD:
            return _HELD, _HELD
    return predicate.name, predicate.name


def crowding_sentence(shape: ShapeResult) -> str:
    """The most crowded location in words; empty if no structures are left to look at."""
    first = next(iter(crowds(shape, 1)), None)
    if first is None:
        return ""
    apart = f", told apart by {_list(first.facts, names_of(shape))}" if first.facts else ""
    return f"most structures ({first.structures:,}) are at {first.words}{apart}"


def crowding_table(shape: ShapeResult) -> str:
    """The most crowded locations, for `--profile`."""
    names = names_of(shape)
    rows = [[crowd.words, f"{crowd.structures:,}", _list(crowd.facts, names)] for crowd in crowds(shape)]
    if not rows:
        return "no structures: no run of the analysis came to an end"
    return align_table(["location", "structures", "told apart by"], rows)


def _list(facts: Sequence[str], names: WrittenNames) -> str:
    """Facts with names as in the source; two copies of a function have the same, and a slot is an element."""
    cleaned = (_SLOT.sub(r"\1", names.clean(fact)) for fact in facts)
    return ", ".join(dict.fromkeys(_ARRAY.sub(r"elements of type \1", fact) for fact in cleaned))
