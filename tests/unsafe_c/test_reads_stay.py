"""Programs whose error is in an expression that the analysis needs for nothing else: none is proved.

The number of bytes of a block, an index into a text or an array, and the value that is stored there are replaced by
what is known about them (`passes/indices`, `passes/elements`); arguments that no parameter takes, arguments of unknown
code and results that no caller uses are left out. What they read from memory must still be read: the error was in the
part that was left out, so no domain saw it. Each analysis is asked alone.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kleene.analysis.c.fesa import analyse_fesa
from kleene.analysis.c.shape.analyse import analyse_by_attempt
from kleene.analysis.c.shape.attempts import ATTEMPTS
from kleene.c.reader import read_program
from kleene.core.verdict import kinds_of
from kleene.domains.explicit.explore import explore
from kleene.passes.preparation import Prepared
from kleene.results.fesa import FesaResult
from kleene.results.shape import ShapeResult

SECONDS = 20.0
KINDS = kinds_of(["memsafety"])
HEAD = """#include <stdlib.h>
#include <string.h>
int __VERIFIER_nondet_int(void);
#define ANY __VERIFIER_nondet_int()
struct a { struct a *n; int d; char *p; };
struct c { int k; struct c *kid[16]; };
struct wide { long n; int k; };
int outside(int); int outside_struct(struct a);
static int one() { return 1; }
static int count(k) int k; { return k > 0 ? count(k - 1) + 1 : 0; }
static int jump(k) int k; { struct a *a = 0; if (k > 0) return jump(k - 1, a->d); return k; }
static int deep(struct a *a) { if (a->d) deep(a->n); return a->n->d; }
static struct a deep_struct(struct a *a) { if (a->d) deep_struct(a->n); return *a->n; }
"""
GONE = "struct a *a = calloc(1, sizeof *a); free(a); "
ALONE = "struct a *a = calloc(1, sizeof *a); if (!a) return 0; "
TEXT = "int n = 16 + (ANY & 15); char *p = calloc(n, 1); "
NUMBERS = "int n = 16 + (ANY & 15); int *p = calloc(n, sizeof *p); "
POINTERS = "int n = 16 + (ANY & 15); int **p = calloc(n, sizeof *p); "
SHORT = "struct wide *p = malloc(12); p->n = 1; p->k = 2; "
PROGRAMS = {
    "size": GONE + "free(malloc(a->d & 15));",
    "size_of_numbers": GONE + "int *q = malloc(((a->d & 7) + 1) * sizeof *q); q[0] = 1; free(q);",
    "size_of_pointers": GONE + "int **q = malloc(((a->d & 7) + 1) * sizeof *q); q[0] = 0; free(q);",
    "size_of_a_longer_block": GONE + "int *q = malloc(4); int *r = realloc(q, 4 + (a->d & 7)); free(r);",
    "index_of_a_text": GONE + TEXT + "p[a->d & 7] = 1; free(p);",
    "index_of_a_text_that_is_read": GONE + TEXT + "if (p[a->d & 7]) n = 1; free(p);",
    "value_in_a_text": GONE + TEXT + "p[ANY & 7] = a->d; free(p);",
    "address_in_a_text": GONE + TEXT + "char *q = p + (a->d & 7); if (q) n = 1; free(p);",
    "bytes_of_a_text": GONE + TEXT + "memset(p, 0, a->d & 7); free(p);",
    "end_of_a_text": GONE + TEXT + "if (p < a->p) n = 1; free(p);",
    "length_of_a_text": GONE + TEXT + "if (a->p - p > 3) n = 1; free(p);",
    "index_of_numbers": GONE + NUMBERS + "p[a->d & 7] = 1; free(p);",
    "index_of_pointers": GONE + POINTERS + "p[a->d & 7] = 0; free(p);",
    "index_that_is_always_the_same": GONE + "int t[4]; t[(a->d & 0) + 1] = 1;",
    "limit_of_a_loop": GONE + POINTERS + "for (int i = 0; i < n && i < a->d; i++) p[i] = 0; free(p);",
    "index_of_a_member": GONE + "struct c *c = calloc(1, sizeof *c); c->kid[a->d & 15] = 0; free(c);",
    "index_in_an_index": """int t[4] = {0}, i = ANY; char *p = calloc(16, 1);
        if (i >= 0 && i <= 4) p[t[i]] = 1; free(p);""",
    "padding_that_is_copied": SHORT + "struct wide w = *p; free(p); return w.k;",
    "padding_that_is_written": SHORT + "struct wide w = {3, 4}; *p = w; free(p);",
    "size_without_a_value": """size_t s; int n = (ANY & 7) + 1; if (ANY) s = n * sizeof(int *);
        void *v = malloc(s); int **p = v; if (!p) return 0; for (int i = 0; i < n; i++) p[i] = 0; free(p);""",
    "pointer_that_held_an_address": GONE
    + "int *s = calloc(1, 4); void **q = (void **)&s; free(*q); *q = 0; q = (void **)a->n;",
    "pointer_that_held_an_address_of_a_member": GONE
    + """struct a *b = calloc(1, sizeof *b); b->p = calloc(1, 1); void **q = (void **)&b->p; free(*q); *q = 0; free(b);
        q = (void **)a->n;""",
    "padding_before_a_flexible_array": """struct f { long n; int k; char d[]; }; int n = ANY & 15;
        struct f *p = malloc(sizeof(long) + sizeof(int) + n); struct f c = *p; free(p); return c.n;""",
    "argument_without_a_parameter": GONE + "one(a->d);",
    "argument_without_a_parameter_by_a_pointer": GONE + "int (*f)() = count; f(1, a->d);",
    "argument_without_a_parameter_of_a_recursive_function": GONE + "count(1, a->d);",
    "argument_without_a_parameter_in_a_tail_call": "jump(1);",
    "result_of_a_recursive_function": ALONE + "deep(a); free(a);",
    "struct_of_a_recursive_function": ALONE + "deep_struct(a); free(a);",
    "argument_of_unknown_code": GONE + "outside(a->d);",
    "struct_for_unknown_code": GONE + "outside_struct(*a);",
    "argument_of_a_choice": GONE + "int (*f)() = (int (*)())__VERIFIER_nondet_int; f(a->d);",
    "value_that_is_expected": GONE + "__builtin_expect(a->d, 0);",
}


def analyse_shapes(prepared: Prepared, *, malloc_may_fail: bool, seconds: float) -> ShapeResult:
    """The first attempt of the shape analysis: the others see the same reads."""
    result = analyse_by_attempt(prepared, ATTEMPTS[0], malloc_may_fail=malloc_may_fail, seconds=seconds)
    assert result is not None
    return result


def _alone(program: str, folder: Path, analysis: Callable[..., ShapeResult | FesaResult]) -> ShapeResult | FesaResult:
    prepared = Prepared(read_program([str(_written(program, folder))]))
    return analysis(prepared, malloc_may_fail=False, seconds=SECONDS)


def _written(program: str, folder: Path) -> Path:
    path = folder / "test.c"
    path.write_text(f"{HEAD}int main(void) {{ {program} return 0; }}\n")
    return path


@pytest.mark.parametrize("analysis", [analyse_shapes, analyse_fesa])
@pytest.mark.parametrize("name", PROGRAMS)
def test_no_proof(name: str, analysis: Callable[..., ShapeResult | FesaResult], tmp_path: Path) -> None:
    result = _alone(PROGRAMS[name], tmp_path, analysis)
    assert not result.complete or {alarm.kind for alarm in result.alarms} & KINDS


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_proof_by_exploration(name: str, tmp_path: Path) -> None:
    """It reads the same operations: what unknown code is given was not read by it either."""
    program = read_program([str(_written(PROGRAMS[name], tmp_path))])
    assert not explore(program, max_states=2_000, seconds=SECONDS, malloc_may_fail=False).proved


RIGHT = (
    "size",
    "index_of_a_text",
    "value_in_a_text",
    "index_of_pointers",
    "argument_without_a_parameter",
    "argument_without_a_parameter_by_a_pointer",
    "argument_without_a_parameter_of_a_recursive_function",
    "argument_of_unknown_code",
    "value_that_is_expected",
)


@pytest.mark.parametrize("name", RIGHT)
def test_a_proof_where_the_block_is_there(name: str, tmp_path: Path) -> None:
    """Else the programs above would be refused for another reason."""
    safe = PROGRAMS[name].replace("free(a); ", "", 1) + " free(a);"
    result = _alone(safe, tmp_path, analyse_shapes)
    assert result.complete
    assert not result.alarms
