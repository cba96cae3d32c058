"""The graphs that the construction finds, and the stores that are read off them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kleene.logic.earlier import old
from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Vocabulary
from kleene.structures.structure import Structure, StructureBuilder
from kleene.symbolic.one_field.actions import Afterwards
from kleene.symbolic.one_field.features import holds
from kleene.symbolic.one_field.growth import Store, Tree
from kleene.symbolic.one_field.problem import Palette, Problem
from kleene.symbolic.timeline.two_store import two_store_vocabulary


@dataclass(frozen=True)
class Graph:
    """Individuals with the values of predicates and features, and their successors."""

    problem: Problem
    individuals: Sequence[Mapping[str, bool]]
    successor: Mapping[int, int]
    guess: Mapping[str, bool]
    """Nullary predicates."""


def graph_of(store: Store, colours: Palette) -> Graph:
    """The graph of an example."""
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
    return Graph(colours.problem, [colours.colours[c].values for c in individuals], successor, colours.guess)


def as_it_is(graph: Graph) -> Structure:
    """The store that the graph is."""
    return store_after(Afterwards({}, (), ()), graph.problem.structure.vocabulary, graph)


def store_after(after: Afterwards, vocabulary: Vocabulary, graph: Graph) -> Structure:
    """The store of a vocabulary after actions."""
    there = [u for u, values in enumerate(graph.individuals) if not any(values[name] for name in after.absent)]
    place = {u: node for node, u in enumerate(there)}
    builder = StructureBuilder(vocabulary, len(there))
    for p in vocabulary.declared:
        name = after.names.get(p.name, p.name)
        if p.arity == 0 and graph.guess[name]:
            builder.set(p.name, (), Kleene.TRUE)
        if p.arity == 1:
            having = sum(1 << node for node, u in enumerate(there) if graph.individuals[u][name])
            _set_rails(builder, p.name, having)
    successor = {place[u]: place[w] for u, w in graph.successor.items() if u in place and w in place}
    for jump in after.jumps:
        ends = [u for u in there if holds(jump.target, graph.individuals[u])]
        for u in there:
            if ends and holds(jump.source, graph.individuals[u]):
                successor[place[u]] = place[ends[0]]
    _set_rails(builder, graph.problem.step, _matrix(builder, {u: 1 << w for u, w in successor.items()}))
    _set_paths(builder, graph.problem, len(there), successor)
    return builder.build()


def _set_rails(builder: StructureBuilder, name: str, tuples: int) -> None:
    """Set a predicate to 1 on the tuples of a bit set, and to 0 on all others."""
    rail = 2 * builder.vocabulary.index(name)
    builder.values[rail] = builder.values[rail + 1] = tuples


def _matrix(builder: StructureBuilder, rows: Mapping[int, int]) -> int:
    """The bit set of pairs, from the second individuals of each first one."""
    return sum(row << builder.layout.bit((u, 0)) for u, row in rows.items())


def both_stores(after: Afterwards, vocabulary: Vocabulary, graph: Graph) -> Structure:
    """The stores before and after actions that remove nobody, as one, over ``old[q]`` and q."""
    now = store_after(after, vocabulary, graph)
    before = store_after(Afterwards({}, graph.problem.jumps, ()), vocabulary, graph)
    builder = StructureBuilder(two_store_vocabulary(vocabulary), now.size)
    for p in vocabulary.declared:
        for name, store in ((p.name, now), (old(p.name), before)):
            for nodes, value in store.entries(p.name):
                builder.set(name, nodes, value)
    return builder.build()


def _set_paths(builder: StructureBuilder, problem: Problem, size: int, successor: Mapping[int, int]) -> None:
    if not problem.paths:
        return
    reached = {u: _ahead(u, successor) for u in range(size)}
    for name, reflexive in problem.paths.items():
        rows = {u: row | 1 << u for u, row in reached.items()} if reflexive else reached
        _set_rails(builder, name, _matrix(builder, rows))


def _ahead(start: int, successor: Mapping[int, int]) -> int:
    """The individuals that one reaches in one step or more."""
    reached = 0
    here = successor.get(start)
    while here is not None and not reached >> here & 1:
        reached |= 1 << here
        here = successor.get(here)
    return reached
