"""Where the structures of an analysis multiplied, and the predicates that tell them apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2

from kleene.cfa.operations import Place
from kleene.report.run.table import align_table
from kleene.results.shape import ShapeResult
from kleene.structures.structure import Structure

MOST_LOCATIONS = 10
"""Locations in the table: more are read by nobody."""
MOST_PREDICATES = 5
"""Predicates that are named for a location."""
SAMPLED_STRUCTURES = 200
"""Structures of a location that are compared: the order of the predicates hardly changes with more."""


@dataclass(frozen=True)
class Crowd:
    """A location with many structures; `predicates` tell them apart, the best first."""

    place: Place
    is_loop: bool
    structures: int
    predicates: tuple[str, ...]

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
    """The predicates that split the structures best: whether they hold, or whether they hold on some node."""
    sample = structures[:: max(1, len(structures) // SAMPLED_STRUCTURES)]
    if not sample:
        return ()
    gains: dict[str, float] = {}
    for index, predicate in enumerate(sample[0].vocabulary):
        if predicate.arity < 2 and predicate.abstraction:
            share = sum(bool(s.values[2 * index + 1]) for s in sample) / len(sample)
            if 0 < share < 1:
                gains[predicate.name] = -share * log2(share) - (1 - share) * log2(1 - share)
    return tuple(sorted(gains, key=lambda name: (-gains[name], name))[:MOST_PREDICATES])


def crowding_sentence(shape: ShapeResult) -> str:
    """The most crowded location in words; empty if no structures are left to look at."""
    first = next(iter(crowds(shape, 1)), None)
    if first is None:
        return ""
    apart = f", told apart by {', '.join(first.predicates)}" if first.predicates else ""
    return f"most structures ({first.structures:,}) are at {first.words}{apart}"


def crowding_table(shape: ShapeResult) -> str:
    """The most crowded locations, for `--profile`."""
    rows = [[crowd.words, f"{crowd.structures:,}", ", ".join(crowd.predicates)] for crowd in crowds(shape)]
    if not rows:
        return "no structures: there was no analysis"
    return align_table(["location", "structures", "told apart by"], rows)
