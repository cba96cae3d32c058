"""Soundness of one abstract step: concrete steps of all concretisations are represented."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kleene.logic.formula import FALSE, UNKNOWN, And, Atom, Equal, Exists, Not, Or
from kleene.structures.canonical import canonical_abstraction
from kleene.transformers.action import Action, Update
from kleene.transformers.coerce import Coercer
from kleene.transformers.focus import InfiniteFocus
from kleene.transformers.rules import all_rules
from kleene.transformers.transformer import Transformer

from .actions import actions
from .concrete import is_valid, step
from .generate import GRAPH, LIST, SETTINGS, TERNARY, Setting, abstractions, all_concrete, concrete, gamma
from .naive import HALF, NaiveStructure, blur, embeds, empty, from_structure, to_structure

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


X, Y, N = Atom("x", ("v",)), Atom("y", ("v",)), Atom("n", ("v1", "v2"))
NEXT_OF_Y = Exists("w", And(Atom("y", ("w",)), Atom("n", ("w", "v"))))
OTHERS = And(N, Not(Atom("x", ("v1",))))
STATEMENTS: dict[str, dict[str, Any]] = {
    "x = NULL": {"updates": [("x", FALSE)]},
    "x = y": {"updates": [("x", Y)]},
    "x = y->n": {"focus": (NEXT_OF_Y,), "updates": [("x", NEXT_OF_Y)]},
    "x->n = NULL": {"focus": (X,), "updates": [("n", OTHERS)]},
    "x->n = y": {"updates": [("n", Or(OTHERS, And(Atom("x", ("v1",)), Atom("y", ("v2",)))))]},
    "x = malloc()": {"creates": True, "updates": [("x", Atom("isNew", ("v",)))]},
    "free(x)": {"retain": Not(X), "updates": []},
    "x != NULL": {"precondition": Atom("x", ("p1",)), "updates": [("y", Equal("v", "p1"))]},
    "x == NULL": {"precondition": Not(Exists("v", X)), "updates": []},
}


@pytest.mark.parametrize("statement", STATEMENTS)
def test_statements_of_the_thesis(statement: str) -> None:
    """The actions of section 3 on the canonical abstractions of concrete lists."""
    parts = dict(STATEMENTS[statement])
    given_updates = parts.pop("updates")
    updates = [Update(name, LIST.vocabulary[name].args, f) for name, f in given_updates]
    updates += [Update(p.name, p.args, UNKNOWN) for p in LIST.vocabulary if p.definition is not None]
    action = Action(statement, updates=tuple(updates), **parts)
    for c in all_concrete(LIST)[::6]:
        assert_sound(LIST, blur(c), action, most=3)


@pytest.mark.parametrize("name", ["y", "r_x"])
def test_rules_with_inequalities_are_checked_after_a_split(name: str) -> None:
    """Two nodes that focus tells apart are different: now the node that both point to is certainly shared."""
    s = empty(LIST.vocabulary, 2)
    s.set("sm", (0,), HALF)
    s.set("n", (0, 1), 1.0)
    for vague in ("x", "y", "r_x"):
        s.set(vague, (0,), HALF)
    s.set("is", (1,), HALF)
    s.set("r_x", (1,), HALF)
    action = Action("split", focus=(Atom(name, ("v",)),))
    legal = coercer(LIST).coerce(to_structure(s))
    assert legal is not None and from_structure(legal).value("is", (1,)) == HALF
    outcome = Transformer(action, coercer(LIST), closed_input=True).post(legal)
    split = [from_structure(r) for r in outcome.structures if r.size == 3]
    assert split and all(r.value("is", (1,)) == 1 for r in split), f"{outcome.structures}"
    assert_sound(LIST, s, action)


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
