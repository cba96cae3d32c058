"""Elements that go to another array before theirs is freed: one that is used once more is no proof.

The old elements are as if they had not been initialized after the last read. Each wrong program uses one again, by
another name or another walk, or does not move them all.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slices import EXAM, in_exam
from tests.unsafe_c.compiled import fails_in_a_run, needs_gcc

from kleene.analysis.c.shape.analyse import analyse
from kleene.c.reader import read_program
from kleene.core.verdict import kinds_of
from kleene.passes.preparation import Prepared

SECONDS = 15.0 if EXAM else 0.8
KINDS = kinds_of(["memsafety", "memcleanup"])
PROGRAM = """
#include <stdlib.h>
typedef struct node {{ struct node *next; }} node;
int main(int argc, char **argv) {{
    size_t n = argc > 0 && argc < 9 ? argc + 1 : 9, i, h;
    node **old = calloc(n, sizeof *old), **made, *x, *y;
    for (i = 0; i < n; i++) {{
        x = malloc(sizeof *x);
        x->next = NULL;
        old[i] = x;
    }}
    made = calloc(2 * n, sizeof *made);
    {before}
    for (i = 0; i < n; i++) {{
        x = old[i];
        {read}
        while (x) {{
            y = x->next;
            h = (size_t)rand() % (2 * n);
            x->next = made[h];
            made[h] = x;
            x = y;
        }}
        {end}
    }}
    {after}
    free(old);
    for (i = 0; i < 2 * n; i++)
        for (x = made[i]; x; x = y) {{
            y = x->next;
            free(x);
        }}
    free(made);
    return 0;
}}
"""
TABLE = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
typedef struct Node { unsigned key; struct Node *next; } Node;
typedef struct { Node **slot; size_t cap, used; } Map;
static int map_grow(Map *m) {
    size_t ncap = m->cap * 2; size_t i;
    Node **ns = calloc(ncap, sizeof(Node *));
    if (ns == NULL) return 0;
    for (i = 0; i < m->cap; i++) {
        Node *n = m->slot[i];
        while (n != NULL) {
            Node *nx = n->next;
            size_t h = n->key % ncap;
            n->next = ns[h];
            ns[h] = n;
            n = nx;
        }
    }
    free(m->slot);
    m->slot = ns;
    m->cap = ncap;
    return 1;
}
static int map_set(Map *m, unsigned k) {
    Node *n;
    size_t h;
    if (m->used >= m->cap && !map_grow(m)) return 0;
    n = malloc(sizeof(Node));
    if (n == NULL) return 0;
    n->key = k;
    h = k % m->cap;
    n->next = m->slot[h];
    m->slot[h] = n;
    m->used++;
    return 1;
}
static void map_clear(Map *m) {
    size_t i;
    for (i = 0; i < m->cap; i++) {
        Node *n = m->slot[i], *nx;
        for (; n; n = nx) { nx = n->next; free(n); }
    }
    free(m->slot);
    m->slot = NULL;
}
int main(void) {
    Map m;
    m.slot = calloc(8, sizeof(Node *));
    if (m.slot == NULL) return 1;
    m.cap = 8; m.used = 0;
    while (__VERIFIER_nondet_int()) {
        if (!map_set(&m, __VERIFIER_nondet_int())) break;
    }
    map_clear(&m);
    return 0;
}
"""
NOTHING = {"before": "", "read": "", "end": "", "after": ""}
WRONG = {
    "a second walk over the old array": {"after": "for (i = 0; i < n; i++) free(old[i]);"},
    "an element of the old array": {"after": "free(old[n - 1]);"},
    "another name of the array": {"before": "node **alias = old;", "after": "free(alias[0]);"},
    "the address of an element": {"before": "node **p = &old[0];", "after": "free(*p);"},
    "the element once more": {"end": "free(old[i]);"},
    "the index goes back": {"before": "int once = 1;", "end": "if (once) { once = 0; free(old[0]); }"},
    "a way out of the loop": {"end": "if (i == 0) break;"},
    "a chain that is left out": {"read": "if (i == 1) continue;"},
}


def _program(name: str, folder: Path) -> Path:
    path = folder / "program.c"
    path.write_text(PROGRAM.format(**NOTHING | WRONG.get(name, {})))
    return path


each = pytest.mark.parametrize("name", WRONG)


@needs_gcc
@each
def test_it_fails_in_a_compiled_run(name: str, tmp_path: Path) -> None:
    assert fails_in_a_run(_program(name, tmp_path), leaks=True)


@each
def test_it_is_not_proved(name: str, tmp_path: Path) -> None:
    prepared = Prepared(read_program([str(_program(name, tmp_path))]))
    shape = analyse(prepared, malloc_may_fail=False, seconds=SECONDS, kinds=KINDS)
    assert not shape.complete or {alarm.kind for alarm in shape.alarms} & KINDS


@in_exam
def test_a_table_that_doubles_is_proved(tmp_path: Path) -> None:
    path = tmp_path / "table.c"
    path.write_text(TABLE)
    shape = analyse(Prepared(read_program([str(path)])), malloc_may_fail=True, seconds=120.0, kinds=KINDS)
    assert shape.complete and not shape.alarms
