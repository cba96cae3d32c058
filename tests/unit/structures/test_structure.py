"""Structures and their builder: values, entries, equality, text."""

from __future__ import annotations

import pickle
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.structures.structure import Structure, StructureBuilder

VOCABULARY = Vocabulary().extend(
    [
        Predicate("b", 0, abstraction=True),
        Predicate("x", 1, ("v",), abstraction=True),
        Predicate("n", 2, ("v", "w")),
        Predicate("h", 3, ("a", "b", "c")),
    ]
)
VALUES = st.sampled_from(list(Kleene))


def list_structure() -> Structure:
    """x -> u0 -> summary u1."""
    builder = StructureBuilder(VOCABULARY, 2, ("head", "tail"))
    builder.set("x", (0,), Kleene.TRUE)
    builder.set("n", (0, 1), Kleene.UNKNOWN)
    builder.set("n", (1, 1), Kleene.UNKNOWN)
    builder.set("sm", (1,), Kleene.UNKNOWN)
    return builder.build()


@settings(max_examples=50)
@given(st.data(), st.sampled_from([0, 1, 3, 14, 15, 17, 30, 31]))
def test_what_is_set_is_read(data: st.DataObject, size: int) -> None:
    """Any sequence of settings, on both sides of the steps between widths."""
    builder = StructureBuilder(VOCABULARY, size)
    expected: dict[tuple[str, tuple[int, ...]], Kleene] = {}
    for p in VOCABULARY:
        if size or p.arity == 0:
            nodes = st.tuples(*[st.integers(0, size - 1)] * p.arity)
            for t, value in data.draw(st.lists(st.tuples(nodes, VALUES), max_size=12)):
                builder.set(p.name, t, value)
                expected[p.name, t] = value
    s = builder.build()
    for (name, t), value in expected.items():
        assert s.value(name, *t) is value
    for p in VOCABULARY:
        default = Kleene.TRUE if p.name == "ac" else Kleene.FALSE
        entries = dict(s.entries(p.name))
        assert list(entries) == sorted(entries)
        if p.arity < 3:
            for t in product(range(size), repeat=p.arity):
                value = expected.get((p.name, t), default)
                assert s.value(p.name, *t) is value
                assert entries.get(t, Kleene.FALSE) is value


def test_fill() -> None:
    builder = StructureBuilder(VOCABULARY, 3)
    for name in ("b", "x", "n", "h"):
        builder.fill(name, Kleene.UNKNOWN)
    s = builder.build()
    assert all(len(list(s.entries(name))) == 3**k for k, name in enumerate(("b", "x", "n", "h")))


def test_nodes_are_active_until_said_otherwise() -> None:
    builder = StructureBuilder(VOCABULARY, 2)
    assert not builder.build().is_maybe_active(1)
    builder.set("ac", (1,), Kleene.UNKNOWN)
    s = builder.build()
    assert s.is_maybe_active(1) and not s.is_maybe_active(0)


def test_summary_and_concrete() -> None:
    s = list_structure()
    assert s.is_summary(1) and not s.is_summary(0) and not s.is_concrete
    builder = StructureBuilder(VOCABULARY, 2)
    builder.set("n", (0, 1), Kleene.TRUE)
    assert builder.build().is_concrete
    builder.set("ac", (0,), Kleene.UNKNOWN)
    assert not builder.build().is_concrete
    assert StructureBuilder(VOCABULARY, 0).build().is_concrete


def test_equality_is_by_value_and_ignores_names() -> None:
    a = list_structure()
    b = Structure(a.vocabulary, a.size, a.values, None)
    assert a == b and hash(a) == hash(b) and len({a, b}) == 1
    assert a.name(0) == "head" and b.name(0) == "u0"
    builder = StructureBuilder(VOCABULARY, 2)
    assert builder.build() != a
    assert StructureBuilder(VOCABULARY, 1).build() != StructureBuilder(VOCABULARY, 2).build()
    assert a != "head"


def test_other_vocabularies_are_not_equal() -> None:
    other = Vocabulary().extend([Predicate("c", 0), *VOCABULARY.declared[1:]])
    a, b = StructureBuilder(VOCABULARY, 1).build(), StructureBuilder(other, 1).build()
    assert a != b


def test_the_builder_can_go_on_after_building() -> None:
    builder = StructureBuilder(VOCABULARY, 1)
    before = builder.build()
    builder.set("x", (0,), Kleene.TRUE)
    assert before.value("x", 0) is Kleene.FALSE and builder.build().value("x", 0) is Kleene.TRUE


def test_text() -> None:
    assert repr(list_structure()) == "Structure(2 nodes; sm=(1):1/2; x=(0); n=(0,1):1/2 (1,1):1/2)"
    assert repr(StructureBuilder(VOCABULARY, 0).build()) == "Structure(0 nodes; )"


def test_unknown_predicate() -> None:
    with pytest.raises(KeyError):
        list_structure().value("y", 0)


def test_pickling() -> None:
    s = list_structure()
    again = pickle.loads(pickle.dumps(s))
    assert again == s and again.names == s.names and hash(again) == hash(s)
