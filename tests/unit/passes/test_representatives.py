"""Representatives of unknown numbers: a program does on them all that it does on any numbers, and nothing else."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest
from tests.unit.semantics.translated import HEADER, alarms, inlined, program_of

from kleene.c.reader import read_program
from kleene.cfa.expressions import Cast, Constant, Unary
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, Assume, Havoc
from kleene.cfa.program import CProgram
from kleene.cfa.types import INT
from kleene.domains.explicit.interpreter import run
from kleene.passes.facts.memory import Memory
from kleene.passes.preparation import Prepared
from kleene.passes.representatives import with_representatives

OPERATORS = ("<", "<=", ">", ">=", "==", "!=")
CONSTANTS = range(-3, 4)
UNSIGNED = "extern unsigned __VERIFIER_nondet_uint(void);\n"


def chosen(folder: Path, body: str, header: str = HEADER) -> list[list[int]]:
    """For each unknown number in turn, what is followed instead of it; nothing where it stays."""
    program, cfa = inlined(folder, body, header)
    found = with_representatives(Memory(program, cfa, typed=True))
    result = []
    for edge in cfa.edges:
        if isinstance(edge.label, Havoc):
            labels = [e.label for e in found.edges if (e.source, e.target) == (edge.source, edge.target)]
            values = [a.value.value for a in labels if isinstance(a, Assign) and isinstance(a.value, Constant)]
            result.append(sorted(values))
    return result


def random_body(rng: random.Random) -> str:
    """Two numbers, copied through variables and the heap and compared with constants; the status is what came out."""
    places = ["a", "b", "c", "p->data", "q->data"]
    lines = [
        "struct node *p = malloc(sizeof *p), *q = malloc(sizeof *q);",
        "int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = 0; int out = 0;",
        "p->data = b; q->data = a;",
    ]
    for bit in range(4):
        lines.append(f"{rng.choice(places)} = {rng.choice([*places, str(rng.choice(CONSTANTS))])};")
        sides = [rng.choice(places), f"({rng.choice(CONSTANTS)})"]
        rng.shuffle(sides)
        lines.append(f"if ({sides[0]} {rng.choice(OPERATORS)} {sides[1]}) out |= {1 << bit};")
    return " ".join([*lines, "free(p); free(q); return out;"])


def statuses(program: CProgram, inputs: list[list[int]]) -> set[int | None]:
    found = set()
    for values in itertools.product(*inputs):
        trace = run(program, list(values), malloc_may_fail=False)
        assert trace.outcome == "exit"
        found.add(trace.status)
    return found


@pytest.mark.parametrize("seed", range(60))
def test_representatives_show_all_that_a_program_does(tmp_path: Path, seed: int) -> None:
    body = random_body(random.Random(seed))
    program = program_of(tmp_path, body)
    window = list(range(CONSTANTS[0] - 3, CONSTANTS[-1] + 4))
    few = [values or window for values in chosen(tmp_path, body)]
    assert statuses(program, few) == statuses(program, [window, window])


def test_ranges_begin_where_a_test_changes(tmp_path: Path) -> None:
    start = "int x = __VERIFIER_nondet_int(); "
    assert chosen(tmp_path, start + "if (x < 10) return 1; if (x > 20) return 2;") == [[9, 10, 21]]
    assert chosen(tmp_path, start + "if (5 >= x) return 1;") == [[5, 6]]
    assert chosen(tmp_path, start + "if (x > 3) return 1; if (x == 5) return 2;") == [[3, 4, 5, 6]]
    assert chosen(tmp_path, start + "if (x > 2147483646) return 1; if (x == 2147483647) return 2;") == [
        [2147483646, 2147483647]
    ]
    unsigned = "unsigned x = __VERIFIER_nondet_uint(); if (x > 0) { if (x < 500) return 1; }"
    assert chosen(tmp_path, unsigned, HEADER + UNSIGNED) == [[0, 1, 500]]


@pytest.mark.parametrize(
    "use",
    [
        "if (x + 1 < 7) return 1;",
        "if ((char)x == 3) return 1;",
        "if (x < y) return 1;",
        "y = x; if (y * 2 == 4) return 1;",
        "while (x-- > 0) y++;",
        "struct node *p = malloc(16); p->data = x; struct wide *w = malloc(24); w->inner = *p; y = w->inner.data == 2;",
        "int table[64] = {0}; if (x >= 0 && x < 64) table[x] = 1;",
        "struct node n; n.data = x; struct wide w; w.inner = n; if (w.inner.data + 1 == 3) return 1;",
        "int *p = &x; char *c = (char *)p; if (c[1] == 3) return 1;",
        "struct bits { int a : 4, b : 20; int c; } *p = malloc(8); p->c = x; y = p->b; y = p->c == 7; free(p);",
        "struct node *p = malloc(16); p->data = x; struct wide *w = malloc(24); memcpy(&w->inner, p, 16);"
        " if (w->inner.data == 7) return 1; free(p); free(w);",
        "char b[9], c[9]; if (x >= 0 && x < 9) memcpy(b, c, x);",
        "int z = x < y; if (z) return 1;",
        "int *p = &x; int *q = malloc(8); memcpy(q + 1, p, 4); if (q[1] == 7) return 1; free(q);",
    ],
)
def test_numbers_of_which_more_is_asked_stay_unknown(tmp_path: Path, use: str) -> None:
    header = HEADER + "struct wide { long other; struct node inner; };\n"
    body = f"int x = __VERIFIER_nondet_int(), y = 3; if (x < 5) y = 2; {use}"
    assert chosen(tmp_path, body, header)[0] == []


def test_numbers_that_are_only_compared_for_equality_stay_as_they_are(tmp_path: Path) -> None:
    assert chosen(tmp_path, "int x = __VERIFIER_nondet_int(); if (x == 3) return 1;") == [[]]


@pytest.mark.parametrize(("filter_", "proved"), [("x > 0 && x < 100", True), ("x >= 0 && x < 100", False)])
def test_data_in_a_range_along_a_list(tmp_path: Path, filter_: str, proved: bool) -> None:
    header = HEADER + "extern void reach_error(void);\n"
    body = f"""
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {{
        int x = __VERIFIER_nondet_int();
        if ({filter_}) {{
            struct node *p = malloc(sizeof *p);
            p->next = list; p->data = x; list = p;
        }}
    }}
    while (list) {{
        struct node *next = list->next;
        if (list->data <= 0 || list->data >= 100) reach_error();
        free(list);
        list = next;
    }}
    """
    assert ("unreach_call" not in alarms(tmp_path, body, header)) == proved


def test_numbers_that_a_recursive_function_changes_stay_unknown(tmp_path: Path) -> None:
    """An argument is an assignment: what is done to the parameter is done to the number."""
    head = "static int down(int n) { if (n > 0) return 1 + down(n - 1); return n; }\n"
    path = tmp_path / "recursive.c"
    for argument, known in (("x", False), ("3", True)):
        body = f"int x = __VERIFIER_nondet_int(); if (x < 5) return 1; return down({argument});"
        path.write_text(f"extern int __VERIFIER_nondet_int(void);\n{head}int main(void) {{ {body} }}\n")
        memory = Prepared(read_program([str(path)])).memory
        labels = [edge.label for edge in with_representatives(memory).edges]
        assert any(isinstance(label, Havoc) for label in labels) != known


def test_truth_is_a_comparison_with_zero(tmp_path: Path) -> None:
    """A number as a condition, negated or not, is asked whether it is zero; a conversion asks for more."""
    program, cfa = inlined(tmp_path, "int x = __VERIFIER_nondet_int(); if (x < 5) return 1;")
    (x,) = (v for v in Memory(program, cfa, typed=True).integers if v.name == "x")
    (havoc,) = (edge for edge in cfa.edges if isinstance(edge.label, Havoc))
    place = havoc.label.place
    for condition, known in ((x, [-1, 0, 1, 5]), (Unary("!", x, INT), [-1, 0, 1, 5]), (Cast(x, INT), [])):
        more = Edge(havoc.target, Assume(place, condition, True), havoc.target)
        extended = Cfa(cfa.entry, (*cfa.edges, more))
        edges = with_representatives(Memory(program, extended, typed=True)).edges
        given = [e.label for e in edges if (e.source, e.target) == (havoc.source, havoc.target)]
        values = [a.value.value for a in given if isinstance(a, Assign) and isinstance(a.value, Constant)]
        assert sorted(values) == known
