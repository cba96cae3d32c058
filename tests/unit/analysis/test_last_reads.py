"""Which reads of runs are moves: the cell is overwritten, or its object freed, and never read before that."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.analysis.c.shape.last_reads import LEAST_RUNS, RUNS, _Run, last_reads
from kleene.c.reader import read_program
from kleene.cfa.expressions import Expression
from kleene.domains.explicit.evaluate import Compiler, Locate
from kleene.passes.attempts.moves import Store
from kleene.passes.preparation import Prepared

START = """
#include <stdlib.h>
extern int nondet(void);
struct node { struct node *left, *right, *parent; int key; struct node *ways[2]; };
static void cut(struct node *what, struct node **from) { *from = NULL; what->key = 1; }
static void look(struct node *what) { what->key = 1; }
static struct node *fresh(void) { struct node *n = calloc(1, sizeof *n); if (!n) abort(); return n; }
"""
CASES = {
    "a pointer that goes to another cell": (
        "struct node *n = fresh(), *m = fresh(); n->left = fresh(); m->right = n->left; n->left = NULL;",
        {"m->right = n->left"},
    ),
    "the cell is read again": (
        "struct node *n = fresh(), *m = fresh(); n->left = fresh(); m->right = n->left; if (n->left) n->left = NULL;",
        set(),
    ),
    "the pointer goes to a variable alone": (
        "struct node *n = fresh(), *m; n->left = fresh(); m = n->left; n->left = NULL; m->key = 1;",
        set(),
    ),
    "it goes to another cell through variables": (
        "struct node *n = fresh(), *m, *o; n->left = fresh(); m = n->left; o = m; n->right = o; n->left = NULL;",
        {"m = n->left"},
    ),
    "the cell gets the same pointer again": (
        "struct node *n = fresh(), *m; n->left = fresh(); m = n->left; n->left = m; n->left = NULL;",
        set(),
    ),
    "the object is freed": (
        "struct node *n = fresh(), *m = fresh(); n->left = fresh(); m->right = n->left; free(n); m->key = 1;",
        {"m->right = n->left"},
    ),
    "the object stays": (
        "struct node *n = fresh(), *m = fresh(); n->left = fresh(); m->right = n->left; m->key = 1;",
        set(),
    ),
    "it goes to a cell that points back": (
        "struct node *n = fresh(), *m = fresh(); n->left = m; m->parent = n; m->parent = n->left; n->left = NULL;",
        {"m->parent = n"},
    ),
    "an element of an array in the object": (
        "struct node *n = fresh(), *m = fresh(); n->ways[1] = fresh(); m->left = n->ways[1]; n->ways[1] = NULL;",
        {"m->left = n->ways[1]"},
    ),
    "it is passed on, and the cell is overwritten": (
        "struct node *n = fresh(); n->left = fresh(); cut(n->left, &n->left);",
        {"cut(n->left, &n->left)"},
    ),
    "it is passed on, and the object is freed": (
        "struct node *n = fresh(); n->left = fresh(); look(n->left); free(n);",
        set(),
    ),
    "it is passed on, and read again": (
        "struct node *n = fresh(); n->left = fresh(); look(n->left); free(n->left); n->left = NULL;",
        set(),
    ),
    "a store that is for nothing": (
        "struct node *n = fresh(), *m = fresh(); n->left = m; m->parent = n; m->parent = NULL; m->key = 1;",
        {"m->parent = n"},
    ),
    "a store into an object that is freed": (
        "struct node *n = fresh(), *m = fresh(); n->left = m; m->parent = n; free(m); n->left = NULL;",
        {"m->parent = n"},
    ),
    "a store that is read in a condition": (
        "struct node *n = fresh(), *m = fresh(); n->left = m; m->parent = n; if (m->parent != n) abort(); free(m);",
        set(),
    ),
    "a store that is read through a pointer": (
        "struct node *n = fresh(), *m = fresh(), **at = &m->parent; n->left = m; m->parent = n; n = *at; free(m);",
        set(),
    ),
    "a store of NULL": (
        "struct node *n = fresh(), *m = fresh(); n->left = m; m->parent = NULL; free(m); n->left = NULL;",
        set(),
    ),
    "a store that stays to the end": (
        "struct node *n = fresh(), *m = fresh(); n->left = m; m->parent = n; m->key = 1;",
        set(),
    ),
    "a cell on the stack that ends": (
        "struct node *m = fresh(); { struct node n, *p = &n; p->left = fresh(); m->left = p->left; } m->key = 1;",
        {"m->left = p->left"},
    ),
}


def moves(folder: Path, text: str) -> set[str]:
    """The operations that move a pointer."""
    file = folder / "reads.c"
    file.write_text(START + text)
    program = read_program([str(file)])
    labels = {e.source: e.label for function in program.functions.values() for e in function.cfa.edges}
    reads = last_reads(program, Prepared(program).memory)
    return {str(labels[read.location if isinstance(read, Store) else read[0]]) for read in reads}


@pytest.mark.parametrize(("body", "expected"), CASES.values(), ids=CASES)
def test_moves(tmp_path: Path, body: str, expected: set[str]) -> None:
    assert moves(tmp_path, f"int main(void) {{ {body} return 0; }}") == expected


def test_results_and_arguments_are_moved(tmp_path: Path) -> None:
    """What a function returns goes to a cell of its caller; a parameter has what was read for it."""
    text = """
