"""A probe of whole heaps: do they raise the alarms that parts of heaps raise?

What the parts of a heap have in common is lost where it is taken apart, so an alarm may be due to that. Not if whole
heaps raise it as well. There are too many whole heaps to follow all of them; a probe follows one for each part that the
alarms are about. All that it follows are whole heaps, so an alarm of the probe is one of the whole analysis.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from kleene.analysis.c.shape.apart import locality_of
from kleene.analysis.c.shape.run import AlarmDomain, domain_of, solve_translated
from kleene.analysis.limits import MOST_MEMORY, Watchdog
from kleene.diagnostics import Limit, LimitReached
from kleene.domains.decomposed.locality import Refused
from kleene.domains.decomposed.parts import Parts
from kleene.domains.shape.domain import ShapeDomain
from kleene.engine.fixpoint import Reached
from kleene.semantics.translate import Translation
from kleene.structures.structure import Structure

PROBED_STRUCTURES = 5000
"""Whole heaps that a probe follows: as many as the parts of one data structure; more cost as much as the attempt."""


def whole_heaps_raise(translation: Translation, roots: Set[str], kinds: Set[str], seconds: float) -> bool:
    """Whether whole heaps raise alarms of all these kinds; the probe has a heap for each part with these roots."""
    try:
        with Watchdog(seconds, MOST_MEMORY):
            domain, initial = domain_of(translation, of=_ProbingDomain)
            assert isinstance(domain, _ProbingDomain)
            own = frozenset(roots) & locality_of(translation).roots
            if not own:
                return False
            domain.parts, domain.roots = Parts(locality_of(translation), domain.canonicalizer), own
            ends = _Ends(domain, translation, kinds)
            solve_translated(translation, domain, [initial], ends)
    except (LimitReached, Refused):
        return False
    return ends.has_all


class _ProbingDomain(AlarmDomain):
    """Follows one whole heap for each part that is connected with some roots."""

    parts: Parts
    roots: frozenset[str]

    def store(self) -> _Selection:
        return _Selection(self.parts, self.roots)


@dataclass
class _Ends:
    """Ends a probe that is too large or has raised all alarms."""

    domain: ShapeDomain
    translation: Translation
    kinds: Set[str]

    @property
    def has_all(self) -> bool:
        alarms = self.translation.alarms
        return self.kinds <= {alarms[entry.text].kind for entry in self.domain.log if entry.text in alarms}

    def __call__(self, reached: Reached[Any]) -> None:
        if reached.generated > PROBED_STRUCTURES or self.has_all:
            raise LimitReached("the probe ends", Limit.STRUCTURES)


@dataclass
class _Selection:
    """A store that takes a structure only if what is connected with the roots is new, or what nothing points to."""

    parts: Parts
    roots: frozenset[str]
    _by_part: dict[Structure, Structure] = field(default_factory=dict)

    def add(self, elements: Sequence[Structure]) -> list[Structure]:
        added = []
        for element in elements:
            part = self._part(element)
            if part not in self._by_part:
                self._by_part[part] = element
                added.append(element)
        return added

    def _part(self, structure: Structure) -> Structure:
        islands = self.parts.islands(structure)
        nodes, own = sum(islands.adrift), set(self.roots)
        for names, island in islands.nodes.items():
            if names & self.roots:
                nodes |= island
                own |= names
        return self.parts.cut(structure, nodes, frozenset(own))

    def covers(self, element: Structure) -> bool:
        return element in self._by_part.values()

    def current(self, element: Structure) -> bool:
        return True

    def elements(self) -> list[Structure]:
        return list(self._by_part.values())

    def clear(self) -> None:
        self._by_part.clear()

    def __len__(self) -> int:
        return len(self._by_part)
