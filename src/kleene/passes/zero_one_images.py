"""Unknown numbers that are only copied and compared with each other: 0 and 1 stand for all of them.

Let `f` map the numbers below some bound to 0 and the others to 1. A program that only copies and compares numbers can
run on their images, if a comparison of equal images may have both results: ``a < b`` implies only ``f(a) <= f(b)``. If
an assertion ``a <= b`` fails, the bound `a` shows it: ``f(a) = 1`` and ``f(b) = 0``. So a property of the images for
every bound is a property of the numbers: a list is sorted if no image of it has a 1 before a 0. (The zero-one
principle: Knuth, The Art of Computer Programming 3, section 5.3.4; data independence: Wolper, POPL 1986.)

The claim is: for every run and every bound there is a run on images that has ``f(n)`` where the first has the number n
in a place (variable or cell) that has an image, and the same in every other place. It holds if

1. every write to a place with an image writes a copy from such a place of the same type, an unknown number, or a
   constant, whose image may be 0 or 1. No such place has an initial value (globals, copied bytes); the members of a
   struct in zeroed memory are written one by one (`zeroed_members`);
2. every read from a place with an image is a copy to such a place, an output, or an operand of a comparison that is the
   whole condition of an assumption or the whole value of an assignment;
3. such a comparison uses the images only if both sides have one. Otherwise both results are possible: images do not
   compare with numbers.

All places with images share one bound, which the first failure of the run determines: a result that leads only to a
failure (`_Images._is_lost`) is taken only if the bound shows the failure. `_Order` checks 1 and 2: it classifies every
operation, and an unknown operation spoils all places that it reads or may write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

from kleene.cfa.expressions import NEGATED, Comparison, Constant, Deref, Expression, Field, Index, Unary, Variable, walk
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    Allocate,
    Assign,
    Assume,
    DeclareLocal,
    EndScope,
    Error,
    Havoc,
    Invoke,
    MemSet,
    Operation,
    Place,
    Return,
    Skip,
    expressions,
)
from kleene.cfa.types import IntegerType, PointerType, RecordLayout, RecordType
from kleene.passes.facts.integers import COMPARE, Constants, Key
from kleene.passes.facts.liveness import defined_variables
from kleene.passes.facts.memory import Memory, constant_of
from kleene.passes.representatives import Uses, same

_LVALUES = Variable | Field | Deref | Index
_BITS = (0, 1)
_MOST_STEPS = 12
"""Largest number of steps from the test of an assertion to its failure."""


def with_images(memory: Memory) -> Cfa[Operation]:
    """The automaton of the memory on images of numbers, where an assertion compares such numbers with each other."""
    return _Images(memory, _order_of(memory)).cfa()


def mapped_by_images(memory: Memory) -> Callable[[Expression], bool]:
    """Whether images stand for the numbers of a variable or cell in `with_images`."""
    return _order_of(memory).maps


def _order_of(memory: Memory) -> _Order:
    uses = _Order(Constants(memory))
    uses.records = memory.program.records
    operations = [*(a for g in memory.program.globals for a in g.initial), *(e.label for e in memory.cfa.edges)]
    for operation in operations:
        uses.note(operation)
        for part in operation.assignments if isinstance(operation, Invoke) else (operation,):
            uses.look(part)
    for variable in (v for v in uses.types if isinstance(v, Variable) and v.is_global):
        uses.spoiled.add(variable)  # it begins with a number that is none from outside
    if any(v.is_global for v in memory.objects):
        uses.cells_spoiled = True
    return uses


def zeroed_members(operation: Operation, records: Mapping[str, RecordLayout]) -> list[Field] | None:
    """The members of the struct that an operation makes of zeros; None if it makes something else."""
    match operation:
        case Allocate(
            target=Variable(type=PointerType(target=RecordType() as record)) as pointer, size=size, zeroed=True
        ) if constant_of(size) == record.size and record.name in records:
            layout = records[record.name]
            scalars = all(isinstance(m.type, IntegerType | PointerType) and m.bit_width is None for m in layout.fields)
            if scalars and not layout.union:
                return [Field(Deref(pointer, record), m.name, m.type, m.offset) for m in layout.fields]
    return None


@dataclass
class _Order(Uses):
    """How the program uses its numbers; comparisons with each other are harmless."""

    compared: set[Key] = field(default_factory=set)
    """Numbers that are compared by `<`, `<=`, `>` or `>=`."""
    records: Mapping[str, RecordLayout] = field(default_factory=dict)
    unnamed: set[int] = field(default_factory=set)
    """The offsets of bytes in zeroed structs that are no member."""

    def _compare(self, operator: str, left: Expression, right: Expression) -> None:
        sides = [same(left), same(right)]
        if all(isinstance(s, _LVALUES) and isinstance(s.type, IntegerType) and s.type == left.type for s in sides):
            for side in sides:
                self._read(side, plain=True)
                if operator not in ("==", "!="):
                    self.compared.update(self._keys(side))
        else:
            super()._compare(operator, left, right)

    def look(self, operation: Operation) -> None:
        """Spoil numbers that have a value without an assignment, or that are compared inside other expressions."""
        if isinstance(operation, MemSet):
            self.cells_spoiled = True
        if isinstance(operation, Allocate) and operation.zeroed:
            self._look_at_zeros(operation)
        if isinstance(operation, Assign) and isinstance(operation.target.type, IntegerType):
            self._spoil_computed(operation.target, same(operation.value))
        plain = _test_of(operation)
        for expression in expressions(operation):
            for node in walk(expression):
                if isinstance(node, Comparison) and node is not plain and not isinstance(operation, Return):
                    for side in (same(node.left), same(node.right)):
                        self.spoiled.update(self._keys(side))

    def _look_at_zeros(self, operation: Allocate) -> None:
        """Members are written one by one; nothing is written to the bytes between them."""
        members = zeroed_members(operation, self.records)
        if members is None:
            self.cells_spoiled = True
            return
        named = {member.offset + i for member in members for i in range(member.type.size)}
        self.unnamed.update({*range(constant_of(operation.size) or 0)} - named)
        for member in members:
            if isinstance(member.type, IntegerType):
                self.note(Assign(operation.place, member, Constant(0, member.type)))

    def _spoil_computed(self, target: Expression, value: Expression) -> None:
        """Spoil a place whose value is computed or has another type: it is no unknown number."""
        keys = self._keys(target)
        if constant_of(value) is not None:
            return
        known = self._keys(value) if isinstance(value, _LVALUES) and value.type == target.type else []
        if not known or len({self.constants.root(k) for k in (*keys, *known)}) != 1:
            self.spoiled.update(keys)
            self.spoiled.update(known)
            self.cells_spoiled |= not keys

    def maps(self, lvalue: Expression) -> bool:
        """Whether images stand for the numbers of a variable or cell."""
        keys = self._keys(lvalue) if isinstance(lvalue.type, IntegerType) else []
        groups = {self.constants.root(k) for k in keys}
        if len(groups) != 1 or not isinstance(lvalue.type, IntegerType) or lvalue.type.boolean:
            return False
        group = groups.pop()
        members = {k for k in {*self.types, *self.spoiled, *self.compared} if self.constants.root(k) == group}
        types = {t for k in members for t in self.types.get(k, ())}
        cells = any(isinstance(k, int) for k in members)
        return (
            types == {lvalue.type}
            and bool(self.compared & members)
            and not self.spoiled & members
            and not (cells and (self.cells_spoiled or self.overlapping()))
            and not any(k in self.unnamed for k in members)
        )


def _test_of(operation: Operation) -> Expression | None:
    """The comparison that an operation tests, or whose result it assigns, without negations."""
    if isinstance(operation, Assume):
        condition = operation.condition
        while isinstance(condition, Unary) and condition.operator == "!":
            condition = condition.operand
        return condition
    return same(operation.value) if isinstance(operation, Assign) else None


@dataclass
class _Images:
    """The automaton on images. It makes a choice by reading one more unknown number."""

    memory: Memory
    uses: _Order
    edges: list[Edge[Operation]] = field(default_factory=list)
    count: int = 0
    asserted: bool = False
    """Whether some failure depends on how two numbers compare."""

    @property
    def original(self) -> Cfa[Operation]:
        return self.memory.cfa

    def cfa(self) -> Cfa[Operation]:
        """The new automaton, or the old one where no assertion compares numbers, or a location has several tests."""
        for location in self.original.locations:
            edges = list(self.original.leaving(location))
            tested = [_test_of(e.label) for e in edges if isinstance(e.label, Assume)]
            if any(map(self._about, tested)):
                if len(tested) < len(edges) or len(edges) > 2 or any(test != tested[0] for test in tested):
                    return self.original
                self._branch(edges)
            else:
                self._straight(edges)
        return Cfa(self.original.entry, tuple(self.edges)) if self.asserted else self.original

    def _about(self, test: Expression | None) -> bool:
        """Whether a number in a test is one that images stand for."""
        sides = (test.left, test.right) if isinstance(test, Comparison) else (test,)
        return any(isinstance(s := same(x), _LVALUES) and self.uses.maps(s) for x in sides if x is not None)

    def _straight(self, edges: Sequence[Edge[Operation]]) -> None:
        for edge in edges:
            label = edge.label
            if isinstance(label, Havoc) and self.uses.maps(label.target):
                self._assign(edge, label.target, edge.source, {True, False})
            elif isinstance(label, Assign) and self.uses.maps(label.target) and constant_of(label.value) is not None:
                self._assign(edge, label.target, edge.source, {True, False})  # on which side of the bound it is
            elif isinstance(label, Assign) and isinstance(test := _test_of(label), Comparison) and self._about(test):
                fails = {t: self._is_lost(edge.target, self._learnt(label.target, t)) for t in (True, False)}
                for leaf, pair in self._looked_at(edge.source, label.place, test):
                    self.asserted |= len(pair) == 2 and any(fails.values())
                    values = {t for t in (True, False) if _may(test, t, pair, exact=fails[t])}
                    self._assign(edge, label.target, leaf, values)
            elif members := [m for m in zeroed_members(label, self.uses.records) or () if self.uses.maps(m)]:
                self._zero(edge, members)
            else:
                self.edges.append(edge)

    def _zero(self, edge: Edge[Operation], members: Sequence[Field]) -> None:
        """A struct of zeros, if there is memory for it: on which side of the bound 0 is, each member chooses."""
        label = edge.label
        assert isinstance(label, Allocate)
        made, here = self._new(edge.source), self._new(edge.source)
        self.edges.append(Edge(edge.source, label, made))
        self.edges.append(Edge(made, Assume(label.place, label.target, truth=False), edge.target))
        self.edges.append(Edge(made, Assume(label.place, label.target, truth=True), here))
        for i, member in enumerate(members, 1):
            after = edge.target if i == len(members) else self._new(edge.source)
            self._assign(Edge(here, label, after), member, here, {True, False})
            here = after

    def _assign(self, edge: Edge[Operation], target: Expression, source: str, values: Set[bool]) -> None:
        """The target gets one of some values, 0 or 1."""
        place = edge.label.place
        ways = {value: self._new(source) for value in values}
        self._choose(source, place, ways)
        for value, way in ways.items():
            self.edges.append(Edge(way, Assign(place, target, Constant(int(value), _integer(target))), edge.target))

    def _branch(self, edges: Sequence[Edge[Operation]]) -> None:
        """A test: the images are looked at one after the other; where they are equal, it may come out either way."""
        label = edges[0].label
        assert isinstance(label, Assume)
        test = _test_of(label)
        assert test is not None
        exits = {_truth(e.label): e for e in edges}
        for leaf, pair in self._looked_at(edges[0].source, label.place, test):
            ways = {t: e.target for t, e in exits.items() if _may(test, t, pair, exact=self._fails(e))}
            self.asserted |= len(pair) == 2 and any(map(self._fails, edges))
            self._choose(leaf, label.place, ways)

    def _looked_at(self, source: str, place: Place, test: Expression) -> Iterator[tuple[str, tuple[int, ...]]]:
        """The locations where the images of both sides are known, and these; none where a side is no image.

        Everything is read that the test reads.
        """
        sides = [same(x) for x in ((test.left, test.right) if isinstance(test, Comparison) else (test,))]
        read = [x for x in sides if isinstance(x, _LVALUES)]
        both = len(read) == 2 and all(self.uses.maps(side) for side in read)
        known: list[tuple[str, tuple[int, ...]]] = [(source, ())]
        for side in read:
            zero = Comparison("==", side, Constant(0, _integer(side)), side.type)
            after: list[tuple[str, tuple[int, ...]]] = []
            for at, bits in known:
                names = [self._new(source) for _ in _BITS] if both else [self._new(source)] * len(_BITS)
                for bit, name in zip(_BITS, names, strict=True):
                    self.edges.append(Edge(at, Assume(place, zero, truth=not bit), name))
                after += (
                    [(name, (*bits, bit)) for bit, name in zip(_BITS, names, strict=True)] if both else [(names[0], ())]
                )
            known = after
        yield from known

    def _choose(self, source: str, place: Place, ways: Mapping[bool, str]) -> None:
        """One of the ways is gone."""
        if len(ways) == 1:
            self.edges.append(Edge(source, Skip(place), *ways.values()))
        elif ways:
            choice = Variable("$image", IntegerType(32, signed=True))
            middle = self._new(source)
            self.edges.append(Edge(source, Havoc(place, choice), middle))
            self.edges += [Edge(middle, Assume(place, choice, truth), target) for truth, target in ways.items()]

    def _new(self, near: str) -> str:
        self.count += 1
        return f"{near.partition(':')[0]}:{self.count}"

    def _fails(self, edge: Edge[Operation]) -> bool:
        """Whether there is only a failure behind the edge: the first one chooses the bound."""
        return self._is_lost(edge.target, {})

    def _learnt(self, target: Expression, truth: bool) -> dict[Expression, bool]:
        """Whether a variable is zero, if no pointer can change it."""
        plain = isinstance(target, Variable) and self.memory.kind(target) == "integer"
        return {target: truth} if plain else {}

    def _is_lost(self, location: str, known: dict[Expression, bool]) -> bool:
        """Whether only a failure can follow, after a few steps that copy and test known variables."""
        for _ in range(_MOST_STEPS):
            after = self.original.leaving(location)
            labels = [e.label for e in after]
            if all(isinstance(label, Error) for label in labels):
                return bool(after) and not any(self.original.leaving(e.target) for e in after)
            if all(isinstance(label, Assume) for label in labels):
                after = tuple(e for e in after if (test := _of_one(e.label)) and known.get(test[0]) is test[1])
            elif isinstance(labels[0], Assign) and isinstance(labels[0].target, Variable):
                value = same(labels[0].value)
                learnt = self._learnt(labels[0].target, known[value]) if value in known else {}
                known = {k: v for k, v in known.items() if k != labels[0].target} | learnt
            elif isinstance(labels[0], DeclareLocal | EndScope):
                known = {k: v for k, v in known.items() if k not in defined_variables(labels[0])}
            elif not isinstance(labels[0], Skip):
                return False
            if len(after) != 1:
                return False
            location = after[0].target
        return False


def _of_one(label: Operation) -> tuple[Expression, bool] | None:
    """An expression that is tested for zero, and whether it is assumed to be nonzero; None for other tests."""
    test, truth = _test_of(label), _truth(label)
    if not isinstance(test, Comparison):
        return (same(test), truth) if test is not None else None
    zero = isinstance(test.right, Constant) and test.right.value == 0
    return (same(test.left), truth == (test.operator == "!=")) if zero and test.operator in ("==", "!=") else None


def _truth(label: Operation) -> bool:
    """The assumed result of the comparison of an assumption, without its negations."""
    assert isinstance(label, Assume)
    truth, condition = label.truth, label.condition
    while isinstance(condition, Unary) and condition.operator == "!":
        truth, condition = not truth, condition.operand
    return truth


def _may(test: Expression, truth: bool, bits: tuple[int, ...], *, exact: bool = False) -> bool:
    """Whether a test of numbers with these images may come out so; `exact` if there is a bound that shows it."""
    if not isinstance(test, Comparison) or not bits:
        return True  # a comparison with a constant, or with a number that has no image
    operator = test.operator if truth else NEGATED[test.operator]
    weak = {"<": "<=", ">": ">="}.get(operator, operator)
    return COMPARE[operator if exact else weak](*bits) or (operator == "!=" and not exact)


def _integer(expression: Expression) -> IntegerType:
    assert isinstance(expression.type, IntegerType)
    return expression.type
