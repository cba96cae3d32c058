"""Cases: several states at one location, told apart by what is the same for all vectors of a heap.

A heap is represented if the vectors of all choices of instances are in the set. So a state may be divided by facts
about variables and nodes that are no summaries: these have one answer for a whole heap, others may have several.

Beside the paper: it has one state for each location.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from kleene.domains.fesa.counters import keep_hygiene, reduce
from kleene.domains.fesa.flags import EXISTS, NOT_NULL, OTHERS, VARIABLE, Flag, Node
from kleene.domains.fesa.functions import Function
from kleene.domains.fesa.heap import CHOSEN, Case, Heap
from kleene.domains.fesa.inner import HAS_CHOSEN
from kleene.domains.fesa.widening import reached_from

Part = tuple[Case, Heap]


def cases_of(heap: Heap, asked: Iterable[Node], pointers: Set[Node]) -> Iterator[Part]:
    """The parts of a state: by which of the asked variables are NULL, which pointers lead to objects that have names.

    Where one structure inside another is followed, also by where it is.
    """
    options = heap.options
    parts: list[Part] = [(frozenset(), heap)]
    for node in asked:
        parts = list(_divided(parts, node.name, Flag(NOT_NULL, node)))
    if options.by_cases:
        for flag in heap.edges():
            if flag.source in pointers and flag.target is not None and flag.target.kind == VARIABLE:
                parts = list(_divided(parts, str(flag), flag))
        if options.inner is not None:
            parts = [part for each in parts for part in _by_followed(*each)]
    yield from parts


def _divided(parts: Iterable[Part], answer: str, flag: Flag) -> Iterator[Part]:
    """Each part as up to two, by a flag of which all vectors of a heap have the same value."""
    for case, heap in parts:
        truth: Function = heap.flag(flag)
        for condition, name in ((truth, {answer}), (~truth, set())):
            part = heap.restrict(condition)
            if part is not None:
                yield case | name, part


def _by_followed(case: Case, heap: Heap) -> Iterator[Part]:
    """By whether a structure is followed, by the variables that lead to others, and by the block that holds it."""
    parts = list(_divided([(case, heap)], "followed", HAS_CHOSEN))
    for flag in heap.edges_to(OTHERS):
        if flag.source.kind == VARIABLE:
            parts = list(_divided(parts, f"{flag.source.name} is elsewhere", flag))
    for known, part in parts:
        yield from _by_holders(known, part)


def _by_holders(case: Case, heap: Heap) -> Iterator[Part]:
    """By the block of the outer type that holds the structure: which variables point to it, or else reach it.

    The parts are reduced: a block that nothing leads to any more exists in no heap.
    """
    inner = heap.options.inner
    assert inner is not None
    heap.prune()
    parts: list[Part] = [(frozenset(), heap)]
    outer = [n for n in heap.heap_nodes() if n.name == CHOSEN and n.size not in inner.sizes]
    single = [n for n in outer if not heap.is_summary(n)]
    for node in single:
        parts = list(_divided(parts, str(node), Flag(EXISTS, node)))
        for flag in heap.edges_to(node):
            if flag.source.kind == VARIABLE:
                parts = list(_divided(parts, f"{node} {flag.source.name}", flag))
    for _, part in parts:
        if len(parts) > 1 and heap.options.reduce:
            keep_hygiene(part, part.nodes())
            reduce(part, part.nodes())
        if part.vectors.is_empty():
            continue
        part.prune()
        reached = reached_from(part)
        label: set[str] = set()
        for node in reached.keys() & set(single):
            held = {f.source.name for f in part.edges_to(node) if f.source.kind == VARIABLE}
            label |= {f"{name} holds it" for name in held} or {f"{v.name} reaches it" for v in reached[node]}
        yield case | label, part
