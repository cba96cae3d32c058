"""Small programs in FESA: the lines with an alarm are those that are marked; names with `never` have none."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.semantics.contract_runs import HEADER, NAMES, expected, program_of

from kleene.analysis.c.fesa import FesaAttempt, analyse_by_attempt
from kleene.passes.preparation import Prepared
from kleene.results.fesa import FesaResult

DECLARED = """
#include <string.h>
#include <stdio.h>
struct bits { int x : 3; int y : 5; struct node *p; int z; };
struct many { struct node *p[3]; int n[3]; };
struct real { double d; struct node *p; };
union both { struct node *p; long l; int i; };
const struct node fixed = {0, 3};
int counter;
struct node table;
static int *number = &counter;
extern double __VERIFIER_nondet_double(void);
extern void *__VERIFIER_nondet_pointer(void);
int one(void) { return 1; }
int two(void) { return 2; }
"""


def analysed(folder: Path, text: str, *, malloc_may_fail: bool = False) -> FesaResult:
    program = program_of(folder, DECLARED + text)
    return analyse_by_attempt(Prepared(program), FesaAttempt(), malloc_may_fail=malloc_may_fail, seconds=20)


def marked(text: str, result: FesaResult) -> set[str]:
    lines = dict(enumerate((HEADER + DECLARED + text).splitlines(), 1))
    places = {(a.kind, a.place.line) for a in result.alarms}
    return {m[1] if (m := NAMES.search(lines[line])) else f"{kind}: {lines[line]}" for kind, line in places}


PROGRAMS = {
    "numbers": """
    int i = __VERIFIER_nondet_int(), j = 3;
    check(i == 5); // 5
    if (i == 5) { check(i != 5); } // never: not 5
    i = j;
    check(i != 3); // never: not 3
    check(i - 3); // never: some
    check(!(i - 3)); // none
    check(i && j); // both
    j = i == 3;
    check(!j); // never: no""",
    "numbers that are negated": """
    int i = __VERIFIER_nondet_int() == 3, j;
    j = !i;
    check(j && i); // never: both
    check(!j && !i); // never: none
    i = 0;
    j = !i;
    check(j != 1); // never: not one
    i = 1;
    j = !i;
    check(j); // never: not zero""",
    "numbers that are not followed": """
    int i = __VERIFIER_nondet_int(), j = i / 16;
    check(j == 0); // zero
    check(j != 0); // not followed
    j = -i;
    check(j); // not followed either""",
    "narrow numbers": """
    int i = 259;
    unsigned char c = i;
    check(c != 3); // never: not 3
    char d = c;
    check(d == 3); // 3
    long l = -1;
    unsigned u = l;
    check(u == -1u); // round
    check(u == 0); // never: zero
    _Bool b = l;
    check(!b); // never: false
    b = i - 259;
    check(b); // never: true""",
    "truth of narrow numbers": """
    signed char c = __VERIFIER_nondet_int();
    if (c != 5) return 0;
    _Bool b = c;
    check(b == 1); // true
    check(b == 0); // never: false
    c = 0;
    b = c;
    check(b); // never: true now""",
    "functions": """
    int k = __VERIFIER_nondet_int();
    int (*f)(void) = k == 1 ? one : k == 2 ? two : NULL;
    check(f == one); // one
    check(f == NULL); // none
    check(f && f() == 1); // gives one
    check(f && f() == 3); // never: gives three
    _Bool b = f != NULL;
    check(b != (f != NULL)); // never: another
    b = (_Bool)f;
    check(b && !f); // never: true of none
    check(!b && f); // never: false of one""",
    "functions as numbers": """
    int (*f)(void) = __VERIFIER_nondet_int() ? one : NULL;
    long l = (long)f;
    check(l == 0); // null
    check(l != 0); // some
    check(l == 7); // not followed
    if (f) { check(l == 0); } // never: null of some
    else { check(l != 0); } // never: some of none
    char c = (char)(long)f;
    check(c == 0 && f); // the last bits""",
    "globals": """
    check(counter); // never: not zero
    check(table.data); // never: not zero either
    check(table.next); // never: a pointer
    table.data = 4;
    check(table.data == 4); // 4
    check(table.data != 4); // never: not 4
    counter = __VERIFIER_nondet_int();
    check(counter == 9); // 9
    *number = 8;
    check(counter == 8); // 8
    check(fixed.data != 3); // never: other than it was""",
    "what is constant": """
    struct node *p = (struct node *)&fixed;
    check(p->data == 3); // 3
    p->data = 4; // written""",
    "what is constant, copied": """
    struct node n = fixed, *p = (struct node *)&fixed;
    check(n.data != 3); // never: not 3
    memset(p, 0, sizeof *p); // written""",
    "pointers to what ended": """
    struct node *p;
    {
        struct node n = {0, 3};
        p = &n;
        check(p->data != 3); // never: not 3
    }
    p->data = 4; // ended""",
    "a local in a loop": """
    struct node *p = NULL;
    for (int i = 0; i < 2; i++) {
        struct node n;
        if (p) p->data = 1; // ended
        n.data = 3;
        p = &n;
    }""",
    "no value": """
    struct node *p, *q = NULL;
    if (__VERIFIER_nondet_int()) p->data = 1; // unset
    struct node n;
    if (__VERIFIER_nondet_int()) n.next->data = 1; // unset too
    check(n.data == 3); // any
    q->data = 1; // null""",
    "bits": """
    struct bits b;
    b.x = 1; b.y = 2; b.z = 3; b.p = NULL;
    check(b.x == 1); // 1
    check(b.y == 3); // not followed
    check(b.z != 3); // never: another
    check(b.p); // never: a pointer
    struct bits *q = __VERIFIER_nondet_int() ? &b : NULL;
    q->x = 2; // null
    int i = q->y; // never: null again""",
    "arrays": """
    struct many m;
    int i = __VERIFIER_nondet_int();
    m.p[0] = m.p[1] = m.p[2] = NULL;
    m.n[0] = 1; m.n[1] = 2; m.n[2] = 3;
    check(m.n[1] != 2); // never: another
    check(m.p[2]); // never: a pointer
    if (i < 0 || i > 2) return 0;
    m.n[i] = 7;
    check(m.n[1] == 7); // perhaps
    check(m.n[1] == 2); // perhaps not
    check(m.p[1]); // never: a pointer now""",
    "an index outside": """
    struct many m;
    int i = __VERIFIER_nondet_int();
    m.n[0] = 1;
    if (i == 1) m.n[4] = 2; // outside
    if (i == 2) m.p[-1] = NULL; // below
    if (i == 3) m.n[2] = 2; // never: the last""",
    "real numbers": """
    struct real r, *q = __VERIFIER_nondet_int() ? &r : NULL;
    r.p = NULL; r.d = 1.5;
    check(r.d < 2.0); // less
    check(r.d > 2.0); // not followed
    check(r.p); // never: a pointer
    double d = q->d; // null
    q->d = d; // never: null again""",
    "any real number": """
    struct real r, *q = __VERIFIER_nondet_int() ? &r : NULL;
    r.p = NULL;
    r.d = __VERIFIER_nondet_double();
    check(r.d < 2.0); // less
    check(r.p); // never: a pointer
    q->d = __VERIFIER_nondet_double(); // null""",
    "what a union holds": """
    union both u;
    u.p = NULL;
    check(u.p); // never: a pointer
    u.i = 3;
    check(u.i != 3); // not followed
    u.l = 5;
    check(u.i == 5); // perhaps
    check(u.i == 6); // any""",
    "output": """
    struct node *p = __VERIFIER_nondet_int() ? &table : NULL;
    printf("%d", 3);
    printf("%d", p->data); // null
    check(table.data); // never: changed""",
    "malloc": """
    struct node *p = malloc(sizeof *p), *q = calloc(1, sizeof *q);
    check(!p); // never: none
    check(q->data); // never: some
    check(q->next); // never: a pointer
    check(p->data == 5); // any
    free(q); free(NULL);
    if (__VERIFIER_nondet_int()) free(q); // twice
    free(p);
    p->data = 1; // freed""",
    "realloc": """
    struct node *p = malloc(sizeof *p);
    p->data = 3; p->next = NULL;
    struct node *q = realloc(p, 2 * sizeof *p);
    check(q->data != 3); // never: another
    check(q->next); // never: a pointer
    q = realloc(q, sizeof *q);
    check(q->data != 3); // never: another now
    if (__VERIFIER_nondet_int()) p->data = 1; // moved
    free(q);""",
    "a part of a pointer is copied": """
    struct node other, from, to;
    int k = __VERIFIER_nondet_int();
    other.next = NULL; from.next = &other; to.next = &other;
    if (k == 1) { memcpy(&to, &from, 4); to.next->next = NULL; } // its first bytes
    if (k == 2) { memcpy((char *)&to + 4, (char *)&from + 4, 8); to.next->next = NULL; } // its last bytes
    if (k == 3) { memcpy(&to, &from, 8); to.next->next = NULL; } // never: the whole""",
    "what is freed wrongly": """
    struct node *p = malloc(sizeof *p), n;
    int k = __VERIFIER_nondet_int();
    if (k == 1) free(&n); // on the stack
    if (k == 2) free(&table); // global
    if (k == 3) free(&p->data); // inside
    struct node *q;
    if (k == 4) free(q); // unset
    if (k == 5) free("text"); // a text
    if (k == 6) realloc(&n, 32); // moved from the stack
    if (k == 7) free(p); // never: right
    abort();""",
    "what is lost": """
    struct node *p = malloc(sizeof *p), *q = malloc(sizeof *q);
    p->next = q;
    q = NULL; // never: still held
    p->next = NULL; // lost
    p = NULL; // never: the analysis has ended""",
    "what is left": """
    counter = __VERIFIER_nondet_int();
    table.next = malloc(sizeof(struct node));
    if (counter == 1) exit(0); // still held
    if (counter == 2) abort(); // never: aborts
    if (counter == 3) { free(table.next); exit(0); } // never: freed
    return 0; // held at the return""",
    "loops": """
    struct node *list = NULL;
    for (int i = 0; i < 3; i++) {
        struct node *n = malloc(sizeof *n);
        n->next = list; n->data = i;
        list = n;
    }
    check(list && list->next == list); // never: a circle
    while (list) { struct node *n = list->next; free(list); list = n; } // never: lost""",
    "one condition twice": """
    int i = __VERIFIER_nondet_int(), n = 0;
    if (i == 1) n = 1;
    if (i == 1) { check(n != 1); } // never: another
    else { check(n == 1); } // never: the same
    i = 2;
    if (i == 1) { check(1); } // never: one
    else { check(1); } // other""",
    "comparisons of pointers": """
    struct node a, b, *p = &a, *q = __VERIFIER_nondet_int() ? &a : &b;
    check(p == q); // the same
    check(p != q); // others
    check(p == &b); // never: b
    check((void *)p == (void *)&a); // a
    check(&a == &b); // never: one place
    check(p + 1 == NULL); // never: none""",
    "conditions on what is not there": """
    struct node *p = __VERIFIER_nondet_int() ? &table : NULL;
    int k = __VERIFIER_nondet_int();
    if (k == 1 && p->data == 3) return 0; // null
    if (k == 2 && 3 == p->data) return 0; // null on the right
    if (k == 3 && p->next == NULL) return 0; // null before a pointer
    if (k == 4 && NULL == p->next) return 0; // null behind a pointer
    if (k == 5 && p->data) return 0; // null as it is
    if (k == 6 && p->data + k > 3) return 0; // null in a sum
    if (k == 7) k = k + p->data; // null in a value
    if (k == 8) k = k / p->data; // null in a quotient
    if (k == 9) p[0].data = k; // null in an element""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_alarms(tmp_path: Path, name: str) -> None:
    text = f"int main(void) {{{PROGRAMS[name]}\n    return 0;\n}}\n"
    result = analysed(tmp_path, text)
    assert result.complete or "nothing points to it any more" in result.reason, result.reason
    assert marked(text, result) == expected(text)


def test_what_globals_hold_at_the_end(tmp_path: Path) -> None:
    """It is not freed, but not lost either."""
    text = "int main(void) { table.next = malloc(sizeof(struct node)); return 0; }\n"
    result = analysed(tmp_path, text)
    assert {alarm.kind for alarm in result.alarms} == {"memory_cleanup"}
    local = analysed(tmp_path, "int main(void) { struct node *p = malloc(sizeof *p); return 0; }\n")
    assert "memory_leak" in {alarm.kind for alarm in local.alarms}


def test_malloc_that_may_fail(tmp_path: Path) -> None:
    text = """int main(void) {
    struct node *p = malloc(sizeof *p), *q;
    check(!p); // none
    if (!p) return 0;
    p->data = 1; // never: null
    q = realloc(p, 32);
    check(!q); // none again
    free(q ? q : p);
    return 0;
}
"""
    result = analysed(tmp_path, text, malloc_may_fail=True)
    assert result.complete and marked(text, result) == expected(text)


UNMODELLED = {
    "an external number": "extern int e; int main(void) { if (e == 3) assert(0); }",
    "an external block": "extern struct node e; struct node *p = &e; int main(void) { if (p->data == 3) assert(0); }",
    "pointer arithmetic": "int main(int n, char **v) { struct node a, *p = &a; p = p + n; if (p == &a) assert(0); }",
    "an element": "int main(int n, char **v) { struct many m; m.p[0] = NULL; if (m.p[n] == NULL) assert(0); }",
    "order of pointers": "int main(void) { struct many m; if (&m.p[0] < &m.p[1]) assert(0); }",
    "a pointer in a number": "int main(void) { struct node a; long n = (long)&a; if (n) assert(0); }",
    "a size": "int main(int n, char **v) { void *p = malloc(n); if (p) assert(0); }",
    "a block on the stack": "int main(void) { struct node *p = __builtin_alloca(16); p->data = 1; assert(0); }",
    "set bytes": "int main(int n, char **v) { struct node a; a.data = 3; memset(&a, 0, n); if (!a.data) assert(0); }",
    "copied bytes": "int main(int n, char **v) { struct node a; memcpy(&a, &table, n); if (!a.data) assert(0); }",
    "moved bytes": "int main(void) { struct many m; memmove(&m.p[0], &m.p[1], 16); if (m.p[0] == m.p[1]) assert(0); }",
    "what arguments point to": "int main(int n, char **v) { if (v[0][0] == 98) assert(0); }",
    "any address": "int f(struct node *p) { return p->data; } int main(void) { return f((void *)16); }",
    "a function as a block": "int main(void) { struct node *p = (struct node *)one; p->data = 1; }",
    "a number as a pointer": "int main(int n, char **v) { struct node *p = (struct node *)(long)n; p->data = 1; }",
    "bytes as a pointer": "int main(void) { char b[8]; struct node *p = *(struct node **)b; p->data = 1; }",
    "any pointer": "int main(void) { struct node *p = __VERIFIER_nondet_pointer(); p->data = 1; }",
    "a text": 'int main(void) { const char *s = "abc"; if (s[1] == 98) assert(0); }',
    "a size that shrinks": "int main(int n, char **v) { void *p = malloc(8); p = realloc(p, n); if (p) assert(0); }",
}


@pytest.mark.parametrize("name", UNMODELLED)
def test_what_is_not_modelled(tmp_path: Path, name: str) -> None:
    result = analysed(tmp_path, UNMODELLED[name] + "\n")
    assert not result.complete or result.alarms


def test_parameters_of_the_entry(tmp_path: Path) -> None:
    text = """int main(int n, char **v) {
    check(n == 3); // 3
    check(!v); // never: null
    check(v == (char **)&table); // never: another object
    return 0;
}
"""
    result = analysed(tmp_path, text)
    assert result.complete and marked(text, result) == expected(text)
