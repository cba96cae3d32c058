"""Long runs: what the operations make of a represented memory is represented afterwards, step after step.

Single steps are checked in `test_enumeration.py`; here states grow together as in an analysis. Observations 1 and 2.
"""

from __future__ import annotations

import random
import re
from functools import cache
from pathlib import Path

import pytest
from tests.fesa.checking import Bench
from tests.fesa.concrete import ACCESS, UNSET, Concrete, Outcome, outcomes
from tests.fesa.meaning import sizes_of
from tests.fesa.statements import VOCABULARIES, Statement

from kleene.domains.fesa.counters import count_is, decrement, increment, keep_hygiene, reduce
from kleene.domains.fesa.flags import COUNT_HIGH, COUNT_LOW, Flag, Node
from kleene.domains.fesa.functions import Diagrams
from kleene.domains.fesa.heap import Heap, Options
from kleene.domains.fesa.sizes import agree
from kleene.domains.fesa.summaries import materialise, separate_instance, summarise
from kleene.domains.fesa.vectors import Vectors
from kleene.domains.fesa.widening import widen

SETTINGS = [
    Options(),
    Options(apart=True),
    Options(related_numbers=True),
    Options(sizes=True),
    Options(parents=False),
    Options(in_counter=False, reduce=False),
    Options(out_counter=False, in_counter=False, reduce=False, parents=False),
    Options(out_counter=False, in_counter=False, reduce=False),
]


@cache
def bench(vocabulary: str, folder: Path, options: Options) -> Bench:
    return Bench(VOCABULARIES[vocabulary], folder, options)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fesa")


def nothing(checked: Bench) -> Concrete:
    """Pointers are NULL, numbers zero, objects have not begun."""
    world = checked.world
    values = {(name, 0): 0 if kind == "number" else None for name, kind in world.variables.items()}
    values |= {(name, o): None for name in world.objects.keys() - world.ending for o in world.objects[name]}
    return Concrete(dict(values), {thing for thing, _ in values}, world.sizes)


def start(checked: Bench) -> Heap:
    vectors = checked.meaning.state(checked.space, nothing(checked), {}, {})
    return Heap(vectors, checked.options, sizes_of(nothing(checked), {}) if checked.options.sizes else None)


def shaken(heap: Heap, choose: random.Random) -> None:
    """Something that must not lose memories: summarise, widen, take a node out, use the counters."""
    nodes = heap.heap_nodes()
    way = choose.randrange(6)
    if way == 0 and len(nodes) > 1:
        kept, gone = sorted(choose.sample(nodes, 2))
        summarise(heap, kept, gone)
    elif way == 1:
        widen(heap)
    elif way == 2 and heap.options.reduce:
        keep_hygiene(heap, nodes)
        reduce(heap, [*nodes, *(n for n in heap.nodes() if not n.is_heap)])
    elif way == 3:
        summaries = [n for n in nodes if heap.is_summary(n)]
        if summaries:
            separate_instance(heap, choose.choice(summaries))
    heap.prune()


@pytest.mark.parametrize("options", SETTINGS, ids=str)
@pytest.mark.parametrize("vocabulary", ["three", "objects", "numbers"])
def test_random_runs(folder: Path, vocabulary: str, options: Options) -> None:
    for seed in range(5 if vocabulary == "three" else 3):
        follow(bench(vocabulary, folder, options), random.Random(seed))


def test_five_blocks(folder: Path) -> None:
    follow(bench("three", folder, Options()), random.Random(7), steps=16, blocks=5)


def chosen(checked: Bench, real: Concrete, choose: random.Random) -> tuple[Statement, Outcome]:
    """A statement; most of the time one that is no error and loses nothing, so that memories get interesting."""
    able = [s for s in checked.statements if s.possible(real)]
    for _ in range(8):
        statement = choose.choice(able)
        outcome = choose.choice(outcomes(statement.run, real))
        if (not outcome.wrong and not outcome.after.leaked()) or choose.random() < 0.1:
            break
    return statement, outcome


def follow(checked: Bench, choose: random.Random, steps: int = 24, blocks: int = 4) -> None:
    heap, real = start(checked), nothing(checked)
    for _ in range(steps):
        statement, outcome = chosen(checked, real, choose)
        if len(outcome.after.blocks()) > blocks:
            continue
        after, raised = checked.apply(statement, heap)
        told = f"{statement.code} from {real}"
        if outcome.wrong:
            kinds = ACCESS if outcome.wrong in ACCESS else (outcome.wrong,)
            assert set(kinds) & set(raised), f"{told} is {outcome.wrong}, and only {raised} is reported"
            continue
        if outcome.after.leaked() and checked.options.parents:
            assert "memory_leak" in raised, f"{told} loses a block"
            continue
        together = after[None if None in after else bool(outcome.truth)]
        assert together is not None, f"{told} leads nowhere"
        heap, real = together, outcome.after.copy()
        heap.prune()
        shaken(heap, choose)
        assert agree(heap)
        assert checked.meaning.represents(heap.vectors, real, sizes=heap.sizes), f"{told} to {real}"


