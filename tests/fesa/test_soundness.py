"""Every transformer against concrete heaps: what the operation makes of a represented heap is represented afterwards.

Random runs of up to five cells are followed with states of the domain that are summarised at random; each step is
checked, errors too. The tests in `concrete.py` know nothing of how the domain works.
"""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest

from kleene.c.reader import read_program
from kleene.cfa.operations import Assume, Operation
from kleene.domains.fesa.counters import count_is, decrement, increment, keep_hygiene, reduce
from kleene.domains.fesa.flags import COUNT_HIGH, COUNT_LOW, Flag, Node
from kleene.domains.fesa.functions import Diagrams
from kleene.domains.fesa.heap import Heap, Options, joined
from kleene.domains.fesa.summaries import materialise, separated, summarise
from kleene.domains.fesa.transfer import Transfer
from kleene.domains.fesa.vectors import Vectors
from kleene.domains.fesa.widening import widen
from kleene.semantics.memory import Memory

from .concrete import UNSET, Concrete, Wrong, represents

NAMES = "xyz"
SETTINGS = [
    Options(),
    Options(apart=True),
    Options(parents=False),
    Options(in_counter=False, reduce=False),
    Options(out_counter=False, in_counter=False, reduce=False, parents=False),
    Options(out_counter=False, in_counter=False, reduce=False),
]
ACCESS = ("null_dereference", "uninitialized_pointer", "dangling_dereference")


def operations() -> list[tuple[tuple[str, ...], str]]:
    found: list[tuple[tuple[str, ...], str]] = []
    fields = {"0": "a", "8": "b"}
    for x in NAMES:
        found += [(("null", x), f"{x} = NULL;"), (("free", x), f"free({x});")]
        found += [(("malloc", x, "unset"), f"{x} = malloc(16);"), (("malloc", x, "zero"), f"{x} = calloc(1, 16);")]
        found += [(("equal", x), f"if ({x} == NULL) ;"), (("different", x), f"if ({x} != NULL) ;")]
        for slot, name in fields.items():
            found.append((("clear", x, slot), f"{x}->{name} = NULL;"))
            found += [(("store", x, slot, y), f"{x}->{name} = {y};") for y in NAMES]
            found += [(("load", x, y, slot), f"{x} = {y}->{name};") for y in NAMES]
        for y in NAMES:
            if x != y:
                found.append((("copy", x, y), f"{x} = {y};"))
                found += [(("equal", x, y), f"if ({x} == {y}) ;"), (("different", x, y), f"if ({x} != {y}) ;")]
    return found


@cache
def setup(folder: Path) -> tuple[Memory, list[tuple[tuple[str, ...], Operation]]]:
    """The operations as the C reader makes them."""
    listed = operations()
    text = "#include <stdlib.h>\nstruct node { struct node *a, *b; };\nint main(void) {\n  struct node *x, *y, *z;\n"
    text += "".join(f"  {code}\n" for _, code in listed) + "  return 0;\n}\n"
    path = folder / "all.c"
    path.write_text(text)
    program = read_program([str(path)], data_model="LP64")
    by_line: dict[int, Operation] = {}
    for edge in program.main.cfa.edges:
        holds = not isinstance(edge.label, Assume) or edge.label.truth
        if edge.label.place.line > 4 and holds:
            by_line.setdefault(edge.label.place.line, edge.label)
    return Memory(program, program.main.cfa), [(op, by_line[5 + k]) for k, (op, _) in enumerate(listed)]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Memory, list[tuple[tuple[str, ...], Operation]]]:
    return setup(tmp_path_factory.mktemp("fesa"))


def start(options: Options) -> Heap:
    return Heap(Vectors.everything(Diagrams()), options)


def shaken(heap: Heap, choose: random.Random) -> None:
    """Something that must not lose heaps: summarise, widen, take a node out, use the counters."""
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
            separated(heap, choose.choice(summaries))
    heap.pruned()


@pytest.mark.parametrize("options", SETTINGS, ids=str)
@pytest.mark.parametrize("seed", range(5))
def test_random_runs(made: tuple[Memory, list[tuple[tuple[str, ...], Operation]]], options: Options, seed: int) -> None:
    for round_ in range(2):
        follow(made, options, random.Random(seed * 1000 + round_))


def chosen(
    listed: list[tuple[tuple[str, ...], Operation]], real: Concrete, choose: random.Random
) -> tuple[tuple[str, ...], Operation]:
    """An operation; most of the time one that is no error and loses nothing, so that heaps get interesting."""
    for _ in range(8):
        operation, edge = choose.choice(listed)
        after = real.copy()
        try:
            fine = after.step(operation) and not after.lost()
        except Wrong:
            fine = False
        if fine or choose.random() < 0.1:
            break
    return operation, edge


