"""Which focus formulas are reported as possibly endless."""

from __future__ import annotations

import pytest

from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.tvp import parse_formula, parse_program
from kleene.tvp.focus_warnings import focus_problem

VOCABULARY = Vocabulary(
    (
        Predicate("b", 0),
        Predicate("x", 1, ("v",), frozenset(("unique",))),
        Predicate("q", 1, ("v",)),
        Predicate("n", 2, ("v", "w"), frozenset(("function",))),
        Predicate("i", 2, ("v", "w"), frozenset(("invfunction",))),
        Predicate("e", 2, ("v", "w")),
        Predicate("t", 3, ("u", "v", "w")),
    )
)


@pytest.mark.parametrize(
    "text",
    [
        "b()",
        "q(v)",
        "E(v) q(v) & !b()",
        "x(v) & e(v, w)",
        "x(w) & e(v, w)",
        "x(v) & !n(v, w)",
        "x(v) & n(v, w) & e(w, u)",
        "x(w) & i(v, w) & e(u, v)",
        "v == v & q(v)",
        "x(v) & !e(v, v)",
        "1 | 0",
        "x(v) & v == w",
        "x(v) & n(v, w) & u != w",
        "x(v) & x(w) & t(u, v, w)",
        "q(v) -> b()",
        "(b() ? q(v) : x(v))",
        "q(v) <-> b()",
    ],
)
def test_harmless(text: str) -> None:
    assert focus_problem(parse_formula(text, VOCABULARY), VOCABULARY) == ""


EDGE = "no unique predicate binds '{}' to single nodes"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("e(v, w)", EDGE.format("e")),
        ("e(v, v)", EDGE.format("e")),
        ("q(v) & e(v, w)", EDGE.format("e")),
        ("!x(v) & e(v, w)", EDGE.format("e")),
        ("!n(v, w)", EDGE.format("n")),
        ("x(v) & !n(v, u) & e(u, w)", EDGE.format("e")),
        ("x(v) & e(v, w) | E(a, c) e(a, c)", EDGE.format("e")),
        ("x(v) -> e(v, w)", EDGE.format("e")),
        ("(E(v) x(v)) & (E(v, w) e(v, w))", EDGE.format("e")),
        ("x(v) & t(u, v, w)", EDGE.format("t")),
        ("n(v, w)", EDGE.format("n")),
        ("i(v, w)", EDGE.format("i")),
        ("TC(v, w)(a, b) n(a, b)", EDGE.format("n")),
        ("q(v) & v == w", "it contains an equality of two variables that no unique predicate binds"),
        ("TC(v, w)(a, b) n(a, b) & q(a)", "it contains a transitive closure whose body is not a literal"),
    ],
)
def test_endless(text: str, problem: str) -> None:
    assert focus_problem(parse_formula(text, VOCABULARY), VOCABULARY) == problem


def test_huge_normal_forms_are_left_alone() -> None:
    text = " & ".join(f"(q(v{i}) | x(v{i}))" for i in range(30))
    assert focus_problem(parse_formula(text, VOCABULARY), VOCABULARY) == ""


def test_one_warning_for_each_place() -> None:
    program = parse_program(
        "%p x(v) %p y(v) %p e(v, w) %%\n%action a(p) { %f { p(v) & e(v, w) } }\n%% L a(x) M M a(y) N"
    )
    (warning,) = program.warnings
    assert str(warning.position) == "<program>:2:21"
    assert warning.message == (
        "focusing on 'x(v) & e(v, w)' may need infinitely many structures: "
        "no unique predicate binds 'e' to single nodes"
    )
