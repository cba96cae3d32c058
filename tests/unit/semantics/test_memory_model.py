"""What the shape analysis says of single C operations: errors are seen, correct programs raise nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from .translated import alarms, analysis

NEW = "struct node *p = malloc(sizeof *p); p->next = NULL; p->data = 0; "
BAD = [
    ("struct node *p = NULL; p->data = 1;", "null_dereference"),
    ("struct node *p; p->data = 1;", "uninitialized_pointer"),
    (NEW + "free(p); p->data = 1;", "dangling_dereference"),
    (NEW + "free(p); free(p);", "double_free"),
    (NEW + "free(&p->data);", "invalid_free"),
    ("struct node s; free(&s);", "invalid_free"),
    (NEW + "p = NULL;", "memory_leak"),
    (NEW, "memory_leak"),
    ("struct node s; s.next = malloc(sizeof s);", "memory_leak"),
    ("struct node *q; { struct node s; q = &s; } q->data = 1;", "dangling_dereference"),
    (NEW + 'free(p); printf("%d", p->data);', "dangling_dereference"),
    ("int a[2]; a[2] = 1;", "out_of_bounds"),
    ("int *p = malloc(4); p[1] = 1; free(p);", "out_of_bounds"),
    ("char *c = malloc(2); struct node *p = (struct node *)c; p->data = 1; free(c);", "out_of_bounds"),
    (NEW + "struct node *q = malloc(sizeof *q); q->next = p; free(q);", "memory_leak"),
    ("struct node *p = NULL; int *d = &p->data; if (d) { struct node *q = NULL; q->data = 1; }", "null_dereference"),
    (NEW + "*(char *)&p->next = 1; if (p->next) p->next->data = 1; free(p);", "uninitialized_pointer"),
    (
        NEW + "struct node *q = p; free(p); p = malloc(sizeof *p); if (p == q) q = NULL, q->data = 1; free(p);",
        "null_dereference",
    ),
    ("struct node *p = malloc(sizeof *p); if (p->next) p->next->data = 1; free(p);", "uninitialized_pointer"),
    (
        "union { struct node *p; long i; } u; u.p = malloc(16); free(u.p); u.i = 0; u.p->data = 1;",
        "uninitialized_pointer",
    ),
]
GOOD = [
    "free(NULL);",
    NEW + "free(p);",
    NEW + "struct node s = *p; free(p); if (s.next) s.next->data = 1;",
    "struct node *p = calloc(1, sizeof *p); if (p->next) p->next->data = 1; free(p);",
    NEW + "memset(p, 0, sizeof *p); if (p->next) free(p->next); free(p);",
    NEW + "p = p; free(p);",
    "struct node *p = malloc(sizeof *p); exit(0);",
    "struct node *p = malloc(sizeof *p); abort();",
    NEW + "struct node **q = &p; (*q)->data = 2; free(*q);",
    NEW + "int *d = &p->data; *d = 3; free((char *)d - 8);",
    "struct node *next = malloc(sizeof *next), *heap = next; free(heap);",
]


@pytest.mark.parametrize(("body", "kind"), BAD)
def test_an_error_is_seen(tmp_path: Path, body: str, kind: str) -> None:
    assert kind in alarms(tmp_path, body)


@pytest.mark.parametrize("body", GOOD)
def test_a_correct_program_raises_nothing(tmp_path: Path, body: str) -> None:
    assert alarms(tmp_path, body) - {"memory_cleanup"} == set()


def test_the_value_that_main_returns_is_evaluated(tmp_path: Path) -> None:
    text = "int main(void) { struct node *p = NULL; return p->data; }"
    assert "null_dereference" in alarms(tmp_path, text)


def test_a_block_that_a_callee_loses_is_a_leak_even_if_the_program_exits(tmp_path: Path) -> None:
    text = "void f(void) { struct node *p = malloc(sizeof *p); p->data = 1; } int main(void) { f(); exit(0); }"
    assert "memory_leak" in alarms(tmp_path, text)


def test_a_local_and_a_global_of_one_name_are_two_variables(tmp_path: Path) -> None:
    text = (
        "struct node *x; int main(void) { struct node *p = malloc(sizeof *p); x = p; { struct node *x = NULL; p = x; }"
        " free(x); return 0; }"
    )
    assert alarms(tmp_path, text) == set()


def test_a_record_is_read_as_a_whole_before_it_is_written(tmp_path: Path) -> None:
    header = "#include <stdlib.h>\nstruct node { struct node *next; int data; struct node *other; };\n"
    text = (
        "struct node a, b; a.next = &b; a.data = 1; a.other = NULL; b.next = NULL; b.data = 2; b.other = &a;"
        "struct node *p = &a; *p = *p->next; if (p->next) abort(); if (p->data != 2) abort();"
        "struct node *q = NULL; if (p->other == p) q->data = 1;"
    )
    assert "null_dereference" in alarms(tmp_path, text, header)


def test_what_is_not_modelled_is_an_alarm_of_its_own(tmp_path: Path) -> None:
    result = analysis(tmp_path, '__asm__("hlt");')
    assert {alarm.kind for alarm in result.alarms} == {"unsupported"}


def test_a_struct_that_a_function_returns(tmp_path: Path) -> None:
    text = (
        "struct node make(struct node *n) { struct node r; r.next = n; r.data = 1; return r; }"
        "int main(void) { struct node a; struct node b = make(&a); if (b.next != &a) { struct node *p = NULL;"
        " p->data = 1; } if (b.data != 1) { struct node *p = NULL; p->data = 2; } return 0; }"
    )
    assert alarms(tmp_path, text) == set()
