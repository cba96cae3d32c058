"""The stores of every kind of join on small structures: what is covered, kept, merged and propagated."""

from __future__ import annotations

import random
from itertools import combinations, pairwise, permutations

import pytest

from kleene.diagnostics import UsageError
from kleene.domains.shape import stores
from kleene.domains.shape.stores import JOINS, OrderedStructures, Store, in_order, store_factory
from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.structures.canonical import Canonicalizer
from kleene.structures.embedding import embeds, isomorphic
from kleene.structures.structure import Structure, StructureBuilder

T, H, F = Kleene.TRUE, Kleene.UNKNOWN, Kleene.FALSE
VOCABULARY = Vocabulary().extend(
    [
        Predicate("x", 1, abstraction=True),
        Predicate("r", 1, abstraction=True),
        Predicate("m", 1),
        Predicate("n", 2),
        Predicate("full", 0, abstraction=True),
        Predicate("seen", 0),
    ]
)
CANONICALIZER = Canonicalizer(VOCABULARY)


def build(size: int, *facts: tuple[str, tuple[int, ...], Kleene]) -> Structure:
    builder = StructureBuilder(VOCABULARY, size)
    for predicate, nodes, value in facts:
        builder.set(predicate, nodes, value)
    values, new_size, _ = CANONICALIZER.blur(list(builder.values), size)
    assert new_size == size
    return Structure(VOCABULARY, size, tuple(values))


EMPTY = build(0)
FULL = build(0, ("full", (), T))
SEEN = build(0, ("seen", (), T))
ONE = build(1, ("x", (0,), T))
MARKED = build(1, ("x", (0,), T), ("m", (0,), T))
LOOP = build(1, ("x", (0,), T), ("n", (0, 0), T))
MAYBE = build(1, ("x", (0,), T), ("m", (0,), H), ("n", (0, 0), H))
TWO = build(2, ("x", (0,), T), ("r", (1,), T), ("n", (0, 1), T))
MANY = build(2, ("x", (0,), T), ("r", (1,), T), ("n", (0, 1), H), ("n", (1, 1), H), ("sm", (1,), H))
OTHER = build(1, ("r", (0,), T))
ALL = [EMPTY, FULL, SEEN, ONE, MARKED, LOOP, MAYBE, TWO, MANY, OTHER]
EVERY_JOIN = pytest.mark.parametrize("join", JOINS)


def store(join: str, *elements: Structure) -> Store:
    made = store_factory(join, CANONICALIZER)()
    made.add(elements)
    return made


@EVERY_JOIN
def test_an_empty_store(join: str) -> None:
    empty = store(join)
    assert len(empty) == 0
    assert empty.elements() == []
    assert not any(empty.covers(s) for s in ALL)


@EVERY_JOIN
def test_what_was_added_is_covered(join: str) -> None:
    for order in permutations(ALL, 3):
        made = store(join)
        for k, s in enumerate(order, 1):
            made.add([s])
            assert all(made.covers(earlier) for earlier in order[:k])


@EVERY_JOIN
def test_everything_in_the_store_covers_what_was_added(join: str) -> None:
    """Not by the word of the store itself: each structure is embedded in an element."""
    made = store(join, *ALL)
    for s in ALL:
        assert any(embeds(s, element) for element in made.elements())


@EVERY_JOIN
def test_adding_again_changes_nothing(join: str) -> None:
    for pair in combinations(ALL, 2):
        made = store(join, *pair)
        before = made.elements()
        assert made.add(pair) == []
        assert made.elements() == before


@EVERY_JOIN
def test_adding_only_grows_what_is_represented(join: str) -> None:
    for order in permutations(ALL, 3):
        made = store(join)
        for s in order:
            before = made.elements()
            made.add([s])
            assert all(any(embeds(old, new) for new in made.elements()) for old in before)


@EVERY_JOIN
def test_what_is_added_is_reported_for_propagation(join: str) -> None:
    """Every element that is in the store was once reported as new, and is current."""
    made = store(join)
    reported: list[Structure] = []
    for s in ALL:
        reported += made.add([s])
    for element in made.elements():
        assert element in reported
        assert made.current(next(s for s in reversed(reported) if s == element))


@EVERY_JOIN
def test_one_batch_or_many(join: str) -> None:
    one_by_one = store(join)
    for s in ALL:
        one_by_one.add([s])
    assert one_by_one.elements() == store(join, *ALL).elements()


@EVERY_JOIN
def test_elements_are_sorted_and_counted(join: str) -> None:
    for order in (ALL, ALL[::-1]):
        made = store(join, *order)
        elements = made.elements()
        assert len(made) == len(elements)
        assert elements == sorted(elements, key=lambda s: (s.size, s.values))


@EVERY_JOIN
def test_clear_forgets(join: str) -> None:
    made = store(join, *ALL)
    made.clear()
    assert (len(made), made.elements(), made.covers(ONE)) == (0, [], False)
    assert made.add([ONE]) == [ONE]


