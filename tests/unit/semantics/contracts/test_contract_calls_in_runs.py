"""Runs end at calls by contracts in formulas, which say what a function may do and not what it does.

They end at returns of bodies, too, where these do not keep the heap at their entry: those of the abstract analyses.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.analysis.c.contracts import _read
from kleene.analysis.c.options import check_options
from kleene.analysis.c.refinement import RefineSettings, refine
from kleene.analysis.c.shape.tags import nodes_of_runs
from kleene.cfa.program import CProgram
from kleene.domains.explicit.explore import explore
from kleene.passes.preparation import Prepared

TEXT = """
#include <stdlib.h>
struct node { int kind; struct node *next; };
extern int __VERIFIER_nondet_int(void);
/*@ requires list(l); ensures list(l); modifies kind; */
static void mark(struct node *l) { for (; l != NULL; l = l->next) l->kind = 2; }
int main(void) {
    struct node *l = NULL, *n;
    while (__VERIFIER_nondet_int() && (n = malloc(sizeof *n)) != NULL) {
        n->next = l;
        n->kind = 1;
        l = n;
    }
    mark(l);
    int two = 0;
    while (l != NULL) {
        n = l->next;
        two += l->kind == 1 ? 1 : l->kind == 2 ? 2 : 0;
        free(l);
        l = n;
    }
    return two;
}
"""


def parts_of(folder: Path) -> dict[str, CProgram]:
    (folder / "p.c").write_text(TEXT)
    _, parts = _read([str(folder / "p.c")], check_options())
    return {part.name: part.program for part in parts}


@pytest.fixture
def program(tmp_path: Path) -> CProgram:
    return parts_of(tmp_path)["main"]


def test_exploration_is_not_complete(program: CProgram) -> None:
    """It was an internal error."""
    found = explore(program, max_states=200, malloc_may_fail=True)
    assert not found.complete and not found.findings


def test_tags_are_looked_for_in_what_runs_before(program: CProgram) -> None:
    """The check ended with an internal error where an attempt looked for tags."""
    nodes = nodes_of_runs(program, Prepared(program).memory, malloc_may_fail=True)
    kinds = {value for size in nodes.held for node in nodes.held[size] for _, value in node.integers}
    assert kinds == {1}


def test_runs_of_a_body_end_where_it_returns(tmp_path: Path) -> None:
    """The check of a body ended with an internal error where an attempt looked for tags, or for last reads."""
    found = explore(parts_of(tmp_path)["mark"], max_states=200, malloc_may_fail=True)
    assert not found.complete and not found.findings


@pytest.mark.parametrize("name", ["main", "mark"])
def test_refinement_is_refused(name: str, tmp_path: Path) -> None:
    """Its actions had predicates of the contract: an internal error where assertions of a body were refined."""
    part = Prepared(parts_of(tmp_path)[name])
    given = refine(part, ["memsafety"], RefineSettings(), malloc_may_fail=True, seconds=5.0)
    assert given == "contracts in formulas, which its runs do not follow"
