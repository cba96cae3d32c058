"""What is kept of a part of a store: the kinds that occur, and between which kinds the field and its paths lead.

All sets are bit masks. With m kinds, bit ``k * (m + 1) + l`` of `steps` says that an individual of kind k leads to one
of kind l, where l = m means that it leads nowhere. Bit ``k * m + l`` of `paths` says that some individual of kind k
reaches one of kind l, and the same bit of `gaps` that some does not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from kleene.logic.formula import Formula
from kleene.logic.kleene import Kleene
from kleene.symbolic.one_field.features import holds
from kleene.symbolic.one_field.problem import CYCLIC, Colour, Palette


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of a part: kinds with at least one individual, and with at least two."""

    some: int = 0
    several: int = 0
    steps: int = 0
    paths: int = 0
    gaps: int = 0


def bits(mask: int) -> list[int]:
    """The positions of the bits of a mask."""
    result = []
    while mask:
        low = mask & -mask
        result.append(low.bit_length() - 1)
        mask ^= low
    return result


class Summaries:
    """Operations on the summaries of one palette; None where no store of the problem has such a part."""

    def __init__(self, palette: Palette) -> None:
        self.palette = palette
        self.count = len(palette.kinds)
        self.tracks_paths = bool(palette.problem.paths)
        kinds = range(self.count)
        self._apart = [sum(1 << b for b in kinds if palette.are_apart(a, b)) for a in kinds]

    @cached_property
    def _reflexive(self) -> bool:
        """Whether paths of length zero count; with several closures, the diagonal of the others follows from cycles."""
        return any(self.palette.problem.paths.values())

    # Parts ----------------------------------------------------------------------------------------------

    def single(self, colour: Colour) -> Summary:
        summary = Summary(some=1 << colour.kind)
        if self.tracks_paths:
            diagonal = 1 << colour.kind * (self.count + 1)
            if self._reflexive or colour.values[CYCLIC]:
                return replace(summary, paths=diagonal)
            return replace(summary, gaps=diagonal)
        return summary

    def together(self, one: Summary, other: Summary) -> Summary | None:
        """Two parts without regard to their steps and paths."""
        if any(self._apart[k] & other.some for k in bits(one.some)):
            return None
        return Summary(
            one.some | other.some,
            one.several | other.several | (one.some & other.some),
            one.steps | other.steps,
            one.paths | other.paths,
            one.gaps | other.gaps,
        )

    def add_step(self, summary: Summary, here: int, there: int | None) -> Summary:
        target = self.count if there is None else there
        return replace(summary, steps=summary.steps | 1 << here * (self.count + 1) + target)

    def add_paths(self, summary: Summary, sources: int, targets: int) -> Summary:
        """Individuals of all these kinds reach such of all those kinds."""
        return replace(summary, paths=summary.paths | self._product(sources, targets)) if self.tracks_paths else summary

    def add_gaps(self, summary: Summary, sources: int, targets: int) -> Summary:
        return replace(summary, gaps=summary.gaps | self._product(sources, targets)) if self.tracks_paths else summary

    def _product(self, sources: int, targets: int) -> int:
        return sum(targets << k * self.count for k in bits(sources))

    # Whole stores ---------------------------------------------------------------------------------------

    def is_store(self, summary: Summary) -> bool:
        """Whether a store with this summary satisfies all conditions on whole stores."""
        palette = self.palette
        problem = palette.problem
        values = dict(palette.guess)
        for some in problem.somes:
            actual = self._holds_some(summary, some.gamma, some.other)
            if values.setdefault(some.name, actual) is not actual:
                return False
        return (
            all(holds(f, values) for f in problem.remaining)
            and self._has_nodes(summary)
            and self._has_steps(summary)
            and self._has_paths(summary)
        )

    def _holds_some(self, summary: Summary, gamma: Formula, other: Formula | None) -> bool:
        kinds = self.palette.kinds
        one = sum(1 << k for k in bits(summary.some) if gamma in kinds[k].marks)
        if other is None:
            return bool(one)
        two = sum(1 << k for k in bits(summary.some) if other in kinds[k].marks)
        both = one & two
        return bool(one and two and (one != two or one & (one - 1) or both & summary.several))

    def _has_nodes(self, summary: Summary) -> bool:
        structure = self.palette.problem.structure
        for node in structure.nodes:
            kinds = [k for k in bits(summary.some) if self.palette.kinds[k].node == node]
            many = len(kinds) > 1 or any(summary.several >> k & 1 for k in kinds)
            if not kinds and not structure.is_maybe_active(node):
                return False
            if structure.value("sm", node) is Kleene.TRUE and kinds and not many:
                return False
        return True

    def _has_steps(self, summary: Summary) -> bool:
        """Where the input structure has a definite step, all individuals make it."""
        for a in bits(summary.some):
            targets = summary.steps >> a * (self.count + 1) & ((1 << self.count + 1) - 1)
            for b in bits(summary.some):
                if self.palette.must_step(a, b) and (targets != 1 << b or summary.several >> b & 1):
                    return False
        return True

    def _has_paths(self, summary: Summary) -> bool:
        """Definite values of the closures in the input structure."""
        problem, kinds = self.palette.problem, self.palette.kinds
        for name in problem.paths:
            for a in bits(summary.some):
                for b in bits(summary.some):
                    known = problem.structure.value(name, kinds[a].node, kinds[b].node)
                    wrong = summary.gaps if known is Kleene.TRUE else summary.paths
                    if known.definite and wrong >> a * self.count + b & 1:
                        return False
        return True
