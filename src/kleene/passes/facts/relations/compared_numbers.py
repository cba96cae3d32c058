"""The numbers that a number is compared with: by the next condition, or anywhere in the program.

Where results of a function meet, the constants of the next condition tell them apart. A bound that grows in a loop
stops at landmarks (Simon, King. Widening polyhedra with landmarks, APLAS 2006): here, at the constants that operations
of the program relate to the number, and at the limits of types and blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping

from kleene.cfa.expressions import (
    AddressOf,
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
)
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import (
    Allocate,
    Assign,
    Assume,
    DeclareLocal,
    EndScope,
    Operation,
    Realloc,
    Skip,
    expressions,
)
from kleene.cfa.program import CProgram
from kleene.cfa.types import CHAR, IntegerType, PointerType, Type
from kleene.passes.facts.memory import constant_of
from kleene.passes.rewrite import with_parts

_LOOK_AHEAD = 8
"""Edges from a place to the condition: the end of the scope of a function, and copies of its result."""
_EQUATIONS_AHEAD = 24
"""Edges from a place to a condition that asks whether two variables are equal: the smaller child of a heap is found by
two comparisons, each of two elements that are read."""
FEW_CONSTANTS = 8
"""Constants of a number that are all landmarks at every visit of a loop: tables of numbers have more, and a bound of a
program with fewer was lost."""


def next_comparisons(cfa: Cfa[Operation], location: str) -> frozenset[tuple[Variable, int]]:
    """Variables and the constants with which the next condition compares them, or copies of them; NULL is 0."""
    origins: dict[Variable, Variable | None] = {}
    for _ in range(_LOOK_AHEAD):
        edges = cfa.leaving(location)
        if edges and isinstance(edges[0].label, Assume):
            pairs = _compared(edges[0].label.condition)
            asked = [(origins.get(variable, variable), number) for variable, number in pairs]
            return frozenset((variable, number) for variable, number in asked if variable is not None)
        if len(edges) != 1:
            break
        match edges[0].label:
            case Assign(target=Variable() as target, value=value):
                source = _uncast(value)
                origins[target] = origins.get(source, source) if isinstance(source, Variable) else None
            case DeclareLocal() | EndScope() | Skip():
                pass
            case _:
                break
        location = edges[0].target
    return frozenset()


def next_equations(cfa: Cfa[Operation], location: str) -> frozenset[tuple[Variable, Variable]]:
    """Pairs of numbers that conditions not far from here compare by ``==``: ``if (smallest == i) break;``."""
    pairs: set[tuple[Variable, Variable]] = set()
    seen, waiting = {location}, [location]
    for _ in range(_EQUATIONS_AHEAD):
        following = []
        for edge in (e for here in waiting for e in cfa.leaving(here)):
            condition = _uncast(edge.label.condition) if isinstance(edge.label, Assume) else None
            if isinstance(condition, Comparison) and condition.operator in ("==", "!="):
                one, two = _uncast(condition.left), _uncast(condition.right)
                if isinstance(one, Variable) and isinstance(two, Variable) and isinstance(one.type, IntegerType):
                    pairs.add((one, two))
                    continue
            if edge.target not in seen:
                seen.add(edge.target)
                following.append(edge.target)
        waiting = following
    return frozenset(pairs)


def _compared(condition: Expression) -> list[tuple[Variable, int]]:
    condition = _uncast(condition)
    match condition:
        case Variable():
            return [(condition, 0)]
        case Unary(operator="!", operand=operand):
            return _compared(operand)
        case Comparison(left=left, right=right):
            sides = [(_uncast(left), constant_of(right)), (_uncast(right), constant_of(left))]
            return [(side, number) for side, number in sides if isinstance(side, Variable) and number is not None]
    return []


def _uncast(expression: Expression) -> Expression:
    while isinstance(expression, Cast) and isinstance(expression.operand.type, IntegerType | PointerType):
        expression = expression.operand
    return expression


class Landmarks:
    """The numbers at which the bounds of variables and members stop.

    Variables, members and constants of one operation belong together, and so do those that belong to the same one.
    Members are told apart by their offsets and sizes.
    """

    def __init__(self, program: CProgram, cfa: Cfa[Operation]) -> None:
        self._parents: dict[Hashable, Hashable] = {}
        self._own: dict[Hashable, set[int]] = {}
        """The constants of the operations in which a variable or member is: few of them are always landmarks."""
        numbers: list[tuple[Hashable, int]] = []
        limits: list[tuple[Hashable, int]] = []
        operations = [e.label for e in cfa.edges if not isinstance(e.label, DeclareLocal | EndScope)]
        operations += [assignment for item in program.globals for assignment in item.initial]
        fixed = _fixed(operations)
        for operation in dict.fromkeys(operations):
            for nodes in _groups(operation):
                holders = [holder for n in nodes for holder in _holders(n)]
                for holder in holders[1:]:
                    self._parents[self._root(holder)] = self._root(holders[0])
                found = [constant_of(_with_constants(n, fixed)) for n in nodes if isinstance(n, Constant | Binary)]
                constants = [c for c in found if c is not None] if not _is_of_bytes(operation) else []
                ends = [limit for n in nodes if _is_number(n) for limit in _limits(n.type)]
                ends += [n.type.size for n in nodes if isinstance(n, Variable) and n.type.size]
                ends += [program.largest_block // unit for unit in _units(operation, nodes)]
                products = [(n, unit) for n in nodes if _is_product(n) for unit in _factors(n)]
                ends += [most // unit for n, unit in products for most in _limits(n.type)]
                for holder in holders:
                    self._own.setdefault(holder, set()).update(constants)
                numbers += [(holders[0], constant) for constant in constants] if holders else []
                limits += [(holders[0], limit) for limit in ends] if holders else []
        constants_of: dict[Hashable, set[int]] = {}
        for holder, number in numbers:
            constants_of.setdefault(self._root(holder), set()).add(number)
        self._ends: dict[Hashable, set[int]] = {}
        for root, known in constants_of.items():
            limits += [(root, min(known)), (root, max(known))]
        for holder, number in limits:
            self._ends.setdefault(self._root(holder), set()).update((number - 1, number, number + 1))
        self._of = {root: set(ends) for root, ends in self._ends.items()}
        for root, known in constants_of.items():
            every = {n + step for n in known for step in (-1, 0, 1)}
            self._of[root] |= every
            if len(known) <= FEW_CONSTANTS:
                self._ends[root] |= every

    def _root(self, holder: Hashable) -> Hashable:
        while (parent := self._parents.get(holder, holder)) != holder:
            holder = parent
        return holder

    def of_each(
        self, holders: Mapping[int, Iterable[Hashable]], *, only_ends: bool = False
    ) -> Callable[[int], list[int]]:
        """The landmarks of each of some numbers, given the variables and members that they are in.

        With `only_ends`, of many constants only the least and the greatest.
        """
        return lambda number: self.of(holders.get(number, ()), only_ends=only_ends)

    def of(self, holders: Iterable[Hashable], *, only_ends: bool = False) -> list[int]:
        """The landmarks of a number that is in some variables and members, in ascending order."""
        holders = tuple(holders)
        roots = {self._root(holder) for holder in holders}
        known = self._ends if only_ends else self._of
        few = (own for holder in holders if len(own := self._own.get(holder, ())) <= FEW_CONSTANTS)
        own = {number + step for constants in few for number in constants for step in (-1, 0, 1)}
        return sorted({number for root in roots for number in known.get(root, ())} | own)


def _fixed(operations: Iterable[Operation]) -> dict[Variable, Constant]:
    """The variables to which only one constant is assigned: what is computed from them is a landmark, too."""
    values: dict[Variable, set[int | None]] = {}
    for operation in operations:
        if isinstance(operation, Assign) and isinstance(operation.target, Variable):
            values.setdefault(operation.target, set()).add(constant_of(operation.value))
    only = {variable: next(iter(known)) for variable, known in values.items() if len(known) == 1}
    return {variable: Constant(number, variable.type) for variable, number in only.items() if number is not None}


def _with_constants(expression: Expression, fixed: Mapping[Variable, Constant]) -> Expression:
    """An expression with these variables as constants."""
    match expression:
        case Variable():
            return fixed.get(expression, expression)
        case Binary() | Unary() | Cast():
            return with_parts(expression, lambda part: _with_constants(part, fixed))
    return expression


def _groups(operation: Operation) -> list[list[Expression]]:
    """The parts of an operation that say something of each other, in groups.

    What is read from memory says nothing of where it is, and a remainder nothing of the number that is divided.
    """
    groups: list[list[Expression]] = [[]]
    for expression in expressions(operation):
        _add_nodes(expression, groups[0], groups)
    return groups


def _add_nodes(expression: Expression, own: list[Expression], groups: list[list[Expression]]) -> None:
    """Add the parts of an expression to their group; those that say nothing of it are in groups of their own."""
    own.append(expression)
    match expression:
        case Field(base=Variable()):
            return
        case Field() | Deref() | Index():
            groups.append([])
            inner = groups[-1]
            for child in children(expression):
                _add_nodes(child, inner, groups)
        case AddressOf(target=Index() as target):
            for child in children(target):
                _add_nodes(child, own, groups)
        case AddressOf(target=target):
            groups.append([])
            _add_nodes(target, groups[-1], groups)
        case Binary(operator="%", left=left, right=right):
            groups.append([])
            _add_nodes(left, groups[-1], groups)
            _add_nodes(right, own, groups)
        case _:
            for child in children(expression):
                _add_nodes(child, own, groups)


def _holders(node: Expression) -> list[Hashable]:
    """The variable or member that an expression is."""
    match node:
        case Variable(name=name):
            return [name]
        case Field(offset=offset, type=type_):
            return [(offset, type_.size)]
    return []


def _limits(type_: Type) -> tuple[int, ...]:
    return (type_.minimum, type_.maximum) if isinstance(type_, IntegerType) else ()


def _units(operation: Operation, nodes: list[Expression]) -> set[int]:
    """What numbers of elements are multiplied with."""
    if isinstance(operation, Allocate | Realloc):
        return {1, *_factors(operation.size)}
    return {unit for n in nodes if _is_product(n) for unit in _factors(n)}


def _is_number(node: Expression) -> bool:
    """Whether the type of an expression limits a number: not that of a constant, nor that of an outcome."""
    if isinstance(node, Comparison) or (isinstance(node, Unary) and node.operator == "!"):
        return False
    return constant_of(node) is None


def _is_product(node: Expression) -> bool:
    return isinstance(node, Binary) and node.operator == "*"


def _factors(product: Expression) -> set[int]:
    return {n.value for n in walk(product) if isinstance(n, Constant) and n.value > 0}


def _is_of_bytes(operation: Operation) -> bool:
    """Whether an operation compares a byte: the constant is a character."""
    test = operation.condition if isinstance(operation, Assume) else None
    sides = [_uncast(side) for side in (test.left, test.right)] if isinstance(test, Comparison) else []
    return any(isinstance(s.type, IntegerType) and s.type.bits == CHAR.bits for s in sides if constant_of(s) is None)
