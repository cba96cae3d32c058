"""Examples with fewer individuals: a tree keeps the trees below its root that its summary needs.

The construction adds trees until a summary has all its bits, and what made one bit is often superfluous later.
"""

from __future__ import annotations

from collections.abc import Sequence

from kleene.symbolic.one_field.growth import Store, Tree
from kleene.symbolic.one_field.problem import Palette
from kleene.symbolic.one_field.summary import Summaries, Summary


class Smaller:
    """Removes trees from the examples of one palette; the summaries of all their parts stay as they are."""

    def __init__(self, colours: Palette) -> None:
        self._summaries = Summaries(colours)
        self._kind = [colour.kind for colour in colours.colours]
        self._known: dict[int, tuple[Tree, Tree, Summary]] = {}
        """By identity: trees, the smaller ones, and their summaries."""

    def store(self, store: Store) -> Store:
        return tuple((tuple(self._tree(root)[0] for root in roots), is_cycle) for roots, is_cycle in store)

    def _tree(self, tree: Tree) -> tuple[Tree, Summary]:
        known = self._known.get(id(tree))
        if known is None:
            below = [self._tree(each) for each in tree.below]
            summary = self._joined(tree.colour, below)
            for part in sorted(below, key=lambda each: -_size(each[0])):
                others = [each for each in below if each is not part]
                if self._joined(tree.colour, others) == summary:
                    below = others
            known = self._known[id(tree)] = (tree, Tree(tree.colour, tuple(t for t, _ in below)), summary)
        return known[1], known[2]

    def _joined(self, colour: int, below: Sequence[tuple[Tree, Summary]]) -> Summary:
        """The summary of the open tree with these trees below its root."""
        summaries, kind = self._summaries, self._kind[colour]
        result = summaries.single(colour)
        for tree, summary in below:
            part = summaries.whole(summary)
            seen = summaries.see(result, tree.colour) | summaries.step(self._kind[tree.colour], kind)
            result = summaries.together(seen, part) | summaries.links_below(result, kind, part)
        return result


def _size(tree: Tree) -> int:
    return 1 + sum(map(_size, tree.below))