def follow(
    made: tuple[Memory, list[tuple[tuple[str, ...], Operation]]],
    options: Options,
    choose: random.Random,
    steps: int = 24,
    cells: int = 4,
) -> None:
    memory, listed = made
    transfer = Transfer(memory, malloc_may_fail=True)
    heap = start(options)
    real = Concrete(dict.fromkeys(NAMES))
    for _ in range(steps):
        operation, edge = chosen(listed, real, choose)
        if operation[0] == "malloc" and len(real.cells) + len(real.freed & set(real.known())) >= cells:
            continue
        after = real.copy()
        raised: list[str] = []
        transfer.report = lambda kind, text, raised=raised: raised.append(kind)  # type: ignore[misc]
        before = heap.copy()
        results = [h.vectors for h in transfer.apply(heap.copy(), edge) if not h.vectors.is_empty()]
        try:
            passed = after.step(operation)
        except Wrong as wrong:
            kinds = ACCESS if str(wrong) in ACCESS else (str(wrong),)
            assert set(kinds) & set(raised), f"{operation} is {wrong}, and only {raised} is reported"
            continue
        if not passed:
            continue
        if options.parents and after.lost():
            assert "memory_leak" in raised, f"{operation} loses {after.lost()}"
            continue
        if "memory_leak" in raised:  # a false alarm changes the forest; go on elsewhere
            continue
        together = joined(results)
        assert together is not None, f"{operation} leads nowhere"
        heap, real = Heap(together, options), after
        heap.pruned()
        shaken(heap, choose)
        assert represents(heap.vectors, real, options), f"{operation} from {before.flags}: {real}"


def test_five_cells(made: tuple[Memory, list[tuple[tuple[str, ...], Operation]]]) -> None:
    follow(made, Options(), random.Random(7), steps=16, cells=5)


Made = tuple[Memory, list[tuple[tuple[str, ...], Operation]]]


def scripted(made: Made, heap: Heap, real: Concrete, *steps: str) -> tuple[Heap, list[str]]:
    """The steps, on the state and on the heap; also what is reported."""
    memory, listed = made
    transfer, by_name = Transfer(memory, malloc_may_fail=False), dict(listed)
    raised: list[str] = []
    transfer.report = lambda kind, text: raised.append(kind)
    for step in steps:
        operation = tuple(step.split())
        together = joined([h.vectors for h in transfer.apply(heap.copy(), by_name[operation])])
        assert together is not None and real.step(operation)
        heap = Heap(together, heap.options)
        heap.pruned()
    return heap, raised


def test_a_freed_block_has_no_parent(made: Made) -> None:
    real = Concrete(dict.fromkeys(NAMES))
    heap, raised = scripted(made, start(Options()), real, "malloc x zero", "malloc y zero", "store x 0 y", "free y")
    assert raised == [] and represents(heap.vectors, real, Options())


def test_a_summary_with_a_cell_that_is_gone_is_no_dead_node(made: Made) -> None:
    """One of its two cells is freed and nothing points to it; under a new name it is the same summary."""
    real = Concrete(dict.fromkeys(NAMES))
    heap, _ = scripted(made, start(Options()), real, "malloc x zero", "malloc y zero", "free x")
    first, second = heap.heap_nodes()
    summarise(heap, first, second)
    heap, raised = scripted(made, heap, real, "null x")
    assert raised == [] and represents(heap.vectors, real, Options())
    summarise(heap, first._replace(number=9), first)
    assert represents(heap.vectors, real, Options())


def test_one_of_several_cells_becomes_the_parent(made: Made) -> None:
    """Both cells of a summary point to a block that loses its parent: only one may take over, or a leak is reported."""
    real = Concrete(dict.fromkeys(NAMES))
    steps = ["malloc z zero", "malloc y zero", "store y 0 z", "malloc x zero", "store x 0 z", "store y 8 x"]
    steps += ["malloc x zero", "store x 0 z", "load z y 8", "clear y 8"]
    heap, raised = scripted(made, start(Options()), real, *steps)
    assert raised == [] and represents(heap.vectors, real, Options())
    held = [next(f.target for f in heap.edges() if f.source.name == name) for name in "xz"]
    summarise(heap, *sorted(n for n in held if n is not None))
    assert represents(heap.vectors, real, Options())
    heap, raised = scripted(made, heap, real, "clear y 0")
    assert raised == ["memory_leak"] or represents(heap.vectors, real, Options())


