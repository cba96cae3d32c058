"""The oracle against itself: the parts that are written twice must agree, and the thesis' examples."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kleene.logic.formula import Atom, Exists
from kleene.structures.structure import Structure

from .concrete import concretisations, holds, is_valid
from .generate import ALL, LIST, SETTINGS, abstractions, all_concrete, concrete, formulas, gamma, structures
from .naive import (
    HALF,
    NaiveStructure,
    assignments,
    blur,
    blur_function,
    embeds,
    embeds_by_enumeration,
    empty,
    evaluate,
    from_structure,
    is_embedding,
    isomorphic,
    to_structure,
)

DATA = st.data()


def list_of_two_or_more() -> NaiveStructure:
    """S4 of Fig. 4: lists of two or more elements pointed to by x (over the LIST vocabulary)."""
    s = empty(LIST.vocabulary, 2)
    s.set("x", (0,), 1.0)
    s.set("n", (0, 1), HALF)
    s.set("n", (1, 1), HALF)
    s.set("sm", (1,), HALF)
    for node in s.universe:
        s.set("r_x", (node,), 1.0)
    return s


def test_figure_4_represents_exactly_the_longer_lists() -> None:
    """Example 2.5: every concretisation of S4 is an unshared list from x of at least two."""
    found = gamma(LIST, list_of_two_or_more())
    assert sorted(len(c.universe) for c in found) == [2, 3]
    for c in found:
        assert len(c.values["n"]) == len(c.universe) - 1


@given(DATA)
def test_conversion_is_lossless(data: st.DataObject) -> None:
    s = data.draw(structures(data.draw(SETTINGS).vocabulary))
    built = to_structure(s)
    assert isinstance(built, Structure)
    assert from_structure(built) == s
    for p in s.vocabulary:
        for nodes in s.tuples(p.name):
            assert {"0": 0.0, "1/2": HALF, "1": 1.0}[str(built.value(p.name, *nodes))] == s.value(p.name, nodes)


@given(DATA)
def test_two_valued_and_three_valued_evaluation_agree_on_concrete_structures(data: st.DataObject) -> None:
    """Def. 7.3 is ordinary logic where nothing is unknown."""
    setting = data.draw(SETTINGS)
    c = data.draw(concrete(setting))
    f = data.draw(formulas(setting.vocabulary, unknown=False))
    for z in assignments(c, f.free):
        assert evaluate(c, f, z) == float(holds(c, f, z))


@given(DATA)
def test_pruned_embedding_is_embedding_by_enumeration(data: st.DataObject) -> None:
    setting = data.draw(SETTINGS)
    a = data.draw(concrete(setting) | abstractions(setting))
    b = data.draw(st.just(blur(a)) | abstractions(setting) | structures(setting.vocabulary, most=3))
    assert embeds(a, b) == embeds_by_enumeration(a, b)


@given(DATA)
def test_blur_is_an_embedding_and_idempotent(data: st.DataObject) -> None:
    s = data.draw(structures(data.draw(SETTINGS).vocabulary))
    for definite in (False, True):
        blurred = blur(s, definite_names=definite)
        assert is_embedding(s, blurred, blur_function(s, definite_names=definite))
        assert isomorphic(blur(blurred, definite_names=definite), blurred)


@settings(max_examples=40)
@given(DATA)
def test_both_ways_to_concretise_agree(data: st.DataObject) -> None:
    """Filtering all concrete structures by embedding, and filling in the 1/2 values, give the same set."""
    setting = data.draw(st.sampled_from([s for s in ALL if s.thinning == 1]))
    s = data.draw(abstractions(setting))
    direct = list(concretisations(s, 2, setting.rules, limit=1 << 12))
    filtered = [c for c in gamma(setting, s) if len(c.universe) <= 2]
    assert all(any(isomorphic(c, d) for d in filtered) for c in direct)
    assert all(any(isomorphic(c, d) for d in direct) for c in filtered)


def test_enumerated_structures_are_valid_and_distinct() -> None:
    for setting in ALL:
        found = all_concrete(setting)
        assert len(found[0].universe) == 0 and len(found) > 50
        assert all(is_valid(c, setting.rules) for c in found[:100])
        assert not any(isomorphic(a, b) for i, a in enumerate(found[:40]) for b in found[:i])


def test_maybe_active_witness_is_only_possible() -> None:
    """Def. 7.3: a witness on a maybe-active node makes an existential 1/2, on an active node 1."""
    s = empty(LIST.vocabulary, 1)
    s.set("x", (0,), 1.0)
    some_x = Exists("v", Atom("x", ("v",)))
    assert evaluate(s, some_x, {}) == 1
    s.set("ac", (0,), HALF)
    assert evaluate(s, some_x, {}) == HALF
