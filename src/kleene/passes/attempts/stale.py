"""Stale pointers in variables whose address is taken: they become NULL where nothing reads them any more.

Merge sort by recursion calls itself with ``&a``; while it sorts the halves, the caller's ``*list`` still points into
them, to a node somewhere in the middle. The analysis forgets dead pointer variables (`passes/facts/liveness.py`), but
these pointers are in memory. This pass computes the same for two kinds of cells: pointers in local variables
that are memory objects, and pointers behind a parameter that the function does not change. (Liveness of memory cells,
as in the elimination of dead stores.)

Assumptions, which the pass checks: only variables hold addresses of such objects, so a call reads one only if it gets
a pointer to it; and a parameter does not point to a local variable of its own activation, which begins later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property

from kleene.cfa.dataflow import solve_forward
from kleene.cfa.expressions import (
    AddressOf,
    Cast,
    Constant,
    Deref,
    Expression,
    Field,
    PointerOffset,
    Variable,
    member_base,
    root_variable,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    Assign,
    DeclareLocal,
    EndScope,
    Enter,
    Error,
    Exit,
    Free,
    Invoke,
    Leave,
    Operation,
    Return,
    expressions,
)
from kleene.cfa.types import PointerType
from kleene.passes.attempts.unread import is_understood, read_lvalues
from kleene.passes.facts.liveness import defined_variables, starts
from kleene.passes.facts.memory import Memory, Place, Unmodelled, constant_of

Target = Place | Variable
"""What a pointer may point to: a memory object that the activation itself has, or any other at a place."""


@dataclass(frozen=True)
class Stale:
    """The automaton in which stale pointers are NULL, and the places of the cells that this changes."""

    cfa: Cfa[Operation]
    places: frozenset[Place] = frozenset()


def without_stale_pointers(memory: Memory) -> Stale:
    """The automaton of the memory with NULL in place of stale pointers.

    It is the same one if no function is analysed apart: then stale pointers seldom multiply structures.
    """
    cfa = memory.cfa
    if not any(isinstance(edge.label, Enter) for edge in cfa.edges):
        return Stale(cfa)
    after: dict[Edge[Operation], list[Operation]] = {}
    places: set[Place] = set()
    try:
        if not all(is_understood(edge.label) for edge in cfa.edges) or memory.numbers_hold_addresses:
            return Stale(cfa)
        for start in starts(cfa):
            for edge, cell in _Part(memory, start).last_reads():
                null = Assign(edge.label.place, cell, Constant(0, cell.type))
                after.setdefault(edge, []).append(null)
                places |= memory.address_places(cell)
    except Unmodelled:
        return Stale(cfa)
    if not after:
        return Stale(cfa)
    edges: list[Edge[Operation]] = []
    for edge in cfa.edges:
        here, label = edge.source, edge.label
        for write in after.get(edge, ()):
            there = f"{edge.source}~{len(edges)}"
            edges.append(Edge(here, label, there))
            here, label = there, write
        edges.append(Edge(here, label, edge.target))
    return Stale(Cfa(cfa.entry, tuple(edges)), frozenset(places))


@dataclass(frozen=True)
class _Cell:
    """A pointer cell: an lvalue that is a local variable in memory, or behind a parameter, or a member of one."""

    lvalue: Expression
    places: frozenset[Place]

    @property
    def variable(self) -> Variable | None:
        """The variable that the cell is a part of; None for a cell behind a parameter."""
        return root_variable(self.lvalue)


@dataclass
class _Part:
    """The main function, or one that is analysed apart: the edges from its start, and where its pointers come from."""

    memory: Memory
    start: str
    edges: Sequence[Edge[Operation]] = ()
    parameters: frozenset[Variable] = frozenset()
    own: frozenset[Variable] = frozenset()
    """The memory objects that each activation has for itself."""
    targets: dict[Variable, set[Target]] = field(default_factory=dict)
    """What each pointer may point to."""

    def __post_init__(self) -> None:
        inside = self.memory.cfa.reachable_from([self.start])
        self.edges = [edge for edge in self.memory.cfa.edges if edge.source in inside]
        declared = {e.label.variable for e in self.edges if isinstance(e.label, DeclareLocal)}
        self.own = frozenset(v for v in declared if self.memory.kind(v) == "object")
        given = {v for e in self.edges if isinstance(e.label, Enter) for v in e.label.parameters}
        changed = {
            v for e in self.edges if not isinstance(e.label, Enter | EndScope) for v in defined_variables(e.label)
        }
        self.parameters = frozenset(given - changed)
        self._trace_pointers()

    def last_reads(self) -> Iterator[tuple[Edge[Operation], Expression]]:
        """The edges behind which a cell is stale for a while, with the cell."""
        for cell in self._cells():
            live, named = self._live(cell), self._named_before(cell)
            for edge in self.edges:
                dies = edge.source in live and edge.target not in live
                if dies and named.get(edge.target) and self._is_worth_while(edge.target, live):
                    yield edge, cell.lvalue

    # Cells ----------------------------------------------------------------------------------------------------

    def _cells(self) -> list[_Cell]:
        cells: dict[Expression, _Cell] = {}
        for edge in self.edges:
            for lvalue in self._reads(edge.label):
                cell = _Cell(lvalue, frozenset(self.memory.address_places(lvalue)))
                if isinstance(lvalue.type, PointerType) and self._is_followed(cell):
                    cells[lvalue] = cell
        return list(cells.values())

    def _is_followed(self, cell: _Cell) -> bool:
        root, _ = member_base(cell.lvalue)
        base = root.pointer if isinstance(root, Deref) else root
        if not isinstance(base, Variable) or not (base in self.own or base in self.parameters):
            return False
        sizes = {size for size, _ in cell.places}
        return bool(cell.places) and cell.places <= self.memory.cell_of.keys() and not sizes & self._known_elsewhere

    @cached_property
    def _known_elsewhere(self) -> set[int]:
        """The sizes of objects that global variables are, or that global variables and memory may point to."""
        memory = self.memory
        known = {memory.size_of(v) for v in memory.objects if v.is_global}
        targets = [memory.pointer_places[v] for v in memory.pointers if v.is_global]
        targets.append(memory.cell_places(memory.cell_of))
        return known | {size for places in targets for size, _ in places}

    # Where pointers come from -------------------------------------------------------------------------------------

    def _trace_pointers(self) -> None:
        """What each pointer may point to, without regard to control flow."""
        self.targets = {v: set() for v in self.memory.pointers}
        changed = True
        while changed:
            changed = False
            for edge in self.edges:
                for variable, new in self._arriving(edge.label):
                    changed |= not new <= self.targets[variable]
                    self.targets[variable] |= new

    def _arriving(self, operation: Operation) -> list[tuple[Variable, Set[Target]]]:
        """The pointers that an operation changes, with what they may point to after it."""
        if isinstance(operation, DeclareLocal | EndScope):
            return []
        changed = [v for v in defined_variables(operation) if v in self.targets]
        if isinstance(operation, Assign):
            return [(v, self._value_targets(operation.value)) for v in changed]
        places = {v: self.memory.pointer_places[v] for v in changed}
        return [(v, set(places[v]) if isinstance(operation, Enter) else self._anything(places[v])) for v in changed]

    def _anything(self, places: Set[Place]) -> set[Target]:
        """The places, and the activation's own objects of their sizes."""
        sizes = {size for size, _ in places}
        return {*places, *(v for v in self.own if self.memory.size_of(v) in sizes)}

    def _value_targets(self, value: Expression) -> Set[Target]:
        match value:
            case Variable() if value in self.targets:
                return self.targets[value]
            case Cast(operand=operand) if isinstance(operand.type, PointerType):
                return self._value_targets(operand)
            case AddressOf(target=target):
                return self._address_targets(target)
            case PointerOffset(pointer=pointer, index=index, scale=scale):
                moved = constant_of(index)
                if moved is None:
                    raise Unmodelled("pointer arithmetic with a variable")
                return _shift(self._value_targets(pointer), moved * scale)
        return self._anything(self.memory.value_places(value))

    def _address_targets(self, lvalue: Expression) -> Set[Target]:
        """Where an lvalue may be."""
        root, offset = member_base(lvalue)
        if isinstance(root, Deref):
            return _shift(self._value_targets(root.pointer), offset)
        if isinstance(root, Variable) and root in self.own:
            return {root}
        return self._anything(self.memory.address_places(lvalue))

    # Liveness ---------------------------------------------------------------------------------------------------

    def _live(self, cell: _Cell) -> Set[str]:
        """The locations from which some path reads the cell before it writes it."""
        live: set[str] = set()
        before: dict[str, list[Edge[Operation]]] = {}
        for edge in self.edges:
            if not self._overwrites(edge.label, cell):
                before.setdefault(edge.target, []).append(edge)
        waiting = [edge.source for edge in self.edges if self._may_read(edge.label, cell)]
        while waiting:
            location = waiting.pop()
            if location not in live:
                live.add(location)
                waiting += [edge.source for edge in before.get(location, ())]
        return live

    def _may_read(self, operation: Operation, cell: _Cell) -> bool:
        if isinstance(operation, Exit | Error | Return | Leave):  # it still holds its block
            return True
        if isinstance(operation, Invoke):
            return any(self._may_point(v, cell) for v in operation.arguments if v in self.targets)
        return any(self._overlaps(lvalue, cell) for lvalue in self._reads(operation))

    def _reads(self, operation: Operation) -> Iterator[Expression]:
        target = getattr(operation, "target", None)
        for expression in () if isinstance(operation, DeclareLocal | EndScope) else expressions(operation):
            yield from read_lvalues(expression, self.memory, is_place=expression is target)

    def _may_point(self, pointer: Variable, cell: _Cell) -> bool:
        """Whether a pointer may point into the object of a cell."""
        if cell.variable is not None:
            return cell.variable in self.targets[pointer]
        sizes = {target[0] for target in self.targets[pointer] if not isinstance(target, Variable)}
        return bool(sizes & {size for size, _ in cell.places})

    def _overlaps(self, lvalue: Expression, cell: _Cell) -> bool:
        """Whether an lvalue may have a byte of a cell; members of one variable are not told apart."""
        targets = self._address_targets(lvalue)
        if cell.variable is not None:
            return cell.variable in targets
        places = [target for target in targets if not isinstance(target, Variable)]
        length = lvalue.type.size
        return any(own in cell.places for p in places for own in self.memory.overlapped_pointers(p, length))

    def _overwrites(self, operation: Operation, cell: _Cell) -> bool:
        if isinstance(operation, DeclareLocal | EndScope):
            return cell.variable in defined_variables(operation)
        return isinstance(operation, Assign) and self._resolve(operation.target) == cell.lvalue

    # Where it pays ----------------------------------------------------------------------------------------------

    def _named_before(self, cell: _Cell) -> dict[str, bool]:
        """For each location, whether all paths to it name the cell, so that a write to it is possible there."""

        def after(edge: Edge[Operation], before: bool) -> bool:
            ends = isinstance(edge.label, EndScope) and cell.variable in edge.label.variables
            if ends or isinstance(edge.label, Free):
                return False
            return before or self._names(edge.label, cell)

        part, start = Cfa(self.start, tuple(self.edges)), {self.start: False}
        return solve_forward(part, start, after, lambda _, known, new: False if known and not new else None)

    def _names(self, operation: Operation, cell: _Cell) -> bool:
        lvalues = [*self._reads(operation), *([operation.target] if isinstance(operation, Assign) else [])]
        return any(self._resolve(lvalue) == cell.lvalue for lvalue in lvalues)

    def _resolve(self, lvalue: Expression) -> Expression:
        """The lvalue with the parameter in place of a copy of it that an inlined function has."""
        match lvalue:
            case Field(base=base):
                return replace(lvalue, base=self._resolve(base))
            case Deref(pointer=Variable() as pointer):
                return Deref(self._copied.get(pointer, pointer), lvalue.type)
        return lvalue

    @cached_property
    def _copied(self) -> dict[Variable, Variable]:
        """The parameters that variables are copies of, by their only assignments."""
        values: dict[Variable, list[Expression | None]] = {}
        for edge in self.edges:
            label = edge.label
            for variable in () if isinstance(label, DeclareLocal | EndScope) else defined_variables(label):
                values.setdefault(variable, []).append(label.value if isinstance(label, Assign) else None)
        copies: dict[Variable, Variable] = {}
        for variable, given in values.items():
            if len(given) == 1 and isinstance(given[0], Variable) and given[0] in self.parameters:
                copies[variable] = given[0]
        return copies

    def _is_worth_while(self, location: str, live: Set[str]) -> bool:
        """Whether a call or a loop begins before the cell is written again."""
        cfa = Cfa(self.start, tuple(self.edges))
        seen, waiting = {location}, [location]
        while waiting:
            here = waiting.pop()
            if here in cfa.loop_heads or any(isinstance(e.label, Invoke) for e in cfa.leaving(here)):
                return True
            next_ones = [e.target for e in cfa.leaving(here) if e.target not in live and e.target not in seen]
            seen.update(next_ones)
            waiting += next_ones
        return False


def _shift(targets: Set[Target], shift: int) -> set[Target]:
    return {t if isinstance(t, Variable) else (t[0], t[1] + shift) for t in targets}
