"""The canonical abstraction of a store, read off its summary.

A summary says which kinds of individuals a store has, how many, and between which of them its field and its paths lead.
Kinds with the same abstraction predicates become one node, and everything about a node follows from the bits of its
kinds. A store is built only where somebody looks at it: examples may have a hundred individuals.
"""

from __future__ import annotations

from dataclasses import dataclass

from kleene.logic.vocabulary import Vocabulary
from kleene.structures.layout import layout_for
from kleene.structures.structure import AC, AC_MAY, SM, SM_MUST, Structure
from kleene.symbolic.one_field.problem import Palette
from kleene.symbolic.one_field.summary import Summaries, Summary, bits


@dataclass(frozen=True)
class Name:
    """The kinds with the same values of all abstraction predicates."""

    kinds: int
    """A bit set."""
    values: tuple[bool, ...]
    """Of the abstraction predicates, in order."""


@dataclass(frozen=True)
class Node:
    """The individuals of a store with one name."""

    kinds: int
    several: bool


class Abstractions:
    """The canonical abstractions of the stores of one palette, over the vocabulary of the input structure."""

    def __init__(self, palette: Palette) -> None:
        self.palette = palette
        self.summaries = Summaries(palette)
        self._vocabulary: Vocabulary = palette.problem.structure.vocabulary
        told_apart = palette.problem.told_apart
        abstraction = [told_apart.index(p.name) for p in self._vocabulary.unary_abstraction if p.name in told_apart]
        groups: dict[tuple[bool, ...], int] = {}
        for k, kind in enumerate(palette.kinds):
            values = tuple(kind.values[i] for i in abstraction)
            groups[values] = groups.get(values, 0) | 1 << k
        self._names = [Name(groups[values], values) for values in sorted(groups, reverse=True)]
        """In the order of canonical structures."""
        self._having = {
            name: sum(1 << k for k, kind in enumerate(palette.kinds) if kind.values[i])
            for i, name in enumerate(told_apart)
            if self._vocabulary.get(name) is not None
        }

    @property
    def are_known(self) -> bool:
        """Whether summaries say all that structures show: lengths of paths are of one sort."""
        return len(set(self.palette.problem.paths.values())) <= 1

    def of(self, summary: Summary) -> Structure:
        """The canonical abstraction of the stores with a summary."""
        there, several = self.summaries.kinds_of(summary)
        nodes = [
            Node(kinds, bool(kinds & (kinds - 1) or kinds & several))
            for name in self._names
            if (kinds := name.kinds & there)
        ]
        values = [0] * (2 * len(self._vocabulary))
        values[AC] = values[AC_MAY] = (1 << len(nodes)) - 1
        values[SM] = sum(1 << u for u, node in enumerate(nodes) if node.several)
        values[SM_MUST] = 0
        problem = self.palette.problem
        for p in self._vocabulary.declared:
            rail = 2 * self._vocabulary.index(p.name)
            if p.arity == 0:
                values[rail] = values[rail + 1] = int(self.palette.guess[p.name])
            elif p.arity == 1:
                having = self._having[p.name]
                values[rail] = sum(1 << u for u, node in enumerate(nodes) if not node.kinds & ~having)
                values[rail + 1] = sum(1 << u for u, node in enumerate(nodes) if node.kinds & having)
            elif p.name == problem.step:
                values[rail], values[rail + 1] = self._steps(summary, nodes)
            else:
                values[rail], values[rail + 1] = self._paths(summary, nodes)
        return Structure(self._vocabulary, len(nodes), tuple(values))

    def _steps(self, summary: Summary, nodes: list[Node]) -> tuple[int, int]:
        must = may = 0
        bit = layout_for(len(nodes)).bit
        for u, node in enumerate(nodes):
            targets = 0
            for k in bits(node.kinds):
                targets |= self.summaries.targets_of(summary, k)
            for w, other in enumerate(nodes):
                if targets & other.kinds:
                    may |= 1 << bit((u, w))
                    if not targets & ~other.kinds and not other.several:
                        must |= 1 << bit((u, w))
        return must, may

    def _paths(self, summary: Summary, nodes: list[Node]) -> tuple[int, int]:
        must = may = 0
        bit = layout_for(len(nodes)).bit
        for u, node in enumerate(nodes):
            reached = missed = 0
            for k in bits(node.kinds):
                one, other = self.summaries.reached_from(summary, k)
                reached, missed = reached | one, missed | other
            for w, other_node in enumerate(nodes):
                if reached & other_node.kinds:
                    may |= 1 << bit((u, w))
                if not missed & other_node.kinds:
                    must |= 1 << bit((u, w))
        return must, may
