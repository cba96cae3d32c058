"""The check of every transformer against all concrete memories of a few cells, errors included.

A cell is a variable, an object on the stack or a block. For every memory, every forest of parents and every way to
put its blocks into nodes, the least state that represents it is made; then each statement and each operation on states
must keep what it represents. The states are also joined, so that choices that depend on the whole state are tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce as reduce_by
from itertools import groupby
from pathlib import Path

from kleene.diagnostics import LimitReached
from kleene.domains.fesa.counters import keep_hygiene, reduce
from kleene.domains.fesa.flags import rank
from kleene.domains.fesa.functions import Diagrams
from kleene.domains.fesa.heap import Heap, Options, join_heaps, join_vectors
from kleene.domains.fesa.sizes import Sizes, agree
from kleene.domains.fesa.summaries import separate_instance, summarise
from kleene.domains.fesa.transfer import Transfer
from kleene.domains.fesa.widening import coarsen, rename_by_role, widen
from kleene.domains.fesa.writing import clear

from .concrete import ACCESS, Concrete, Forest, Value, outcomes, partitions
from .meaning import Meaning, Placing, block_node, sizes_of
from .statements import Statement, Vocabulary


@dataclass(frozen=True)
class Item:
    """A memory, and how a state shows it."""

    heap: Concrete
    placing: Placing
    forest: Forest


def _likeness(item: Item) -> tuple[list[int], int, list[int], list[str]]:
    """What the items of a group have in common."""
    heap = item.heap

    def condition(value: Value) -> str:
        return str(value) if not isinstance(value, tuple) else f"{type(value[0]).__name__} {value[0] in heap.alive}"

    variables = [condition(v) for (thing, _), v in heap.values.items() if isinstance(thing, str)]
    return [n.number for n in item.placing.values()], len(heap.alive), sorted(heap.lost), variables


class Bench:
    """One vocabulary with the operations of the domain, under some options."""

    def __init__(self, vocabulary: Vocabulary, folder: Path, options: Options) -> None:
        memory, self.statements = vocabulary.read(folder)
        self.transfer = Transfer(memory, malloc_may_fail=True)
        self.options = replace(options, permanent=frozenset(vocabulary.world.objects.keys() - vocabulary.world.ending))
        self.world = vocabulary.world
        variables = {v.name: v for v in memory.integers}
        self.meaning = Meaning(
            self.world, self.options, lambda n, o: self.transfer.numbers(n, o, variables.get(n.name))
        )
        self.space = Diagrams(order=rank)
        self.done = 0

    def items(self, blocks: int, unset: int, lost: int) -> Iterator[Item]:
        for heap in self.world.heaps(blocks, unset, lost=lost):
            for forest in heap.forests() if self.options.parents else iter([{}]):
                for partition in partitions(heap.blocks()):
                    yield Item(heap, {b: block_node(k) for b, k in partition.items()}, forest)

    def groups(self, blocks: int, unset: int, lost: int, size: int) -> Iterator[Sequence[Item]]:
        """All items, similar ones together: the same nodes, and variables in the same condition."""
        items = sorted(self.items(blocks, unset, lost), key=_likeness)
        for _, like in groupby(items, key=_likeness):
            members = list(like)
            for start in range(0, len(members), size):
                yield members[start : start + size]

    def state(self, items: Sequence[Item], *, remembers: bool = False) -> Heap:
        remembers = remembers and self.options.parents
        vectors = join_vectors(
            [self.meaning.state(self.space, i.heap, i.placing, i.forest, remembers=remembers) for i in items]
        )
        assert vectors is not None
        sizes = reduce_by(Sizes.join, [sizes_of(i.heap, i.placing) for i in items]) if self.options.sizes else None
        return Heap(vectors, self.options, sizes)

    def check(self, items: Sequence[Item], *, remembers: bool = False) -> None:
        """All statements and operations on the join of the states of some items; in halves if it is too large."""
        try:
            self._check(items, remembers=remembers)
        except LimitReached:
            if len(items) == 1:
                raise
            half = len(items) // 2
            self.space = Diagrams(order=rank)
            self.check(items[:half], remembers=remembers)
            self.check(items[half:], remembers=remembers)

    def _check(self, items: Sequence[Item], *, remembers: bool) -> None:
        state = self.state(items, remembers=remembers)
        self.space.arrange()
        for statement in self.statements:
            able = [item for item in items if statement.possible(item.heap)]
            if able:
                own = state if len(able) == len(items) else self.state(able, remembers=remembers)
                self.check_statement(statement, own, able)
        self.check_operations(state, items)

    def apply(self, statement: Statement, state: Heap) -> tuple[dict[bool | None, Heap | None], list[str]]:
        """The state after a statement, for each truth of a condition, and what is reported."""
        raised: list[str] = []
        self.transfer.report = lambda kind, text: raised.append(kind)
        after: dict[bool | None, Heap | None] = {}
        for operation in statement.operations:
            results = [self.without_registers(h) for h in self.transfer.apply(state.copy(), operation)]
            after[statement.truth(operation)] = join_heaps([heap for heap in results if agree(heap)])
        return after, raised

    def check_statement(self, statement: Statement, state: Heap, items: Sequence[Item]) -> None:
        after, raised = self.apply(statement, state)
        for item in items:
            for outcome in outcomes(statement.run, item.heap):
                self.done += 1
                told = f"{statement.code} from {item}"
                if outcome.wrong:
                    kinds = ACCESS if outcome.wrong in ACCESS else (outcome.wrong,)
                    assert set(kinds) & set(raised), f"{told} is {outcome.wrong}, and only {raised} is reported"
                    continue
                leaked = outcome.after.leaked()
                assert not leaked or not self.options.parents or "memory_leak" in raised, f"{told} loses {leaked}"
                truth = None if None in after else bool(outcome.truth)
                result = after[truth]
                assert result is not None, f"{told} leads nowhere"
                kept = self.meaning.represents(result.vectors, outcome.after, item.placing, result.sizes)
                assert kept, f"{told} to {outcome.after}"

    def without_registers(self, heap: Heap) -> Heap:
        for node in heap.nodes():
            if node.name == "$register":
                clear(heap, node, self.transfer.report)
        return heap

    def check_operations(self, state: Heap, items: Sequence[Item]) -> None:
        for name, heap in self.operations(state):
            for item in items:
                self.done += 1
                kept = self.meaning.represents(heap.vectors, item.heap, item.placing, heap.sizes)
                assert kept, f"{name} loses {item} of {state.flags}"

    def operations(self, state: Heap) -> Iterator[tuple[str, Heap]]:
        """What is done to states apart from statements."""
        yield "nothing", state
        nodes = state.heap_nodes()
        for number, kept in enumerate(nodes):
            for gone in nodes[number + 1 :]:
                for first, second in ((kept, gone), (gone, kept)):
                    heap = state.copy()
                    summarise(heap, first, second)
                    yield f"summarise {first} {second}", heap
        for node in nodes:
            if state.is_summary(node):
                heap = state.copy()
                separate_instance(heap, node)
                yield f"separate {node}", heap
                self.transfer.tidy(heap, *nodes)
                yield f"separate {node} and tidy", heap
        for name, operation in (("widen", widen), ("prune", Heap.prune), ("agree", agree)):
            heap = state.copy()
            operation(heap)
            yield name, heap
        if self.options.reduce:
            heap = state.copy()
            keep_hygiene(heap, heap.nodes())
            yield "keep_hygiene", heap
            reduce(heap, heap.nodes())
            yield "reduce", heap
        if self.options.by_role:
            heap = state.copy()
            rename_by_role(heap, {})
            yield "rename by role", heap
        for limit in (0, 8):
            heap = state.copy()
            coarsen(heap, limit)
            yield f"coarsen to {limit}", heap
