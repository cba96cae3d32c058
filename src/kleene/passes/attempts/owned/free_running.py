"""Rings whose indices run freely: ``ring[head++ & 15] = p`` where ``head - tail`` is how many elements there are.

Both indices grow for ever, and wrap as their type does. Zones relate elements to where a ring begins and to how many
elements it has (`sums`): so these get variables, ``first = tail & 15`` and ``count = head - tail``, which hold these
values at all times. What is computed of the indices is computed of them: ``head & 15`` is ``(first + count) & 15``, and
``head == tail`` is ``count == 0``. The indices stay, as far as something else reads them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from kleene.cfa.expressions import Binary, Cast, Comparison, Constant, Expression, Variable, walk
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, DeclareLocal, Operation, Place, expressions
from kleene.cfa.program import CProgram
from kleene.cfa.types import IntegerType
from kleene.passes.elements.chosen import bare
from kleene.passes.facts.liveness import defined_variables
from kleene.passes.facts.memory import constant_of
from kleene.passes.facts.same_values import SameValues, same_values, unseen_variables
from kleene.passes.rewrite import Choice, expand_edges, rewrite_operation

FREE = " free running "
"""What the names of the locations between contain."""
FIRST, COUNT, PLACE = "$first before ", "$count before ", "$place of "
"""How the names of the variables begin: for where a ring begins, how many elements it has, and the place of an index
that another variable has a copy of."""


@dataclass(frozen=True)
class Ring:
    """Two indices that run freely, and the number of elements of the ring: a power of 2."""

    end: Variable
    start: Variable
    size: int

    @property
    def type(self) -> IntegerType:
        assert isinstance(self.start.type, IntegerType)
        return self.start.type

    @cached_property
    def first(self) -> Variable:
        return Variable(f"{FIRST}{self.end}", self.type)

    @cached_property
    def count(self) -> Variable:
        return Variable(f"{COUNT}{self.end}", self.type)

    def within(self, number: Expression) -> Binary:
        """The place of a number in the ring."""
        return Binary("&", number, Constant(self.size - 1, self.type), self.type)

    @property
    def behind(self) -> Expression:
        """The place behind the last element."""
        return self.within(Binary("+", self.first, self.count, self.type))


def with_counted_rings(program: CProgram) -> CProgram:
    """The program in which rings by indices that run freely begin somewhere and have a count; itself without any."""
    main = program.main
    known = same_values(program, main.cfa)
    rings = list(_rings(main.cfa, known, unseen_variables(program, main.cfa)))
    if not rings:
        return program
    cfa, new = main.cfa, [v for ring in rings for v in (ring.first, ring.count)]
    for ring in rings:
        counting = _Counting(ring, same_values(program, cfa), cfa)
        cfa = counting.run()
        new += counting.places.values()
    changed = replace(main, cfa=cfa, locals=(*main.locals, *new))
    return replace(program, functions={**program.functions, main.name: changed})


def _rings(cfa: Cfa[Operation], known: SameValues, unseen: frozenset[Variable]) -> Iterator[Ring]:
    """The differences of two indices that go round at the same power of 2; no index is in two rings."""
    nodes = [(e.source, n) for e in cfa.edges for x in expressions(e.label) for n in walk(x)]
    sizes: dict[Expression, set[int]] = {}
    for location, node in nodes:
        masked = masked_number(node)
        if masked is not None:
            for index in {masked[0], known.held_by(masked[0], location) or masked[0], *_origins(cfa, masked[0])}:
                sizes.setdefault(index, set()).add(masked[1])
    used: set[Expression] = set()
    for location, node in nodes:
        terms = [side if side in sizes else known.held_by(side, location) for side in difference(node) or ()]
        if len(terms) != 2 or used & set(terms):
            continue
        end, start = terms
        if not isinstance(end, Variable) or not isinstance(start, Variable) or {end, start} & unseen:
            continue
        common = sizes.get(end, set()) & sizes.get(start, set())
        if end != start and end.type == start.type and len(common) == 1:
            used |= {end, start}
            yield Ring(end, start, next(iter(common)))


def _origins(cfa: Cfa[Operation], copy: Expression) -> set[Expression]:
    """The variables of which one is a copy."""
    return {
        bare(edge.label.value)
        for edge in cfa.edges
        if isinstance(edge.label, Assign) and edge.label.target == copy and isinstance(bare(edge.label.value), Variable)
    }


def masked_number(node: Expression) -> tuple[Variable, int] | None:
    """The variable without a sign that a remainder by a power of 2 is of, and this power."""
    if not isinstance(node, Binary) or node.operator not in ("&", "%"):
        return None
    number, size = bare(node.left) if node.operator == "&" else _kept(node.left), constant_of(node.right)
    if size is None or not isinstance(number, Variable) or not isinstance(number.type, IntegerType):
        return None
    size += node.operator == "&"
    fits = size > 1 and not size & (size - 1) and number.type.has(size) and not number.type.signed
    return (number, size) if fits else None


def difference(node: Expression) -> tuple[Variable, Variable] | None:
    """The two variables of one type without a sign whose difference is computed in this type."""
    inner = node.operand if isinstance(node, Cast) else node
    if not isinstance(inner, Binary) or inner.operator != "-" or not isinstance(inner.type, IntegerType):
        return None
    left, right = bare(inner.left), bare(inner.right)
    if not isinstance(left, Variable) or not isinstance(right, Variable):
        return None
    own = left.type
    if not isinstance(own, IntegerType) or own.signed or own != right.type or node.type != own:
        return None
    return (left, right) if inner.type.bits >= own.bits else None


class _Counting:
    """One ring in one automaton."""

    def __init__(self, ring: Ring, known: SameValues, cfa: Cfa[Operation]) -> None:
        self.ring, self.known, self.cfa = ring, known, cfa
        masked = {m[0] for e in cfa.edges for x in expressions(e.label) for n in walk(x) if (m := self._masked(n))}
        copies = {v for v in masked - {ring.end, ring.start} if _origins(cfa, v) & {ring.end, ring.start}}
        self.places = {v: Variable(f"{PLACE}{v}", v.type) for v in sorted(copies, key=str)}
        """The places in the ring of variables that have copies of an index."""

    def run(self) -> Cfa[Operation]:
        cfa = expand_edges(self.cfa, self._expand, FREE)
        entry, begins = f"{cfa.entry}{FREE}", self._initial(cfa.leaving(cfa.entry)[0].label.place)
        if not begins:
            return cfa
        names = [entry, *(f"{entry}{n}" for n in range(1, len(begins))), cfa.entry]
        before = tuple(Edge(a, label, b) for (a, b), label in zip(pairwise(names), begins, strict=True))
        return Cfa(entry, (*before, *cfa.edges))

    def _initial(self, place: Place) -> tuple[Operation, ...]:
        """What global variables have at the start."""
        copies = ((copy, kept) for copy, kept in self.places.items() if copy.is_global)
        places = (Assign(place, kept, self._place_of(copy)) for copy, kept in copies)
        return (*(self._computed(place) if self.ring.end.is_global and self.ring.start.is_global else ()), *places)

    def _masked(self, node: Expression) -> tuple[Variable, int] | None:
        masked = masked_number(node)
        return masked if masked is not None and masked[1] == self.ring.size else None

    def _expand(self, edge: Edge[Operation]) -> list[Choice] | None:
        label = edge.label
        written = set(defined_variables(label))
        if isinstance(label, DeclareLocal):  # what it has no value for, has none either
            ring, own = self.ring, label.variable
            unset = [ring.count, ring.first] if own in (ring.end, ring.start) else []
            unset += [self.places[own]] if own in self.places else []
            return [Choice(None, (label, *(DeclareLocal(label.place, v) for v in unset)))] if unset else None
        changed = rewrite_operation(label, lambda node: self._with_count(node, edge.source))
        after = tuple(self._after(edge, written))
        if changed == label and not after:
            return None
        return [Choice(None, (changed, *after))]

    def _with_count(self, node: Expression, location: str) -> Expression:
        """What is computed of the indices, computed of the count and the start."""
        ring = self.ring
        masked = self._masked(node)
        if masked is not None:
            place = self._place(masked[0], location)
            return node if place is None else _like(place, node)
        if isinstance(node, Comparison) and node.operator in ("==", "!="):
            sides = {self._index(_kept(side), location) for side in (node.left, node.right)}
            if sides == {ring.end, ring.start}:
                return replace(node, left=ring.count, right=Constant(0, ring.type))
        terms = difference(node)
        if terms is not None and [self._index(t, location) for t in terms] == [ring.end, ring.start]:
            return ring.count
        return node

    def _index(self, number: Expression, location: str) -> Expression | None:
        """The index that a number is, or equals."""
        ring = self.ring
        held = number if number in (ring.end, ring.start) else self.known.held_by(number, location)
        return held if held in (ring.end, ring.start) else None

    def _place(self, number: Variable, location: str) -> Expression | None:
        """The place of a variable in the ring, if it has or had the value of an index."""
        held = self._index(number, location)
        if held == self.ring.end:
            return self.ring.behind
        return self.ring.first if held == self.ring.start else self.places.get(number)

    def _after(self, edge: Edge[Operation], written: set[Variable]) -> Iterator[Operation]:
        """What the count, the start and the places of copies become after an operation."""
        ring, label = self.ring, edge.label
        one = Constant(1, ring.type)
        for index in (ring.end, ring.start):
            if index not in written:
                continue
            if not self._increments(edge, index):
                yield from self._computed(label.place)
            elif index == ring.end:
                yield Assign(label.place, ring.count, Binary("+", ring.count, one, ring.type))
            else:
                yield Assign(label.place, ring.count, Binary("-", ring.count, one, ring.type))
                yield Assign(label.place, ring.first, ring.within(Binary("+", ring.first, one, ring.type)))
        for copy in sorted(written & self.places.keys(), key=str):
            value = bare(label.value) if isinstance(label, Assign) else copy
            place = self._place(value, edge.source) if isinstance(value, Variable) and value != copy else None
            yield Assign(label.place, self.places[copy], self._place_of(copy) if place is None else _like(place, copy))

    def _place_of(self, copy: Variable) -> Expression:
        return Binary("&", copy, Constant(self.ring.size - 1, copy.type), copy.type)

    def _increments(self, edge: Edge[Operation], index: Variable) -> bool:
        """Whether an operation adds 1 to an index."""
        label = edge.label
        if not isinstance(label, Assign) or label.target != index:
            return False
        value = label.value.operand if isinstance(label.value, Cast) else label.value
        if not isinstance(value, Binary) or value.operator != "+" or not isinstance(value.type, IntegerType):
            return False
        sides = [bare(value.left), bare(value.right)]
        ones = [side for side in sides if constant_of(side) == 1]
        others = [side for side in sides if constant_of(side) is None]
        is_wide = value.type.bits >= self.ring.type.bits
        return is_wide and len(ones) == len(others) == 1 and self._index(others[0], edge.source) == index

    def _computed(self, place: Place) -> tuple[Operation, ...]:
        ring = self.ring
        many = Binary("-", ring.end, ring.start, ring.type)
        return Assign(place, ring.count, many), Assign(place, ring.first, ring.within(ring.start))


def _kept(number: Expression) -> Expression:
    """The operand of conversions that keep the number and its sign."""
    while isinstance(number, Cast) and isinstance(number.type, IntegerType):
        inner = number.operand.type
        if not isinstance(inner, IntegerType) or not (
            number.type.has(inner.minimum) and number.type.has(inner.maximum)
        ):
            break
        number = number.operand
    return number


def _like(number: Expression, old: Expression) -> Expression:
    return number if number.type == old.type else Cast(number, old.type)
