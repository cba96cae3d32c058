"""Best transformers against concrete steps of all stores, and against focus, update, coerce and blur."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracle.actions import actions
from tests.oracle.concrete import is_valid, step
from tests.oracle.generate import ACYCLIC, GRAPH, LIST, Setting, abstractions, gamma
from tests.oracle.naive import NaiveStructure, from_structure, isomorphic, to_structure

from kleene.smt import Limits
from kleene.structures.embedding import embeds
from kleene.symbolic import BestTransformer, SymbolicOptions, Theory
from kleene.transformers.action import Action
from kleene.transformers.focus import InfiniteFocus

from .enumeration import abstraction_of, assert_covers
from .test_assume import few_enough

LIMITS = Limits(query_seconds=0.2, total_seconds=1.5, individuals=3)
OPTIONS = SymbolicOptions(limits=LIMITS, leaves=40, one_field=False)
DATA = st.data()


def concrete_results(setting: Setting, s: NaiveStructure, sequence: list[Action]) -> list[NaiveStructure]:
    """The legal stores after the actions, from all stores of s up to the setting's bound."""
    current = gamma(setting, s)
    for action in sequence:
        after = [one.after for c in current for one in step(c, action)]
        current = [c for c in after if is_valid(c, setting.rules)]
    return current


def compare(setting: Setting, s: NaiveStructure, sequence: list[Action]) -> None:
    best = BestTransformer(sequence, Theory(setting.vocabulary, setting.rules), OPTIONS)
    structure = to_structure(s)
    result = best.run([structure])
    reached = concrete_results(setting, s, sequence)
    assert_covers(result, reached)
    same_universe = not any(a.changes_universe for a in sequence)
    for r, store in zip(result.structures, result.stores, strict=True):
        if store is None:
            assert not result.most_precise
            continue
        naive = from_structure(store)
        assert abstraction_of(naive) == r
        assert is_valid(naive, setting.rules)
        if same_universe and store.size <= setting.bound:
            assert any(isomorphic(naive, c) for c in reached), f"{naive} is not reached"
    if result.most_precise:
        try:
            plain = best.plain(structure)
        except InfiniteFocus:
            return
        for store in result.stores:
            assert store is not None
            assert any(embeds(store, p) for p in plain), f"{store} is not below focus, update, coerce, blur: {plain}"


@settings(max_examples=12)
@given(DATA)
def test_best_transformer_of_one_action(data: st.DataObject) -> None:
    setting = data.draw(st.sampled_from((LIST, ACYCLIC, GRAPH)))
    s = data.draw(abstractions(setting).filter(few_enough))
    compare(setting, s, [data.draw(actions(setting, universe=("keep", "keep", "new", "retain")))])


@settings(max_examples=5)
@given(DATA)
def test_best_transformer_of_a_block(data: st.DataObject) -> None:
    setting = data.draw(st.sampled_from((LIST, ACYCLIC)))
    s = data.draw(abstractions(setting).filter(few_enough))
    kinds = st.sampled_from([("keep",), ("keep",), ("new",), ("retain",)])
    compare(setting, s, [data.draw(actions(setting, universe=data.draw(kinds))) for _ in range(2)])
