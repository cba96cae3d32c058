"""Structs on the heap that own an array: variables that get NULL in place of the address of the struct."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.semantics.translated import program_of

from kleene.analysis.c.shape.analyse import analyse
from kleene.passes.preparation import Prepared

SECONDS = 30.0
"""It takes 0.5 s of the processor."""
MAKER = """#include <assert.h>
struct table { int **slots; int used; };
static struct table *make(unsigned n) {
    struct table *t = malloc(sizeof *t);
    if (!t) return NULL;
    t->used = 0;
    t->slots = calloc(n, sizeof *t->slots);
    if (!t->slots) { free(t); return NULL; }
    return t;
}
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (n < 1 || n > 9) return 0;
    struct table *made = make(n);
    USE
    if (!made) return 0;
    made->slots[0] = NULL;
    free(made->slots);
    free(made);
    return 0;
}
"""
OUT = """#include <assert.h>
struct table { int **slots; int used; };
static int make(struct table **out, unsigned n) {
    struct table *t = malloc(sizeof *t);
    if (!t) return 0;
    t->slots = calloc(n, sizeof *t->slots);
    if (!t->slots) { free(t); return 0; }
    *out = t;
    return 1;
}
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (n < 1 || n > 9) return 0;
    struct table *made = NULL;
    int ok = make(&made, n);
    USE
    if (!ok) return 0;
    made->slots[0] = NULL;
    free(made->slots);
    free(made);
    return 0;
}
"""
CASES = [
    (MAKER, ("", ""), ""),
    (MAKER, ("{ free(t); return NULL; }", "{ free(t); return t; }"), "dangling_dereference"),
    (MAKER, ("{ free(t); return NULL; }", "return NULL;"), "memory_leak"),
    (MAKER, ("    if (!made) return 0;\n", ""), "null_dereference"),
    (MAKER, ("USE", "assert(made != NULL);"), "assert"),
    (MAKER, ("    free(made->slots);\n", ""), "memory_leak"),
    (OUT, ("", ""), ""),
    (OUT, ("USE", "assert(made != NULL);"), "assert"),
    (OUT, ("    if (!ok) return 0;\n", ""), "null_dereference"),
]


@pytest.mark.parametrize(("text", "change", "kind"), CASES)
def test_a_struct_that_is_not_made(tmp_path: Path, text: str, change: tuple[str, str], kind: str) -> None:
    """A maker that returns NULL where one of its blocks fails: a vector of this kind was UNKNOWN."""
    text = text.replace(*change, 1).replace("USE", "") if change[0] else text.replace("USE", "")
    result = analyse(Prepared(program_of(tmp_path, text)), malloc_may_fail=True, seconds=SECONDS)
    kinds = {alarm.kind for alarm in result.alarms}
    assert result.complete
    assert kind in " ".join(kinds) if kind else not kinds


LOST = """struct table { int *slots; int used; };
int main(void) {
    struct table *kept;
    {
        struct table *made = malloc(sizeof *made);
        if (!made) abort();
        made->slots = calloc(10, sizeof *made->slots);
        if (!made->slots) abort();
        made->used = 0;
        while (made->used < 10 && __VERIFIER_nondet_int()) { made->slots[made->used] = 1; made->used++; }
        free(made->slots);
        made->slots = NULL;
        if (__VERIFIER_nondet_int()) { kept = made; kept->used = 1; free(kept); }
    }
    exit(0);
}
"""


def test_a_struct_is_lost_where_its_last_holder_ends(tmp_path: Path) -> None:
    """It was held by `kept` on all paths, since one variable stands for both."""
    result = analyse(Prepared(program_of(tmp_path, LOST)), malloc_may_fail=True, seconds=SECONDS)
    assert "memory_leak" in {alarm.kind for alarm in result.alarms}
