"""The kinds of blocks that a pointer may point to, whatever offset it has there and however large they are.

`Memory` computes where pointers may point for offsets and sizes that are constants. Here the automaton is changed so
that all are: a pointer that is moved stays where it is, and each allocation of a variable size has a size of its own.
"""

from __future__ import annotations

from dataclasses import replace

from kleene.cfa.expressions import Cast, Constant, Expression, Index, PointerOffset, Variable, walk
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Allocate, Call, MemCopy, Operation, Realloc, expressions
from kleene.cfa.program import CProgram
from kleene.passes.facts.memory import Memory, Place, Unmodelled, constant_of
from kleene.passes.rewrite import rewrite, rewrite_operation

OWN_SIZES = 1 << 48
"""Where the sizes begin that stand for variable ones: no block is as large."""


class Blocks:
    """The kinds of blocks of pointers in one automaton."""

    def __init__(self, program: CProgram, cfa: Cfa[Operation]) -> None:
        self._sizes: dict[Operation, int] = {}
        changed = Cfa(cfa.entry, tuple(map(self._fix, cfa.edges)))
        self.memory = Memory(program, changed, typed=True)
        self.known = not any(isinstance(e.label, Call) for e in cfa.edges) and not self._has_pools(cfa)
        """Whether all pointers are seen: no other function stores any, and none lie at computed bytes."""

    def _has_pools(self, cfa: Cfa[Operation]) -> bool:
        """Whether blocks that have pointers in them are indexed by bytes: then they are not where they are sought."""
        holding = {size for size, _ in self.memory.cell_of}
        nodes = (n for e in cfa.edges for x in expressions(e.label) for n in walk(x))
        moved = [n for n in nodes if isinstance(n, PointerOffset) and n.scale == 1 and constant_of(n.index) is None]
        places = [self._places(n.pointer) for n in moved]
        return any(these is None or holding & {size for size, _ in these} for these in places)

    def _fix(self, edge: Edge[Operation]) -> Edge[Operation]:
        label = rewrite_operation(edge.label, _at_start)
        if isinstance(label, Allocate | Realloc) and constant_of(label.size) is None:
            size = self._sizes.setdefault(edge.label, OWN_SIZES + len(self._sizes))
            label = replace(label, size=Constant(size, label.size.type))
        if isinstance(label, MemCopy) and constant_of(label.size) is None:
            label = replace(label, size=Constant(OWN_SIZES, label.size.type))
        return replace(edge, label=label)

    def of_allocation(self, operation: Allocate | Realloc) -> object:
        """The kind of the block that an allocation makes."""
        own = self._sizes.get(operation, 0)
        if own:
            return own
        return self.memory.block_size(operation)

    def of_object(self, variable: Variable) -> object:
        """The kind of the block that a variable is."""
        return self.memory.size_of(variable)

    def of_value(self, pointer: Expression) -> frozenset[object] | None:
        """The kinds of blocks that a pointer may point to; None if any."""
        places = self._places(pointer) if self.known else None
        return None if places is None else frozenset(size for size, _ in places)

    def _places(self, pointer: Expression) -> set[Place] | None:
        try:
            return self.memory.value_places(rewrite(pointer, _at_start))
        except Unmodelled:
            return None


def _at_start(node: Expression) -> Expression:
    """A pointer that is moved along an array, for one to its first element: all elements are looked at as one."""
    if isinstance(node, PointerOffset) and (node.scale > 1 or constant_of(node.index) is None):
        return node.pointer if node.pointer.type == node.type else Cast(node.pointer, node.type)
    if isinstance(node, Index):
        return replace(node, index=Constant(0, node.index.type))
    return node
