"""Substitution, canonical bound names and matching (`kleene.logic.transform`), and the unit-change analysis."""

from __future__ import annotations

import pytest

from kleene.logic.formula import Atom, Formula
from kleene.logic.transform import alpha_equal, canonical, match_instance, replace_atoms, substitute
from kleene.transformers.differencing.simplify import Simplifier
from kleene.transformers.differencing.uniqueness import is_determined

from .notation import formula
from .vocabularies import TREE


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("E(w) n(v, w)", "E(w_1) n(w, w_1)"),
        ("E(v) n(v, w)", "E(v) n(v, w)"),
        ("n(v, v) & (A(w) n(v, w))", "n(w, w) & (A(w_1) n(w, w_1))"),
        ("TC(v, u)(w, z) (n(w, z) & x(v))", "TC(w, u)(w_1, z) (n(w_1, z) & x(w))"),
        ("TC(v, u)(v, z) n(v, z)", "TC(w, u)(v, z) n(v, z)"),
        ("E(w, w_1) n(v, w) & n(w, w_1)", "E(w_2, w_1) n(w, w_2) & n(w_2, w_1)"),
    ],
)
def test_substitution_avoids_capture(text: str, expected: str) -> None:
    assert alpha_equal(substitute(formula(text), {"v": "w"}), formula(expected))


def test_canonical_names() -> None:
    f = formula("E(w0) (A(w1) n(w0, w1)) & (A(w0) n(w0, w0))")
    g = canonical(f)
    assert g is formula("E(w1) (A(w0) n(w1, w0)) & (A(w0) n(w0, w0))")
    assert canonical(g) is g
    assert canonical(formula("E(a) n(a, w0)")) is formula("E(w_0) n(w_0, w0)")
    assert alpha_equal(f, g)
    assert not alpha_equal(formula("E(a) n(a, v)"), formula("E(a) n(v, a)"))


def test_replace_atoms_avoids_capture() -> None:
    def replacement(atom: Atom) -> Formula:
        return formula("y(u)") if atom.predicate == "x" else atom

    assert alpha_equal(replace_atoms(formula("E(u, w) n(u, v) & x(w)"), replacement), formula("E(a, b) n(a, v) & y(u)"))


def test_match_instance() -> None:
    pattern = formula("E(w) x(w) & n(w, v)")
    assert match_instance(pattern, formula("E(a) x(a) & n(a, b)")) == {"v": "b"}
    assert match_instance(pattern, formula("E(a) x(a) & n(b, a)")) is None
    assert match_instance(formula("n(v, v)"), formula("n(a, b)")) is None
    assert match_instance(formula("E(w) n(w, v)"), formula("E(w) n(w, w)")) is None


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("x(a) & y(b)", True),
        ("x(a) & left(a, b)", True),
        ("y(b) & left(a, b)", False),
        ("x(a) & down(a, b)", False),
        ("x(a)", False),
        ("left(a, b)", False),
        ("E(c) x(c) & left(c, a) & right(a, b)", True),
        ("x(a) & a == b", True),
        ("a == u & left(a, b)", True),
        ("x(a) & (left(a, b) | right(a, b))", False),
        ("x(a) & left(a, b) | x(a) & left(a, b) & y(b)", True),
        ("x(a) & y(b) | y(a) & x(b)", False),
        ("x(a) & !y(b)", False),
        ("E(a) x(a) & left(a, b)", False),
    ],
)
def test_unit_changes(text: str, unit: bool) -> None:
    assert is_determined(formula(text), ("a", "b"), TREE) is unit


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("!(E(v) x(v) & !y(v))", "A(v) !x(v) | y(v)"),
        ("!(x(v) ? y(v) : 0)", "!x(v) | !y(v)"),
        ("(x(v) ? 1 : y(v))", "x(v) | y(v)"),
        ("x(v) & !x(v)", "x(v) & !x(v)"),
        ("E(v) 1", "E(v) 1"),
        ("E(a, b) x(a) & y(b)", "(E(b) y(b)) & (E(a) x(a))"),
        ("x(v) & y(v) & x(v)", "x(v) & y(v)"),
        ("v == v & x(v)", "x(v)"),
    ],
)
def test_simplifier(text: str, expected: str) -> None:
    assert Simplifier()(formula(text)) is formula(expected)


def test_simplifier_at_new_nodes() -> None:
    simplify = Simplifier(fresh_nodes=True)
    assert simplify(formula("E(w) isNew(w) & y(w) & t(w, v)")) is formula("0")
    assert simplify(formula("E(w) isNew(w) & !y(w) & w == v")) is formula("isNew(v)")
    assert simplify(formula("A(w) !isNew(w) | !y(w)")) is formula("1")
