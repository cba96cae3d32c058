"""Every Layout operation against loops over single bits, for the widths 16 and 32 up to their capacity."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kleene.diagnostics import LimitReached
from kleene.structures.layout import TIERS, Layout, layout_for, layout_of_width

WIDTHS = (16, 32)
DATA = st.data()
WIDTH = st.sampled_from(WIDTHS)
Tuples = set[tuple[int, ...]]


def pack(layout: Layout, tuples: Tuples) -> int:
    """The tensor of a set of tuples, by the definition in the module's docstring."""
    w, result = layout.width, 0
    for t in tuples:
        position = 0
        for node in t:
            position = position * w + node
        result |= 1 << position
    return result


@st.composite
def relations(draw: st.DrawFn, layout: Layout, arity: int, size: int | None = None) -> Tuples:
    """A set of tuples over the first `size` nodes: sparse, dense or full, the last node included."""
    size = layout.capacity if size is None else size
    if size == 0:
        return set() if arity else draw(st.sampled_from([set(), {()}]))
    node = st.integers(0, size - 1) | st.sampled_from([0, size - 1])
    chosen = set(draw(st.lists(st.tuples(*[node] * arity), max_size=40)))
    if arity <= 2 and draw(st.integers(0, 3)) == 0:
        return set(product(range(size), repeat=arity)) - chosen
    return chosen


def vector(layout: Layout) -> st.SearchStrategy[Tuples]:
    return relations(layout, 1)


def matrix(layout: Layout) -> st.SearchStrategy[Tuples]:
    return relations(layout, 2)


@given(DATA, WIDTH)
def test_vectors_become_matrices(data: st.DataObject, width: int) -> None:
    layout = layout_of_width(width)
    v = data.draw(vector(layout))
    packed = pack(layout, v)
    every = range(width)
    assert layout.rows[packed] == pack(layout, {(i, j) for (i,) in v for j in every})
    assert packed * layout.col == pack(layout, {(i, j) for (j,) in v for i in every})
    assert layout.on_diagonal(packed) == pack(layout, {(i, i) for (i,) in v})


@given(DATA, WIDTH)
def test_reductions(data: st.DataObject, width: int) -> None:
    layout = layout_of_width(width)
    m = data.draw(matrix(layout))
    packed = pack(layout, m)
    assert layout.any_in_row(packed) == pack(layout, {(i,) for i, _ in m})
    assert layout.any_in_column(packed) == pack(layout, {(j,) for _, j in m})
    assert layout.diagonal_of(packed) == pack(layout, {(i,) for i, j in m if i == j})
    assert layout.transposed[packed] == pack(layout, {(j, i) for i, j in m})


@pytest.mark.parametrize("width", WIDTHS)
def test_row_reduction_of_every_single_bit_and_of_full_rows(width: int) -> None:
    """The modulus never wraps: each bit alone, each row alone, and all rows up to the capacity."""
    layout = layout_of_width(width)
    for i, j in product(range(layout.capacity), repeat=2):
        assert layout.any_in_row(1 << (i * width + j)) == 1 << i
    for count in range(layout.capacity + 1):
        assert layout.any_in_row(layout.full(count, 2)) == (1 << count) - 1
        broadcast = layout.rows[(1 << count) - 1]  # rows whose spare columns are set too
        assert layout.any_in_row(broadcast) == (1 << count) - 1


@given(DATA, WIDTH)
def test_images(data: st.DataObject, width: int) -> None:
    layout = layout_of_width(width)
    v, m = data.draw(vector(layout)), data.draw(matrix(layout))
    a, b = pack(layout, v), pack(layout, m)
    assert layout.image(a, b) == pack(layout, {(j,) for i, j in m if (i,) in v})
    assert layout.preimage(b, a) == pack(layout, {(i,) for i, j in m if (j,) in v})


@settings(max_examples=60)
@given(DATA, WIDTH)
def test_product(data: st.DataObject, width: int) -> None:
    layout = layout_of_width(width)
    left, right = data.draw(matrix(layout)), data.draw(matrix(layout))
    successors: dict[int, set[int]] = {}
    for j, k in right:
        successors.setdefault(j, set()).add(k)
    expected = {(i, k) for i, j in left for k in successors.get(j, ())}
    assert layout.product(pack(layout, left), pack(layout, right)) == pack(layout, expected)


def paths(edges: Tuples, through: set[int]) -> Tuples:
    """One or more steps with inner nodes in `through`, by search from each node."""
    found: Tuples = set()
    for start in {i for i, _ in edges}:
        waiting, seen = [start], set()
        while waiting:
            here = waiting.pop()
            for i, j in edges:
                if i == here and j not in seen:
                    seen.add(j)
                    if j in through:
                        waiting.append(j)
        found |= {(start, j) for j in seen}
    return found


