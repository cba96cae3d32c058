"""What library calls read and write, and what may not be written: both analyses see it, or say that they do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.domains.explicit.explore import explore

from .translated import alarms, analysis, program_of

HEADER = """\
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
struct node { struct node *next; int data; };
struct row { const char *name; int n; };
extern int __VERIFIER_nondet_int(void);
static const struct row FIXED = { "fixed", 1 };
static const int NUMBER = 1;
static void set(struct row *r) { r->n = 2; }
static void count(int n) { (void)n; }
static void finish(int **p) { free(*p); }
"""
NOWHERE = "{ struct node *z = NULL; z->data = 1; }"
ERRORS = {
    "text that is freed": ("char *p = malloc(2); p[0] = 0; free(p); puts(p);", "dangling_dereference"),
    "text that is null": ('const char *p = NULL; printf("%d %s", 1, p);', "null_dereference"),
    "text in a file": ("struct row r; fputs(r.name, stderr);", "uninitialized_pointer"),
    "text behind a star": ('char *p = malloc(2); free(p); printf("%*d%%%s", 3, 4, p);', "dangling_dereference"),
    "text by fprintf": ('char *p = malloc(2); free(p); fprintf(stderr, "%s", p);', "dangling_dereference"),
    "a call of a function by its address": ("int i = 0; (*count)(i++); if (i == 1) " + NOWHERE, "null_dereference"),
    "time writes": ("time_t t = 5; time(&t); if (t == 7) " + NOWHERE, "null_dereference"),
    "copy of nothing to itself": ("struct node *p = NULL; *p = *p;", "null_dereference"),
    "copy of what is freed to itself": (
        "struct node *p = malloc(sizeof *p); free(p); *p = *p;",
        "dangling_dereference",
    ),
    "a variable with a function to be called at its end": (
        "int *p __attribute__((cleanup(finish))) = malloc(4); free(p);",
        "double_free",
    ),
    "a block that only realloc gave": ("char *p = NULL; p = realloc(p, 2); p = NULL;", "memory_leak"),
}
NOT_PROVED = {
    "a constant": "int *p = (int *)&NUMBER; *p = 2;",
    "a constant by a function": "set((struct row *)&FIXED);",
    "a literal": "char *s = \"abc\"; s[0] = 'x';",
    "a literal that is filled": 'char *s = "abc"; memset(s, 0, 2);',
    "a literal that is copied to": 'char *s = __VERIFIER_nondet_int() ? "abc" : "def"; memcpy(s, "x", 1);',
    "a text without an end": "char *p = malloc(1); p[0] = 'x'; puts(p); free(p);",
    "a format that writes": 'int n = 0; printf("%n", &n); if (n) ' + NOWHERE,
    "threads": "pthread_t t; pthread_create(&t, NULL, NULL, NULL);",
    "jumps": "jmp_buf b; if (setjmp(b)) " + NOWHERE + " longjmp(b, 1);",
    "characters with a width": 'char b[4]; scanf("%10c", b);',
}
SAFE = {
    "texts of literals": 'struct row r = { "abc", 1 }; if (__VERIFIER_nondet_int()) r.name = "d"; puts(r.name);',
    "numbers": 'printf("%5.2f %-3d%% %p %lu %c", 2.0, 3, (void *)0, 4ul, 65);',
    "a copy of a constant": "struct row r = FIXED; set(&r); if (FIXED.n != 1 || NUMBER != 1 || r.n != 2) " + NOWHERE,
}


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_is_seen(tmp_path: Path, name: str) -> None:
    body, kind = ERRORS[name]
    assert kind in alarms(tmp_path, body, HEADER)
    exploration = explore(program_of(tmp_path, body, HEADER), seconds=2, malloc_may_fail=False)
    assert kind in {c.fault.kind for c in exploration.findings}


@pytest.mark.parametrize("name", NOT_PROVED)
def test_what_may_be_wrong_is_not_proved(tmp_path: Path, name: str) -> None:
    assert analysis(tmp_path, NOT_PROVED[name], HEADER).alarms
    exploration = explore(program_of(tmp_path, NOT_PROVED[name], HEADER), seconds=2, malloc_may_fail=False)
    assert not exploration.complete or exploration.findings


@pytest.mark.parametrize("name", SAFE)
def test_safe_calls_raise_no_alarm(tmp_path: Path, name: str) -> None:
    assert alarms(tmp_path, SAFE[name], HEADER) == set()
    exploration = explore(program_of(tmp_path, SAFE[name], HEADER), seconds=2, malloc_may_fail=False)
    assert exploration.complete and not exploration.findings


def test_calloc_of_more_than_there_is_gives_no_small_block(tmp_path: Path) -> None:
    """The product was taken modulo the size of an address, and the block found too small: calloc fails there."""
    body = "size_t n = 1ul << 62; int *p = calloc(n, 4); if (p) { p[0] = 1; free(p); }"
    assert not explore(program_of(tmp_path, body, HEADER), seconds=2, malloc_may_fail=True).findings
