"""Formulas: interning, free variables, constructors, text, pickling, independence of the hash seed."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys

import pytest

from kleene.logic.formula import (
    FALSE,
    TRUE,
    UNKNOWN,
    And,
    Atom,
    Closure,
    Const,
    Equal,
    Exists,
    Forall,
    Formula,
    Iff,
    IfThenElse,
    Not,
    Or,
    conj,
    disj,
    exists,
    forall,
    implies,
    neg,
    predicates_of,
    reflexive_closure,
    subformulas,
    transitive_closure,
)
from kleene.logic.kleene import Kleene

X, Y, B = Atom("x", ("v",)), Atom("y", ("v",)), Atom("b", ())
N = Atom("n", ("v", "w"))
SAMPLES: list[tuple[Formula, str]] = [
    (TRUE, "1"),
    (UNKNOWN, "1/2"),
    (B, "b()"),
    (N, "n(v, w)"),
    (Equal("v", "w"), "v == w"),
    (Not(Equal("v", "w")), "v != w"),
    (Not(Not(X)), "!!x(v)"),
    (Not(And(X, Y)), "!(x(v) & y(v))"),
    (And(And(X, Y), B), "x(v) & y(v) & b()"),
    (And(X, And(Y, B)), "x(v) & (y(v) & b())"),
    (Or(And(X, Y), B), "x(v) & y(v) | b()"),
    (And(Or(X, Y), B), "(x(v) | y(v)) & b()"),
    (Or(X, Or(Y, B)), "x(v) | (y(v) | b())"),
    (Iff(X, Or(Y, B)), "x(v) <-> y(v) | b()"),
    (Or(Iff(X, Y), B), "(x(v) <-> y(v)) | b()"),
    (Iff(Iff(X, Y), B), "x(v) <-> y(v) <-> b()"),
    (Iff(X, Iff(Y, B)), "x(v) <-> (y(v) <-> b())"),
    (IfThenElse(X, Y, B), "(x(v) ? y(v) : b())"),
    (Exists("v", Exists("w", N)), "E(v, w) n(v, w)"),
    (Exists("v", Forall("w", N)), "E(v) A(w) n(v, w)"),
    (And(Exists("v", X), B), "(E(v) x(v)) & b()"),
    (Exists("v", And(X, B)), "E(v) x(v) & b()"),
    (Not(Exists("v", X)), "!(E(v) x(v))"),
    (transitive_closure("n", "v", "w"), "n+(v, w)"),
    (reflexive_closure("n", "v", "w"), "n*(v, w)"),
    (Not(reflexive_closure("n", "v", "w")), "!n*(v, w)"),
    (Closure("v", "w", "a", "b", Atom("n", ("b", "a"))), "TC(v, w)(a, b) n(b, a)"),
    (And(Closure("v", "w", "a", "b", Atom("n", ("b", "a"))), B), "(TC(v, w)(a, b) n(b, a)) & b()"),
]


@pytest.mark.parametrize(("f", "text"), SAMPLES, ids=[text for _, text in SAMPLES])
def test_text(f: Formula, text: str) -> None:
    assert str(f) == text == repr(f)


def test_texts_tell_different_formulas_apart() -> None:
    assert len({text for _, text in SAMPLES}) == len({f for f, _ in SAMPLES}) == len(SAMPLES)


@pytest.mark.parametrize(("f", "text"), SAMPLES, ids=[text for _, text in SAMPLES])
def test_pickling_and_copying_give_the_same_object(f: Formula, text: str) -> None:
    assert pickle.loads(pickle.dumps(f)) is f
    assert copy.deepcopy(f) is f and copy.copy(f) is f


def test_equal_formulas_are_one_object() -> None:
    assert And(Atom("x", ("v",)), Atom("y", ("v",))) is And(X, Y)
    assert And(X, Y) is not And(Y, X)
    assert And(X, Y) is not Or(X, Y)
    assert Exists("v", X) is not Forall("v", X)
    assert Exists("v", X) is not Exists("w", Atom("x", ("w",)))
    assert Const(Kleene.TRUE) is TRUE


def test_immutable() -> None:
    with pytest.raises(AttributeError):
        X.predicate = "y"
    with pytest.raises(AttributeError):
        And(X, Y).left = Y


def test_free_variables_in_order_of_first_occurrence() -> None:
    assert And(N, X).free == ("v", "w")
    assert And(Atom("n", ("w", "v")), X).free == ("w", "v")
    assert Atom("n", ("v", "v")).free == ("v",)
    assert Exists("v", N).free == ("w",)
    assert Exists("u", X).free == ("v",)
    assert And(Exists("v", X), Y).free == ("v",)
    assert Closure("v", "w", "a", "b", Atom("n", ("a", "b"))).free == ("v", "w")
    assert Closure("v", "v", "a", "b", And(Atom("n", ("a", "u")), N)).free == ("v", "u", "w")
    assert Closure("a", "b", "a", "b", Atom("n", ("a", "b"))).free == ("a", "b")
    assert IfThenElse(Atom("p", ("c",)), X, Atom("q", ("a",))).free == ("c", "v", "a")
    assert TRUE.free == () and B.free == ()


def test_constructors_simplify() -> None:
    assert neg(neg(X)) is X and neg(TRUE) is FALSE and neg(UNKNOWN) is UNKNOWN
    assert conj() is TRUE and disj() is FALSE
    assert conj(X, TRUE, Y) is And(X, Y) and disj(X, FALSE, Y) is Or(X, Y)
    assert conj(X, FALSE, Y) is FALSE and disj(X, TRUE, Y) is TRUE
    assert conj(TRUE, X) is X and conj(X, X) is X and disj(X, X) is X
    assert conj(X, Y, B) is And(And(X, Y), B)
    assert implies(X, Y) is Or(Y, Not(X))


def test_constructors_keep_unknown() -> None:
    """1/2 is neither neutral nor absorbing."""
    assert conj(X, UNKNOWN) is And(X, UNKNOWN)
    assert disj(UNKNOWN, X) is Or(UNKNOWN, X)


def test_quantifiers_bind_only_what_occurs() -> None:
    assert exists(["v", "u", "w"], N) is Exists("v", Exists("w", N))
    assert forall(["w", "v"], N) is Forall("w", Forall("v", N))
    assert exists(["u"], X) is X


def test_subformulas_and_predicates() -> None:
    f = And(Exists("v", And(X, Y)), Or(X, Not(B)))
    found = list(subformulas(f))
    assert found[0] is f and len(found) == len(set(found)) == 8
    assert predicates_of(f) == {"x", "y", "b"}
    assert predicates_of(reflexive_closure("n", "v", "w")) == {"n"}
    assert And(X, Y).children == (X, Y) and Exists("v", X).children == (X,) and X.children == ()


def test_deep_formulas_do_not_overflow() -> None:
    f: Formula = X
    for _ in range(20_000):
        f = Not(f)
    assert predicates_of(f) == {"x"}
    assert hash(f) == hash(f) and f == Not(f.children[0])


def test_match() -> None:
    match Exists("v", And(X, Y)):
        case Exists(v, And(left, right)):
            assert (v, left, right) == ("v", X, Y)
        case _:
            pytest.fail("no match")


SCRIPT = """
from kleene.logic.formula import *
parts = [Atom(name, ("v",)) for name in ("x", "y", "z", "t", "r")]
formulas = {And(a, Not(b)) for a in parts for b in parts}
print([str(f) for f in formulas], [hash(f) for f in parts], sorted(predicates_of(conj(*parts))))
"""


def test_nothing_depends_on_the_hash_seed() -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4711")
    }
    assert len(outputs) == 1 and b"x(v)" in outputs.pop()
