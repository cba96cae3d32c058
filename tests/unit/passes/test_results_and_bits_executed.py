"""Bit-fields, results with a sign, pointers of another type: the rewritten program shows what that before it does."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.semantics.contract_runs import HEADER, expected, explored, program_of, seen

from kleene.passes.bit_fields import with_bits_of_bytes
from kleene.passes.calls.inline import inline
from kleene.passes.numbers.signs import with_known_signs
from kleene.passes.pointers.retyped import with_retyped_pointers

STATES = 1500
BITS = """
struct flags { int n; unsigned a : 1, b : 3, c : 4, d : 6; signed e : 3; struct node *p; };
int main(void) {
    struct flags *f = calloc(1, sizeof *f);
    if (!f) return 0;
    check(f->a || f->b || f->c || f->d || f->e); // never: not zero
    f->b = 13;
    check(f->b == 5); // three bits of it
    check(f->b != 5 || f->a || f->c); // never: others changed
    int k = __VERIFIER_nondet_int() ? 31 : 22;
    f->c = k;
    check(f->c == 15); // all four bits
    check(f->c != (k & 15) || f->b != 5); // never: another number
    f->a = 1;
    f->d = 63;
    f->e = -1;
    check(f->a != 1 || f->b != 5 || f->d != 63 || f->e != -1); // never: not all of them
    f->b = 0;
    check(f->a == 1 && f->b == 0); // one is cleared
    f->a ^= 1;
    check(f->a || f->c != (k & 15)); // never: not exchanged
    free(f);
    return 0;
}
"""
RESULTS = """
static int index_of(unsigned key, unsigned size, int fail) {
    if (fail == 1) return -1;
    if (fail == 2) return 9;
    return key % size;
}
int main(void) {
    unsigned k = (unsigned) __VERIFIER_nondet_int();
    int r = index_of(k, 9, __VERIFIER_nondet_int());
    check(r < 0); // there is none
    check(r >= 0 && r < 9); // there is one
    check(r > 8); // the other constant
    check(r >= 9 && r != 9); // never: more
    check(r < 0 && r != -1); // never: less
    check(r == 0 || r == 8); // the least and the greatest
    return 0;
}
"""
RETYPED = """
static void release(void *at) { void **p = at; if (*p) { free(*p); *p = 0; } }
static void swap(void *a, void *b) { void **p = a, **q = b; void *t = *p; *p = *q; *q = t; }
int main(void) {
    struct node *n = malloc(sizeof *n), *m = NULL;
    if (!n) return 0;
    n->next = malloc(sizeof *n);
    struct node *old = n;
    swap(&n, &m);
    check(n || m != old); // never: not exchanged
    check(!n && m == old); // exchanged
    if (__VERIFIER_nondet_int()) { n = m; m = NULL; swap(&n->next, &m); check(m != NULL); // the member is moved
        release(&m); swap(&m, &n); }
    release(&m->next);
    check(m->next); // never: it is still there
    release(&m);
    check(m); // never: it is not NULL
    return 0;
}
"""
CASES = {
    "bits": (BITS, with_bits_of_bytes),
    "results": (RESULTS, with_known_signs),
    "retyped": (RETYPED, with_retyped_pointers),
}


@pytest.mark.parametrize("name", CASES)
def test_runs_show_the_same(name: str, tmp_path: Path) -> None:
    text, rewritten = CASES[name]
    program = inline(program_of(tmp_path, text))
    changed = rewritten(program)
    assert changed.main.cfa != program.main.cfa
    for one in (program, changed):
        assert seen(HEADER + text, explored(one, STATES)) == expected(text)
