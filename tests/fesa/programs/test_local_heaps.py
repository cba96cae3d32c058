"""Calls on local heaps: cutting a state, steps of the callee on its part, and joining, against concrete heaps.

The concrete heap is never cut: the callee's variables are just more variables of it. What is joined in the end must
represent it, and what it has lost must have been reported on the way.
"""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest
from tests.fesa.concrete import Concrete, Outcome, World, outcomes
from tests.fesa.meaning import Meaning
from tests.fesa.statements import Statement, all_links, found
from tests.fesa.transformers.test_soundness import shaken

from kleene.c.reader import read_program
from kleene.cfa.operations import Invoke
from kleene.domains.fesa.calls.calling import CallingFesaDomain, procedures
from kleene.domains.fesa.calls.local_heaps import LocalHeaps, reachable_nodes
from kleene.domains.fesa.functions import Diagrams
from kleene.domains.fesa.heap import Heap, Options, join_vectors
from kleene.domains.fesa.summaries import summarise
from kleene.domains.fesa.vectors import Vectors
from kleene.domains.fesa.widening import widen
from kleene.domains.fesa.writing import clear
from kleene.passes.facts.memory import Memory, Unmodelled
from kleene.passes.prepare import whole_program

OPTIONS = Options()
OUTER, INNER = ("x", "y", "z"), ("f.x", "f.y", "f.z")
WORLD = World(dict.fromkeys((*OUTER, *INNER), "cell"), {}, {0: "cell", 8: "cell"})
MEANING = Meaning(WORLD, OPTIONS)


@cache
def setup(folder: Path) -> tuple[CallingFesaDomain, list[Statement], list[Statement], Invoke]:
    """The statements of a main function and of a recursive one, and the call from the one to the other."""
    own, renamed = all_links("xyz"), all_links("xyz", prefix="f.")
    lines = ["#include <stdlib.h>", "#include <string.h>", "struct node { struct node *a, *b; };"]
    lines += ["static void f(struct node *x) {", "  struct node *y, *z;", "  if (!x) return;"]
    inner = len(lines) + 1
    lines += [*renamed, "  f(x->a);", "  x = y = z;", "}", "int main(void) {", "  struct node *x, *y, *z;"]
    outer = len(lines) + 1
    lines += [*own, "  f(x);", "  x = y = z;", "  return 0;", "}"]
    path = folder / "calls.c"
    path.write_text("\n".join(lines) + "\n")
    program = whole_program(read_program([str(path)]))
    calls = [e.label for e in program.main.cfa.edges if isinstance(e.label, Invoke) and e.label.place.line > outer]
    domain = CallingFesaDomain(
        Memory(program, program.main.cfa), program.main.cfa, Diagrams(), OPTIONS, malloc_may_fail=False
    )
    return domain, found(program, own, outer), found(program, renamed, inner), calls[0]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return setup(tmp_path_factory.mktemp("calls"))


Made = tuple[CallingFesaDomain, list[Statement], list[Statement], Invoke]


def nothing() -> Concrete:
    return Concrete(dict.fromkeys([(name, 0) for name in OUTER]), set(OUTER), WORLD.sizes)


def run(statement: Statement, real: Concrete) -> list[Outcome]:
    """The ways in which it may go if malloc gives a block."""
    ways = outcomes(statement.run, real)
    return [way for way in ways if "alloc" not in statement.code or way.after.alive > real.alive or way.wrong]


def step(
    domain: CallingFesaDomain, statement: Statement, heap: Heap, truth: object
) -> tuple[Vectors | None, list[str]]:
    raised: list[str] = []
    domain.transfer.report = lambda kind, text: raised.append(kind)
    (operation,) = [o for o in statement.operations if statement.truth(o) in (None, bool(truth))]
    parts = list(domain.transfer.apply(heap.copy(), operation))
    for part in parts:
        for node in part.nodes():
            if node.name == "$register":
                clear(part, node, domain.transfer.report)
    return join_vectors([part.vectors for part in parts if not part.vectors.is_empty()]), raised


def walk(
    domain: CallingFesaDomain,
    listed: list[Statement],
    heap: Heap,
    real: Concrete,
    choose: random.Random,
    steps: int,
) -> tuple[Heap, Concrete] | None:
    """Steps without errors; None if the way ends: a false alarm, or a real leak that was reported."""
    for _ in range(steps):
        for _ in range(8):  # most of the time one that loses nothing, so that memories get interesting
            statement = choose.choice(listed)
            ways = [way for way in run(statement, real) if not way.wrong]
            if ways and not any(way.after.leaked() for way in ways):
                break
        if not ways or len((way := choose.choice(ways)).after.blocks()) > 4:
            continue
        together, raised = step(domain, statement, heap, way.truth)
        if way.after.leaked():
            assert "memory_leak" in raised, f"{statement.code} loses {way.after.leaked()}"
            return None
        if "memory_leak" in raised:
            return None
        assert together is not None
        heap, real = Heap(together, OPTIONS), way.after.copy()
    heap.prune()
    return heap, real


