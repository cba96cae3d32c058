"""An update that was derived for another vocabulary is the one that would be derived for this vocabulary."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest

from kleene.logic.formula import Formula, predicates_of
from kleene.logic.patterns import with_predicates
from kleene.logic.vocabulary import BUILTIN, Predicate, Vocabulary
from kleene.transformers.action import Action
from kleene.transformers.differencing import Derivation, derive
from kleene.transformers.differencing.recall import Recall

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
    monkeypatch.setattr(MODULE, "_DERIVED_ONCE", {})
    recalled = [derivations(action, vocabulary) for action in actions]
    assert MODULE._DERIVED
    monkeypatch.setattr(Recall, "key", lambda *arguments: None)
    monkeypatch.setattr(Recall, "pattern", lambda *arguments: None)
    assert recalled == [derivations(action, vocabulary) for action in actions]


def in_other_words(vocabulary: Vocabulary) -> Vocabulary:
    """The same vocabulary with other names of predicates."""
    return Vocabulary(
        tuple(
            replace(p, name=f"a_{p.name}", definition=None if p.definition is None else other_predicates(p.definition))
            for p in vocabulary.declared
        )
    )


def other_predicates(f: Formula) -> Formula:
    own = {p.name for p in BUILTIN}
    return with_predicates(f, {n: n if n in own else f"a_{n}" for n in predicates_of(f)}, {})


def in_other_words_too(given: Action) -> Action:
    def other(f: Formula | None) -> Formula | None:
        return None if f is None else other_predicates(f)

    return replace(
        given,
        updates=tuple(
            replace(u, predicate=f"a_{u.predicate}", formula=other_predicates(u.formula)) for u in given.updates
        ),
        new_formula=other(given.new_formula),
        clone=other(given.clone),
        retain=other(given.retain),
        precondition=other(given.precondition),
    )


@pytest.mark.parametrize("vocabulary", [REVERSE, CYCLIC], ids=["reverse", "cyclic"])
def test_updates_recalled_by_their_pattern_are_those_derived_anew(
    vocabulary: Vocabulary, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was derived for other names, and the definitions in another order, is never used with a wrong name."""
    given = [a for a in (*POINTER, *FIELD, *NEW, *REMOVE, *COPY) if all(n in vocabulary for n in _predicates(a))]
    other = in_other_words(Vocabulary(vocabulary.declared[::-1]))
    both = [(a, vocabulary) for a in given] + [(in_other_words_too(a), other) for a in given]
    monkeypatch.setattr(MODULE, "_DERIVED", {})
    monkeypatch.setattr(MODULE, "_DERIVED_ONCE", {})
    recalled = [derivations(*one) for one in both]
    assert len(MODULE._DERIVED_ONCE) < len(MODULE._DERIVED)
    monkeypatch.setattr(Recall, "key", lambda *arguments: None)
    monkeypatch.setattr(Recall, "pattern", lambda *arguments: None)
    assert recalled == [derivations(*one) for one in both]


def test_a_definition_that_stands_for_a_delta_is_of_the_same_vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MODULE, "_DERIVED", {})
    monkeypatch.setattr(MODULE, "_DERIVED_ONCE", {})
    without = Vocabulary((core("x(v)"), core("y(v)"), core("p(v)"), defined("q(v) = p(v)")))
    named = without.extend([defined("d(v) = (x(v) & y(v)) & !p(v)")])
    given = action("p |= x & y", "p(v) = p(v) | x(v) & y(v)")
    updates = [derive(given, vocabulary).action.update_of("q") for vocabulary in (named, without, named)]
    used = [predicates_of(update.formula) for update in updates if update is not None]
    assert used == [{"q", "d"}, {"q", "x", "y", "p"}, {"q", "d"}]


def test_a_definition_over_the_predicate_itself_is_of_the_same_vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key did not tell definitions over the derived predicate apart: an update named a predicate of another
    vocabulary."""
    monkeypatch.setattr(MODULE, "_DERIVED", {})
    monkeypatch.setattr(MODULE, "_DERIVED_ONCE", {})
    without = Vocabulary((core("x(v)"), core("y(v)"), defined("p() = E(v) x(v)")))
    named = without.extend([defined("d() = (E(v) y(v) & !x(v)) & !p()")])
    given = action("x |= y", "x(v) = x(v) | y(v)")
    updates = [derive(given, vocabulary).action.update_of("p") for vocabulary in (named, without, named)]
    used = [predicates_of(update.formula) for update in updates if update is not None]
    assert used == [{"p", "d"}, {"p", "x", "y"}, {"p", "d"}]


def test_predicates_that_are_alike_but_for_their_properties_are_derived_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """The closure of an acyclic relation has another update than that of any relation."""
    monkeypatch.setattr(MODULE, "_DERIVED", {})
    monkeypatch.setattr(MODULE, "_DERIVED_ONCE", {})
    relations = (core("x(v)", "unique"), core("y(v)", "unique"), core("n(v1, v2)", "acyclic"), core("m(v1, v2)"))
    vocabulary = Vocabulary((*relations, defined("t(v1, v2) = n*(v1, v2)"), defined("s(v1, v2) = m*(v1, v2)")))
    methods = []
    for name, closure in (("n", "t"), ("m", "s")):
        given = action("add", f"{name}(v1, v2) = {name}(v1, v2) | x(v1) & y(v2)")
        methods += [u.method for u in derive(given, vocabulary).updates if u.predicate == closure]
    assert methods == ["unit closure addition", "general closure"]


def test_a_definition_that_stands_for_a_delta_gets_its_own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such updates were derived anew for each name."""
    monkeypatch.setattr(MODULE, "_DERIVED", {})
    monkeypatch.setattr(MODULE, "_DERIVED_ONCE", {})
    anew: list[str] = []
    derive_anew = MODULE._Deriver._derive_anew
    monkeypatch.setattr(MODULE._Deriver, "_derive_anew", lambda self, p: anew.append(p.name) or derive_anew(self, p))
    x, y, p = (core(f"{name}(v)") for name in "xyp")
    stands, other = defined("d(v) = (x(v) & y(v)) & !p(v)"), defined("c(v) = (x(v) & p(v)) & !y(v)")
    vocabulary = Vocabulary((x, y, p, defined("q(v) = p(v)"), stands))
    given = action("p |= x & y", "p(v) = p(v) | x(v) & y(v)")

    def used(action: Action, vocabulary: Vocabulary, name: str) -> frozenset[str]:
        update = derive(action, vocabulary).action.update_of(name)
        assert update is not None
        return predicates_of(update.formula)

    assert used(given, vocabulary, "q") == {"q", "d"}
    before = list(anew)
    assert used(in_other_words_too(given), in_other_words(vocabulary), "a_q") == {"a_q", "a_d"}
    assert anew == before
    # one that does not stand for the delta, alone, before the one that does, or behind it
    for definitions, name in (((other,), "y"), ((other, stands), "d"), ((stands, other), "d")):
        changed = Vocabulary((x, y, p, defined("q(v) = p(v)"), *definitions))
        assert f"a_{name}" in used(in_other_words_too(given), in_other_words(changed), "a_q")