def test_a_root_is_the_same_in_all_vectors(made: Made) -> None:
    """Of two blocks that point to each other the upper one, in a summary, is let go: is the other one a root now?"""
    real = Concrete(dict.fromkeys(NAMES))
    steps = ["malloc x zero", "malloc y zero", "store x 8 y", "store y 0 x", "malloc z zero"]
    heap, _ = scripted(made, start(Options()), real, *steps)
    held = [next(f.target for f in heap.edges() if f.source.name == name) for name in "xz"]
    summarise(heap, *sorted(n for n in held if n is not None))
    assert represents(heap.vectors, real, Options())
    heap, raised = scripted(made, heap, real, "null x")
    assert raised == ["memory_leak"] or represents(heap.vectors, real, Options())


def test_what_was_above_may_be_below_later(made: Made) -> None:
    """A block leaves its parent, becomes its parent, and is pointed to again: the two hold each other, and are lost."""
    real = Concrete(dict.fromkeys(NAMES))
    steps = ["malloc x zero", "malloc y zero", "store x 0 y", "clear x 0", "store y 8 x", "store x 0 y"]
    heap, raised = scripted(made, start(Options()), real, *steps)
    assert raised == [] and represents(heap.vectors, real, Options())
    _, raised = scripted(made, heap, real, "null x", "null y")
    assert raised == ["memory_leak"]


def test_a_ring_is_walked_and_lost(made: Made) -> None:
    """The only pointer goes round a ring of two; then the ring is opened behind it, and the other cell is lost."""
    real = Concrete(dict.fromkeys(NAMES))
    steps = ["malloc x zero", "malloc y zero", "store x 0 y", "store y 0 x", "null y", "load x x 0", "load x x 0"]
    heap, raised = scripted(made, start(Options()), real, *steps)
    assert raised == [] and represents(heap.vectors, real, Options())
    widen(heap)
    heap, raised = scripted(made, heap, real, "load x x 0")
    assert raised == [] and represents(heap.vectors, real, Options())
    _, raised = scripted(made, heap, real, "clear x 0")
    assert raised == ["memory_leak"]


def test_a_block_does_not_hold_itself(made: Made) -> None:
    real = Concrete(dict.fromkeys(NAMES))
    _, raised = scripted(made, start(Options()), real, "malloc x zero", "store x 0 x", "null x")
    assert raised == ["memory_leak"]


def test_the_incoming_counter_saturates() -> None:
    """From 3 on, one pointer less leaves 2 or still 3 or more; below, the number is exact and never negative."""
    node = Node("heap", "", 16, 1)
    for count in range(6):
        heap = start(Options())
        heap.set({Flag(COUNT_LOW, node): heap.space.false, Flag(COUNT_HIGH, node): heap.space.false})
        for _ in range(count):
            increment(heap, node, heap.space.true)
        assert [k for k in range(4) if heap.possible(count_is(heap, node, k))] == [min(count, 3)]
        decrement(heap, node, heap.space.true)
        left = [k for k in range(4) if heap.possible(count_is(heap, node, k))]
        assert left == ([2, 3] if count >= 3 else [count - 1] if count else [])


def test_the_oracle_notices_a_wrong_state(made: tuple[Memory, list[tuple[tuple[str, ...], Operation]]]) -> None:
    """A heap of one cell is not represented by the empty state, nor by one in which the cell is somewhere else."""
    real = Concrete({"x": 1, "y": None, "z": None}, {1: {0: None, 8: UNSET}})
    assert not represents(start(Options()).vectors, real, Options())
    memory, listed = made
    transfer = Transfer(memory, malloc_may_fail=False)
    by_name = dict(listed)
    (held,) = transfer.apply(start(Options()), by_name["malloc", "x", "unset"])
    (cleared,) = transfer.apply(held, by_name["clear", "x", "0"])
    assert represents(cleared.vectors, real, Options())
    real.variables["y"] = 1
    assert not represents(cleared.vectors, real, Options())


@pytest.mark.parametrize("options", SETTINGS[:4], ids=str)
def test_observation_1_and_2(made: tuple[Memory, list[tuple[tuple[str, ...], Operation]]], options: Options) -> None:
    """Materialising after summarising represents at least what was there; materialisations commute."""
    memory, listed = made
    transfer = Transfer(memory, malloc_may_fail=False)
    transfer.report = lambda kind, text: None
    seen = 0
    for seed in range(150):
        choose = random.Random(seed)
        heap = start(options)
        for _ in range(12):
            _, edge = choose.choice(listed)
            results = [h.vectors for h in transfer.apply(heap.copy(), edge) if not h.vectors.is_empty()]
            if results and "free" not in str(edge):
                heap = Heap(joined(results) or heap.vectors, options)
        heap.pruned()
        nodes = heap.heap_nodes()
        if len(nodes) < 3:
            continue
        seen += 1
        first, second, third = nodes[0], nodes[1], nodes[2]
        plain = heap.vectors
        exists = heap.exists(first) & heap.exists(second)
        both = heap.restricted(exists)
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
    both = heap.restricted(heap.any_of([heap.space.true]))
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