def scripted(checked: Bench, heap: Heap, real: Concrete, *steps: str) -> tuple[Heap, Concrete, list[str]]:
    """The steps, on the state and on the memory (where malloc gives a block); also what is reported."""
    by_code = {s.code: s for s in checked.statements}
    raised: list[str] = []
    for code in steps:
        after, told = checked.apply(by_code[code], heap)
        raised += told
        together = after[None]
        assert together is not None
        heap = together
        heap.prune()
        real = max((o.after.copy() for o in outcomes(by_code[code].run, real)), key=lambda m: len(m.alive))
    return heap, real, raised


def ready(folder: Path, *steps: str) -> tuple[Bench, Heap, Concrete, list[str]]:
    checked = bench("three", folder, Options())
    return checked, *scripted(checked, start(checked), nothing(checked), *steps)


def held(heap: Heap, names: str) -> list[Node]:
    """The nodes that variables point to, in order."""
    found = [f.target for name in names for f in heap.edges() if f.source.name == name]
    return sorted({n for n in found if n is not None})


def test_a_freed_block_has_no_parent(folder: Path) -> None:
    checked, heap, real, raised = ready(folder, "x = calloc(1, 16);", "y = calloc(1, 16);", "x->a = y;", "free(y);")
    assert raised == [] or set(raised) <= set(ACCESS)  # malloc may fail
    assert checked.meaning.represents(heap.vectors, real)


def test_a_summary_with_a_block_that_is_gone_is_no_dead_node(folder: Path) -> None:
    """One of its two blocks is freed and nothing points to it; under a new name it is the same summary."""
    checked, heap, real, _ = ready(folder, "x = calloc(1, 16);", "y = calloc(1, 16);", "free(x);")
    first, second = heap.heap_nodes()
    summarise(heap, first, second)
    heap, real, raised = scripted(checked, heap, real, "x = NULL;")
    assert raised == [] and checked.meaning.represents(heap.vectors, real)
    summarise(heap, first._replace(number=9), first)
    assert checked.meaning.represents(heap.vectors, real)


def test_one_of_several_blocks_becomes_the_parent(folder: Path) -> None:
    """Both blocks of a summary point to a block that loses its parent: only one may take over, or it is reported."""
    new = [f"{name} = calloc(1, 16);" for name in "xyz"]
    steps = [new[2], new[1], "y->a = z;", new[0], "x->a = z;", "y->b = x;", new[0], "x->a = z;", "z = y;", "z = z->b;"]
    checked, heap, real, _ = ready(folder, *steps, "y->b = NULL;")
    assert checked.meaning.represents(heap.vectors, real)
    summarise(heap, *held(heap, "xz")[:2])
    assert checked.meaning.represents(heap.vectors, real)
    heap, real, _ = scripted(checked, heap, real, "y->a = NULL;")
    assert checked.meaning.represents(heap.vectors, real)


def test_a_root_is_the_same_in_all_vectors(folder: Path) -> None:
    """Of two blocks that point to each other the upper one, in a summary, is let go: is the other one a root now?"""
    new = [f"{name} = calloc(1, 16);" for name in "xyz"]
    checked, heap, real, _ = ready(folder, new[0], new[1], "x->b = y;", "y->a = x;", new[2])
    summarise(heap, *held(heap, "xz"))
    assert checked.meaning.represents(heap.vectors, real)
    heap, real, _ = scripted(checked, heap, real, "x = NULL;")
    assert checked.meaning.represents(heap.vectors, real)


def test_what_was_above_may_be_below_later(folder: Path) -> None:
    """A block leaves its parent, becomes its parent, and is pointed to again: the two hold each other, and are lost."""
    new = [f"{name} = calloc(1, 16);" for name in "xy"]
    checked, heap, real, _ = ready(folder, *new, "x->a = y;", "x->a = NULL;", "y->b = x;", "x->a = y;")
    assert checked.meaning.represents(heap.vectors, real)
    _, _, raised = scripted(checked, heap, real, "x = NULL;", "y = NULL;")
    assert "memory_leak" in raised


