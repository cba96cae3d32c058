"""The constraint store against enumeration."""

from __future__ import annotations

import itertools
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from kleene.domains.explicit.constraints import EMPTY, Store
from kleene.domains.explicit.values import Constraint

SYMBOLS = (1, 2, 3)
LOW, HIGH = -2, 3
constraints = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(-4, 4)), max_size=7)


def solutions(given_: list[Constraint]) -> set[tuple[int, ...]]:
    found = set()
    for values in itertools.product(range(LOW, HIGH + 1), repeat=len(SYMBOLS)):
        known = (0, *values)
        if all(known[a] - known[b] <= c for a, b, c in given_):
            found.add(values)
    return found


def store_of(given_: list[Constraint]) -> Store | None:
    store = EMPTY
    for symbol in SYMBOLS:
        store = store.with_symbol(symbol, LOW, HIGH)
    return store.restrict([c for c in given_ if c[0] != c[1]])


@given(constraints)
def test_store_is_exact(given_: list[Constraint]) -> None:
    given_ = [c for c in given_ if c[0] != c[1]]
    store, expected = store_of(given_), solutions(given_)
    assert (store is None) == (not expected)
    if store is not None:
        for index, symbol in enumerate(SYMBOLS):
            values = {s[index] for s in expected}
            assert store.intervals[symbol] == (min(values), max(values))
        found = store.solution()
        assert tuple(found[s] for s in SYMBOLS) in expected


@given(constraints, st.sets(st.sampled_from(SYMBOLS)))
def test_forgetting_is_projection(given_: list[Constraint], kept: set[int]) -> None:
    given_ = [c for c in given_ if c[0] != c[1]]
    store = store_of(given_)
    if store is None:
        return
    small = store.keep(kept)
    expected = {tuple(s[i] for i, symbol in enumerate(SYMBOLS) if symbol in kept) for s in solutions(given_)}
    bounds = [small.intervals[s] for s in SYMBOLS if s in kept]
    for values in itertools.product(*(range(low, high + 1) for low, high in bounds)):
        named = dict(zip([s for s in SYMBOLS if s in kept], values, strict=True))
        holds = all(named[a] - named[b] <= c for (a, b), c in small.pairs.items())
        assert holds == (values in expected)


removals = st.lists(st.tuples(st.sampled_from(SYMBOLS), st.integers(LOW - 1, HIGH + 1)), max_size=8)
bounds = st.lists(st.tuples(st.sampled_from(SYMBOLS), st.booleans(), st.integers(-4, 4)), max_size=4)


@given(removals, bounds, st.randoms(use_true_random=False))
def test_holes_are_exact(removed: list[tuple[int, int]], bounded: list[tuple[int, bool, int]], order: Random) -> None:
    """Numbers that an input is not, and bounds, in any order: the numbers left are those inside that are no holes."""
    steps: list[Constraint] = [(s, s, n) for s, n in removed]
    steps += [(s, 0, c) if above else (0, s, c) for s, above, c in bounded]
    order.shuffle(steps)
    limits = [step for step in steps if step[0] != step[1]]
    expected = {
        values for values in solutions(limits) if not any(a == b and values[SYMBOLS.index(a)] == c for a, b, c in steps)
    }
    store: Store | None = EMPTY
    for symbol in SYMBOLS:
        assert store is not None
        store = store.with_symbol(symbol, LOW, HIGH)
    for step in steps:
        store = store.restrict([step]) if store is not None else None
    assert (store is None) == (not expected)
    if store is None:
        return
    for index, symbol in enumerate(SYMBOLS):
        low, high = store.intervals[symbol]
        left = {n for n in range(low, high + 1) if n not in store.holes.get(symbol, ())}
        assert left == {values[index] for values in expected}
        assert (store.hole_of(symbol) is None) == (len(left) == high - low + 1)
    found = store.solution()
    assert tuple(found[s] for s in SYMBOLS) in expected
