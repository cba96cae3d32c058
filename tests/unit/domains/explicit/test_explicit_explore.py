"""Exploration: proofs, confirmed errors, bounds, unknown inputs."""

from __future__ import annotations

from collections.abc import Callable

from kleene.cfa.program import CProgram
from kleene.domains.explicit.explore import Explorer, explore
from kleene.domains.explicit.interpreter import run

Read = Callable[..., CProgram]
START = "#include <stdlib.h>\n#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\n"


def test_proves_what_holds_for_all_inputs(lower: Read) -> None:
    text = """int main(void) {
        int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
        if (a < b && b < c) assert(a + 1 < c);
        if (a == b) assert(!(b != a));
        return 0; }"""
    assert explore(lower(START + text), malloc_may_fail=False).proved


def test_finds_the_one_input_that_fails(lower: Read) -> None:
    result = explore(
        lower(START + "int main(void) { int a = __VERIFIER_nondet_int(); assert(a - 3 != 12345); return 0; }"),
        malloc_may_fail=False,
    )
    (confirmed,) = result.findings
    assert confirmed.trace.inputs == [12348]


def test_overflow_wraps(lower: Read) -> None:
    result = explore(
        lower(START + "int main(void) { int a = __VERIFIER_nondet_int(); if (a > 0) assert(a + 1 > 0); }"),
        malloc_may_fail=False,
    )
    assert [c.trace.inputs for c in result.findings] == [[2147483647]]


def test_infinite_loop_with_finitely_many_states(lower: Read) -> None:
    result = explore(
        lower(START + "int main(void) { int x = 0; while (__VERIFIER_nondet_int()) x = !x; return 0; }"),
        malloc_may_fail=False,
    )
    assert result.proved


def test_allocation_in_an_endless_loop_is_finite_up_to_isomorphism(lower: Read) -> None:
    text = "int main(void) { int *p = malloc(4); while (__VERIFIER_nondet_int()) { free(p); p = malloc(4); } free(p); }"
    result = explore(lower(START + text), malloc_may_fail=False)
    assert result.proved and result.states < 10


def test_bounds(lower: Read) -> None:
    text = """struct n { struct n *next; };
    int main(void) { struct n *l = 0;
        while (__VERIFIER_nondet_int()) { struct n *n = malloc(8); n->next = l; l = n; } abort(); }"""
    assert "20 states" in explore(lower(START + text), max_states=20, malloc_may_fail=False).reason
    assert "steps" in explore(lower(START + text), max_steps=100, malloc_may_fail=False).reason
    assert "time limit" in explore(lower(START + text), seconds=0.0, malloc_may_fail=False).reason


def test_unsupported_paths_only(lower: Read) -> None:
    text = 'int main(void) { if (__VERIFIER_nondet_int()) __asm__("hlt"); return 0; }'
    result = explore(lower(START + text), malloc_may_fail=False)
    assert result.exhausted and not result.complete and list(result.unsupported.values()) == ["inline assembly"]


def test_nonlinear_conditions_are_over_approximated_and_confirmed(lower: Read) -> None:
    text = "int main(void) { int a = __VERIFIER_nondet_int(); int r = a % 3; assert(r < 3); assert(r != 2); return 0; }"
    result = explore(lower(START + text), malloc_may_fail=False)
    (confirmed,) = result.findings
    assert confirmed.trace.inputs[0] % 3 == 2
    square = "int main(void) { int a = __VERIFIER_nondet_int(); if (a > 0 && a < 99) assert(a * a > 0); return 0; }"
    assert explore(lower(START + square), malloc_may_fail=False).proved


def test_an_address_may_be_used_again_after_free(lower: Read) -> None:
    text = (
        "int main(void) { int *p = malloc(4); free(p); int *q = malloc(4); if (p == q) assert(0); free(q); return 0; }"
    )
    result = explore(lower(START + text), malloc_may_fail=False)
    assert not result.proved and not result.findings
    assert [f.kind for f in result.possible] == ["assertion"]


def test_malloc_failure_is_explored_on_demand(lower: Read) -> None:
    program = lower(START + "int main(void) { int *p = malloc(4); *p = 1; free(p); return 0; }")
    assert explore(program, malloc_may_fail=False).proved
    result = explore(program, malloc_may_fail=True)
    (confirmed,) = result.findings
    assert confirmed.fault.kind == "null_dereference"
    assert run(program, confirmed.trace.inputs, malloc_may_fail=True).fault == confirmed.fault


