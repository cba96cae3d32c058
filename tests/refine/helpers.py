"""What the tests of refinement share."""

from __future__ import annotations

from pathlib import Path

from kleene.analysis.c.refinement import tasks_of
from kleene.c.reader import read_program
from kleene.core.verdict import kinds_of
from kleene.passes.preparation import Prepared
from kleene.refine.classes.library import library
from kleene.refine.loop import Refined, Refinement, RefineOptions
from kleene.refine.model import Task
from kleene.refine.tracking.explain import PathExplainer

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "c"
BUILD = """
#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int value; };
static struct node *make(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        if (!n) exit(1);
        n->next = list;
        n->value = 1;
        list = n;
    }
    return list;
}
"""


def task_of(path: Path | str, *properties: str) -> Task:
    """The first task of a program. Without properties it is the paper's: assertions, without null dereferences."""
    program = read_program([str(path)])
    kinds = kinds_of(properties) if properties else kinds_of(("assert",)) - {"null_dereference"}
    return tasks_of(Prepared(program), kinds, malloc_may_fail=True)[0]


def written(folder: Path, text: str) -> Path:
    path = folder / "program.c"
    path.write_text(text, encoding="utf-8")
    return path


def refined(path: Path | str, *properties: str, options: RefineOptions | None = None) -> Refined:
    task = task_of(path, *properties)
    return Refinement(task, library(), options or RefineOptions(), explain=PathExplainer(task)).run()
