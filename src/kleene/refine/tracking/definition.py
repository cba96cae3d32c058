"""Tracking definitions: which pointers, fields and integers an abstraction tracks.

Beyer, Henzinger, Théoduloz, Zufferey. Shape refinement through explicit heap analysis. FASE 2010, section 2.3:
``D = (T, T_s, Φ)``. Deviation: the field assertions Φ are divided into pointer fields (tracked as a whole) and integer
fields, and the definition also tracks integer variables (nullary predicates).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, fields, replace

from kleene.cfa.expressions import GHOST_OFFSET


@dataclass(frozen=True)
class TrackingDefinition:
    """Names of tracked values. The predicates of `separating` pointers are abstraction predicates: they name nodes.

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

    def join(self, other: TrackingDefinition) -> TrackingDefinition:
        """The coarsest definition that refines both."""
        parts = {part.name: getattr(self, part.name) | getattr(other, part.name) for part in fields(self)}
        return TrackingDefinition(**parts)

    def without(self, other: TrackingDefinition) -> TrackingDefinition:
        """The part of this definition that the other does not track."""
        parts = {part.name: getattr(self, part.name) - getattr(other, part.name) for part in fields(self)}
        return TrackingDefinition(**{**parts, "separating": parts["separating"] & parts["tracked"]})

    @property
    def variables(self) -> frozenset[str]:
        """The names of the variables that are tracked: pointers and integers."""
        return self.tracked | self.integers

    def only(self, names: Set[str]) -> TrackingDefinition:
        """The same for these variables alone."""
        return replace(
            self,
            tracked=self.tracked & names,
            separating=self.separating & names,
            integers=self.integers & names,
        )

    @property
    def empty(self) -> bool:
        return self == NOTHING

    @property
    def words(self) -> list[str]:
        """The tracked values as text, one phrase for each kind."""
        rest = self.tracked - self.separating
        parts: list[tuple[str, Iterable[object]]] = [
            ("pointers", sorted(self.separating)),
            ("not separating", sorted(rest)),
            ("fields", sorted(self.fields)),
            ("data at offset", sorted(offset for offset in self.data if offset < GHOST_OFFSET)),
            ("integers", sorted(self.integers)),
        ]
        return [f"{kind} {', '.join(map(str, names))}" for kind, names in parts if names]

    def __str__(self) -> str:
        return "; ".join(self.words) or "nothing"


NOTHING = TrackingDefinition()
"""The coarsest tracking definition D_0."""


@dataclass(frozen=True)
class Activity:
    """Maps variables to the locations that track them: a location uses the active part of the tracking definition.

    A variable with an entry is tracked at these locations, if it is live there; another one wherever it is live.
    """

    at: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def join(self, tracked: frozenset[str], where: Mapping[str, frozenset[str]]) -> Activity:
        """Add locations; a variable in `tracked` (those before) without an entry stays tracked everywhere."""
        at = dict(self.at)
        for name, locations in where.items():
            if name in self.at or name not in tracked:
                at[name] = self.at.get(name, frozenset()) | locations
        return Activity(at)

    def everywhere(self, names: frozenset[str]) -> Activity:
        """With these variables wherever they are live."""
        return Activity({name: locations for name, locations in self.at.items() if name not in names})

    def without(self, other: Activity) -> dict[str, frozenset[str]]:
        """The new locations of each variable; variables without new locations are omitted."""
        new = {name: locations - other.at.get(name, frozenset()) for name, locations in self.at.items()}
        return {name: locations for name, locations in new.items() if locations}


EVERYWHERE = Activity()
"""Every variable that is tracked is, wherever it is live."""