def test_stop_at_first(lower: Read) -> None:
    text = "int main(void) { int a = __VERIFIER_nondet_int(); assert(a != 1); assert(a != 2); return 0; }"
    assert len(explore(lower(START + text), malloc_may_fail=False).findings) == 2
    first = explore(lower(START + text), stop_at_first=True, malloc_may_fail=False)
    assert len(first.findings) == 1 and not first.exhausted


def test_an_exploration_goes_on_where_it_stopped(lower: Read) -> None:
    """In many short runs the same states and errors are met as in a long one, each once."""
    text = """struct node { struct node *next; };
    int main(void) {
        struct node *list = NULL;
        for (int k = 0; k < 6 && __VERIFIER_nondet_int(); k++) {
            struct node *fresh = malloc(sizeof *fresh);
            fresh->next = list;
            list = fresh;
        }
        assert(list == NULL || list->next == NULL || list->next->next != NULL);
        return 0; }"""
    program = lower(START + text)
    whole = explore(program, malloc_may_fail=True)
    explorer = Explorer(program, malloc_may_fail=True)
    steps = 0
    while not (result := explorer.run(max_steps=steps, seconds=10.0)).exhausted:
        assert result.reason == f"bound reached: {steps} steps"
        steps += 7
    assert steps > 3 * 7
    assert (result.states, result.steps, result.reason) == (whole.states, whole.steps, whole.reason)
    assert result.findings == whole.findings and result.possible == whole.possible


SCAN = """#include <stdio.h>
int main(void) { int a = 7, b = 7; int n = scanf("%d %d", &a, &b); assert(CLAIM); return 0; }"""


def test_scanf_writes_as_many_as_it_says(lower: Read) -> None:
    """What is not read keeps its value; the count is -1 (end of input), or how many were read."""
    for claim in ("n >= -1 && n <= 2", "n == 2 || b == 7", "n >= 1 || a == 7"):
        assert explore(lower(START + SCAN.replace("CLAIM", claim)), malloc_may_fail=False).proved, claim
    for claim in ("n != -1", "n != 0", "n != 1", "n != 2", "a == 7", "n == 1 || b == 7 || a == 7"):
        assert explore(lower(START + SCAN.replace("CLAIM", claim)), malloc_may_fail=False).findings, claim


def test_scanf_of_an_address_is_not_modelled(lower: Read) -> None:
    text = '#include <stdio.h>\nint main(void) { void *p; scanf("%p", &p); return 0; }'
    assert list(explore(lower(text), malloc_may_fail=False).unsupported.values()) == [
        "scanf of anything but numbers, words, sets and characters"
    ]


def test_scanf_of_a_set_has_its_characters_only(lower: Read) -> None:
    text = (
        '#include <stdio.h>\nint main(void) { char s[2]; if (scanf("%1[a-c]", s) == 1) check(s[0] OTHER); return 0; }'
    )
    head = "extern void reach_error(void);\n#define check(x) if (!(x)) reach_error()\n"
    for other, wrong in (("< 'd'", 0), ("< 'c'", 1)):
        result = explore(lower(head + text.replace("OTHER", other)), malloc_may_fail=False)
        assert not result.unsupported and len(result.findings) == wrong


def test_a_text_is_printed_to_its_end(lower: Read) -> None:
    """Bytes that were never written ended the run: a missing terminator was not shown where the text is printed."""
    text = """#include <stdio.h>
    int main(void) {
        char *p = malloc(3);
        p[0] = 'a';
        p[1] = 'b';
        LAST
        puts(p);
        free(p);
        return 0; }"""
    open_end, ended = (
        explore(lower(START + text.replace("LAST", last)), malloc_may_fail=False) for last in ("", "p[2] = 0;")
    )
    assert [c.fault.kind for c in open_end.findings] == ["out_of_bounds"]
    assert ended.proved


def test_of_an_index_with_many_values_some_are_tried(lower: Read) -> None:
    """Each bucket of a table was a state of its own: a search of 1,500 states ended behind the first insertion."""
    text = """int main(void) {
        int *a[32] = {0}, at = __VERIFIER_nondet_int(), x = 1;
        if (at < 0 || at > 31) return 0;
        a[at] = &x;
        return a[PLACE] ? *a[PLACE] - 1 : 0; }"""
    every, some = (
        explore(lower(START + text.replace("PLACE", "at")), malloc_may_fail=False, enumerated=n) for n in (None, 2)
    )
    assert every.proved and not some.proved
    assert some.states < every.states / 4
    wrong = text.replace("at > 31", "at > 32").replace("PLACE", "0")
    found = explore(lower(START + wrong), malloc_may_fail=False, enumerated=2).findings
    assert [c.fault.kind for c in found] == ["out_of_bounds"]
