"""Explicit heaps: depth, roles of fields, and which data structures they are."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from tests.refine.helpers import BUILD, EXAMPLES, task_of, written
from tests.refine.test_covers_runs import REVERSE

from kleene.refine.classes.library import built_in, library
from kleene.refine.heaps.explicit import ExplicitHeap
from kleene.refine.heaps.recognise import recognise, roles_of
from kleene.refine.heaps.samples import SampleOptions, collect
from kleene.refine.loop import SAFE, Refinement, RefineOptions
from kleene.refine.tracking.explain import PathExplainer
from kleene.refine.tree.reachability_tree import ExplicitNode, ancestors


def heap(pointers, cells, data=None, sizes=None):
    return ExplicitHeap(pointers, cells, data or {}, sizes or dict.fromkeys(cells, 16))


SLL = heap({"x": 1}, {1: {"next": 2}, 2: {"next": 3}, 3: {"next": 4}, 4: {"next": 0}})
DLL = heap(
    {"x": 1},
    {
        1: {"succ": 2, "pred": 0},
        2: {"succ": 3, "pred": 1},
        3: {"succ": 4, "pred": 2},
        4: {"succ": 0, "pred": 3},
    },
)
TREE = heap(
    {"x": 1},
    {1: {"left": 2, "right": 3}, 2: {"left": 0, "right": 4}, 3: {"left": 0, "right": 0}, 4: {"left": 0, "right": 0}},
)
TREEP = heap(
    {"x": 1, "leaf": 4},
    {
        1: {"left": 2, "right": 3, "up": 0},
        2: {"left": 0, "right": 4, "up": 1},
        3: {"left": 0, "right": 0, "up": 1},
        4: {"left": 0, "right": 0, "up": 2},
    },
)
RING = heap({"x": 1}, {1: {"next": 2}, 2: {"next": 3}, 3: {"next": 4}, 4: {"next": 1}})
DAG = heap(
    {"x": 1},
    {1: {"left": 2, "right": 3}, 2: {"left": 4, "right": 0}, 3: {"left": 4, "right": 0}, 4: {"left": 0, "right": 0}},
)
NESTED = heap(
    {"x": 1},
    {1: {"next": 2, "down": 5}, 2: {"next": 0, "down": 6}, 5: {"along": 7}, 6: {"along": 0}, 7: {"along": 0}},
    sizes={1: 16, 2: 16, 5: 8, 6: 8, 7: 8},
)


@pytest.mark.parametrize("sample,depth", [(SLL, 4), (DLL, 4), (TREE, 3), (RING, 4), (NESTED, 3)])
def test_depth_is_the_longest_path_without_repetition(sample, depth):
    assert sample.depth("x") == sample.depth() == depth
    assert sample.depth("nothing") == 0


@pytest.mark.parametrize(
    "sample,fits,not_these",
    [
        (SLL, {"sll"}, {"dll", "tree", "clist"}),
        (DLL, {"sll", "dll"}, {"tree", "treep"}),
        (TREE, {"tree"}, {"sll", "dll", "treep", "nested"}),
        (TREEP, {"tree", "treep"}, {"dll"}),
        (RING, {"clist"}, {"sll", "dll"}),
        (DAG, {"graph"}, {"tree", "sll"}),
    ],
)
def test_data_structures_are_recognised_by_their_invariants(sample, fits, not_these):
    order = list(dict.fromkeys(f for cells in sample.cells.values() for f in cells))
    found = recognise(built_in(), [sample], order)
    assert fits <= set(found.fitting)
    assert not not_these & set(found.fitting)
    assert set(found.rejected) | set(found.fitting) == {e.name for e in built_in()}


def test_one_sample_that_breaks_an_invariant_is_enough():
    broken = heap({"x": 1}, {**DLL.cells, 3: {"succ": 4, "pred": 1}})
    assert "dll" in recognise(built_in(), [DLL], ["succ", "pred"]).fitting
    assert "dll" not in recognise(built_in(), [DLL, broken], ["succ", "pred"]).fitting


def test_roles_of_fields():
    assert (roles_of([DLL], ["succ", "pred"]).forward, roles_of([DLL], ["succ", "pred"]).back) == ({"succ"}, {"pred"})
    trees = roles_of([TREEP], ["up", "left", "right"])
    assert (trees.forward, trees.back) == ({"left", "right"}, {"up"})
    assert roles_of([RING], ["next"]).circular == {"next"}


def test_samples_of_a_program(tmp_path):
    task = task_of(written(tmp_path, BUILD + "int main(void) { struct node *l = make(); return l == NULL; }"))
    found = collect(task, frozenset(v.name for v in task.memory.pointers), SampleOptions(count=3, size=4))
    assert found.enough
    assert len(found.heaps) == 3
    assert all(len(h.reachable()) >= 4 for _, h in found.heaps)
    assert len({h.key for _, h in found.heaps}) == 3
    assert all(location in task.cfa.loop_heads for location, _ in found.heaps)


def test_samples_of_a_loop_with_a_constant_bound_are_small(tmp_path):
    """Samples had as many nodes as a run made, hundreds here, and the invariants were evaluated for minutes on them."""
    loop = "for (int i = 0; i < 1000; i++) { struct node *n = malloc(sizeof *n); if (!n) break; n->next = l; l = n; }"
    task = task_of(written(tmp_path, BUILD + f"int main(void) {{ struct node *l = NULL; {loop} return l == NULL; }}"))
    samples = collect(task, frozenset(v.name for v in task.memory.pointers), SampleOptions())
    assert samples.enough
    assert all(4 <= len(h.reachable()) <= 24 for _, h in samples.heaps)


def test_the_samples_of_the_tree_programs_are_trees():
    task = task_of(EXAMPLES / "refine" / "treep_rotate_left.c")
    samples = collect(task, frozenset(v.name for v in task.memory.pointers), SampleOptions())
    found = recognise(built_in(), [h for _, h in samples.heaps], list(task.memory.cell_targets))
    assert "treep" in found.fitting
    assert found.roles.back == {"parent"}


def test_sorted_lists_are_told_from_others():
    """Numbers in order along the list, in every sample."""
    cells = {1: {"next": 2}, 2: {"next": 3}, 3: {"next": 0}}
    order = heap({"x": 1}, cells, data={1: {8: 1}, 2: {8: 1}, 3: {8: 5}})
    other = heap({"x": 1}, cells, data={1: {8: 3}, 2: {8: 1}, 3: {8: 5}})
    assert "sorted" in recognise(built_in(), [order], ["next"]).fitting
    assert "sorted" not in recognise(built_in(), [order, other], ["next"]).fitting


def _explicit(tmp_path):
    task = task_of(written(tmp_path, REVERSE))
    return task, collect(task, frozenset(v.name for v in task.memory.pointers), SampleOptions(count=4))


def test_explicit_nodes_are_on_paths_of_the_program(tmp_path):
    """Every node is at the end of a step from its parent, back to the entry of the program."""
    task, found = _explicit(tmp_path)
    assert found.nodes
    for node in found.nodes:
        chain = list(ancestors(node))
        assert chain[-1].location == task.cfa.entry
        assert chain[-1].step is None
        for below, above in pairwise(chain):
            assert below.step is not None
            assert (below.step.edge.source, below.step.edge.target) == (above.location, below.location)


def test_an_input_gives_a_child_each(tmp_path):
    """Runs share what they have in common: some node has two children, which differ in an input."""
    _, found = _explicit(tmp_path)
    parents: dict[int, set[int]] = {}
    for node in found.nodes:
        for below, above in pairwise(ancestors(node)):
            parents.setdefault(id(above), set()).add(id(below))
    assert any(len(children) > 1 for children in parents.values())


def test_explicit_tracking_stops_at_the_threshold(tmp_path):
    """At a location so many different heaps are kept as samples are wanted; no two of them are the same."""
    task, found = _explicit(tmp_path)
    places = Counter(node.location for node in found.nodes)
    assert max(places.values()) == 4
    assert set(places) <= set(task.cfa.loop_heads)
    assert len({(n.location, n.heap.key) for n in found.nodes}) == len(found.nodes)


def test_the_tree_goes_on_from_what_heaps_become(tmp_path):
    """Abstract makes shape graphs of explicit nodes; those that the tree takes in keep their paths of real steps."""
    task = task_of(written(tmp_path, REVERSE))
    trees = []

    class Watched(Refinement):
        def _round(self, paths):
            trees.append(self.tree)
            return super()._round(paths)

    result = Watched(task, library(), RefineOptions(), explain=PathExplainer(task)).run()
    assert result.outcome == SAFE
    sampled = next(one for one in result.rounds if any(look.samples is not None for look in one.looks))
    assert sampled.explicit
    assert len(sampled.sampled) >= 3
    tree = trees[sampled.number] if sampled.number < len(trees) else result.tree
    from_heaps = [n for nodes in tree.nodes.values() for n in nodes.values() if n.heap is not None]
    assert from_heaps
    for node in from_heaps:
        assert isinstance(node.parent, ExplicitNode)
        steps = [n.step.edge for n in ancestors(node) if n.step is not None][::-1]
        assert steps[0].source == task.cfa.entry
        assert all(a.target == b.source for a, b in pairwise(steps))
        assert steps[-1].target == node.location
