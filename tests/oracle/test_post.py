"""Soundness of one abstract step: concrete steps of all concretisations are represented."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kleene.logic.formula import UNKNOWN, Atom, Equal, Or
from kleene.structures.canonical import canonical_abstraction
from kleene.transformers.action import Action, Update
from kleene.transformers.coerce import Coercer
from kleene.transformers.focus import InfiniteFocus
from kleene.transformers.rules import all_rules
from kleene.transformers.transformer import Transformer

from .actions import actions
from .concrete import is_valid, step
from .generate import GRAPH, LIST, SETTINGS, TERNARY, Setting, abstractions, all_concrete, concrete, gamma
from .naive import NaiveStructure, blur, embeds, from_structure, to_structure

DATA = st.data()


@cache
def coercer(setting: Setting) -> Coercer:
    return Coercer(setting.vocabulary, all_rules(setting.vocabulary, setting.rules))


def assert_sound(setting: Setting, s: NaiveStructure, action: Action, most: int = 25) -> None:
    """Compare the abstract step with concrete steps of (at most `most`) concretisations of s."""
    structure = to_structure(s)
    try:
        outcome = Transformer(action, coercer(setting)).post(structure)
    except InfiniteFocus:
        return
    results = [from_structure(r) for r in outcome.structures]
    for r in outcome.structures:
        assert coercer(setting).coerce(r) == r, f"{r} is not sharpened to the end; {s}; {action!r}"
    blurred = [from_structure(canonical_abstraction(r)) for r in outcome.structures]
    members = gamma(setting, s)
    for c in members[:: max(1, len(members) // most)]:
        for concrete_step in step(c, action):
            missing = concrete_step.messages - set(outcome.messages)
            assert not missing, f"{missing} on {c} in {s}: {action!r}"
            after = concrete_step.after
            if not is_valid(after, setting.rules):
                continue
            assert any(embeds(after, r) for r in results), f"{c} steps to {after}; {s}; {action!r}"
            assert any(embeds(after, r) for r in blurred), f"{c} steps to {after}; {s}; {action!r}"
            missing = concrete_step.post_messages - set(outcome.messages)
            assert not missing, f"{missing} after {c} in {s}: {action!r}"


@settings(max_examples=150)
@given(DATA)
def test_sound_for_all_concretisations(data: st.DataObject) -> None:
    setting = data.draw(SETTINGS)
    assert_sound(setting, data.draw(abstractions(setting)), data.draw(actions(setting)))


@settings(max_examples=100)
@given(DATA)
def test_sound_when_nodes_come_and_go(data: st.DataObject) -> None:
    """`%new` with a formula, `%clone` and `%retain` (section 7.5), also on summary nodes."""
    setting = data.draw(SETTINGS)
    action = data.draw(actions(setting, universe=("new of", "clone", "retain")))
    assert_sound(setting, data.draw(abstractions(setting)), action, most=10)


@pytest.mark.parametrize("setting", [LIST, GRAPH, TERNARY], ids=repr)
@pytest.mark.parametrize("clone", [False, True])
def test_instance_is_not_certain_on_summary_nodes(setting: Setting, clone: bool) -> None:
    """A copy of one of several nodes is an instance of only one of them (TVLA 3 says 1, which is unsound)."""
    (edge,) = (p.name for p in setting.vocabulary.declared if p.has("function") or p.has("invfunction"))
    args = ("v1", "v2")
    updates = [Update(edge, args, Or(Atom(edge, args), Atom("instance", args)))]
    updates += [Update(p.name, p.args, UNKNOWN) for p in setting.vocabulary if p.definition is not None]
    everything = Equal("v", "v")
    action = Action(
        "copy",
        creates=not clone,
        new_formula=None if clone else everything,
        clone=everything if clone else None,
        updates=tuple(updates),
    )
    for c in all_concrete(setting)[::9]:
        assert_sound(setting, blur(c), action, most=4)


@settings(max_examples=100)
@given(DATA)
def test_exact_on_concrete_structures(data: st.DataObject) -> None:
    """From a concrete structure every core value is definite, so a result has definite ones."""
    setting = data.draw(SETTINGS)
    c = data.draw(concrete(setting))
    action = data.draw(actions(setting))
    assert_sound(setting, c, action)
    outcome = Transformer(action, coercer(setting)).post(to_structure(c))
    steps = list(step(c, action))
    assert len(outcome.structures) <= len(steps)
    core = [p.name for p in setting.vocabulary if p.definition is None]
    for r in outcome.structures:
        naive = from_structure(r)
        assert all(value == 1 for name in core for value in naive.values[name].values()), f"{naive}"
    before = {text for s in steps for text in s.messages}
    assert before <= set(outcome.messages)
    assert all(text in before or text.startswith("post") for text in outcome.messages)


@settings(max_examples=120)
@given(DATA)
def test_incremental_coerce_changes_nothing(data: st.DataObject) -> None:
    """On stored (coerced, blurred) structures, checking only the rules that may be breached is enough."""
    setting = data.draw(SETTINGS)
    legal = coercer(setting).coerce(to_structure(data.draw(abstractions(setting))))
    if legal is None:
        return
    action = data.draw(actions(setting))
    for s in (legal, canonical_abstraction(legal)):
        try:
            full = Transformer(action, coercer(setting)).post(s)
        except InfiniteFocus:
            continue
        incremental = Transformer(action, coercer(setting), closed_input=True).post(s)
        assert incremental.structures == full.structures, f"{s}: {action!r}"
        assert set(incremental.messages) == set(full.messages)
