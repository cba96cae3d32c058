"""Kleene's truth values (Table 1, Def. 2.1) against Python's own logic."""

from __future__ import annotations

from itertools import product

import pytest

from kleene.logic.kleene import Kleene

ALL = tuple(Kleene)


def completions(value: Kleene) -> set[bool]:
    """The Booleans that a value may stand for."""
    return {Kleene.FALSE: {False}, Kleene.TRUE: {True}, Kleene.UNKNOWN: {False, True}}[value]


def of(values: set[bool]) -> Kleene:
    return Kleene.of(values == {True}, True in values)


@pytest.mark.parametrize(("a", "b"), list(product(ALL, repeat=2)))
def test_connectives_are_the_best_answers_for_all_completions(a: Kleene, b: Kleene) -> None:
    assert (a & b) is of({x and y for x in completions(a) for y in completions(b)})
    assert (a | b) is of({x or y for x in completions(a) for y in completions(b)})


@pytest.mark.parametrize("a", ALL)
def test_negation(a: Kleene) -> None:
    assert ~a is of({not x for x in completions(a)})
    assert ~~a is a


@pytest.mark.parametrize(("a", "b"), list(product(ALL, repeat=2)))
def test_information_order(a: Kleene, b: Kleene) -> None:
    """Def. 2.1: below means 'fewer completions'; join is the least upper bound."""
    assert a.leq(b) == (completions(a) <= completions(b))
    assert a.join(b) is of(completions(a) | completions(b))
    assert a.leq(a.join(b)) and b.leq(a.join(b))


def test_monotone_in_the_information_order() -> None:
    for a, b, c in product(ALL, repeat=3):
        if a.leq(b):
            assert (a & c).leq(b & c) and (a | c).leq(b | c) and (~a).leq(~b)


def test_no_truth_value_in_python() -> None:
    for value in ALL:
        with pytest.raises(TypeError):
            bool(value)


def test_text_round_trip() -> None:
    assert [str(v) for v in (Kleene.FALSE, Kleene.UNKNOWN, Kleene.TRUE)] == ["0", "1/2", "1"]
    assert all(Kleene.parse(str(v)) is v for v in ALL)
    assert Kleene.parse("1 / 2") is Kleene.UNKNOWN
    with pytest.raises(KeyError):
        Kleene.parse("2")


def test_rails_and_definiteness() -> None:
    assert [Kleene.of(m, n) for m, n in ((False, False), (False, True), (True, True))] == list(ALL)
    assert [v.definite for v in ALL] == [True, False, True]
