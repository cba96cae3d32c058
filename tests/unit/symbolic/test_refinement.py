"""Questions that are too large for one search or one query: they are divided, and the answers are the same."""

from __future__ import annotations

import pytest

from kleene.smt import Limits
from kleene.structures.tvs_reader import parse_tvs
from kleene.symbolic import SymbolicOptions, Theory, assume
from kleene.symbolic.search.combinations import Refinement
from kleene.tvp.program import parse_program

from .samples import INPUT, PRECONDITION, THEORY, formula

pytest.importorskip("z3")

MARKS = parse_program(
    """
%p x(v) unique pointer
%p p(v)
%p q(v)
%p n(v1, v2) function
%i np(v) = A(w) (n(v,w) -> p(w))
%r p(v) & q(v) ==> 0
%%
%action skip() { %t "skip" }
%%
a skip() b
"""
)
(MARKED,) = parse_tvs(
    "%n = {u, w} %p = { sm = {w:1/2} x = {u} p = {u, w:1/2} q = {w:1/2} np = {u, w} n = {u->w:1/2, w->w:1/2} }",
    MARKS.vocabulary,
).structures


@pytest.fixture
def divided(monkeypatch: pytest.MonkeyPatch) -> list[Refinement]:
    """The questions that were divided."""
    found: list[Refinement] = []
    decide = Refinement.decide

    def noted(self: Refinement) -> None:
        found.append(self)
        decide(self)

    monkeypatch.setattr(Refinement, "decide", noted)
    return found


def _options(individuals: int) -> SymbolicOptions:
    """Provers give up at once, and complete searches may have few individuals."""
    return SymbolicOptions(limits=Limits(query_seconds=0.001, grounded=individuals), one_field=False)


def test_the_running_example_in_parts(divided: list[Refinement]) -> None:
    whole = assume(formula(PRECONDITION), [INPUT], THEORY)
    assert whole.most_precise
    assert not divided
    parts = assume(formula(PRECONDITION), [INPUT], THEORY, _options(6))
    assert divided
    assert parts.most_precise
    assert parts.structures == whole.structures


def test_marks_in_parts(divided: list[Refinement]) -> None:
    theory, condition = Theory(MARKS.vocabulary, MARKS.rules), formula("A(v) (p(v) | q(v))", MARKS)
    whole = assume(condition, [MARKED.structure], theory)
    parts = assume(condition, [MARKED.structure], theory, _options(5))
    assert divided
    assert whole.most_precise
    assert parts.most_precise
    assert parts.structures == whole.structures


def test_what_no_search_decides_is_kept(divided: list[Refinement]) -> None:
    """With too few individuals and no time, the result is larger and reports this; nothing is missing."""
    whole = assume(formula(PRECONDITION), [INPUT], THEORY)
    parts = assume(formula(PRECONDITION), [INPUT], THEORY, _options(4))
    assert divided
    assert not parts.most_precise
    assert set(whole.structures) < set(parts.structures)


TREES = parse_program(
    """
%p x(v) unique pointer
%p left(v1, v2) function
%p right(v1, v2) function
%i twice(v) = E(a, b) (a != b & (left(a, v) | right(a, v)) & (left(b, v) | right(b, v))) nonabs
%%
%action skip() { %t "skip" }
%%
a skip() b
"""
)


def test_points_that_need_larger_stores(divided: list[Refinement]) -> None:
    """The number is that of the abstractions of all stores of up to seven elements, by enumeration."""
    (given,) = parse_tvs(
        "%n = {u, w} %p = { sm = {w:1/2} x = {u} left = {u->w:1/2, w->w:1/2} right = {u->w:1/2, w->w:1/2}"
        " twice = {w:1/2} }",
        TREES.vocabulary,
    ).structures
    condition = formula("A(v, w) (left(v, w) -> !right(v, w))", TREES)
    result = assume(condition, [given.structure], Theory(TREES.vocabulary, TREES.rules))
    assert divided
    assert result.most_precise
    assert len(result.structures) == 43
