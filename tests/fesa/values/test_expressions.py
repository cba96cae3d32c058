"""Expressions of the automaton in FESA that the reader does not make today: `!` as an operator, pointers as conditions.

Each is evaluated on the states in which its variable has one value.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from tests.unit.semantics.contract_runs import program_of

from kleene.cfa.expressions import AddressOf, Cast, Comparison, Constant, Expression, Unary, Variable
from kleene.cfa.types import CHAR, INT, PointerType
from kleene.domains.fesa.evaluate import Integer
from kleene.domains.fesa.flags import rank
from kleene.domains.fesa.functions import Diagrams
from kleene.domains.fesa.heap import Heap, Options
from kleene.domains.fesa.transfer import Transfer
from kleene.domains.fesa.vectors import Vectors
from kleene.passes.facts.memory import Memory

TEXT = """
struct node table;
int main(void) {
    int i = __VERIFIER_nondet_int();
    struct node *p = __VERIFIER_nondet_int() ? &table : NULL;
    if (i == 3 || i == 0 || i == 1) return p == NULL;
    return 0;
}
"""


@dataclass(frozen=True)
class Evaluated:
    """The operations of FESA on a program, and its variables by name."""

    transfer: Transfer
    variables: dict[str, Variable]

    def heap(self, number: int | None = None, pointer: Expression | None = None) -> Heap:
        """The state in which i is a number (None: any), and p a pointer (None: NULL)."""
        heap = Heap(Vectors.everything(Diagrams(order=rank)), Options())
        for name in ("i", "p"):
            heap = self.transfer.declare(heap, self.variables[name])
        i, p = self.variables["i"], self.variables["p"]
        if number is not None:
            known = Integer({number: heap.space.true}, heap.space.false)
            self.transfer.store_number(
                heap, self.transfer.node(i), 0, self.transfer.numbers(self.transfer.node(i), 0, i), known
            )
        (heap,) = self.transfer._assign(heap, p, pointer or Constant(0, p.type))
        return heap

    def numbers(self, heap: Heap, expression: Expression) -> set[int | None]:
        """What an expression may be; None is another number than those of its table."""
        result: set[int | None] = set()
        for part, value in self.transfer.integer(heap, expression):
            result |= {n for n, where in value.table.items() if part.possible(where)}
            result |= {None} if part.possible(value.rest) else set()
        return result

    def truths(self, heap: Heap, expression: Expression) -> set[bool]:
        result: set[bool] = set()
        for part, holds, fails in self.transfer.condition(heap, expression):
            result |= {truth for truth, where in ((True, holds), (False, fails)) if part.possible(where)}
        return result


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Evaluated:
    program = program_of(tmp_path_factory.mktemp("expressions"), TEXT)
    memory = Memory(program, program.main.cfa)
    variables = {v.name: v for v in (*memory.integers, *memory.pointers, *memory.objects)}
    return Evaluated(Transfer(memory, malloc_may_fail=True), variables)


def test_truth_of_a_number(evaluated: Evaluated) -> None:
    i = evaluated.variables["i"]
    negated = Unary("!", i, INT)
    for number, truths in ((0, {False}), (1, {True}), (3, {True}), (None, {True, False})):
        heap = evaluated.heap(number)
        assert evaluated.truths(heap, i) == truths
        assert evaluated.truths(heap, negated) == {not truth for truth in truths}
        assert evaluated.numbers(heap, negated) == {int(not truth) for truth in truths}
        assert evaluated.numbers(heap, Unary("!", negated, INT)) == {int(truth) for truth in truths}
        same = Comparison("==", i, Constant(3, INT))
        assert evaluated.truths(heap, Cast(same, CHAR)) == evaluated.truths(heap, same) == {
            answer for answer in (True, False) if number is None or answer == (number == 3)
        }  # fmt: skip
        assert evaluated.numbers(heap, same) == {int(truth) for truth in evaluated.truths(heap, same)}


def test_truth_of_a_pointer(evaluated: Evaluated) -> None:
    p = evaluated.variables["p"]
    table = AddressOf(evaluated.variables["table"], p.type)
    for pointer, truth in ((None, False), (table, True)):
        heap = evaluated.heap(pointer=pointer)
        assert evaluated.truths(heap, p) == {truth}
        assert evaluated.truths(heap, Unary("!", p, INT)) == {not truth}
        assert evaluated.numbers(heap, Unary("!", p, INT)) == {int(not truth)}


def test_null_as_a_number(evaluated: Evaluated) -> None:
    """A pointer that is made of the number 0 is NULL; of another, it has no value."""
    p = evaluated.variables["p"]
    assert isinstance(p.type, PointerType)
    heap = evaluated.heap(pointer=Cast(Constant(0, INT), p.type))
    assert evaluated.truths(heap, p) == {False}
