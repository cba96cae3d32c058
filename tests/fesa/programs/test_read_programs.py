"""Small programs in FESA as the reader gives them, without the rewritings that leave it little to do.

The lines with an alarm are those that are marked; names with `never` have none.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import pytest
from tests.fesa.programs import test_small_programs as prepared
from tests.fesa.programs.test_small_programs import DECLARED, marked
from tests.unit.semantics.contract_runs import expected, program_of

from kleene.analysis.c.fesa import FesaAttempt, analyse_by_attempt
from kleene.cfa.program import CProgram
from kleene.domains.fesa.evaluate import MAX_CONSTANTS
from kleene.passes.calls.inline import inline
from kleene.passes.calls.recursive_functions import with_one_automaton
from kleene.passes.preparation import Prepared
from kleene.results.fesa import FesaResult

TYPES = """
extern unsigned __VERIFIER_nondet_uint(void);
struct small { char c; struct node *p; };
struct small zero;
const struct small fixed_zero;
const int fixed_number;
union shifted { struct node *p; struct { int pad; struct node *q; } __attribute__((packed)) s; };
union real_or_pointer { double d; struct node *p; };
struct bit_parts { int x : 3; int y : 13; unsigned char c; };
union bits_or_bytes {
    struct { int x : 3; int y : 13; } b;
    struct { int z : 17; } w;
    unsigned char bytes[4];
    int whole;
};
struct last_bits { char c[5]; int x : 3; } __attribute__((packed));
"""


class Read(Prepared):
    """The program with calls inlined, and with no other change."""

    @cached_property
    def _outcome(self) -> CProgram:
        return with_one_automaton(inline(self.source))


def analysed(folder: Path, text: str) -> FesaResult:
    program = program_of(folder, DECLARED + TYPES + text)
    return analyse_by_attempt(Read(program), FesaAttempt(keep="scope"), malloc_may_fail=False, seconds=20)


def names(text: str, result: FesaResult) -> set[str]:
    return marked(TYPES + text, result)


PROGRAMS = {
    "no numbers yet": """
    int i;
    check(i == 5); // any
    check(i != 5); // another
    struct small s;
    check(s.c == 3); // any character
    struct small *p = malloc(sizeof *p), *q = calloc(1, sizeof *q);
    check(p->c == 3); // any in a block
    check(q->c); // never: not zero
    free(p); free(q);""",
    "globals that are zero": """
    check(zero.c); // never: not zero
    check(zero.p); // never: not null
    check(fixed_zero.c == 3); // not followed
    check(fixed_number == 3); // not followed either
    table.data = __VERIFIER_nondet_int();
    check(table.data == 4); // 4
    check(table.data == 0); // 0""",
    "a declaration again": """
    int k = 0;
again:;
    struct node *q; // lost
    q = malloc(sizeof *q);
    if (k == 0) { k = 1; goto again; }
    free(q);""",
    "the end of a block": """
    int k = __VERIFIER_nondet_int();
    {
        struct node *p = malloc(sizeof *p);
        if (k == 1) free(p);
        if (k == 1) p = NULL;
    } // lost
    return 0;""",
    "a constant pointer": """
    struct node **p = (struct node **)&fixed.next;
    *p = NULL; // written""",
    "a pointer over a part of another": """
    union shifted u;
    int k = __VERIFIER_nondet_int();
    u.p = &table;
    check(u.p == NULL); // never: null
    if (k == 2) u.p->data = 1; // never: unset
    u.s.q = &table;
    if (k == 1) u.p->data = 1; // in parts
    u.s.q->data = 1; // never: unset now""",
    "a number over a pointer": """
    union both u;
    int k = __VERIFIER_nondet_int();
    u.p = &table;
    u.l = 5;
    if (k == 1) u.p->data = 1; // a number
    union real_or_pointer r;
    r.p = &table;
    r.d = 1.5;
    if (k == 2) r.p->data = 1; // a real number""",
    "a pointer over a number": """
    struct node *p = NULL;
    long *l = (long *)&p;
    *l = 5;
    check(*l == 6); // never: another
    p = &table;
    check(*l == 5); // not followed
    check(*l != 5); // no longer five
    if (__VERIFIER_nondet_int()) p->data = 3; // never: a number
    check(p == NULL); // never: null""",
    "a number of two types": """
    int i = 0;
    unsigned *u = (unsigned *)&i;
    i = -1;
    check(*u == 4294967295u); // round
    check(*u == 0); // never: as it was
    check(i == -1); // the same
    check(i == 0); // never: zero
    *u = 0;
    check(i == -1); // never: as before""",
    "a number of two types, the other way": """
    unsigned u = 0;
    int *p = (int *)&u;
    *p = -1;
    check(u == 4294967295u); // round
    check(u == 0); // never: as it was
    u = __VERIFIER_nondet_uint();
    check(*p == -1); // any""",
    "a number over a part of it": """
    int i = 0;
    char *c = (char *)&i;
    c[1] = 5;
    check(c[1] != 5); // never: another
    i = 0;
    check(c[1] == 0); // perhaps""",
    "bits and bytes": """
    union bits_or_bytes u;
    u.whole = 0;
    u.b.y = 1;
    check(u.whole == 8); // shifted
    u.bytes[1] = 5;
    u.b.y = 1;
    check(u.bytes[1] == 0); // in the second byte
    u.bytes[2] = 5;
    u.w.z = 1;
    check(u.bytes[2] == 0); // in the third byte
    u.bytes[3] = 5;
    u.w.z = 1;
    check(u.bytes[3] != 5); // never: in the fourth byte""",
    "bits beside a number": """
    struct bit_parts b;
    b.c = 5;
    b.y = 1;
    check(b.c != 5); // never: another
    struct last_bits l;
    l.x = 1; // never: outside
    int i = l.x; // never: outside either""",
    "copies of parts": """
    struct many m;
    int a[3], k = __VERIFIER_nondet_int();
    long pair[2], triple[3];
    struct node n, other = {&table, 1};
    a[0] = 1; a[1] = 2; a[2] = 3; pair[0] = triple[0] = 0; n.next = &table; n.data = 7;
    m.n[0] = 7; m.n[1] = 7; m.n[2] = 7;
    check(a[1] != 2 || a[2] != 3); // never: others at the source
    memcpy(&m.n[1], &a[1], 8);
    check(m.n[0] != 7); // never: another
    check(m.n[1] != 2); // never: not the second
    check(m.n[2] != 3); // never: not the third
    if (k == 2) n.next->data = 1; // never: bytes
    memcpy(&n, pair, 16);
    check(n.next != NULL); // garbage
    memcpy(&other, triple, 16);
    check(other.next != NULL); // garbage of a block of another size
    check(other.next == NULL); // which may be null
    struct many o;
    m.p[0] = m.p[2] = &table; o.p[1] = NULL;
    memcpy(&m.p[1], &o.p[1], 8);
    check(m.p[0] != &table); // never: before it
    check(m.p[2] != &table); // never: behind it
    check(m.p[1] != NULL); // never: not copied
    if (k == 1) n.next->data = 1; // bytes
    memcpy((void *)&fixed, &n, 16); // written""",
    "few bytes": """
    struct small s;
    s.c = 3; s.p = &table;
    memset(&s, 1, 0);
    check(s.c != 3); // never: another
    memset(&s.c, 5, 1);
    check(s.c == 3); // perhaps
    if (__VERIFIER_nondet_int()) s.p->data = 1; // never: unset
    memset(&s, 0, 1);
    check(s.c); // never: not zero
    memset(&s.p, 1, 8);
    s.p->data = 1; // ones""",
    "null by a cast": """
    struct node *p = (struct node *)(long)0;
    check(p); // never: some
    check(!p); // none""",
    "null that was moved": """
    struct node *q = NULL;
    int *d = &q->data;
    if (__VERIFIER_nondet_int()) *d = 3; // null
    check(d == NULL); // not told from null
    check(d != NULL); // other than null""",
    "truth as a number": """
    int i = __VERIFIER_nondet_int();
    if (i == 3) {
        int j = !!i, k = !(i == 3);
        check(j != 1); // never: not one
        check(k != 0); // never: not zero
    }
    struct node *p = __VERIFIER_nondet_int() ? &table : NULL;
    int n = !p;
    check(n && p); // never: none and some
    check(!n && !p); // never: some and none
    if ((char)(i == 4)) { check(i != 4); } // never: another
    else { check(i == 4); } // never: the same""",
    "a result that is not there": """
    struct node *p = __VERIFIER_nondet_int() ? &table : NULL;
    int k = __VERIFIER_nondet_int();
    if (k == 1) printf("%p", (void *)&p->next->data); // null in an address
    struct node n;
    n.next = &table;
    if (k == 3) { printf("%p", (void *)&n.next->data); check(k == 3); } // behind an address
    if (k == 2) exit(p->data); // null at the exit
    return p->data; // null at the return""",
    "blocks of variables at a return": """
    struct node *p = malloc(sizeof *p);
    if (__VERIFIER_nondet_int()) { struct node *q = p; return 0; } // lost
    free(p);""",
    "pointers in a list": """
    struct node *list = NULL;
    for (int i = 0; i < 5; i++) {
        struct node *n = malloc(sizeof *n);
        n->next = list;
        list = n;
    }
    for (struct node *p = list; p; p = p->next) {
        check(p == NULL); // never: null
        check(p->next == p); // never: a circle
        check(p == p->next); // never: a circle either
    }
    if (list && list->next) {
        check(list->next == list->next->next); // never: the same
        check(list->next != list->next->next); // others
        check(list->next->next == list->next); // never: the same again
    }
    while (list) { struct node *n = list->next; free(list); list = n; }""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_alarms(tmp_path: Path, name: str) -> None:
    text = f"int main(void) {{{PROGRAMS[name]}\n    return 0;\n}}\n"
    result = analysed(tmp_path, text)
    assert result.complete or "nothing points to it any more" in result.reason, result.reason
    assert names(text, result) == expected(text)


@pytest.mark.parametrize("name", PROGRAMS)
def test_alarms_without_instrumentation(tmp_path: Path, name: str) -> None:
    """Without counters there may be more alarms, never fewer."""
    text = f"int main(void) {{{PROGRAMS[name]}\n    return 0;\n}}\n"
    program = program_of(tmp_path, DECLARED + TYPES + text)
    plan = FesaAttempt(keep="scope")
    result = analyse_by_attempt(Read(program), plan, malloc_may_fail=False, seconds=20, instrumentation=False)
    missing = expected(text) - names(text, result)
    assert not missing or not result.complete or "unsupported" in {alarm.kind for alarm in result.alarms}


REWRITTEN = ("functions", "functions as numbers", "arrays")
"""Programs that only the rewritings make exact: functions become numbers, indices are compared with bounds."""


@pytest.mark.parametrize("name", [name for name in prepared.PROGRAMS if name not in REWRITTEN])
def test_the_rewritings_change_nothing(tmp_path: Path, name: str) -> None:
    text = f"int main(void) {{{prepared.PROGRAMS[name]}\n    return 0;\n}}\n"
    assert names(text, analysed(tmp_path, text)) == expected(text)


UNMODELLED = prepared.UNMODELLED | {
    "any pointer": "int main(void) { struct node *p = &table; p = __VERIFIER_nondet_pointer(); p->data = 1; }",
    "a block that holds its result": "int main(void) { struct node *p = malloc(16); p->next = realloc(p, 32); }",
    "order of pointers": "int main(void) { struct many m; if (&m.p[0] < &m.p[1]) return 1; }",
    "a block on the stack": "int main(void) { struct node *p = __builtin_alloca(16); p->data = 1; }",
    "an element of numbers": "int main(void) { struct many m; int n = __VERIFIER_nondet_int(); m.n[n] = 3; }",
}
ELSEWHERE = ("a pointer in a number", "an external number", "an external block", "what arguments point to")
"""What a rewriting makes unknown, or the reader."""
NO_POINTER = ("any address", "bytes as a pointer")
"""A pointer that has no value."""


@pytest.mark.parametrize("name", [name for name in UNMODELLED if name not in ELSEWHERE])
def test_what_is_not_modelled(tmp_path: Path, name: str) -> None:
    result = analysed(tmp_path, UNMODELLED[name] + "\n")
    kind = "uninitialized_pointer" if name in NO_POINTER else "unsupported"
    assert {alarm.kind for alarm in result.alarms} == {kind}, result.alarms


def test_as_many_numbers_as_are_told_apart(tmp_path: Path) -> None:
    for count in (MAX_CONSTANTS, MAX_CONSTANTS + 1):
        tests = " ".join(f"if (i == {number}) continue;" for number in range(count))
        body = f"int i = __VERIFIER_nondet_int(); {tests} i = 1; if (i != 1) assert(0);"
        text = f"int main(void) {{ for (;;) {{ {body} }} }}\n"
        assert bool(analysed(tmp_path, text).alarms) == (count > MAX_CONSTANTS)