def test_a_ring_is_walked_and_lost(folder: Path) -> None:
    """The only pointer moves round a ring of two; then the ring is opened behind it, and the other block is lost."""
    new = [f"{name} = calloc(1, 16);" for name in "xy"]
    checked, heap, real, raised = ready(folder, *new, "x->b = y;", "y->b = x;", "y = NULL;", "x = x->b;", "x = x->b;")
    assert "memory_leak" not in raised and checked.meaning.represents(heap.vectors, real)
    widen(heap)
    heap, real, raised = scripted(checked, heap, real, "x = x->b;")
    assert "memory_leak" not in raised and checked.meaning.represents(heap.vectors, real)
    _, _, raised = scripted(checked, heap, real, "x->b = NULL;")
    assert "memory_leak" in raised


def test_a_block_does_not_hold_itself(folder: Path) -> None:
    _, _, _, raised = ready(folder, "x = calloc(1, 16);", "x->b = x;", "x = NULL;")
    assert "memory_leak" in raised


def test_the_incoming_counter_saturates() -> None:
    """From 3 on, one pointer less leaves 2 or still 3 or more; below, the number is exact and never negative."""
    node = Node("heap", "", 16, 1)
    for count in range(6):
        heap = Heap(Vectors.everything(Diagrams()), Options())
        heap.set({Flag(COUNT_LOW, node): heap.space.false, Flag(COUNT_HIGH, node): heap.space.false})
        for _ in range(count):
            increment(heap, node, heap.space.true)
        assert [k for k in range(4) if heap.possible(count_is(heap, node, k))] == [min(count, 3)]
        decrement(heap, node, heap.space.true)
        left = [k for k in range(4) if heap.possible(count_is(heap, node, k))]
        assert left == ([2, 3] if count >= 3 else [count - 1] if count else [])


def test_the_oracle_notices_a_wrong_state(folder: Path) -> None:
    """A memory of one block is not represented by the empty state, nor by one in which the block is somewhere else."""
    checked = bench("three", folder, Options())
    real = nothing(checked)
    real.values |= {("x", 0): (1, 0), (1, 0): None, (1, 8): UNSET}
    real.alive.add(1)
    assert not checked.meaning.represents(start(checked).vectors, real)
    heap, _, _ = scripted(checked, start(checked), nothing(checked), "x = malloc(16);", "x->a = NULL;")
    assert checked.meaning.represents(heap.vectors, real)
    real["y"] = (1, 0)
    assert not checked.meaning.represents(heap.vectors, real)


@pytest.mark.parametrize("options", SETTINGS[:4], ids=str)
def test_observation_1_and_2(folder: Path, options: Options) -> None:
    """Materialising after summarising represents at least what was there; materialisations commute."""
    checked = bench("three", folder, options)
    able = [s for s in checked.statements if len(s.operations) == 1 and not re.search("free|realloc", s.code)]
    seen = 0
    for seed in range(150):
        choose = random.Random(seed)
        heap = start(checked)
        for _ in range(12):
            after, _ = checked.apply(choose.choice(able), heap)
            heap = after[None] or heap
        heap.prune()
        nodes = heap.heap_nodes()
        if len(nodes) < 3:
            continue
        seen += 1
        first, second, third = nodes[0], nodes[1], nodes[2]
        plain = heap.vectors
        exists = heap.exists(first) & heap.exists(second)
        both = heap.restrict(exists)
        if both is not None:
            plain = both.vectors
            summarise(both, first, second)
            new = materialise(both, first)
            assert new == second
            both.drop([f for f in both.flags if f.to_ghost or f.kind == "ghost"])
            assert plain <= both.vectors.join(both.vectors), "Observation 1"
        _commutes(heap, first, second, third)
    assert seen > 5


def _commutes(heap: Heap, first: object, second: object, third: object) -> None:
    both = heap.restrict(heap.any_of([heap.space.true]))
    assert both is not None
    summarise(both, first, second)  # type: ignore[arg-type]
    summarise(both, first, third)  # type: ignore[arg-type]
    if not both.is_summary(first):  # type: ignore[arg-type]
        return
    one = both.copy()
    a = materialise(one, first)  # type: ignore[arg-type]
    b = materialise(one, first)  # type: ignore[arg-type]
    other = one.copy()
    swapped = {f: f._replace(source=_swap(f.source, a, b), target=_swap(f.target, a, b)) for f in other.flags}
    renamed = other.vectors.rename(swapped)
    assert one.vectors <= renamed and renamed <= one.vectors, "Observation 2"


def _swap(node: object, a: object, b: object) -> object:
    return b if node == a else a if node == b else node