@EVERY_JOIN
def test_asking_does_not_change_the_store(join: str) -> None:
    made = store(join, ONE, TWO)
    before = made.elements()
    for s in ALL:
        made.covers(s)
        made.current(s)
    assert made.elements() == before
    assert len(made) == len(before)


# What each kind keeps -------------------------------------------------------------------------------------------


def test_relational_keeps_everything() -> None:
    made = store("rel", *ALL)
    assert len(made) == len(ALL)
    assert store("rel", MAYBE).covers(LOOP)
    assert not store("rel", LOOP).covers(MAYBE)
    assert all(made.current(s) for s in ALL)


def test_partial_merges_structures_with_the_same_names() -> None:
    made = store("part")
    assert made.add([MARKED]) == [MARKED]
    (joined,) = made.add([LOOP])
    assert joined == MAYBE
    assert made.elements() == [MAYBE]
    assert not made.current(MARKED)
    assert made.current(joined)
    assert made.add([ONE]) == []
    assert len(store("part", EMPTY, FULL)) == 2
    assert store("part", EMPTY, SEEN).elements() == [build(0, ("seen", (), H))]
    assert len(store("part", ONE, TWO, OTHER)) == 3
    assert store("part", TWO, MANY).elements() == [MANY]


def test_partial_embedding_merges_only_what_is_embedded() -> None:
    made = store("part_embedding", MARKED, LOOP)
    assert len(made) == 2
    assert made.add([MAYBE]) == [MAYBE]
    assert made.elements() == [MAYBE]
    assert not made.current(MARKED)
    assert not made.current(LOOP)
    assert made.add([ONE]) == []
    assert len(store("part_embedding", EMPTY, FULL, ONE, TWO)) == 4


def test_independent_keeps_one_structure_for_each_nullary_vector() -> None:
    made = store("ind", ONE, TWO, OTHER, EMPTY)
    (single,) = made.elements()
    assert single.size == 2
    assert all(single.is_maybe_active(u) for u in single.nodes)
    for s in (ONE, TWO, OTHER, EMPTY):
        assert embeds(s, single)
    assert len(store("ind", EMPTY, FULL, ONE)) == 2
    assert made.add([TWO, ONE]) == []


def test_independent_keeps_common_nodes_active() -> None:
    (single,) = store("ind", ONE, TWO).elements()
    x = next(u for u in single.nodes if single.value("x", u) is T)
    assert not single.is_maybe_active(x)
    assert single.is_maybe_active(1 - x)
    assert single.value("n", x, 1 - x) is T


def test_concrete_keeps_isomorphic_structures_once() -> None:
    def chain(*order: int) -> Structure:
        builder = StructureBuilder(VOCABULARY, len(order))
        builder.set("x", (order[0],), T)
        for a, b in pairwise(order):
            builder.set("n", (a, b), T)
        return builder.build()

    made = store("conc")
    assert made.add([chain(0, 1, 2)]) == [chain(0, 1, 2)]
    for order in permutations(range(3)):
        assert isomorphic(chain(0, 1, 2), chain(*order))
        assert made.add([chain(*order)]) == []
        assert made.covers(chain(*order))
    assert made.add([chain(0, 1, 2, 3)]) == [chain(0, 1, 2, 3)]
    assert len(made) == 2


def test_unknown_kinds() -> None:
    with pytest.raises(UsageError, match="the nearest is 'part_embedding'"):
        store_factory("j3", CANONICALIZER)
    with pytest.raises(UsageError, match="unknown join 'best'"):
        store_factory("best", CANONICALIZER)


@EVERY_JOIN
def test_what_embeds_in_a_structure_with_other_names_is_covered(join):
    """A name that is not definite gave the structure another key, and what it stands for was not found covered."""
    vague = build(1, ("x", (0,), T), ("r", (0,), H), ("m", (0,), H), ("n", (0, 0), H))
    assert store(join, vague).covers(ONE) == (join != "conc")
    assert not store(join, ONE).covers(vague)


@pytest.mark.parametrize("seed", range(20))
def test_structures_stay_in_order_while_some_are_replaced(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them were sorted again whenever somebody looked after a change."""
    chance = random.Random(seed)
    sorted_lists = 0

    def sorting(structures: list[Structure]) -> list[Structure]:
        nonlocal sorted_lists
        sorted_lists += 1
        return in_order(structures)

    monkeypatch.setattr(stores, "in_order", sorting)
    kept, there = OrderedStructures(), list[Structure]()
    numbers = list(range(1, 200))
    chance.shuffle(numbers)
    for number in numbers:
        new = Structure(VOCABULARY, number % 3 + 1, (0,) * number + (1,) + (0,) * (220 - number))
        old = there.pop(chance.randrange(len(there))) if there and chance.random() < 0.3 else None
        there.append(new)
        kept.replace(old, new)
        if chance.random() < 0.5:
            assert kept.in_order() == in_order(there)
    assert kept.in_order() == in_order(there)
    assert sorted_lists < 40
    kept.clear()
    assert kept.in_order() == []
