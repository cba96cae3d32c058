"""Small integers in logic: a variable is the set of predicates ``i = c`` for the constants c that matter to it.

Exact for constants, booleans, enumerations and counters up to a bound, then unknown (docs/assumptions.md). All
predicates of a variable 0 means 'some other value', all 1/2 means 'any value'. An integer cell of heap objects has
unary predicates of the same kind. Variables and cells that are assigned to or compared with each other share their
constants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from kleene.cfa.expressions import (
    Binary,
    Cast,
    Comparison,
    Constant,
    Deref,
    Expression,
    Field,
    Index,
    Unary,
    Variable,
    children,
    walk,
    without_casts,
)
from kleene.cfa.graph import Edge
from kleene.cfa.operations import Assign, Assume, Invoke, MemCopy, Operation
from kleene.cfa.types import IntegerType, RecordType
from kleene.logic.formula import FALSE, TRUE, UNKNOWN, Formula, conj, disj, neg
from kleene.passes.facts.memory import Memory, Unmodelled, constant_of

MAX_CONSTANTS = 20
"""Values of one variable or cell that are told apart; the others are one value."""
MOST_PAIRS = 200
"""Pairs of values of two operands that are computed: an index and the length of a table of a dozen elements."""
_LOOK_AHEAD = 4
"""Edges from a step of a number to the condition on its result: copies of it."""
Key = Variable | int
"""An integer variable, or the offset of an integer cell."""

COMPARE: Mapping[str, Callable[[int, int], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}

SCRAMBLING = frozenset(("*", "^", "<<", ">>"))
"""Operators by which a number becomes a hash of itself and something else."""
INJECTIVE = frozenset(("+", "-", "^"))
"""Operators that give different results for different left (or right) operands."""


@dataclass(frozen=True)
class IntegerValue:
    """An abstract integer: a condition for each value in the table, and `rest`, the condition for all others.

    Exactly one of them holds: where `rest` is 1, the value is none of the table.
    """

    table: Mapping[int, Formula]
    rest: Formula

    def at(self, constant: int) -> Formula:
        """The condition under which the value is this constant."""
        formula = self.table.get(constant)
        return conj(self.rest, UNKNOWN) if formula is None else formula

    @staticmethod
    def constant(value: int) -> IntegerValue:
        return IntegerValue({value: TRUE}, FALSE)

    @staticmethod
    def boolean(truth: Formula) -> IntegerValue:
        return IntegerValue({1: truth, 0: neg(truth)}, FALSE)

    @property
    def single(self) -> int | None:
        """The value, if it is a constant."""
        return next(iter(self.table)) if self.rest is FALSE and list(self.table.values()) == [TRUE] else None

    def map(self, change: Callable[[int], int], *, injective: bool) -> IntegerValue:
        """The value after a function of it; with an injective one, other values do not become those of the table."""
        table: dict[int, Formula] = {}
        for constant, formula in self.table.items():
            new = change(constant)
            table[new] = disj(table.get(new, FALSE), formula)
        return IntegerValue(table, self.rest) if injective else _with_others(table, self.rest)

    def convert(self, source: IntegerType, target: IntegerType) -> IntegerValue:
        """The value converted from one integer type to another."""
        if target == source:
            return self
        if target.boolean:
            return self.negate().negate()
        if target.function != source.function:  # only the conversion of null is known
            null = self.table.get(0)
            return UNKNOWN_INTEGER if null is None else IntegerValue({0: null}, neg(null))
        return self.map(target.wrap, injective=target.bits >= source.bits)

    def negate(self) -> IntegerValue:
        """``!value``."""
        return IntegerValue.boolean(self.truth(lambda c: c == 0, FALSE if 0 in self.table else UNKNOWN))

    def truth(self, holds: Callable[[int], bool], others: Formula = UNKNOWN) -> Formula:
        """When a condition on the value holds; `others` is its truth for values outside the table."""
        inside = disj(*(formula for constant, formula in self.table.items() if holds(constant)))
        return disj(inside, conj(self.rest, others))


UNKNOWN_INTEGER = IntegerValue({}, TRUE)


def combine_values(
    a: IntegerValue, b: IntegerValue, operation: Callable[[int, int], int], *, injective: bool = False
) -> IntegerValue:
    """The value of a binary operation, if the tables are small; `injective` in each operand."""
    if len(a.table) * len(b.table) > MOST_PAIRS:
        return UNKNOWN_INTEGER
    table: dict[int, Formula] = {}
    for x, f in a.table.items():
        partners: dict[int, Formula] = {}
        for y, g in b.table.items():
            value = operation(x, y)
            partners[value] = disj(partners.get(value, FALSE), g)
        for value, g in partners.items():
            table[value] = disj(table.get(value, FALSE), conj(f, g))
    rest = disj(a.rest, b.rest)
    if injective and (a.single is not None or b.single is not None):
        return IntegerValue(table, rest)
    return _with_others(table, rest)


def _with_others(table: Mapping[int, Formula], others: Formula) -> IntegerValue:
    """A value that, where `others` holds, may be any number: one of the table, or none of it."""
    if not table:
        return IntegerValue(table, others)
    unknown = conj(others, UNKNOWN)
    return IntegerValue({c: disj(f, unknown) for c, f in table.items()}, unknown)


@dataclass
class Constants:
    """Which constants matter to which integer variable or cell."""

    memory: Memory
    tracks: Callable[[Key], bool] = lambda key: True
    hidden: frozenset[Variable] = frozenset()
    """Variables that are not tracked during the current operation."""
    only_zeros: bool = False
    """Whether only 0 is told apart from the other values of numbers that are computed."""
    _parent: dict[Key, Key] = field(default_factory=dict)
    _constants_of: dict[Key, set[int]] = field(default_factory=dict)
    _compared: set[Key] = field(default_factory=set)
    _counting: set[Key] = field(default_factory=set)
    _negated: set[Key] = field(default_factory=set)
    _scrambled: set[Key] = field(default_factory=set)
    """Numbers that are hashes: which constants they are does not matter where they are compared with each other."""
    _fixed: set[Key] = field(default_factory=set)
    """Numbers that are compared with constants."""
    _outcomes: list[tuple[list[Key], list[Key]]] = field(default_factory=list)
    """Keys that get the outcome of a comparison, and those that are compared for it."""

    def __post_init__(self) -> None:
        operations: list[Operation] = [a for g in self.memory.program.globals for a in g.initial]
        operations += [edge.label for edge in self.memory.cfa.edges]
        for operation in operations:
            self._gather(operation)
        self._follow_outcomes()

        self._of: dict[Key, tuple[int, ...]] = {}
        self._compared_roots = {self.root(k) for k in self._compared}
        self._counting_roots = {self.root(k) for k in self._counting}
        self._negated_roots = {self.root(k) for k in self._negated}
        self._hash_roots = {self.root(k) for k in self._scrambled} - {self.root(k) for k in self._fixed}
        self._lent_roots = self._lent()

    def of(self, key: Key) -> tuple[int, ...]:
        """The constants of a variable or cell, in order; none if nothing depends on its value."""
        if key in self.hidden:
            return ()
        result = self._of.get(key)
        if result is None:
            result = self._of[key] = self._constants(key) if self.tracks(key) else ()
        return result

    def require(self, key: Key, values: Iterable[int]) -> None:
        """Tell these values of a variable or cell apart too."""
        root = self.root(key)
        self._constants_of.setdefault(root, set()).update(values)
        self._compared_roots.add(root)
        self._hash_roots.discard(root)
        self._of.clear()

    def _constants(self, key: Key) -> tuple[int, ...]:
        root = self.root(key)
        values = set(self._constants_of.get(root, ()))
        if root not in self._compared_roots or root in self._hash_roots or not values:
            return ()
        if self.only_zeros and root in self._counting_roots:
            return (0,)
        negated = {-c for c in values} if root in self._negated_roots else set()
        if isinstance(key, Variable) and isinstance(key.type, IntegerType):  # others may be of other types
            values = {key.type.wrap(c) for c in values}
        elif isinstance(key, int):
            values |= {kept.wrap(c) for kept in self._mixed_types(key) for c in values}
        if root in self._lent_roots:
            values.add(max(values) + 1)
        if root in self._counting_roots and max(values) - min(values) <= MAX_CONSTANTS:
            values |= set(range(min(values), max(values) + 1))
        if isinstance(key, Variable) and isinstance(key.type, IntegerType):
            negated = {key.type.wrap(c) for c in negated}
        values |= negated
        return tuple(sorted(values, key=lambda c: (abs(c), c))[:MAX_CONSTANTS])

    def _mixed_types(self, offset: int) -> list[IntegerType]:
        """The types as which the numbers at an offset are kept where they are written and read as others too."""
        types = [
            self.memory.integer_type(p)
            for p, seen in self.memory.access_types.items()
            if len(seen) > 1 and p[1] == offset
        ]
        return [t for t in types if t is not None]

    @property
    def cells(self) -> list[int]:
        """The offsets of the integer cells that the program reads or writes."""
        return sorted({key for key in (*self._constants_of, *self._parent) if isinstance(key, int)})

    def root(self, key: Key) -> Key:
        """The variable or cell that stands for all that are assigned to or compared with each other."""
        while self._parent.get(key, key) != key:
            key = self._parent[key]
        return key

    def _unite(self, keys: Iterable[Key]) -> None:
        roots = [self.root(k) for k in keys]
        for other in roots[1:]:
            if other != roots[0]:
                self._parent[other] = roots[0]
                self._constants_of.setdefault(roots[0], set()).update(self._constants_of.pop(other, set()))

    def _follow_outcomes(self) -> None:
        """What is compared for an outcome matters where the outcome does: ``done = result == 1; if (!done) ...``."""
        waiting, roots = self._outcomes, {self.root(k) for k in self._compared}
        while matter := [pair for pair in waiting if any(self.root(k) in roots for k in pair[0])]:
            waiting = [pair for pair in waiting if pair not in matter]
            for _, compared in matter:
                self._compared.update(compared)
                roots.update(map(self.root, compared))

    def _lent(self) -> set[Key]:
        """Numbers that are raised, and lowered again with a test of the result, in one round of the same loops.

        A function that keeps a reference while it calls others does so. One more value is told apart, as the number
        would else be unknown after it.
        """
        cfa = self.memory.cfa
        steps: dict[tuple[Key, str], list[Edge[Operation]]] = {}
        for edge in cfa.edges:
            if isinstance(edge.label, Assign) and isinstance(edge.label.target.type, IntegerType):
                value = without_casts(edge.label.value)
                if isinstance(value, Binary) and isinstance(without_casts(value.right), Constant):
                    for key in self.keys(edge.label.target):
                        steps.setdefault((self.root(key), value.operator), []).append(edge)
        lent: set[Key] = set()
        for (root, operator), lowered in steps.items():
            raised = steps.get((root, "+"), [])
            ends = {e.source for e in lowered if operator == "-" and raised and self._is_tested(e, root)}
            if ends and any(self._is_around(end, edge.source) for edge in raised for end in ends & self._ahead(edge)):
                lent.add(root)
        return lent

    def _is_around(self, one: str, other: str) -> bool:
        """Whether two locations are in the same loops: else one step is made many times for one of the other."""
        return all((one in body) == (other in body) for body in self.memory.cfa.loops.values())

    def _is_tested(self, step: Edge[Operation], root: Key) -> bool:
        """Whether a condition on a number follows a step of it."""
        location = step.target
        for _ in range(_LOOK_AHEAD):
            edges = self.memory.cfa.leaving(location)
            if edges and isinstance(edges[0].label, Assume):
                sides = [edges[0].label.condition, *children(edges[0].label.condition)]
                return any(self.root(key) == root for side in sides for key in self.keys(side))
            if len(edges) != 1:
                return False
            location = edges[0].target
        return False

    def _ahead(self, edge: Edge[Operation]) -> set[str]:
        """The locations that are reached behind an edge without another round of a loop."""
        cfa, found, waiting = self.memory.cfa, set[str](), [edge.target]
        again = set(cfa.back_edges)
        while waiting:
            location = waiting.pop()
            if location not in found:
                found.add(location)
                waiting += [e.target for e in cfa.leaving(location) if e not in again]
        return found

    def _gather(self, operation: Operation) -> None:
        if isinstance(operation, Invoke):
            for assignment in operation.assignments:
                self._gather(assignment)
        for offsets in self._copied(operation):
            self._unite(offsets)
        if isinstance(operation, Assign) and isinstance(operation.target.type, IntegerType):
            target, source = self.keys(operation.target), self.keys(operation.value)
            self._unite([*target, *source])
            self._note([*target, *source], operation.value)
            if any(isinstance(n, Binary) for n in walk(operation.value)):
                self._counting.update(target)
            self._scrambled.update(k for n in walk(operation.value) for k in target if self._scrambles(n, k))
            if any(isinstance(n, Unary) and n.operator == "-" for n in walk(operation.value)):
                self._negated.update(target)
            self._gather_outcome(target, operation.value)
        if isinstance(operation, Assume):
            self._compared.update(self._gather_comparisons(operation.condition))
            if isinstance(operation.condition.type, IntegerType):
                keys = self.keys(operation.condition)
                self._compared.update(keys)
                self._fixed.update(keys)
                self._note(keys, Constant(0, operation.condition.type))

    def _copied(self, operation: Operation) -> list[list[Key]]:
        """The integer cells that an operation copies with the bytes around them: each with those it gets into.

        A table of functions that is copied into a struct gives the struct's cells their constants.
        """
        memory = self.memory
        try:
            match operation:
                case Assign(target=target, value=value) if isinstance(target.type, RecordType):
                    places = memory.address_places(target), memory.address_places(value)
                    length = target.type.size
                case MemCopy(destination=to, source=source, size=size):
                    places = memory.value_places(to), memory.value_places(source)
                    length = constant_of(size) or 0
                case _:
                    return []
        except Unmodelled:
            return []
        return [
            [offset, *sorted({to + offset - start for _, to in places[0]})]
            for size, start in sorted(places[1])
            for _, offset in memory.overlapped_integers((size, start), length)
        ]

    def _gather_outcome(self, target: list[Key], value: Expression) -> None:
        if compared := self._gather_comparisons(value):
            self._outcomes.append((target, compared))

    def _gather_comparisons(self, expression: Expression) -> list[Key]:
        """The keys that are compared in an expression; those of each comparison share their constants."""
        compared: list[Key] = []
        for node in walk(expression):
            if isinstance(node, Comparison) and isinstance(node.left.type, IntegerType):
                keys = [*self.keys(node.left), *self.keys(node.right)]
                self._unite(keys)
                self._note(keys, node)
                compared += keys
                if not self.keys(node.left) or not self.keys(node.right):
                    self._fixed.update(keys)
        return compared

    def _scrambles(self, node: Expression, key: Key) -> bool:
        """Whether a number is multiplied with something, or its bits are moved."""
        return isinstance(node, Binary) and node.operator in SCRAMBLING and key in self.keys(node)

    def _note(self, keys: list[Key], expression: Expression) -> None:
        if keys:
            constants = {
                n.value for n in walk(expression) if isinstance(n, Constant) and isinstance(n.type, IntegerType)
            }
            self._constants_of.setdefault(self.root(keys[0]), set()).update(constants)

    def keys(self, expression: Expression) -> list[Key]:
        """The variables and cells whose integer value an expression reads (or the one it denotes)."""
        match expression:
            case Variable() if self.memory.kind(expression) == "integer":
                return [expression]
            case Field(bit_width=int()):
                return []
            case Field() | Deref() | Index() | Variable() if isinstance(expression.type, IntegerType):
                try:
                    return [*sorted({offset for _, offset in self.memory.address_places(expression)})]
                except Unmodelled:
                    return []
            case Cast(operand=operand) | Unary(operand=operand):
                return self.keys(operand)
            case Binary(left=left, right=right):
                return [*self.keys(left), *self.keys(right)]
        return []


def running_numbers(operations: Iterable[Operation]) -> frozenset[Variable]:
    """The numbers that are counted on and compared with other numbers only, as in ``if (count >= size) grow();``.

    Which constants they are hardly ever matters, but each one of them is another state.
    """
    stepped: set[Variable] = set()
    compared: set[Expression] = set()
    fixed: set[Expression] = set()
    for operation in operations:
        if isinstance(operation, Assign) and isinstance(operation.target, Variable):
            nodes = set(walk(operation.value))
            if operation.target in nodes and any(isinstance(node, Binary) for node in nodes):
                stepped.add(operation.target)
        if isinstance(operation, Assume):
            fixed.add(without_casts(operation.condition))
            for node in walk(operation.condition):
                if isinstance(node, Comparison):
                    for side, other in ((node.left, node.right), (node.right, node.left)):
                        varies = any(isinstance(part, Variable) for part in walk(other))
                        (compared if varies else fixed).add(without_casts(side))
    return frozenset(stepped & compared - fixed)


def numbers_of_rounds(operations: Iterable[Operation]) -> frozenset[Variable]:
    """The numbers that only say how often a loop goes round: ``for (i = 0; i < 50; i++)``, with a constant.

    They grow by a constant, and each condition on them compares them with a constant by order.
    """
    stepped: set[Variable] = set()
    others: set[Variable] = set()
    for operation in operations:
        if isinstance(operation, Assign) and isinstance(operation.target, Variable):
            value = without_casts(operation.value)
            if isinstance(value, Binary) and without_casts(value.left) == operation.target:
                grows = value.operator == "+" and isinstance(without_casts(value.right), Constant)
                (stepped if grows else others).add(operation.target)
            elif not isinstance(value, Constant):
                others.add(operation.target)
        if isinstance(operation, Assume) and not _is_limit(operation.condition):
            others |= {n for n in walk(operation.condition) if isinstance(n, Variable)}
    return frozenset(stepped - others)


def _is_limit(test: Expression) -> bool:
    """Whether a condition says that a number is less or greater than a constant."""
    if not isinstance(test, Comparison) or test.operator in ("==", "!="):
        return False
    return any(isinstance(without_casts(side), Constant) for side in (test.left, test.right))
