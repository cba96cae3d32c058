"""Operations as conjuncts of a path's relation."""

from __future__ import annotations

from typing import Any

import z3

from kleene.cfa.expressions import Expression, Variable
from kleene.cfa.operations import (
    Allocate,
    Assign,
    Assume,
    DeclareLocal,
    EndScope,
    Error,
    Exit,
    Free,
    Havoc,
    MemCopy,
    MemSet,
    Print,
    Return,
    Skip,
)
from kleene.cfa.types import IntegerType, PointerType, RecordType
from kleene.core.verdict import LEAKS
from kleene.domains.explicit.machine import Machine
from kleene.domains.explicit.state import State
from kleene.domains.explicit.values import Pointer
from kleene.paths.formulas.encode import Case, PathFormula, PathStep
from kleene.paths.interpolation.arithmetic import number
from kleene.paths.interpolation.expressions import Expressions
from kleene.paths.interpolation.facts import Unfit, root_of
from kleene.paths.interpolation.leaks import block_cell, leak_condition
from kleene.paths.interpolation.relation import Address, Layout, Relation, Spot, named_block
from kleene.paths.interpolation.vocabulary import ALLOCATED, FREED, POINTER, SIZE, Cell, Defined

_CALLS = ("assertion", "unreach_call")


def relation_of(formula: PathFormula, machine: Machine, case: Case) -> Relation:
    """The relation of a case up to where the interpreter followed it; a first pass computes the relevant cells."""
    layout: Layout | None = None
    for _ in range(2):
        steps = Steps(formula, machine, case, layout)
        steps.walk()
        layout = steps.layout
    return steps