def called(made: Made, choose: random.Random) -> str:
    """One random call; what became of it."""
    domain, own, inner, call = made
    begun = walk(domain, own, Heap(Vectors.everything(domain.space), OPTIONS), nothing(), choose, 20)
    if begun is None:
        return "over"
    heap, real = begun
    shaken(heap, choose)
    assert MEANING.represents(heap.vectors, real)
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
    real.values |= {("f.x", 0): real["x"], ("f.y", 0): None, ("f.z", 0): None}
    real.alive |= set(INNER)
    ended = walk(domain, inner, entry, real, choose, 6)
    if ended is None:
        return "over"
    end, real = ended
    domain.transfer.report = lambda kind, text: raised.append(kind)
    for name in INNER:
        real.end(name)
        clear(end, domain.transfer.node(next(v for v in domain.tracked if v.name == name)), domain.transfer.report)
    if raised:  # of blocks that are lost, nothing more is said
        return "leak" if real.leaked() else "alarm"
    domain.heaps.leave(end)
    if choose.random() < 0.5:
        widen(end)
    after = domain.heaps.join(division, call, end)
    if real.leaked():
        assert "memory_leak" in raised, f"{real.leaked()} is lost"
        return "leak"
    if "memory_leak" in raised:
        return "alarm"
    after.prune()
    assert MEANING.represents(after.vectors, real), f"{real} after {heap.flags}"
    return "fine"


@pytest.mark.parametrize("part", range(6))
def test_random_calls(made: Made, part: int) -> None:
    found = [called(made, random.Random(1000 * part + seed)) for seed in range(60)]
    assert found.count("fine") > 10, found


def test_a_summary_is_parted_without_loss(made: Made) -> None:
    domain, own, _, _ = made
    parted = 0
    for seed in range(200):
        choose = random.Random(seed)
        begun = walk(domain, own, Heap(Vectors.everything(domain.space), OPTIONS), nothing(), choose, 20)
        if begun is None:
            continue
        heap, real = begun
        widen(heap)
        for summary in [n for n in heap.heap_nodes() if heap.is_summary(n)]:
            tops = set(choose.sample(heap.heap_nodes(), k=choose.randrange(1, 1 + len(heap.heap_nodes())))) - {summary}
            domain.heaps._part(heap, summary, tops)
            parted += 1
        assert MEANING.represents(heap.vectors, real), f"{real}"
    assert parted > 20


def scripted(domain: CallingFesaDomain, own: list[Statement], *codes: str) -> tuple[Heap, Concrete]:
    heap, real = Heap(Vectors.everything(domain.space), OPTIONS), nothing()
    by_code = {statement.code: statement for statement in own}
    for code in codes:
        together, _ = step(domain, by_code[code], heap, truth=None)
        assert together is not None
        (way,) = run(by_code[code], real)
        heap, real = Heap(together, OPTIONS), way.after.copy()
    return heap, real


def test_both_parts_may_have_several_cells(made: Made) -> None:
    """Two cells below the first one and one or two that are not, all in one summary."""
    domain, own, _, _ = made
    new = [f"{name} = calloc(1, 16);" for name in OUTER]
    for more in ([], ["z = NULL;", new[2], "y->a = z;"]):
        heap, real = scripted(domain, own, new[0], new[1], "x->a = y;", new[2], "y->a = z;", new[1], *more)
        top = next(f.target for f in heap.edges() if f.source.name == "x")
        first, *others = [n for n in heap.heap_nodes() if n != top]
        for node in others:
            summarise(heap, first, node)
        domain.heaps._part(heap, first, {top})
        assert len(heap.heap_nodes()) == 3
        assert MEANING.represents(heap.vectors, real)


def test_the_callee_gets_what_its_arguments_reach(made: Made) -> None:
    """The callee sees one of two lists, and of a list the part behind the argument."""
    domain, own, _, call = made
    new = [f"{name} = calloc(1, 16);" for name in OUTER]
    heap, _ = scripted(domain, own, new[0], new[1], "y->a = x;", new[2], "z->b = y;", "y = NULL;", "y = x->a;")
    division = domain.heaps.divide(heap, call, ["y"])
    assert division is not None
    entry, rest = Heap(division.entry, OPTIONS), Heap(division.rest, OPTIONS)
    assert len(entry.heap_nodes()) == 1 and len(rest.heap_nodes()) == 2
    assert {n.name for n in entry.nodes() if n.kind == "variable"} == {"f.x", "$cut1"}
    assert reachable_nodes(entry, [domain.transfer.node(call.parameters[0])]) == set(entry.heap_nodes())


def test_procedures_are_found(made: Made) -> None:
    domain, *_ = made
    assert list(procedures(domain.cfa)) == ["f"] and isinstance(domain.heaps, LocalHeaps)
