"""A path as a sequence of relations between versions of variables and fields, the input of interpolation.

Every operation gives conjuncts: conditions, and definitions of new versions. A field is an array over blocks, as in
Burstall's memory model. This is sound if no two cells of a block overlap, which the path itself shows (`Unfit`
otherwise). A new block differs from all earlier blocks; a dereference requires that the block lives and is large
enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import z3

from kleene.cfa.operations import address_taken
from kleene.cfa.types import IntegerType
from kleene.domains.explicit.machine import Machine
from kleene.domains.explicit.memory import Block
from kleene.domains.explicit.state import State
from kleene.domains.explicit.values import NotModelled, Pointer
from kleene.passes.rewrite import operations_of
from kleene.paths.formulas.encode import Case, PathFormula
from kleene.paths.interpolation.arithmetic import number, within
from kleene.paths.interpolation.facts import Facts, Unfit
from kleene.paths.interpolation.vocabulary import FREED, POINTER, SIZE, Cell, Defined, Key, Vocabulary

Region = tuple[str, int, int]
"""Kind, bit and width of a cell."""


@dataclass(frozen=True)
class Conjunct:
    """A condition at a step, or the definition of a new version (`defines`) as a term (`value`)."""

    step: int
    formula: Any
    defines: Any = None
    value: Any = None


@dataclass(frozen=True)
class Address:
    """A pointer: the block as a term, its offset in bytes, whether it was ever written (only if that is asked)."""

    block: Any
    offset: int
    defined: Any = None


@dataclass(frozen=True)
class Spot:
    """The place of an lvalue: a cell of a variable, or a cell of the block that a term denotes."""

    cell: Cell
    block: Any = None
    number: int = 0


class Layout:
    """Which cells the path uses, of each variable and each block."""

    def __init__(self) -> None:
        self.regions: dict[str | int, set[Region]] = {}

    def add(self, owner: str | int, region: Region) -> None:
        known = self.regions.setdefault(owner, set())
        if region in known:
            return
        for other in known:
            if other[1] < region[1] + region[2] and region[1] < other[1] + other[2]:
                raise Unfit("a piece of memory is used in two ways")
        known.add(region)

    def inside(self, owner: str | int, bit: int, width: int) -> list[Region]:
        """The cells in a range; a cell that lies in it in part is a reason to give up."""
        inside = []
        for region in sorted(self.regions.get(owner, ())):
            if bit <= region[1] and region[1] + region[2] <= bit + width:
                inside.append(region)
            elif region[1] < bit + width and bit < region[1] + region[2]:
                raise Unfit("a piece of memory is copied in part")
        return inside


class Relation:
    """The versions and conjuncts of a path so far. `snapshots[k]` are the current versions before step k."""

    def __init__(self, formula: PathFormula, machine: Machine, case: Case, layout: Layout | None) -> None:
        self.machine = machine
        self.case = case
        self.known_layout = layout
        self.layout = Layout()
        self.vocabulary = Vocabulary()
        self.tracks_defined = formula.goal in ("uninitialized_pointer", "invalid_free")
        self.exposed = frozenset(v.name for v in address_taken(operations_of(formula.program)))
        self.conjuncts: list[Conjunct] = []
        self.current: dict[Key, Any] = {}
        self.snapshots: list[dict[Key, Any]] = []
        self.step = 0
        self.facts = Facts(machine, case.states[0])
        self._initial: list[tuple[Any, Any]] = []

    # Reading and writing ------------------------------------------------------------------------------------

    def begin(self, step: int, state: State) -> None:
        self.step = step
        self.facts = Facts(self.machine, state)
        self.snapshots.append(dict(self.current))

    def assume(self, condition: Any) -> None:
        self.conjuncts.append(Conjunct(self.step, condition))

    def get(self, key: Key) -> Any:
        """The current version; a key that was not used before has its initial version."""
        if key not in self.current:
            version = self.current[key] = self.vocabulary.fresh(key)
            for snapshot in self.snapshots:
                snapshot[key] = version
            self._remember_initial(key, version)
        return self.current[key]

    def define(self, key: Key, term: Any) -> None:
        """A new version of the key, equal to the term; any value for None."""
        self.get(key)
        version = self.vocabulary.fresh(key)
        self.current[key] = version
        if term is not None:
            self.conjuncts.append(Conjunct(self.step, version == term, version, term))

    def read(self, spot: Spot) -> Any:
        array = self.get(spot.cell)
        return array if spot.block is None else z3.Select(array, spot.block)

    def write(self, spot: Spot, term: Any, defined: Any = None) -> None:
        """Write a term (any value for None)."""
        self._put(spot.cell, spot.block, term)
        if self.tracks_defined and spot.cell.kind == POINTER:
            self._put(Defined(spot.cell), spot.block, z3.BoolVal(True) if defined is None else defined)

    def _put(self, key: Key, block: Any, term: Any) -> None:
        if block is None:
            self.define(key, term)
            return
        array = self.get(key)
        value = term if term is not None else z3.FreshConst(array.sort().range(), "any")
        self.define(key, z3.Store(array, block, value))

    def spot(self, owner: str, block: Any, number_: int, region: Region) -> Spot:
        if owner or number_ > 0:
            self.layout.add(owner or number_, region)
        kind, bit, width = region
        return Spot(Cell(kind, owner, bit, width), block, number_)

    def regions(self, owner: str | int, bit: int, width: int) -> list[Region]:
        """The cells in a range, also those that the path uses later."""
        layout = self.known_layout or self.layout
        return layout.inside(owner, bit, width)

    # Initial values ---------------------------------------------------------------------------------------

    def _remember_initial(self, key: Key, version: Any) -> None:
        """Globals have their initial values; the blocks that exist by name live and have their sizes."""
        start = self.case.states[0]
        if isinstance(key, Cell) and key.owner in self.machine.fixed:
            block = start.blocks[self.machine.fixed[key.owner]]
            self._initial += _equation(version, _initial_value(block, key))
        elif isinstance(key, Cell) and not key.owner:
            for name, number_ in self.machine.fixed.items():
                if name in self.exposed and (key.kind, key.bit, key.width) in self._regions_of(number_):
                    value = _initial_value(start.blocks[number_], key)
                    self._initial += _equation(z3.Select(version, named_block(number_)), value)
        elif key in (FREED, SIZE):
            for number_, block in start.blocks.items():
                term = z3.Select(version, named_block(number_))
                self._initial += _equation(term, z3.BoolVal(False) if key == FREED else number(block.size))

    def _regions_of(self, owner: int) -> set[Region]:
        layout = self.known_layout or self.layout
        return layout.regions.get(owner, set())

    def initial(self) -> list[Conjunct]:
        """The conjuncts about the beginning: they belong to the first step."""
        return [Conjunct(0, left == right) for left, right in self._initial]

    def in_range(self, term: Any, type_: IntegerType) -> None:
        self.assume(within(term, type_))


def named_block(number_: int) -> Any:
    """The term for a block that exists by name."""
    return number(-number_)


def _equation(left: Any, right: Any) -> list[tuple[Any, Any]]:
    return [(left, right)] if right is not None else []


def _initial_value(block: Block, cell: Cell) -> Any:
    try:
        value = block.load(cell.bit, cell.width)
    except NotModelled:  # it is written as something else
        return None
    if cell.kind == POINTER:
        if isinstance(value, Pointer):
            return named_block(value.block)
        return number(0) if value == 0 else None
    if isinstance(value, int):
        return number(value)
    return None
