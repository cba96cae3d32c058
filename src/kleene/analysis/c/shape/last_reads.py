"""Which reads of pointers in memory are the last ones, while the pointer goes to another cell: a guess from runs.

A read is the last one if the cell is overwritten, or its object ends, before anything reads the cell again. That is a
move (`passes/attempts/moves.py`) if meanwhile another cell got the pointer. The guess decides what the analysis asks,
never what it answers.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field

from kleene.cfa.expressions import (
    AddressOf,
    Deref,
    Expression,
    Field,
    Index,
    Variable,
    children,
    member_base,
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
from kleene.passes.attempts.moves import Read
from kleene.passes.facts.memory import Memory
from kleene.semantics.vocabulary.back_cells import back_cells

RUNS = 100
"""Runs: removal from a tree needs keys that were inserted before, in many orders."""
MOST_STEPS = 1000
"""Steps of a run: enough for trees of a dozen nodes."""
SECONDS = 1.0
"""Seconds for the runs: their number and steps are the limit, but where steps are large."""
Cell = tuple[int, int]
"""A cell of a run: a block and a bit."""


def last_reads(program: CProgram, memory: Memory) -> frozenset[Read]:
    """The reads of runs that were moves at least once, and never came before another read of the cell."""
    cells = back_cells(memory)
    back = frozenset(offset for (_, offset), cell in memory.cell_of.items() if cell in cells)
    machine, vocabulary = Machine(program, malloc_may_fail=False), vocabulary_of(program)
    end = time.thread_time() + SECONDS
    moved: set[Read] = set()
    repeated: set[Read] = set()
    for seed in range(RUNS):
        run = _Run(machine, machine.start(WorldInputs(key_world(seed, vocabulary))), back)
        run.follow(end)
        moved |= run.moved
        repeated |= run.repeated
    return frozenset(moved - repeated)


@dataclass
class _Event:
    """A read of a cell, and whether the pointer that was read went to another cell since then."""

    read: Read
    is_shared: bool = False


@dataclass
class _Run:
    """A run, with the last reads of cells whose values go to variables, parameters, results or other cells."""

    machine: Machine
    state: State
    back: Set[int]
    """The offsets of cells that point back: these share nodes with others anyway."""
    last: dict[Cell, _Event] = field(default_factory=dict)
    origins: dict[int, _Event] = field(default_factory=dict)
    """The reads from which variables have their values, by the blocks of the variables."""
    repeated: set[Read] = field(default_factory=set)
    """Reads after which the cell was read again."""
    moved: set[Read] = field(default_factory=set)

    def follow(self, end: float) -> None:
        """Follow the run to its end, or as far as time and steps allow."""
        with suppress(Violation, NotModelled, Ended):
            for _ in range(MOST_STEPS):
                if not self._step() or time.thread_time() > end:
                    break
        blocks = self.state.blocks
        for (number, _), event in self.last.items():
            if event.is_shared and not (number in blocks and blocks[number].alive):
                self.moved.add(event.read)

    def _step(self) -> bool:
        frames = self.state.frames
        frame, depth = frames[-1], len(frames)
        step = self.machine.step_at(frame.location, frame.function)
        if step is None:
            return False
        operation = step.operation
        self._read(operation, frame.location)
        origins = [self._origin(value) for value in _values(operation)]
        target = None if isinstance(operation, Call) else getattr(operation, "target", None)
        cell = self._cell(target) if target is not None else None
        if self.machine.step(self.state) is None:
            return False
        if isinstance(operation, Call):
            parameters = self.machine.program.functions[frames[-1].function].parameters if len(frames) > depth else ()
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
            self._write(cell, origin, is_back=member_base(target)[1] in self.back)
        return True

    def _read(self, operation: Operation, location: str) -> None:
        values = [without_casts(value) for value in _values(operation)]
        for lvalue in _reads(operation):
            cell = self._cell(lvalue)
            if cell is None:
                continue
            if cell in self.last:
                self.repeated.add(self.last.pop(cell).read)
            if any(lvalue is value for value in values):
                self.last[cell] = _Event((location, member_base(lvalue)[1]))

    def _origin(self, value: Expression) -> _Event | None:
        """The read that a value comes from."""
        source = without_casts(value)
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
        old = self.last.pop(cell, None)
        if old is not None and old.is_shared:
            self.moved.add(old.read)
        if origin is not None and origin is not old and not is_back:
            origin.is_shared = True

    def _block(self, variable: Variable) -> int:
        return self.machine.compiler.address(variable)(self.state)[0]

    def _cell(self, lvalue: Expression) -> Cell | None:
        """Where a pointer in memory is."""
        if not isinstance(lvalue, Field | Index | Deref) or not isinstance(lvalue.type, PointerType):
            return None
        number, bit = self.machine.compiler.address(lvalue)(self.state)
        return (number, bit) if number in self.state.blocks else None


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
