"""The numeric domain in both representations against plain sets of tuples, up to twelve dimensions."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kleene.domains.fesa.functions import Diagrams, Space, Tables
from kleene.domains.fesa.vectors import Vectors

SPACES = [Diagrams, Tables]
NAMES = "abcdefghijkl"
Plain = frozenset[tuple[int, ...]]


def made(space: Space, names: str, vectors: Plain) -> Vectors:
    function = space.false
    for vector in vectors:
        cube = space.true
        for name, value in zip(names, vector, strict=True):
            cube = cube & (space.var(name) if value else ~space.var(name))
        function = function | cube
    return Vectors(space, frozenset(names), function)


@st.composite
def plain(draw: st.DrawFn, size: int) -> Plain:
    return frozenset(draw(st.lists(st.tuples(*[st.integers(0, 1)] * size), max_size=12)))


@pytest.mark.parametrize("make", SPACES)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_fold_and_expand_are_definition_1(make: type[Space], data: st.DataObject) -> None:
    pairs, rest = data.draw(st.integers(1, 4)), data.draw(st.integers(0, 4))
    size = 2 * pairs + rest
    names, kept, gone = NAMES[:size], NAMES[:pairs], NAMES[pairs : 2 * pairs]
    given_ = data.draw(plain(size))
    space = make()
    folded = made(space, names, given_).fold(kept, gone)
    wanted = {v[:pairs] + v[2 * pairs :] for v in given_} | {v[pairs:] for v in given_}
    assert folded.projection(names[:pairs] + names[2 * pairs :]) == wanted
    small = data.draw(plain(pairs + rest))
    expanded = made(space, names[:pairs] + names[2 * pairs :], small).expand(kept, gone)
    both = {a[:pairs] + b for a in small for b in small if a[pairs:] == b[pairs:]}
    assert expanded.projection(names) == both


@pytest.mark.parametrize("make", SPACES)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_fold_and_expand_are_a_galois_connection(make: type[Space], data: st.DataObject) -> None:
    pairs, rest = data.draw(st.integers(1, 4)), data.draw(st.integers(0, 4))
    names = NAMES[: 2 * pairs + rest]
    kept, gone = names[:pairs], names[pairs : 2 * pairs]
    space = make()
    large = made(space, names, data.draw(plain(2 * pairs + rest)))
    small = made(space, kept + names[2 * pairs :], data.draw(plain(pairs + rest)))
    assert (large.fold(kept, gone) <= small) == (large <= small.expand(kept, gone))
    assert large <= large.fold(kept, gone).expand(kept, gone)


@pytest.mark.parametrize("make", SPACES)
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_dimensions_and_lattice(make: type[Space], data: st.DataObject) -> None:
    size = data.draw(st.integers(2, 6))
    names, space = NAMES[:size], make()
    a, b = data.draw(plain(size)), data.draw(plain(size))
    first, second = made(space, names, a), made(space, names, b)
    assert first.join(second).projection(names) == a | b
    assert first.meet(second).projection(names) == a & b
    assert (first <= second) == (a <= b)
    assert first.is_empty() == (not a)
    assert first.drop(names[0]).projection(names[1:]) == {v[1:] for v in a}
    assert first.add("z").projection([*names, "z"]) == {(*v, x) for v in a for x in (0, 1)}
    assert first.swap(names[:1], names[1:2]).projection(names) == {(v[1], v[0], *v[2:]) for v in a}
    assert first.restrict(space.var(names[1])).projection(names) == {v for v in a if v[1]}
    shifted = first.set({names[0]: first.flag(names[1]), "z": ~first.flag(names[0])})
    assert shifted.projection([*names, "z"]) == {(v[1], *v[1:], 1 - v[0]) for v in a}


def test_missing_dimensions_are_zero() -> None:
    for space in (Diagrams(), Tables()):
        one, two = made(space, "a", frozenset({(1,)})), made(space, "b", frozenset({(1,)}))
        assert one.join(two).projection("ab") == {(1, 0), (0, 1)}
        assert one.meet(two).is_empty()
        assert not one <= two
        assert one.join(two).drop("b").prune().dims == {"a"}


def test_the_paper_s_three_element_list() -> None:
    """Fig. 6: the summary of the first two nodes keeps that what points to C is not what x points to."""
    for space in (Diagrams(), Tables()):
        names = ("xA", "xB", "AC", "BC", "oA", "iA", "oB", "iB")
        state = made(space, names, frozenset({(1, 0, 0, 1, 1, 0, 0, 1)}))
        folded = state.fold(("xA", "AC", "oA", "iA"), ("xB", "BC", "oB", "iB"))
        assert folded.projection(("xA", "AC")) == {(1, 0), (0, 1)}


def test_both_representations_agree_on_random_formulas() -> None:
    for choice in product((0, 1, 2), repeat=4):
        results = []
        for space in (Diagrams(), Tables()):
            f = space.true
            for k, kind in enumerate(choice):
                a, b = space.var(NAMES[k]), space.var(NAMES[k + 1])
                f = (f & (a | b), f ^ (a & ~b), f | ~a)[kind]
            results.append(Vectors(space, frozenset(NAMES[:5]), f).projection(NAMES[:5]))
        assert results[0] == results[1]
