"""Every operation against all stores of up to five nodes; hypothesis chooses vocabularies, rules and formulas."""

from __future__ import annotations

import os

from hypothesis import assume as assume_few
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracle.actions import actions
from tests.oracle.concrete import holds, is_valid, step, with_definitions
from tests.oracle.generate import ACYCLIC, GRAPH, LIST, Setting, _p, abstractions, formulas, gamma
from tests.oracle.naive import NaiveStructure, blur, embeds, empty, to_structure

from kleene.logic.formula import TRUE, UNKNOWN, And, Atom, Not, reflexive_closure
from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Vocabulary
from kleene.smt import Limits
from kleene.structures.embedding import embeds as engine_embeds
from kleene.symbolic import BestTransformer, SymbolicOptions, SymbolicResult, Theory, alpha_hat, assume, meet
from kleene.transformers.action import Action, Update
from kleene.transformers.focus import InfiniteFocus

from .enumeration import abstraction_of, assert_covers, assert_stores
from .sat_oracle import MOST, assumed, reached
from .test_assume import few_enough
from .vocabularies import chosen_settings, inputs, questions, stores

LIMITS = Limits(query_seconds=0.3, total_seconds=3.0, individuals=3)
DATA = st.data()
FIVE = range(6)
FORMULAS = FIVE if "KLEENE_EXAM" in os.environ else range(3)
"""The stores that formulas alone describe are many: five nodes are for `make exam`."""


def options(backend: str = "auto") -> SymbolicOptions:
    return SymbolicOptions(backend=backend, limits=LIMITS, leaves=40, one_field=False)


def theory(setting: Setting) -> Theory:
    return Theory(setting.vocabulary, setting.rules)


def assert_no_more(result: SymbolicResult, found: list[NaiveStructure], most: int = 5) -> None:
    """An exact result has no structure that a small store would show and none does."""
    if len(found) >= MOST:
        return  # perhaps not all
    expected = {abstraction_of(s) for s in found}
    for structure, store in zip(result.structures, result.stores, strict=True):
        if store is not None and store.size <= most:
            assert structure in expected, f"{structure} is no abstraction of a store"


@settings(max_examples=20)
@given(DATA)
def test_assume(data: st.DataObject) -> None:
    setting = data.draw(chosen_settings())
    s = data.draw(inputs(setting).filter(few_enough))
    f = data.draw(questions(setting))
    result = assume(f, [to_structure(s)], theory(setting), options(), bounded=False)
    found = [c for size in FIVE for c in assumed(setting, s, f, size)]
    assert_covers(result, found)
    assert_stores(result, setting, [s], f)
    assert_no_more(result, found)


@settings(max_examples=8)
@given(DATA)
def test_back_ends_agree(data: st.DataObject) -> None:
    setting = data.draw(chosen_settings())
    s = data.draw(inputs(setting, 3).filter(few_enough))
    f = data.draw(questions(setting))
    results = [
        assume(f, [to_structure(s)], theory(setting), options(backend), bounded=False)
        for backend in ("auto", "z3", "cvc5", "ground")
    ]
    exact = [r for r in results if r.most_precise]
    assert all(r.structures == exact[0].structures for r in exact)


@settings(max_examples=8)
@given(DATA)
def test_meet(data: st.DataObject) -> None:
    setting = data.draw(chosen_settings())
    left, right = blur(data.draw(stores(setting))), blur(data.draw(stores(setting)))
    result = meet([to_structure(left)], [to_structure(right)], theory(setting), options())
    found = [c for size in FIVE for c in assumed(setting, left, TRUE, size)]
    assert_covers(result, [c for c in found if embeds(c, right)])
    assert_stores(result, setting, [left], TRUE)
    assert_stores(result, setting, [right], TRUE)


@settings(max_examples=4)
@given(DATA)
def test_alpha_hat(data: st.DataObject) -> None:
    setting = data.draw(chosen_settings(most_fields=1))
    f = data.draw(questions(setting))
    result = alpha_hat(f, theory(setting), options())
    found = [c for size in FORMULAS for c in assumed(setting, None, f, size)]
    assert_covers(result, found)
    assert_no_more(result, found, max(FORMULAS))


