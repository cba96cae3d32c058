"""Heights of subtrees: what their comparisons say about children that are not there.

``int height(n) { return n ? n->height : 0; }``, ``b = height(n->left) - height(n->right)``, ``if (b > 1) f(n->left)``.
The shape analysis knows that the height is 0 where a child is NULL, but nothing about a difference. No height is less
than 0 (`facts/nonnegative`), so ``x < y`` says that `y` is not 0. A difference gets a variable that keeps on which side
of 0 it is, as its two numbers say; a comparison of the difference with a constant excludes sides. Both say what is so
anyway, in every run without an overflow of a height.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from kleene.cfa.expressions import MIRRORED, NEGATED, Binary, Cast, Comparison, Constant, Expression, Unary, Variable
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, Assume, Operation, Place
from kleene.cfa.program import Assumption, CProgram
from kleene.cfa.types import INT, IntegerType
from kleene.passes.facts.liveness import defined_variables
from kleene.passes.facts.memory import constant_of
from kleene.passes.facts.nonnegative import Nonnegative

ANY, NOT_MORE, NOT_LESS, ZERO = range(4)
"""The side of a difference: not known, not more than 0, not less than 0, and 0."""
REST = (False, False, ANY)
"""Both numbers are not 0: the difference is any number."""
MOST_DIFFERENCES = 40
"""Variables of differences that are followed: structures are told apart by the sides of those that are alive."""
HEIGHTS = "heights"
"""The name of the assumption."""


def with_known_heights(program: CProgram) -> CProgram:
    """The program, one automaton, with what comparisons of heights say; itself where it has no heights."""
    heights = _Heights(program)
    if not heights.has_choices:
        return program
    edges = heights.edges()
    if len(edges) == len(program.main.cfa.edges):
        return program
    main = program.main
    ghosts = tuple(heights.sides.values())
    function = replace(main, cfa=Cfa(main.cfa.entry, tuple(edges)), locals=(*main.locals, *ghosts))
    sums = heights.numbers.sums_behind(heights.used)
    lines = sorted({place.line for place in (*sums, *heights.compared)}) if sums else []
    text = f"the sum at line {', '.join(map(str, lines))} does not overflow: it is the height of a node"
    assumed = (Assumption(HEIGHTS, "do not overflow", text),) if lines else ()
    return replace(
        program,
        functions={**program.functions, program.entry: function},
        assumptions=(*program.assumptions, *assumed),
    )


class _Heights:
    """Writes what is known of heights into one automaton."""

    def __init__(self, program: CProgram) -> None:
        self.program, self.cfa = program, program.main.cfa
        self.written: list[Edge[Operation]] = []
        self.used: set[Expression] = set()
        """The numbers of which it was used that they are not less than 0."""
        self.compared: list[Place] = []
        """Where a sum of which this was used is compared."""

    @property
    def has_choices(self) -> bool:
        """Whether some number is 0 on one way, read from memory on another, and subtracted or compared by order."""
        zeros, read = set[Expression](), set[Expression]()
        for edge in self.cfa.edges:
            label = edge.label
            if isinstance(label, Assign) and isinstance(label.target, Variable):
                if constant_of(label.value) == 0 and isinstance(label.target.type, IntegerType):
                    zeros.add(label.target)
                elif not isinstance(label.value, Constant | Variable):
                    read.add(label.target)
        return not zeros.isdisjoint(read)

    @cached_property
    def numbers(self) -> Nonnegative:
        return Nonnegative(self.program, self.cfa)

    # Differences ------------------------------------------------------------------------------------------------

    @cached_property
    def sides(self) -> dict[Variable, Variable]:
        """The variables of differences and of their copies, each with the variable of its side."""
        values: dict[Variable, list[Expression]] = {}
        for edge in self.cfa.edges:
            if isinstance(edge.label, Assign) and isinstance(edge.label.target, Variable):
                values.setdefault(edge.label.target, []).append(edge.label.value)
        known = [v for v, own in values.items() if any(self._difference(value) for value in own)]
        for variable in known:
            known += [v for v, own in values.items() if v not in known and variable in map(_plain, own)]
        compared = {test[0] for edge in self.cfa.edges if (test := _test_of(edge.label)) is not None}
        if compared.isdisjoint(known):
            return {}
        return {v: Variable(f"$side of {v.name}", INT) for v in known[:MOST_DIFFERENCES]}

    def _difference(self, value: Expression) -> tuple[Variable, Variable] | None:
        """The two numbers of a difference of heights."""
        value = _plain(value)
        if not isinstance(value, Binary) or value.operator != "-":
            return None
        left, right = _plain(value.left), _plain(value.right)
        if not isinstance(left, Variable) or not isinstance(right, Variable):
            return None
        return (left, right) if self.numbers.holds(left) and self.numbers.holds(right) else None

    # The automaton ----------------------------------------------------------------------------------------------

    def edges(self) -> list[Edge[Operation]]:
        for edge in self.cfa.edges:
            if isinstance(edge.label, Assume):
                self._chain(edge.source, [edge.label, *self._told(edge.label)], edge.target)
                continue
            given = [v for v in defined_variables(edge.label) if v in self.sides]
            if given and isinstance(edge.label, Assign):
                self._set_side(edge, given[0], edge.label)
            elif given:
                sides = [Assign(edge.label.place, self.sides[v], Constant(ANY, INT)) for v in given]
                self._chain(edge.source, [edge.label, *sides], edge.target)
            else:
                self.written.append(edge)
        return self.written

    def _chain(self, source: str, operations: list[Operation], target: str) -> None:
        here = source
        for number, operation in enumerate(operations):
            is_last = number == len(operations) - 1
            there = target if is_last else f"{source} height {len(self.written)}"
            self.written.append(Edge(here, operation, there))
            here = there

    def _set_side(self, edge: Edge[Operation], variable: Variable, label: Assign) -> None:
        """A variable gets a value: so does its side."""
        side, value = self.sides[variable], _plain(label.value)
        pair, number = self._difference(value), constant_of(value)
        if pair is None:
            new: Expression = Constant(ANY, INT)
            if number is not None:
                new = Constant(ZERO if number == 0 else NOT_LESS if number > 0 else NOT_MORE, INT)
            elif isinstance(value, Variable) and value in self.sides:
                new = self.sides[value]
            self._chain(edge.source, [label, Assign(label.place, side, new)], edge.target)
            return
        self.used |= set(pair)
        for is_first, is_second, what in ((True, True, ZERO), (True, False, NOT_MORE), (False, True, NOT_LESS), REST):
            tests = [Assume(label.place, _is_zero(n), t) for n, t in zip(pair, (is_first, is_second), strict=True)]
            self._chain(edge.source, [*tests, label, Assign(label.place, side, Constant(what, INT))], edge.target)

    def _told(self, label: Assume) -> Iterator[Assume]:
        """What a comparison says about numbers that are 0, and about the sides of differences."""
        comparison = _comparison_of(label)
        if comparison is None:
            return
        operator, left, right = comparison
        if operator in (">", ">="):
            operator, left, right = MIRRORED[operator], right, left
        is_less = operator == "<" and self.numbers.holds(left)
        is_less = is_less or (operator == "<=" and self.numbers.is_positive(left))
        if is_less and isinstance(right, Variable) and constant_of(left) is None:
            self.used.add(left)
            self.compared += [label.place] if isinstance(left, Binary) else []
            yield Assume(label.place, _is_zero(right), truth=False)
        test = _test_of(label)
        if test is None:
            return
        number, low, high = test
        excluded = {NOT_MORE, ZERO} if low > 0 else {NOT_LESS, ZERO} if high < 0 else set[int]()
        if number in self.sides:
            for what in sorted(excluded):
                yield Assume(label.place, Comparison("!=", self.sides[number], Constant(what, INT)))
        elif (pair := self._difference(number)) is not None and excluded:
            self.used |= set(pair)
            yield Assume(label.place, _is_zero(pair[0] if low > 0 else pair[1]), truth=False)


def _is_zero(number: Variable) -> Comparison:
    return Comparison("==", number, Constant(0, number.type))


def _plain(value: Expression) -> Expression:
    """A value without casts between numbers of one type."""
    while isinstance(value, Cast) and value.type == value.operand.type:
        value = value.operand
    return value


def _comparison_of(label: Assume) -> tuple[str, Expression, Expression] | None:
    """The comparison of signed numbers that holds behind an assumption."""
    condition, truth = label.condition, label.truth
    while isinstance(condition, Unary | Cast):
        if isinstance(condition, Unary) and condition.operator != "!":
            return None
        truth = truth != isinstance(condition, Unary)
        condition = condition.operand
    if not isinstance(condition, Comparison):
        return None
    sides = _plain(condition.left), _plain(condition.right)
    if not all(isinstance(s.type, IntegerType) and s.type.signed for s in sides):
        return None
    return condition.operator if truth else NEGATED[condition.operator], *sides


def _test_of(label: Operation) -> tuple[Expression, float, float] | None:
    """The number that an assumption compares with a constant, and between which numbers it is then."""
    comparison = _comparison_of(label) if isinstance(label, Assume) else None
    if comparison is None:
        return None
    operator, left, right = comparison
    if constant_of(left) is not None:
        operator, left, right = MIRRORED.get(operator, operator), right, left
    number = constant_of(right)
    if number is None:
        return None
    everything = float("inf")
    bounds = {
        ">": (number + 1, everything),
        ">=": (number, everything),
        "==": (number, number),
        "<": (-everything, number - 1),
        "<=": (-everything, number),
    }
    low, high = bounds.get(operator, (-everything, everything))
    return left, low, high
