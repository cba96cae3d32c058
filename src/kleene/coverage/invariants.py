"""The invariant of a proof, in which states are searched; for the shape domain, sets of structures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from kleene.coverage.matching import Candidates, Places, Sketch, complete_sketch
from kleene.coverage.shapes import Followed, Misplaced, Sketcher
from kleene.coverage.views import Program, View
from kleene.logic.vocabulary import Vocabulary
from kleene.structures.structure import Structure

if TYPE_CHECKING:
    from kleene.core.domain import Store

MOST_STRUCTURES = 400
"""Structures beyond which a state is not searched in them, to spare time: those that agree with it on nullary facts."""
MOST_NODES = 40
"""Blocks of the heap beyond which a state is not looked up."""
_MOST_NODES_DEFINED = 14
"""Nodes of a state up to which definitions are computed for it."""


class Invariant(Protocol):
    """The states that a proof allows at each location."""

    states: int
    """Number of states searched."""
    different: int
    """Number of different states among them."""
    looks_closer: bool
    """Whether `closer_looks` needs a share of the time."""

    def empty(self, location: str) -> bool | None:
        """Whether the proof excludes a location; None if it has no such location."""

    def problem(self, view: View) -> str | None:
        """Why a state is not covered; None if it is."""

    def closer_looks(self) -> Iterator[tuple[str, str | None]]:
        """States searched once more, with all that follows by definitions: each location, and why it is not covered."""


class ShapeInvariant:
    """Sets of structures."""

    looks_closer = True

    def __init__(
        self,
        program: Program,
        attempt: Followed,
        vocabulary: Vocabulary,
        stores: Mapping[str, Store[Structure]],
    ) -> None:
        self.sketcher = Sketcher(program, attempt, vocabulary)
        self.vocabulary = vocabulary
        self.stores = stores
        self.all_places = Places.of(vocabulary, core=False)
        self.later: list[tuple[str, Sketch]] = []
        self.states = self.different = 0
        self._candidates: dict[tuple[str, bool], Candidates] = {}
        self._elements: dict[str, Sequence[Structure]] = {}
        self._seen: set[object] = set()

    def empty(self, location: str) -> bool | None:
        return not self._at(location) if location in self.stores else None

    def _at(self, location: str) -> Sequence[Structure]:
        if location not in self._elements:
            self._elements[location] = list(self.stores[location].elements()) if location in self.stores else []
        return self._elements[location]

    def _candidates_at(self, location: str, *, core: bool) -> Candidates:
        key = (location, core)
        if key not in self._candidates:
            self._candidates[key] = Candidates(self._at(location), self.sketcher.places if core else self.all_places)
        return self._candidates[key]

    def problem(self, view: View) -> str | None:
        if sum(block.alive and block.kind == "heap" for block in view.state.blocks.values()) > MOST_NODES:
            return None
        try:
            for sketch in self.sketcher.sketches(view):
                self.states += 1
                key = (view.location, sketch.key())
                if key in self._seen:
                    continue
                self._seen.add(key)
                self.different += 1
                if not self._covers(view.location, sketch, core=True):
                    return self._words(sketch)
                if sketch.complete and sketch.size <= _MOST_NODES_DEFINED:
                    self.later.append((view.location, sketch))
        except Misplaced as place:
            return str(place)
        return None

    def _covers(self, location: str, sketch: Sketch, *, core: bool) -> bool:
        return self._candidates_at(location, core=core).cover(sketch, MOST_STRUCTURES)

    def closer_looks(self) -> Iterator[tuple[str, str | None]]:
        while self.later:
            location, core = self.later.pop()
            structure, sketch = complete_sketch(core, self.sketcher.places, self.vocabulary)
            yield location, None if self._covers(location, sketch, core=False) else repr(structure)

    def _words(self, sketch: Sketch) -> str:
        structure, _ = complete_sketch(sketch, self.sketcher.places, self.vocabulary)
        return repr(structure)
