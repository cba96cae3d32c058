"""Numbers that are computed again: the same variable where all paths agree that it is the same number."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.semantics.translated import HEADER, alarms, program_of

from kleene.cfa.expressions import Binary, Variable
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Assign, Operation
from kleene.domains.explicit.explore import explore
from kleene.passes.calls.inline import inline
from kleene.passes.facts.same_values import with_same_values

TEXT = (
    HEADER
    + """
int g;
static int hash(int k) { return k % 7; }
static void deep(int n) { if (n) { g = n; deep(n - 1); g = n; } }
int main(void) { int k = __VERIFIER_nondet_int(), m = 3; BODY return 0; }
"""
)
SAME = {
    "computed twice": "int a = k * m; int b = k * m;",
    "of a copy": "int c = k; int a = k * m; int b = c * m;",
    "by a function": "int a = hash(k); int b = hash(k);",
    "in a loop that changes nothing of it": "int a = k * m, b = 0; while (__VERIFIER_nondet_int()) b = k * m;",
    "on both ways": "int a; if (m) a = k * 5; else a = k * 5; int b = k * 5;",
}
OTHER = {
    "an operand has changed": "int a = k * m; k++; int b = k * m;",
    "it has changed itself": "int a = k * m; a = 0; int b = k * m;",
    "only one way computes it": "int a = 0; if (m) a = k * 5; int b = k * 5;",
    "a loop changes it": "int a = k * m, b = 0; while (__VERIFIER_nondet_int()) { b = k * m; m++; }",
    "through a pointer": "int *p = &m; int a = k * m; *p = 4; int b = k * m;",
    "by a recursive function": "g = k; int a = g * m; deep(k); int b = g * m;",
    "of another type": "int a = k * m; unsigned b = (unsigned)k * (unsigned)m;",
}


def copies(cfa: Cfa[Operation]) -> int:
    """How many computations of `b` are copies."""
    assigned = [e.label for e in cfa.edges if isinstance(e.label, Assign) and str(e.label.target).endswith("b")]
    assert any(isinstance(a.value, Variable | Binary) for a in assigned)
    return sum(isinstance(a.value, Variable) and not a.value.is_temporary for a in assigned)


def changed(folder: Path, body: str) -> int:
    program = inline(program_of(folder, TEXT.replace("BODY", body), ""))
    return copies(with_same_values(program, program.main.cfa)) - copies(program.main.cfa)


@pytest.mark.parametrize("name", SAME)
def test_what_is_computed_again_is_copied(tmp_path: Path, name: str) -> None:
    assert changed(tmp_path, SAME[name]) == 1


@pytest.mark.parametrize("name", OTHER)
def test_what_may_be_another_number_is_computed(tmp_path: Path, name: str) -> None:
    assert changed(tmp_path, OTHER[name]) == 0


TABLE = """
#define SIZE {size}
static struct node *table[SIZE];
static unsigned hash(int k) {{ return (unsigned)k % SIZE; }}
static void insert(int k) {{
  struct node *x = malloc(sizeof *x);
  x->data = k; x->next = table[hash(k)]; table[hash({again})] = x;
}}
int main(void) {{
  while (__VERIFIER_nondet_int()) insert(__VERIFIER_nondet_int());
  for (int i = 0; i < SIZE; i++) {{
    struct node *e = table[i];
    while (e) {{ struct node *x = e->next; free(e); e = x; }}
    table[i] = NULL;
  }}
  return 0;
}}
"""


@pytest.mark.parametrize("size", [3, 16])
def test_a_hash_table_whose_index_is_computed_twice_is_proved(tmp_path: Path, size: int) -> None:
    assert alarms(tmp_path, TABLE.format(size=size, again="k")) == set()


def test_with_another_index_the_list_is_lost(tmp_path: Path) -> None:
    loop = "while (__VERIFIER_nondet_int()) insert(__VERIFIER_nondet_int());"
    text = TABLE.format(size=2, again="k + 1").replace(loop, "int k = __VERIFIER_nondet_int(); insert(k); insert(k);")
    assert loop not in text
    assert "memory_leak" in alarms(tmp_path, text)
    found = explore(program_of(tmp_path, text), seconds=3, malloc_may_fail=False)
    assert "memory_leak" in {c.fault.kind for c in found.findings}
