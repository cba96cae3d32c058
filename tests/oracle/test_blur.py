"""Canonical abstraction (Def. 2.4, section 3.2.5) against grouping by name."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.structures.canonical import Canonicalizer, canonical_abstraction
from kleene.structures.tvs_reader import parse_tvs

from .generate import ALL, SETTINGS, Setting, abstractions, concrete, shuffles, structures
from .naive import (
    NaiveStructure,
    blur,
    blur_function,
    definitely_differ,
    embeds,
    from_structure,
    is_embedding,
    isomorphic,
    node_name,
    to_structure,
)

DATA = st.data()
NAMING = st.booleans()


def _any_structure(setting: Setting) -> st.SearchStrategy[NaiveStructure]:
    return structures(setting.vocabulary, most=6) | abstractions(setting) | concrete(setting)


@settings(max_examples=250)
@given(DATA, NAMING)
def test_equals_grouping_by_name(data: st.DataObject, definite: bool) -> None:
    s = data.draw(_any_structure(data.draw(SETTINGS)))
    result = from_structure(canonical_abstraction(to_structure(s), definite_names=definite))
    expected = blur(s, definite_names=definite)
    assert isomorphic(result, expected), f"{result} instead of {expected}"


@given(DATA, NAMING)
def test_idempotent(data: st.DataObject, definite: bool) -> None:
    s = data.draw(_any_structure(data.draw(SETTINGS)))
    once = canonical_abstraction(to_structure(s), definite_names=definite)
    assert canonical_abstraction(once, definite_names=definite) == once


@given(DATA, NAMING)
def test_the_structure_is_embedded_in_its_abstraction(data: st.DataObject, definite: bool) -> None:
    """Blur only grows the set of concretisations."""
    setting = data.draw(SETTINGS)
    s = data.draw(abstractions(setting) | structures(setting.vocabulary))
    assert embeds(s, from_structure(canonical_abstraction(to_structure(s), definite_names=definite)))


@given(DATA, NAMING)
def test_isomorphic_structures_have_equal_abstractions(data: st.DataObject, definite: bool) -> None:
    """Equality of canonical structures is isomorphism: node numbers leave no trace."""
    s = data.draw(_any_structure(data.draw(SETTINGS)))
    shuffled = data.draw(shuffles(s))
    first = canonical_abstraction(to_structure(s), definite_names=definite)
    second = canonical_abstraction(to_structure(shuffled), definite_names=definite)
    assert first == second and hash(first) == hash(second)


@given(DATA, NAMING)
def test_different_abstractions_are_not_equal(data: st.DataObject, definite: bool) -> None:
    """Canonical structures are equal only if they are isomorphic."""
    setting = data.draw(SETTINGS)
    a, b = data.draw(_any_structure(setting)), data.draw(_any_structure(setting))
    first = canonical_abstraction(to_structure(a), definite_names=definite)
    second = canonical_abstraction(to_structure(b), definite_names=definite)
    same = isomorphic(blur(a, definite_names=definite), blur(b, definite_names=definite))
    assert (first == second) == same


@given(DATA, NAMING)
def test_bounded(data: st.DataObject, definite: bool) -> None:
    """No two nodes of an abstraction have the same name; with definite names, each pair differs definitely."""
    s = data.draw(_any_structure(data.draw(SETTINGS)))
    result = from_structure(canonical_abstraction(to_structure(s), definite_names=definite))
    names = [node_name(result, u) for u in result.universe]
    assert len(set(names)) == len(names)
    assert not definite or all(definitely_differ(a, b) for a, b in combinations(names, 2))


def test_tvla_takes_one_half_for_zero() -> None:
    """``tvla.blur.threeWay = false``: 1/2 is merged with 0, not with 1; the thesis's rule merges all three."""
    vocabulary = Vocabulary((Predicate("p", 1, ("v",), abstraction=True),))
    s = parse_tvs("%n = {a, b, c} %p = { p = {a, b:1/2} }", vocabulary).structures[0].structure
    sizes = [
        Canonicalizer(vocabulary, definite_names=definite, half_is_zero=zero).blur(list(s.values), s.size)[1]
        for definite, zero in ((False, False), (True, False), (True, True))
    ]
    assert sizes == [3, 1, 2]


@settings(max_examples=25)
@given(DATA, NAMING)
def test_many_nodes_shrink_across_the_width_tiers(data: st.DataObject, definite: bool) -> None:
    """13 to 20 nodes, so that the result often has another bit layout than the input."""
    setting = data.draw(st.sampled_from(ALL))
    s = data.draw(structures(setting.vocabulary, least=13, most=20))
    result = from_structure(canonical_abstraction(to_structure(s), definite_names=definite))
    expected = blur(s, definite_names=definite)
    assert is_embedding(s, expected, blur_function(s, definite_names=definite))
    assert isomorphic(result, expected)
