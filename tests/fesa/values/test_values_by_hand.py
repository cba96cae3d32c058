"""Values in FESA that the reader does not make today, and pointers without the counter of their targets."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from tests.unit.semantics.contract_runs import program_of

from kleene.cfa.expressions import AddressOf, Cast, Comparison, Constant, Deref, Expression, Field, Variable
from kleene.cfa.types import INT, IntegerType, PointerType, RecordType
from kleene.domains.fesa.evaluate import Integer, equality
from kleene.domains.fesa.flags import rank
from kleene.domains.fesa.functions import Diagrams
from kleene.domains.fesa.heap import Heap, Options
from kleene.domains.fesa.transfer import Transfer
from kleene.domains.fesa.vectors import Vectors
from kleene.domains.fesa.writing import Pointer, null, to
from kleene.passes.facts.memory import Memory, Unmodelled

TEXT = """
struct node table, second;
int main(void) {
    int i = __VERIFIER_nondet_int();
    struct node *p = __VERIFIER_nondet_int() ? &table : &second;
    p->next = p;
    if (i == 3 || i == 0 || i == 1) return p == NULL;
    return p->next->data;
}
"""
FUNCTION = IntegerType(64, signed=False, name="function", function=True)
COUNTED, NOT_COUNTED = Options(), Options(out_counter=False)


@dataclass(frozen=True)
class Bench:
    """The operations of FESA on a program, and its variables by name."""

    transfer: Transfer
    variables: dict[str, Variable]

    def heap(self, *declared: str, options: Options = COUNTED) -> Heap:
        """The state in which variables have no value."""
        heap = Heap(Vectors.everything(Diagrams(order=rank)), options)
        for name in declared:
            heap = self.transfer.declare(heap, self.variables[name])
        return heap

    def assigned(self, heap: Heap, target: Expression, value: Expression) -> Heap:
        (heap,) = self.transfer._assign(heap, target, value)
        return heap

    def address(self, name: str) -> Expression:
        return AddressOf(self.variables[name], self.variables["p"].type)

    def truths(self, heap: Heap, expression: Expression) -> set[bool]:
        result: set[bool] = set()
        for part, holds, fails in self.transfer.condition(heap, expression):
            result |= {truth for truth, where in ((True, holds), (False, fails)) if part.possible(where)}
        return result


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    program = program_of(tmp_path_factory.mktemp("values"), TEXT)
    memory = Memory(program, program.main.cfa)
    variables = {v.name: v for v in (*memory.integers, *memory.pointers, *memory.objects)}
    return Bench(Transfer(memory, malloc_may_fail=True), variables)


def test_a_pointer_compared_with_itself(bench: Bench) -> None:
    """It is equal; one without a value may be two values."""
    p = bench.variables["p"]
    same, different = (Comparison(operator, p, p) for operator in ("==", "!="))
    given = bench.assigned(bench.heap("p"), p, bench.address("table"))
    assert (bench.truths(given, same), bench.truths(given, different)) == ({True}, {False})
    empty = bench.assigned(bench.heap("p"), p, Constant(0, p.type))
    assert (bench.truths(empty, same), bench.truths(empty, different)) == ({True}, {False})
    unset = bench.heap("p")
    assert bench.truths(unset, same) == bench.truths(unset, different) == {True, False}


@pytest.mark.parametrize(("number", "expected"), [(0, {0}), (3, {None}), (None, {0, None})])
def test_a_number_as_a_function(bench: Bench, number: int | None, expected: set[int | None]) -> None:
    """Only null is known."""
    i, heap = bench.variables["i"], bench.heap("i")
    if number is not None:
        known = Integer({number: heap.space.true}, heap.space.false)
        node = bench.transfer.node(i)
        bench.transfer.store_number(heap, node, 0, bench.transfer.numbers(node, 0, i), known)
    result: set[int | None] = set()
    for part, value in bench.transfer.integer(heap, Cast(i, FUNCTION)):
        result |= {n for n, where in value.table.items() if part.possible(where)}
        result |= {None} if part.possible(value.rest) else set()
    assert result == expected


def test_an_address_behind_a_pointer_is_evaluated(bench: Bench) -> None:
    p = bench.variables["p"]
    assert isinstance(p.type, PointerType) and isinstance(p.type.target, RecordType)
    first = Field(Deref(p, p.type.target), "next", p.type, 0)
    heap = bench.assigned(bench.heap("table", "p"), p, bench.address("table"))
    heap = bench.assigned(heap, first, bench.address("table"))
    behind = AddressOf(Field(Deref(first, p.type.target), "data", INT, 8), PointerType(INT, 8))
    assert len(list(bench.transfer.visit(heap, behind))) == 1


def test_a_pointer_of_any_value_is_not_followed(bench: Bench) -> None:
    with pytest.raises(Unmodelled, match="any value"):
        list(bench.transfer._havoc(bench.heap("p"), bench.variables["p"]))


@pytest.mark.parametrize("options", [COUNTED, NOT_COUNTED])
def test_null_equals_null(bench: Bench, options: Options) -> None:
    heap = bench.heap("p", options=options)
    same, different = equality(heap, null(heap), null(heap))
    assert heap.possible(same) and not heap.possible(different)
    table = to(heap, bench.transfer.node(bench.variables["table"]))
    for pair in ((null(heap), table), (table, null(heap))):
        same, different = equality(heap, *pair)
        assert heap.possible(different)
        assert not heap.possible(same) or options is NOT_COUNTED


def test_without_a_counter_a_pointer_may_be_null_and_not(bench: Bench) -> None:
    """Where both are said of one, it may be equal to NULL and different from it."""
    heap = bench.heap("p", options=NOT_COUNTED)
    vague = Pointer({}, heap.space.true, heap.space.true)
    for pair in ((null(heap), vague), (vague, null(heap)), (vague, vague)):
        same, different = equality(heap, *pair)
        assert heap.possible(same) and heap.possible(different)


def test_without_a_counter_a_pointer_may_have_two_targets(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(bench.transfer, "report", lambda kind, text: told.append(text))
    nodes = [bench.transfer.node(bench.variables[name]) for name in ("table", "second")]
    for options in (COUNTED, NOT_COUNTED):
        for count in (1, 2):
            heap = bench.heap("p", options=options)
            value = Pointer({(n, 0): heap.space.true for n in nodes[:count]}, heap.space.true, heap.space.false)
            told.clear()
            list(bench.transfer.resolve(heap, value, "p"))
            expected = ["p: the pointer may be ambiguous"] if options is NOT_COUNTED and count == 2 else []
            assert told == expected
