"""Numbers that go round: ``tail = (tail + 1) % size`` as the cases in which it wraps, and in which it does not.

In a ring, the elements between two indices are those behind the one and before the other, or around the end. Relations
of numbers (`passes/facts/relations`) bound a remainder, but cannot say that it is the number itself or the number less
the size. Here these are two ways of the automaton, and a third one is for all other numbers: it is the operation as it
was, so that every run goes one of the ways, whatever is known of the numbers. ``& 15`` is the remainder by 16.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from kleene.cfa.expressions import (
    Binary,
    Comparison,
    Constant,
    Expression,
    Variable,
    has_dereference,
    walk,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, DeclareLocal, EndScope, Operation, expressions
from kleene.cfa.program import CProgram
from kleene.cfa.types import IntegerType
from kleene.passes.elements.chosen import bare
from kleene.passes.facts.memory import constant_of
from kleene.passes.rewrite import Choice, exchange, expand_edges

WRAP = " wrap "
"""What the names of the locations between contain."""
WRAPPED = "$wrapped "
"""How the names of the variables begin that get a remainder."""


@dataclass(frozen=True)
class Remainder:
    """The remainder of a sum, as it is written."""

    whole: Expression
    sum: Expression
    size: Expression

    @property
    def type(self) -> IntegerType:
        assert isinstance(self.whole.type, IntegerType)
        return self.whole.type


def with_wrapped_numbers(program: CProgram) -> CProgram:
    """The program in which remainders of sums are told apart by whether they wrap; itself where there are none."""
    main = program.main
    wrapping = _Wrapping()
    cfa = expand_edges(main.cfa, wrapping.expand, WRAP)
    if not wrapping.variables:
        return program
    own = replace(main, cfa=cfa, locals=(*main.locals, *wrapping.variables))
    return replace(program, functions={**program.functions, main.name: own})


def wrapped_sums(cfa: Cfa[Operation]) -> frozenset[tuple[Variable, Variable]]:
    """The pairs of variables whose sum is reduced: where elements begin, and how many there are."""
    pairs = set()
    for edge in cfa.edges:
        label = edge.label
        if isinstance(label, Assign) and isinstance(label.target, Variable) and label.target.name.startswith(WRAPPED):
            value = bare(label.value)
            terms = (bare(value.left), bare(value.right)) if isinstance(value, Binary) and value.operator == "+" else ()
            if len(terms) == 2 and isinstance(terms[0], Variable) and isinstance(terms[1], Variable):
                pairs.add((terms[0], terms[1]))
    return frozenset(pairs)


def set_from_wrapped(cfa: Cfa[Operation]) -> frozenset[Variable]:
    """The variables that get a remainder, and these remainders."""
    found = set()
    for edge in cfa.edges:
        label = edge.label
        if isinstance(label, Assign) and isinstance(label.target, Variable):
            value = bare(label.value)
            if isinstance(value, Variable) and value.name.startswith(WRAPPED):
                found |= {label.target, value}
    return frozenset(found)


class _Wrapping:
    """Expands the edges of one automaton."""

    def __init__(self) -> None:
        self.variables: dict[Variable, None] = {}

    def expand(self, edge: Edge[Operation]) -> list[Choice] | None:
        label = edge.label
        if isinstance(label, DeclareLocal | EndScope):
            return None
        found = next((r for x in expressions(label) for r in remainders(x)), None)
        if found is None:
            return None
        variable = Variable(f"{WRAPPED}{found.type}", found.type)
        self.variables[variable] = None

        def way(value: Expression) -> tuple[Operation, ...]:
            return Assign(label.place, variable, value), exchange(label, found.whole, variable)

        zero, total, size = Constant(0, found.type), found.sum, found.size
        less = Binary("-", total, size, found.type)
        choices = [Choice(Comparison("<", x, zero), way(found.whole)) for x in (total,) if found.type.signed]
        if found.type.signed and constant_of(size) is None:
            choices.insert(0, Choice(Comparison("<=", size, zero), way(found.whole)))
        return [
            *choices,
            Choice(Comparison("<", total, size), way(total)),
            Choice(Comparison("<", less, size), way(less)),
            Choice(None, way(found.whole)),
        ]


def remainders(expression: Expression) -> Iterator[Remainder]:
    """The remainders of sums in an expression that reads no memory for them."""
    for node in walk(expression):
        if not isinstance(node, Binary) or not isinstance(node.type, IntegerType) or has_dereference(node):
            continue
        total, size = node.left, node.right
        inner = bare(total)
        if not (isinstance(inner, Binary) and inner.operator in ("+", "-")):
            continue
        number = constant_of(size)
        if node.operator == "%" and (number is None or number > 0):
            yield Remainder(node, total, size)
        elif node.operator == "&" and number is not None and _is_mask(number) and node.type.has(number + 1):
            yield Remainder(node, total, Constant(number + 1, node.type))


def _is_mask(number: int) -> bool:
    return number > 0 and number & (number + 1) == 0
