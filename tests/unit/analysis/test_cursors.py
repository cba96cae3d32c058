"""The attempt `cursors`: programs that it proves, wrong ones that it must not prove, and its rewriting, executed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.coverage.helpers import attacked, is_proof, read
from tests.fuzz_c.generators.structures import program as random_program

from kleene.analysis.c.shape.analyse import analyse_by_attempt
from kleene.analysis.c.shape.attempts import ATTEMPTS, kinds_of_alarms
from kleene.c.reader import read_program
from kleene.cfa.expressions import Variable, walk
from kleene.cfa.operations import expressions
from kleene.cfa.program import CProgram
from kleene.domains.explicit.explore import Exploration, explore
from kleene.passes.attempts import cursors
from kleene.passes.attempts.cursors import copied_cursors, with_copied_cursors
from kleene.passes.calls.inline import inline
from kleene.passes.facts.memory import Memory
from kleene.passes.preparation import Prepared
from kleene.passes.prepare import prepare_program
from kleene.results.shape import ShapeResult

CURSORS = next(row for row in ATTEMPTS if row.name == "cursors")
UNLINK = "if (l && l->next) { struct node *t = l->next; l->next = t->next; free(t); } "
HEAD = """
#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int key; };
int main(void) {
    struct node *l = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        if (!n) abort();
        n->next = l; n->key = 0; l = n;
    }
    struct node *a = l, *b = l, *c = l, *d = l;
    while (__VERIFIER_nondet_int()) {
        switch (__VERIFIER_nondet_int()) {
"""
WALK = "if (@) { @->key = 1; @ = @->next; }"
STEPS = "".join(f"        case {n}: {WALK.replace('@', x)} break;\n" for n, x in enumerate("abcd"))
FREED = "while (l) { struct node *t = l; l = l->next; free(t); }"
SAFE = {
    "four cursors": ("", ""),
    "one begins again": ("a = l;", ""),
    "one overtakes another": ("a = b; if (a) a = a->next;", ""),
    "two steps": ("if (a && a->next) a = a->next->next;", ""),
    "compared": ("if (a == b && a) a = a->next;", ""),
    "used at the end": ("", "if (a) a->key = 2; if (b) b->key = 3; "),
    "a node behind a cursor is removed": ("", f"a = b = c = d = NULL; {UNLINK}"),
}  # fmt: skip
UNSAFE = {
    "not tested": ("a = a->next;", ""),
    "tested before the step": ("if (b) { b = b->next; b->key = 1; }", ""),
    "another one is tested": ("if (a) b->key = 1;", ""),
    "the copy is tested, the pointer advanced": ("struct node *t = c; if (t) { c = t->next; c->key = 1; }", ""),
    "the node is freed": ("", "if (l) { struct node *t = l; l = l->next; free(t); } if (a) a->key = 2; "),
    "another cursor's node is freed": ("", f"{UNLINK}if (b) b->key = 2; "),
    "a cursor frees": ("", "if (a) { free(a); } "),
    "the list is lost": ("", "l = b; "),
    "a cursor cuts": ("", "if (c) c->next = NULL; "),
    "without a value": ("{ struct node *e; if (__VERIFIER_nondet_int()) e = l; if (e) e = e->next; }", ""),
    "two steps, one tested": ("if (a) a = a->next->next;", ""),
    "a fact about two cursors": ("", "assert(a == b); "),
    "a fact about a cursor and a number": ("", "if (a) assert(a->key == 0); "),
}  # fmt: skip


def program_of(step: str, end: str, tmp_path: Path) -> Path:
    path = tmp_path / "program.c"
    path.write_text(
        f"{HEAD}{STEPS}        case 4: {step} break;\n        }}\n    }}\n    {end}{FREED}\n    return 0;\n}}\n"
    )
    return path


def by_cursors(path: Path) -> ShapeResult | None:
    return analyse_by_attempt(Prepared(read(path)), CURSORS, malloc_may_fail=True, seconds=30)


@pytest.mark.parametrize("name", SAFE)
def test_cursors_prove_it(name: str, tmp_path: Path) -> None:
    path = program_of(*SAFE[name], tmp_path)
    result = by_cursors(path)
    assert result is not None and is_proof(result)
    coverage = attacked(read(path), result, 0.5, max_runs=10)
    assert coverage.refuted is None and coverage.states


@pytest.mark.parametrize("name", UNSAFE)
def test_cursors_do_not_prove_it(name: str, tmp_path: Path) -> None:
    result = by_cursors(program_of(*UNSAFE[name], tmp_path))
    assert result is not None and kinds_of_alarms(result)


def with_copies(program: CProgram) -> CProgram:
    functions = {}
    for name, function in program.functions.items():
        cfa = with_copied_cursors(Memory(program, function.cfa, typed=True))
        every = {n for e in cfa.edges for x in expressions(e.label) for n in walk(x) if isinstance(n, Variable)}
        new = sorted((v for v in every if v.name.startswith("$at ")), key=lambda v: v.name)
        functions[name] = replace(function, cfa=cfa, locals=(*function.locals, *new))
    return replace(program, functions=functions)


def errors(found: Exploration) -> set[tuple[str, int]]:
    return {(c.fault.kind, c.fault.place.line) for c in found.findings}


@pytest.mark.parametrize("seed", [11, 100, 101, 107, 113, 120, 122, 125])
def test_random_programs_with_copies_have_the_same_errors(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cursors, "FEWEST_CURSORS", 1)
    monkeypatch.setattr(cursors, "_cursors", lambda memory: {v for v in memory.pointers if not v.is_global})
    path = tmp_path / "random.c"
    path.write_text(random_program(seed))
    program = prepare_program(inline(read_program([str(path)])))
    changed = with_copies(program)
    assert changed != program
    before = explore(program, seconds=20, malloc_may_fail=False)
    after = explore(changed, seconds=20, malloc_may_fail=False)
    assert before.complete and after.complete
    assert errors(before) == errors(after)


def test_what_is_only_copied_is_a_cursor(tmp_path: Path) -> None:
    prepared = Prepared(read(program_of("", "", tmp_path)))
    assert copied_cursors(prepared.cfa) == frozenset()
    names = {v.name for v in copied_cursors(with_copied_cursors(prepared.memory))}
    assert names == {"a", "b", "c", "d"}
