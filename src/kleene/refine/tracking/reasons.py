"""The reason why an error path is infeasible, and what to track to exclude it (ExtractInterpolants, step 1 of Refine).

Beyer, Henzinger, Théoduloz, Zufferey. Shape refinement through explicit heap analysis. FASE 2010, section 3.3.
Without interpolants, the cone of influence of the error on the path replaces them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kleene.cfa.expressions import Deref, Expression, Field, Index, Variable, walk
from kleene.cfa.operations import Allocate, Assign, Assume, Error, Free, Operation, expressions
from kleene.cfa.types import IntegerType, PointerType
from kleene.core.verdict import LEAKS
from kleene.passes.facts.memory import Memory, Unmodelled
from kleene.paths import Interpolants
from kleene.refine.conditions.cells import AnyCondition
from kleene.refine.tracking.cuts import Where
from kleene.refine.tracking.definition import NOTHING, TrackingDefinition
from kleene.refine.tree.reachability_tree import ErrorPath

FEASIBLE, INFEASIBLE, UNDECIDED = "feasible", "infeasible", "undecided"


@dataclass(frozen=True)
class Reason:
    """The answer about a path. `asked` is what to track to exclude it, `inputs` those of a run if it is feasible."""

    verdict: str
    text: str
    asked: TrackingDefinition = NOTHING
    wider: TrackingDefinition = NOTHING
    """What to track if `asked` is not enough and there are no interpolants."""
    inputs: tuple[int, ...] = ()
    interpolants: Interpolants | None = None
    where: Where = field(default_factory=dict)
    """The locations at whose cuts the interpolants contain variables."""
    conditions: tuple[AnyCondition, ...] = ()
    """The conditions on integers that the contradiction is about."""


def cone(memory: Memory, path: ErrorPath) -> TrackingDefinition:
    """The pointers, fields and integers on which the error depends along the path, through conditions too."""
    slicer = _Cone(memory)
    operations = path.operations
    slicer.read(operations[-1])
    if isinstance(operations[-1], Error):
        slicer.read(next((o for o in reversed(operations) if isinstance(o, Assume)), operations[-1]))
    size = -1
    while size != slicer.size:
        size = slicer.size
        for operation in reversed(operations[:-1]):
            slicer.backward(operation)
    return slicer.definition


def slice_of(memory: Memory, path: ErrorPath) -> TrackingDefinition:
    """The same along all paths to the statement that fails: where the tree joins paths, one alone may not show why."""
    slicer = _Cone(memory)
    edges, last = memory.cfa.edges, path.steps[-1].edge
    slicer.read(last.label)
    for edge in edges if isinstance(last.label, Error) else ():
        if edge.target == last.source:
            slicer.read(edge.label)
    size = -1
    while size != slicer.size:
        size = slicer.size
        for edge in reversed(edges):
            slicer.backward(edge.label)
    return slicer.definition


def failing_statement(memory: Memory, path: ErrorPath) -> TrackingDefinition:
    """The pointers and fields of the statement (or assertion) that fails, and those they were copied or loaded from.

    An untracked pointer may always be wrong, so no abstraction without them excludes the error.
    """
    if path.error.kind in LEAKS:  # a block may be held by any pointer
        names = frozenset(v.name for v in memory.pointers)
        return TrackingDefinition(names, names, frozenset(memory.cell_targets))
    slicer = _Cone(memory)
    if isinstance(path.operations[-1], Error):
        condition = next((o for o in reversed(path.operations) if isinstance(o, Assume)), None)
        if condition is None:
            return NOTHING
        slicer.read(condition)
    else:
        slicer.add_dereferenced(path.operations[-1])
    sought = set(slicer.variables)
    for operation in reversed(path.operations[:-1]):
        if isinstance(operation, Assign) and operation.target in sought:
            sought.discard(operation.target)
            before = _Cone(memory)
            before.read(Assign(operation.place, operation.value, operation.value))
            sought |= before.variables
            slicer.variables |= before.variables
            slicer.cells |= before.cells
    definition = slicer.definition
    return TrackingDefinition(definition.tracked, definition.separating, definition.fields)


def everything_mentioned(memory: Memory, path: ErrorPath) -> TrackingDefinition:
    """All pointers, fields and integers that the path mentions."""
    slicer = _Cone(memory)
    for operation in path.operations:
        slicer.read(operation)
    return slicer.definition


class _Cone:
    """The relevant variables and cells during a backward walk over a path."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.variables: set[Variable] = set()
        self.cells: set[str] = set()
        self.data: set[int] = set()

    @property
    def size(self) -> int:
        return len(self.variables) + len(self.cells) + len(self.data)

    def backward(self, operation: Operation) -> None:
        if isinstance(operation, Assign | Allocate):
            if self._relevant(operation.target) or self._flag(operation):
                self.read(operation)
        elif isinstance(operation, Assume) and any(self._relevant(x) for x in self._accesses([operation.condition])):
            self.read(operation)

    def _flag(self, operation: Operation) -> bool:
        """Whether an operation computes a number from relevant pointers, as in ``empty = p == NULL``."""
        if not isinstance(operation, Assign) or not isinstance(operation.target.type, IntegerType):
            return False
        read = self._accesses([operation.value])
        return any(isinstance(x.type, PointerType) and self._relevant(x) for x in read)

    def read(self, operation: Operation) -> None:
        for access in self._accesses(expressions(operation)):
            self._take(access)

    def _take(self, access: Expression) -> None:
        if isinstance(access, Variable) and self.memory.kind(access) != "object":
            self.variables.add(access)
        else:
            self._note(access)

    def add_dereferenced(self, operation: Operation) -> None:
        """Add the operands of the addresses that the operation accesses or frees."""
        for expression in expressions(operation):
            inner = [node.pointer for node in walk(expression) if isinstance(node, Deref)]
            for access in self._accesses(inner if not isinstance(operation, Free) else [expression]):
                self._take(access)

    def _note(self, access: Expression) -> None:
        for place in self._places(access):
            if isinstance(access.type, PointerType) and place in self.memory.cell_of:
                self.cells.add(self.memory.cell_of[place])
            elif isinstance(access.type, IntegerType):
                self.data.add(place[1])

    def _relevant(self, access: Expression) -> bool:
        if isinstance(access, Variable) and self.memory.kind(access) != "object":
            return access in self.variables
        if isinstance(access.type, IntegerType):
            return any(offset in self.data for _, offset in self._places(access))
        return any(self.memory.cell_of.get(place) in self.cells for place in self._places(access))

    def _places(self, access: Expression) -> set[tuple[int, int]]:
        try:
            return self.memory.address_places(access)
        except Unmodelled:
            return set()

    def _accesses(self, expressions: Sequence[Expression]) -> Iterator[Expression]:
        for expression in expressions:
            yield from (n for n in walk(expression) if isinstance(n, Variable | Field | Deref | Index))

    @property
    def definition(self) -> TrackingDefinition:
        pointers = frozenset(v.name for v in self.variables if self.memory.kind(v) == "pointer")
        integers = frozenset(v.name for v in self.variables if self.memory.kind(v) == "integer")
        return TrackingDefinition(pointers, pointers, frozenset(self.cells), frozenset(self.data), integers)
