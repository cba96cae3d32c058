"""Embedding and isomorphism against all functions (Def. 7.1)."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kleene.structures.embedding import embeds, isomorphic

from .generate import SETTINGS, Setting, abstractions, concrete, shuffles, structures
from .naive import HALF, NaiveStructure, blur, embeds_by_enumeration, to_structure
from .naive import isomorphic as naive_isomorphic

DATA = st.data()


def _nearby(setting: Setting, s: NaiveStructure) -> st.SearchStrategy[NaiveStructure]:
    """Structures that s may well be embedded in: its abstractions, and those with one value changed."""

    @st.composite
    def changed(draw: st.DrawFn) -> NaiveStructure:
        base = draw(st.sampled_from([s, blur(s), blur(s, definite_names=True)])).copy()
        names = [p.name for p in s.vocabulary if p.name not in ("isNew", "instance")]
        tuples = [(name, nodes) for name in names for nodes in base.tuples(name)]
        if not tuples:
            return base
        name, nodes = draw(st.sampled_from(tuples))
        low = 0.0 if name != "ac" else 1.0
        base.set(name, nodes, draw(st.sampled_from([low, HALF] if name in ("sm", "ac") else [0.0, HALF, 1.0])))
        return base

    return changed() | st.just(blur(s)) | abstractions(setting)


@settings(max_examples=400)
@given(DATA)
def test_embeds_is_definition_7_1(data: st.DataObject) -> None:
    setting = data.draw(SETTINGS)
    a = data.draw(concrete(setting) | abstractions(setting) | structures(setting.vocabulary, most=3))
    b = data.draw(_nearby(setting, a))
    b = data.draw(shuffles(b))
    assert embeds(to_structure(a), to_structure(b)) == embeds_by_enumeration(a, b)


@settings(max_examples=150)
@given(DATA)
def test_isomorphic_is_a_bijection_that_keeps_all_values(data: st.DataObject) -> None:
    setting = data.draw(SETTINGS)
    a = data.draw(concrete(setting) | structures(setting.vocabulary))
    b = data.draw(st.just(a) | _nearby(setting, a))
    b = data.draw(shuffles(b))
    assert isomorphic(to_structure(a), to_structure(b)) == naive_isomorphic(a, b)


@given(DATA)
def test_isomorphic_structures_embed_in_each_other(data: st.DataObject) -> None:
    s = data.draw(structures(data.draw(SETTINGS).vocabulary))
    a, b = to_structure(s), to_structure(data.draw(shuffles(s)))
    assert isomorphic(a, b)
    assert embeds(a, b) and embeds(b, a)


@settings(max_examples=60)
@given(DATA)
def test_embedding_is_transitive(data: st.DataObject) -> None:
    """A chain made by blurring twice: first by three-valued names, then by definite ones."""
    setting = data.draw(SETTINGS)
    first = data.draw(concrete(setting) | abstractions(setting))
    second = blur(first)
    third = blur(second, definite_names=True)
    a, b, c = (to_structure(s) for s in (first, second, third))
    assert embeds(a, b) and embeds(b, c) and embeds(a, c)
