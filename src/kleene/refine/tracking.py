"""Tracking definitions: which pointers, fields and integers an abstraction tracks.

Beyer, Henzinger, Théoduloz, Zufferey. Shape refinement through explicit heap analysis. FASE 2010, section 2.3:
``D = (T, T_s, Φ)``. Deviation: the field assertions Φ are kept apart by what they are about, pointer fields (which are
tracked as a whole) and integers, and integer variables are tracked by the same definition (nullary predicates).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields


@dataclass(frozen=True)
class TrackingDefinition:
    """Names of what is tracked. The predicates of `separating` pointers are abstraction predicates: they name nodes.

    `fields` are pointer cells, `data` the offsets of integer cells, `integers` variables.
    """

    tracked: frozenset[str] = frozenset()
    separating: frozenset[str] = frozenset()
    fields: frozenset[str] = frozenset()
    data: frozenset[int] = frozenset()
    integers: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if not self.separating <= self.tracked:
            raise ValueError("separating pointers must be tracked")

    def refines(self, other: TrackingDefinition) -> bool:
        """``D ≼ D'``: everything that the other tracks is tracked."""
        return all(getattr(other, part.name) <= getattr(self, part.name) for part in fields(self))

    def joined(self, other: TrackingDefinition) -> TrackingDefinition:
        """The coarsest definition that refines both."""
        parts = {part.name: getattr(self, part.name) | getattr(other, part.name) for part in fields(self)}
        return TrackingDefinition(**parts)

    def without(self, other: TrackingDefinition) -> TrackingDefinition:
        """What this one tracks and the other does not."""
        parts = {part.name: getattr(self, part.name) - getattr(other, part.name) for part in fields(self)}
        return TrackingDefinition(**{**parts, "separating": parts["separating"] & parts["tracked"]})

    @property
    def empty(self) -> bool:
        return self == NOTHING

    @property
    def words(self) -> list[str]:
        """What is tracked, one phrase for each kind."""
        rest = self.tracked - self.separating
        parts: list[tuple[str, Iterable[object]]] = [
            ("pointers", sorted(self.separating)),
            ("not separating", sorted(rest)),
            ("fields", sorted(self.fields)),
            ("data at offset", sorted(self.data)),
            ("integers", sorted(self.integers)),
        ]
        return [f"{kind} {', '.join(map(str, names))}" for kind, names in parts if names]

    def __str__(self) -> str:
        return "; ".join(self.words) or "nothing"


NOTHING = TrackingDefinition()
"""The coarsest tracking definition D_0."""
