"""Runs: each kind of error, inputs, output, heaps on demand, replay."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kleene.cfa.program import CProgram
from kleene.domains.explicit.interpreter import replay, run

Read = Callable[..., CProgram]
START = """#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <stdint.h>
extern int __VERIFIER_nondet_int(void);
struct n { struct n *next; int data; };
"""

ERRORS = {
    "null": ("struct n *p = 0; p->data = 1;", "null_dereference"),
    "null through a call": ("char *t = 0; return strlen(t);", "null_dereference"),
    "uninitialized": ("struct n *p; return p->data;", "uninitialized_pointer"),
    "uninitialized member": ("struct n *p = malloc(sizeof *p); return p->next->data;", "uninitialized_pointer"),
    "freed": ("struct n *p = malloc(sizeof *p); free(p); return p->data;", "dangling_dereference"),
    "past the end": ("int *p = malloc(8); return p[2];", "out_of_bounds"),
    "before the start": ("int a[2]; int *p = a; return p[-1];", "out_of_bounds"),
    "struct too large for its block": ("struct n *p = malloc(4); p->data = 1;", "out_of_bounds"),
    "in another member": ("struct { int a[2]; int b; } s; int i = 2; s.a[i] = 1;", "out_of_bounds"),
    "read from another member": ("struct { int a[2]; int b; } s = {0}; int i = 2; return s.a[i];", "out_of_bounds"),
    "in the member before": ("struct { int a; int b[2]; } s; int i = -1; s.b[i] = 1;", "out_of_bounds"),
    "a member of an element of another member": (
        "struct { struct n a[2]; int b[9]; } s; int i = 2; s.a[i].data = 1;",
        "out_of_bounds",
    ),
    "out of scope": ("int *p; { int x = 1; p = &x; } return *p;", "dangling_dereference"),
    "double free": ("int *p = malloc(4); free(p); free(p);", "double_free"),
    "interior free": ("char *p = malloc(4); free(p + 1);", "invalid_free"),
    "stack free": ("int x; free(&x);", "invalid_free"),
    "uninitialized free": ("int *p; free(p);", "invalid_free"),
    "memset past the end": ("int x; memset(&x, 0, 5);", "out_of_bounds"),
    "memcpy from freed": ("int x; int *p = malloc(4); free(p); memcpy(&x, p, 4);", "dangling_dereference"),
    "null call": ("int (*f)(void) = 0; return f();", "null_dereference"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_error(lower: Read, name: str) -> None:
    body, kind = ERRORS[name]
    trace = run(lower(START + "int main(void) {" + body + "}"), check_leaks=False, malloc_may_fail=False)
    assert trace.outcome == "error"
    assert trace.fault is not None and trace.fault.kind == kind


VALUES = {
    "wraps unsigned": ("unsigned char c = 255; c++; return c;", 0),
    "sign extension": ("char c = -1; return (unsigned short)c == 65535;", 1),
    "division towards zero": ("return -7 / 2 == -3 && -7 % 2 == -1;", 1),
    "unsigned comparison": ("return -1 < 0u;", 0),
    "shift": ("return (1 << 4) | (-8 >> 1 == -4);", 17),
    "complement": ("return ~5 == -6;", 1),
    "the end of an array in a struct": ("struct { int a[2]; int b; } s; int i = 2; return &s.a[i] - s.a;", 2),
    "behind a last member": (
        "struct t { int n; char x[1]; } *t = malloc(16); int i = 5; t->x[i] = 3; i = t->x[i]; free(t); return i;",
        3,
    ),
    "in a union": ("union { char a[2]; int b; } u; u.b = 0; int i = 3; u.a[i] = 1; return u.b == 1 << 24;", 1),
    "boolean": ("_Bool b = 7; return b;", 1),
    "union": ("union { int i; unsigned char c[4]; } u; u.i = 0x01020304; return u.c[0] + u.c[3];", 5),
    "bytes of a number": ("int i = 258; char *c = (char *)&i; c[1] = 0; return i;", 2),
    "bit-fields": ("struct { int a : 3; unsigned b : 3; } s; s.a = 7; s.b = 9; return s.a == -1 && s.b == 1;", 1),
    "address as a number": ("int x = 5; uintptr_t u = (uintptr_t)&x; return *(int *)u;", 5),
    "pointer difference": ("int a[5]; return &a[4] - a;", 4),
    "two dimensions": ("int m[2][3] = { 1, 2, 3, 4, 5, 6 }; return m[1][1] + *(*(m + 1) + 2);", 11),
    "struct by value": ("struct n a = { 0, 4 }, b = a; a.data = 9; return b.data;", 4),
    "static local": ("for (int i = 0; i < 3; i++) { static int c; if (++c == 3) return c; } return 0;", 3),
    "floating point": ("double d = 7; return d / 2 > 3.4 ? (int)(d / 2) : 0;", 3),
    "strings": ('char b[8]; strcpy(b, "abc"); strcat(b, "d"); return strlen(b) + (strcmp(b, "abcd") == 0);', 5),
    "string compare": ('return memcmp("ab", "ac", 2) < 0 && strchr("abc", 99) != 0 && !strchr("abc", 100);', 1),
    "atoi": ('return atoi(" -12x") + abs(-20);', 8),
}


@pytest.mark.parametrize("name", VALUES)
def test_value(lower: Read, name: str) -> None:
    body, expected = VALUES[name]
    for data_model in ("ILP32", "LP64"):
        trace = run(lower(START + "int main(void) {" + body + "}", data_model=data_model), malloc_may_fail=False)
        assert (trace.outcome, trace.status) == ("exit", expected), str(trace)


def test_inputs_are_taken_in_order_and_replayed(lower: Read) -> None:
    text = 'int main(void) { int a = __VERIFIER_nondet_int(), b; printf("%d %d|%c\\n", a, b, 65); return a - b; }'
    trace = run(lower(START + text), [7, 3], malloc_may_fail=False)
    assert (trace.output, trace.status, trace.inputs) == ("7 3|A\n", 4, [7, 3])
    assert trace.reasons == ["__VERIFIER_nondet_int", "uninitialized number"]
    assert str(replay(trace)) == str(trace)


def test_malloc_may_fail_by_an_input(lower: Read) -> None:
    program = lower(START + "int main(void) { struct n *p = malloc(8); p->data = 1; free(p); return 0; }")
    assert run(program, [0], malloc_may_fail=True).fault is not None
    assert run(program, [1], malloc_may_fail=True).outcome == "exit"
    assert run(program, [0], malloc_may_fail=False).outcome == "exit"


def test_leaks_are_found_where_the_last_pointer_is_lost(lower: Read) -> None:
    text = """int main(void) {
        struct n *p = malloc(sizeof *p), *keep = malloc(8);
        p->next = malloc(8);
        p->next->next = p;
        p = keep;
        return 0;
    }"""
    found = [(f.place.line - 6, f.detail) for f in run(lower(START + text), malloc_may_fail=False).faults]
    assert found == [(5, "lost"), (5, "lost"), (6, "lost")]


def test_assumptions_block_and_unsupported_ends(lower: Read) -> None:
    assert (
        run(
            lower("void __VERIFIER_assume(int); int main(void) { __VERIFIER_assume(0); }"), malloc_may_fail=False
        ).outcome
        == "blocked"
    )
    trace = run(lower('int main(void) { __asm__("hlt"); return 0; }'), malloc_may_fail=False)
    assert trace.outcome == "unsupported" and "inline assembly" in trace.reason
    assert run(lower("int main(void) { for (;;); }"), max_steps=50, malloc_may_fail=False).outcome == "steps"


def test_heap_on_demand(lower: Read) -> None:
    text = """int main(void) {
        struct n *p = malloc(sizeof *p), **q = &p->next;
        p->data = 3; *q = p; free(p); return 0; }"""
    trace = run(lower(START + text), malloc_may_fail=False)
    place = next(s.number for s in trace.steps if str(s.operation).startswith("free"))
    heap = trace.heap(place)
    (block,) = [b for b in heap.blocks if b.kind == "heap"]
    assert block.type == "struct n"
    assert block.cells == (("next", f"#{block.number}"), ("data", "3"))
    assert trace.heap(place + 1).blocks[0].freed


def test_a_result_stored_through_a_bad_pointer_is_blamed_on_the_call(lower: Read) -> None:
    program = lower(
        START
        + """static int give(struct n *p) {
  free(p);
  return 1;
}
int main(void) {
  struct n *p = malloc(sizeof *p);
  p->data = give(p);
  return 0;
}"""
    )
    finding = run(program, check_leaks=False, malloc_may_fail=False).fault
    assert finding is not None and finding.kind == "dangling_dereference"
    assert finding.place.line == START.count("\n") + 7


def test_recursion_has_its_own_locals(lower: Read) -> None:
    text = "int f(int n) { int x = n; if (n) f(n - 1); return x; } int main(void) { return f(20); }"
    assert run(lower(text), malloc_may_fail=False).status == 20
