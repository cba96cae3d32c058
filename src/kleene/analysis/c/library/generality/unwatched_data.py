"""One value for all data that is not watched: where the library compares it, either outcome is possible.

The client that watches one datum has three values of data: the watched one, NULL, and another one. Structures tell them
apart in every element. A library that only copies data, hands it on and compares it for equality cannot tell more
than this: a comparison of the watched datum with itself holds, one with other data does not, and one of two other
data has any outcome. So all other data is NULL, and where a comparison of it holds, it may also not hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from kleene.analysis.c.library.client.text import CLIENT
from kleene.analysis.c.library.client.watch import is_datum
from kleene.analysis.c.library.generality.separation import leads_to_data
from kleene.cfa.expressions import (
    AddressOf,
    Binary,
    Cast,
    Comparison,
    Constant,
    Expression,
    Field,
    Unary,
    Variable,
    walk,
    without_casts,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    Assign,
    Assume,
    Call,
    Free,
    HandOut,
    Havoc,
    MemCopy,
    MemSet,
    Operation,
    Return,
    expressions,
)
from kleene.cfa.program import CProgram, Function
from kleene.cfa.types import INT, PointerType, RecordType
from kleene.passes.rewrite import exchange

_Holder = tuple[str, str]
"""What may hold data: a variable of a function, or the result of a function, which has no name."""
_EQUALITY = {"==": 1, "!=": 0}
"""The comparisons that data may be in, and their outcomes where both sides are equal."""


def with_any_outcomes(program: CProgram) -> CProgram | None:
    """The program of a watching client in which data that is NULL may be unequal to itself.

    None if the library does more with data than to copy, compare and hand it on: convert it, compute with it, follow
    it, or take the address of a place for it.
    """
    reached = {name: program.functions[name] for name in program.reachable_functions}
    own = {name: function for name, function in reached.items() if Path(function.place.file).name != CLIENT}
    holders = _Holders(program, own)
    if any(holders.tell_more(label, name) for name, label in _labels(own)):
        return None
    changed = {name: _with_outcomes(function, holders) for name, function in own.items()}
    return replace(program, functions={**program.functions, **changed})


def _labels(functions: dict[str, Function]) -> Iterator[tuple[str, Operation]]:
    return ((name, edge.label) for name, function in functions.items() for edge in function.cfa.edges)


class _Holders:
    """The places that may hold data, without regard to the order of operations.

    Data comes from the client: as a `void *` among arguments, or as a result of one of its functions. All members,
    elements and globals of this type may hold it.
    """

    def __init__(self, program: CProgram, own: dict[str, Function]) -> None:
        self._program = program
        called = {e.label.function for e in program.main.cfa.edges if isinstance(e.label, Call)}
        self._found = {(n, p.name) for n in own.keys() & called for p in own[n].parameters if is_datum(p.type)}
        while more := {to for name, label in _labels(own) for to in self._receivers(name, label, own)} - self._found:
            self._found |= more

    def have(self, function: str, value: Expression) -> bool:
        """Whether a value may be data."""
        place = without_casts(value)
        if isinstance(place, Variable) and not place.is_global:
            return (function, place.name) in self._found
        return is_datum(place.type) and not isinstance(place, Constant | AddressOf)

    def _receivers(self, name: str, label: Operation, own: dict[str, Function]) -> Iterator[_Holder]:
        """The variables and results that get data; a call through a pointer is one of any function of its type."""
        match label:
            case Assign(target=Variable() as target, value=value) if self.have(name, value):
                yield name, target.name
            case Return(value=value) if value is not None and self.have(name, value):
                yield name, ""
            case Call(function=called, arguments=arguments, result=result):
                types = [a.type for a in arguments]
                alike = (n for n, f in own.items() if [p.type for p in f.parameters] == types)
                for callee in own.keys() & ({called} if isinstance(called, str) else set(alike)):
                    pairs = zip(arguments, own[callee].parameters, strict=False)
                    yield from ((callee, p.name) for a, p in pairs if self.have(name, a))
                returns = not isinstance(called, str) or (called, "") in self._found
                if returns and isinstance(result, Variable) and is_datum(result.type):
                    yield name, result.name

    def tell_more(self, label: Operation, function: str) -> bool:
        """Whether an operation does more with data than to copy, compare and hand it on."""
        whole = isinstance(label, Free | MemSet | MemCopy | HandOut)
        nodes = [n for x in expressions(label) for n in walk(x)]
        if any(self._tells_more(node, function, whole=whole) for node in nodes):
            return True
        return isinstance(label, Assume) and self.have(function, label.condition)

    def _tells_more(self, node: Expression, function: str, *, whole: bool) -> bool:
        match node:
            case Cast(operand=operand, type=type_) if not whole and not isinstance(operand, Constant):
                if self.have(function, operand) and not is_datum(type_):
                    return True
                return operand.type != type_ and leads_to_data(operand.type, self._program)
            case AddressOf(target=target):
                return not isinstance(target.type, RecordType) and self.have(function, target)
            case Field(base=base) if isinstance(base.type, RecordType) and base.type.name in self._program.records:
                return self._program.records[base.type.name].union and leads_to_data(
                    PointerType(base.type), self._program
                )
            case Comparison(operator=operator, left=left, right=right):
                is_data = self.have(function, left) or self.have(function, right)
                return is_data and (operator not in _EQUALITY or not is_datum(left.type))
            case Binary(left=left, right=right):
                return self.have(function, left) or self.have(function, right)
            case Unary(operand=operand):
                return self.have(function, operand)
        return False


def _with_outcomes(function: Function, holders: _Holders) -> Function:
    """The function in which each comparison of data has its outcome in a variable, before it is used."""
    edges: list[Edge[Operation]] = []
    added: list[Variable] = []
    for location in dict.fromkeys(e.source for e in function.cfa.edges):
        here, leaving = location, list(function.cfa.leaving(location))
        for comparison in dict.fromkeys(c for e in leaving for c in _comparisons(e.label, function.name, holders)):
            any_, outcome = (Variable(f"$data{len(added) + k}", INT) for k in range(2))
            added += [any_, outcome]
            there = f"{location}.data{len(added)}"
            edges += _outcome_edges(comparison, function.name, holders, leaving[0], here, there, (any_, outcome))
            truth = Comparison("!=", outcome, Constant(0, INT), comparison.type)
            leaving = [replace(e, label=exchange(e.label, comparison, truth)) for e in leaving]
            here = there
        edges += [replace(e, source=here) for e in leaving]
    if not added:
        return function
    return replace(function, locals=(*function.locals, *added), cfa=Cfa(function.cfa.entry, tuple(edges)))


def _comparisons(label: Operation, function: str, holders: _Holders) -> list[Comparison]:
    nodes = (n for x in expressions(label) for n in walk(x))
    sides = ((n, (n.left, n.right)) for n in nodes if isinstance(n, Comparison) and n.operator in _EQUALITY)
    return [n for n, both in sides if any(holders.have(function, side) for side in both)]


def _outcome_edges(
    comparison: Comparison,
    function: str,
    holders: _Holders,
    example: Edge[Operation],
    here: str,
    there: str,
    own: tuple[Variable, Variable],
) -> Iterator[Edge[Operation]]:
    """The edges that compute the outcome of a comparison: unequal data may be chosen where both sides are NULL."""
    place, (any_, outcome) = example.label.place, own
    sides = (comparison.left, comparison.right)
    datum = next(side for side in sides if holders.have(function, side))
    equal = _EQUALITY[comparison.operator]
    chosen = Comparison("!=", any_, Constant(0, INT), comparison.type)
    other = Comparison("==", datum, Constant(0, datum.type), comparison.type)
    plain, unequal = f"{there}?plain", f"{there}?unequal"
    yield Edge(here, Havoc(place, any_), f"{there}?any")
    yield Edge(f"{there}?any", Assume(place, chosen, truth=False), plain)
    yield Edge(f"{there}?any", Assume(place, chosen), f"{there}?other")
    yield Edge(f"{there}?other", Assume(place, other), unequal)
    yield Edge(f"{there}?other", Assume(place, other, truth=False), plain)
    yield Edge(unequal, Assign(place, outcome, Constant(1 - equal, INT)), there)
    for truth in (True, False):
        yield Edge(plain, Assume(place, comparison, truth=truth), f"{there}?{truth}")
        yield Edge(f"{there}?{truth}", Assign(place, outcome, Constant(int(truth), INT)), there)
