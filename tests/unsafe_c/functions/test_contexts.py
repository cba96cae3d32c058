"""Errors in all contexts: a function with an error is called from everywhere a call can be; no analysis proves it.

The lowering of each context (callbacks, handlers, jumps, initialisers, arguments that nothing uses) has code of its
own, and what it leaves out no domain sees. Each context is asked with one error, the exam asks all pairs.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from tests.fuzz_c.attempts import concluded
from tests.slices import EXAM

from kleene.analysis.c.fesa import analyse_fesa
from kleene.analysis.c.shape.analyse import analyse_by_attempt
from kleene.analysis.c.shape.attempts import ATTEMPTS
from kleene.c.reader import read_program
from kleene.passes.preparation import Prepared

SECONDS = 10.0
HEAD = """\
#include <search.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
#define ANY __VERIFIER_nondet_int()
struct node { int v; struct node *next; int a[3]; };
struct pair { int a, b; };
static struct node *mk(void) { struct node *n = calloc(1, sizeof *n); if (!n) abort(); return n; }
static int three[3];
static int index_of(void) { int i = ANY; return i < 0 ? 0 : i > 3 ? 3 : i; }
static int *local(int k) { int l = k; int *p = &l; return p; }
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
"""
ERRORS = {
    "null": "struct node *n = mk(), *m = n->next; int r = m->v; free(n); return r;",
    "use after free": "struct node *n = mk(), *m = n; free(n); return m->v;",
    "double free": "struct node *n = mk(), *m = n; free(n); free(m); return 0;",
    "free of a member": "struct node *n = mk(); free(&n->next); return 0;",
    "free of a variable": "struct node n; struct node *m = &n; free(m); return 0;",
    "index of a member": "struct node *n = mk(); int r = n->a[index_of()]; free(n); return r;",
    "index of a local array": "int a[3] = {1, 2, 3}; return a[index_of()];",
    "index of a global array": "return three[index_of()];",
    "index of a block": "int *p = calloc(3, 4); if (!p) return 0; int r = p[index_of()]; free(p); return r;",
    "no value": "struct node *n = malloc(sizeof *n); if (!n) return 0; int r = n->next->v; free(n); return r;",
    "leak": "struct node *n = mk(); n->next = mk(); int r = n->next->v; free(n); return r;",
    "end of a scope": "int *p = local(3); return *p;",
    "small block": "struct node *n = malloc(8); if (!n) return 0; n->v = 1; n->next = 0; free(n); return 0;",
}
CONTEXTS = {
    "main": "int main(void) { return bad() & 1; }",
    "recursion": "static int r(int k) { if (k <= 0) return bad(); return r(k - 1) + 1; } int main(void) { r(ANY "
    "& 7); return 0; }",
    "mutual recursion": "static int s(int k); static int r(int k) { if (k <= 0) { bad(); return 0; } return s(k "
    "- 1) + 1; } "
    "static int s(int k) { return r(k) + 1; } int main(void) { r(ANY & 7); return 0; }",
    "tail call": "static void r(int k) { if (k > 0) { r(k - 1); return; } bad(); } int main(void) { r(ANY); "
    "return 0; }",
    "pointer": "struct ops { int (*f)(void); }; static struct ops ops = { bad }; int main(void) { return "
    "ops.f() & 1; }",
    "pointer in a block": "struct ops { int (*f)(void); struct ops *next; }; int main(void) { struct ops *o = "
    "malloc(sizeof *o); "
    "if (!o) return 0; o->f = bad; o->next = 0; for (struct ops *p = o; p; p = p->next) p->f(); free(o); return 0; }",
    "table": "static int ok(void) { return 1; } static int (*const t[])(void) = { ok, bad, ok }; "
    "int main(void) { unsigned i = ANY; return i < 3 ? t[i]() & 1 : 0; }",
    "qsort": "static int c(const void *a, const void *b) { bad(); return compare(a, b); } "
    "int main(void) { int a[3] = {3, 1, 2}; qsort(a, 3, sizeof a[0], c); return 0; }",
    "bsearch": "static int c(const void *a, const void *b) { bad(); return compare(a, b); } "
    "int main(void) { int a[3] = {1, 2, 3}, k = 2; bsearch(&k, a, 3, sizeof a[0], c); return 0; }",
    "tsearch": "static int c(const void *a, const void *b) { bad(); return 0; } "
    "int main(void) { void *t = 0; int k = 1, m = 2; tsearch(&k, &t, c); tsearch(&m, &t, c); return 0; }",
    "atexit": "static void h(void) { bad(); } int main(void) { atexit(h); return 0; }",
    "constructor": "__attribute__((constructor)) static void h(void) { bad(); } int main(void) { return 0; }",
    "destructor": "__attribute__((destructor)) static void h(void) { bad(); } int main(void) { return 0; }",
    "cleanup": "static void h(int *p) { bad(); } int main(void) { __attribute__((cleanup(h))) int x = 0; return x; }",
    "switch": "int main(void) { switch (ANY) { case 1: break; case 7 ... 9: default: if (0) { case 3: bad(); } "
    "} return 0; }",
    "cases in a loop": "int main(void) { int n = ANY & 7; switch (n & 3) { case 0: do { ; case 2: bad(); case 1: ; } "
    "while (n-- > 0); } return 0; }",
    "goto": "int main(void) { int i = 0; again: if (i++ < ANY) goto again; goto out; out: bad(); return 0; }",
    "variable argument": "static int v(int n, ...) { va_list p; va_start(p, n); int s = va_arg(p, int); "
    "va_end(p); return s; } "
    "int main(void) { return v(1, bad()) & 1; }",
    "function as an argument": "static int v(int n, ...) { va_list p; va_start(p, n); int (*f)(void) = "
    "va_arg(p, int (*)(void)); "
    "va_end(p); return f(); } int main(void) { return v(1, bad) & 1; }",
    "longjmp": "static jmp_buf b; static void t(void) { longjmp(b, 1); } "
    "int main(void) { if (setjmp(b) == 0) t(); else bad(); return 0; }",
    "step of a loop": "int main(void) { for (int i = 0; i < 3; i++, bad()) if (ANY) continue; return 0; }",
    "condition of a loop": "int main(void) { while (ANY && bad()) { } return 0; }",
    "conditional": "int main(void) { int k = ANY; return k ? 0 : (k || bad()) & 1; }",
    "conditional of two": "int main(void) { int k = ANY; return (k ?: bad()) & 1; }",
    "statement as a value": "int main(void) { int k = ({ int z = bad(); z; }); return k & 1; }",
    "initialiser": "int main(void) { struct pair p = { .b = bad(), .a = 1 }; return p.a & 0; }",
    "compound literal": "static int f(struct pair p) { return p.a; } int main(void) { return f((struct pair){ "
    "1, bad() }) & 1; }",
    "element": "int main(void) { int a[2] = { [1] = bad() }; return a[0]; }",
    "length of an array": "int main(void) { int a[1 + (bad() & 1)]; a[0] = 0; return a[0]; }",
    "member of a result": "static struct pair f(void) { struct pair p = { bad(), 2 }; return p; } int "
    "main(void) { return f().b & 0; }",
    "unused result": "static int f(void) { return bad(); } int main(void) { f(); return 0; }",
    "unused argument": "static void f(int a, int b) { } int main(void) { f(1, bad()); return 0; }",
    "argument without a parameter": "static int f() { return 1; } int main(void) { f(bad()); return 0; }",
    "argument of unknown code": "int f(int); int main(void) { f(bad()); return 0; }",
    "comma": "int main(void) { int k = (bad(), 0); return k; }",
    "exit": "int main(void) { exit(bad() & 1); }",
    "index": "int main(void) { int a[2] = {0, 0}; return a[bad() & 1]; }",
    "fourth round": "int main(void) { int n = ANY; for (int i = 0; i < n; i++) if (i == 3) bad(); return 0; }",
    "pointers to pointers": "static int f(int (*g)(void)) { return g(); } "
    "static int h(int (*k)(int (*)(void)), int (*g)(void)) { return k(g); } int main(void) { return h(f, bad) & 1; }",
    "selection by type": "int main(void) { int x = 0; return _Generic(x, int: bad(), default: 0) & 1; }",
    "atomic operation": "int main(void) { int x = 0; __sync_fetch_and_add(&x, bad()); return 0; }",
    "compound assignment": "int main(void) { int x = 0; x += bad(); x <<= bad() & 1; return 0; }",
    "conversion": "int main(void) { (void)(char)bad(); return 0; }",
    "first call only": "static int f(void) { static int done; if (done) return 0; done = 1; return bad(); } "
    "int main(void) { f(); f(); return 0; }",
    "callback for nodes": "struct l { struct l *next; }; "
    "static void each(struct l *l, void (*f)(struct l *, void *), void *d) { for (; l; l = l->next) f(l, d); } "
    "static void g(struct l *l, void *d) { *(int *)d += bad(); } "
    "int main(void) { struct l b = {0}, a = {&b}; int n = 0; each(&a, g, &n); return 0; }",
}
PAIRS = list(product(CONTEXTS, ERRORS))
SOME = [(context, list(ERRORS)[number % len(ERRORS)]) for number, context in enumerate(CONTEXTS)]
"""Each context with one error, and another one each time."""


@pytest.mark.parametrize("pair", PAIRS if EXAM else SOME, ids=", ".join)
def test_no_analysis_proves_it(pair: tuple[str, str], tmp_path: Path) -> None:
    context, error = pair
    path = tmp_path / "program.c"
    path.write_text(f"{HEAD}static int bad(void) {{ {ERRORS[error]} }}\n{CONTEXTS[context]}\n", encoding="utf-8")
    program = read_program([str(path)])
    shape = analyse_by_attempt(Prepared(program), ATTEMPTS[0], malloc_may_fail=True, seconds=SECONDS)
    fesa = analyse_fesa(Prepared(program), malloc_may_fail=True, seconds=SECONDS)
    for result in (shape, fesa):
        assert result is not None
        assert ("memcleanup" if error == "leak" else "memsafety") not in concluded(result)
