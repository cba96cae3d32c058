"""Numbers that are a result or say that there is none: ``if (insert(table, v) < 0) free(v);``.

The shape analysis tells apart which of a few constants a number is, and all others are one value, so that ``< 0`` may
hold of them. The relations of numbers (`facts/relations`) know more: the result is -1 or an index. Then ``r < 0`` is
written as ``r == -1``, and behind ``r = index`` it is assumed that `r` is more than -1. Both say what is so anyway.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from kleene.cfa.expressions import MIRRORED, Cast, Comparison, Constant, Expression, Variable, map_variables, walk
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, Assume, DeclareLocal, EndScope, Havoc, Operation, Skip, address_taken
from kleene.cfa.program import CProgram
from kleene.cfa.types import IntegerType
from kleene.passes.calls.recursive_functions import Procedure, procedures_of, with_one_automaton
from kleene.passes.facts.liveness import defined_variables
from kleene.passes.facts.memory import constant_of
from kleene.passes.facts.relations.questions import Relations
from kleene.passes.facts.relations.zones import Interval


def with_known_signs(program: CProgram) -> CProgram:
    """The program with equations for comparisons of results with 0; itself where there are none."""
    results = {name: _Results(f.cfa) for name, f in program.functions.items()}
    if not any(own.tests for own in results.values()):
        return program
    whole = with_one_automaton(program)
    relations, procedures = Relations(whole, whole.main.cfa), procedures_of(program)
    functions = dict(program.functions)
    for name, own in results.items():
        if own.tests:
            cfa = _Writer(own, procedures[name], relations).cfa()
            functions[name] = replace(functions[name], cfa=cfa)
    return replace(program, functions=functions)


@dataclass(frozen=True)
class Test:
    """A comparison of a variable with a constant by order."""

    variable: Variable
    operator: str
    constant: int


class _Results:
    """The variables of an automaton that are constants on some ways, and numbers that are computed on others."""

    def __init__(self, cfa: Cfa[Operation]) -> None:
        self.automaton = cfa
        self._values: dict[Variable, list[Expression]] = {}
        hidden = set(address_taken(edge.label for edge in cfa.edges))
        self._drawn = {v for edge in cfa.edges if isinstance(edge.label, Havoc) for v in defined_variables(edge.label)}
        """Variables that get numbers from outside: what is known of these is known where they are passed on."""
        for edge in cfa.edges:
            label = edge.label
            if isinstance(label, Assign) and isinstance(label.target, Variable):
                self._values.setdefault(label.target, []).append(label.value)
            elif not isinstance(label, DeclareLocal | EndScope | Skip):
                hidden |= set(defined_variables(label))
        self._hidden = hidden
        self.origins: dict[Variable, set[int]] = {}
        """Variables that numbers are computed for, each with the constants of the results that they become."""
        self.tests = {
            test for edge in cfa.edges if (test := test_of(edge.label)) is not None and self._is_result(test.variable)
        }

    def _is_result(self, tested: Variable) -> bool:
        """Whether a number is a result: one that counts is none, and the intervals of loops know more of it."""
        copies, constants = {tested}, set[int]()
        waiting = [tested]
        while waiting:
            variable = waiting.pop()
            if variable.is_global or variable in self._hidden:
                return False
            for value in self._values.get(variable, ()):
                number = constant_of(value)
                if number is not None:
                    constants.add(number)
                elif isinstance(value, Variable) and not self.is_computed(value, tested) and value not in copies:
                    copies.add(value)
                    waiting.append(value)
        computed = [(v, value) for v in copies for value in self._values.get(v, ()) if self.is_computed(value, v)]
        counts = any(not copies.isdisjoint(walk(value)) for _, value in computed)
        if not constants or not computed or counts:
            return False
        for variable, _ in computed:
            self.origins.setdefault(variable, set()).update(constants)
        return True

    def is_computed(self, value: Expression, variable: Variable) -> bool:
        """Whether a value is neither a constant nor a copy of a number that is followed."""
        is_copy = isinstance(value, Variable) and value.type == variable.type and value not in self._drawn
        return constant_of(value) is None and not is_copy


def test_of(operation: Operation) -> Test | None:
    """The comparison of an assumption, if it is one of a signed variable with a constant by order."""
    condition = operation.condition if isinstance(operation, Assume) else None
    if isinstance(condition, Cast) and isinstance(condition.operand, Comparison):
        condition = condition.operand
    if not isinstance(condition, Comparison) or condition.operator in ("==", "!="):
        return None
    left, right, operator = condition.left, condition.right, condition.operator
    if constant_of(left) is not None:
        left, right, operator = right, left, MIRRORED[operator]
    number = constant_of(right)
    if number is None or not isinstance(left, Variable):
        return None
    signed = isinstance(left.type, IntegerType) and left.type.signed
    return Test(left, operator, number) if signed else None


def equation_of(label: Assume, test: Test, bounds: Interval) -> Assume:
    """A test as an equation or its negation, if one number alone is on one side of it; else as it is."""
    low, high = bounds
    border = test.constant if test.operator in ("<", ">=") else test.constant + 1
    passes_below = test.operator in ("<", "<=")
    if low == border - 1 < high:
        number, is_equal = low, passes_below
    elif low < border == high:
        number, is_equal = high, not passes_below
    else:
        return label
    constant = Constant(number, test.variable.type)
    return replace(label, condition=Comparison("==" if is_equal else "!=", test.variable, constant))


class _Writer:
    """Writes what is known into one automaton."""

    def __init__(self, results: _Results, procedure: Procedure, relations: Relations) -> None:
        self.results, self.procedure, self.relations = results, procedure, relations

    def cfa(self) -> Cfa[Operation]:
        edges: list[Edge[Operation]] = []
        for edge in self.results.automaton.edges:
            *first, last = self._known(edge)
            here = edge.source
            for label in first:
                there = f"{edge.source} known {len(edges)}"
                edges.append(Edge(here, label, there))
                here = there
            edges.append(Edge(here, last, edge.target))
        return Cfa(self.results.automaton.entry, tuple(edges))

    def _bounds(self, value: Expression, edge: Edge[Operation]) -> Interval:
        return self.relations.of(map_variables(value, self.procedure.rename), self.procedure.at(edge.source))

    def _known(self, edge: Edge[Operation]) -> list[Operation]:
        """An operation with what is known: a test as an equation, an assignment with what its value is not."""
        label = edge.label
        if isinstance(label, Assume):
            test = test_of(label)
            return [self._equation(label, test, edge) if test is not None and test in self.results.tests else label]
        if not isinstance(label, Assign) or not isinstance(label.target, Variable):
            return [label]
        constants = self.results.origins.get(label.target)
        if constants is None or not self.results.is_computed(label.value, label.target):
            return [label]
        return [label, *self._excluded(label, constants, self._bounds(label.value, edge))]

    def _equation(self, label: Assume, test: Test, edge: Edge[Operation]) -> Assume:
        return equation_of(label, test, self._bounds(test.variable, edge))

    @staticmethod
    def _excluded(label: Assign, constants: set[int], bounds: Interval) -> Iterator[Assume]:
        """What a number that is computed is not: the next constants on both sides."""
        low, high = bounds
        less, more = [c for c in constants if c < low], [c for c in constants if c > high]
        borders = [(">", c) for c in less if c == max(less)] + [("<", c) for c in more if c == min(more)]
        for operator, number in borders:
            condition = Comparison(operator, label.target, Constant(number, label.target.type))
            yield Assume(label.place, condition, truth=True)