static struct node *taken(struct node *n) { return n->right; }
static void put(struct node *to, struct node *what) { to->left = what; }
int main(void) {
    struct node *n = fresh(), *m = fresh();
    n->left = fresh();
    n->right = fresh();
    put(m, n->left);
    m->right = taken(n);
    free(n);
    return m->key;
}
"""
    assert moves(tmp_path, text) == {"put(m, n->left)", "return n->right"}


def test_a_walk_moves_nothing(tmp_path: Path) -> None:
    """A walk reads each cell for the last time, but the nodes stay where they are."""
    text = """
int main(void) {
    struct node *t = fresh(), *x;
    while (nondet()) { x = fresh(); x->left = t; t = x; }
    for (x = t; x->left; x = x->left) x->key = 1;
    while (t) { x = t; t = t->left; free(x); }
    return 0;
}
"""
    assert moves(tmp_path, text) == set()


@pytest.mark.parametrize(
    ("news", "expected"), [((), LEAST_RUNS), ((3,), LEAST_RUNS), ((3, 30), 60), ((20, 40, 70), RUNS)]
)
def test_runs_end_where_half_of_them_brought_nothing_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, news: tuple[int, ...], expected: int
) -> None:
    """All runs were made, though in most programs the first few show every read."""
    runs = 0

    def follow(run: _Run, end: float) -> None:
        nonlocal runs
        runs += 1
        for reads in (run.moved, run.repeated):
            reads.update((str(n), 0) for n in news if n <= runs)

    monkeypatch.setattr(_Run, "follow", follow)
    moves(tmp_path, "int main(void) { return 0; }")
    assert runs == expected


def test_operations_are_compiled_once_for_all_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step of each run compiled its addresses anew: in trees this took a third of the analysis."""
    compiled: list[Expression] = []
    address = Compiler.address

    def counting(self: Compiler, expression: Expression, *, accessed: bool = False) -> Locate:
        compiled.append(expression)
        return address(self, expression, accessed=accessed)

    monkeypatch.setattr(Compiler, "address", counting)
    body = "struct node *n = fresh(), *m = fresh(); n->left = fresh(); m->right = n->left; n->left = NULL;"
    counts = []
    for least in (1, LEAST_RUNS):
        monkeypatch.setattr("kleene.analysis.c.shape.last_reads.LEAST_RUNS", least)
        compiled.clear()
        assert moves(tmp_path, f"int main(void) {{ {body} return 0; }}") == {"m->right = n->left"}
        counts.append(len(compiled))
    assert counts[0] == counts[1]