@settings(max_examples=60)
@given(DATA, WIDTH)
def test_closure(data: st.DataObject, width: int) -> None:
    """Def. 7.3: only the inner nodes of a path must lie in `through`."""
    layout = layout_of_width(width)
    node = st.integers(0, layout.capacity - 1) | st.integers(0, 5)
    edges = set(data.draw(st.lists(st.tuples(node, node), max_size=30)))
    through = data.draw(vector(layout))
    packed = pack(layout, edges)
    inner = {i for (i,) in through}
    assert layout.closure(packed, pack(layout, through)) == pack(layout, paths(edges, inner))
    assert layout.closed[packed] == pack(layout, paths(edges, set(range(width))))


@pytest.mark.parametrize("width", WIDTHS)
def test_closure_of_chains_in_both_directions(width: int) -> None:
    layout = layout_of_width(width)
    n = layout.capacity
    up = pack(layout, {(i, i + 1) for i in range(n - 1)})
    down = pack(layout, {(i + 1, i) for i in range(n - 1)})
    assert layout.closed[up] == pack(layout, {(i, j) for i in range(n) for j in range(i + 1, n)})
    assert layout.closed[down] == layout.transposed[layout.closed[up]]


@settings(max_examples=80)
@given(DATA, WIDTH, st.integers(0, 3))
def test_tuples_and_bits(data: st.DataObject, width: int, arity: int) -> None:
    layout = layout_of_width(width)
    r = data.draw(relations(layout, arity))
    packed = pack(layout, r)
    assert layout.tuples(packed, arity) == sorted(r)
    assert all(layout.bit(t) == pack(layout, {t}).bit_length() - 1 for t in r)


@settings(max_examples=80)
@given(DATA, WIDTH, st.integers(0, 2))
def test_insert_axis(data: st.DataObject, width: int, arity: int) -> None:
    layout = layout_of_width(width)
    r = set(sorted(data.draw(relations(layout, arity)))[:40])
    axis = data.draw(st.integers(0, arity))
    expected = {(*t[:axis], i, *t[axis:]) for t in r for i in range(width)}
    assert layout.insert_axis(pack(layout, r), arity, axis) == pack(layout, expected)


@settings(max_examples=80)
@given(DATA, WIDTH, st.integers(1, 3))
def test_drop_and_slice_axis(data: st.DataObject, width: int, arity: int) -> None:
    layout = layout_of_width(width)
    r = data.draw(relations(layout, arity))
    axis = data.draw(st.integers(0, arity - 1))
    packed = pack(layout, r)
    assert layout.drop_axis(packed, arity, axis) == pack(layout, {t[:axis] + t[axis + 1 :] for t in r})
    node = data.draw(st.integers(0, layout.capacity - 1) | st.sampled_from(sorted({t[axis] for t in r}) or [0]))
    sliced = {t[:axis] + t[axis + 1 :] for t in r if t[axis] == node}
    assert layout.slice_axis(packed, arity, axis, node) == pack(layout, sliced)


@settings(max_examples=80)
@given(DATA, WIDTH, st.integers(0, 3))
def test_permute_axes(data: st.DataObject, width: int, arity: int) -> None:
    """Axis k of the result is axis order[k] of the argument."""
    layout = layout_of_width(width)
    r = data.draw(relations(layout, arity))
    order = tuple(data.draw(st.permutations(range(arity))))
    expected = {tuple(t[k] for k in order) for t in r}
    assert layout.permute_axes(pack(layout, r), order) == pack(layout, expected)


@settings(max_examples=80)
@given(DATA, st.sampled_from([(16, 32), (32, 16), (16, 64), (32, 32)]), st.integers(0, 3))
def test_restride(data: st.DataObject, widths: tuple[int, int], arity: int) -> None:
    old, new = (layout_of_width(w) for w in widths)
    r = data.draw(relations(old, arity, size=min(old.capacity, new.capacity)))
    assert old.restride(pack(old, r), arity, new) == pack(new, r)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("arity", [0, 1, 2, 3])
def test_full(width: int, arity: int) -> None:
    layout = layout_of_width(width)
    for nodes in (0, 1, 3, layout.capacity) if arity == 3 else range(layout.capacity + 1):
        assert layout.full(nodes, arity) == pack(layout, set(product(range(nodes), repeat=arity)))


def test_layout_for_picks_the_narrowest_width_with_two_spare_columns() -> None:
    for nodes in range(TIERS[-1] - 1):
        layout = layout_for(nodes)
        assert layout.capacity >= nodes and layout.width == min(w for w in TIERS if w - 2 >= nodes)
    assert layout_for(14) is layout_for(0) and layout_for(15).width == 32
    with pytest.raises(LimitReached):
        layout_for(TIERS[-1] - 1)


def test_memos_forget_instead_of_growing() -> None:
    layout = Layout(16)
    for v in range(70_000):
        layout.rows[v & layout.row]
    assert len(layout.rows) <= 1 << 16
    assert layout.rows[0b101] == pack(layout, {(i, j) for i in (0, 2) for j in range(16)})
