"""The structures of an operation over one functional field, each with a store that it abstracts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations

from kleene.logic.formula import Formula
from kleene.logic.kleene import Kleene
from kleene.structures.canonical import canonical_abstraction
from kleene.structures.structure import Structure, StructureBuilder
from kleene.symbolic.one_field.growth import Budget, Growth, Store, TooMany, Tree
from kleene.symbolic.one_field.problem import Palette, Problem, palette, problem_of
from kleene.symbolic.one_field.reading import NotSupported
from kleene.symbolic.one_field.summary import Summaries
from kleene.symbolic.theory import Theory

MOST_PARTS = 1_000_000
"""Combinations of parts that are looked at for all structures: about a second. Beyond that, there are thousands."""
MOST_LARGEST_PARTS = 50_000_000
"""Combinations of parts that are looked at for the largest structures; less than ten seconds."""
MOST_KINDS_OF_GARBAGE_SETS = 256
"""Sets of kinds of unreachable individuals; the construction runs for each."""


@dataclass(frozen=True)
class Decision:
    """Canonical abstractions, each with a store: all of them, or with `minimal` such that all others are embedded in
    them (some of them may be embedded in others too)."""

    structures: dict[Structure, Structure]
    minimal: bool


def decide(
    formula: Formula, structure: Structure, theory: Theory, remaining: Callable[[], float], *, minimal: bool = False
) -> Decision | None:
    """``assume[formula](structure)``: all canonical abstractions, each with a store; None if not decided here.

    With `minimal`, and where there are too many, those that are embedded in others are left out.
    """
    try:
        problem = problem_of(formula, structure, theory)
        if not minimal:
            with suppress(TooMany):
                return Decision(_structures(problem, Budget(MOST_PARTS, remaining), _all_stores), minimal=False)
        return Decision(_structures(problem, Budget(MOST_LARGEST_PARTS, remaining), _largest_stores), minimal=True)
    except (NotSupported, TooMany):
        return None


def _structures(
    problem: Problem, budget: Budget, stores: Callable[[Palette, Budget], Iterator[Store]]
) -> dict[Structure, Structure]:
    result: dict[Structure, Structure] = {}
    for guess in problem.guesses():
        colours = palette(problem, guess)
        for store in stores(colours, budget):
            concrete = _concrete(store, colours, guess)
            result.setdefault(canonical_abstraction(concrete), concrete)
    return result


def _all_stores(colours: Palette, budget: Budget) -> Iterator[Store]:
    yield from Growth(colours, budget).stores().values()


def _largest_stores(colours: Palette, budget: Budget) -> Iterator[Store]:
    free = Summaries(colours).free_kinds
    if 1 << len(free) > MOST_KINDS_OF_GARBAGE_SETS:
        raise TooMany
    for size in range(len(free) + 1):
        for garbage in combinations(free, size):
            yield from Growth(colours, budget, garbage).stores().values()


def _concrete(store: Store, colours: Palette, guess: Mapping[str, bool]) -> Structure:
    """The structure of an example."""
    problem = colours.problem
    individuals: list[int] = []
    successor: dict[int, int] = {}

    def place(tree: Tree) -> int:
        here = len(individuals)
        individuals.append(tree.colour)
        for below in tree.below:
            successor[place(below)] = here
        return here

    for trees, is_cycle in store:
        roots = [place(tree) for tree in trees]
        if is_cycle:
            successor.update(zip(roots, [*roots[1:], roots[0]], strict=True))
    builder = StructureBuilder(problem.structure.vocabulary, len(individuals))
    for here, colour in enumerate(individuals):
        for name in problem.unary:
            if colours.colours[colour].values[name]:
                builder.set(name, (here,), Kleene.TRUE)
    for name in problem.nullary:
        if guess[name]:
            builder.set(name, (), Kleene.TRUE)
    for here, there in successor.items():
        builder.set(problem.step, (here, there), Kleene.TRUE)
    _set_paths(builder, problem, len(individuals), successor)
    return builder.build()


def _set_paths(builder: StructureBuilder, problem: Problem, size: int, successor: Mapping[int, int]) -> None:
    for name, reflexive in problem.paths.items():
        for start in range(size):
            reached = {start} if reflexive else set()
            here = successor.get(start)
            while here is not None and here not in reached:
                reached.add(here)
                here = successor.get(here)
            for end in reached:
                builder.set(name, (start, end), Kleene.TRUE)
