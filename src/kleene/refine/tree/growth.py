"""Trees that grow too large: a finer shape class may need far fewer structures.

Beyer, Henzinger, Théoduloz, Zufferey. Shape refinement through explicit heap analysis. FASE 2010, section 3.3 takes
the coarsest generator that rules a path out. A missing predicate may make the tree explode long before another path
shows it (if the last cell of a list is unknown, a write may be anywhere). So a large tree without an error is compared
with the trees of the most refined generator and of those in between; if the most refined one tells too many heaps apart
(those of several trees), with the trees of generators that have one family more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kleene.passes.facts.memory import StructureType
from kleene.refine.classes.generators import Generator
from kleene.refine.model import Abstraction, Models
from kleene.refine.tree.reachability_tree import ErrorPath, Tree

STRUCTURES_BEFORE_COMPARISON = 4_000
"""Structures after which a tree is compared with others for the first time."""
COMPARISON_FACTOR = 4
"""Factor between the numbers of structures at two comparisons."""


class _TooLarge(Exception):
    """A tree has more structures than would be a gain."""


@dataclass(frozen=True)
class Smaller:
    """A tree with a finer generator that was built to its end, or to errors."""

    generator: Generator
    tree: Tree
    paths: Sequence[ErrorPath]

    @property
    def structure(self) -> StructureType:
        """The structure type whose generator is finer."""
        assert self.generator.structure is not None
        return self.generator.structure


def smaller_tree(
    models: Models,
    abstraction: Abstraction,
    current: Generator,
    enabled: Sequence[Generator],
    grown: Tree,
    paths: int,
) -> Smaller | None:
    """A tree of a generator finer than `current` with at most half the structures, and as few families as do."""
    finer = [
        g for g in enabled if g.name == current.name and g.roles == current.roles and g.families > current.families
    ]
    if not finer:
        return None
    finest = max(finer, key=lambda g: len(g.families))
    best = _build(models, abstraction, finest, grown.generated // 2, paths)
    if best is None:
        nearest = (g for g in finer if len(g.families) == len(current.families) + 1 and g != finest)
        trees = (_build(models, abstraction, g, grown.generated // 2, paths) for g in nearest)
        return next((tree for tree in trees if tree is not None), None)
    for family in _last_first(best.generator, current):
        fewer = next((g for g in finer if g.families == best.generator.families - {family}), None)
        if fewer is not None:
            smaller = _build(models, abstraction, fewer, best.tree.generated, paths)
            best = smaller if smaller is not None and _errors(smaller) <= _errors(best) else best
    return best


def _build(models: Models, abstraction: Abstraction, generator: Generator, most: int, paths: int) -> Smaller | None:
    """The tree of a generator with at most `most` structures; None if it is larger or may close a cycle."""

    def limits(tree: Tree) -> None:
        if tree.generated > most:
            raise _TooLarge

    tree = Tree(models.of(abstraction.with_generator(generator)))
    try:
        error_paths = tree.build(limits, most=paths)
    except _TooLarge:
        return None
    if tree.contradictions or any(path.error.kind == "cycle" for path in error_paths):
        return None
    return Smaller(generator, tree, error_paths)


def _last_first(finest: Generator, coarsest: Generator) -> list[str]:
    """The families that may be left out, those first that others may not need."""
    assert finest.entry is not None
    return [f.name for f in reversed(finest.entry.families) if f.name in finest.families - coarsest.families]


def _errors(smaller: Smaller) -> set[str]:
    return {path.error.text for path in smaller.paths}
