"""Indices of arrays as variables, run: a program with them does what it did, on all inputs.

An index that is computed twice is computed once only where nothing that it depends on was set between.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.passes.executed import answer
from tests.unit.semantics.translated import program_of

from kleene.cfa.operations import Assign
from kleene.cfa.program import CProgram
from kleene.passes.calls.inline import inline
from kleene.passes.calls.recursive_functions import with_one_automaton
from kleene.passes.elements.chosen import Chosen
from kleene.passes.elements.index_variables import with_index_variables
from kleene.passes.facts.blocks_of_pointers import Blocks

HEADER = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
struct node { struct node *next; int data; };
static int shared = 1;
static struct node nodes[5];
"""
SETUP = (
    "int m = 5 + (__VERIFIER_nondet_int() & 0); struct node **a = malloc(m * sizeof *a); if (!a) return 99; "
    "for (int j = 0; j < m; j++) { nodes[j].data = j; a[j] = &nodes[j]; } "
    "unsigned k = __VERIFIER_nondet_uint() & 15, c = __VERIFIER_nondet_uint() & 3; "
)
PROGRAMS = {
    "computed once": ("int x = a[k % 5]->data; a[k % 5] = &nodes[0]; return 10 * x + a[k % 5]->data;", 1),
    "set between": ("int x = a[k % 5]->data; k = k + 2; return 10 * x + a[k % 5]->data;", 2),
    "set on one way": ("int x = a[k % 5]->data; if (c & 1) k = k + 2; return 10 * x + a[k % 5]->data;", 2),
    "computed on one way": ("int x = 0; if (c & 1) x = a[k % 5]->data; return 10 * x + a[k % 5]->data;", 2),
    "set in a loop": (
        "int x = 0; while (c) { x = x + a[k % 5]->data; k = k * 3 + 1; c--; } return x + a[k % 5]->data;",
        2,
    ),
    "two variables": ("int x = a[(k + c) % 5]->data; c = 1; return 10 * x + a[(k + c) % 5]->data;", 2),
    "a variable that a pointer sets": (
        "unsigned *q = &k; int x = a[k % 5]->data; *q = 3; return 10 * x + a[k % 5]->data;",
        0,
    ),
    "a variable that begins again": (
        "int x = 0; for (int r = 0; r < 2; r++) { unsigned i; if (r) i = c; else i = k; "
        "x = 10 * x + a[i % 5]->data; a[i % 5]->data++; } return x;",
        1,
    ),
    "numbers of two types": (
        "unsigned char b = (unsigned char)(k + 250); int x = a[b % 5]->data + 10 * a[(k + 250) % 5]->data; "
        "a[b % 5]->data++; return 100 * x + a[b % 5]->data + 10 * a[(k + 250) % 5]->data;",
        2,
    ),
    "the one beside": ("unsigned i = k % 4; int x = a[i + 1]->data; i = 0; return 10 * x + a[i + 1]->data;", 2),
    "the one beside, set on one way": (
        "unsigned i = k % 4; int x = a[i + 1]->data; if (c == 2) i = 3; return 10 * x + a[i + 1]->data;",
        2,
    ),
}  # fmt: skip


def with_variables(program: CProgram) -> CProgram:
    chosen = Chosen(program, program.main.cfa, Blocks(program, program.main.cfa))
    assert chosen.slots
    return with_index_variables(program, chosen)[0]


@pytest.mark.parametrize("name", PROGRAMS)
def test_runs_end_as_before(name: str, tmp_path: Path) -> None:
    body, times = PROGRAMS[name]
    program = inline(program_of(tmp_path, SETUP + body, HEADER))
    changed = with_variables(program)
    labels = (edge.label for edge in changed.main.cfa.edges)
    computed = [x for x in labels if isinstance(x, Assign) and str(x.target).startswith("$") and "[" not in str(x)]
    indices = {str(x.target) for x in computed if str(x.target)[1:] == str(x.value)}
    assert len([x for x in computed if str(x.target) in indices]) == times
    for k in range(0, 16, 3):
        for c in range(4):
            assert answer(program, (0, k, c)) == answer(changed, (0, k, c))


def test_a_number_that_calls_may_set_gets_no_variable(tmp_path: Path) -> None:
    """A function that is analysed apart would compute the same variable for itself."""
    function = "static int down(int n) { if (n <= 0) return 0; shared = n; return down(n - 1) + down(n - 2); }\n"
    first, last = "int x = a[shared % 5]->data; ", "return 10 * x + a[shared % 5]->data;"
    for call, count in (("", 1), ("x = x + down(2);", 0)):
        main = f"{function if call else ''}int main(void) {{ {SETUP}{first}{call}{last} }}\n"
        program = with_one_automaton(inline(program_of(tmp_path, main, HEADER)))
        changed = with_variables(program)
        assert sum("shared % 5" in v.name for v in changed.main.locals) == count
