"""Formulas that differ in bound names and in the order of operands only."""

from __future__ import annotations

import pytest

from kleene.logic.formula import And, Atom, Equal, Exists, Forall, Not, Or, reflexive_closure, transitive_closure
from kleene.logic.transform import up_to_order

P, Q = Atom("p", ("v",)), Atom("q", ("v",))


def _edge(a: str, b: str) -> Atom:
    return Atom("n", (a, b))


SAME = [
    (And(P, Q), And(Q, P)),
    (Or(P, Or(Q, P)), Or(Q, P)),
    (Exists("a", _edge("a", "v")), Exists("b", _edge("b", "v"))),
    (Exists("a", Forall("b", _edge("a", "b"))), Exists("b", Forall("a", _edge("b", "a")))),
    (Not(Equal("v", "w")), Not(Equal("w", "v"))),
    (reflexive_closure("n", "v", "w"), reflexive_closure("n", "v", "w")),
]
DIFFERENT = [
    (And(P, Q), Or(P, Q)),
    (Exists("a", _edge("a", "v")), Exists("a", _edge("v", "a"))),
    (Exists("a", _edge("a", "v")), Forall("a", _edge("a", "v"))),
    (Exists("a", Exists("b", _edge("a", "b"))), Exists("a", Exists("b", _edge("a", "a")))),
    (transitive_closure("n", "v", "w"), transitive_closure("n", "w", "v")),
    (transitive_closure("n", "v", "w"), transitive_closure("m", "v", "w")),
    (P, Atom("p", ("w",))),
]


@pytest.mark.parametrize("f,g", SAME)
def test_the_same(f, g):
    assert up_to_order(f) == up_to_order(g)


@pytest.mark.parametrize("f,g", DIFFERENT)
def test_different(f, g):
    assert up_to_order(f) != up_to_order(g)
