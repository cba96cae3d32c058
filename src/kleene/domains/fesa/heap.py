"""A heap state p ▷ b: the dimensions of b are the points-to graph p, since every edge has a flag (FESA section 2.1).

An edge that is not in the graph is one whose flag is always zero; so states become compatible by adding zeros.
`Heap` is a state that operations change in place; `State` is the immutable element of the domain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from kleene.domains.fesa.flags import (
    EDGE,
    EXISTS,
    MOVED_NULL,
    NOT_NULL,
    UNDEFINED,
    VARIABLE,
    Flag,
    Node,
)
from kleene.domains.fesa.functions import Function, Space
from kleene.domains.fesa.graph import Graph, graph_of
from kleene.domains.fesa.sizes import Sizes
from kleene.domains.fesa.vectors import Vectors

CHOSEN, FRESH = "chosen ", "fresh "
"""The names of nodes whose blocks are followed apart, or are not linked yet (`inner.py`)."""


@dataclass(frozen=True)
class Inner:
    """Types of structures inside others, one of which is followed apart: their sizes, and the slots that link them."""

    sizes: frozenset[int]
    links: frozenset[tuple[int, int]]


@dataclass(frozen=True)
class Options:
    """The tracked facts: the outgoing and the incoming counters (section 4), parents of blocks (for leaks)."""

    out_counter: bool = True
    in_counter: bool = True
    parents: bool = True
    reduce: bool = True
    limit: int = 5_000
    """Number of nodes of a function above which relations are forgotten."""
    crowded: int = 4_000
    """Number of nodes above which a state is widened everywhere, not only at loop heads."""
    apart: bool = False
    """Whether nodes that variables point to, and freed nodes, are summarised only with nodes of the same kind."""
    by_role: bool = False
    """Whether nodes of different states are the same if they have the same role, rather than the same age."""
    by_cases: bool = False
    """Whether a location has a state for each answer to which variables are NULL, rather than one."""
    related_numbers: bool = False
    """Whether the ghost of a summary has numbers too, so that the numbers of two of its cells are related."""
    permanent: frozenset[str] = field(default_factory=frozenset)
    """The variables that exist all the time."""
    back: frozenset[tuple[int, int]] = field(default_factory=frozenset)
    """Slots of blocks (size, offset) that are never parent edges."""
    inner: Inner | None = None
    """With it, one inner structure is followed apart from the others."""
    sizes: bool = False
    """Whether the numbers of blocks of nodes are followed, beside the numbers of the program."""


class Heap:
    """A state under change."""

    def __init__(self, vectors: Vectors, options: Options, sizes: Sizes | None = None) -> None:
        self.vectors = vectors
        self.options = options
        self.sizes = sizes
        self._graph: Graph | None = None

    @property
    def space(self) -> Space:
        return self.vectors.space

    @property
    def flags(self) -> frozenset[Flag]:
        return flags_of(self.vectors)

    def leads_back(self, node: Node, slot: int) -> bool:
        """Whether pointers in a slot are never parent edges."""
        return (node.size, slot) in self.options.back

    def copy(self) -> Heap:
        return Heap(self.vectors, self.options, self.sizes)

    def restrict(self, condition: Function) -> Heap | None:
        """The part of the state where a condition holds; None if it is empty."""
        vectors = self.vectors.restrict(condition)
        return None if vectors.is_empty() else Heap(vectors, self.options, self.sizes)

    def possible(self, condition: Function) -> bool:
        return self.space.satisfiable(self.vectors.function & condition)

    def flag(self, flag: Flag) -> Function:
        return self.vectors.flag(flag)

    def set(self, values: Mapping[Flag, Function]) -> None:
        self.vectors = self.vectors.set(values)

    def assume(self, condition: Function) -> None:
        self.vectors = self.vectors.restrict(condition)

    def drop(self, flags: Iterable[Flag]) -> None:
        self.vectors = self.vectors.drop(*flags)

    def any_of(self, functions: Iterable[Function]) -> Function:
        result = self.space.false
        for function in functions:
            result = result | function
        return result

    def all_of(self, functions: Iterable[Function]) -> Function:
        result = self.space.true
        for function in functions:
            result = result & function
        return result

    # The graph ------------------------------------------------------------------------------------------------

    @property
    def graph(self) -> Graph:
        flags = flags_of(self.vectors)
        if self._graph is None or self._graph.flags is not flags:
            self._graph = graph_of(flags)
        return self._graph

    def nodes(self) -> list[Node]:
        """All nodes but ghosts, in order."""
        return self.graph.nodes

    def heap_nodes(self) -> list[Node]:
        return self.graph.heap_nodes

    def is_summary(self, node: Node) -> bool:
        return node in self.graph.summaries

    def edges(self, kind: str = EDGE) -> Sequence[Flag]:
        return self.graph.by_kind.get(kind, ())

    def edges_from(self, node: Node, slot: int | None = None, kind: str = EDGE) -> Sequence[Flag]:
        edges = self.graph.leaving.get((kind, node), ())
        return edges if slot is None else [f for f in edges if f.slot == slot]

    def edges_to(self, node: Node, kind: str = EDGE) -> Sequence[Flag]:
        return self.graph.entering.get((kind, node), ())

    def to_ghost(self, node: Node) -> Sequence[Flag]:
        """The edges between a summary and its ghost, and the numbers of the ghost."""
        return self.graph.to_ghosts.get(node, ())

    def mentioning(self, node: Node) -> Sequence[Flag]:
        return self.graph.mentioning.get(node, ())

    def slots(self, node: Node) -> Sequence[int]:
        return self.graph.slots.get(node, ())

    def exists(self, node: Node) -> Function:
        """The condition that the node is allocated. Nodes that the program cannot free always exist."""
        if node.is_heap:
            return self.flag(Flag(EXISTS, node))
        if node in (UNDEFINED, MOVED_NULL):
            return self.space.false
        if node.kind == VARIABLE and node.name not in self.options.permanent:
            return self.flag(Flag(EXISTS, node))
        return self.space.true

    def not_null(self, node: Node, slot: int) -> tuple[Function, Function]:
        """Where the slot may hold a pointer, and where it may hold NULL; complements with outgoing counters.

        Without them, a pointer to an instance of a summary outside the vector looks like NULL.
        """
        space = self.space
        if self.options.out_counter:
            flag = self.flag(Flag(NOT_NULL, node, slot))
            return flag, ~flag
        edges = self.edges_from(node, slot)
        some = self.any_of(self.flag(f) for f in edges)
        vague = any(f.target is not None and (f.target.ghost or self.is_summary(f.target)) for f in edges)
        return (space.true if vague else some), ~some

    def prune(self) -> None:
        self.vectors = self.vectors.prune()


def flags_of(vectors: Vectors) -> frozenset[Flag]:
    """The dimensions of a state, which are flags."""
    return cast("frozenset[Flag]", vectors.dims)


Case = frozenset[str]
"""What is known of all heaps of a state: answers to questions such as which variables are NULL."""


@dataclass(frozen=True, eq=False)
class State:
    """An element at a location; `widen` marks loop heads and crowded locations, where nodes are summarised."""

    vectors: Vectors
    widen: bool = False
    context: object = None
    """The call site of the function that begins with this state."""
    case: Case = frozenset()
    """With cases: those that the state is about."""
    sizes: Sizes | None = None

    def same(self, other: State) -> bool:
        a, b = self.vectors, other.vectors
        if self.sizes is not None and other.sizes is not None and not self.sizes.same(other.sizes):
            return False
        return a.dims == b.dims and bool(a.function == b.function)

    def heap(self, options: Options) -> Heap:
        """The state, to be changed."""
        return Heap(self.vectors, options, self.sizes)


def join_vectors(parts: Sequence[Vectors]) -> Vectors | None:
    """The least upper bound; None for nothing."""
    result: Vectors | None = None
    for part in parts:
        result = part if result is None else result.join(part)
    return result


def join_heaps(parts: Sequence[Heap]) -> Heap | None:
    """The same of heaps, with what is known of the sizes of nodes."""
    together = join_vectors([part.vectors for part in parts])
    if together is None:
        return None
    sizes = parts[0].sizes
    for part in parts[1:]:
        sizes = None if sizes is None or part.sizes is None else sizes.join(part.sizes)
    return Heap(together, parts[0].options, sizes)
