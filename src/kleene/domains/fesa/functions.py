"""Boolean functions over named flags, in two representations: decision diagrams, and truth tables for small cases.

FESA (section 5) keeps formulas in conjunctive and disjunctive normal form and projects them with a SAT solver. Reduced
ordered decision diagrams give the same functions with cheap equality, fold and expand; truth tables are the
independent second implementation that the tests compare them with.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from oxidd.bcdd import BCDDFunction, BCDDManager, BCDDSubstitution

from kleene.diagnostics import Limit, LimitReached

Name = Hashable
Function = Any
"""A Boolean function of some space; has the operators ``& | ^ ~ ==``."""


@dataclass
class Statistics:
    """The work of projections (the columns of Table 1)."""

    projections: int = 0
    variables: int = 0
    nodes: int = 0
    largest: int = 0

    def add(self, variables: int, nodes: int) -> None:
        self.projections += 1
        self.variables += variables
        self.nodes += nodes
        self.largest = max(self.largest, nodes)


class Space(Protocol):
    """The manager of functions. A name gets a variable on first use."""

    true: Function
    false: Function
    statistics: Statistics

    def var(self, name: Name) -> Function: ...

    def arrange(self) -> None:
        """A good moment to look after the representation."""

    def none_of(self, names: Iterable[Name]) -> Function:
        """True where all the names are false."""

    def exists(self, function: Function, names: Iterable[Name]) -> Function:
        """Projection: true where some values of the names make the function true."""

    def depends(self, function: Function, name: Name) -> bool:
        """Whether the value of the name matters."""

    def rename(self, function: Function, names: Mapping[Any, Any]) -> Function:
        """All names replaced at once. Names that are only targets must not occur in the function."""

    def satisfiable(self, function: Function) -> bool: ...

    def always_false(self, function: Function, names: Iterable[Name]) -> list[Name]:
        """The names that are false wherever the function is true."""

    def size(self, function: Function) -> int: ...

    def evaluate(self, function: Function, values: Mapping[Name, bool]) -> bool:
        """The value at one vector; names that are not given are false."""


_F = TypeVar("_F", BCDDFunction, "Table")


def _product(true: _F, factors: Iterable[_F]) -> _F:
    result = true
    for factor in factors:
        result = result & factor
    return result


class Diagrams:
    """Reduced ordered decision diagrams with complement edges."""

    def __init__(self, capacity: int = 1 << 21, order: Callable[[Name], Any] | None = None) -> None:
        self._capacity = capacity
        self._order = order
        self._ordered = 0
        self._manager = BCDDManager(capacity, capacity >> 4, 1)
        self._numbers: dict[Name, int] = {}
        self._vars: dict[Name, BCDDFunction] = {}
        self._cubes: dict[frozenset[Name], BCDDFunction] = {}
        self._nones: dict[frozenset[Name], BCDDFunction] = {}
        self._substitutions: dict[frozenset[tuple[Name, Name]], BCDDSubstitution] = {}
        self.true = self._manager.true()
        self.false = self._manager.false()
        self._ones, self._in_ones = self.true, 0
        self.statistics = Statistics()

    def var(self, name: Name) -> BCDDFunction:
        variable = self._vars.get(name)
        if variable is None:
            number = self._manager.add_vars(1)[0]
            self._numbers[name] = number
            variable = self._vars[name] = self._manager.var(number)
        return variable

    def arrange(self) -> None:
        """Put variables that came since the last time to where the order wants them."""
        if self._order is not None and self._ordered < len(self._numbers):
            ranks = {name: self._order(name) for name in self._numbers}
            names = sorted(ranks, key=ranks.__getitem__)
            self._manager.gc()
            self._manager.set_var_order([self._numbers[name] for name in names])
            self._ordered = len(self._numbers)

    def exists(self, function: BCDDFunction, names: Iterable[Name]) -> BCDDFunction:
        key = frozenset(names)
        if not key:
            return function
        result = function.exists(self._cube(key))
        if self._manager.approx_num_inner_nodes() > self._capacity * 3 // 4:
            self._manager.gc()
            if self._manager.num_inner_nodes() > self._capacity * 3 // 4:
                raise LimitReached(f"the Boolean functions have more than {self._capacity * 3 // 4} nodes", Limit.SIZE)
        self.statistics.add(len(key), result.node_count())
        return result

    def _cube(self, key: frozenset[Name]) -> BCDDFunction:
        cube = self._cubes.get(key)
        if cube is None:
            cube = self._cubes[key] = _product(self.true, [self.var(name) for name in self._bottom_up(key)])
        return cube

    def depends(self, function: BCDDFunction, name: Name) -> bool:
        return bool(function.exists(self.var(name)) != function)

    def none_of(self, names: Iterable[Name]) -> BCDDFunction:
        key = frozenset(names)
        product = self._nones.get(key)
        if product is None:
            product = self._nones[key] = _product(self.true, [~self.var(name) for name in self._bottom_up(key)])
        return product

    def _bottom_up(self, names: Collection[Name]) -> list[Name]:
        self._introduce(names)
        return sorted(names, key=lambda n: self._manager.var_to_level(self._number(n)), reverse=True)

    def _introduce(self, names: Iterable[Name]) -> None:
        """New names get variables in an order that does not depend on how sets are stored."""
        for name in sorted((n for n in names if n not in self._numbers), key=self._order or str):
            self.var(name)

    def _number(self, name: Name) -> int:
        number = self._numbers.get(name)
        if number is None:
            self.var(name)
            number = self._numbers[name]
        return number

    def rename(self, function: BCDDFunction, names: Mapping[Any, Any]) -> BCDDFunction:
        key = frozenset((old, new) for old, new in names.items() if old != new)
        if not key:
            return function
        substitution = self._substitutions.get(key)
        if substitution is None:
            self._introduce({name for pair in key for name in pair})
            pairs = [(self._number(old), self.var(new)) for old, new in key]
            substitution = self._substitutions[key] = BCDDSubstitution(pairs)
        return function.substitute(substitution)

    def satisfiable(self, function: BCDDFunction) -> bool:
        return function.satisfiable()

    def always_false(self, function: BCDDFunction, names: Iterable[Name]) -> list[Name]:
        """The first cube has as many ones as possible, so few names are left."""
        numbers = {name: self._number(name) for name in names}
        if self._in_ones < len(self._vars):
            new = list(self._vars)[self._in_ones :]
            self._ones, self._in_ones = self._ones & self._cube(frozenset(new)), len(self._vars)
        cube = function.pick_cube_dd_set(self._ones).pick_cube()
        left = numbers if cube is None else {name: n for name, n in numbers.items() if cube[n] is False}
        for name in tuple(left):
            if name in left:
                cube = (function & self._vars[name]).pick_cube_dd_set(self._ones).pick_cube()
                if cube is not None:
                    left = {n: number for n, number in left.items() if cube[number] is False}
                elif not (function & ~self.none_of(left)).satisfiable():
                    break
        return list(left)

    def size(self, function: BCDDFunction) -> int:
        return function.node_count()

    def evaluate(self, function: BCDDFunction, values: Mapping[Name, bool]) -> bool:
        zeros = [(number, False) for number in range(len(self._numbers))]
        return function.eval(zeros + [(self._number(name), value) for name, value in values.items()])


@dataclass(frozen=True)
class Table:
    """A truth table: bit ``i`` is the value where the names (in order) have the bits of ``i``."""

    space: Tables
    names: tuple[Name, ...]
    bits: int

    def __and__(self, other: Table) -> Table:
        names, a, b = self._align(other)
        return self.space.reduce(names, a & b)

    def __or__(self, other: Table) -> Table:
        names, a, b = self._align(other)
        return self.space.reduce(names, a | b)

    def __xor__(self, other: Table) -> Table:
        names, a, b = self._align(other)
        return self.space.reduce(names, a ^ b)

    def __invert__(self) -> Table:
        return Table(self.space, self.names, self.bits ^ ((1 << (1 << len(self.names))) - 1))

    def _align(self, other: Table) -> tuple[tuple[Name, ...], int, int]:
        names = self.space.order({*self.names, *other.names})
        return names, self.over(names), other.over(names)

    def over(self, names: tuple[Name, ...]) -> int:
        """The table over more names."""
        places = [names.index(name) for name in self.names]
        bits = 0
        for vector in range(1 << len(names)):
            own = sum((vector >> place & 1) << k for k, place in enumerate(places))
            bits |= (self.bits >> own & 1) << vector
        return bits


class Tables:
    """Truth tables, for a dozen names or so."""

    def __init__(self) -> None:
        self._order: dict[Name, int] = {}
        self.true = Table(self, (), 1)
        self.false = Table(self, (), 0)
        self.statistics = Statistics()

    def order(self, names: Iterable[Name]) -> tuple[Name, ...]:
        for name in names:
            self._order.setdefault(name, len(self._order))
        return tuple(sorted(names, key=self._order.__getitem__))

    def reduce(self, names: tuple[Name, ...], bits: int) -> Table:
        """The table without names that it does not depend on: equal functions have equal tables."""
        k = 0
        while k < len(names):
            low, high = self._halves(len(names), bits, k)
            if low == high:
                names, bits = names[:k] + names[k + 1 :], low
            else:
                k += 1
        return Table(self, names, bits)

    @staticmethod
    def _halves(count: int, bits: int, k: int) -> tuple[int, int]:
        """The tables where name number k is 0 and 1."""
        low = high = 0
        for vector in range(1 << (count - 1)):
            spread = (vector & ((1 << k) - 1)) | (vector >> k) << (k + 1)
            low |= (bits >> spread & 1) << vector
            high |= (bits >> (spread | 1 << k) & 1) << vector
        return low, high

    def arrange(self) -> None:
        """Tables need no care."""

    def var(self, name: Name) -> Table:
        return Table(self, self.order([name]), 0b10)

    def none_of(self, names: Iterable[Name]) -> Table:
        return _product(self.true, [~self.var(name) for name in names])

    def exists(self, function: Table, names: Iterable[Name]) -> Table:
        for name in names:
            if name in function.names:
                k = function.names.index(name)
                low, high = self._halves(len(function.names), function.bits, k)
                function = self.reduce(function.names[:k] + function.names[k + 1 :], low | high)
        self.statistics.add(len(function.names), function.bits.bit_count())
        return function

    def depends(self, function: Table, name: Name) -> bool:
        return name in self.reduce(function.names, function.bits).names

    def rename(self, function: Table, names: Mapping[Any, Any]) -> Table:
        renamed = tuple(names.get(name, name) for name in function.names)
        ordered = self.order(renamed)
        places = [ordered.index(name) for name in renamed]
        bits = 0
        for vector in range(1 << len(ordered)):
            own = sum((vector >> place & 1) << k for k, place in enumerate(places))
            bits |= (function.bits >> own & 1) << vector
        return Table(self, ordered, bits)

    def satisfiable(self, function: Table) -> bool:
        return function.bits != 0

    def always_false(self, function: Table, names: Iterable[Name]) -> list[Name]:
        return [name for name in names if not self.satisfiable(function & self.var(name))]

    def size(self, function: Table) -> int:
        return function.bits.bit_count()

    def evaluate(self, function: Table, values: Mapping[Name, bool]) -> bool:
        vector = sum(bool(values.get(name)) << k for k, name in enumerate(function.names))
        return bool(function.bits >> vector & 1)
