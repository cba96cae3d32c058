"""What a program does with its numbers, by hand-made operations: which uses leave room for representatives and images.

Each row is an assumption of the rewritings: without it a number would be replaced of which more is asked.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import pytest

from kleene.c.reader import read_program
from kleene.cfa.expressions import (
    NEGATED,
    AddressOf,
    Binary,
    Cast,
    Comparison,
    Constant,
    Deref,
    Expression,
    Field,
    Index,
    PointerOffset,
    Unary,
    Variable,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    Allocate,
    Assign,
    Assume,
    DeclareLocal,
    EndScope,
    Error,
    Exit,
    Havoc,
    Invoke,
    MemCopy,
    MemSet,
    Operation,
    Place,
    Print,
    Return,
    Skip,
)
from kleene.cfa.program import CProgram
from kleene.cfa.types import BOOL, CHAR, INT, UNSIGNED, ArrayType, IntegerType, PointerType, RecordType
from kleene.passes.facts.integers import COMPARE
from kleene.passes.facts.memory import Memory
from kleene.passes.representatives import MAX_REPRESENTATIVES, uses_of
from kleene.passes.zero_one_images import _MOST_STEPS, _Images, _may, _order_of, mapped_by_images, with_images

PLACE = Place("f.c", 1, 1, "main")
X, Y, Z, U = Variable("x", INT), Variable("y", INT), Variable("z", INT), Variable("u", UNSIGNED)
FLAG = Variable("flag", INT)
NODE = RecordType("struct node", 16)
POINTER = PointerType(NODE, 8)
P, Q = Variable("p", POINTER), Variable("q", POINTER)
LONG = IntegerType(64, signed=True, name="long")
TABLE = Variable("table", ArrayType(INT, 8))


def data(pointer: Variable, offset: int = 8, type_: IntegerType = INT) -> Expression:
    return Field(Deref(pointer, NODE), "data", type_, offset)


def number(value: int, type_: IntegerType = INT) -> Constant:
    return Constant(value, type_)


def assumed(operator: str, left: Expression, right: Expression | int) -> Assume:
    other = right if not isinstance(right, int) else number(right)
    return Assume(PLACE, Comparison(operator, left, other), True)


MADE = (Allocate(PLACE, P, number(16, UNSIGNED), NODE), Allocate(PLACE, Q, number(16, UNSIGNED), NODE))


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> CProgram:
    path = tmp_path_factory.mktemp("uses") / "empty.c"
    path.write_text("struct node { struct node *next; int data; int more; } *n; int main(void) { return 0; }\n")
    return read_program([str(path)])


def straight(operations: Sequence[Operation]) -> Cfa[Operation]:
    return Cfa("0", tuple(Edge(str(k), operation, str(k + 1)) for k, operation in enumerate(operations)))


def representatives(empty: CProgram, *operations: Operation) -> list[int]:
    """What stands for x in a program that reads it, compares it with 5, and does something else."""
    whole = (*MADE, Havoc(PLACE, X), assumed("<", X, 5), *operations)
    return [c.value for c in uses_of(Memory(empty, straight(whole), typed=True)).representatives(X)]


PLAIN: dict[str, tuple[Operation, ...]] = {
    "nothing": (),
    "a copy": (Assign(PLACE, Y, X),),
    "a copy to the heap and back": (Assign(PLACE, data(P), X), Assign(PLACE, Y, data(P))),
    "two cells side by side": (Assign(PLACE, data(P), X), Assign(PLACE, data(P, 12), number(3))),
    "what is returned": (Return(PLACE, X),),
    "what is printed": (Print(PLACE, "%d", (X,)),),
    "a status": (Exit(PLACE, X),),
    "a conversion to its own type": (Assign(PLACE, Y, Cast(X, INT)),),
    "bytes that are copied elsewhere": (MemCopy(PLACE, P, Q, number(16, UNSIGNED)),),
    "a sum of others": (Assign(PLACE, Z, Binary("+", Z, number(1), INT)),),
    "a test of its negation": (Assume(PLACE, Unary("!", Comparison("<", X, number(5)), INT), True),),
    "the result of a comparison": (Assign(PLACE, Z, Comparison("<", X, number(5))),),
    "an argument": (Invoke(PLACE, "f", (X,), (Y,)),),
}
MORE: dict[str, tuple[Operation, ...]] = {
    "a sum": (Assign(PLACE, Z, Binary("+", X, number(1), INT)),),
    "a sum that is compared": (assumed("<", Binary("+", X, number(1), INT), 7),),
    "a comparison with another number": (assumed("<", X, Y),),
    "a conversion": (Assign(PLACE, Z, Cast(Cast(X, CHAR), INT)),),
    "a sum of a copy": (Assign(PLACE, Y, X), Assign(PLACE, Z, Binary("*", Y, number(2), INT))),
    "a sum of a parameter": (Invoke(PLACE, "f", (X,), (Y,)), Assign(PLACE, Z, Binary("*", Y, number(2), INT))),
    "a number of bytes": (MemCopy(PLACE, P, Q, Cast(X, UNSIGNED)),),
    "an index": (Assign(PLACE, Z, Index(TABLE, X, INT)),),
    "an index that is compared": (assumed("<", Index(TABLE, X, INT), 3),),
    "an index that is written to": (Assign(PLACE, Index(TABLE, X, INT), number(1)),),
    "an offset": (Assign(PLACE, P, PointerOffset(P, X, 16, POINTER)),),
    "an offset that is compared": (assumed("<", Deref(PointerOffset(P, X, 4, POINTER), INT), 1),),
    "a test of a sum": (Assume(PLACE, Binary("&", X, number(1), INT), True),),
    "a test of a conversion": (Assume(PLACE, Cast(X, INT), True),),
    "a test of the negation of a sum": (Assume(PLACE, Unary("!", Binary("&", X, number(1), INT), INT), True),),
    "a cell of another type": (Assign(PLACE, data(P), X), assumed("<", data(P, type_=UNSIGNED), number(3, UNSIGNED))),
    "a cell that another overlaps": (Assign(PLACE, data(P), X), Assign(PLACE, data(P, 10, CHAR), number(3, CHAR))),
    "bytes that are copied": (Assign(PLACE, data(P), X), MemCopy(PLACE, P, Q, number(16, UNSIGNED))),
    "a whole struct": (Assign(PLACE, data(P), X), Assign(PLACE, Deref(P, NODE), Deref(Q, NODE))),
}  # fmt: skip


@pytest.mark.parametrize("name", PLAIN)
def test_copies_and_comparisons_with_constants_leave_a_number_alone(empty: CProgram, name: str) -> None:
    assert representatives(empty, *PLAIN[name]) == [4, 5]


@pytest.mark.parametrize("name", MORE)
def test_a_number_of_which_more_is_asked_has_no_representatives(empty: CProgram, name: str) -> None:
    assert representatives(empty, *MORE[name]) == []


def test_tests_for_zero_distinguish_three_ranges(empty: CProgram) -> None:
    for condition in (X, Unary("!", X, INT), Comparison("!=", X, number(0)), Comparison("==", number(0), X)):
        assert representatives(empty, Assume(PLACE, condition, True)) == [-1, 0, 1, 5]


def test_so_many_representatives_and_no_more(empty: CProgram) -> None:
    tests = [assumed("<", X, 5 + k) for k in range(MAX_REPRESENTATIVES)]
    assert len(representatives(empty, *tests)) == MAX_REPRESENTATIVES + 1
    assert representatives(empty, *tests, assumed("<", X, 99)) == []


def test_numbers_of_the_type_alone(empty: CProgram) -> None:
    flag = Variable("b", BOOL)
    uses = uses_of(Memory(empty, straight([Havoc(PLACE, flag), assumed("<", flag, 1), Havoc(PLACE, P)]), typed=True))
    assert uses.representatives(flag) == []
    assert uses.representatives(P) == []
    assert uses.representatives(Field(Deref(P, NODE), "bits", INT, 8, 0, 3)) == []
    tiny = Variable("c", CHAR)
    limits = [assumed("<", tiny, number(n, CHAR)) for n in (-128, 127)] + [assumed(">", tiny, number(127, CHAR))]
    uses = uses_of(Memory(empty, straight([Havoc(PLACE, tiny), *limits]), typed=True))
    assert [c.value for c in uses.representatives(tiny)] == [-128, 127]


# Images ---------------------------------------------------------------------------------------------------------------


def order_memory(empty: CProgram, *operations: Operation) -> Memory:
    whole = (*MADE, Havoc(PLACE, X), Havoc(PLACE, Y), assumed("<", X, Y), *operations)
    return Memory(empty, straight(whole), typed=True)


COMPARED: dict[str, tuple[Operation, ...]] = {
    "nothing": (),
    "copies": (Assign(PLACE, Z, X), Assign(PLACE, data(P), Y), Assign(PLACE, Y, data(P))),
    "a constant": (Assign(PLACE, X, number(7)),),
    "a comparison that is kept": (Assign(PLACE, FLAG, Comparison("<=", X, Y)),),
    "a comparison that is returned": (Return(PLACE, Comparison("<=", X, Y)),),
    "a test of its negation": (Assume(PLACE, Unary("!", Comparison("<", X, Y), INT), True),),
    "a conversion to its own type": (assumed("<", Cast(X, INT), Y), Assign(PLACE, Z, Cast(X, INT))),
    "pointers that are copied": (Assign(PLACE, data(P), Y), Assign(PLACE, P, Q), Assign(PLACE, Y, data(P))),
    "zeroed memory where no number is": (MemSet(PLACE, P, number(0), number(16, UNSIGNED)),),
}
SPOILED: dict[str, tuple[Operation, ...]] = {
    "a sum": (Assign(PLACE, X, Binary("+", Y, number(1), INT)),),
    "a sum that is read": (Assign(PLACE, FLAG, Binary("+", Y, number(1), INT)),),
    "another type": (Assign(PLACE, X, Cast(Variable("c", CHAR), INT)),),
    "a flag": (Assign(PLACE, X, Comparison("<", Y, Z)),),
    "a comparison inside another": (assumed("<", Comparison("<", X, Y), 1),),
    "a comparison inside a sum": (Assign(PLACE, FLAG, Binary("+", Comparison("<", X, Y), number(1), INT)),),
    "a comparison with another type": (assumed("<", X, Cast(Variable("c", CHAR), INT)),),
    "a cell of zeroed structs": (
        Allocate(PLACE, Q, number(32, UNSIGNED), NODE, zeroed=True), Assign(PLACE, X, data(P)),
    ),
    "a cell that bytes are written to": (MemSet(PLACE, P, number(0), number(16, UNSIGNED)), Assign(PLACE, X, data(P))),
    "a cell that another overlaps": (Assign(PLACE, data(P), X), Assign(PLACE, data(P, 10, CHAR), number(3, CHAR))),
    "a global variable": (Assign(PLACE, X, Variable("limit", INT, is_global=True)),),
    "a parameter that is computed with": (
        Invoke(PLACE, "f", (X,), (Z,)), Assign(PLACE, FLAG, Binary("+", Z, number(1), INT)),
    ),
    "a conversion of it": (Assign(PLACE, U, Cast(X, UNSIGNED)),),
    "a sum that is compared": (assumed("<", Binary("+", X, number(1), INT), Y),),
    "an index that is compared": (assumed("<", Index(TABLE, X, INT), Y),),
    "a comparison that is negated as a number": (Assume(PLACE, Unary("~", Comparison("<", X, Y), INT), True),),
    "a cell of another type": (Assign(PLACE, data(P), X), Assign(PLACE, U, data(P, type_=UNSIGNED))),
    "a cell of a global object": (
        Assign(PLACE, data(P), X),
        Assign(PLACE, P, AddressOf(Variable("g", NODE, is_global=True), POINTER)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", COMPARED)
def test_numbers_that_are_compared_with_each_other_have_images(empty: CProgram, name: str) -> None:
    maps = mapped_by_images(order_memory(empty, *COMPARED[name]))
    assert maps(X) and maps(Y)
    assert not maps(FLAG) and not maps(U) and not maps(P)


@pytest.mark.parametrize("name", SPOILED)
def test_numbers_of_which_more_is_asked_have_no_images(empty: CProgram, name: str) -> None:
    assert not mapped_by_images(order_memory(empty, *SPOILED[name]))(X)


def test_equality_alone_gives_no_images(empty: CProgram) -> None:
    memory = Memory(empty, straight([Havoc(PLACE, X), Havoc(PLACE, Y), assumed("==", X, Y)]), typed=True)
    assert not mapped_by_images(memory)(X)


def test_flags_have_no_images(empty: CProgram) -> None:
    flags = [Variable(name, BOOL) for name in "ab"]
    memory = Memory(empty, straight([*(Havoc(PLACE, f) for f in flags), assumed("<", *flags)]), typed=True)
    assert not mapped_by_images(memory)(flags[0])


RANGE = range(5)


@pytest.mark.parametrize("operator", COMPARE)
@pytest.mark.parametrize("truth", [True, False])
def test_the_images_of_a_comparison(operator: str, truth: bool) -> None:
    """A result is possible iff numbers with these images have it; with `exact` iff the images themselves have it."""
    test = Comparison(operator, X, Y)
    for bits in itertools.product((0, 1), repeat=2):
        possible = any(
            COMPARE[operator](a, b) == truth
            for a, b, bound in itertools.product(RANGE, repeat=3)
            if (a >= bound, b >= bound) == bits
        )
        assert _may(test, truth, bits) == possible
        name = operator if truth else NEGATED[operator]
        assert _may(test, truth, bits, exact=True) == COMPARE[name](*bits)
    assert _may(test, truth, ()) and _may(test, truth, (), exact=True) and _may(X, truth, (0, 1))
    for a, b in itertools.product(RANGE, repeat=2):  # a bound shows every failure
        name = operator if truth else NEGATED[operator]
        if COMPARE[name](a, b) and a != b:
            assert any(_may(test, truth, (a >= n, b >= n), exact=True) for n in range(6))


def images_of(empty: CProgram, cfa: Cfa[Operation]) -> _Images:
    memory = Memory(empty, cfa, typed=True)
    return _Images(memory, _order_of(memory))


FAILS = Error(PLACE, "assertion")
LOST: dict[str, tuple[Operation, ...]] = {
    "at once": (FAILS,),
    "after steps": (Skip(PLACE), DeclareLocal(PLACE, Z), EndScope(PLACE, (Z,)), FAILS),
    "after a test of a known flag": (Assume(PLACE, FLAG, False), FAILS),
    "after a comparison of a known flag": (assumed("==", FLAG, 0), FAILS),
    "after the negation of one": (Assume(PLACE, Unary("!", FLAG, INT), True), FAILS),
    "after a comparison that is not": (Assume(PLACE, Comparison("!=", FLAG, number(0)), False), FAILS),
    "after a copy of a known flag": (Assign(PLACE, Z, FLAG), Assume(PLACE, Z, False), FAILS),
    "after a conversion of a known flag": (Assign(PLACE, Z, Cast(FLAG, INT)), Assume(PLACE, Z, False), FAILS),
    "after other assignments": (Assign(PLACE, Z, number(1)), Assume(PLACE, FLAG, False), FAILS),
}
NOT_LOST: dict[str, tuple[Operation, ...]] = {
    "no failure": (Skip(PLACE),),
    "nothing": (),
    "a failure that returns": (FAILS, Skip(PLACE)),
    "a test of another variable": (Assume(PLACE, Z, False), FAILS),
    "a test that does not hold": (Assume(PLACE, FLAG, True), FAILS),
    "a comparison that does not hold": (assumed("!=", FLAG, 0), FAILS),
    "a comparison with another number": (assumed("==", FLAG, 1), FAILS),
    "another comparison": (assumed("<=", FLAG, 0), FAILS),
    "a comparison of two variables": (assumed("==", FLAG, Z), FAILS),
    "a flag that changed": (Assign(PLACE, FLAG, number(1)), Assume(PLACE, FLAG, False), FAILS),
    "a flag that begins anew": (DeclareLocal(PLACE, FLAG), Assume(PLACE, FLAG, False), FAILS),
    "a flag that ended": (EndScope(PLACE, (FLAG,)), Assume(PLACE, FLAG, False), FAILS),
    "a copy of another variable": (Assign(PLACE, Z, Y), Assume(PLACE, Z, False), FAILS),
    "a copy to the heap": (Assign(PLACE, data(P), FLAG), Assume(PLACE, FLAG, False), FAILS),
    "another operation": (Havoc(PLACE, Y), FAILS),
    "an exit": (Exit(PLACE, number(0)), FAILS),
    "far away": (*(Skip(PLACE) for _ in range(_MOST_STEPS)), FAILS),
}


@pytest.mark.parametrize("name", [*LOST, *NOT_LOST])
def test_whether_only_a_failure_follows(empty: CProgram, name: str) -> None:
    """Known: the flag is zero. A result is restricted to what a bound shows only where nothing else can follow."""
    cfa = straight((LOST | NOT_LOST)[name])
    assert images_of(empty, cfa)._is_lost("0", {FLAG: False}) == (name in LOST)


def test_two_ways_are_not_lost(empty: CProgram) -> None:
    ways: tuple[Edge[Operation], ...] = (
        Edge("0", Assume(PLACE, FLAG, False), "1"),
        Edge("0", Assume(PLACE, FLAG, True), "2"),
        Edge("1", FAILS, "3"),
    )
    assert images_of(empty, Cfa("0", ways))._is_lost("0", {FLAG: False})
    assert not images_of(empty, Cfa("0", ways))._is_lost("0", {FLAG: True})
    assert not images_of(empty, Cfa("0", ways))._is_lost("0", {})
    both: tuple[Edge[Operation], ...] = (*ways, Edge("0", Assume(PLACE, FLAG, False), "4"), Edge("4", FAILS, "5"))
    assert not images_of(empty, Cfa("0", both))._is_lost("0", {FLAG: False})
    just: tuple[Edge[Operation], ...] = (*(Edge(str(k), Skip(PLACE), str(k + 1)) for k in range(_MOST_STEPS - 1)),)
    assert images_of(empty, Cfa("0", (*just, Edge(str(_MOST_STEPS - 1), FAILS, "end"))))._is_lost("0", {})


def test_what_is_learnt_of_a_variable_that_a_pointer_may_change(empty: CProgram) -> None:
    images = images_of(empty, straight([Assign(PLACE, Z, FLAG), Assign(PLACE, Index(TABLE, Z, INT), Z)]))
    assert images._learnt(FLAG, True) == {FLAG: True}
    assert images._learnt(TABLE, True) == {}
    assert images._learnt(data(P), True) == {}


def test_unusual_branches_stay_as_they_are(empty: CProgram, tmp_path: Path) -> None:
    """A location with tests of images has one test with two ways, else the automaton is left alone."""
    start: tuple[Edge[Operation], ...] = (Edge("0", Havoc(PLACE, X), "1"), Edge("1", Havoc(PLACE, Y), "2"))
    less = Comparison("<", X, Y)
    yes, no = Edge("2", Assume(PLACE, less, True), "3"), Edge("2", Assume(PLACE, less, False), "4")
    fails: Edge[Operation] = Edge("4", FAILS, "5")
    usual: Cfa[Operation] = Cfa("0", (*start, yes, no, fails))
    assert with_images(Memory(empty, usual, typed=True)) != usual
    others: list[Edge[Operation]] = [
        Edge("2", Skip(PLACE), "6"),
        Edge("2", Assume(PLACE, less, True), "6"),
        Edge("2", Assume(PLACE, Comparison("<=", X, Y), True), "6"),
    ]
    for other in others:
        for edges in ((yes, no, other), (yes, other), (other, yes)):
            cfa: Cfa[Operation] = Cfa("0", (*start, *edges, fails))
            if len(edges) == 3 or other.label != yes.label:
                assert with_images(Memory(empty, cfa, typed=True)) == cfa
    harmless: Cfa[Operation] = Cfa("0", (*start, yes, no))
    assert with_images(Memory(empty, harmless, typed=True)) == harmless


def test_a_result_that_is_kept_and_leads_to_a_failure(empty: CProgram) -> None:
    """`flag = x < y; if (!flag) fail`: the images are looked at; without a failure behind it nothing is rewritten."""
    start = [Havoc(PLACE, X), Havoc(PLACE, Y), Assign(PLACE, FLAG, Comparison("<", X, Y))]
    edges = list(straight(start).edges)
    ways: list[Edge[Operation]] = [
        Edge("3", Assume(PLACE, FLAG, False), "4"),
        Edge("3", Assume(PLACE, FLAG, True), "5"),
    ]
    failing: Cfa[Operation] = Cfa("0", (*edges, *ways, Edge("4", FAILS, "6")))
    assert with_images(Memory(empty, failing, typed=True)) != failing
    harmless: Cfa[Operation] = Cfa("0", (*edges, *ways))
    assert with_images(Memory(empty, harmless, typed=True)) == harmless
