"""Linear equations between integer variables modulo a power of two: what holds although numbers wrap around.

Two counters that advance together are equal whether they overflow or not, and so is a counter and the sum of two
others. A difference of two numbers with bounds (`relations`) does not say so: it needs to know that nothing wraps.

Müller-Olm, Seidl. Analysis of modular arithmetic. TOPLAS 29(5), 2007: the affine space of all states, by vectors that
generate it. Beside it, a test for equality restricts the space to the kernel of a linear form.

The numbers of w bits are the integers modulo 2^w. A vector has a coordinate for 1 and one for each variable. All states
of a location are combinations of the generators whose first coordinate is 1. Wider variables have their low bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeGuard

from kleene.cfa.dataflow import solve_forward
from kleene.cfa.expressions import (
    Binary,
    Cast,
    Comparison,
    Constant,
    Expression,
    Unary,
    Variable,
    has_dereference,
    walk,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, Assume, Operation, address_taken
from kleene.cfa.types import IntegerType, Type
from kleene.passes.facts.liveness import defined_variables, starts
from kleene.passes.facts.memory import Memory
from kleene.passes.promote import exposed_globals

MOST_VARIABLES = 16
"""With more variables than this, equations cost more than what they could prove: 10 ms for each operation."""

Vector = tuple[int, ...]
"""Numbers modulo a power of two: one for 1, then one for each variable."""


def valuation(number: int) -> int:
    """The exponent of the largest power of two that divides a number, which is not 0."""
    return (number & -number).bit_length() - 1


@dataclass(frozen=True)
class Space:
    """The combinations of some vectors modulo 2^bits; rows have different first coordinates that are not 0 (`pivots`).

    The states are the vectors with 1 as their first coordinate.
    """

    bits: int
    rows: tuple[Vector, ...]

    @staticmethod
    def spanned(bits: int, vectors: Iterable[Vector]) -> Space:
        """All combinations of some vectors, in echelon form.

        A row with a pivot that is even is kept together with what a multiple of it is when the pivot has vanished: so
        every vector of the space is found from the left to the right.
        """
        modulus = 1 << bits
        rows: dict[int, Vector] = {}
        waiting = [v for v in vectors if any(v)]
        while waiting:
            vector = waiting.pop()
            pivot = next((k for k, x in enumerate(vector) if x), None)
            if pivot is None:
                continue
            known = rows.get(pivot)
            if known is not None and valuation(known[pivot]) <= valuation(vector[pivot]):
                waiting.append(_reduce(vector, known, pivot, modulus))
                continue
            rows[pivot] = vector = _normal(vector, pivot, modulus)
            if known is not None:
                waiting.append(known)
            rest = modulus >> valuation(vector[pivot])
            waiting.append(tuple(x * rest % modulus for x in vector))
        return Space(bits, tuple(rows[k] for k in sorted(rows)))

    @property
    def is_empty(self) -> bool:
        """Whether no vector has 1 as its first coordinate."""
        return not self.rows or self.rows[0][0] % 2 == 0

    def has(self, vector: Vector) -> bool:
        """Whether a vector is a combination of the rows."""
        modulus = 1 << self.bits
        for row in self.rows:
            pivot = next(k for k, x in enumerate(row) if x)
            if any(vector[:pivot]) or (vector[pivot] and valuation(vector[pivot]) < valuation(row[pivot])):
                return False
            if vector[pivot]:
                vector = _reduce(vector, row, pivot, modulus)
        return not any(vector)

    def join(self, other: Space) -> Space | None:
        """The space of both; None if it is this one."""
        if all(map(self.has, other.rows)):
            return None
        return Space.spanned(self.bits, (*self.rows, *other.rows))

    def assigned(self, place: int, form: Vector | None) -> Space:
        """A coordinate gets the value of a linear form, or any value."""
        if form is None:
            free = tuple(int(k == place) for k in range(len(self.rows[0])))
            return Space.spanned(self.bits, (*self.rows, free))
        rows = ((*row[:place], self.value(form, row), *row[place + 1 :]) for row in self.rows)
        return Space.spanned(self.bits, rows)

    def value(self, form: Vector, row: Vector) -> int:
        """The value of a linear form; coordinates that it does not have count as 0."""
        return sum(a * b for a, b in zip(form, row, strict=False)) % (1 << self.bits)

    def where_zero(self, form: Vector) -> Space:
        """The vectors for which a linear form is 0."""
        modulus = 1 << self.bits
        values = [self.value(form, row) for row in self.rows]
        nonzero = [k for k, value in enumerate(values) if value]
        if not nonzero:
            return self
        least = min(nonzero, key=lambda k: valuation(values[k]))
        own, power = self.rows[least], valuation(values[least])
        inverse = pow(values[least] >> power, -1, modulus)
        rows = [tuple(x * (modulus >> power) % modulus for x in own)]
        for k, row in enumerate(self.rows):
            if k != least:
                factor = (values[k] >> power) * inverse
                rows.append(tuple((a - factor * b) % modulus for a, b in zip(row, own, strict=True)))
        return Space.spanned(self.bits, rows)


def _reduce(vector: Vector, row: Vector, pivot: int, modulus: int) -> Vector:
    """A vector without its coordinate at the pivot of a normal row that divides it."""
    factor = vector[pivot] >> valuation(row[pivot])
    return tuple((a - factor * b) % modulus for a, b in zip(vector, row, strict=True))


def _normal(vector: Vector, pivot: int, modulus: int) -> Vector:
    """A multiple of a vector with a power of two at the pivot, which generates the same vectors."""
    inverse = pow(vector[pivot] >> valuation(vector[pivot]), -1, modulus)
    return tuple(x * inverse % modulus for x in vector)


@dataclass
class Congruences:
    """The equations of one automaton between variables that no pointer leads to."""

    memory: Memory
    cfa: Cfa[Operation]
    _spaces: dict[int, dict[str, Space]] = field(default_factory=dict)

    def contradict(self, condition: Expression, location: str, *, truth: bool) -> bool:
        """Whether no state at a location has this truth value of a comparison for equality."""
        spaces = {bits: space for bits in self.widths if (space := self._at(bits).get(location)) is not None}
        return self.is_contradicted(condition, spaces, truth=truth)

    def is_contradicted(self, condition: Expression, spaces: Mapping[int, Space], *, truth: bool) -> bool:
        """Whether no state of some spaces, by their bits, has this truth value of a comparison for equality."""
        while isinstance(condition, Unary) and condition.operator == "!":
            condition, truth = condition.operand, not truth
        if not isinstance(condition, Comparison) or condition.operator not in ("==", "!="):
            return False
        kind = condition.left.type
        if not _is_number(kind):
            return False
        equal = truth == (condition.operator == "==")
        for bits, space in spaces.items():
            form = self._difference(condition, bits) if bits <= kind.bits else None
            if form is None or space.is_empty:
                continue
            if equal and space.where_zero(form).is_empty:
                return True
            if not equal and bits == kind.bits and not any(space.value(form, row) for row in space.rows):
                return True
        return False

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of tests for equality and those that they get values from, each at its coordinate from 1 on.

        There are none where functions are analysed apart: they may change global variables.
        """
        if len(starts(self.cfa)) > 1:
            return ()
        operations = [edge.label for edge in self.cfa.edges]
        unseen = address_taken(operations) | exposed_globals(self.memory.program)
        known = {v for v in self.memory.integers if _is_number(v.type)} - unseen
        tests = [o.condition for o in operations if isinstance(o, Assume) and not has_dereference(o.condition)]
        found = {v for test in tests for v in _equated(test)} & known
        waiting = list(found)
        sources: dict[Expression, list[Expression]] = {}
        for operation in operations:
            if isinstance(operation, Assign):
                sources.setdefault(operation.target, []).append(operation.value)
        while waiting:
            for value in sources.get(waiting.pop(), ()):
                new = {v for v in walk(value) if isinstance(v, Variable)} & known - found
                found |= new
                waiting += new
        return tuple(sorted(found, key=str)) if len(found) <= MOST_VARIABLES else ()

    @cached_property
    def _places(self) -> Mapping[Variable, int]:
        return {variable: place for place, variable in enumerate(self.variables, 1)}

    @cached_property
    def widths(self) -> Sequence[int]:
        return sorted({v.type.bits for v in self.variables if isinstance(v.type, IntegerType)})

    def _at(self, bits: int) -> dict[str, Space]:
        """The states at each location, modulo 2^bits."""
        if bits not in self._spaces:
            self._spaces[bits] = solve_forward(
                self.cfa,
                {self.cfa.entry: self.start(bits)},
                lambda edge, before: self._passed(edge, before),
                lambda location, known, new: known.join(new),
            )
        return self._spaces[bits]

    def start(self, bits: int) -> Space:
        """The states at the entry, modulo 2^bits."""
        length = len(self.variables) + 1
        start = Space.spanned(bits, [_unit(length, k) for k in range(length)])
        for item in self.memory.program.globals:
            place = self._places.get(item.variable)
            if place is not None and not item.external:
                start = start.assigned(place, _unit(length, 0, 0))
                for assignment in item.initial:
                    start = self.after(assignment, start)
        return start

    def _passed(self, edge: Edge[Operation], before: Space) -> Space | None:
        after = self.after(edge.label, before)
        return None if after.is_empty else after

    def after(self, operation: Operation, before: Space) -> Space:
        """What an operation makes of the variables; the space may have more coordinates, which stay."""
        if isinstance(operation, Assume):
            return self._assumed(operation.condition, operation.truth, before)
        if isinstance(operation, Assign) and isinstance(operation.target, Variable):
            place = self._places.get(operation.target)
            return before if place is None else before.assigned(place, self._stored(operation, before.bits))
        for variable in defined_variables(operation):
            if variable in self._places:
                before = before.assigned(self._places[variable], None)
        return before

    def _assumed(self, condition: Expression, truth: bool, before: Space) -> Space:
        while isinstance(condition, Unary) and condition.operator == "!":
            condition, truth = condition.operand, not truth
        if not isinstance(condition, Comparison) or condition.operator != ("==" if truth else "!="):
            return before
        form = self._difference(condition, before.bits)
        return before if form is None else before.where_zero(form)

    def _stored(self, operation: Assign, bits: int) -> Vector | None:
        """The linear form of a value in the low bits of its target."""
        kind = operation.target.type
        assert isinstance(kind, IntegerType)
        return self._form(operation.value, bits) if kind.bits >= bits else None

    def _difference(self, condition: Comparison, bits: int) -> Vector | None:
        left, right = self._form(condition.left, bits), self._form(condition.right, bits)
        return None if left is None or right is None else tuple(a - b for a, b in zip(left, right, strict=True))

    def _form(self, value: Expression, bits: int) -> Vector | None:
        """The low bits of a number as a linear form of variables; None if it is not one, or has fewer bits."""
        if not _is_number(value.type) or value.type.bits < bits:
            return None
        length = len(self.variables) + 1
        match value:
            case Constant(value=number):
                return _unit(length, 0, number)
            case Variable():
                place = self._places.get(value)
                return None if place is None else _unit(length, place)
            case Cast(operand=operand):
                return self._form(operand, bits)
            case Unary(operator="-", operand=operand):
                form = self._form(operand, bits)
                return None if form is None else tuple(-x for x in form)
            case Binary(operator=("+" | "-" | "*") as operator, left=left, right=right):
                one, two = self._form(left, bits), self._form(right, bits)
                if one is None or two is None:
                    return None
                if operator == "*":
                    one, two = (two, one) if any(two[1:]) else (one, two)
                    return None if any(two[1:]) else tuple(x * two[0] for x in one)
                sign = 1 if operator == "+" else -1
                return tuple(a + sign * b for a, b in zip(one, two, strict=True))
        return None


def _is_number(kind: Type) -> TypeGuard[IntegerType]:
    """Whether numbers of a type are those modulo a power of two."""
    return isinstance(kind, IntegerType) and not kind.boolean and not kind.function


def _equated(test: Expression) -> Iterator[Variable]:
    """The variables of a test for equality of numbers."""
    for node in walk(test):
        if isinstance(node, Comparison) and node.operator in ("==", "!="):
            yield from (v for v in walk(node) if isinstance(v, Variable))


def _unit(length: int, place: int, number: int = 1) -> Vector:
    return tuple(number if k == place else 0 for k in range(length))
