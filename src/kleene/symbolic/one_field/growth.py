"""All summaries of trees, cycles and stores, each with one example, by a fixpoint.

A tree has its root at the end of its steps. It is *open* while predecessors of the root may be added. It is *closed*
when the guessed features of the root agree with its predecessors. A cycle is a chain of open trees whose roots
are on the cycle.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kleene.symbolic.one_field.features import Feature, Kind, holds
from kleene.symbolic.one_field.problem import CYCLIC, LOOP, Palette
from kleene.symbolic.one_field.reading import NotSupported
from kleene.symbolic.one_field.summary import Summaries, Summary

MOST_PARTS = 4_000_000
"""Combinations of parts that are looked at; a few seconds. Beyond that, provers try the operation."""
_CLOCK = 4096
"""Combinations between two looks at the clock: a few hundredths of a second."""


@dataclass(frozen=True, slots=True)
class Tree:
    """An example of a tree: the colour of its root, and the trees of its predecessors."""

    colour: int
    below: tuple[Tree, ...] = ()


Component = tuple[tuple[Tree, ...], bool]
"""Trees whose roots are in sequence; True if the last root leads to the first one, else there is one tree."""
Store = tuple[Component, ...]


@dataclass(frozen=True, slots=True)
class Open:
    """A tree to whose root predecessors can be added. `hanging` are the kinds of all individuals but the root."""

    colour: int
    counts: tuple[int, ...]
    summary: Summary
    hanging: int = 0


@dataclass(frozen=True, slots=True)
class Chain:
    """Open trees whose roots are in sequence; the first root still lacks its predecessor on the cycle."""

    first: int
    counts: tuple[int, ...]
    last: int
    summary: Summary
    hanging: int
    around: int
    supported: frozenset[Feature]
    long: bool


class Growth:
    """The construction for one palette."""

    def __init__(self, palette: Palette, remaining: Callable[[], float]) -> None:
        self.palette = palette
        self.summaries = Summaries(palette)
        self._remaining = remaining
        self._tries = 0
        colours = palette.colours
        self._contributions = [palette.contribution(c) for c in colours]
        self._follows = [[d for d, there in enumerate(colours) if palette.allows_step(here, there)] for here in colours]
        self._precedes: list[list[int]] = [[] for _ in colours]
        for c, followers in enumerate(self._follows):
            for d in followers:
                self._precedes[d].append(c)
        self._opens: dict[int, dict[Open, Tree]] = defaultdict(dict)
        self._closed: dict[int, dict[Summary, Tree]] = defaultdict(dict)
        self._components: dict[Summary, Component] = {}

    def stores(self) -> dict[Summary, Store]:
        """The summaries of all stores, each with an example."""
        self._grow_trees()
        self._grow_cycles()
        return {s: store for s, store in self._unions().items() if self.summaries.is_store(s)}

    def _look_at_clock(self) -> None:
        self._tries += 1
        if self._tries > MOST_PARTS:
            raise NotSupported("too many combinations")
        if self._tries % _CLOCK == 0 and self._remaining() <= 0:
            raise NotSupported("time limit reached")

    # Trees ----------------------------------------------------------------------------------------------

    def _grow_trees(self) -> None:
        none = (0,) * len(self.palette.counted)
        waiting: list[tuple[Open, Tree]] = []
        for c, colour in enumerate(self.palette.colours):
            if self.palette.agrees(colour, none, complete=False):
                waiting.append((Open(c, none, self.summaries.single(colour)), Tree(c)))
        while waiting:
            tree, example = waiting.pop()
            if tree in self._opens[tree.colour]:
                continue
            self._opens[tree.colour][tree] = example
            for c in self._precedes[tree.colour]:
                for summary, other in list(self._closed[c].items()):
                    self._attach(tree, example, c, summary, other, waiting)
            self._close(tree, example, waiting)

    def _close(self, tree: Open, example: Tree, waiting: list[tuple[Open, Tree]]) -> None:
        colour = self.palette.colours[tree.colour]
        if colour.values[CYCLIC] or not self.palette.agrees(colour, tree.counts, complete=True):
            return
        if tree.summary in self._closed[tree.colour]:
            return
        self._closed[tree.colour][tree.summary] = example
        if self.palette.allows_end(colour):
            self._components.setdefault(self.summaries.add_step(tree.summary, colour.kind, None), ((example,), False))
        for c in self._follows[tree.colour]:
            for other, below in list(self._opens[c].items()):
                self._attach(other, below, tree.colour, tree.summary, example, waiting)

    def _attach(
        self, tree: Open, example: Tree, c: int, summary: Summary, below: Tree, waiting: list[tuple[Open, Tree]]
    ) -> None:
        """Make the root of a closed tree a predecessor of the root of an open one."""
        self._look_at_clock()
        colours = self.palette.colours
        counts = _add(tree.counts, self._contributions[c])
        if not self.palette.agrees(colours[tree.colour], counts, complete=False):
            return
        joined = self.summaries.together(tree.summary, summary)
        if joined is None:
            return
        root = 1 << colours[tree.colour].kind
        joined = self.summaries.add_step(joined, colours[c].kind, colours[tree.colour].kind)
        joined = self.summaries.add_paths(joined, summary.some, root)
        joined = self.summaries.add_gaps(joined, root | tree.hanging, summary.some)
        joined = self.summaries.add_gaps(joined, summary.some, tree.hanging)
        hanging = tree.hanging | summary.some if self.summaries.tracks_paths else 0
        larger = Open(tree.colour, counts, joined, hanging)
        if larger not in self._opens[tree.colour]:
            waiting.append((larger, Tree(tree.colour, (*example.below, below))))

    # Cycles ---------------------------------------------------------------------------------------------

    def _grow_cycles(self) -> None:
        colours = self.palette.colours
        pieces = {c: self._opens[c] for c, colour in enumerate(colours) if colour.values[CYCLIC]}
        waiting: list[tuple[Chain, tuple[Tree, ...]]] = []
        for c, trees in pieces.items():
            for tree, example in trees.items():
                support = self._support(tree)
                root = 1 << colours[c].kind
                chain = Chain(c, tree.counts, c, tree.summary, tree.hanging, root, support, long=False)
                waiting.append((chain, (example,)))
        fitting = {c: self._fitting(c, pieces) for c in pieces}
        seen: set[Chain] = set()
        while waiting:
            chain, examples = waiting.pop()
            if chain in seen:
                continue
            seen.add(chain)
            self._close_cycle(chain, examples)
            for tree, example in fitting[chain.last]:
                longer = self._lengthen(chain, tree)
                if longer is not None and longer not in seen:
                    waiting.append((longer, (*examples, example)))

    def _fitting(self, last: int, pieces: Mapping[int, Mapping[Open, Tree]]) -> list[tuple[Open, Tree]]:
        """The open trees whose roots can follow a root of this colour on a cycle of two or more."""
        result = []
        for c in self._follows[last]:
            if not self._is_loop(c) and not self._is_loop(last):
                for tree, example in pieces[c].items():
                    counts = _add(tree.counts, self._contributions[last])
                    if self.palette.agrees(self.palette.colours[c], counts, complete=True):
                        result.append((tree, example))
        return result

    def _support(self, tree: Open) -> frozenset[Feature]:
        """The features about paths that hold on a cycle because of this part of it."""
        colour = self.palette.colours[tree.colour]
        number = dict(zip(self.palette.counted, tree.counts, strict=True))
        result = set()
        for f in self.palette.problem.features:
            if f.kind in (Kind.FROM, Kind.TO):
                counted = f.kind is Kind.FROM and number[self.palette.counted_by(f)] > 0
                if counted or holds(f.gamma, colour.values):
                    result.add(f)
        return frozenset(result)

    def _lengthen(self, chain: Chain, tree: Open) -> Chain | None:
        """The chain with another tree, whose root is the successor of the last root."""
        self._look_at_clock()
        colours = self.palette.colours
        if tree.colour < chain.first:  # a cycle begins with its first colour
            return None
        joined = self.summaries.together(chain.summary, tree.summary)
        if joined is None:
            return None
        joined = self.summaries.add_step(joined, colours[chain.last].kind, colours[tree.colour].kind)
        joined = self.summaries.add_gaps(joined, chain.hanging, tree.hanging)
        joined = self.summaries.add_gaps(joined, tree.hanging, chain.hanging)
        around = chain.around | 1 << colours[tree.colour].kind
        hanging = chain.hanging | tree.hanging
        supported = chain.supported | self._support(tree)
        return Chain(chain.first, chain.counts, tree.colour, joined, hanging, around, supported, long=True)

    def _close_cycle(self, chain: Chain, examples: tuple[Tree, ...]) -> None:
        """Make the first root the successor of the last one, if all guesses agree with that."""
        colours = self.palette.colours
        first, last = colours[chain.first], colours[chain.last]
        counts = _add(chain.counts, self._contributions[chain.last])
        if chain.first not in self._follows[chain.last] or not self.palette.agrees(first, counts, complete=True):
            return
        for f in self.palette.problem.features:
            if f.kind in (Kind.FROM, Kind.TO) and first.values[f.name] is not (f in chain.supported):
                return
            if f.kind is Kind.LOOP and not chain.long and not first.values[f.name]:
                return
        summary = self.summaries.add_step(chain.summary, last.kind, first.kind)
        summary = self.summaries.add_paths(summary, chain.around | chain.hanging, chain.around)
        summary = self.summaries.add_gaps(summary, chain.around, chain.hanging)
        self._components.setdefault(summary, (examples, True))

    def _is_loop(self, colour: int) -> bool:
        return self.palette.colours[colour].values.get(LOOP, False)

    # Stores ---------------------------------------------------------------------------------------------

    def _unions(self) -> dict[Summary, Store]:
        """All summaries of sets of components."""
        stores: dict[Summary, Store] = {Summary(): ()}
        waiting = [Summary()]
        while waiting:
            summary = waiting.pop()
            for component, example in self._components.items():
                self._look_at_clock()
                joined = self.summaries.together(summary, component)
                if joined is None:
                    continue
                joined = self.summaries.add_gaps(joined, summary.some, component.some)
                joined = self.summaries.add_gaps(joined, component.some, summary.some)
                if joined not in stores:
                    stores[joined] = (*stores[summary], example)
                    waiting.append(joined)
        return stores


def _add(counts: tuple[int, ...], more: tuple[int, ...]) -> tuple[int, ...]:
    """Numbers of predecessors; two stands for two or more."""
    return tuple(min(2, a + b) for a, b in zip(counts, more, strict=True))
