"""Contracts that a check of a library writes are proved where they are pasted, function by function."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from tests.slices import in_exam

from kleene.analysis.c.contracts import check_bodies, check_contracts
from kleene.analysis.c.library.check import check_library
from kleene.analysis.c.library.contracts.proved import prove_contracts
from kleene.analysis.c.options import check_options
from kleene.core.verdict import Verdict
from kleene.report.library_report import contract_lines
from kleene.results.library import FunctionVerdict

OPTIONS = check_options(timeout=120.0)
EXAMPLES = Path("examples/library")

STACK = """
#include <assert.h>
#include <stdlib.h>
struct frame { struct frame *below; int v; };
struct stack { struct frame *top; int depth; };
struct stack *stack_new(void) {
    struct stack *s = malloc(sizeof *s);
    if (s) { s->top = NULL; s->depth = 0; }
    return s;
}
int stack_push(struct stack *s, int v) {
    struct frame *f = malloc(sizeof *f);
    if (!f) return 0;
    f->v = v; f->below = s->top; s->top = f; s->depth++;
    return 1;
}
int stack_depth(const struct stack *s) { return s->depth; }
int stack_first(struct stack *s) { assert(s->top); return s->top->v; }
void stack_pop(struct stack *s) {
    struct frame *f = s->top;
    if (!f) return;
    s->top = f->below; free(f); s->depth--;
}
void stack_clear(struct stack *s) { while (s->top) stack_pop(s); }
void stack_free(struct stack *s) { stack_clear(s); free(s); }
"""
CLIENT = """
int main(int argc, char **argv) {
    struct stack *s = stack_new();
    if (!s) return 1;
    while (argc-- > 0) if (!stack_push(s, argc)) break;
    stack_pop(s);
    if (stack_depth(s) > 3) stack_pop(s);
    stack_free(s);
    return 0;
}
"""


@cache
def written(text: str, folder: Path) -> tuple[FunctionVerdict, ...]:
    """The functions of a library, with the contracts that are written for them."""
    file = folder / "library.c"
    file.write_text(text, encoding="utf-8")
    report = check_library(str(file), OPTIONS)
    prove_contracts(report, OPTIONS)
    assert report.verdict is Verdict.TRUE
    return tuple(report.functions)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("library")


def pasted(text: str, functions: tuple[FunctionVerdict, ...]) -> str:
    """The text with the contracts above the functions."""
    lines = text.split("\n")
    for function in sorted(functions, key=lambda f: -f.line):
        lines.insert(function.line - 1, function.contract)
    return "\n".join(lines)


def test_each_function_of_a_stack_is_proved_by_its_contract(folder: Path) -> None:
    """They were UNKNOWN: the analysis 'lost track of the heap', as nothing said what the first block is."""
    functions = written(STACK, folder)
    assert all(f.contract for f in functions)
    file = folder / "pasted.c"
    file.write_text(pasted(STACK, functions), encoding="utf-8")
    report = check_contracts([str(file)], OPTIONS)
    assert {*report.properties.values()} == {Verdict.TRUE}, report.reason


def test_a_client_is_proved_by_written_contracts(folder: Path) -> None:
    """The contracts say enough for callers: what is left after a call, and what was freed."""
    file = folder / "client.c"
    file.write_text(pasted(STACK, written(STACK, folder)) + CLIENT, encoding="utf-8")
    report = check_contracts([str(file)], OPTIONS)
    assert {*report.properties.values()} == {Verdict.TRUE}, report.reason
    twice = file.read_text(encoding="utf-8").replace("    return 0;\n}\n", "    stack_free(s);\n    return 0;\n}\n")
    file.write_text(twice, encoding="utf-8")
    report = check_contracts([str(file)], OPTIONS)
    assert Verdict.TRUE not in (report.properties["memsafety"], report.properties["contracts"])


def test_what_an_assertion_states_is_required(folder: Path) -> None:
    """Other functions are proved on all stacks: their contracts require no frame."""
    contracts = {f.name: f.contract for f in written(STACK, folder)}
    assert "E(v, w) (s(v) & top(v, w))" in contracts.pop("stack_first")
    assert not any("E(v, w)" in contract for contract in contracts.values())


def test_what_a_function_leaves_is_stated(folder: Path) -> None:
    contracts = {f.name: f.contract for f in written(STACK, folder)}
    assert "A(v) \\result(v)" in contracts["stack_new"]
    assert "A(v) s(v);" in contracts["stack_clear"] and "A(v) r[s](v);" in contracts["stack_push"]
    assert "frees r[s](v) & !s(v);" in contracts["stack_pop"] and "A(v) !old[r[s]](v)" in contracts["stack_free"]
    assert contracts["stack_depth"].endswith("modifies \\nothing; */")


@pytest.mark.parametrize(
    ("function", "right", "wrong"),
    [
        ("stack_push", "f->below = s->top;", "f->below = f;"),
        ("stack_push", "s->top = f;", ""),
        ("stack_pop", "s->top = f->below; free(f);", "free(f);"),
        ("stack_pop", "s->top = f->below; free(f);", "s->top = f->below;"),
        ("stack_pop", "s->top = f->below; free(f);", "free(f); s->top = f->below;"),
        ("stack_clear", "while (s->top) stack_pop(s);", "if (s->top) stack_pop(s);"),
        ("stack_free", "stack_clear(s); free(s);", "free(s);"),
        ("stack_free", "stack_clear(s); free(s);", "stack_clear(s);"),
        ("stack_new", "s->top = NULL;", ""),
        ("stack_depth", "return s->depth;", "((struct stack *)s)->top = 0; return 0;"),
    ],
)
def test_a_change_that_breaks_a_contract_is_one_of_its_function(
    folder: Path, function: str, right: str, wrong: str
) -> None:
    """Its callers are proved by the contract as it stands."""
    functions = written(STACK, folder)
    text = pasted(STACK, functions)
    assert right in text
    file = folder / "changed.c"
    file.write_text(text.replace(right, wrong), encoding="utf-8")
    bodies = check_bodies([str(file)], OPTIONS, {f.name for f in functions}, 5.0)
    assert [name for name, body in bodies.items() if body.reason] == [function]


@pytest.mark.parametrize(
    "name", ["dlist.c", "ring.c", *(pytest.param(name, marks=in_exam) for name in ("tree.c", "list.c", "headless.c"))]
)
def test_every_contract_of_an_example_is_proved(folder: Path, name: str) -> None:
    """Back pointers and a pointer to the last node, trees, and circles without a header."""
    file = folder / name
    file.write_text((EXAMPLES / name).read_text(encoding="utf-8"), encoding="utf-8")
    report = check_library(str(file), OPTIONS)
    prove_contracts(report, OPTIONS)
    proved = [f for f in report.functions if f.verdict is Verdict.TRUE]
    assert all(f.contract for f in proved) and len(proved) > 4, [f.no_contract for f in proved]


NO_FORMULA = """
#include <stdlib.h>
struct pair { int *both[2]; };
struct pair *pair_new(void) { return calloc(1, sizeof(struct pair)); }
void pair_free(struct pair *p) { free(p); }
"""


def test_what_is_not_proved_is_no_contract(tmp_path: Path) -> None:
    """Its functions get a comment with the reason, and none that is read as a contract."""
    file = tmp_path / "pair.c"
    file.write_text(NO_FORMULA, encoding="utf-8")
    report = check_library(str(file), OPTIONS)
    prove_contracts(report, OPTIONS)
    lines = "\n".join(contract_lines(report))
    assert report.verdict is Verdict.TRUE and "/*@" not in lines and lines.count("no formula") == 2
