"""What is said in other words before the shape analysis: same errors, by an exploration that knows nothing of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fuzz_c.generators.structures import program as random_program
from tests.unit.semantics.translated import alarms, analysis, inlined, program_of

from kleene.c.reader import read_program
from kleene.cfa.expressions import Constant, Index, Variable, walk
from kleene.cfa.operations import Allocate, Operation, expressions
from kleene.cfa.program import CProgram
from kleene.cfa.types import ArrayType, RecordType
from kleene.domains.explicit.explore import Exploration, explore
from kleene.passes.calls.inline import inline
from kleene.passes.prepare import prepare_program
from kleene.passes.rewrite import operations_of

HEADER = """\
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
struct node { struct node *next; int data; };
struct pair { struct node *a, *b; int n; };
static void none(struct node *p) { (void)p; }
static void one(struct node *p) { p->data = 1; }
static void two(struct node *p) { p->data = 2; }
"""


def errors(found: Exploration) -> set[tuple[str, int]]:
    return {(c.fault.kind, c.fault.place.line) for c in found.findings if c.fault.kind != "memory_leak"}


def same_errors(program: CProgram) -> bool:
    before = explore(program, seconds=0.5, malloc_may_fail=False)
    after = explore(prepare_program(inline(program)), seconds=0.5, malloc_may_fail=False)
    if not (before.complete and after.complete):
        pytest.skip("the exploration is not complete")
    return errors(before) == errors(after)


@pytest.mark.parametrize("seed", [40, 61, 99, 205, 18, 28, 2, 16])
def test_random_programs_have_the_same_errors(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "random.c"
    path.write_text(random_program(seed))
    assert same_errors(read_program([str(path)]))


BODIES = [
    "struct node *t[3] = {0}; int i = __VERIFIER_nondet_int(); if (i < 0 || i > 2) return 0; struct node n; t[i] = &n;"
    "if (i == 2) t[2]->data = 1; t[0]->data = 2;",
    "int a[5]; unsigned i = __VERIFIER_nondet_uint() % 6; a[i] = 1;",
    "struct pair p, q; p.a = NULL; p.b = NULL; p.n = 3; q = p; if (q.n == 3) q.b->data = 1;",
    "struct pair p[2]; memset(p, 0, sizeof p); int i = __VERIFIER_nondet_int() & 1; p[i].n = 1; p[!i].a->data = 1;",
    "void (*f)(struct node *) = __VERIFIER_nondet_int() ? one : two; struct node n; f(&n); if (n.data == 2) abort();"
    "if (f == two) f(NULL);",
    "void (*f[2])(struct node *) = { none, one }; f[__VERIFIER_nondet_int() & 1](NULL);",
    "struct node **t = calloc(2, sizeof *t); int i = __VERIFIER_nondet_int() & 3; t[i] = NULL; free(t);",
    "struct node **t = calloc(2, sizeof *t); struct node **p = t + (__VERIFIER_nondet_int() & 1); "
    "*p = (struct node *)t; if (t[1]) t[0]->data = 1; free(t);",
]
WHERE_A_STRUCT_LIES = [
    "struct node c = { NULL, 3 }, b = { &c, 2 }, s = { &b, 1 }; s = *s.next; if (s.data == 2) s.next->next->data = 1;",
    "struct node c = { NULL, 3 }, b = { &c, 2 }, s = { &b, 1 }; struct node **q = &s.next; s = **q;"
    "if (s.data == 2) s.next->next->data = 1;",
    "struct node s = { NULL, 7 }, b = { NULL, 2 }, *x = &b; x->next = x; *x->next = s;"
    "if (b.data == 7) b.next->data = 1;",
    "struct row { int i; struct node *p; } s = { 1, NULL }, t[9];"
    "for (int k = 0; k < 9; k++) { t[k].i = 2; t[k].p = NULL; }"
    "struct node n; t[2].p = &n; s = t[s.i]; if (!s.p) s.p->data = 1;",
]


@pytest.mark.parametrize("body", BODIES + WHERE_A_STRUCT_LIES)
def test_small_programs_have_the_same_errors(tmp_path: Path, body: str) -> None:
    """``s = *s.next`` was copied part by part, with the pointer read anew after it had changed."""
    assert same_errors(program_of(tmp_path, body, HEADER))


def test_a_global_whose_address_an_initializer_takes_has_no_interval(tmp_path: Path) -> None:
    """What is written through the pointer was not seen, and the index taken for 0."""
    text = "int g; int *p = &g; int main(void) { int a[8] = {0}; g = 0; *p = 20; return a[g]; }"
    assert "out_of_bounds" in alarms(tmp_path, text, HEADER)
    table = "struct node *t[9]; int g; int *p = &g; int main(void) { g = 0; *p = 20; return t[g] == NULL; }"
    assert "out_of_bounds" in alarms(tmp_path, table, HEADER)


def test_structs_and_arrays_that_nothing_needs_whole_are_gone(tmp_path: Path) -> None:
    program, _ = inlined(tmp_path, "struct pair p = { NULL, NULL, 0 }, t[2]; t[0] = p; t[1].a = t[0].b;", HEADER)
    assert not [v for v in _variables(program) if isinstance(v.type, RecordType | ArrayType)]


def test_globals_of_functions_that_are_not_called_are_gone(tmp_path: Path) -> None:
    """Each table with texts of a header was followed by every analysis, in every file that includes it."""
    path = tmp_path / "unused.c"
    path.write_text(
        'static const char *const names[] = {"one", "two"}, *used = "three";\n'
        "static int kept = 1;\n"
        "int name_of(int k) { return names[k & 1][0]; }\n"
        "int main(void) { return kept + used[0]; }\n"
    )
    variables = {g.variable.name for g in inline(read_program([str(path)])).globals}
    assert variables == {"kept", "used"}


@pytest.mark.parametrize(
    "body",
    [
        "struct pair p; struct pair *q = __VERIFIER_nondet_int() ? &p : NULL; if (q) q->n = 1;",
        "struct node *t[2]; struct node **e = t; e++; *e = NULL;",
        "union { int n; struct node *p; } u; u.p = NULL; u.n = 1;",
    ],
)
def test_what_must_stay_in_memory_stays(tmp_path: Path, body: str) -> None:
    program, _ = inlined(tmp_path, body, HEADER)
    assert [v for v in _variables(program) if isinstance(v.type, RecordType | ArrayType)]


def test_no_variable_index_of_a_small_array_is_left(tmp_path: Path) -> None:
    body = "struct node *t[3] = {0}; unsigned i = __VERIFIER_nondet_uint() % 3; t[i] = t[(i + 1) % 3];"
    program, _ = inlined(tmp_path, body, HEADER)
    left = [n for n in _nodes(program) if isinstance(n, Index) and not isinstance(n.index, Constant)]
    assert not left


@pytest.mark.parametrize(
    ("size", "least"), [("sizeof(struct node) + (n & 7)", 16), ("n * 4", 0), ("(unsigned char)n + 3", 3)]
)
def test_a_block_has_at_least_its_least_size(tmp_path: Path, size: str, least: int) -> None:
    program, _ = inlined(tmp_path, f"unsigned n = __VERIFIER_nondet_uint(); void *p = malloc({size}); free(p);", HEADER)
    sizes = [o.size.value for o in _operations(program) if isinstance(o, Allocate) and isinstance(o.size, Constant)]
    assert sizes == [least]


SAFE = [
    'char *c = malloc(4); strcpy(c, "abc"); free(c);',
    "const char *s = \"abc\"; struct node *p = NULL; if (s[1] != 'b') p->data = 1; if (strlen(s) != 3) p->data = 2;",
    "struct node *t[3] = {0}; for (int i = 0; i < 3; i++) t[i] = malloc(sizeof(struct node));"
    "for (int i = 0; i < 3; i++) free(t[i]);",
    "int a[100]; for (int i = 0; i < 100; i++) a[i] = 0; struct node n; if (a[7]) n.data = 0;",
    "void (*f)(struct node *) = NULL; if (__VERIFIER_nondet_int()) f = one; struct node n; if (f) f(&n);",
    "struct { unsigned f : 3; struct node *p; } s = { 1, NULL }; if (s.f) s.p = malloc(16); free(s.p);",
    'const char *s = "abc"; struct node *p = malloc(sizeof *p); p->data = s == NULL; free(p);',
    "struct node *p = malloc(sizeof *p); p->next = NULL; p = realloc(p, 64); if (p->next) p->next->data = 1; free(p);",
]


@pytest.mark.parametrize("body", SAFE)
def test_safe_programs_raise_no_alarm(tmp_path: Path, body: str) -> None:
    assert alarms(tmp_path, body, HEADER) == set()


WRONG = [
    (
        "unsigned n = __VERIFIER_nondet_uint(); if (n > 10) { struct node *p = malloc(n + 6); p->data = 1; free(p); }",
        "dangling_dereference",
    ),
    ("struct node a, b, *p = &a, *r = p + 1, *q = NULL; if (r == &b) q->data = 1;", "null_dereference"),
    ('char *c = malloc(3); strcpy(c, "abc"); free(c);', "out_of_bounds"),
    ('const char *s = "abc"; struct node *p = NULL; if (s[3] == 0) p->data = 1;', "null_dereference"),
    (
        'const char *s = __VERIFIER_nondet_int() ? "a" : "b"; struct node *p = NULL; if (*s == 97) p->data = 1;',
        "null_dereference",
    ),
    ("struct node *t[3] = {0}; int i = __VERIFIER_nondet_int(); t[i] = NULL;", "out_of_bounds"),
    ("int a[100]; for (int i = 0; i <= 100; i++) a[i] = 0;", "out_of_bounds"),
    ("void (*f)(struct node *) = one; if (__VERIFIER_nondet_int()) f = two; f(NULL);", "null_dereference"),
    ("char *s = \"abc\"; if (__VERIFIER_nondet_int()) s = NULL; *s = 'x';", "dangling_dereference"),
    ("struct { unsigned f : 3; struct node *p; } *s = NULL; s->f = 1;", "null_dereference"),
    ("struct node *p = malloc(16), *q = p; p = realloc(p, 32); q->data = 1; free(p);", "dangling_dereference"),
    ("struct node *p = malloc(16); p = realloc(p, 32); p->next->data = 1; free(p);", "uninitialized_pointer"),
    ("struct node *p = malloc(16); p = realloc(p, 8); p->data = 1; free(p);", "out_of_bounds"),
    ("struct node n, *p = &n; p = realloc(p, 32); free(p);", "invalid_free"),
    ("struct node *p = malloc(sizeof *p + __VERIFIER_nondet_int()); p->data = 1; free(p);", "out_of_bounds"),
    (
        "extern struct node *__VERIFIER_nondet_pointer(void); __VERIFIER_nondet_pointer()->data = 1;",
        "uninitialized_pointer",
    ),
    ("union { struct node *p; long n; } u; struct node n; u.p = &n; u.n = 5; u.p->data = 1;", "uninitialized_pointer"),
]


@pytest.mark.parametrize(("body", "kind"), WRONG)
def test_errors_raise_alarms(tmp_path: Path, body: str, kind: str) -> None:
    assert kind in {alarm.kind for alarm in analysis(tmp_path, body, HEADER).alarms}


TABLE = "static struct node *t[20]; "

SAFE_TABLES = [
    "for (int i = 0; i < 20; i++) t[i] = malloc(sizeof(struct node)); for (int i = 0; i < 20; i++) free(t[i]);",
    "for (int i = 19; i >= 0; i--) if (t[i]) t[i]->data = 1;",
    "int i = __VERIFIER_nondet_int(); if (i >= 0 && i < 20 && t[i]) t[i]->data = 1;",
    "unsigned h = __VERIFIER_nondet_uint() % 20; struct node **p = &t[h]; *p = malloc(16); free(t[h]); t[h] = NULL;"
    "for (int i = 0; i < 20; i++) if (t[i]) t[i]->data = 1;",
    "unsigned h = __VERIFIER_nondet_uint() % 20, k = h; t[h] = malloc(16); free(t[k]);",
]


@pytest.mark.parametrize("body", SAFE_TABLES)
def test_safe_tables_raise_no_alarm(tmp_path: Path, body: str) -> None:
    assert alarms(tmp_path, TABLE + body, HEADER) == set()


WRONG_TABLES = [
    ("for (int i = 0; i <= 20; i++) t[i] = NULL;", "out_of_bounds"),
    ("int i = __VERIFIER_nondet_int(); if (i < 20) t[i] = NULL;", "out_of_bounds"),
    ("unsigned i = 0; while (__VERIFIER_nondet_int()) i++; t[i] = NULL;", "out_of_bounds"),
    ("unsigned char i = 0; while (__VERIFIER_nondet_int()) i++; if (i < 20) t[i]->data = 1;", "null_dereference"),
    (
        "unsigned i = __VERIFIER_nondet_uint() % 20; t[i] = malloc(16); free(t[i]); t[i]->data = 1;",
        "dangling_dereference",
    ),
    (
        "unsigned i = __VERIFIER_nondet_uint() % 20, j = __VERIFIER_nondet_uint() % 20;"
        "t[i] = malloc(16); free(t[i]); if (t[j]) t[j]->data = 1;",
        "dangling_dereference",
    ),
    ("unsigned i = __VERIFIER_nondet_uint() % 20, k = i; t[i] = malloc(16); t[k] = NULL;", "memory_leak"),
    ("t[3] = malloc(16); for (int i = 0; i < 20; i++) t[i] = NULL;", "memory_leak"),
    ("t[19] = malloc(16); for (int i = 0; i < 19; i++) { free(t[i]); t[i] = NULL; }", "memory_cleanup"),
    ("t[0] = malloc(16); for (int i = 1; i < 20; i++) { free(t[i]); t[i] = NULL; }", "memory_cleanup"),
    ("int i = -1; i++; t[i] = malloc(16); free(t[0]); t[0]->data = 1;", "dangling_dereference"),
]


@pytest.mark.parametrize(("body", "kind"), WRONG_TABLES)
def test_errors_with_tables_raise_alarms(tmp_path: Path, body: str, kind: str) -> None:
    program, _ = inlined(tmp_path, TABLE + body, HEADER)
    assert any("slot of" in name for name in program.records)
    assert kind in {alarm.kind for alarm in analysis(tmp_path, TABLE + body, HEADER).alarms}


def _operations(program: CProgram) -> list[Operation]:
    return operations_of(program)


def _nodes(program: CProgram) -> list[object]:
    return [n for o in operations_of(program) for x in expressions(o) for n in walk(x)]


def _variables(program: CProgram) -> set[Variable]:
    return {n for n in _nodes(program) if isinstance(n, Variable)}
