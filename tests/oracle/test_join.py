"""Joins of canonical structures: both arguments are embedded in the result (section 7.6, Fig. 41)."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kleene.structures.canonical import canonical_abstraction
from kleene.structures.join import join_independent, join_partial
from kleene.structures.structure import Structure

from .generate import SETTINGS, Setting, abstractions, concrete, structures
from .naive import (
    HALF,
    NaiveStructure,
    embeds,
    from_structure,
    isomorphic,
    join_fig_41,
    join_same_names,
    node_name,
    to_structure,
)

DATA = st.data()


def _canonical(setting: Setting) -> st.SearchStrategy[Structure]:
    source = concrete(setting) | abstractions(setting) | structures(setting.vocabulary)
    return source.map(to_structure).map(canonical_abstraction)


def _nullary(s: NaiveStructure) -> list[float]:
    return [s.value(p.name) for p in s.vocabulary.nullary_abstraction]


@st.composite
def same_key(draw: st.DrawFn, setting: Setting) -> tuple[Structure, Structure]:
    """Two canonical structures with the same node names: the second differs elsewhere."""
    first = draw(_canonical(setting))
    second = from_structure(first)
    fixed = {p.name for p in (*setting.vocabulary.unary_abstraction, *setting.vocabulary.nullary_abstraction)}
    for p in setting.vocabulary.declared:
        if p.name not in fixed:
            for nodes in second.tuples(p.name):
                second.set(p.name, nodes, draw(st.sampled_from([0.0, HALF, 1.0])))
    for u in second.universe:
        second.set("sm", (u,), draw(st.sampled_from([0.0, HALF])))
        second.set("ac", (u,), draw(st.sampled_from([HALF, 1.0])))
    return first, canonical_abstraction(to_structure(second))


@settings(max_examples=150)
@given(DATA)
def test_partial_join_joins_every_value(data: st.DataObject) -> None:
    first, second = data.draw(same_key(data.draw(SETTINGS)))
    a, b = from_structure(first), from_structure(second)
    joined = join_partial(first, second)
    result = from_structure(joined)
    assert isomorphic(result, join_same_names(a, b))
    assert embeds(a, result) and embeds(b, result)
    assert canonical_abstraction(joined) == joined
    assert join_partial(second, first) == joined
    assert join_partial(first, first) == first


@settings(max_examples=200)
@given(DATA)
def test_independent_join_is_figure_41(data: st.DataObject) -> None:
    setting = data.draw(SETTINGS)
    first, second = data.draw(_canonical(setting)), data.draw(_canonical(setting))
    a, b = from_structure(first), from_structure(second)
    assume(_nullary(a) == _nullary(b))
    joined = join_independent(first, second)
    result, expected = from_structure(joined), join_fig_41(a, b)
    assert embeds(a, result) and embeds(b, result)
    assert canonical_abstraction(joined) == joined
    assert join_independent(second, first) == joined
    assert join_independent(first, first) == first
    known = [{node_name(s, u) for u in s.universe} for s in (a, b)]
    partner = {node_name(result, u): u for u in result.universe}
    assert len(partner) == len(expected.universe) == len(known[0] | known[1])
    for p in setting.vocabulary:
        for nodes in expected.tuples(p.name):
            names = [node_name(expected, u) for u in nodes]
            if any(all(n in side for n in names) for side in known):  # Fig. 41 leaves the others open
                value = result.value(p.name, tuple(partner[n] for n in names))
                assert value == expected.value(p.name, nodes), f"{p.name}{names}: {result}, not {expected}"
