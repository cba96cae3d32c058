"""Two-store results against all pairs of small stores before and after an action."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracle.actions import actions
from tests.oracle.concrete import is_valid, step
from tests.oracle.generate import ACYCLIC, LIST, abstractions, gamma
from tests.oracle.naive import NaiveStructure, empty, to_structure

from kleene.diagnostics import UsageError
from kleene.logic.earlier import old
from kleene.structures.embedding import embeds
from kleene.symbolic import BestTransformer, Theory
from kleene.symbolic.timeline.two_store import two_store_vocabulary

from .enumeration import abstraction_of
from .test_assume import few_enough
from .test_best import OPTIONS


def pair(before: NaiveStructure, after: NaiveStructure) -> NaiveStructure:
    """Two stores over the same individuals as one."""
    both = empty(two_store_vocabulary(after.vocabulary), len(after.universe))
    for p in after.vocabulary.declared:
        both.values[p.name] = dict(after.values[p.name])
        both.values[old(p.name)] = dict(before.values[p.name])
    return both


@settings(max_examples=10)
@given(st.data())
def test_every_pair_of_stores_is_covered(data: st.DataObject) -> None:
    setting = data.draw(st.sampled_from((LIST, ACYCLIC)))
    s = data.draw(abstractions(setting).filter(few_enough))
    action = data.draw(actions(setting, universe=("keep", "new")))
    best = BestTransformer(action, Theory(setting.vocabulary, setting.rules), OPTIONS, two_store=True)
    result = best.run([to_structure(s)])
    for before in gamma(setting, s):
        for one in step(before, action):
            if is_valid(one.after, setting.rules):
                both = pair(before, one.after)
                if result.most_precise:
                    assert abstraction_of(both) in result.structures
                else:
                    assert any(embeds(to_structure(both), r) for r in result.structures)


@settings(max_examples=3)
@given(st.data())
def test_a_step_that_removes_individuals_is_refused(data: st.DataObject) -> None:
    action = data.draw(actions(LIST, universe=("retain",)).filter(lambda a: a.retain is not None))
    with pytest.raises(UsageError, match="removes individuals"):
        BestTransformer(action, Theory(LIST.vocabulary, LIST.rules), OPTIONS, two_store=True)