def check_best(setting: Setting, s: NaiveStructure, sequence: list[Action], sizes: range) -> None:
    """Above what is reached from the stores of some sizes, and below focus, update, coerce and blur."""
    best = BestTransformer(sequence, theory(setting), options())
    structure = to_structure(s)
    result = best.run([structure])
    found = [c for size in sizes for c in reached(setting, s, sequence, size)]
    assert_covers(result, found)
    if not any(a.changes_universe for a in sequence):
        assert_no_more(result, found, max(sizes))
    if result.most_precise:
        try:
            plain = best.plain(structure)
        except InfiniteFocus:
            return
        for store in result.stores:
            assert store is not None
            assert any(engine_embeds(store, p) for p in plain), f"{store} is not below {plain}"


@settings(max_examples=15)
@given(DATA)
def test_best_transformer(data: st.DataObject) -> None:
    setting = data.draw(chosen_settings())
    s = data.draw(inputs(setting).filter(few_enough))
    action = data.draw(actions(setting, universe=("keep", "keep", "keep", "new", "retain")))
    check_best(setting, s, [action], FIVE)


@settings(max_examples=10)
@given(DATA)
def test_best_transformer_with_copies(data: st.DataObject) -> None:
    setting = data.draw(chosen_settings(most_fields=1))
    s = data.draw(inputs(setting, 3).filter(few_enough))
    check_best(setting, s, [data.draw(actions(setting, universe=("new of", "clone")))], FIVE)


@settings(max_examples=6)
@given(DATA)
def test_block(data: st.DataObject) -> None:
    setting = data.draw(chosen_settings(most_fields=1))
    s = data.draw(inputs(setting, 3).filter(few_enough))
    check_best(setting, s, [data.draw(actions(setting, universe=("keep", "keep", "new"))) for _ in range(2)], FIVE)


@settings(max_examples=20)
@given(DATA)
def test_the_oracle_against_enumeration(data: st.DataObject) -> None:
    """The SAT-based oracle finds what the enumeration of all stores finds."""
    setting = data.draw(st.sampled_from((LIST, ACYCLIC, GRAPH)))
    s = data.draw(abstractions(setting))
    every = range(setting.bound + 1)
    f = data.draw(formulas(setting.vocabulary, (), depth=3, rank=2, unknown=False))
    expected = {abstraction_of(c) for c in gamma(setting, s) if holds(c, f, {})}
    assume_few(len(expected) < MOST)
    assert {abstraction_of(c) for size in every for c in assumed(setting, s, f, size)} == expected
    sequence = [data.draw(actions(setting)) for _ in range(data.draw(st.integers(1, 2)))]
    current = gamma(setting, s)
    for action in sequence:
        after = [one.after for c in current for one in step(c, action)]
        current = [c for c in after if is_valid(c, setting.rules)]
    expected = {abstraction_of(c) for c in current}
    assume_few(len(expected) < MOST)
    assert {abstraction_of(c) for size in every for c in reached(setting, s, sequence, size)} == expected


def test_copies_of_some_elements_of_a_list() -> None:
    """Of a list of three the first and the last one are copied: there is no path between the copies."""
    names = [_p(name, "v", "abs") for name in ("p", "first", "last")]
    path = _p("t", "v1 v2", definition=reflexive_closure("n", "v1", "v2"))
    setting = Setting("COPIES", Vocabulary().extend([*names, _p("n", "v1 v2", "function", "acyclic"), path]))
    s = empty(setting.vocabulary, 3)
    s.values |= {
        "p": {(0,): 1.0, (2,): 1.0},
        "first": {(0,): 1.0},
        "last": {(2,): 1.0},
        "n": {(0, 1): 1.0, (1, 2): 1.0},
    }
    s = with_definitions(s)
    kept = And(Atom("p", ("v",)), Not(Atom("isNew", ("v",))))
    updates = (Update("p", ("v",), kept), Update("t", ("v1", "v2"), UNKNOWN))
    action = Action("copy", clone=Atom("p", ("v",)), updates=updates)
    check_best(setting, s, [action], range(4))
    result = BestTransformer(action, theory(setting)).run([to_structure(s)])
    assert result.most_precise
    (after,) = result.structures
    (first,) = (
        u for u in after.nodes if after.value("first", u) is Kleene.TRUE and after.value("p", u) is Kleene.FALSE
    )
    (last,) = (u for u in after.nodes if after.value("last", u) is Kleene.TRUE and after.value("p", u) is Kleene.FALSE)
    assert after.value("t", first, last) is Kleene.FALSE
