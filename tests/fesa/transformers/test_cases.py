"""States divided by cases: each memory stays in one of the parts as a whole, whichever nodes are followed apart."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.fesa.checking import Bench, Item
from tests.fesa.statements import VOCABULARIES

from kleene.domains.fesa.cases import cases_of
from kleene.domains.fesa.flags import OTHERS, VARIABLE, Flag, Node, edge
from kleene.domains.fesa.heap import CHOSEN, Heap, Inner, Options
from kleene.domains.fesa.summaries import rename_nodes

FOLLOWED = Options(by_cases=True, apart=True, by_role=True, inner=Inner(frozenset(), frozenset()))
"""Blocks of any size may be the one that holds the followed structure."""


def chosen(node: Node) -> Node:
    return node._replace(name=CHOSEN)


def divided(bench: Bench, items: list[Item], picked: set[Node]) -> tuple[list[Heap], list[Item]]:
    """The parts of the state of some items where some nodes have the names of followed ones, and the items so."""
    names = {n: chosen(n) for n in picked}
    state = bench.state(items)
    vectors = rename_nodes(state.vectors, names | {n.other: new.other for n, new in names.items()})
    asked = [n for n in state.nodes() if n.kind == VARIABLE]
    renamed = [replace(i, placing={b: names.get(n, n) for b, n in i.placing.items()}) for i in items]
    return [part for _, part in cases_of(Heap(vectors, bench.options), asked, frozenset(asked))], renamed


@pytest.mark.parametrize(("vocabulary", "blocks", "size"), [("links", 2, 1), ("lists", 3, 12), ("objects", 1, 12)])
def test_each_memory_is_in_one_part(tmp_path: Path, vocabulary: str, blocks: int, size: int) -> None:
    """Facts about one cell of a summary would divide the vectors of one memory."""
    bench = Bench(VOCABULARIES[vocabulary], tmp_path, FOLLOWED)
    several = 0
    for group in bench.groups(blocks, unset=0, lost=0, size=size):
        items = list(group)
        nodes = sorted(set(items[0].placing.values()))
        for picked in ({*nodes[:1]}, {*nodes}):
            parts, renamed = divided(bench, items, picked)
            several += len(parts) > 1
            for item in renamed:
                kept = [part for part in parts if bench.meaning.represents(part.vectors, item.heap, item.placing)]
                assert len(kept) == 1, f"{item} is in {len(kept)} of {len(parts)} parts"
    assert several > 0 or size == 1


def test_variables_that_lead_to_structures_that_are_given_up(tmp_path: Path) -> None:
    bench = Bench(VOCABULARIES["links"], tmp_path, FOLLOWED)
    heap = bench.state([next(iter(bench.items(1, 0, 0)))])
    flag: Flag = edge(Node(VARIABLE, "elsewhere", 8), 0, OTHERS, 0)
    vectors = heap.vectors.add(flag)
    cases = {case for case, _ in cases_of(Heap(vectors, bench.options), [], frozenset())}
    assert {any("elsewhere" in answer for answer in case) for case in cases} == {True, False}
