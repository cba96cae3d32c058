"""Arguments that free and realloc do not accept: every analysis alone reports them."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.analysis.c.fesa import analyse_fesa
from kleene.analysis.c.refinement import RefineSettings, refine, shape_result
from kleene.analysis.c.shape.analyse import analyse
from kleene.cfa.program import CProgram
from kleene.core.verdict import kinds_of
from kleene.domains.explicit.explore import explore
from kleene.passes.preparation import Prepared
from kleene.paths.search.directed import Search
from kleene.refine.loop import Refined

from .translated import program_of

HEADER = """\
#include <stdlib.h>
#include <string.h>
struct node { struct node *next; struct node *other; int data; };
extern int __VERIFIER_nondet_int(void);
static struct node kept;
static char *held;
static char *inside(char *p) { return p + 1; }
"""
WRONG = {
    "an interior pointer": ("char *b = malloc(8); if (!b) return 1; char *p = b + 1;", "invalid_free"),
    "an interior pointer of a helper": ("char *b = malloc(8); if (!b) return 1; char *p = inside(b);", "invalid_free"),
    "an interior pointer of a text": (
        "char *b = malloc(8); if (!b) return 1; b[0] = 0; if (strlen(b) > 3) return 2; char *p = b + 1;",
        "invalid_free",
    ),
    "a member": (
        "struct node *n = malloc(sizeof *n); if (!n) return 1; struct node **p = &n->other;",
        "invalid_free",
    ),
    "an interior pointer or the start": (
        "char *p = malloc(8); if (!p) return 1; if (__VERIFIER_nondet_int()) p = p + 4;",
        "invalid_free",
    ),
    "an interior pointer or NULL": (
        "char *b = malloc(8), *p = NULL; if (!b) return 1; if (__VERIFIER_nondet_int()) p = b + 4;",
        "invalid_free",
    ),
    "a local variable": ("struct node n; n.data = 0; struct node *p = &n;", "invalid_free"),
    "a local array": ("char a[8]; a[0] = 0; char *p = a;", "invalid_free"),
    "a global variable": ("struct node *p = &kept;", "invalid_free"),
    "a literal": ('char *p = "abc";', "invalid_free"),
    "a block of the stack": ("char *p = __builtin_alloca(8);", "invalid_free"),
    "a freed block": ("char *p = malloc(8); if (!p) return 1; free(p);", "double_free"),
    "a block that realloc moved": (
        "char *p = malloc(8); if (!p) return 1; held = realloc(p, 16); if (!held) { free(p); return 1; }",
        "double_free",
    ),
    "an uninitialized pointer": ("char *p;", "invalid_free"),
    "an uninitialized cell": (
        "struct node *n = malloc(sizeof *n); if (!n) return 1; struct node *p = n->next;",
        "invalid_free",
    ),
    "a local variable that has ended": ("char *p; { char c = 1; p = &c; }", "free"),
}
ENDS = {
    "free": "free(p);",
    "realloc": "void *r = realloc(p, 24); free(r);",
    "realloc to the size there was": "void *r = realloc(p, 8); free(r);",
    "realloc that is dropped": "p = realloc(p, 24);",
}


def shape_kinds(program: CProgram) -> set[str]:
    result = analyse(Prepared(program), malloc_may_fail=True, seconds=20)
    return {alarm.kind for alarm in result.alarms}


def fesa_kinds(program: CProgram) -> set[str]:
    result = analyse_fesa(Prepared(program), malloc_may_fail=True, seconds=20)
    return {alarm.kind for alarm in result.alarms}


def refined_kinds(program: CProgram) -> set[str]:
    result = refine(Prepared(program), ["memsafety"], RefineSettings(), malloc_may_fail=True, seconds=20)
    if not isinstance(result, Refined):
        return {"unsupported"}
    return {alarm.kind for alarm in shape_result(result).alarms}


def explored_kinds(program: CProgram) -> set[str]:
    return {c.fault.kind for c in explore(program, seconds=2, malloc_may_fail=True).findings}


def searched_kinds(program: CProgram) -> set[str]:
    return {c.fault.kind for c in Search(program, (), malloc_may_fail=True).run(20).findings}


DOMAINS = {
    "shape": shape_kinds,
    "fesa": fesa_kinds,
    "refine": refined_kinds,
    "explicit": explored_kinds,
    "paths": searched_kinds,
}
EXACT = ("explicit", "paths")


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("name", WRONG)
def test_no_analysis_lets_it_end(tmp_path: Path, name: str, end: str, domain: str) -> None:
    """realloc of an interior pointer was proved: only the way of a null pointer was kept, and it checked nothing."""
    body, kind = WRONG[name]
    found = DOMAINS[domain](program_of(tmp_path, f"{body} {ENDS[end]}", HEADER))
    wanted = kinds_of(["memsafety"]) & {"invalid_free", "double_free"} if kind == "free" else {kind}
    assert found & wanted or (domain not in EXACT and "unsupported" in found), found


SAFE = {
    "a block": "char *p = malloc(8);",
    "nothing": "char *p = NULL;",
    "a block or nothing": "char *p = NULL; if (__VERIFIER_nondet_int()) p = malloc(8);",
    "back to the start": "char *p = malloc(8); if (!p) return 1; char *q = p + 4; p = q - 4;",
}


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("end", ["free(p);", "void *r = realloc(p, 24); if (r) free(r); else free(p);"])
@pytest.mark.parametrize("name", SAFE)
def test_what_may_end_raises_no_alarm(tmp_path: Path, name: str, end: str, domain: str) -> None:
    assert not DOMAINS[domain](program_of(tmp_path, f"{SAFE[name]} {end}", HEADER))
