"""Which reads of pointers in memory are the last ones, and which stores are for nothing: a guess from runs.

A read is the last one if the cell is overwritten, or its object ends, before anything reads the cell again. That is a
move (`passes/attempts/moves.py`) if meanwhile another cell got the pointer. A store of a pointer into a cell that
points back is for nothing if nothing reads the cell before that. The guess decides what the analysis asks,
never what it answers.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field

from kleene.cfa.expressions import (
    AddressOf,
    Constant,
    Deref,
    Expression,
    Field,
    Index,
    Variable,
    children,
    without_casts,
)
from kleene.cfa.operations import Assign, Call, Operation, Return, expressions
from kleene.cfa.program import CProgram
from kleene.cfa.types import PointerType
from kleene.domains.explicit.machine import Ended, Machine
from kleene.domains.explicit.outside.keys import key_world
from kleene.domains.explicit.outside.vocabulary import vocabulary_of
from kleene.domains.explicit.outside.world import WorldInputs
from kleene.domains.explicit.state import State
from kleene.domains.explicit.values import NotModelled, Violation
from kleene.passes.attempts.moves import Read, Store, offset_in_object
from kleene.passes.facts.memory import Memory
from kleene.semantics.vocabulary.back_cells import back_cells

RUNS = 100
"""Runs: removal from a tree needs keys that were inserted before, in many orders."""
LEAST_RUNS = 32
"""Runs before the search ends because half of them brought nothing new: removal from an AVL tree takes 25 to be seen
in all its forms, and most programs have shown everything in the first three."""
MOST_STEPS = 1000
"""Steps of a run: enough for trees of a dozen nodes."""
SECONDS = 1.0
"""Seconds for the runs: their number and steps are the limit, but where steps are large."""
STEPS_BETWEEN_LOOKS = 16
"""Steps after which a run looks at the time: a look takes as long as an operation."""
Cell = tuple[int, int]
"""A cell of a run: a block and a bit."""


def last_reads(program: CProgram, memory: Memory) -> frozenset[Read | Store]:
    """The reads of runs that were moves at least once, and never came before another read of the cell.

    Also the stores that were for nothing at least once, and of which no run read what they stored.
    """
    cells = back_cells(memory)
    back = frozenset(offset for (_, offset), cell in memory.cell_of.items() if cell in cells)
    machine, vocabulary = Machine(program, malloc_may_fail=False), vocabulary_of(program)
    code = _Code(machine)
    end = time.thread_time() + SECONDS
    moved: set[Read | Store] = set()
    repeated: set[Read | Store] = set()
    last_news = 0
    for number in range(1, RUNS + 1):
        run = _Run(code, machine.start(WorldInputs(key_world(number - 1, vocabulary))), back)
        run.follow(end)
        if not (run.moved <= moved and run.repeated <= repeated):
            last_news = number
        moved |= run.moved
        repeated |= run.repeated
        if number >= max(LEAST_RUNS, 2 * last_news):
            break
    return frozenset(moved - repeated)


@dataclass
class _Event:
    """A read of a cell, and whether the pointer that was read went to another cell since then."""

    read: Read
    is_passed: bool
    """Whether it was passed to a function, whose part of the heap the cell would be in until it is overwritten."""
    is_shared: bool = False


@dataclass(frozen=True, slots=True)
class _Uses:
    """The pointers that an operation reads and passes on."""

    reads: tuple[tuple[Expression, Read | None], ...]
    """Pointers in memory; with the read if the operation passes its value on."""
    values: tuple[Expression, ...]
    """What it passes on, without casts."""
    target: Expression | None
    """Where the value goes; a call's result has its target when the callee returns."""
    is_call: bool


