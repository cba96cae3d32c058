"""Focus (Def. 6.1): the same concrete structures, and a definite formula where the thesis promises one."""

from __future__ import annotations

import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kleene.logic.formula import And, Atom, Equal, Formula, Not, exists
from kleene.transformers.action import Rule
from kleene.transformers.coerce import Coercer
from kleene.transformers.focus import Focuser, FocusOptions, InfiniteFocus
from kleene.transformers.focus_plan import focus_plan
from kleene.transformers.rules import all_rules

from .actions import focus_formulas
from .generate import ACYCLIC, LIST, SETTINGS, Setting, abstractions, all_concrete, formulas, gamma, structures
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


SPARING = st.sampled_from(
    (FocusOptions(), FocusOptions(spare_active=True), FocusOptions(spare_active=True, coerce_cases=True))
)


def focused(
    setting: Setting, s: NaiveStructure, f: Formula, options: FocusOptions | None = None
) -> list[NaiveStructure] | None:
    """The results, or None when the engine refuses."""
    coerced = options is not None and options.coerce_cases
    coercer = Coercer(setting.vocabulary, all_rules(setting.vocabulary, setting.rules)) if coerced else None
    try:
        results = Focuser(setting.vocabulary, coercer, options).focus(to_structure(s), f)
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
    results = focused(setting, s, f, data.draw(SPARING))
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
    results = focused(setting, s, f, data.draw(SPARING))
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


def optional_nodes(setting: Setting, source: random.Random) -> NaiveStructure:
    """A structure of some heap in which most nodes may be missing or many, and most values are 1/2."""
    s = source.choice(all_concrete(setting)).copy()
    for p in s.vocabulary.declared:
        for nodes in s.tuples(p.name) if source.random() < 0.7 else ():
            if source.random() < 0.6:
                s.set(p.name, nodes, HALF)
    for u in s.universe:
        s.set("ac", (u,), HALF if source.random() < 0.7 else 1.0)
        s.set("sm", (u,), HALF if source.random() < 0.5 else 0.0)
    return s


@pytest.mark.parametrize("coerced", [False, True])
def test_nodes_that_are_spared_keep_the_concretisations(coerced: bool) -> None:
    source = random.Random(16)
    options = FocusOptions(spare_active=True, coerce_cases=coerced)
    asked = [f for f in focus_formulas(LIST.vocabulary) if focus_plan(f, LIST.vocabulary)[0][-1].result is not None]
    fewer = 0
    for _ in range(40):
        s, f = optional_nodes(LIST, source), source.choice(asked)
        results, every = focused(LIST, s, f, options), focused(LIST, s, f)
        if results is not None and every is not None:
            assert_same_concretisations(LIST, s, results)
            fewer += len(results) < len(every)
    assert fewer > 3, "the cases are as many as without"


def test_nodes_that_may_be_missing_have_no_case_for_each_set() -> None:
    """k nodes that x reaches if they exist: to know this of each does not need to know which of them exist."""
    s = NaiveStructure(LIST.vocabulary, list(range(6)), {p.name: {} for p in LIST.vocabulary})
    s.values["ac"] = {(u,): HALF if u else 1.0 for u in s.universe}
    s.values["r_x"] = {(u,): 1.0 for u in s.universe}
    f = Atom("r_x", ("v",))
    cases, few = focused(LIST, s, f), focused(LIST, s, f, FocusOptions(spare_active=True))
    assert cases is not None and few is not None
    assert (len(cases), len(few)) == (2**5, 1)


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
