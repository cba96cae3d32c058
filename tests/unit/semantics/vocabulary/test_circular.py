"""The spanning forest of a function field: exact on every small heap, whatever edge is cut."""

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
from kleene.transformers.action import Action
from kleene.transformers.coerce import Coercer
from kleene.transformers.differencing import derive
from kleene.transformers.rules import all_rules
from kleene.transformers.transformer import Stages, Transformer

from ..translated import translator

Successors = tuple[int | None, ...]
OPERATIONS = {"x->next = y": True, "x->next = NULL": False}


def chains(folder: Path) -> tuple[Vocabulary, Coercer, dict[str, list[Action]]]:
    """The steps of ``x->next = y`` and ``x->next = NULL``, with derived updates; and coerce with all rules."""
    shape = ShapeClass("circular", circular=frozenset({"next"}))
    body = "struct node *x = malloc(16), *y = malloc(16); x->next = y; y = malloc(16); x->next = NULL; x->next = y;"
    made = translator(folder, body, shape)
    steps = {}
    for edge in made.source.edges:
        if str(edge.label) in OPERATIONS:
            steps[str(edge.label)] = [s.action for s in made._steps(edge.label) if s.action.updates]
    translation = made.translate()
    vocabulary = translation.vocabulary
    coercer = Coercer(vocabulary, all_rules(vocabulary, translation.rules))
    return (
        vocabulary,
        coercer,
        {name: [derive(a, vocabulary).action for a in actions] for name, actions in steps.items()},
    )


def cycles(next_: Successors) -> list[list[int]]:
    found = []
    for start in range(len(next_)):
        path = [start]
        while (following := next_[path[-1]]) is not None and following not in path:
            path.append(following)
        if next_[path[-1]] == start and start == min(path):
            found.append(path)
    return found


def closure(edges: set[tuple[int, int]], size: int) -> set[tuple[int, int]]:
    reach = {(u, u) for u in range(size)} | edges
    for k, i, j in itertools.product(range(size), repeat=3):
        if (i, k) in reach and (k, j) in reach:
            reach.add((i, j))
    return reach


def structure(vocabulary: Vocabulary, next_: Successors, cut: set[int], x: int, y: int | None) -> Structure:
    """The concrete heap with all instrumentation predicates as their definitions say."""
    size = len(next_)
    edges = {(u, v) for u, v in enumerate(next_) if v is not None}
    forest = {(u, v) for u, v in edges if u not in cut}
    t, full = closure(forest, size), closure(edges, size)
    on_cycle = {u for path in cycles(next_) for u in path}
    table: dict[str, set[tuple[int, ...]]] = {
        "next": set(edges),  # type: ignore[arg-type]
        "cut[next]": {(u,) for u in cut},
        "sfe[next]": set(forest),  # type: ignore[arg-type]
        "t[next]": set(t),  # type: ignore[arg-type]
        "T[next]": set(full),  # type: ignore[arg-type]
        "c[next]": {(u,) for u in on_cycle},
        "is[next]": {(u,) for u in range(size) if sum(v == u for v in next_) > 1},
        "is3[next]": {(u,) for u in range(size) if sum(v == u for v in next_) > 2},
        "x": {(x,)},
        "y": set() if y is None else {(y,)},
        "heap": {(u,) for u in range(size)},
    }
    for name, place in (("x", x), ("y", y)):
        table[f"r[next,{name}]"] = {(v,) for u, v in t if u == place}
        table[f"rt[next,{name}]"] = {(v,) for u, v in full if u == place}
    builder = StructureBuilder(vocabulary, size)
    for name, tuples in table.items():
        for nodes in tuples:
            builder.set(name, nodes, Kleene.TRUE)
    return builder.build()


def heaps(size: int) -> Iterator[tuple[Successors, set[int], int, int | None]]:
    """Every heap with a choice of one cut edge for each cycle."""
    places: list[int | None] = [None, *range(size)]
    for next_ in itertools.product(places, repeat=size):
        for cut in itertools.product(*cycles(next_)):
            for x, y in itertools.product(range(size), places):
                yield next_, set(cut), x, y


def check(
    vocabulary: Vocabulary, coercer: Coercer, transformers: list[Transformer], heap: tuple, *, sets: bool
) -> None:
    next_, cut, x, y = heap
    current = structure(vocabulary, next_, cut, x, y)
    for transformer in transformers:
        results = transformer.post(current).structures
        assert len(results) == 1, (heap, transformer.action.name)
        current = results[0]
        assert coercer.coerce(current) == current, ("the rules hold of every heap", heap, transformer.action.name)
    after = list(next_)
    after[x] = y if sets else None
    size = len(next_)
    cut_after = {u for u in range(size) if current.value("cut[next]", u) is Kleene.TRUE}
    for path in cycles(tuple(after)):
        assert len(cut_after & set(path)) == 1, heap
    assert cut_after <= {u for path in cycles(tuple(after)) for u in path}, heap
    expected = structure(vocabulary, tuple(after), cut_after, x, y)
    for p in vocabulary.declared:
        if p.name.startswith(("undef", "$")) or p.arity == 0:
            continue
        for nodes in itertools.product(range(size), repeat=p.arity):
            if p.name == "is3[next]" and current.value(p.name, *nodes) is Kleene.UNKNOWN:
                continue  # of three that were, two or three are left
            assert current.value(p.name, *nodes) is expected.value(p.name, *nodes), (heap, p.name, nodes)


@pytest.mark.parametrize("name", OPERATIONS)
def test_updates_are_exact_on_every_small_heap(tmp_path: Path, name: str) -> None:
    vocabulary, coercer, found = chains(tmp_path)
    plain = Coercer(vocabulary, all_rules(vocabulary))
    transformers = [Transformer(a, plain, stages=Stages(False, False, False)) for a in found[name]]
    for size in (1, 2, 3):
        for heap in heaps(size):
            check(vocabulary, coercer, transformers, heap, sets=OPERATIONS[name])
    for heap in random.Random(1).sample(list(heaps(4)), 250):
        check(vocabulary, coercer, transformers, heap, sets=OPERATIONS[name])
