"""Numbers that are computed from addresses: only these may become a pointer to an object again.

A table whose keys are numbers stored as pointers (``put(t, (void *)k)``) and hashed (``(size_t)key % n``) converts
both ways, and no address comes back. Without regard to control flow: what an operation that reads such a number writes
is one, too; all memory is one place. Pointers are none of these numbers: a number from one is a conversion again.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from kleene.cfa.expressions import Cast, Deref, Expression, Variable, walk
from kleene.cfa.operations import (
    Allocate,
    Assign,
    Assume,
    Call,
    DeclareLocal,
    EndScope,
    Exit,
    Free,
    HandOut,
    Operation,
    Print,
    Realloc,
    Return,
    address_taken,
    expressions,
)
from kleene.cfa.types import PointerType
from kleene.passes.facts.liveness import defined_variables


class AddressNumbers:
    """The numbers of a program that may be computed from the address of an object."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        ends = not any(isinstance(o, Call) for o in operations)
        nodes = [(o, {n for x in expressions(o) for n in walk(x)}) for o in operations if not _keeps_numbers(o, ends)]
        self._exposed = address_taken(operations)
        self._variables: set[Variable] = set()
        self._in_memory = False
        grew = any(_is_address(n) for _, own in nodes for n in own)
        while grew:
            grew = False
            for operation, own in nodes:
                if any(map(self._is_one, own)):
                    before = len(self._variables), self._in_memory
                    written = set(defined_variables(operation))
                    self._in_memory |= self._may_write_memory(operation, written)
                    self._variables |= written | (self._exposed if self._in_memory else set())
                    grew |= before != (len(self._variables), self._in_memory)

    def contains(self, number: Expression) -> bool:
        """Whether a number may be computed from an address."""
        return any(map(self._is_one, walk(number)))

    def _is_one(self, node: Expression) -> bool:
        if isinstance(node, Variable):
            return node in self._variables
        return _is_address(node) or (self._in_memory and isinstance(node, Deref))

    def _may_write_memory(self, operation: Operation, written: Set[Variable]) -> bool:
        """Whether an operation may write to more than variables whose address nobody has."""
        target = getattr(operation, "target", None)
        return not isinstance(target, Variable) or bool((written | {target}) & self._exposed)


def _keeps_numbers(operation: Operation, returns_end: bool) -> bool:
    """Whether an operation writes no number: it writes nothing, or a pointer. Without calls, a return is the end."""
    if isinstance(operation, Assume | DeclareLocal | EndScope | Exit | Free | HandOut | Print):
        return True
    if isinstance(operation, Return):
        return returns_end
    target = getattr(operation, "target", None)
    is_pointer = target is not None and isinstance(target.type, PointerType)
    return is_pointer and isinstance(operation, Allocate | Assign | Realloc)


def _is_address(node: Expression) -> bool:
    return (
        isinstance(node, Cast) and isinstance(node.operand.type, PointerType) and not isinstance(node.type, PointerType)
    )
