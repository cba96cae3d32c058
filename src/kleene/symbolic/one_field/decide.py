"""The structures of an operation over one functional field, each with a store that it abstracts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, combinations

from kleene.diagnostics import Limit, LimitReached
from kleene.logic.formula import Formula
from kleene.structures.canonical import canonical_abstraction
from kleene.structures.structure import Structure
from kleene.symbolic.one_field.abstraction import Abstractions
from kleene.symbolic.one_field.actions import problem_of_actions
from kleene.symbolic.one_field.graphs import Graph, as_it_is, both_stores, graph_of, store_after
from kleene.symbolic.one_field.growth import Budget, Growth, Store, TooMany
from kleene.symbolic.one_field.problem import Palette, Problem, palette, problem_of
from kleene.symbolic.one_field.reading import NotSupported
from kleene.symbolic.one_field.smaller import Smaller
from kleene.symbolic.one_field.summary import Summaries, Summary
from kleene.symbolic.theory import Theory
from kleene.transformers.action import Action

MOST_PARTS = 1_000_000
"""Combinations of parts that are looked at for all structures: about a second. Beyond that, there are thousands."""
MOST_LARGEST_PARTS = 150_000_000
"""Combinations of parts that are looked at for the largest structures; less than ten seconds of the processor."""
MOST_LARGEST_PARTS_OF_ACTIONS = 3_000_000
"""The same for actions, where parts are larger and provers often decide what is left."""
MOST_KINDS_OF_GARBAGE_SETS = 256
"""Sets of kinds of unreachable individuals; the construction runs for each."""


Example = Callable[[], Structure | None]
"""Builds a store of a structure; None if it has more individuals than a structure may have."""


@dataclass(frozen=True)
class Decision:
    """Canonical abstractions, each with a store: all of them, or with `minimal` such that all others are embedded in
    them (some of them may be embedded in others too)."""

    structures: dict[Structure, Example]
    minimal: bool


def decide(
    formula: Formula, structure: Structure, theory: Theory, remaining: Callable[[], float], *, minimal: bool = False
) -> Decision | None:
    """``assume[formula](structure)``: all canonical abstractions, each with a store; None if not decided here.

    With `minimal`, and where there are too many, those that are embedded in others are left out.
    """
    try:
        problem = problem_of(formula, structure, theory)
        return _decision(problem, None, remaining, MOST_LARGEST_PARTS, minimal=minimal)
    except (NotSupported, TooMany):
        return None


def decide_actions(
    actions: Sequence[Action],
    structure: Structure,
    theory: Theory,
    remaining: Callable[[], float],
    *,
    minimal: bool = False,
    two_store: bool = False,
) -> Decision | None:
    """The best transformer of actions, in the same way; with `two_store`, beside the store before."""
    try:
        problem, after = problem_of_actions(actions, structure, theory, two_store=two_store)
        read = partial(both_stores if two_store else store_after, after, theory.vocabulary)
        return _decision(problem, read, remaining, MOST_LARGEST_PARTS_OF_ACTIONS, minimal=minimal)
    except (NotSupported, TooMany):
        return None


def _decision(
    problem: Problem,
    read: Callable[[Graph], Structure] | None,
    remaining: Callable[[], float],
    most: int,
    *,
    minimal: bool,
) -> Decision:
    """`read` gives the store of a graph; None: the graph is the store."""
    if not minimal:
        with suppress(TooMany):
            return Decision(_structures(problem, read, Budget(MOST_PARTS, remaining), _all_stores), minimal=False)
    return Decision(_structures(problem, read, Budget(most, remaining), _largest_stores), minimal=True)


def _structures(
    problem: Problem,
    read: Callable[[Graph], Structure] | None,
    budget: Budget,
    stores: Callable[[Palette, Budget], Iterator[tuple[Summary, Store]]],
) -> dict[Structure, Example]:
    """The canonical abstractions of stores, each with one."""
    result: dict[Structure, Example] = {}
    for case, guess in problem.cases():
        colours = palette(case, guess)
        smaller, abstractions = Smaller(colours), Abstractions(colours)
        for summary, store in stores(colours, budget):
            if read is None and abstractions.are_known:
                result.setdefault(abstractions.of(summary), partial(_example, smaller, store, colours, as_it_is))
            else:
                concrete = _example(smaller, store, colours, read or as_it_is)
                if concrete is None:
                    raise TooMany
                result.setdefault(canonical_abstraction(concrete), partial(_known, concrete))
    return result


def _example(smaller: Smaller, store: Store, colours: Palette, read: Callable[[Graph], Structure]) -> Structure | None:
    """The store; None if it has more individuals than a structure may have."""
    try:
        return read(graph_of(smaller.store(store), colours))
    except LimitReached as reached:
        if reached.limit is not Limit.SIZE:
            raise
        return None


def _known(store: Structure) -> Structure:
    return store


def _all_stores(colours: Palette, budget: Budget) -> Iterator[tuple[Summary, Store]]:
    growth = Growth(colours, budget)
    growth.grow()
    yield from growth.stores().items()


def _largest_stores(colours: Palette, budget: Budget) -> Iterator[tuple[Summary, Store]]:
    cyclic, others = Summaries(colours).free_kinds
    if 1 << len(cyclic) + len(others) > MOST_KINDS_OF_GARBAGE_SETS:
        raise TooMany
    for garbage in _subsets(others):
        growth = Growth(colours, budget, garbage)
        growth.grow()
        for on_cycles in _subsets(cyclic):
            yield from growth.stores(on_cycles).items()


def _subsets(kinds: Sequence[int]) -> Iterator[tuple[int, ...]]:
    return chain.from_iterable(combinations(kinds, size) for size in range(len(kinds) + 1))
