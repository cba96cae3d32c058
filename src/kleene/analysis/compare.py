"""Comparing two results of one program (TVLA's ``-diff``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kleene.structures.canonical import canonical_abstraction
from kleene.structures.embedding import embeds
from kleene.structures.structure import Structure
from kleene.structures.tvs_reader import TvsFile


@dataclass(frozen=True)
class LocationDifference:
    """What only one of two results has at a location.

    `covered` says whether everything that is only in one is embedded in something of the other, each way.
    """

    location: str
    only_first: tuple[Structure, ...]
    only_second: tuple[Structure, ...]
    covered: tuple[bool, bool]

    @property
    def relation(self) -> str:
        """How the results compare in what they represent."""
        match self.covered:
            case True, True:
                return "equivalent"
            case True, False:
                return "the first is more precise"
            case False, True:
                return "the second is more precise"
        return "incomparable"


def _structures(file: TvsFile) -> Mapping[str, list[Structure]]:
    groups = file.locations or {"structures": file.structures}
    return {
        name: [canonical_abstraction(item.structure) for item in items if not item.messages]
        for name, items in groups.items()
    }


def differences(first: TvsFile, second: TvsFile) -> list[LocationDifference]:
    """The locations at which two results are not the same set of structures up to isomorphism."""
    a, b = _structures(first), _structures(second)
    found = []
    for name in dict.fromkeys([*a, *b]):
        here, there = set(a.get(name, ())), set(b.get(name, ()))
        if here != there:
            only_here, only_there = _sorted(here - there), _sorted(there - here)
            covered = (_covered(only_here, there), _covered(only_there, here))
            found.append(LocationDifference(name, only_here, only_there, covered))
    return found


def _sorted(structures: set[Structure]) -> tuple[Structure, ...]:
    return tuple(sorted(structures, key=lambda s: (s.size, s.values)))


def _covered(structures: Sequence[Structure], others: set[Structure]) -> bool:
    return all(any(embeds(s, other) for other in others) for s in structures)
