"""Calls on local heaps: cutting a state, steps of the callee on its part, and joining, against concrete heaps.

The concrete heap is never cut: the callee's variables are just more variables of it. What is joined in the end must
represent it, and what it has lost must have been reported on the way.
"""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest

from kleene.c.reader import read_program
from kleene.cfa.operations import Assume, Invoke, Operation
from kleene.domains.fesa.calls import CallingFesaDomain, procedures
from kleene.domains.fesa.functions import Diagrams
from kleene.domains.fesa.heap import Heap, Options, joined
from kleene.domains.fesa.local_heaps import LocalHeaps, reached
from kleene.domains.fesa.summaries import summarise
from kleene.domains.fesa.vectors import Vectors
from kleene.domains.fesa.widening import widen
from kleene.domains.fesa.writing import clear
from kleene.semantics.memory import Memory, Unmodelled
from kleene.semantics.procedures import whole_program

from .concrete import Concrete, Wrong, represents
from .test_soundness import NAMES, chosen, operations, shaken

OPTIONS = Options()
INNER = ("f.x", "f.y", "f.z")
Listed = list[tuple[tuple[str, ...], Operation]]


@cache
def setup(folder: Path) -> tuple[CallingFesaDomain, Listed, Listed, Invoke]:
    """The operations of a main function and of a recursive one, and the call from the one to the other."""
    listed = operations()
    lines = ["#include <stdlib.h>", "struct node { struct node *a, *b; };", "static void f(struct node *x) {"]
    lines += [
        "  struct node *y, *z;",
        "  if (!x) return;",
        *(code for _, code in listed),
        "  f(x->a);",
        "  x = y = z;",
        "}",
    ]
    inner = 6
    lines += ["int main(void) {", "  struct node *x, *y, *z;"]
    outer = len(lines) + 1
    lines += [*(code for _, code in listed), "  f(x);", "  x = y = z;", "  return 0;", "}"]
    path = folder / "calls.c"
    path.write_text("\n".join(lines) + "\n")
    program = whole_program(read_program([str(path)], data_model="LP64"))
    by_line: dict[int, Operation] = {}
    call = None
    for edge in program.main.cfa.edges:
        if isinstance(edge.label, Invoke) and edge.label.place.line > outer:
            call = edge.label
        elif not isinstance(edge.label, Assume) or edge.label.truth:
            by_line.setdefault(edge.label.place.line, edge.label)
    assert call is not None
    domain = CallingFesaDomain(
        Memory(program, program.main.cfa), program.main.cfa, Diagrams(), OPTIONS, malloc_may_fail=False
    )
    own = [(op, by_line[outer + k]) for k, (op, _) in enumerate(listed)]
    renamed = [
        (tuple(f"f.{w}" if w in NAMES else w for w in op), by_line[inner + k]) for k, (op, _) in enumerate(listed)
    ]
    return domain, own, renamed, call


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[CallingFesaDomain, Listed, Listed, Invoke]:
    return setup(tmp_path_factory.mktemp("calls"))


def walk(
    domain: CallingFesaDomain, listed: Listed, heap: Heap, real: Concrete, choose: random.Random, steps: int
) -> Heap | None:
    """Steps without errors; None if the way ends: a false alarm, or a real leak that was reported."""
    for _ in range(steps):
        operation, edge = chosen(listed, real, choose)
        after = real.copy()
        raised: list[str] = []
        domain.transfer.report = lambda kind, text, raised=raised: raised.append(kind)  # type: ignore[misc]
        cells = len(real.cells) + len(real.freed & set(real.known()))
        if operation[0] == "malloc" and cells >= 4:
            continue
        results = [h.vectors for h in domain.transfer.apply(heap.copy(), edge) if not h.vectors.is_empty()]
        try:
            if not after.step(operation):
                continue
        except Wrong:
            continue
        if after.lost():
            assert "memory_leak" in raised, f"{operation} loses {after.lost()}"
            return None
        if "memory_leak" in raised:
            return None
        heap = Heap(joined(results), OPTIONS)  # type: ignore[arg-type]
        real.variables, real.cells, real.freed = after.variables, after.cells, after.freed
    heap.pruned()
    return heap


