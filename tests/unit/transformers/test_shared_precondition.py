"""Preconditions are compiled once and bound to every vocabulary: the same answers as formulas evaluated there."""

from __future__ import annotations

import random

import pytest

from kleene.logic.formula import And, Atom, Equal, Exists, Formula, Not, Or
from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.structures.evaluate import evaluate
from kleene.structures.structure import Structure, StructureBuilder
from kleene.transformers.action_programs import shared_precondition

CORE = [Predicate("x", 1, ("v",)), Predicate("n", 2, ("v1", "v2")), Predicate("q", 0), Predicate("y", 1, ("v",))]
MORE = [Predicate("z", 1, ("v",)), Predicate("m", 2, ("v1", "v2")), Predicate("o", 0)]
FORMULAS: list[Formula] = [
    Atom("q", ()),
    Exists("v", And(Atom("x", ("v",)), Not(Atom("y", ("v",))))),
    Exists("v", Exists("w", And(Atom("n", ("v", "w")), Or(Equal("v", "w"), Atom("x", ("w",)))))),
    And(Atom("x", ("v",)), Exists("w", Atom("n", ("v", "w")))),
    And(Atom("n", ("v", "w")), Not(Atom("y", ("w",)))),
]


def _structure(vocabulary: Vocabulary, chance: random.Random) -> Structure:
    builder = StructureBuilder(vocabulary, chance.randrange(1, 4))
    for p in vocabulary.declared:
        for nodes in _tuples(builder.size, p.arity):
            builder.set(p.name, nodes, chance.choice(list(Kleene)))
    for node in range(builder.size):
        builder.set("sm", (node,), chance.choice((Kleene.FALSE, Kleene.UNKNOWN)))
    return builder.build()


def _tuples(size: int, arity: int) -> list[tuple[int, ...]]:
    return [()] if arity == 0 else [(u, *rest) for u in range(size) for rest in _tuples(size, arity - 1)]


@pytest.mark.parametrize("formula", FORMULAS, ids=str)
@pytest.mark.parametrize("seed", range(6))
def test_the_same_answers_in_every_vocabulary(formula, seed):
    chance = random.Random(seed)
    predicates = [*CORE, *MORE]
    chance.shuffle(predicates)
    vocabulary = Vocabulary(tuple(predicates))
    for _ in range(20):
        structure = _structure(vocabulary, chance)
        steps = [f.bind(vocabulary) for f in shared_precondition(formula, structure.layout.width, all_active=True)]
        values, size, free = list(structure.values), structure.size, formula.free
        if not free:
            assert bool(steps[0](values, size)) == (evaluate(structure, formula) is not Kleene.FALSE)
            continue
        expected = {
            nodes
            for nodes in _tuples(size, len(free))
            if evaluate(structure, formula, dict(zip(free, nodes, strict=True))) is not Kleene.FALSE
        }
        assert set(_solutions(steps, values, size, ())) == expected


def _solutions(steps, values, size, fixed):
    """All values of the free variables, one after another, as the transformer takes them."""
    if len(fixed) == len(steps):
        return [fixed]
    nodes = steps[len(fixed)](values, size, fixed)
    return [s for u in range(size) if nodes >> u & 1 for s in _solutions(steps, values, size, (*fixed, u))]
