"""Unknown numbers that are only copied and compared with constants: one number for each outcome stands for all of them.

Suppose that a program copies an unknown number, and compares the copies only with constants. The constants cut the
numbers into ranges. The program cannot distinguish numbers of one range, so the analysis follows only the least number
of each range (data independence: Wolper, POPL 1986). The small integers of `passes/facts/integers.py` are exact on
these numbers, and so are order tests.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise

from kleene.cfa.expressions import (
    MIRRORED,
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
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    Assign,
    Assume,
    DeclareLocal,
    EndScope,
    Enter,
    Exit,
    Havoc,
    Invoke,
    Leave,
    MemCopy,
    Operation,
    Print,
    Realloc,
    Return,
    Specified,
    expressions,
)
from kleene.cfa.types import IntegerType, RecordType
from kleene.passes.facts.integers import Constants, Key
from kleene.passes.facts.memory import Memory, constant_of

MAX_REPRESENTATIVES = 12
"""Numbers that stand for the ranges of one variable: with more ranges, the variable stays as it is."""
_ORDER = frozenset(("<", "<=", ">", ">="))
_STARTS = {"<": (0,), ">=": (0,), "<=": (1,), ">": (1,), "==": (0, 1), "!=": (0, 1)}
"""The starts of the ranges that a comparison with 0 distinguishes, relative to the constant."""
_LVALUES = Variable | Field | Deref | Index


def with_representatives(memory: Memory) -> Cfa[Operation]:
    """The automaton of the memory with choices of representatives instead of unknown numbers, where these suffice."""
    uses = uses_of(memory)
    edges: list[Edge[Operation]] = []
    for edge in memory.cfa.edges:
        chosen: list[Edge[Operation]] = []
        if isinstance(edge.label, Havoc):
            place, target = edge.label.place, edge.label.target
            chosen = [replace(edge, label=Assign(place, target, c)) for c in uses.representatives(target)]
        edges += chosen or [edge]
    return Cfa(memory.cfa.entry, tuple(edges))


def uses_of(memory: Memory) -> Uses:
    """How a program uses its numbers."""
    uses = Uses(Constants(memory))
    for operation in [*(a for g in memory.program.globals for a in g.initial), *(e.label for e in memory.cfa.edges)]:
        uses.note(operation)
    return uses


@dataclass
class Uses:
    """How the program uses its numbers, by groups of variables and cells that are assigned to each other."""

    constants: Constants
    spoiled: set[Key] = field(default_factory=set)
    starts: dict[Key, set[int]] = field(default_factory=dict)
    """The starts of the ranges that tests distinguish."""
    ordered: set[Key] = field(default_factory=set)
    types: dict[Key, set[IntegerType]] = field(default_factory=dict)
    cells_spoiled: bool = False

    def representatives(self, target: Expression) -> list[Constant]:
        """The numbers that stand for all numbers that `target` may get; none if they do not suffice."""
        groups = {self.constants.root(k) for k in self._keys(target)}
        if len(groups) != 1 or not isinstance(target.type, IntegerType):
            return []
        group = groups.pop()
        members = [k for k in {*self.types, *self.starts, *self.spoiled} if self.constants.root(k) == group]
        types = {t for k in members for t in self.types.get(k, ())}
        if types != {target.type} or target.type.boolean or self.spoiled.intersection(members):
            return []
        if any(isinstance(k, int) for k in members) and (self.cells_spoiled or self.overlapping()):
            return []
        starts = sorted({c for k in members for c in self.starts.get(k, ())})
        if not self.ordered.intersection(members) or len(starts) > MAX_REPRESENTATIVES:
            return []
        least, greatest = target.type.minimum, target.type.maximum
        numbers = sorted({max(c, least) for c in starts if c <= greatest} | {max(least, min(starts[0] - 1, greatest))})
        return [Constant(c, target.type) for c in numbers]

    def overlapping(self) -> bool:
        """Whether some bytes belong to integers at different offsets."""
        cells = sorted((k, max(t.size for t in types)) for k, types in self.types.items() if isinstance(k, int))
        return any(a + size > b for (a, size), (b, _) in pairwise(cells))

    def note(self, operation: Operation) -> None:
        """Take account of an operation."""
        match operation:
            case Assign(target=target, value=value) if isinstance(target.type, IntegerType):
                self._write(target)
                self._read(value, plain=True)
            case Assign(target=target) if isinstance(target.type, RecordType):
                self.cells_spoiled = True  # numbers may get to other offsets
            case MemCopy() | Realloc() | Specified():
                self.cells_spoiled = True
                for expression in expressions(operation):
                    self._read(expression, plain=False)
            case Assume(condition=condition):
                self._test(condition)
            case Invoke(assignments=assignments):
                for assignment in assignments:
                    self.note(assignment)
            case Havoc(target=target) if isinstance(target.type, IntegerType):
                self._write(target)
            case DeclareLocal() | EndScope() | Enter() | Leave():
                pass
            case Return() | Exit() | Print():
                for expression in expressions(operation):
                    self._read(expression, plain=True)
            case _:
                for expression in expressions(operation):
                    self._read(expression, plain=False)

    def _keys(self, expression: Expression) -> list[Key]:
        return self.constants.keys(expression) if isinstance(expression, _LVALUES) else []

    def _write(self, target: Expression) -> None:
        self._type(target)
        for child in children(target):
            self._read(child, plain=False)

    def _type(self, lvalue: Expression) -> list[Key]:
        """The keys of an integer lvalue, whose type is recorded; an lvalue without keys spoils all cells."""
        keys = self._keys(lvalue)
        assert isinstance(lvalue.type, IntegerType)
        for key in keys:
            self.types.setdefault(key, set()).add(lvalue.type)
        self.cells_spoiled |= not keys
        return keys

    def _test(self, condition: Expression) -> None:
        """A condition: comparisons with constants, combined in whatever way."""
        match condition:
            case Unary(operator="!", operand=operand):
                self._test(operand)
            case Comparison(operator=operator, left=left, right=right):
                self._compare(operator, left, right)
            case Variable() | Field() | Deref() | Index() if isinstance(condition.type, IntegerType):
                self._compare("!=", condition, Constant(0, condition.type))
            case _:
                self._read(condition, plain=False)

    def _compare(self, operator: str, left: Expression, right: Expression) -> None:
        for side, other, relation in ((left, right, operator), (right, left, MIRRORED[operator])):
            number = constant_of(other)
            inner = same(side)
            if number is None or not isinstance(inner, _LVALUES) or not isinstance(inner.type, IntegerType):
                self._read(side, plain=False)
                continue
            self._read(inner, plain=True)
            for key in self._keys(inner):
                self.starts.setdefault(key, set()).update(number + d for d in _STARTS[relation])
                if relation in _ORDER:
                    self.ordered.add(key)

    def _read(self, expression: Expression, *, plain: bool) -> None:
        """A use of a value: a copy if it is plain."""
        inner = same(expression) if plain else expression
        if isinstance(inner, Comparison):
            self._compare(inner.operator, inner.left, inner.right)
            return
        if isinstance(inner, _LVALUES) and isinstance(inner.type, IntegerType):
            keys = self._type(inner)
            if not plain:
                self.spoiled.update(keys)
        for child in children(inner):
            self._read(child, plain=False)


def same(expression: Expression) -> Expression:
    """The expression without conversions to the type that it has."""
    while isinstance(expression, Cast) and expression.type == expression.operand.type:
        expression = expression.operand
    return expression
