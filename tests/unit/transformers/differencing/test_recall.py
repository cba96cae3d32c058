"""An update that was derived for another vocabulary is the one that would be derived for this vocabulary."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest

from kleene.logic.formula import predicates_of
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.transformers.action import Action
from kleene.transformers.differencing import Derivation, derive

from .actions import COPY, FIELD, NEW, POINTER, REMOVE
from .vocabularies import CYCLIC, REVERSE, action, core, defined

MODULE = sys.modules["kleene.transformers.differencing.derive"]


def variants(vocabulary: Vocabulary) -> Iterator[Vocabulary]:
    """The vocabulary without one definition, without the properties of one predicate, with other bound names."""
    yield vocabulary
    used = frozenset[str]().union(*(predicates_of(p.definition) for p in vocabulary if p.definition is not None))
    for p in vocabulary.declared:
        others = tuple(q for q in vocabulary.declared if q is not p)
        if p.instrumentation and p.name not in used:
            yield Vocabulary(others)
        if p.properties:
            yield Vocabulary(tuple(replace(q, properties=frozenset()) if q is p else q for q in vocabulary.declared))
    yield Vocabulary((*vocabulary.declared, Predicate("clash", 2, ("w0", "z1"))))


def _predicates(action: Action) -> set[str]:
    formulas = [*(u.formula for u in action.updates), action.new_formula, action.clone, action.retain]
    return {u.predicate for u in action.updates}.union(*(predicates_of(f) for f in formulas if f is not None))


def derivations(action: Action, vocabulary: Vocabulary) -> list[Derivation]:
    return [derive(action, v) for v in variants(vocabulary)]


@pytest.mark.parametrize("vocabulary", [REVERSE, CYCLIC], ids=["reverse", "cyclic"])
def test_recalled_updates_are_those_derived_anew(vocabulary: Vocabulary, monkeypatch: pytest.MonkeyPatch) -> None:
    given = (*POINTER, *FIELD, *NEW, *REMOVE, *COPY)
    actions = [a for a in given if all(name in vocabulary for name in _predicates(a))]
    assert len(actions) > 3
    monkeypatch.setattr(MODULE, "_DERIVED", {})
    recalled = [derivations(action, vocabulary) for action in actions]
    assert MODULE._DERIVED
    monkeypatch.setattr(MODULE, "derivation_key", lambda *arguments: None)
    assert recalled == [derivations(action, vocabulary) for action in actions]


def test_a_definition_that_stands_for_a_delta_is_of_the_same_vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MODULE, "_DERIVED", {})
    without = Vocabulary((core("x(v)"), core("y(v)"), core("p(v)"), defined("q(v) = p(v)")))
    named = without.extend([defined("d(v) = (x(v) & y(v)) & !p(v)")])
    given = action("p |= x & y", "p(v) = p(v) | x(v) & y(v)")
    updates = [derive(given, vocabulary).action.update_of("q") for vocabulary in (named, without, named)]
    used = [predicates_of(update.formula) for update in updates if update is not None]
    assert used == [{"q", "d"}, {"q", "x", "y", "p"}, {"q", "d"}]
