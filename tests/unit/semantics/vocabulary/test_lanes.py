"""Lanes that run along a list: their updates are exact on every small heap, and the rules hold of every heap."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Vocabulary
from kleene.semantics.vocabulary.groups import ShapeClass
from kleene.structures.structure import Structure, StructureBuilder
from kleene.transformers.coerce import Coercer
from kleene.transformers.differencing import derive
from kleene.transformers.rules import all_rules
from kleene.transformers.transformer import Stages, Transformer

from ..translated import translator

Heap = tuple[dict[str, list[int | None]], int, int | None]
"""What the cells of every node hold; x, y."""
START = "#include <stdlib.h>\nstruct node {{ struct node *{}; }};\n"
LANES = [(("one", "two"), ("two",)), (("one", "two", "three"), ("two", "three")), (("one", "two", "other"), ("two",))]
"""The cells and which of them are lanes; the third has two cells that are none."""


def reach(size: int, edges: set[tuple[int, int]]) -> set[tuple[int, int]]:
    found = edges | {(u, u) for u in range(size)}
    for k, i, j in itertools.product(range(size), repeat=3):
        if (i, k) in found and (k, j) in found:
            found.add((i, j))
    return found


def edges_of(heap: Heap, names: tuple[str, ...]) -> set[tuple[int, int]]:
    return {(u, v) for name in names for u, v in enumerate(heap[0][name]) if v is not None}


def groups_of(heap: Heap, lanes: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [tuple(cell for cell in heap[0] if cell not in lanes), *((lane,) for lane in lanes)]


def acyclic(heap: Heap, lanes: tuple[str, ...]) -> bool:
    size = len(heap[0]["one"])
    for names in groups_of(heap, lanes):
        edges = edges_of(heap, names)
        t = reach(size, edges)
        if any((v, u) in t for u, v in edges):
            return False
    return True


def structure(vocabulary: Vocabulary, heap: Heap, lanes: tuple[str, ...]) -> Structure:
    """The concrete heap with all instrumentation predicates, from the heap alone."""
    cells, x, y = heap
    size = len(cells["one"])
    table: dict[str, set[tuple[int, ...]]] = {
        "x": {(x,)},
        "y": set() if y is None else {(y,)},
        "heap": {(u,) for u in range(size)},
    }
    before: list[tuple[str, set[tuple[int, int]]]] = []
    for names in groups_of(heap, lanes):
        group, edges = names[0] if len(names) == 1 else "down", edges_of(heap, names)
        t = reach(size, edges)
        into = [sum(v == u for name in names for v in cells[name]) for u in range(size)]
        for name in names:
            table[name] = set(edges_of(heap, (name,)))
            if len(names) > 1:
                table[f"has[{name}]"] = {(u,) for u, _ in edges_of(heap, (name,))}
                for p, place in (("x", x), ("y", y)):
                    table[f"nn[{p}->{name}]"] = {() for u, _ in edges_of(heap, (name,)) if u == place}
        table[group] = set(edges)
        table[f"t[{group}]"] = set(t)
        table[f"is[{group}]"] = {(u,) for u in range(size) if into[u] > 1}
        table[f"is3[{group}]"] = {(u,) for u in range(size) if into[u] > 2}
        for p, place in (("x", x), ("y", y)):
            table[f"r[{group},{p}]"] = {(v,) for u, v in t if u == place}
        if group in lanes:
            for below, path in before:
                lost = {u for u, v in edges if (u, v) not in path}
                table[f"s[{group},{below}]"] = {(u,) for u in range(size) if u not in lost}
        before.append((group, t))
    builder = StructureBuilder(vocabulary, size)
    for name, tuples in table.items():
        for nodes in tuples:
            builder.set(name, nodes, Kleene.TRUE)
    return builder.build()


def heaps(size: int, cells: tuple[str, ...]) -> Iterator[Heap]:
    places: list[int | None] = [None, *range(size)]
    for flat in itertools.product(places, repeat=len(cells) * size):
        held = {cell: list(flat[i * size : (i + 1) * size]) for i, cell in enumerate(cells)}
        for x, y in itertools.product(range(size), places):
            yield held, x, y


def random_heaps(size: int, cells: tuple[str, ...], lanes: tuple[str, ...], number: int) -> Iterator[Heap]:
    """Heaps whose lanes mostly lead the same way as the other cells, and skip nodes."""
    chance = random.Random(size)
    for _ in range(number):
        held: dict[str, list[int | None]] = {}
        for cell in cells:
            order = chance.sample(range(size), size) if cell in lanes and chance.random() < 0.3 else list(range(size))
            held[cell] = [None] * size
            for k, u in enumerate(order):
                held[cell][u] = chance.choice([*order[k + 1 : k + 3], None, *order[k + 1 :]])
        yield held, chance.randrange(size), chance.choice([None, *range(size)])


@pytest.mark.parametrize(("cells", "lanes"), LANES)
@pytest.mark.parametrize("sets", [True, False])
def test_updates_are_exact_on_every_small_heap(
    tmp_path: Path, cells: tuple[str, ...], lanes: tuple[str, ...], sets: bool
) -> None:
    target = "y" if sets else "NULL"
    body = f"struct node *x = malloc({8 * len(cells)}), *y = malloc({8 * len(cells)});"
    body += "".join(f" x->{cell} = y; x->{cell} = NULL;" for cell in cells) + f" y = malloc({8 * len(cells)});"
    made = translator(tmp_path, body, ShapeClass("lanes", lanes=lanes), START.format(", *".join(cells)))
    steps = {
        cell: [
            s.action
            for s in made._steps(next(e.label for e in made.source.edges if str(e.label) == f"x->{cell} = {target}"))
            if s.action.updates
        ]
        for cell in cells
    }
    translation = made.translate()
    vocabulary = translation.vocabulary
    coercer = Coercer(vocabulary, all_rules(vocabulary, translation.rules))
    plain = Coercer(vocabulary, all_rules(vocabulary))
    stages = Stages(False, False, False)
    seen = 0
    for cell, actions in steps.items():
        transformers = [Transformer(derive(a, vocabulary).action, plain, stages=stages) for a in actions]
        small = itertools.chain(heaps(1, cells), heaps(2, cells), heaps(3, cells) if len(cells) == 2 else ())
        for heap in itertools.chain(small, random_heaps(5, cells, lanes, 250)):
            held, x, y = heap
            after = {name: list(values) for name, values in held.items()}
            after[cell][x] = y if sets else None
            if not acyclic(heap, lanes) or not acyclic((after, x, y), lanes):
                continue
            seen += 1
            current = structure(vocabulary, heap, lanes)
            for transformer in transformers:
                (current,) = transformer.post(current).structures
            expected = structure(vocabulary, (after, x, y), lanes)
            assert coercer.coerce(expected) == expected, ("the rules hold of every heap", after)
            for p in vocabulary.declared:
                if p.name.startswith(("undef", "$")):
                    continue
                for nodes in itertools.product(range(len(held["one"])), repeat=p.arity):
                    value = current.value(p.name, *nodes)
                    if p.name.startswith("is3[") and value is Kleene.UNKNOWN:
                        continue  # of three that were, two or three are left
                    assert value is expected.value(p.name, *nodes), (heap, cell, p.name, nodes)
    assert seen > 500
