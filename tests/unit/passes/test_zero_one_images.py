"""Numbers as 0 and 1: whatever fails with some numbers fails with their images, and sorted lists are proved sorted."""

from __future__ import annotations

import itertools
import operator
import random
from pathlib import Path

import pytest
from tests.unit.semantics.translated import HEADER, inlined, program_of

from kleene.analysis.c.shape.analyse import analyse
from kleene.cfa.operations import Havoc
from kleene.core.verdict import kinds_of
from kleene.passes.facts.memory import Memory
from kleene.passes.preparation import Prepared
from kleene.passes.zero_one_images import with_images
from kleene.results.shape import ShapeResult

OPERATORS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
ASSERT = (
    HEADER
    + """#include <assert.h>
extern void reach_error(void);
static void sure(int holds) { int copy = holds; if (!copy) reach_error(); }
"""
)
INPUTS = ("a", "b", "c")
PLACES = (*INPUTS, "p->data", "q->data")
Statement = tuple[str, ...]
KINDS = kinds_of(["assert", "unreach"])


def analysed(folder: Path, body: str, header: str) -> ShapeResult:
    """The shape analysis alone, for assertions."""
    return analyse(Prepared(program_of(folder, body, header)), malloc_may_fail=False, seconds=20, kinds=KINDS)


def alarms(folder: Path, body: str, header: str) -> set[str]:
    result = analysed(folder, body, header)
    assert result.complete, result.reason
    return {alarm.kind for alarm in result.alarms} & KINDS


def statements(rng: random.Random) -> list[Statement]:
    """Copies, under tests of how numbers compare, then an assertion."""
    found: list[Statement] = [("p->data", rng.choice(INPUTS)), ("q->data", rng.choice(INPUTS))]
    for _ in range(rng.randint(2, 5)):
        copy = (rng.choice(PLACES), rng.choice([*PLACES, *PLACES, "2"]))
        tests = [
            (rng.choice(PLACES), rng.choice(list(OPERATORS)), rng.choice(PLACES)) for _ in range(rng.randint(0, 3))
        ]
        found.append(tuple(itertools.chain(copy, *tests)))
    return [*found, (rng.choice(PLACES), rng.choice(["<=", "<=", ">=", *OPERATORS]), rng.choice(PLACES))]


def text_of(program: list[Statement], check: str = "assert") -> str:
    lines = [
        "struct node *p = malloc(sizeof *p), *q = malloc(sizeof *q); ",
        *(f"int {name} = __VERIFIER_nondet_int(); " for name in INPUTS),
    ]
    for one in program[:-1]:
        asked = [" ".join(one[i : i + 3]) for i in range(2, len(one), 3)]
        first = "if ({}) " if check == "assert" else "{{ int t = {}; if (t) "
        end = "" if check == "assert" else "}" * len(asked)
        lines.append("".join(map(first.format, asked)) + f"{one[0]} = {one[1]}; {end}")
    return "".join([*lines, f"{check}({' '.join(program[-1])}); free(p); free(q);"])


def can_fail(program: list[Statement]) -> bool:
    """The oracle: all orders that three numbers and the constant 2 can have."""

    def fails(inputs: tuple[int, ...]) -> bool:
        store = dict(zip(INPUTS, inputs, strict=True)) | {"2": 2}
        for one in program[:-1]:
            if all(OPERATORS[one[i + 1]](store[one[i]], store[one[i + 2]]) for i in range(2, len(one), 3)):
                store[one[0]] = store[one[1]]
        left, relation, right = program[-1]
        return not OPERATORS[relation](store[left], store[right])

    return any(fails(inputs) for inputs in itertools.product(range(-1, 6), repeat=3))


@pytest.mark.parametrize("seed", range(80))
def test_what_can_fail_is_never_proved(tmp_path: Path, seed: int) -> None:
    program = statements(random.Random(seed))
    found = alarms(tmp_path, text_of(program, ("assert", "sure")[seed % 2]), ASSERT)
    assert found <= {("assertion", "unreach_call")[seed % 2]}
    assert found or not can_fail(program), text_of(program)


@pytest.mark.parametrize("check", ["assert", "sure"])
def test_much_of_what_cannot_fail_is_proved(tmp_path: Path, check: str) -> None:
    safe = [p for seed in range(200, 260) if not can_fail(p := statements(random.Random(seed)))]
    proved = [not alarms(tmp_path, text_of(program, check), ASSERT) for program in safe]
    assert len(safe) > 10
    assert sum(proved) >= 0.8 * len(safe)


