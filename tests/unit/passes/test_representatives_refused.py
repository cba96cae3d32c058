"""Representatives of unknown numbers: operations that the reader of C writes otherwise, and numbers that overlap."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.semantics.translated import inlined

from kleene.cfa.expressions import Binary, Cast, Comparison, Constant, Deref, Expression, Field, Unary, Variable, walk
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, Assume, Havoc, MemCopy, Operation, Place, Realloc, expressions
from kleene.cfa.types import INT, UNSIGNED, IntegerType
from kleene.passes.facts.memory import Memory
from kleene.passes.representatives import MAX_REPRESENTATIVES, same, uses_of, with_representatives

UNKNOWN = "__VERIFIER_nondet_int()"
START = f"int x = {UNKNOWN}; if (x < 5) return 1; "
NODES = "struct node *p = malloc(sizeof *p), *q = malloc(sizeof *q); "
EIGHT = Constant(8, IntegerType(64, signed=False))
PLACE = Place("f.c", 1, 1, "main")
KNOWN = [4, 5]
"""What stands for a number that is compared with 5 only."""


def numbers(folder: Path, body: str, *labels: Callable[[dict[str, Variable]], Operation]) -> list[int]:
    """What is followed instead of the first unknown number, of a program with further operations at its end."""
    program, cfa = inlined(folder, body)
    variables = {v.name: v for v in program.main.locals}
    (havoc, *_) = (edge for edge in cfa.edges if isinstance(edge.label, Havoc))
    more = [Edge(havoc.target, label(variables), havoc.target) for label in labels]
    edges = with_representatives(Memory(program, Cfa(cfa.entry, (*cfa.edges, *more)), typed=True)).edges
    labels_now = [e.label for e in edges if (e.source, e.target) == (havoc.source, havoc.target)]
    return sorted(a.value.value for a in labels_now if isinstance(a, Assign) and isinstance(a.value, Constant))


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        ("struct node a = {0, 1}, b = a; if (b.data > 7) return 1;", KNOWN),
        (f"{NODES} p->data = x; q->next = p; if (q->data == 3) return 2;", [2, 3, 4, 5]),
        (f"{NODES} p->data = x; if (*(unsigned *)&p->data > 7u) return 2;", []),
        (f"{NODES} p->data = x; *p = *q;", []),
        ("union { int i; unsigned u; } *w = malloc(4); w->i = x; if (w->u > 7u) return 2;", []),
        (f"{NODES} memset(p, x, sizeof *p);", []),
        ("struct { int a, b; } *s = malloc(8); s->a = x; s->b = 3; if (s->b > 9) return 2;", KNOWN),
        ("char *r = malloc(8); int *a = (int *)r, *b = (int *)(r + 2); *a = x; if (*b == 7) return 2;", []),
        ("char *r = malloc(8); int *a = (int *)r, *b = (int *)(r + 4); *a = x; if (*b == 7) return 2;", KNOWN),
        ("char *r = malloc(8); short *a = (short *)(r + 4); int *b = (int *)r; *b = x; if (*a == 7) return 2;", KNOWN),
        ("int y = x < 7; if (y) return 2;", [4, 5, 7]),
        ("return x;", KNOWN),
        ('printf("%d", x);', KNOWN),
        ("int t[9] = {0}; if (x < 9) return t[x];", []),
        (f"{NODES} int *r = {UNKNOWN} ? &p->data : &q->data; *r = x; if (*r == 9) return 2;", []),
    ],
)
def test_what_follows_from_uses(tmp_path: Path, use: str, expected: list[int]) -> None:
    assert numbers(tmp_path, START + use) == expected


def test_as_many_ranges_as_are_followed(tmp_path: Path) -> None:
    for count in (MAX_REPRESENTATIVES, MAX_REPRESENTATIVES + 1):
        tests = " ".join(f"if (x < {10 * n}) y = {n};" for n in range(count))
        expected = [-1, *(10 * n for n in range(count))] if count == MAX_REPRESENTATIVES else []
        assert numbers(tmp_path, f"int x = {UNKNOWN}, y = 0; {tests} return y;") == expected


def copy(*names: str) -> Callable[[dict[str, Variable]], Operation]:
    return lambda v: MemCopy(PLACE, v[names[0]], v[names[1]], EIGHT)


def test_copies_of_bytes_and_moved_blocks(tmp_path: Path) -> None:
    """The numbers in them get to other offsets; a number that decides how much is copied is asked for more."""
    stored, apart = START + NODES + "p->data = x;", START + NODES + "p->data = 3;"
    moved = [
        copy("p", "q"),
        lambda v: Realloc(PLACE, v["p"], v["q"], EIGHT),
    ]
    for label in moved:
        assert numbers(tmp_path, stored) == KNOWN
        assert numbers(tmp_path, stored, label) == []
        assert numbers(tmp_path, apart, label) == KNOWN
    sized = [
        lambda v: MemCopy(PLACE, v["p"], v["q"], v["x"]),
        lambda v: Realloc(PLACE, v["p"], v["q"], v["x"]),
    ]
    for label in sized:
        assert numbers(tmp_path, apart, label) == []


def assumed(condition: Callable[[Variable], Expression]) -> Callable[[dict[str, Variable]], Operation]:
    return lambda v: Assume(PLACE, condition(v["x"]))


def test_conditions_by_hand(tmp_path: Path) -> None:
    def of(*conditions: Callable[[Variable], Expression]) -> list[int]:
        return numbers(tmp_path, START, *(assumed(condition) for condition in conditions))

    seven = Constant(7, INT)
    assert of(lambda x: Comparison("<", Cast(x, INT), seven)) == [4, 5, 7]
    assert of(lambda x: Comparison("<", seven, x)) == [4, 5, 8]
    assert of(lambda x: Unary("!", Comparison("==", x, seven), INT)) == [4, 5, 7, 8]
    assert of(lambda x: Unary("!", Unary("-", x, INT), INT)) == []
    assert of(lambda x: Comparison("<", Cast(x, UNSIGNED), Constant(7, UNSIGNED))) == []
    assert of(lambda x: Comparison("==", Comparison("<", x, seven), Comparison("<", x, Constant(9, INT)))) == [
        4,
        5,
        7,
        9,
    ]


def test_copies_by_hand(tmp_path: Path) -> None:
    """A conversion to the type that a number has is a copy; one to another type is not."""

    def of(value: Callable[[Variable], Expression]) -> list[int]:
        return numbers(
            tmp_path, START + "int y = 3; if (y == 8) return 2;", lambda v: Assign(PLACE, v["y"], value(v["x"]))
        )

    assert of(lambda x: Cast(Cast(x, INT), INT)) == [4, 5, 8, 9]
    assert of(lambda x: Comparison(">", x, Constant(11, INT))) == [4, 5, 12]
    assert of(lambda x: Cast(Cast(x, UNSIGNED), INT)) == []
    assert of(lambda x: Unary("-", x, INT)) == []
    x = Variable("x", INT)
    assert same(Cast(Cast(x, INT), INT)) == x
    assert same(Cast(x, UNSIGNED)) == Cast(x, UNSIGNED)


def test_one_unknown_number_for_cells_that_are_used_apart(tmp_path: Path) -> None:
    """A pointer to one of two members: what is asked of either is asked of the number."""
    body = (
        f"struct two {{ struct node a, b; }} *w = malloc(sizeof *w); struct node *m = {UNKNOWN} ? &w->a : &w->b;"
        " m->data = 77; if (w->a.data < 3) return 1; if (w->b.data < 100) return 2;"
    )
    program, cfa = inlined(tmp_path, body)
    (written,) = (
        e
        for e in cfa.edges
        if isinstance(e.label, Assign) and isinstance(e.label.value, Constant) and e.label.value.value == 77
    )
    target = written.label.target
    edges = tuple(replace(e, label=Havoc(e.label.place, target)) if e is written else e for e in cfa.edges)
    uses = uses_of(Memory(program, Cfa(cfa.entry, edges), typed=True))
    assert uses.representatives(target) == []
    members = {
        n for e in cfa.edges for x in expressions(e.label) for n in walk(x) if str(n) in ("w->a.data", "w->b.data")
    }
    known = {str(n): [c.value for c in uses.representatives(n)] for n in members}
    assert known == {"w->a.data": [2, 3], "w->b.data": [99, 100]}


def test_an_unknown_number_at_an_index(tmp_path: Path) -> None:
    """The index is asked for more than how it compares."""
    body = START + "int *r = malloc(36); r[0] = 1;"

    def at(name: str) -> Callable[[dict[str, Variable]], Operation]:
        return lambda v: Havoc(PLACE, Deref(Binary("+", v["r"], v[name], v["r"].type), INT))

    assert numbers(tmp_path, body) == KNOWN
    assert numbers(tmp_path, body, at("x")) == []


def test_what_has_no_keys_stays(tmp_path: Path) -> None:
    """A bit-field, and a pointer, are no numbers of which the uses are known."""
    program, cfa = inlined(tmp_path, START + NODES + "struct bits { int a : 4; } b; b.a = 3; if (b.a < 2) return 3;")
    uses = uses_of(Memory(program, cfa, typed=True))
    variables = {v.name: v for v in program.main.locals}
    assert uses.representatives(variables["p"]) == []
    assert uses.representatives(Field(variables["b"], "a", INT, 0, 0, 4)) == []
    assert [c.value for c in uses.representatives(variables["x"])] == KNOWN
