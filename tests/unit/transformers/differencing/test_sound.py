"""On three-valued structures, derived updates are sound, and new nodes cost no precision."""

from __future__ import annotations

import random
from functools import cache

import pytest

from kleene.logic.formula import FALSE
from kleene.logic.vocabulary import Vocabulary
from kleene.transformers.action import Action
from kleene.transformers.differencing import DifferencingOptions, derive

from .actions import EXAMPLES, NEW, REMOVE
from .model import Batch, Nodes, Rails, apply, tuples, with_new_nodes
from .vocabularies import REVERSE, action, structures

PARTITIONS = ((0, 0, 1), (0, 1, 2))


@cache
def abstracted(vocabulary: Vocabulary, partition: tuple[int, ...]) -> tuple[Batch, Batch]:
    """Concrete structures, and an abstraction of each: nodes merged, then values made 1/2 at random."""
    concrete = structures(vocabulary, len(partition), limit=1000, seed=7)
    rng = random.Random(str(partition))
    classes = sorted(set(partition))
    values: dict[tuple[str, Nodes], Rails] = {}
    for (name, nodes), (must, may) in concrete.values.items():
        image = tuple(partition[u] for u in nodes)
        old = values.get((name, image), (concrete.all, 0))
        values[name, image] = (old[0] & must, old[1] | may)
    # Values that are absent are 0: merging them with present ones clears the must rail.
    for p in vocabulary.declared:
        for nodes in tuples(concrete, p.arity):
            image = tuple(partition[u] for u in nodes)
            must, may = values.get((p.name, image), (0, 0))
            values[p.name, image] = (must & concrete.get(p.name, nodes)[0], may)
    for key, (must, may) in values.items():
        blurred = rng.getrandbits(concrete.count) & rng.getrandbits(concrete.count) & rng.getrandbits(concrete.count)
        values[key] = (must & ~blurred, may if key[0] == "ac" else may | blurred)
    for c in classes:
        merged = partition.count(c) > 1
        values["sm", (c,)] = (0, concrete.all if merged else 0)
    return concrete, Batch(concrete.count, classes, values)


def images(concrete: Batch, abstract: Batch, partition: tuple[int, ...], action: Action) -> dict[int, int]:
    """Where each node of the concrete result lies in the abstract result."""
    mapping = dict(enumerate(partition))
    extra = [u for u in concrete.nodes if u >= len(partition)]
    classes = sorted(set(partition))
    if action.creates and action.new_formula is None:
        mapping[extra.pop(0)] = len(classes)
    if extra:
        first = max(c for c in abstract.nodes) + 1 - len(classes)
        mapping.update({twin: first + partition[u] for u, twin in enumerate(extra)})
    return mapping


CHAINS = DifferencingOptions(refine=True, chains=True)


@pytest.mark.parametrize("partition", PARTITIONS)
@pytest.mark.parametrize(("vocabulary", "action"), [e[1:] for e in EXAMPLES], ids=[e[0] for e in EXAMPLES])
def test_sound(vocabulary: Vocabulary, action: Action, partition: tuple[int, ...]) -> None:
    options = DifferencingOptions(refine=True)
    check_sound(vocabulary, action, partition, options)
    if derive(action, vocabulary, CHAINS) != derive(action, vocabulary, options):
        check_sound(vocabulary, action, partition, CHAINS)


def test_chains_are_looked_into() -> None:
    """``n & !x & !y`` only removes edges: no delta says that one may be added."""
    cut = next(a for a in REMOVE if a.name == "free x, cut both ways")
    plus = {u.predicate: u.plus for u in derive(cut, REVERSE, CHAINS).updates}
    assert plus["is[n]"] is FALSE and plus["t[n]"] is FALSE
    assert {u.predicate: u.plus for u in derive(cut, REVERSE).updates}["is[n]"] is not FALSE


def check_sound(
    vocabulary: Vocabulary, action: Action, partition: tuple[int, ...], options: DifferencingOptions
) -> None:
    concrete, abstract = abstracted(vocabulary, partition)
    derivation = derive(action, vocabulary, options)
    variables = action.precondition.free if action.precondition is not None else ()
    for nodes in tuples(concrete, len(variables)):
        outer = dict(zip(variables, nodes, strict=True))
        above = {v: partition[u] for v, u in outer.items()}
        allowed = concrete.all
        if action.precondition is not None:
            allowed = concrete.evaluator(outer)(action.precondition)[0]
        small = apply(concrete, derivation.action, vocabulary, outer)
        large = apply(abstract, derivation.action, vocabulary, above)
        mapping = images(small, large, partition, action)
        snapshot = with_new_nodes(abstract, action, vocabulary, above).evaluator(above)
        refinements = {u.predicate: u for u in derivation.refinements}
        for u in small.nodes:
            assert not small.exists[u] & ~large.exists[mapping[u]]
        for p in vocabulary.declared:
            for args in tuples(small, p.arity):
                there = allowed
                for u in args:
                    there &= small.exists[u]
                image = tuple(mapping[u] for u in args)
                value = small.get(p.name, args)[0]
                candidates = [large.get(p.name, image)]
                if p.name in refinements:
                    r = refinements[p.name]
                    candidates.append(snapshot(r.formula, dict(zip(r.args, image, strict=True))))
                for must, may in candidates:
                    assert not there & value & ~may, (p.name, args)
                    assert not there & ~value & must, (p.name, args)


@pytest.mark.parametrize("partition", PARTITIONS)
@pytest.mark.parametrize("made", [NEW[0], NEW[1], action("news", new="y(v)")], ids=str)
def test_new_nodes_cost_no_precision(made: Action, partition: tuple[int, ...]) -> None:
    """Old nodes keep their values; a single new node has definite ones."""
    _, abstract = abstracted(REVERSE, partition)
    result = apply(abstract, derive(made, REVERSE).action, REVERSE)
    new = max(abstract.nodes) + 1
    for p in REVERSE.declared:
        if p.definition is None or (p.name == "r[n,x]" and made.updates):
            continue
        for args in tuples(abstract, p.arity):
            assert result.get(p.name, args) == abstract.get(p.name, args)
        for u in abstract.nodes if p.arity == 2 else ():
            assert result.get(p.name, (u, new)) == result.get(p.name, (new, u)) == (0, 0)
    if made.new_formula is None:
        assert result.get("t[n]", (new, new)) == (result.all, result.all)
        assert result.get("is[n]", (new,)) == (0, 0)
    if made.updates:
        assert result.get("r[n,x]", (new,)) == (result.all, result.all)


def test_reachability_of_an_appended_node_is_definite() -> None:
    """``x->n = new`` where x is the end of a list whose inner n-edges are 1/2."""
    _, abstract = abstracted(REVERSE, (0, 1, 2))
    append = next(a for a in NEW if a.name == "x->n = new")
    result = apply(abstract, derive(append, REVERSE).action, REVERSE)
    reached = abstract.get("t[n]", (0, 2))[0] & abstract.get("x", (2,))[0] & abstract.get("ac", (2,))[0]
    assert reached
    assert not reached & ~result.get("t[n]", (0, 3))[0]
