"""Numbers that are counted down in a loop: a number beside each counts its steps up.

``while (at-- > 0) p = p->next;`` with ``at < list->len``: the nodes from `p` on are `len` minus the rounds. This is a
difference of two numbers, and relations and claims about counters know such (`facts/counters`); that the sum of `at`
and the rounds stays the same is a relation of three. So the loop gets two numbers of its own: what `at` was before it,
and the rounds. The number that counts down is their difference, modulo its width. A test that says that it is 0, or
that it is not, says the same of the two, whatever overflows. The program does the same as before.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, field

from kleene.cfa.expressions import Binary, Comparison, Constant, Expression, Unary, Variable
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, Assume, EndScope, Operation, address_taken
from kleene.cfa.types import IntegerType, PointerType
from kleene.passes.elements.chosen import bare
from kleene.passes.facts.counters import LEAST_COUNTER_BITS, MOST_STEPS_BETWEEN, linear
from kleene.passes.facts.liveness import defined_variables, starts
from kleene.passes.facts.memory import Memory, constant_of

_FROM, _STEPS = "$from ", "$steps "
"""How the names of the new variables begin: of the number before the loop, and of the steps since."""
_MARK = " steps "


@dataclass
class _Loop:
    """A loop in which a number is counted down, and nothing else is done to it."""

    head: str
    body: frozenset[str]
    number: Variable
    copies: frozenset[Variable]
    """The variables that are copies of the number, and nothing else, in the loop."""
    last: int
    """What the number is compared with: the steps are counted down to this."""
    steps: dict[Variable, Variable] = field(default_factory=dict)
    """The steps that were made when the number, or a copy of it, got its value."""

    def __post_init__(self) -> None:
        for variable in self.order:
            self.steps[variable] = Variable(f"{_STEPS}{variable} {self.head}", self.number.type)
        self.start = Variable(f"{_FROM}{self.number} {self.head}", self.number.type)

    @property
    def order(self) -> tuple[Variable, ...]:
        """The number and its copies."""
        return self.number, *sorted(self.copies, key=str)


def with_counted_steps(memory: Memory) -> Cfa[Operation]:
    """The automaton of the memory in which the steps of numbers that are counted down are counted, too."""
    cfa = memory.cfa
    loops = list(_loops(memory))
    if not loops:
        return cfa
    edges: list[Edge[Operation]] = []
    for edge in cfa.edges:
        after = [o for loop in loops for o in _behind(edge, loop, cfa)]
        here = edge.source
        for operation in (edge.label, *after)[: len(after)]:
            there = f"{edge.source}{_MARK}{len(edges)}"
            edges.append(Edge(here, operation, there))
            here = there
        edges.append(Edge(here, after[-1] if after else edge.label, edge.target))
    return Cfa(cfa.entry, tuple(edges))


def _behind(edge: Edge[Operation], loop: _Loop, cfa: Cfa[Operation]) -> Iterator[Operation]:
    """What is added behind an operation."""
    label, place, number = edge.label, edge.label.place, loop.number
    steps = loop.steps[number]
    if edge.source not in loop.body:
        if edge.target == loop.head:
            yield Assign(place, loop.start, _minus(number, loop.last))
            yield Assign(place, steps, Constant(0, number.type))
    elif edge.target in loop.body and isinstance(label, Assign) and label.target == number:
        yield Assign(place, steps, Binary("+", steps, Constant(1, number.type), number.type))
    elif edge.target in loop.body and isinstance(label, Assign) and label.target in loop.copies:
        yield Assign(place, loop.steps[label.target], steps)
    elif (test := _test(label)) is not None and test[1] == loop.last and test[2] is not None:
        is_copy = test[0] in loop.copies and _is_set_before(edge, test[0], cfa)
        if test[0] == number or is_copy:
            yield Assume(place, Comparison("==", loop.steps[test[0]], loop.start), truth=test[2])


def _is_set_before(edge: Edge[Operation], copy: Variable, cfa: Cfa[Operation]) -> bool:
    """Whether all ways to an edge set a copy a few operations before: in a round before it may be another number."""
    for _ in range(MOST_STEPS_BETWEEN):
        entering = cfa.entering(edge.source)
        if len(entering) != 1:
            return False
        edge = entering[0]
        if isinstance(edge.label, Assign) and edge.label.target == copy:
            return True
    return False


def _minus(number: Variable, last: int) -> Expression:
    return Binary("-", number, Constant(last, number.type), number.type) if last else number


def _loops(memory: Memory) -> Iterator[_Loop]:
    """The loops that follow pointers and count a number down: of loops in each other, the outer one."""
    cfa = memory.cfa
    if len(starts(cfa)) > 1:
        return  # functions that are analysed apart have variables of their own for each call
    taken = address_taken(e.label for e in cfa.edges)
    chosen: dict[Variable, set[str]] = {}
    for head, body in sorted(cfa.loops.items(), key=lambda item: -len(item[1])):
        inner = [e for e in cfa.edges if e.source in body and e.target in body]
        others = [e for e in cfa.edges if e.source not in body and e.target in body - {head}]
        if others or cfa.entry in body or not any(_follows(e.label) for e in inner):
            continue
        written: dict[Variable, list[Edge[Operation]]] = {}
        for edge in inner:
            for variable in defined_variables(edge.label):
                written.setdefault(variable, []).append(edge)
        for number in sorted(written.keys() - taken, key=str):
            is_apart = not chosen.get(number, set()) & body
            if is_apart and _is_counter(number) and all(_steps_down(e, number, cfa) for e in written[number]):
                copies = frozenset(v for v in written if v not in taken and _are_copies(written[v], number))
                last = _compared(cfa, body, {number, *copies})
                if last is not None:
                    chosen.setdefault(number, set()).update(body)
                    yield _Loop(head, body, number, copies, last)


def _is_counter(number: Variable) -> bool:
    own = number.type
    return isinstance(own, IntegerType) and own.bits >= LEAST_COUNTER_BITS and not number.is_global


def _follows(label: Operation) -> bool:
    """Whether a pointer is read from memory."""
    return (
        isinstance(label, Assign)
        and isinstance(label.target, Variable)
        and isinstance(label.target.type, PointerType)
        and not isinstance(bare(label.value), Variable | Constant)
    )


def _steps_down(edge: Edge[Operation], number: Variable, cfa: Cfa[Operation]) -> bool:
    """Whether an operation makes a number less by one: ``n = n - 1``, or ``t = n; n = t - 1``."""
    label = edge.label
    known = linear(label.value) if isinstance(label, Assign) and label.target == number else None
    if known is None or known[1] != -1:
        return False
    entering = cfa.entering(edge.source)
    before = entering[0].label if len(entering) == 1 else None
    is_copied = isinstance(before, Assign) and before.target == known[0] and before.value == number
    return known[0] == number or is_copied


def _are_copies(edges: list[Edge[Operation]], number: Variable) -> bool:
    """Whether all that a variable gets is the number itself."""
    labels = [edge.label for edge in edges if not isinstance(edge.label, EndScope)]
    return all(isinstance(o, Assign) and o.value == number and o.target.type == number.type for o in labels)


def _compared(cfa: Cfa[Operation], body: Set[str], numbers: Set[Variable]) -> int | None:
    """The constant with which numbers are compared in a loop: where they come to it, the loop ends."""
    tests = [test for e in cfa.edges if e.source in body and (test := _test(e.label)) is not None]
    return next((last for number, last, _ in tests if number in numbers), None)


def _test(label: Operation) -> tuple[Variable, int, bool | None] | None:
    """The variable and the constant of a condition that tells it apart from greater numbers, and whether it is equal.

    None if the condition does not say whether it is equal: ``!(n > 0)``.
    """
    if not isinstance(label, Assume):
        return None
    condition, truth = label.condition, label.truth
    while isinstance(condition, Unary) and condition.operator == "!":
        condition, truth = condition.operand, not truth
    if isinstance(condition, Variable) and isinstance(condition.type, IntegerType):
        return condition, 0, not truth
    if not isinstance(condition, Comparison):
        return None
    number, constant = bare(condition.left), constant_of(condition.right)
    if not isinstance(number, Variable) or constant is None or condition.left.type != number.type:
        return None
    if not isinstance(number.type, IntegerType):
        return None
    match condition.operator:
        case "==" | "!=":
            return number, constant, truth == (condition.operator == "==")
        case ">":
            return number, constant, False if truth else None
        case ">=" if constant > number.type.minimum:
            return number, constant - 1, False if truth else None
    return None
