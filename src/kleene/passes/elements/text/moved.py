"""Where pointers into texts may be that are not the start of their block.

A pointer into a text becomes the pointer to the block, so ``free(p + 1)`` would be that of the block. Relations of
numbers say whether a pointer is a start, if it points to texts only. For one that may also point to something else,
such as the data of a generic list, it is asked which variables and cells may get a pointer that was moved, whatever
the order of the operations is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kleene.cfa.expressions import (
    AddressOf,
    Constant,
    Deref,
    Expression,
    Field,
    Index,
    PointerOffset,
    Variable,
    walk,
    without_casts,
)
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Assign, Call, Havoc, Invoke, MemCopy, Operation
from kleene.cfa.program import CProgram
from kleene.cfa.types import PointerType, RecordType, Type
from kleene.passes.facts.blocks_of_pointers import Blocks
from kleene.passes.facts.memory import Place, constant_of


class MovedPointers:
    """The variables, cells and kinds of blocks that may hold a pointer which was moved."""

    def __init__(
        self, program: CProgram, cfa: Cfa[Operation], blocks: Blocks, is_exact: Callable[[PointerOffset], bool]
    ) -> None:
        """`is_exact` says which moves are none in texts: their offsets are followed."""
        self._program, self._cfa, self._blocks, self._is_exact = program, cfa, blocks, is_exact
        self._variables: set[Variable] = set()
        self._places: set[Place] = set()
        self._kinds: set[object] = set()
        self._anywhere = False
        self._is_solved = False

    def may_be(self, pointer: Expression) -> bool:
        """Whether the value of a pointer may be a place inside a text other than its start."""
        if not self._is_solved:
            self._solve()
        return self._may_be(pointer)

    def _solve(self) -> None:
        """The least solution, by rounds over all operations."""
        self._is_solved = True
        size = -1
        while size != (size := len(self._variables) + len(self._places) + len(self._kinds) + self._anywhere):
            for operation in self._operations():
                self._follow(operation)

    def _operations(self) -> Iterator[Operation]:
        yield from (assignment for item in self._program.globals for assignment in item.initial)
        for edge in self._cfa.edges:
            yield from edge.label.assignments if isinstance(edge.label, Invoke) else (edge.label,)

    def _follow(self, operation: Operation) -> None:
        match operation:
            case Assign(target=target, value=value) if isinstance(target.type, RecordType):
                self._copy(self._blocks.address_places(value), self._blocks.address_places(target))
            case Assign(target=target, value=value) if self._may_hold(target.type) and self._may_be(value):
                self._mark(target)
            case Havoc(target=target) if self._may_hold(target.type):
                self._mark(target)
            case Call(result=result) if result is not None and self._may_hold(result.type):
                self._mark(result)
            case MemCopy(destination=destination, source=source):
                self._copy(self._blocks.places(source), self._blocks.places(destination))

    def _may_hold(self, type_: Type) -> bool:
        """Whether a value of the type has room for a pointer: numbers may hold one for a while."""
        return isinstance(type_, PointerType) or type_.size >= self._program.pointer_size

    def _mark(self, target: Expression) -> None:
        if isinstance(target, Variable):
            self._variables.add(target)
        if not isinstance(target, Variable) or self._blocks.memory.kind(target) == "object":
            places = self._blocks.address_places(target)
            self._anywhere |= places is None
            self._places |= places or set()

    def _copy(self, source: set[Place] | None, target: set[Place] | None) -> None:
        """Bytes are copied: with a pointer that was moved in the block, any cell of the other one may have it."""
        if source is None or any(self._has_moved(kind) for kind, _ in source):
            self._anywhere |= target is None
            self._kinds |= {kind for kind, _ in target or ()}

    def _has_moved(self, kind: object) -> bool:
        return self._anywhere or kind in self._kinds or any(kind == own for own, _ in self._places)

    def _may_be(self, value: Expression) -> bool:
        value = without_casts(value)
        match value:
            case Constant():
                return False
            case PointerOffset(pointer=pointer, index=index):
                return (constant_of(index) != 0 and not self._is_exact(value)) or self._may_be(pointer)
            case AddressOf(target=target):
                return self._is_moved_address(target)
            case Variable() if self._blocks.memory.kind(value) != "object":
                return value in self._variables
            case Variable() | Deref() | Field() | Index():
                places = self._blocks.address_places(value)
                return value in self._variables or places is None or any(map(self._is_marked, places))
        return any(isinstance(n.type, PointerType) or n in self._variables for n in walk(value))

    def _is_marked(self, place: Place) -> bool:
        return self._anywhere or place in self._places or place[0] in self._kinds

    def _is_moved_address(self, lvalue: Expression) -> bool:
        while isinstance(lvalue, Field | Index):
            if isinstance(lvalue, Index) and constant_of(lvalue.index) != 0:
                return True
            lvalue = lvalue.base
        return isinstance(lvalue, Deref) and self._may_be(lvalue.pointer)
