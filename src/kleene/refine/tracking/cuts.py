"""At which locations each variable is tracked: at the cuts whose interpolants contain it.

Beyer, Henzinger, Théoduloz, Zufferey. Shape refinement through explicit heap analysis. FASE 2010, Algorithm 3: the
atoms of the interpolant at a location refine the tracking definition of this location. Deviations: without an
interpolant, a variable is tracked from its write to its read on the path; and a variable that a location needs is
tracked on the whole live range of its value around this location, because other paths through a loop would need it in
the next rounds (decision 014).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from kleene.cfa.expressions import Variable
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Operation
from kleene.core.verdict import LEAKS
from kleene.passes.facts.liveness import Lifetimes, defined_variables, used_variables
from kleene.refine.tracking.definition import NOTHING, TrackingDefinition
from kleene.refine.tree.reachability_tree import ErrorPath

Where = Mapping[str, frozenset[str]]
"""Locations, for names of variables."""


@dataclass(frozen=True)
class Asked:
    """What to track, with locations by reason; variables in `whole` or without locations: wherever they are live."""

    definition: TrackingDefinition = NOTHING
    where: tuple[tuple[str, Where], ...] = ()
    whole: frozenset[str] = frozenset()

    def join(self, other: Asked) -> Asked:
        definition = self.definition.join(other.definition)
        return Asked(definition, self.where + other.where, self.whole | other.whole)

    def around(self, ranges: LiveRanges) -> Asked:
        """The same with the live ranges around the locations."""
        return replace(self, where=tuple((why, ranges.around(where)) for why, where in self.where))

    @property
    def everywhere(self) -> frozenset[str]:
        """The variables that are asked for wherever they are live."""
        return self.whole | self.definition.variables - self.locations.keys()

    @property
    def locations(self) -> Where:
        """The locations of each variable, for all reasons."""
        return unite(*(where for _, where in self.where))

    def parts_of(self, chosen: Where) -> list[tuple[str, Where]]:
        """The chosen locations, each with the first reason that it has."""
        left = dict(chosen)
        by_reason: dict[str, Where] = {}
        for why, where in self.where:
            part = {n: left[n] & at for n, at in where.items() if n in left and left[n] & at}
            left = {n: at - part.get(n, frozenset()) for n, at in left.items()}
            by_reason[why] = unite(by_reason.get(why, {}), part)
        return [(why, where) for why, where in by_reason.items() if where]


def unite(*parts: Where) -> Where:
    """The locations of all of them."""
    result: dict[str, frozenset[str]] = {}
    for part in parts:
        for name, locations in part.items():
            result[name] = result.get(name, frozenset()) | locations
    return result


def on_path(path: ErrorPath, definition: TrackingDefinition, why: str) -> Asked:
    """The definition where the path needs it; for leaks wherever it is live, because the path does not read it."""
    if path.error.kind in LEAKS:
        return Asked(definition, whole=definition.variables)
    return Asked(definition, ((why, between_uses(path, definition.variables)),))


def between_uses(path: ErrorPath, names: frozenset[str]) -> Where:
    """The locations of the path where it later reads the value of a variable."""
    by_name: dict[str, set[str]] = {}
    live: set[str] = set()
    for step in reversed(path.steps):
        live -= {v.name for v in defined_variables(step.edge.label)}
        live |= {v.name for v in used_variables(step.edge.label)} & names
        for name in live:
            by_name.setdefault(name, set()).add(step.edge.source)
    return {name: frozenset(locations) for name, locations in by_name.items()}


def at_cuts(path: ErrorPath, cuts: Iterable[TrackingDefinition]) -> Where:
    """The locations at whose cuts the interpolants contain a variable; `cuts` has the contents of each cut."""
    by_name: dict[str, set[str]] = {}
    for step, spoken in zip(path.steps, cuts, strict=False):
        for name in spoken.tracked | spoken.integers:
            by_name.setdefault(name, set()).add(step.edge.source)
    return {name: frozenset(locations) for name, locations in by_name.items()}


@dataclass(frozen=True)
class LiveRanges:
    """The live ranges of variables: locations between which a value stays, and is still needed."""

    cfa: Cfa[Operation]
    lives: Lifetimes

    def around(self, where: Where) -> Where:
        """The live ranges that the locations lie in; nothing for a variable that is not live at any of them."""
        variables = {v.name: v for vs in self.lives.live.values() for v in vs}
        ranges = {name: self._range(variables[name], where[name]) for name in where if name in variables}
        return {name: frozenset(locations) for name, locations in ranges.items() if locations}

    def _range(self, variable: Variable, locations: Iterable[str]) -> set[str]:
        live = self.lives.live
        waiting = [location for location in locations if variable in live[location]]
        inside = set(waiting)
        while waiting:
            location = waiting.pop()
            near = [e.target for e in self.cfa.leaving(location) if variable not in defined_variables(e.label)]
            near += [e.source for e in self.cfa.entering(location) if variable not in defined_variables(e.label)]
            new = {n for n in near if variable in live[n]} - inside
            inside |= new
            waiting += new
        return inside