class _Code:
    """What the operations of a program do with pointers: found out once for all runs."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._uses: dict[str, _Uses] = {}

    def uses(self, operation: Operation, location: str) -> _Uses:
        """The pointers that the operation at a location uses."""
        known = self._uses.get(location)
        if known is None:
            values = tuple(without_casts(value) for value in _values(operation))
            reads = tuple(
                (lvalue, (location, offset_in_object(lvalue)) if any(lvalue is value for value in values) else None)
                for lvalue in _reads(operation)
                if _is_cell(lvalue)
            )
            target = None if isinstance(operation, Call) else getattr(operation, "target", None)
            known = self._uses[location] = _Uses(reads, values, target, isinstance(operation, Call))
        return known


@dataclass
class _Run:
    """A run, with the last reads of cells whose values go to variables, parameters, results or other cells."""

    code: _Code
    state: State
    back: Set[int]
    """The offsets of cells that point back: these share nodes with others anyway."""
    last: dict[Cell, _Event] = field(default_factory=dict)
    origins: dict[int, _Event] = field(default_factory=dict)
    """The reads from which variables have their values, by the blocks of the variables."""
    stores: dict[Cell, Store] = field(default_factory=dict)
    """The stores whose values are in cells that point back, and were not read so far."""
    repeated: set[Read | Store] = field(default_factory=set)
    """Reads after which the cell was read again, and stores after which it was read."""
    moved: set[Read | Store] = field(default_factory=set)

    def follow(self, end: float) -> None:
        """Follow the run to its end, or as far as time and steps allow."""
        with suppress(Violation, NotModelled, Ended):
            for number in range(MOST_STEPS):
                if not self._step() or (number % STEPS_BETWEEN_LOOKS == 0 and time.thread_time() > end):
                    break
        blocks = self.state.blocks
        ended = {number for number, _ in {*self.last, *self.stores} if number not in blocks or not blocks[number].alive}
        self.moved |= {event.read for (number, _), event in self.last.items() if event.is_shared and number in ended}
        self.moved |= {store for (number, _), store in self.stores.items() if number in ended}

    def _step(self) -> bool:
        machine, frames = self.code.machine, self.state.frames
        frame, depth = frames[-1], len(frames)
        step = machine.step_at(frame.location, frame.function)
        if step is None:
            return False
        operation, location = step.operation, frame.location
        uses = self.code.uses(operation, location)
        self._read(uses)
        origins = [self._origin(value) for value in uses.values]
        target = uses.target
        cell = self._cell(target) if target is not None else None
        if machine.step(self.state) is None:
            return False
        if isinstance(operation, Call):
            parameters = machine.program.functions[frames[-1].function].parameters if len(frames) > depth else ()
            for parameter, origin in zip(parameters, origins, strict=False):
                self._assign(parameter, origin)
            return True
        if isinstance(operation, Return) and frames:
            target = frame.result
            cell = self._cell(target) if target is not None else None
        origin = origins[0] if origins else None
        if isinstance(target, Variable):
            self._assign(target, origin)
        elif target is not None and cell is not None:
            is_back = offset_in_object(target) in self.back
            self._write(cell, origin, is_back=is_back)
            if is_back and not (isinstance(operation, Assign) and isinstance(without_casts(operation.value), Constant)):
                self.stores[cell] = Store(location, offset_in_object(target))
        return True

    def _read(self, uses: _Uses) -> None:
        for lvalue, read in uses.reads:
            cell = self._cell(lvalue)
            if cell is None:
                continue
            if cell in self.stores:
                self.repeated.add(self.stores.pop(cell))
            if cell in self.last:
                self.repeated.add(self.last.pop(cell).read)
            if read is not None:
                self.last[cell] = _Event(read, uses.is_call)

    def _origin(self, source: Expression) -> _Event | None:
        """The read that a value comes from."""
        if isinstance(source, Variable):
            return self.origins.get(self._block(source))
        cell = self._cell(source)
        return self.last.get(cell) if cell is not None else None

    def _assign(self, variable: Variable, origin: _Event | None) -> None:
        if origin is not None:
            self.origins[self._block(variable)] = origin
        else:
            self.origins.pop(self._block(variable), None)

    def _write(self, cell: Cell, origin: _Event | None, *, is_back: bool) -> None:
        if cell in self.stores:
            self.moved.add(self.stores.pop(cell))
        old = self.last.pop(cell, None)
        if old is not None and (old.is_shared or old.is_passed):
            self.moved.add(old.read)
        if origin is not None and origin is not old and not is_back:
            origin.is_shared = True

    def _block(self, variable: Variable) -> int:
        return self.code.machine.compiler.place(variable, self.state)[0]

    def _cell(self, lvalue: Expression) -> Cell | None:
        """Where a pointer in memory is."""
        if not _is_cell(lvalue):
            return None
        cell = self.code.machine.compiler.place(lvalue, self.state)
        return cell if cell[0] in self.state.blocks else None


def _is_cell(lvalue: Expression) -> bool:
    """Whether an lvalue is a pointer in memory."""
    return isinstance(lvalue, Field | Index | Deref) and isinstance(lvalue.type, PointerType)


def _values(operation: Operation) -> Sequence[Expression]:
    """The values that an operation passes on."""
    if isinstance(operation, Call):
        return operation.arguments
    value = operation.value if isinstance(operation, Assign | Return) else None
    return (value,) if value is not None else ()


def _reads(operation: Operation) -> Iterator[Expression]:
    """The lvalues that an operation reads."""
    written = operation.result if isinstance(operation, Call) else getattr(operation, "target", None)
    for expression in expressions(operation):
        yield from _read(expression, is_place=expression is written)


def _read(expression: Expression, *, is_place: bool = False) -> Iterator[Expression]:
    if isinstance(expression, Field | AddressOf):
        inner = expression.base if isinstance(expression, Field) else expression.target
        yield from _read(inner, is_place=True)
    elif isinstance(expression, Index):
        yield from _read(expression.base, is_place=True)
        yield from _read(expression.index)
    else:
        for part in children(expression):
            yield from _read(part)
    if isinstance(expression, Field | Index | Deref) and not is_place:
        yield expression
