"""The structures of an operation over one functional field, each with a store that it abstracts."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kleene.logic.formula import Formula
from kleene.logic.kleene import Kleene
from kleene.structures.canonical import canonical_abstraction
from kleene.structures.structure import Structure, StructureBuilder
from kleene.symbolic.one_field.growth import Growth, Store, Tree
from kleene.symbolic.one_field.problem import Palette, Problem, palette, problem_of
from kleene.symbolic.one_field.reading import NotSupported
from kleene.symbolic.theory import Theory


def decide(
    formula: Formula, structure: Structure, theory: Theory, remaining: Callable[[], float]
) -> dict[Structure, Structure] | None:
    """``assume[formula](structure)``: all canonical abstractions, each with a store; None if not decided here."""
    try:
        problem = problem_of(formula, structure, theory)
        result: dict[Structure, Structure] = {}
        for guess in problem.guesses():
            colours = palette(problem, guess)
            for store in Growth(colours, remaining).stores().values():
                concrete = _concrete(store, colours, guess)
                result.setdefault(canonical_abstraction(concrete), concrete)
    except NotSupported:
        return None
    return result


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