class Steps(Expressions):
    """Adds one operation after the other."""

    def __init__(self, formula: PathFormula, machine: Machine, case: Case, layout: Layout | None) -> None:
        super().__init__(formula, machine, case, layout)
        self.formula = formula
        self.blocks: dict[int, int] = {}
        self.names_blocks = formula.goal in LEAKS

    def walk(self) -> None:
        states = [*self.case.states, self.case.state]
        length = len(self.formula.steps)
        for position, step in enumerate(self.formula.steps):
            if position >= len(states):
                break
            self.begin(position, states[position])
            self.valid, self.wrong = [], {}
            following = states[position + 1] if position + 1 < len(states) else None
            goal = self.formula.goal if position == length - 1 else None
            self._step(step, following, goal)
        self.snapshots.append(dict(self.current))

    def _step(self, step: PathStep, following: State | None, goal: str | None) -> None:
        before = len(self.conjuncts)
        self._operation(step, following)
        effects = self.conjuncts[before:]
        del self.conjuncts[before:]
        if goal == "":
            raise Unfit("there are no interpolants for a path to any error")
        if goal is not None and goal not in _CALLS and goal not in LEAKS:
            self.assume(z3.Or(*self.wrong.get(goal, [])))
            return
        for condition in self.valid:
            self.assume(condition)
        self.conjuncts += effects
        if goal in LEAKS:
            self.assume(leak_condition(self, self.machine, self.facts.state, self.blocks))

    def _operation(self, step: PathStep, following: State | None) -> None:
        operation = step.operation
        match operation:
            case Skip() | Error():
                pass
            case Assume(condition=condition, truth=truth):
                constraint = self.condition(condition)
                if constraint is not None:
                    self.assume(constraint if truth else z3.Not(constraint))
            case Assign(target=target, value=value) if isinstance(target.type, RecordType):
                self._copy(self._range(target), self._range(value), target.type.size * 8)
            case Assign(target=target, value=value):
                self._assign(target, self.value(value))
            case Allocate():
                self._allocate(operation, step, following)
            case Free(stack=True):
                raise Unfit(str(operation))
            case Free(pointer=pointer):
                self._free(self.value(pointer))
            case Havoc(target=target):
                self._havoc(target)
            case DeclareLocal(variable=variable):
                self._declare(variable)
            case EndScope(variables=variables):
                for variable in variables:
                    self._end(variable)
            case MemSet():
                self._memset(operation)
            case MemCopy():
                self._memcopy(operation)
            case Return() | Exit() | Print():
                self._evaluate(operation)
            case _:
                raise Unfit(f"{operation.place}: {operation} has no relation")

    def _evaluate(self, operation: Return | Exit | Print) -> None:
        parts: tuple[Any, ...] = (getattr(operation, "value", None), getattr(operation, "status", None))
        for part in (*parts, *getattr(operation, "arguments", ())):
            if part is not None and not isinstance(part.type, RecordType):
                self.value(part)

    def _target(self, target: Expression) -> Spot:
        spot = self.place(target)
        if spot is None:
            raise Unfit(f"a write to {target}")
        return spot

    def _assign(self, target: Expression, value: Any) -> None:
        spot = self._target(target)
        if isinstance(target.type, PointerType):
            self._point(spot, value)
        else:
            self.write(spot, None if isinstance(value, Address) else value)

    def _point(self, spot: Spot, value: Any) -> None:
        if isinstance(value, Address):
            self.write(spot, value.block, value.defined)
        else:
            self.write(spot, None)

    def _allocate(self, operation: Allocate, step: PathStep, following: State | None) -> None:
        size, target = self.value(operation.size), self._target(operation.target)
        fresh = self.facts.state.next_block
        succeeds = step.succeeds
        if succeeds is None:
            if following is None:
                return
            succeeds = fresh in following.blocks and following.next_block > fresh
        if not succeeds:
            self._point(target, Address(number(0), 0))
            return
        block = z3.Int(f"block@{self.step}")
        self.assume(block > 0)
        self.assume(z3.Not(z3.Select(self.get(ALLOCATED), block)))
        self.define(ALLOCATED, z3.Store(self.get(ALLOCATED), block, z3.BoolVal(True)))
        self.define(FREED, z3.Store(self.get(FREED), block, z3.BoolVal(False)))
        if isinstance(size, Address) or size is None:
            raise Unfit(f"{operation.place}: the size of the block")
        self.define(SIZE, z3.Store(self.get(SIZE), block, size))
        for kind, bit, width in self.regions(fresh, 0, 1 << 40):
            spot = Spot(Cell(kind, "", bit, width), block, fresh)
            if operation.zeroed:
                self.write(spot, number(0))
            elif self.tracks_defined and kind == POINTER:
                flags = Defined(spot.cell)
                self.define(flags, z3.Store(self.get(flags), block, z3.BoolVal(False)))
        self._point(target, Address(block, 0))
        if self.names_blocks and not operation.stack:
            self.blocks[fresh] = self.step
            self.define(block_cell(self.step), block)

    def _free(self, pointer: Any) -> None:
        if not isinstance(pointer, Address):
            raise Unfit("free of something unknown")
        freed = z3.Select(self.get(FREED), pointer.block)
        self._note("double_free", z3.And(pointer.block != 0, freed))
        bad = z3.BoolVal(True) if pointer.offset else pointer.block < 0
        invalid = z3.And(pointer.block != 0, bad)
        if pointer.defined is not None:
            invalid = z3.Or(invalid, z3.Not(pointer.defined))
        self._note("invalid_free", invalid)
        self.valid.append(z3.Or(pointer.block == 0, z3.And(z3.Not(freed), z3.Not(bad))))
        self.define(FREED, z3.Store(self.get(FREED), pointer.block, z3.BoolVal(True)))

    def _havoc(self, target: Expression) -> None:
        spot = self._target(target)
        self.write(spot, None)
        if isinstance(target.type, IntegerType):
            self.in_range(self.read(spot), target.type)

    def _declare(self, variable: Variable) -> None:
        if variable.name in self.exposed:
            block = named_block(self.facts.state.next_block)
            self.define(FREED, z3.Store(self.get(FREED), block, z3.BoolVal(False)))
            self.define(SIZE, z3.Store(self.get(SIZE), block, number(variable.type.size)))
            return
        for kind, bit, width in self.regions(variable.name, 0, 1 << 40):
            cell = Cell(kind, variable.name, bit, width)
            self.define(cell, None)
            if self.tracks_defined and kind == POINTER:
                self.define(Defined(cell), z3.BoolVal(False))

    def _end(self, variable: Variable) -> None:
        block = self.facts.state.locals.get(variable.name)
        if variable.name in self.exposed and block is not None:
            self.define(FREED, z3.Store(self.get(FREED), named_block(block), z3.BoolVal(True)))

    # Copies ---------------------------------------------------------------------------------------------------

    def _range(self, lvalue: Expression) -> tuple[str, Any, int, int]:
        """Owner, block as a term, number of the block and bit of a whole object."""
        self._indices(lvalue)
        block, bit = self.facts.address(lvalue)
        root = root_of(lvalue)
        if isinstance(root, Variable):
            exposed = root.name in self.exposed
            return ("", named_block(block), block, bit) if exposed else (root.name, None, block, bit)
        pointer = self.value(getattr(root, "pointer", lvalue))
        if not isinstance(pointer, Address):
            raise Unfit(f"a copy of {lvalue}")
        self.touch(pointer, bit // 8, lvalue.type.size)
        return "", pointer.block, block, bit

    def _copy(self, to: tuple[str, Any, int, int], source: tuple[str, Any, int, int], width: int) -> None:
        regions = {(k, b - source[3], w) for k, b, w in self.regions(source[0] or source[2], source[3], width)}
        regions |= {(k, b - to[3], w) for k, b, w in self.regions(to[0] or to[2], to[3], width)}
        values = []
        for kind, bit, size in sorted(regions):
            spot = self.spot(source[0], source[1], source[2], (kind, source[3] + bit, size))
            defined = None
            if self.tracks_defined and kind == POINTER:
                flag = self.get(Defined(spot.cell))
                defined = flag if spot.block is None else z3.Select(flag, spot.block)
            values.append((self.read(spot), defined))
        for (kind, bit, size), (value, defined) in zip(sorted(regions), values, strict=True):
            self.write(self.spot(to[0], to[1], to[2], (kind, to[3] + bit, size)), value, defined)

    def _target_of(self, pointer: Expression, amount: int) -> tuple[str, Any, int, int]:
        address = self.value(pointer)
        explicit = self.facts.value(pointer)
        if not isinstance(address, Address) or not isinstance(explicit, Pointer):
            raise Unfit(f"a copy through {pointer}")
        self.touch(address, address.offset, amount)
        return "", address.block, explicit.block, address.offset * 8

    def _amount(self, expression: Expression) -> int:
        amount = self.facts.value(expression)
        if not isinstance(amount, int):
            raise Unfit(f"the number of bytes {expression}")
        return amount

    def _memset(self, operation: MemSet) -> None:
        amount, byte = self._amount(operation.size), self._amount(operation.value) & 255
        self.value(operation.size)
        if amount == 0:
            return
        owner, block, target, start = self._target_of(operation.pointer, amount)
        for region in self.regions(target, start, amount * 8):
            self.write(self.spot(owner, block, target, region), number(0) if byte == 0 else None)

    def _memcopy(self, operation: MemCopy) -> None:
        amount = self._amount(operation.size)
        if amount:
            to, source = self._target_of(operation.destination, amount), self._target_of(operation.source, amount)
            self._copy(to, source, amount * 8)
