"""Proofs of programs by the shape analysis alone, without exploration, and runs against them."""

from __future__ import annotations

import os
from pathlib import Path

from kleene.analysis.c.coverage import invariant_of, program_of
from kleene.analysis.c.fesa import analyse_fesa
from kleene.analysis.c.shape.analyse import analyse
from kleene.c.options import ReadOptions
from kleene.c.reader import read_program
from kleene.cfa.program import CProgram
from kleene.core.verdict import LEAKS, PROPERTIES
from kleene.coverage.runs import Coverage, Runs
from kleene.passes.preparation import Prepared
from kleene.results.fesa import FesaResult
from kleene.results.shape import ShapeResult

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "c"
EXAM = bool(os.environ.get("KLEENE_EXAM"))
ERRORS = frozenset(("assertion", "unreach_call"))
SECONDS = 60.0
ERRORS_OF_RUNS = frozenset(kind for kinds in PROPERTIES.values() for kind in kinds) - LEAKS

BUILD = """
#include <stdlib.h>
#include <string.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; };
static struct node *build(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        if (!n) break;
        n->next = list;
        list = n;
    }
    return list;
}
static void destroy(struct node *list) {
    while (list) { struct node *rest = list->next; free(list); list = rest; }
}
"""


def read(path: Path) -> CProgram:
    return read_program([str(path)], ReadOptions(errors=ERRORS))


def proof(path: Path, domain: str = "shape") -> tuple[CProgram, ShapeResult | FesaResult]:
    """The program and what the analysis says of it."""
    program = read(path)
    if domain == "fesa":
        return program, analyse_fesa(Prepared(program), malloc_may_fail=True, seconds=SECONDS)
    return program, analyse(Prepared(program), malloc_may_fail=True, seconds=SECONDS)


def is_proof(result: ShapeResult | FesaResult) -> bool:
    return result.complete and not any(alarm.kind in {*ERRORS_OF_RUNS, "unsupported"} for alarm in result.alarms)


def excluded_leaks(result: ShapeResult | FesaResult) -> frozenset[str]:
    """The kinds of leaks that the analysis excludes: no alarm says that there is one."""
    raised = {alarm.kind for alarm in result.alarms}
    return frozenset() if "memory_leak" in raised else LEAKS - raised


def attacked(
    program: CProgram,
    result: ShapeResult | FesaResult,
    seconds: float = 5.0,
    *,
    max_runs: int = 60,
    malloc_may_fail: bool = True,
    kinds: frozenset[str] = ERRORS_OF_RUNS,
) -> Coverage:
    """Runs against a result; what is refuted is in the coverage. `kinds` are the errors that it excludes."""
    named = program_of(program, program, result, malloc_may_fail=malloc_may_fail)
    invariant = invariant_of(named, result)
    assert invariant is not None
    return Runs(named, invariant, kinds).check(seconds, max_runs=max_runs)
