"""Comparing two results of one program (TVLA's ``-diff``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kleene.structures.canonical import canonical_abstraction, is_bounded
from kleene.structures.embedding import embeds, isomorphic
from kleene.structures.structure import Structure
from kleene.structures.tvs_reader import TvsFile, TvsStructure


@dataclass(frozen=True)
class LocationDifference:
    """The difference of two results at a location: structures up to isomorphism, and messages.

    `covered`: whether the other result embeds all structures of `only_first`, and of `only_second`.
    """

    location: str
    only_first: tuple[Structure, ...]
    only_second: tuple[Structure, ...]
    covered: tuple[bool, bool]
    messages_first: tuple[str, ...] = ()
    messages_second: tuple[str, ...] = ()

    @property
    def relation(self) -> str:
        """How the sets of stores of the two results compare."""
        if not self.only_first and not self.only_second:
            return "the structures are the same, the messages are not"
        match self.covered:
            case True, True:
                return "equivalent"
            case True, False:
                return "the first is more precise"
            case False, True:
                return "the second is more precise"
        return "incomparable"


def differences(first: TvsFile, second: TvsFile) -> list[LocationDifference]:
    """The locations at which two results are not the same set of structures up to isomorphism, or of messages."""
    a, b = _groups(first), _groups(second)
    result = []
    for name in dict.fromkeys([*a, *b]):
        here, there = _structures(a.get(name, ())), _structures(b.get(name, ()))
        only_here, only_there = _missing(here, there), _missing(there, here)
        said, heard = _messages(a.get(name, ())), _messages(b.get(name, ()))
        if only_here or only_there or said != heard:
            covered = (_are_covered(only_here, there), _are_covered(only_there, here))
            messages = tuple(sorted(said - heard)), tuple(sorted(heard - said))
            result.append(LocationDifference(name, only_here, only_there, covered, *messages))
    return result


def _groups(file: TvsFile) -> Mapping[str, Sequence[TvsStructure]]:
    return file.locations or {"structures": file.structures}


def _structures(items: Sequence[TvsStructure]) -> list[Structure]:
    return [_normal(item.structure) for item in items if not item.messages]


def _messages(items: Sequence[TvsStructure]) -> set[str]:
    return {text for item in items for text in item.messages}


def _normal(structure: Structure) -> Structure:
    """The nodes in canonical order, if that does not merge any: results of `--join conc` are not blurred."""
    canonical = canonical_abstraction(structure)
    return canonical if canonical.size == structure.size else structure


def _missing(structures: Sequence[Structure], others: Sequence[Structure]) -> tuple[Structure, ...]:
    """The structures that are not among the others."""
    equal = set(others)
    left = [s for s in structures if s not in equal]
    missing = [s for s in left if is_bounded(s) or not any(isomorphic(s, other) for other in others)]
    return tuple(sorted(dict.fromkeys(missing), key=lambda s: (s.size, s.values)))


def _are_covered(structures: Sequence[Structure], others: Sequence[Structure]) -> bool:
    return all(any(embeds(s, other) for other in others) for s in structures)
