"""The names of nodes and flags: the dimensions of the Boolean function (FESA sections 2.1, 2.2 and 4).

A node is a memory cell of the paper, compound: it has pointer slots by offset. An edge leads from a slot of a node to
an offset of another. NULL is the absence of edges; a pointer without a value has an edge to `UNDEFINED`.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

VARIABLE, HEAP, STATIC = "variable", "heap", "static"


class Node(NamedTuple):
    """A variable by its name, a heap node by the size of its block and a number, or something static (a function).

    A heap node has a name where one inner structure is followed apart (`inner`).
    The ghost of a heap node stands for another instance of the same summary.
    """

    kind: str
    name: str
    size: int = 0
    number: int = 0
    ghost: bool = False

    @property
    def is_heap(self) -> bool:
        return self.kind == HEAP

    @property
    def other(self) -> Node:
        """The ghost node of a node."""
        return Node(self.kind, self.name, self.size, self.number, ghost=True)

    def __str__(self) -> str:
        text = f"{self.name}#{self.number}" if self.is_heap else self.name
        return f"{text}~" if self.ghost else text


UNDEFINED = Node(STATIC, "undefined")
MOVED_NULL = Node(STATIC, "moved null")
"""The target of NULL after arithmetic, as in ``&p->f``: it is not NULL and must not be used."""
OTHERS = Node(STATIC, "others")
"""The target of pointers to inner structures that are not followed, and of what is read from these (`inner`)."""
LOST = Node(VARIABLE, "$lost")
"""Holds every block that may have been lost, so any number of them."""

EDGE, PARENT, EXISTS, GHOST, NOT_NULL, COUNT_LOW, COUNT_HIGH, ROOTED, VALUE, ORPHAN, ABOVE = (
    "edge",
    "parent",
    "exists",
    "ghost",
    "notnull",
    "count0",
    "count1",
    "rooted",
    "value",
    "orphan",
    "above",
)


class Flag(NamedTuple):
    """One dimension. Edges and parent edges have all parts; other flags belong to `source`, or to a slot of it.

    EXISTS: the node is allocated. GHOST: it has another instance. NOT_NULL: the outgoing counter of a slot. COUNT_LOW,
    COUNT_HIGH: the incoming counter. VALUE: the integer at `slot` is `offset`. The others: see `ownership`.
    """

    kind: str
    source: Node
    slot: int = 0
    target: Node | None = None
    offset: int = 0

    def mentions(self, node: Node) -> bool:
        return self.source == node or self.target == node

    @property
    def to_ghost(self) -> bool:
        """Whether it is an edge between a node and its ghost, or a number of a ghost."""
        return self.source.ghost or (self.target is not None and self.target.ghost)

    def __str__(self) -> str:
        source = f"{self.source}" if self.source.kind == VARIABLE and not self.slot else f"{self.source}+{self.slot}"
        if self.target is not None:
            there = f"{self.target}" if not self.offset else f"{self.target}+{self.offset}"
            return f"{source}->{there}" if self.kind == EDGE else f"{source}=>{there}"
        if self.kind == VALUE:
            return f"{source}=={self.offset}"
        return f"{self.kind}({source if self.kind == NOT_NULL else self.source})"


def edge(source: Node, slot: int, target: Node, offset: int) -> Flag:
    return Flag(EDGE, source, slot, target, offset)


def parent(flag: Flag) -> Flag:
    """The flag that an edge is the parent edge of its target."""
    return Flag(PARENT, *flag[1:])


def rank(name: Hashable) -> tuple[object, ...]:
    """The order of variables in decision diagrams.

    First the flags of heap nodes, those of one node together; then the flags of each program variable together, since
    where a variable points to one node it points to no other.
    """
    new, flag = not isinstance(name, Flag), name
    if isinstance(name, tuple) and not isinstance(name, Flag):
        flag = name[1]
    assert isinstance(flag, Flag)
    source = flag.source
    if source.is_heap:
        target = flag.target if flag.target is not None and flag.target.is_heap else source
        group: tuple[object, ...] = (0, max((source.size, source.number), (target.size, target.number)), flag.to_ghost)
    else:
        group = (1, (0, 0), source.name)
    return (*group, str(source), flag.slot, str(flag), flag.kind, new)
