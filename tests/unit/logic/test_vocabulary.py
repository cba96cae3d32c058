"""Vocabularies are immutable values with the built-in predicates first."""

from __future__ import annotations

import pickle

import pytest

from kleene.logic.formula import Atom, Exists
from kleene.logic.vocabulary import ACTIVE, BUILTIN, PROPERTY_ARITY, RESERVED, SUMMARY, Predicate, Vocabulary

X = Predicate("x", 1, ("v",), frozenset({"unique"}), abstraction=True)
N = Predicate("n", 2, ("v", "w"), frozenset({"function"}))
B = Predicate("b", 0, abstraction=True)
R = Predicate("r", 1, ("v",), definition=Exists("w", Atom("n", ("w", "v"))))


def test_builtin_predicates_come_first() -> None:
    v = Vocabulary().extend([X, N])
    assert [p.name for p in v] == ["sm", "ac", "isNew", "instance", "x", "n"]
    assert v.index("sm") == 0 and v.index("ac") == 1 and v.index("x") == len(BUILTIN)
    assert v["sm"] is SUMMARY and v["ac"] is ACTIVE and len(v) == 6
    assert {p.name for p in BUILTIN} <= RESERVED
    assert Vocabulary((X, N)) == v, "they are added when left out"


def test_lookup() -> None:
    v = Vocabulary().extend([X])
    assert "x" in v and "y" not in v and v.get("y") is None and v.get("x") is X
    with pytest.raises(KeyError):
        v["y"]


def test_extension_is_a_new_value() -> None:
    v = Vocabulary().extend([X])
    w = v.extend([N])
    assert len(v) + 1 == len(w) and v != w
    assert w == Vocabulary().extend([X, N]) and hash(w) == hash(Vocabulary().extend([X, N]))
    assert w != Vocabulary().extend([N, X]), "order matters: a predicate's place is its index"


def test_no_name_twice() -> None:
    with pytest.raises(ValueError, match="twice"):
        Vocabulary().extend([X, Predicate("x", 2)])
    with pytest.raises(ValueError, match="twice"):
        Vocabulary().extend([Predicate("sm", 1)])


def test_views() -> None:
    v = Vocabulary().extend([X, N, B, R])
    assert v.declared == (X, N, B, R)
    assert v.unary_abstraction == (X,) and v.nullary_abstraction == (B,)
    assert [p.name for p in v if p.instrumentation] == ["r"]


def test_predicates() -> None:
    assert X.has("unique") and not X.has("function") and str(N) == "n/2"
    assert set(PROPERTY_ARITY.values()) == {1, 2}


def test_pickling() -> None:
    v = Vocabulary().extend([X, N, R])
    again = pickle.loads(pickle.dumps(v))
    assert again == v and again.index("n") == v.index("n") and again["r"].definition is R.definition
