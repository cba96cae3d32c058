"""Closures over several cells: exact on every small acyclic heap, shared or not."""

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

Cells = tuple[tuple[int | None, int | None], ...]
"""The left and right cell of every node."""
Heap = tuple[Cells, int, int | None]
OPERATIONS = {"x->left = y": (0, True), "x->left = NULL": (0, False), "x->right = NULL": (1, False)}
START = "#include <stdlib.h>\nstruct tree { struct tree *left, *right; };\n"


def reach(cells: Cells) -> set[tuple[int, int]]:
    found = {(u, u) for u in range(len(cells))}
    found |= {(u, v) for u, pair in enumerate(cells) for v in pair if v is not None}
    for k, i, j in itertools.product(range(len(cells)), repeat=3):
        if (i, k) in found and (k, j) in found:
            found.add((i, j))
    return found


def acyclic(cells: Cells) -> bool:
    t = reach(cells)
    return not any((v, u) in t for u, pair in enumerate(cells) for v in pair if v is not None)


def structure(vocabulary: Vocabulary, heap: Heap) -> Structure:
    """The concrete heap with all instrumentation predicates, from the heap alone."""
    cells, x, y = heap
    size, t = len(cells), reach(cells)
    table: dict[str, set[tuple[int, ...]]] = {
        "left": {(u, pair[0]) for u, pair in enumerate(cells) if pair[0] is not None},
        "right": {(u, pair[1]) for u, pair in enumerate(cells) if pair[1] is not None},
        "is[down]": {(u,) for u in range(size) if sum(v == u for pair in cells for v in pair) > 1},
        "is3[down]": {(u,) for u in range(size) if sum(v == u for pair in cells for v in pair) > 2},
        "t[down]": set(t),
        "x": {(x,)},
        "y": set() if y is None else {(y,)},
        "heap": {(u,) for u in range(size)},
    }
    table["down"] = table["left"] | table["right"]
    for name in ("left", "right"):
        table[f"has[{name}]"] = {(u,) for u, _ in table[name]}
    for name, place in (("x", x), ("y", y)):
        table[f"r[down,{name}]"] = {(v,) for u, v in t if u == place}
        for cell in ("left", "right"):
            table[f"nn[{name}->{cell}]"] = {() for u, _ in table[cell] if u == place}
    builder = StructureBuilder(vocabulary, size)
    for name, tuples in table.items():
        for nodes in tuples:
            builder.set(name, nodes, Kleene.TRUE)
    return builder.build()


def heaps(size: int) -> Iterator[Heap]:
    places: list[int | None] = [None, *range(size)]
    for flat in itertools.product(places, repeat=2 * size):
        cells = tuple(zip(flat[::2], flat[1::2], strict=True))
        if acyclic(cells):
            for x, y in itertools.product(range(size), places):
                yield cells, x, y


def random_heaps(size: int, number: int) -> Iterator[Heap]:
    chance = random.Random(size)
    while number:
        order = chance.sample(range(size), size)  # edges lead forward in it
        cells: list[tuple[int | None, int | None]] = [(None, None)] * size
        for k, u in enumerate(order):
            later: list[int | None] = [None, *order[k + 1 :]]
            cells[u] = (chance.choice(later), chance.choice(later))
        yield tuple(cells), chance.randrange(size), chance.choice([None, *range(size)])
        number -= 1


@pytest.mark.parametrize("name", OPERATIONS)
def test_updates_are_exact_on_every_small_heap(tmp_path: Path, name: str) -> None:
    body = "struct tree *x = malloc(16), *y = malloc(16); x->left = y; x->right = y; y = malloc(16);" + "".join(
        f"{operation};" for operation in OPERATIONS
    )
    made = translator(tmp_path, body, ShapeClass("acyclic"), START)
    operation = next(e.label for e in made.source.edges if str(e.label) == name)
    actions = [s.action for s in made._steps(operation) if s.action.updates]
    translation = made.translate()
    vocabulary = translation.vocabulary
    coercer = Coercer(vocabulary, all_rules(vocabulary, translation.rules))
    plain = Coercer(vocabulary, all_rules(vocabulary))
    stages = Stages(False, False, False)
    transformers = [Transformer(derive(a, vocabulary).action, plain, stages=stages) for a in actions]
    side, sets = OPERATIONS[name]
    for cells, x, y in itertools.chain(heaps(1), heaps(2), heaps(3), random_heaps(5, 150)):
        after = list(cells)
        pair = [*cells[x]]
        pair[side] = y if sets else None
        after[x] = (pair[0], pair[1])
        if not acyclic(tuple(after)):
            continue
        current = structure(vocabulary, (cells, x, y))
        for transformer in transformers:
            (current,) = transformer.post(current).structures
        expected = structure(vocabulary, (tuple(after), x, y))
        assert coercer.coerce(expected) == expected, ("the rules hold of every heap", after)
        for p in vocabulary.declared:
            if p.name.startswith(("undef", "$")):
                continue
            for nodes in itertools.product(range(len(cells)), repeat=p.arity):
                if p.name == "is3[down]" and current.value(p.name, *nodes) is Kleene.UNKNOWN:
                    continue  # of three that were, two or three are left
                assert current.value(p.name, *nodes) is expected.value(p.name, *nodes), (cells, x, y, p.name, nodes)
