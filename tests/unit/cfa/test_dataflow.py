"""Forward data flow, against all paths of small automata."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kleene.cfa.dataflow import solve_forward
from kleene.cfa.graph import Cfa, Edge

NAMES = "abcd"
edges = st.lists(
    st.builds(Edge, st.sampled_from(NAMES), st.integers(0, 3), st.sampled_from(NAMES)), min_size=1, max_size=8
)


def walked(cfa: Cfa[int]) -> dict[str, frozenset[int]]:
    """The labels on the paths to each location but 0, which no run passes; by repetition until nothing changes."""
    at = {cfa.entry: frozenset[int]()}
    for _ in range(len(NAMES) * 4):
        for edge in cfa.edges:
            if edge.source in at and edge.label:
                at[edge.target] = at.get(edge.target, frozenset()) | at[edge.source] | {edge.label}
    return at


@given(edges)
def test_the_union_over_paths(drawn: list[Edge[int]]) -> None:
    cfa = Cfa(drawn[0].source, tuple(drawn))
    result = solve_forward(
        cfa,
        {cfa.entry: frozenset[int]()},
        lambda edge, before: before | {edge.label} if edge.label else None,
        lambda _, known, new: None if new <= known else known | new,
    )
    assert result == walked(cfa)
