"""A heap state p ▷ b: the dimensions of b are the points-to graph p, since every edge has a flag (FESA section 2.1).

An edge that is not in the graph is one whose flag is always zero; so states become compatible by adding zeros.
`Heap` is a state that operations change in place; `State` is the immutable element of the domain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kleene.domains.fesa.flags import (
    EDGE,
    EXISTS,
    GHOST,
    MOVED_NULL,
    NOT_NULL,
    UNDEFINED,
    VARIABLE,
    Flag,
    Node,
)
from kleene.domains.fesa.functions import Function, Space
from kleene.domains.fesa.vectors import Vectors


@dataclass(frozen=True)
class Options:
    """What is tracked: the outgoing and the incoming counters (section 4), parents of blocks (for leaks)."""

    out_counter: bool = True
    in_counter: bool = True
    parents: bool = True
    reduce: bool = True
    limit: int = 5_000
    """How many nodes a function may have before relations are forgotten."""
    crowded: int = 4_000
    """With more nodes than this, a state is widened anywhere, not only at loop heads: nodes taken out go back."""
    apart: bool = False
    """Whether nodes that variables point to, and freed nodes, are summarised only with nodes of the same kind."""
    permanent: frozenset[str] = field(default_factory=frozenset)
    """The variables that exist all the time."""


class Heap:
    """A state under change."""

    def __init__(self, vectors: Vectors, options: Options) -> None:
        self.vectors = vectors
        self.options = options

    @property
    def space(self) -> Space:
        return self.vectors.space

    @property
    def flags(self) -> frozenset[Flag]:
        return flags_of(self.vectors)

    def copy(self) -> Heap:
        return Heap(self.vectors, self.options)

    def restricted(self, condition: Function) -> Heap | None:
        """The part of the state where a condition holds; None if there is none."""
        vectors = self.vectors.restrict(condition)
        return None if vectors.is_empty() else Heap(vectors, self.options)

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

    # The graph ------------------------------------------------------------------------------------------------

    def nodes(self) -> list[Node]:
        """All nodes but ghosts, in order."""
        found = {n for f in self.flags for n in (f.source, f.target) if n is not None and not n.ghost}
        return sorted(found)

    def heap_nodes(self) -> list[Node]:
        return [node for node in self.nodes() if node.is_heap]

    def is_summary(self, node: Node) -> bool:
        return Flag(GHOST, node) in self.flags

    def edges(self, kind: str = EDGE) -> Iterator[Flag]:
        return (flag for flag in self.flags if flag.kind == kind)

    def edges_from(self, node: Node, slot: int | None = None, kind: str = EDGE) -> list[Flag]:
        return sorted(f for f in self.edges(kind) if f.source == node and (slot is None or f.slot == slot))

    def edges_to(self, node: Node, kind: str = EDGE) -> list[Flag]:
        return sorted(f for f in self.edges(kind) if f.target == node)

    def slots(self, node: Node) -> list[int]:
        return sorted({f.slot for f in self.flags if f.source == node and f.kind in (EDGE, NOT_NULL)})

    def exists(self, node: Node) -> Function:
        """Where the node is allocated. What the program cannot free exists all the time."""
        if node.is_heap:
            return self.flag(Flag(EXISTS, node))
        if node in (UNDEFINED, MOVED_NULL):
            return self.space.false
        if node.kind == VARIABLE and node.name not in self.options.permanent:
            return self.flag(Flag(EXISTS, node))
        return self.space.true

    def not_null(self, node: Node, slot: int) -> tuple[Function, Function]:
        """Where the slot may hold a pointer, and where it may hold NULL; complements with outgoing counters.

        Without them, a pointer to an instance of a summary that the vector does not speak of looks like NULL.
        """
        space = self.space
        if self.options.out_counter:
            flag = self.flag(Flag(NOT_NULL, node, slot))
            return flag, ~flag
        edges = self.edges_from(node, slot)
        some = self.any_of(self.flag(f) for f in edges)
        vague = any(f.target is not None and (f.target.ghost or self.is_summary(f.target)) for f in edges)
        return (space.true if vague else some), ~some

    def pruned(self) -> None:
        self.vectors = self.vectors.pruned()


def flags_of(vectors: Vectors) -> frozenset[Flag]:
    """The dimensions of a state, which are flags."""
    return vectors.dims  # type: ignore[return-value]


@dataclass(frozen=True, eq=False)
class State:
    """What is known at a location; `widen` marks loop heads, where nodes are summarised."""

    vectors: Vectors
    widen: bool = False
    context: object = None
    """Where the function is called that begins with this state."""

    def same(self, other: State) -> bool:
        a, b = self.vectors, other.vectors
        return a.dims == b.dims and bool(a.function == b.function)


def joined(parts: Sequence[Vectors]) -> Vectors | None:
    """The least upper bound; None for nothing."""
    result: Vectors | None = None
    for part in parts:
        result = part if result is None else result.join(part)
    return result