MAKE = """
static struct node *make(void) {
    struct node *l = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        n->data = __VERIFIER_nondet_int(); n->next = l; l = n;
    }
    return l;
}
static struct node *insert(struct node *s, struct node *n) {
    struct node **p = &s;
    while (*p && (*p)->data < n->data) p = &(*p)->next;
    n->next = *p; *p = n;
    return s;
}
static struct node *sorted(void) {
    struct node *l = make(), *s = NULL;
    while (l) { struct node *n = l; l = l->next; s = insert(s, n); }
    return s;
}
static void check(struct node *l) { for (; l && l->next; l = l->next) assert(l->data <= l->next->data); }
"""
SORTED = ASSERT + MAKE
BUBBLE = """
int main(void) {
    struct node *l = make(), *p;
    int again = 1;
    while (again) {
        again = 0;
        for (p = l; p && p->next; p = p->next)
            if (p->data > p->next->data) {
                int t = p->data; p->data = p->next->data; p->next->data = t;
                again = 1;
            }
    }
    check(l);
    return 0;
}
"""
GREATEST = """
int main(void) {
    struct node *l = make(), *p;
    if (!l) return 0;
    int most = l->data;
    for (p = l; p; p = p->next) if (p->data > most) most = p->data;
    for (p = l; p; p = p->next) assert(p->data <= most);
    return 0;
}
"""


@pytest.mark.parametrize("body", ["check(sorted());", BUBBLE, GREATEST])
def test_sorted_lists_are_sorted(tmp_path: Path, body: str) -> None:
    assert not alarms(tmp_path, body, SORTED)
    assert analysed(tmp_path, body, SORTED).shape_class.endswith("by order")


@pytest.mark.parametrize(
    "old,new",
    [
        ("(*p)->data < n->data", "(*p)->data > n->data"),
        ("assert(l->data <= l->next->data)", "assert(l->data < l->next->data)"),
        ("assert(l->data <= l->next->data)", "assert(l->data != l->next->data)"),
        ("check(sorted());", "check(make());"),
        (
            "check(sorted());",
            "struct node *s = sorted(), *t = sorted(), *u = sorted(); if (s && t && u)"
            " if (s->data < t->data) if (t->data < u->data) assert(s->data >= u->data);",
        ),
        ("check(sorted());", "struct node *s = sorted(); if (s) s->data = s->data + 1; check(s);"),
        ("check(sorted());", "struct node *s = sorted(); if (s) s->data = 7; check(s);"),
        ("check(sorted());", "struct node *s = sorted(); if (s) s->data = sizeof *s; check(s);"),
        ("check(sorted());", "struct node *n = calloc(1, sizeof *n), *s = sorted(); n->next = s; check(n);"),
        ("check(sorted());", "struct node n = {0}, *s = sorted(); n.next = s; check(&n);"),
        ("check(sorted());", "static struct node n; n.next = sorted(); check(&n);"),
        ("check(sorted());", "struct node *s = sorted(); if (s) memset(&s->data, 0, sizeof s->data); check(s);"),
        ("check(sorted());", "static int least; struct node *s = sorted(); if (s) assert(least <= s->data);"),
        ("check(sorted());", "int least = 0; struct node *s = sorted(); if (s) assert(least <= s->data);"),
        ("check(sorted());", "int i = 5; struct node *s = sorted(); if (s) { s->data = i + 2; check(s); }"),
        ("check(sorted());", "char c = 3; struct node *s = sorted(); if (s) { s->data = c; check(s); }"),
    ],
)
def test_what_is_not_sorted_is_not_proved(tmp_path: Path, old: str, new: str) -> None:
    header, body = SORTED, "check(sorted());"
    assert old in header + body
    assert "assertion" in alarms(tmp_path, body.replace(old, new), header.replace(old, new))


@pytest.mark.parametrize(
    "tests",
    [
        "if (a < b) if (b < c) assert(c <= a);",
        "if (a != b) if (b != c) if (a != c) assert(a <= b);",
        "if (a > b) { if (b > c) assert(c >= a); }",
        "int t = a < b; int u = b < c; if (t && u) assert(c <= a);",
        "int t = a < b; if (!t) assert(a < b);",
        "int t = a < b, u = b < c; if (t) if (u) assert(c <= a);",
        "int t = a != b; if (t) assert(b <= c);",
    ],
)
def test_three_numbers_that_differ_have_two_images(tmp_path: Path, tests: str) -> None:
    """Numbers with the same image may differ, whichever way."""
    numbers = "int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int(); "
    assert alarms(tmp_path, numbers + tests, ASSERT) == {"assertion"}


def test_numbers_that_are_computed_with_stay_as_they_are(tmp_path: Path) -> None:
    for body in (
        "int n = __VERIFIER_nondet_int(); for (int i = 0; i < n; i++) ;",
        "int x = 1, y = 2; return x + y < y;",
    ):
        program, cfa = inlined(tmp_path, body)
        assert with_images(Memory(program, cfa, typed=True)) == cfa
    body = "int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); assert(x < y);"
    program, cfa = inlined(tmp_path, body, ASSERT)
    images = with_images(Memory(program, cfa, typed=True))
    assert {str(e.label.target) for e in images.edges if isinstance(e.label, Havoc)} == {"$image"}
