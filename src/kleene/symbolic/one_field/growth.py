"""All summaries of trees, cycles and stores, each with one example, by a fixpoint.

A tree has its root at the end of its steps. It is *open* while predecessors of the root may be added. It is *closed*
when the guessed features of the root agree with its predecessors. A cycle is a chain of open trees whose roots
are on the cycle.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from kleene.symbolic.one_field.parts import Parts, Waiting
from kleene.symbolic.one_field.problem import CYCLIC, LOOP, Palette
from kleene.symbolic.one_field.reading import NotSupported
from kleene.symbolic.one_field.summary import Summaries, Summary

_CLOCK = 4096
"""Combinations between two looks at the clock: a few hundredths of a second."""


class TooMany(Exception):
    """There are more combinations of parts than were asked for."""


class Budget:
    """Combinations of parts that may be looked at, before a time."""

    def __init__(self, most: int, remaining: Callable[[], float]) -> None:
        self._most = most
        self._remaining = remaining
        self._spent = 0

    def spend(self, combinations: int) -> None:
        before = self._spent
        self._spent += combinations
        if self._spent > self._most:
            raise TooMany
        if before // _CLOCK != self._spent // _CLOCK and self._remaining() <= 0:
            raise NotSupported("time limit reached")


@dataclass(frozen=True, slots=True)
class Tree:
    """An example of a tree: the colour of its root, and the trees of its predecessors."""

    colour: int
    below: tuple[Tree, ...] = ()


Fitting = dict[tuple[int, int], list[tuple[Summary, Tree]]]
"""Open trees with their summaries, by the colours of their roots and their kinds that exclude others."""
Component = tuple[tuple[Tree, ...], bool]
"""Trees whose roots are in sequence; True if the last root leads to the first one, else there is one tree."""
Store = tuple[Component, ...]
ChainEnds = tuple[int, int]
"""The colours of the first and of the last root of a chain."""


class Growth:
    """The construction for one palette: all stores, or those with the largest summaries.

    With `garbage`, the stores whose individuals of the palette's free kinds (`Summaries.free_kinds`) that are on no
    cycle have exactly these kinds, and of these stores the maximal ones (`parts`). Free kinds on cycles are in
    components of their own, so trees and cycles are the same whichever of them a store has.
    """

    def __init__(self, palette: Palette, budget: Budget, garbage: Collection[int] | None = None) -> None:
        self.palette = palette
        self.summaries = summaries = Summaries(palette)
        self._budget = budget
        colours = palette.colours
        self._cyclic, self._others = (0, 0) if garbage is None else map(_mask, summaries.free_kinds)
        self._garbage = _mask(garbage or ())
        self._used = [c for c, colour in enumerate(colours) if not (self._others & ~self._garbage) >> colour.kind & 1]
        self._kind = [colour.kind for colour in colours]
        self._follows: list[list[int]] = [[] for _ in colours]
        self._precedes: list[list[int]] = [[] for _ in colours]
        used, followers = {*self._used}, palette.followers()
        for c in self._used:
            for d in followers[c]:
                if d in used:
                    self._follows[c].append(d)
                    self._precedes[d].append(c)
        everything = -1
        exact = everything if garbage is None else summaries.exact(self._others)
        self._exact = exact
        self._exact_of_stores = everything if garbage is None else summaries.exact(self._others | self._cyclic)
        self._exact_at = [exact | summaries.exact_seen(c) for c in range(len(colours))]
        self._opens: list[Parts[Tree]] = [Parts(e) for e in self._exact_at]
        self._closed: list[Parts[Tree]] = [Parts(exact) for _ in colours]
        self._components: Parts[Component] = Parts(exact)

    def grow(self) -> None:
        """Build all trees and cycles."""
        self._grow_trees()
        self._grow_cycles()

    def stores(self, cyclic: Collection[int] = ()) -> dict[Summary, Store]:
        """The summaries of the stores, each with an example; of the free kinds on cycles, they have exactly these."""
        wanted, free = self._garbage | _mask(cyclic), self._others | self._cyclic
        components: Parts[Component] = Parts(self._exact_of_stores)
        for component, example in self._components.items():
            if not component & free & ~wanted:
                components.add(component, example)
        return {
            s: store
            for s, store in self._unions(components).items()
            if s & free == wanted and self.summaries.is_store(s)
        }

    # Trees ----------------------------------------------------------------------------------------------

    def _grow_trees(self) -> None:
        waiting: Waiting[Tree] = Waiting(self.summaries.all_some)
        for c in self._used:
            single = self.summaries.single(c)
            if not single & self.summaries.forbidden:
                waiting.push(single, Tree(c))
        while waiting:
            tree, example = waiting.pop()
            root = example.colour
            if not self._opens[root].add(tree, example):
                continue
            for c in self._precedes[root]:
                self._attach([(tree, example)], c, self._closed[c].items(), waiting)
            self._close(tree, example, waiting)

    def _close(self, tree: Summary, example: Tree, waiting: Waiting[Tree]) -> None:
        c = example.colour
        colour = self.palette.colours[c]
        if colour.values[CYCLIC] or not self.summaries.agrees(tree, c, complete=True):
            return
        summary = self.summaries.whole(tree)
        if not self._closed[c].add(summary, example):
            return
        if self.palette.allows_end(colour):
            self._components.add(summary | self.summaries.step(colour.kind, None), ((example,), False))
        for d in self._follows[c]:
            self._attach(self._opens[d].items(), c, [(summary, example)], waiting)

    def _attach(
        self,
        trees: Collection[tuple[Summary, Tree]],
        c: int,
        others: Collection[tuple[Summary, Tree]],
        waiting: Waiting[Tree],
    ) -> None:
        """Make the roots of closed trees, of colour c, predecessors of the roots of open ones."""
        summaries = self.summaries
        self._budget.spend(len(trees) * len(others))
        for tree, example in trees:
            root = example.colour
            seen = summaries.see(tree, c)
            if not summaries.agrees(seen, root, complete=False):
                continue
            seen |= summaries.step(self._kind[c], self._kind[root])
            excluded = summaries.excluded_by(tree)
            opens = self._opens[root]
            for summary, below in others:
                if summary & excluded:
                    continue
                joined = summaries.together(seen, summary)
                if summaries.tracks_hanging:
                    joined |= summaries.links_below(tree, self._kind[root], summary)
                if not joined & summaries.forbidden and not opens.covers(joined):
                    waiting.push(joined, Tree(root, (*example.below, below)))

    # Cycles ---------------------------------------------------------------------------------------------

    def _grow_cycles(self) -> None:
        summaries = self.summaries
        pieces = [c for c in self._used if self.palette.colours[c].values[CYCLIC]]
        waiting: Waiting[tuple[Tree, ...]] = Waiting(summaries.all_some)
        for c in pieces:
            for tree, example in self._opens[c].items():
                waiting.push(summaries.begins_chain(tree, c), (example,))
        fitting = {c: self._fitting(c) for c in pieces}
        seen: dict[ChainEnds, Parts[None]] = {(c, d): Parts(self._exact_at[c]) for c in pieces for d in pieces}
        while waiting:
            path, roots = waiting.pop()
            first, last = roots[0].colour, roots[-1].colour
            if not seen[first, last].add(path, None):
                continue
            self._close_cycle(path, roots)
            excluded = summaries.excluded_by(path)
            joinable = list(self._joinable(fitting[last], first, excluded))
            self._budget.spend(len(joinable))
            for d, tree, example in joinable:
                longer = summaries.together(path, tree) | summaries.step(self._kind[last], self._kind[d])
                longer |= summaries.links_ahead(path, tree)
                if not longer & summaries.forbidden and not seen[first, d].covers(longer):
                    waiting.push(longer, (*roots, example))

    def _joinable(self, fitting: Fitting, first: int, excluded: int) -> Iterator[tuple[int, Summary, Tree]]:
        """The trees that can become part of a chain: a cycle begins with its first colour."""
        for (d, excluding), trees in fitting.items():
            if d >= first and not excluding & excluded:
                for tree, example in trees:
                    yield d, tree, example

    def _fitting(self, last: int) -> Fitting:
        """The open trees whose roots can follow a root of this colour on a cycle of two or more."""
        summaries = self.summaries
        result: Fitting = defaultdict(list)
        for c in self._follows[last]:
            if self._is_loop(c) or self._is_loop(last) or not summaries.are_on_one_cycle(last, c):
                continue
            fitting: Parts[Tree] = Parts(self._exact)
            for tree, example in self._opens[c].items():
                if summaries.agrees(summaries.see(tree, last), c, complete=True):
                    fitting.add(summaries.without_seen(summaries.begins_chain(tree, c)), example)
            for tree, example in fitting.items():
                result[c, tree & summaries.excluding].append((tree, example))
        return result

    def _close_cycle(self, chain: Summary, roots: tuple[Tree, ...]) -> None:
        """Make the first root the successor of the last one, if all guesses agree with that."""
        summaries = self.summaries
        first, last = roots[0].colour, roots[-1].colour
        if first not in self._follows[last] or not summaries.closes(chain, first):
            return
        if not summaries.agrees(summaries.see(chain, last), first, complete=True):
            return
        summary = summaries.whole(chain) | summaries.step(self._kind[last], self._kind[first])
        summary |= summaries.links_around(chain)
        if not summary & summaries.forbidden:
            self._components.add(summary, (roots, True))

    def _is_loop(self, colour: int) -> bool:
        return self.palette.colours[colour].values.get(LOOP, False)

    # Stores ---------------------------------------------------------------------------------------------

    def _unions(self, parts: Parts[Component]) -> Parts[Store]:
        """All summaries of sets of components."""
        summaries = self.summaries
        stores: Parts[Store] = Parts(self._exact_of_stores)
        waiting: Waiting[Store] = Waiting(summaries.all_some)
        waiting.push(0, ())
        components: dict[int, list[tuple[Summary, Component]]] = defaultdict(list)
        for component, example in parts.items():
            components[component & summaries.excluding].append((component, example))
        while waiting:
            summary, store = waiting.pop()
            if not stores.add(summary, store):
                continue
            excluded = summaries.excluded_by(summary)
            joinable = [c for excluding, c in components.items() if not excluding & excluded]
            self._budget.spend(1 + sum(map(len, joinable)))
            for component, example in chain.from_iterable(joinable):
                joined = summaries.together(summary, component) | summaries.links_apart(summary, component)
                if not joined & summaries.forbidden and not stores.covers(joined):
                    waiting.push(joined, (*store, example))
        return stores


def _mask(kinds: Iterable[int]) -> int:
    """A bit set of different kinds."""
    return sum(1 << k for k in kinds)