def called(made: tuple[CallingFesaDomain, Listed, Listed, Invoke], choose: random.Random) -> str:
    """One random call; what became of it."""
    domain, own, inner, call = made
    real = Concrete(dict.fromkeys(NAMES))
    heap = walk(domain, own, Heap(Vectors.everything(domain.space), OPTIONS), real, choose, 20)
    if heap is None:
        return "over"
    shaken(heap, choose)
    assert represents(heap.vectors, real, OPTIONS)
    raised: list[str] = []
    domain.transfer.report = lambda kind, text: raised.append(kind)
    try:
        division = domain.heaps.divide(heap.copy(), call, [])
    except Unmodelled:
        return "refused"
    assert division is not None and raised == []
    entry = Heap(division.entry, OPTIONS)
    if choose.random() < 0.5:
        widen(entry)
    real.variables |= {"f.x": real.variables["x"], "f.y": None, "f.z": None}
    end = walk(domain, inner, entry, real, choose, 6)
    if end is None:
        return "over"
    domain.transfer.report = lambda kind, text: raised.append(kind)
    for name in INNER:
        del real.variables[name]
        clear(end, domain.transfer.node(next(v for v in domain.tracked if v.name == name)), domain.transfer.report)
    if raised:  # of blocks that are lost, nothing more is said
        return "leak" if real.lost() else "alarm"
    domain.heaps.leave(end)
    if choose.random() < 0.5:
        widen(end)
    after = domain.heaps.joined(division, call, end)
    if real.lost():
        assert "memory_leak" in raised, f"{real.lost()} is lost"
        return "leak"
    if "memory_leak" in raised:
        return "alarm"
    after.pruned()
    assert represents(after.vectors, real, OPTIONS), f"{real} after {heap.flags}"
    return "fine"


@pytest.mark.parametrize("part", range(6))
def test_random_calls(made: tuple[CallingFesaDomain, Listed, Listed, Invoke], part: int) -> None:
    found = [called(made, random.Random(1000 * part + seed)) for seed in range(60)]
    assert found.count("fine") > 10, found


def test_a_summary_is_parted_without_loss(made: tuple[CallingFesaDomain, Listed, Listed, Invoke]) -> None:
    domain, own, _, _ = made
    parted = 0
    for seed in range(200):
        choose = random.Random(seed)
        real = Concrete(dict.fromkeys(NAMES))
        empty = Heap(Vectors.everything(domain.space), OPTIONS)
        heap = walk(domain, own, empty, real, choose, 20)
        if heap is None:
            continue
        widen(heap)
        for summary in [n for n in heap.heap_nodes() if heap.is_summary(n)]:
            tops = set(choose.sample(heap.heap_nodes(), k=choose.randrange(1, 1 + len(heap.heap_nodes())))) - {summary}
            domain.heaps._part(heap, summary, tops)
            parted += 1
        assert represents(heap.vectors, real, OPTIONS), f"{real}"
    assert parted > 20


def test_both_parts_may_have_several_cells(made: tuple[CallingFesaDomain, Listed, Listed, Invoke]) -> None:
    """Two cells below the first one and one or two that are not, all in one summary."""
    domain, own, _, _ = made
    by_name = dict(own)
    steps = ["malloc x zero", "malloc y zero", "store x 0 y", "malloc z zero", "store y 0 z", "malloc y zero"]
    for more in ([], ["null z", "malloc z zero", "store y 0 z"]):
        heap, real = Heap(Vectors.everything(domain.space), OPTIONS), Concrete(dict.fromkeys(NAMES))
        for step in [*steps, *more]:
            (heap,) = domain.transfer.apply(heap, by_name[tuple(step.split())])
            real.step(tuple(step.split()))
        top = next(f.target for f in heap.edges() if f.source.name == "x")
        first, *others = [n for n in heap.heap_nodes() if n != top]
        for node in others:
            summarise(heap, first, node)
        domain.heaps._part(heap, first, {top})
        assert len(heap.heap_nodes()) == 3
        assert represents(heap.vectors, real, OPTIONS)


def test_the_callee_gets_what_its_arguments_reach(made: tuple[CallingFesaDomain, Listed, Listed, Invoke]) -> None:
    """Of two lists, one goes along; of a list, what is behind the argument."""
    domain, own, _, call = made
    by_name = dict(own)
    heap = Heap(Vectors.everything(domain.space), OPTIONS)
    steps = ["malloc x zero", "malloc y zero", "store y 0 x", "malloc z zero", "store z 8 y", "null y", "load y x 0"]
    for step in steps:
        (heap,) = domain.transfer.apply(heap, by_name[tuple(step.split())])
    division = domain.heaps.divide(heap, call, ["y"])
    assert division is not None
    entry, rest = Heap(division.entry, OPTIONS), Heap(division.rest, OPTIONS)
    assert len(entry.heap_nodes()) == 1 and len(rest.heap_nodes()) == 2
    assert {n.name for n in entry.nodes() if n.kind == "variable"} == {"f.x", "$cut1", "$cut2"}
    assert reached(entry, [domain.transfer.node(call.parameters[0])]) == set(entry.heap_nodes())


def test_procedures_are_found(made: tuple[CallingFesaDomain, Listed, Listed, Invoke]) -> None:
    domain, *_ = made
    assert list(procedures(domain.cfa)) == ["f"] and isinstance(domain.heaps, LocalHeaps)
