"""Control-flow automata: orders, back edges and loops against definitions written with reachability alone."""

from __future__ import annotations

from collections.abc import Collection

from hypothesis import given
from hypothesis import strategies as st

from kleene.cfa.graph import Cfa, Edge


def cfa(*edges: str, entry: str | None = None) -> Cfa[str]:
    """A graph from texts such as ``"a b"``; the label is the position."""
    made = tuple(Edge(e.split()[0], str(i), e.split()[1]) for i, e in enumerate(edges))
    return Cfa(entry or made[0].source, made)


def pairs(edges: tuple[Edge[str], ...]) -> set[tuple[str, str]]:
    return {(e.source, e.target) for e in edges}


LOOP = cfa("a b", "b c", "c b", "b d")
NESTED = cfa("start outer", "outer inner", "inner body", "body inner", "inner latch", "latch outer", "outer end")


def test_locations_and_neighbours() -> None:
    assert LOOP.locations == ("a", "b", "c", "d")
    assert [e.target for e in LOOP.leaving("b")] == ["c", "d"]
    assert [e.source for e in LOOP.entering("b")] == ["a", "c"]
    assert LOOP.leaving("d") == () and LOOP.entering("nowhere") == ()
    assert LOOP.merge_points == {"b"}


def test_parallel_edges_are_kept_in_order() -> None:
    g = cfa("a b", "a b", "a c")
    assert [e.label for e in g.leaving("a")] == ["0", "1", "2"] and g.merge_points == {"b"}


def test_post_order_takes_the_last_edge_first() -> None:
    """docs/concepts/engine.md: depth-first over edges in reverse order of declaration."""
    g = cfa("a b", "a c", "b d", "c d")
    assert g.post_order == {"d": 0, "c": 1, "b": 2, "a": 3}
    assert LOOP.post_order == {"d": 0, "c": 1, "b": 2, "a": 3}


def test_back_edges_and_loop_heads() -> None:
    assert pairs(LOOP.back_edges) == {("c", "b")} and LOOP.loop_heads == {"b"}
    assert pairs(NESTED.back_edges) == {("body", "inner"), ("latch", "outer")}
    assert NESTED.loop_heads == {"inner", "outer"}
    assert pairs(cfa("a a").back_edges) == {("a", "a")}


def test_loop_depth() -> None:
    assert LOOP.loop_depth == {"a": 0, "b": 1, "c": 1, "d": 0}
    assert NESTED.loop_depth == {
        "start": 0,
        "outer": 1,
        "inner": 2,
        "body": 2,
        "latch": 1,
        "end": 0,
    }


def test_two_latches_are_one_loop() -> None:
    g = cfa("a h", "h b", "h c", "b h", "c h", "h z")
    assert g.loop_heads == {"h"} and g.loop_depth == {"a": 0, "h": 1, "b": 1, "c": 1, "z": 0}


def test_unreachable_locations_have_no_number() -> None:
    g = cfa("a b", "x y", "y x", "x b")
    assert g.unreachable == ("x", "y") and g.reachable == {"a", "b"}
    assert g.back_edges == ()


def test_no_edges() -> None:
    g: Cfa[str] = Cfa("only", ())
    assert g.locations == ("only",) and g.post_order == {"only": 0} and g.reverse() == g


def test_reversed_starts_at_the_target_of_the_first_edge() -> None:
    turned = LOOP.reverse()
    assert turned.entry == "b" and pairs(turned.edges) == {("b", "a"), ("c", "b"), ("b", "c"), ("d", "b")}


def test_a_long_chain_does_not_overflow() -> None:
    g = cfa(*(f"{i} {i + 1}" for i in range(20_000)))
    assert g.post_order["0"] == 20_000


NAMES = st.sampled_from([f"l{i}" for i in range(7)])
GRAPHS = st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=14).map(
    lambda edges: cfa(*(f"{a} {b}" for a, b in edges))
)


def reached(g: Cfa[str], start: str, removed: Collection[tuple[str, str]] = ()) -> set[str]:
    found, waiting = {start}, [start]
    while waiting:
        here = waiting.pop()
        for e in g.edges:
            if e.source == here and (e.source, e.target) not in removed and e.target not in found:
                found.add(e.target)
                waiting.append(e.target)
    return found


@given(GRAPHS)
def test_numbers_are_a_permutation_of_the_reachable_locations(g: Cfa[str]) -> None:
    assert set(g.post_order) == reached(g, g.entry) == g.reachable
    assert sorted(g.post_order.values()) == list(range(len(g.post_order)))
    assert g.post_order[g.entry] == len(g.post_order) - 1


@given(GRAPHS)
def test_without_back_edges_the_graph_has_no_cycle(g: Cfa[str]) -> None:
    """Every cycle has a back edge; without them reverse post order is a topological order."""
    removed = pairs(g.back_edges)
    for e in g.edges:
        if e.source in g.reachable and (e.source, e.target) not in removed:
            assert g.post_order[e.source] > g.post_order[e.target]
            assert e.source not in reached(g, e.target, removed)


@given(GRAPHS)
def test_loop_members_lie_on_a_cycle_with_a_head_or_enter_one(g: Cfa[str]) -> None:
    """A location in a loop reaches its head; a head lies in at least one loop."""
    for name, depth in g.loop_depth.items():
        assert 0 <= depth <= len(g.loop_heads)
        if depth:
            assert any(head in reached(g, name) for head in g.loop_heads)
    assert all(g.loop_depth[head] >= 1 for head in g.loop_heads)


@given(GRAPHS)
def test_only_locations_on_a_cycle_are_in_loops(g: Cfa[str]) -> None:
    for name, depth in g.loop_depth.items():
        on_cycle = any(name in reached(g, e.target) for e in g.edges if e.source == name)
        if depth and name in g.reachable:
            assert on_cycle or any(name not in reached(g, head) for head in g.loop_heads)
