"""Sharing where nodes have two cells: exact on every small heap when one cell changes (design.md section 6.1)."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Vocabulary
from kleene.semantics.groups import ShapeClass
from kleene.structures.structure import Structure, StructureBuilder
from kleene.transformers.action import Action
from kleene.transformers.coerce import Coercer
from kleene.transformers.differencing import derive
from kleene.transformers.rules import all_rules
from kleene.transformers.transformer import Stages, Transformer

from .translated import translator

TREE = """\
#include <stdlib.h>
struct node { struct node *left, *right; };
"""
BODY = "struct node *x = malloc(16), *y = malloc(16); x->left = y; y = malloc(16); x->left = NULL; x->right = y;"
Cells = tuple[tuple[int | None, int | None], ...]


def steps(folder: Path, text: str) -> tuple[Vocabulary, list[Action]]:
    """The steps of one assignment with derived updates; no checks, no focus."""
    made = translator(folder, BODY, ShapeClass("acyclic"), TREE)
    edge = next(e for e in made.source.edges if str(e.label) == text)
    actions = [s.action for s in made._steps(edge.label) if s.action.updates]
    vocabulary = made.translate().vocabulary
    return vocabulary, [derive(a, vocabulary).action for a in actions]


def pointing(cells: Cells, node: int) -> int:
    return sum(target == node for pair in cells for target in pair)


def heap(vocabulary: Vocabulary, cells: Cells, x: int, y: int | None) -> Structure:
    builder = StructureBuilder(vocabulary, len(cells))
    for u, pair in enumerate(cells):
        builder.set("heap", (u,), Kleene.TRUE)
        for name, target in zip(("left", "right"), pair, strict=True):
            if target is not None:
                builder.set(name, (u, target), Kleene.TRUE)
                builder.set("down", (u, target), Kleene.TRUE)
        for name, count in (("is[down]", 2), ("is3[down]", 3)):
            if pointing(cells, u) >= count:
                builder.set(name, (u,), Kleene.TRUE)
    builder.set("x", (x,), Kleene.TRUE)
    if y is not None:
        builder.set("y", (y,), Kleene.TRUE)
    return builder.build()


def _value(holds: bool) -> Kleene:
    return Kleene.of(holds, holds)


@pytest.mark.parametrize("text", ["x->left = y", "x->left = NULL"])
def test_sharing_is_exact_on_every_small_heap(tmp_path: Path, text: str) -> None:
    vocabulary, actions = steps(tmp_path, text)
    coercer = Coercer(vocabulary, all_rules(vocabulary))
    transformers = [Transformer(a, coercer, stages=Stages(False, False, False)) for a in actions]
    for size in (1, 2, 3):
        places: list[int | None] = [None, *range(size)]
        pairs = list(itertools.product(places, repeat=2))
        for cells in itertools.product(pairs, repeat=size):
            for y in places if text.endswith("y") else (None,):
                current = heap(vocabulary, cells, 0, y)
                for transformer in transformers:
                    (current,) = transformer.post(current).structures
                after = ((y, cells[0][1]), *cells[1:])
                for u in range(size):
                    count = pointing(after, u)
                    assert current.value("is[down]", u) is _value(count >= 2), (cells, y, u)
                    crowded = current.value("is3[down]", u)
                    assert crowded in (_value(count >= 3), Kleene.UNKNOWN), (cells, y, u)
