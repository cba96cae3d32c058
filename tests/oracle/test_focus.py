"""Focus (Def. 6.1): the same concrete structures, and a definite formula where the thesis promises one."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kleene.logic.formula import And, Atom, Equal, Forall, Formula, Not, Or, exists
from kleene.transformers.action import Rule
from kleene.transformers.focus import Focuser, InfiniteFocus

from .actions import focus_formulas
from .generate import ACYCLIC, LIST, SETTINGS, Setting, abstractions, formulas, gamma, structures
from .naive import HALF, NaiveStructure, assignments, coerce, embeds, evaluate, from_structure, to_structure

DATA = st.data()


def pointer_rules(setting: Setting) -> list[Rule]:
    """The rules of `unique` and `function` (Table 5), written out here so that no engine code is needed."""
    rules = []
    for p in setting.vocabulary.declared:
        name = p.name
        if p.has("unique"):
            rules += [
                Rule(And(Atom(name, ("v",)), Atom(name, ("w",))), Equal("v", "w")),
                Rule(exists(["v"], And(Atom(name, ("v",)), Not(Equal("v", "w")))), Not(Atom(name, ("w",)))),
            ]
        if p.has("function"):
            both = And(Atom(name, ("a", "v")), Atom(name, ("a", "w")))
            other = And(Atom(name, ("a", "v")), Not(Equal("v", "w")))
            rules += [Rule(both, Equal("v", "w")), Rule(other, Not(Atom(name, ("a", "w"))))]
    return rules


def focused(setting: Setting, s: NaiveStructure, f: Formula) -> list[NaiveStructure] | None:
    """The results, or None when the engine refuses."""
    try:
        results = Focuser(setting.vocabulary).focus(to_structure(s), f)
    except InfiniteFocus:
        return None
    return [from_structure(r) for r in results]


def assert_same_concretisations(setting: Setting, s: NaiveStructure, results: list[NaiveStructure]) -> None:
    """Def. 6.1, first part, both directions."""
    for c in gamma(setting, s):
        assert any(embeds(c, r) for r in results), f"{c} was lost from {s}"
    for r in results:
        assert embeds(r, s), f"{r} is not below {s}"


@settings(max_examples=250)
@given(DATA)
def test_thesis_formulas_keep_the_concretisations(data: st.DataObject) -> None:
    setting = data.draw(SETTINGS)
    s = data.draw(abstractions(setting) | structures(setting.vocabulary, most=3))
    f = data.draw(st.sampled_from(focus_formulas(setting.vocabulary)))
    results = focused(setting, s, f)
    assume(results is not None)
    assert results is not None
    assert_same_concretisations(setting, s, results)


@settings(max_examples=250)
@given(DATA)
def test_any_formula_keeps_the_concretisations_or_is_refused(data: st.DataObject) -> None:
    """General formulas: disjunctions, negations, quantifiers, closures; only the first half of Def. 6.1."""
    setting = data.draw(SETTINGS)
    s = data.draw(abstractions(setting))
    f = data.draw(formulas(setting.vocabulary, ("v", "w"), depth=3, rank=2, unknown=False))
    results = focused(setting, s, f)
    if results is not None:
        assert_same_concretisations(setting, s, results)


@settings(max_examples=200)
@given(DATA)
def test_thesis_formulas_become_definite(data: st.DataObject) -> None:
    """Def. 6.1, second part, where every node is active and pointers and fields satisfy their properties."""
    setting = data.draw(st.sampled_from([LIST, ACYCLIC]))
    vague = data.draw(abstractions(setting, maybe_active=False))
    s = coerce(vague, pointer_rules(setting))
    assume(s is not None)
    assert s is not None
    candidates = [f for f in focus_formulas(setting.vocabulary) if "is(" not in str(f) and "r" not in str(f)]
    f = data.draw(st.sampled_from(candidates))
    results = focused(setting, s, f)
    assert results is not None, f"{f} refused on {s}"
    for r in results:
        for z in assignments(r, f.free):
            assert evaluate(r, f, z) != HALF, f"{f} is 1/2 at {z} in {r}, focused from {s}"


def _reached(v: str) -> Formula:
    return Atom("r_x", (v,))


def _other(v: str, w: str) -> Formula:
    return Not(Equal(v, w))


OTHERS: list[tuple[Formula, int]] = [
    (exists(["v"], And(_reached("v"), _other("v", "w"))), 3),
    (exists(["v", "w"], And(And(_reached("v"), _reached("w")), _other("v", "w"))), 3),
    (Forall("v", Or(Not(_reached("v")), Equal("v", "w"))), 3),
    (exists(["u", "v"], And(And(_reached("u"), _reached("v")), And(_other("u", "v"), _other("v", "w")))), 4),
    (Forall("u", exists(["v"], And(_reached("v"), _other("u", "v")))), 3),
]
"""Formulas about other individuals, with the nodes of the largest result for one summary node. They were refused."""


@pytest.mark.parametrize(("f", "most"), OTHERS, ids=str)
@pytest.mark.parametrize("reached", [HALF, 1.0])
def test_other_individuals_of_a_summary_node(f: Formula, most: int, reached: float) -> None:
    """Def. 6.1, both parts: one individual, or as many as the formula names."""
    s = NaiveStructure(LIST.vocabulary, [0], {p.name: {} for p in LIST.vocabulary})
    s.values["ac"] = {(0,): 1.0}
    s.values["sm"] = {(0,): HALF}
    s.values["r_x"] = {(0,): reached}
    results = focused(LIST, s, f)
    assert results is not None
    assert_same_concretisations(LIST, s, results)
    assert all(evaluate(r, f, z) != HALF for r in results for z in assignments(r, f.free))
    assert max(len(r.universe) for r in results) <= most


@settings(max_examples=50)
@given(DATA)
def test_other_individuals_of_any_structure(data: st.DataObject) -> None:
    f = data.draw(st.sampled_from([f for f, _ in OTHERS]))
    s = data.draw(abstractions(LIST, maybe_active=False))
    results = focused(LIST, s, f)
    assert results is not None, f"{f} refused on {s}"
    assert_same_concretisations(LIST, s, results)
    assert all(evaluate(r, f, z) != HALF for r in results for z in assignments(r, f.free))


def test_equalities_that_no_cases_decide() -> None:
    """Which individuals of a summary node are the same has infinitely many cases."""
    s = NaiveStructure(LIST.vocabulary, [0], {p.name: {} for p in LIST.vocabulary})
    s.values |= {"ac": {(0,): 1.0}, "sm": {(0,): HALF}, "r_x": {(0,): 1.0}}
    for f in (
        Equal("v", "w"),
        And(_reached("v"), _other("v", "w")),
        exists(["u"], And(_other("v", "w"), _reached("u"))),
    ):
        assert focused(LIST, s, f) is None


def test_figure_8() -> None:
    """x = x->n on lists of two or more elements: three structures, two of them legal (section 3.2.1)."""
    s = NaiveStructure(LIST.vocabulary, [0, 1], {p.name: {} for p in LIST.vocabulary})
    s.values["ac"] = {(0,): 1.0, (1,): 1.0}
    s.values["x"] = {(0,): 1.0}
    s.values["r_x"] = {(0,): 1.0, (1,): 1.0}
    s.values["n"] = {(0, 1): HALF, (1, 1): HALF}
    s.values["sm"] = {(1,): HALF}
    f = exists(["w"], And(Atom("x", ("w",)), Atom("n", ("w", "v"))))
    results = focused(LIST, s, f)
    assert results is not None
    assert sorted(len(r.universe) for r in results) == [2, 2, 3]
    assert sorted(sum(value == 1 for value in r.values["n"].values()) for r in results) == [0, 1, 1]
    one_summary = [r for r in results if len(r.universe) == 3]
    assert len(one_summary[0].values["sm"]) == 1, "the node that x->n points to is no summary node"


def test_two_summary_ends_are_refused() -> None:
    """Section 6.3: a 1/2 edge between summary nodes has infinitely many cases."""
    s = NaiveStructure(LIST.vocabulary, [0], {p.name: {} for p in LIST.vocabulary})
    s.values["ac"] = {(0,): 1.0}
    s.values["sm"] = {(0,): HALF}
    s.values["n"] = {(0, 0): HALF}
    f = Not(Atom("n", ("v", "w")))
    assert focused(LIST, s, f) is None
