"""Structures inside structures: one of them is followed apart (FESA section 6 names them as future work).

Facts about a cell and its neighbours do not tell a list of rings from a list whose nodes point into one large ring. So
an attempt follows one structure of the inner type, any one. A new block of this type is FRESH. Where two fresh blocks
are linked, or a block of the outer type with a fresh one, they become CHOSEN, unless others were chosen before; or they
are given up: their nodes go, and pointers to them lead to OTHERS. A block that is linked with a chosen one is
chosen, and a fresh one that a given-up block points to is given up.

A pointer to OTHERS may be used without a warning, and what is read there leads to OTHERS: it may be NULL or have no
value, too, so that comparisons with it may come out either way. That hides no error. Each block has a choice with which
it is never given up: that at its first link, or that of the block with which it is linked then. With this choice what
is read from the block is known, and the state reports what goes wrong. So a pointer that was read from OTHERS must
not be stored in a block that is not given up, except in one of the outer type: it is NULL or has no value there, or the
block is given up; and a chosen block must not be linked with OTHERS.

Not from the paper; Yahav, Ramalingam. Verifying safety properties using separation and heterogeneous abstractions.
PLDI 2004: one of many components is chosen nondeterministically.
"""

from __future__ import annotations

from collections.abc import Iterator

from kleene.domains.fesa.directions import leads_to
from kleene.domains.fesa.flags import EXISTS, OTHERS, UNDEFINED, VARIABLE, Flag, Node
from kleene.domains.fesa.functions import Function
from kleene.domains.fesa.heap import CHOSEN, FRESH, Heap, Inner
from kleene.domains.fesa.summaries import fresh, rename_nodes
from kleene.domains.fesa.writing import clear
from kleene.passes.facts.memory import Memory, Unmodelled

HAS_CHOSEN = Flag(EXISTS, Node(VARIABLE, "$chosen"))
"""Whether some blocks were chosen already."""
_CONNECTED = "inner structures that are connected with each other"


def inner_structures(memory: Memory) -> Inner | None:
    """The types of inner structures: recursive, without pointers to other types, with pointers from recursive ones."""
    leads = leads_to(memory)
    recursive = {size for (size, _), sizes in leads.items() if size in sizes}
    inner = {size for size in recursive if all(sizes <= {size} for (own, _), sizes in leads.items() if own == size)}
    held = {to for (size, _), sizes in leads.items() if size in recursive for to in sizes - {size}}
    chosen = frozenset(inner & held)
    return Inner(chosen, frozenset(place for place, sizes in leads.items() if sizes & chosen)) if chosen else None


def changes_names(inner: Inner, node: Node, target: Node) -> bool:
    """Whether a pointer from a block to a target may make one of them another kind of block."""
    if target == OTHERS:
        return node.size in inner.sizes
    return target.is_heap and (node.name != target.name or node.name == FRESH)


def linked(heap: Heap, node: Node, target: Node) -> Iterator[tuple[Heap, Node | None, Node | None]]:
    """The states before a pointer is stored: its holder, none if it is given up, and the target, none for NULL."""
    inner = heap.options.inner
    assert inner is not None
    if target == OTHERS:
        if node.name == CHOSEN:
            raise Unmodelled(_CONNECTED)
        for value in (None, UNDEFINED):
            yield heap.copy(), node, value
        give_up(heap, node)
        yield heap, None, None
        return
    if CHOSEN in (node.name, target.name):
        yield heap, *_choose(heap, node, target)
        return
    first = heap.restrict(~heap.flag(HAS_CHOSEN))
    if first is not None:
        first.set({HAS_CHOSEN: heap.space.true})
        yield first, *_choose(first, node, target)
    give_up(heap, target)
    if node.size not in inner.sizes:
        yield heap, node, OTHERS
        return
    if node != target:
        give_up(heap, node)
    yield heap, None, None


def store_in_others(heap: Heap, targets: dict[tuple[Node, int], Function]) -> Iterator[tuple[Node, int]]:
    """The fresh blocks among the targets of a pointer that is stored in a block that was given up."""
    for key, where in targets.items():
        node, _ = key
        if node in (UNDEFINED, OTHERS) or not heap.possible(where):
            continue
        if node.name != FRESH:
            raise Unmodelled(_CONNECTED)
        yield key


def give_up(heap: Heap, node: Node) -> None:
    """A block is not followed any more: pointers to it lead to OTHERS."""
    unseen = (node, UNDEFINED, OTHERS)
    if any(f.target not in unseen and heap.possible(heap.flag(f)) for f in heap.edges_from(node)):
        raise Unmodelled(_CONNECTED)
    clear(heap, node, lambda kind, text: None)
    changes: dict[Flag, Function] = {}
    for flag in heap.edges_to(node):
        to_others = flag._replace(target=OTHERS, offset=0)
        changes[to_others] = changes.get(to_others, heap.flag(to_others)) | heap.flag(flag)
    heap.set(changes)
    heap.drop(heap.mentioning(node))


def _choose(heap: Heap, node: Node, target: Node) -> tuple[Node, Node]:
    """Make both nodes chosen ones."""
    result: dict[Node, Node] = {}
    for old in {node: None, target: None}:
        new = old if old.name == CHOSEN else fresh(heap, old)._replace(name=CHOSEN)
        if new != old:
            heap.vectors = rename_nodes(heap.vectors, {old: new, old.other: new.other})
        result[old] = new
    return result[node], result[target]
