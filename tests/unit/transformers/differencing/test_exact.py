"""Derived updates give exactly the values of the definitions on every small two-valued structure."""

from __future__ import annotations

from functools import cache

import pytest

from kleene.logic.vocabulary import Vocabulary
from kleene.transformers.action import Action
from kleene.transformers.differencing import derive

from .actions import EXAMPLES
from .model import Batch, apply, define, tuples
from .vocabularies import CYCLIC, REVERSE, structures


@cache
def batch_of(vocabulary: Vocabulary, size: int) -> Batch:
    return structures(vocabulary, size, limit=140_000 if size < 4 else 16_000)


def mismatches(action: Action, vocabulary: Vocabulary, size: int) -> list[str]:
    """Where a derived value differs from the re-evaluated definition, on tuples of nodes that are left."""
    found = []
    batch = batch_of(vocabulary, size)
    complete = derive(action, vocabulary).action
    variables = action.precondition.free if action.precondition is not None else ()
    for nodes in tuples(batch, len(variables)):
        outer = dict(zip(variables, nodes, strict=True))
        allowed = batch.all
        if action.precondition is not None:
            allowed = batch.evaluator(outer)(action.precondition)[0]
        derived = apply(batch, complete, vocabulary, outer)
        expected = derived.copy()
        define(expected, vocabulary)
        for p in vocabulary.declared:
            for args in tuples(derived, p.arity) if p.definition is not None else ():
                there = allowed
                for u in args:
                    there &= derived.exists[u]
                wrong = (derived.get(p.name, args)[0] ^ expected.get(p.name, args)[0]) & there
                wrong |= (derived.get(p.name, args)[1] ^ expected.get(p.name, args)[1]) & there
                if wrong:
                    number = (wrong & -wrong).bit_length() - 1
                    found.append(f"{p.name}{args} in structure {number}: {facts(batch, number)}")
    return found


def facts(batch: Batch, number: int) -> str:
    """One structure of a batch, for messages."""
    held = [f"{p}{nodes}" for (p, nodes), (must, _) in batch.values.items() if must >> number & 1 and p != "ac"]
    return " ".join(held)


@pytest.mark.parametrize(("vocabulary", "action"), [e[1:] for e in EXAMPLES], ids=[e[0] for e in EXAMPLES])
def test_derived_updates_are_exact(vocabulary: Vocabulary, action: Action) -> None:
    for size in range(4):
        assert not mismatches(action, vocabulary, size)


FOUR = [e for e in EXAMPLES if e[1] in (REVERSE, CYCLIC) and not e[2].clone and "w" not in str(e[2].retain)]


@pytest.mark.parametrize(("vocabulary", "action"), [e[1:] for e in FOUR], ids=[e[0] for e in FOUR])
def test_derived_updates_are_exact_with_four_nodes(vocabulary: Vocabulary, action: Action) -> None:
    assert not mismatches(action, vocabulary, 4)
