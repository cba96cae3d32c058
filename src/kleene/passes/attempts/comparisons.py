"""Repeated comparisons: a variable keeps the outcome of a comparison, and the next one has the same outcome.

A tree that is searched before a node is inserted compares twice: ``while (t) { p = t; t = key < t->key ? t->left :
t->right; }``, and then ``if (key < p->key) p->left = n;``. The analysis does not follow the numbers of keys, so the
second comparison seems to be free, and the insertion seems to lose a subtree. For each such comparison the automaton
gets a variable with the outcome, or `OPEN` where what is compared may have changed since. An assignment ``p = t``
copies the outcomes of ``t``; while the two are equal, a comparison of one is a comparison of the other. (Available
expressions with copies: Aho, Sethi, Ullman. Compilers, 1986, 10.6.) The comparison itself stays, with what it reads:
the variable only excludes one of its branches. What a comparison function has read and computed is seen through
(`held_values.py`): a comparison is followed as it is written, and with what its variables hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from kleene.cfa.dataflow import solve_forward
from kleene.cfa.expressions import (
    AddressOf,
    Binary,
    Cast,
    Comparison,
    Constant,
    Deref,
    Expression,
    Unary,
    Variable,
    base_pointer,
    children,
    walk,
    without_casts,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    Allocate,
    Assign,
    Assume,
    DeclareLocal,
    EndScope,
    Exit,
    Free,
    HandOut,
    Havoc,
    Operation,
    Print,
    Skip,
    expressions,
)
from kleene.cfa.types import INT, IntegerType, PointerType
from kleene.passes.attempts.held_values import HeldValues, is_in_memory, read_places, written_places
from kleene.passes.facts.liveness import defined_variables, starts
from kleene.passes.facts.memory import Memory, Place
from kleene.passes.pointers.fixed_addresses import fixed_address
from kleene.passes.rewrite import rewrite

FALSE, TRUE, OPEN = 0, 1, 2
"""The values of the variable of a comparison."""
MOST_COMPARISONS = 12
"""Comparisons that are followed: the structures are told apart by the outcomes of those that are needed later."""
_QUIET = (Skip, Assume, Print, HandOut, Free, Exit)
"""Operations that change neither variables nor what live blocks hold."""
_MIRRORED = {">": "<", "<=": ">="}
"""Comparisons that are written with the operands exchanged."""
_NEGATED = {">=": "<", "!=": "=="}
"""Comparisons that are written as the negation of another."""
_POINTED = Constant(0, INT)
"""Stands for a pointer in the form of a comparison."""

Pairs = frozenset[frozenset[Variable]]
"""Pointers that are equal, two and two."""


def with_known_outcomes(memory: Memory) -> Cfa[Operation]:
    """The automaton of the memory, in which a comparison has the outcome that it had before, if nothing has changed."""
    rewriting = _Rewriting(memory)
    return rewriting.result() if rewriting.chosen else memory.cfa


@dataclass(frozen=True)
class _Test:
    """A comparison in its plain form; `negated` says whether it is true where the condition of the program is not."""

    expression: Expression
    negated: bool

    def holds(self, operation: Operation) -> bool:
        """Whether the comparison is true behind an assumption of the condition."""
        return isinstance(operation, Assume) and operation.truth != self.negated

    @staticmethod
    def of(condition: Expression) -> _Test:
        negated = False
        while isinstance(condition, Unary) and condition.operator == "!":
            condition, negated = condition.operand, not negated
        if isinstance(condition, Comparison):
            operator, left, right = condition.operator, condition.left, condition.right
            if operator in _MIRRORED:
                operator, left, right = _MIRRORED[operator], right, left
            if operator in _NEGATED:
                operator, negated = _NEGATED[operator], not negated
            condition = replace(condition, operator=operator, left=left, right=right)
        return _Test(condition, negated)


@dataclass(frozen=True)
class _Step:
    """What the variables of comparisons do at an edge: the one that is tested, and those that get a value."""

    tested: Expression | None = None
    truth: bool = True
    given: tuple[tuple[Expression, Expression | int], ...] = ()
    """Each comparison with its outcome: a number, or the comparison whose outcome it has."""

    @property
    def read(self) -> set[Expression]:
        sources = {value for _, value in self.given if not isinstance(value, int)}
        return sources | ({self.tested} if self.tested is not None else set())

    @property
    def written(self) -> set[Expression]:
        return {expression for expression, _ in self.given}


@dataclass
class _Rewriting:
    memory: Memory
    edges: list[Edge[Operation]] = field(default_factory=list)
    _given_by: dict[int, tuple[tuple[Expression, Expression | int], ...]] = field(default_factory=dict)
    _forms_by: dict[int, tuple[_Test, ...]] = field(default_factory=dict)

    @property
    def cfa(self) -> Cfa[Operation]:
        return self.memory.cfa

    # Which comparisons ----------------------------------------------------------------------------------------------

    @cached_property
    def tests(self) -> dict[Expression, tuple[set[Place], Expression]]:
        """The comparisons of the program that could be followed: where they read memory, and their form."""
        tests: dict[Expression, tuple[set[Place], Expression]] = {}
        for edge in self.cfa.edges:
            for expression in (test.expression for test in self._forms(edge)):
                places = self._read_places(expression) if expression not in tests else None
                if places is not None:
                    form = rewrite(expression, lambda n: _POINTED if _is_pointer(n) else n)
                    tests[expression] = places, form
        return tests

    @cached_property
    def _number_of(self) -> dict[Expression, int]:
        return {expression: number for number, expression in enumerate(self.tests)}

    @cached_property
    def _tests_by_form(self) -> dict[Expression, list[Expression]]:
        grouped: dict[Expression, list[Expression]] = {}
        for expression, (_, form) in self.tests.items():
            grouped.setdefault(form, []).append(expression)
        return grouped

    @cached_property
    def _tests_of(self) -> dict[Expression, list[Expression]]:
        """The comparisons that mention a variable."""
        grouped: dict[Expression, list[Expression]] = {}
        for expression in self.tests:
            for variable in {node for node in walk(expression) if isinstance(node, Variable)}:
                grouped.setdefault(variable, []).append(expression)
        return grouped

    @cached_property
    def _held(self) -> HeldValues:
        return HeldValues(self.memory, _QUIET)

    def _forms(self, edge: Edge[Operation]) -> tuple[_Test, ...]:
        """The comparison of an edge as it is written, and with what its variables hold; none at other edges."""
        if not isinstance(edge.label, Assume):
            return ()
        known = self._forms_by.get(id(edge))
        if known is None:
            condition = edge.label.condition
            forms = map(_Test.of, (condition, self._held.in_place(condition, edge.source)))
            known = self._forms_by[id(edge)] = tuple(dict.fromkeys(forms))
        return known

    def _read_places(self, expression: Expression) -> set[Place] | None:
        """Where a comparison reads memory; None if it is not one of numbers in variables and behind pointers."""
        places: set[Place] = set()
        changing = False
        for node in _numbers_in(expression):
            match node:
                case None:
                    return None
                case Variable() if self.memory.kind(node) == "integer":
                    changing = changing or node in self._free_numbers
                case _:
                    read = read_places(self.memory, node)
                    if not read:
                        return None
                    places |= read
                    changing = True
        return places if changing else None

    @cached_property
    def _free_numbers(self) -> frozenset[Variable]:
        """The variables that get other values than constants: the analysis follows those by itself."""
        labels = [edge.label for edge in self.cfa.edges]
        constant = [o for o in labels if isinstance(o, Assign) and isinstance(o.value, Constant)]
        others = [o for o in labels if not isinstance(o, DeclareLocal | EndScope) and o not in constant]
        return frozenset(v for o in others for v in defined_variables(o))

    @cached_property
    def chosen(self) -> dict[Expression, Variable]:
        """The variables of the comparisons that some path makes twice, and of those that they are copied from."""
        useful = {s.tested for edge in self.cfa.edges if (s := self._step(edge)).tested is not None}
        while True:
            sources = {
                value
                for edge in self.cfa.edges
                for expression, value in self._step(edge).given
                if expression in useful and not isinstance(value, int)
            }
            if sources <= useful:
                break
            useful |= sources
        first = [expression for expression in self.tests if expression in useful][:MOST_COMPARISONS]
        return {e: Variable(f"$outcome{number}", INT) for number, e in enumerate(first)}

    # What is known ------------------------------------------------------------------------------------------------

    @cached_property
    def equal(self) -> dict[str, Pairs]:
        """The pointers that are equal at each location, on all paths."""

        def after(edge: Edge[Operation], before: Pairs) -> Pairs:
            pairs = frozenset(pair for pair in before if not any(_may_change(v, edge.label) for v in pair))
            two = self._made_equal(edge.label)
            if two is None:
                return pairs
            sides = [{v, *(w for pair in pairs if v in pair for w in pair)} for v in two]
            return pairs | {frozenset((v, w)) for v in sides[0] for w in sides[1] if v != w}

        def agree(_: str, known: Pairs, new: Pairs) -> Pairs | None:
            return None if known <= new else known & new

        start: dict[str, Pairs] = dict.fromkeys(starts(self.cfa), frozenset())
        return solve_forward(self.cfa, start, after, agree)

    def _made_equal(self, operation: Operation) -> tuple[Variable, Variable] | None:
        match operation:
            case Assign(target=Variable() as a, value=Variable() as b):
                pass
            case Assume(condition=Comparison(operator="==", left=Variable() as a, right=Variable() as b), truth=True):
                pass
            case _:
                return None
        return (a, b) if all(self.memory.kind(v) == "pointer" for v in (a, b)) and a != b else None

    @cached_property
    def possible(self) -> dict[str, frozenset[Expression]]:
        """The comparisons whose outcome may be known at each location."""

        def after(edge: Edge[Operation], before: frozenset[Expression]) -> frozenset[Expression]:
            values = self._given(edge)
            known = {e for e, value in values if (value in before if not isinstance(value, int) else value != OPEN)}
            return before - {e for e, _ in values} | known

        start: dict[str, frozenset[Expression]] = dict.fromkeys(starts(self.cfa), frozenset())
        return solve_forward(self.cfa, start, after, lambda _, known, new: None if new <= known else known | new)

    def _step(self, edge: Edge[Operation]) -> _Step:
        known = self.possible.get(edge.source, frozenset())
        test = next((test for test in self._forms(edge) if test.expression in known), None)
        if test is None:
            return _Step(given=self._given(edge))
        return _Step(test.expression, test.holds(edge.label), self._given(edge))

    def _given(self, edge: Edge[Operation]) -> tuple[tuple[Expression, Expression | int], ...]:
        """The comparisons whose outcome an edge determines, copies or changes."""
        known = self._given_by.get(id(edge))
        if known is None:
            known = self._given_by[id(edge)] = self._find_given(edge)
        return known

    def _find_given(self, edge: Edge[Operation]) -> tuple[tuple[Expression, Expression | int], ...]:
        label = edge.label
        if isinstance(label, Assume):
            return tuple(dict(known for test in self._forms(edge) for known in self._compared(edge, test)).items())
        if isinstance(label, _QUIET):
            return ()
        changed = set(defined_variables(label))
        overwritten = self._overwritten(label, self.fresh.get(edge.source, frozenset()))
        reached = overwritten.union(*[self._tests_of.get(variable, ()) for variable in changed])
        touched = sorted(reached, key=self._number_of.__getitem__)
        copied = self._made_equal(label)
        values: list[tuple[Expression, Expression | int]] = []
        for expression in touched:
            source = _with(expression, *copied) if copied is not None else None
            is_copied = source is not None and source in self.tests and expression not in overwritten
            values.append((expression, source if source is not None and is_copied else OPEN))
        return tuple(values)

    def _compared(self, edge: Edge[Operation], test: _Test) -> tuple[tuple[Expression, int], ...]:
        """A comparison of an edge, and those that are the same with an equal pointer."""
        if test.expression not in self.tests:
            return ()
        outcome = TRUE if test.holds(edge.label) else FALSE
        form = self.tests[test.expression][1]
        pairs = self.equal.get(edge.source, frozenset())
        return tuple((e, outcome) for e in self._tests_by_form[form] if _are_equal(e, test.expression, pairs))

    def _overwritten(self, operation: Operation, fresh: frozenset[Variable]) -> set[Expression]:
        """The comparisons that read what an operation writes to memory."""
        written = written_places(self.memory, operation)
        if written is None:
            return set(self.tests)
        if not written:
            return set()
        base = base_pointer(getattr(operation, "target", _POINTED))
        only = base if isinstance(base, Variable) and base in fresh else None
        return {e for e, (read, _) in self.tests.items() if read & written and (only is None or only in _pointers(e))}

    @cached_property
    def fresh(self) -> dict[str, frozenset[Variable]]:
        """The pointers at each location that alone hold the address of a new block, on all paths.

        Or that of an object without bytes: nothing is written through them.
        """

        def after(edge: Edge[Operation], before: frozenset[Variable]) -> frozenset[Variable]:
            label = edge.label
            kept = frozenset(v for v in before if not _may_change(v, label))
            if not isinstance(label, _QUIET):
                kept -= {v for expression in expressions(label) for v in _copied(expression)}
            alone = isinstance(label, Allocate) or (isinstance(label, Assign) and _is_address_of_nothing(label.value))
            if alone and not is_in_memory(self.memory, getattr(label, "target", _POINTED)):
                return kept | set(defined_variables(label))
            return kept

        start: dict[str, frozenset[Variable]] = dict.fromkeys(starts(self.cfa), frozenset())
        return solve_forward(self.cfa, start, after, lambda _, known, new: None if known <= new else known & new)

    # The automaton ------------------------------------------------------------------------------------------------

    def result(self) -> Cfa[Operation]:
        live = self._live()
        for edge in self.cfa.edges:
            step = self._step(edge)
            operations: list[Operation] = [edge.label]
            if step.tested in self.chosen:
                operations.append(_excluding(edge.label, self.chosen[step.tested], FALSE if step.truth else TRUE))
            given = [(e, value) for e, value in step.given if e in self.chosen and e in live[edge.target]]
            operations += self._assignments(edge.label, given)
            self._chain(edge, operations)
        first = [(expression, OPEN) for expression in self.chosen if expression in live[self.cfa.entry]]
        if not first:
            return Cfa(self.cfa.entry, tuple(self.edges))
        entry = f"{self.cfa.entry}?start"
        place = self.cfa.leaving(self.cfa.entry)[0].label.place
        skip = Skip(place)
        start: Edge[Operation] = Edge(entry, skip, self.cfa.entry)
        self._chain(start, [skip, *self._assignments(skip, first)])
        return Cfa(entry, tuple(self.edges))

    def _assignments(
        self, operation: Operation, given: Sequence[tuple[Expression, Expression | int]]
    ) -> Iterator[Operation]:
        """Assignments that give comparisons their outcomes; none of them is copied from another that changes."""
        for expression, value in given:
            outcome = Constant(value, INT) if isinstance(value, int) else self.chosen.get(value, Constant(OPEN, INT))
            yield Assign(operation.place, self.chosen[expression], outcome)

    def _chain(self, edge: Edge[Operation], operations: Sequence[Operation]) -> None:
        here = edge.source
        for number, operation in enumerate(operations):
            last = number == len(operations) - 1
            there = edge.target if last else f"{edge.source}?{len(self.edges)}"
            self.edges.append(Edge(here, operation, there))
            here = there

    def _live(self) -> dict[str, frozenset[Expression]]:
        """The comparisons whose outcome is needed at each location."""
        live: dict[str, frozenset[Expression]] = {name: frozenset() for name in self.cfa.locations}
        steps = {id(edge): self._step(edge) for edge in self.cfa.edges}
        waiting = list(self.cfa.locations)
        while waiting:
            location = waiting.pop()
            needed: set[Expression] = set()
            for edge in self.cfa.leaving(location):
                step = steps[id(edge)]
                needed |= (live[edge.target] - step.written) | (step.read & self.chosen.keys())
            if needed != live[location]:
                live[location] = frozenset(needed)
                waiting += [edge.source for edge in self.cfa.entering(location)]
        return live


def _excluding(operation: Operation, outcome: Variable, value: int) -> Assume:
    return Assume(operation.place, Comparison("!=", outcome, Constant(value, INT)), True)


def _may_change(variable: Variable, operation: Operation) -> bool:
    """Whether an operation may give a variable another value, or another variable its value: calls do it to globals."""
    is_call = not isinstance(operation, (*_QUIET, Assign, Allocate, Havoc, DeclareLocal, EndScope))
    return variable in defined_variables(operation) or (is_call and variable.is_global)


def _copied(expression: Expression) -> Iterator[Variable]:
    """The variables whose value an expression may pass on: all but those that it only looks behind.

    The address of a member is one of the block.
    """
    if isinstance(expression, Variable):
        yield expression
    elif isinstance(expression, AddressOf):
        yield from (node for node in walk(expression) if isinstance(node, Variable))
    elif not (isinstance(expression, Deref) and isinstance(expression.pointer, Variable)):
        for part in children(expression):
            yield from _copied(part)


def _is_address_of_nothing(value: Expression) -> bool:
    """Whether a value is the address of an object without bytes."""
    value = without_casts(value)
    return isinstance(value, AddressOf) and fixed_address(value.target) is not None


def _is_pointer(node: Expression) -> bool:
    return isinstance(node, Variable) and isinstance(node.type, PointerType)


def _with(expression: Expression, old: Variable, new: Variable) -> Expression:
    return rewrite(expression, lambda node: new if node == old else node)


def _pointers(expression: Expression) -> list[Expression]:
    return [node for node in walk(expression) if _is_pointer(node)]


def _are_equal(a: Expression, b: Expression, pairs: Pairs) -> bool:
    """Whether two comparisons of one form are about equal pointers."""
    return all(p == q or frozenset((p, q)) in pairs for p, q in zip(_pointers(a), _pointers(b), strict=True))


def _numbers_in(expression: Expression) -> Iterator[Expression | None]:
    """The numbers that a comparison is made of, apart from constants; None if there is something else."""
    if not isinstance(expression.type, IntegerType):
        yield None
        return
    match expression:
        case Constant():
            return
        case Comparison(left=left, right=right) | Binary(left=left, right=right):
            yield from _numbers_in(left)
            yield from _numbers_in(right)
        case Cast(operand=operand) | Unary(operand=operand):
            yield from _numbers_in(operand)
        case _:
            yield expression
