"""Inlining: unique names for every call site, pointers resolved, recursion left alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kleene.c import read_program
from kleene.cfa.operations import Call, EndScope, Unsupported
from kleene.cfa.program import SUMMARY, CProgram
from kleene.diagnostics import LimitReached
from kleene.domains.explicit.explore import explore
from kleene.domains.explicit.interpreter import run
from kleene.passes.calls.inline import inline

CORPUS = Path(__file__).parents[2] / "corpus_c"


def read(tmp_path: Path, text: str) -> CProgram:
    (tmp_path / "p.c").write_text(text)
    return read_program(tmp_path / "p.c")


def test_each_call_site_has_its_own_copy(tmp_path: Path) -> None:
    program = inline(
        read(tmp_path, "int f(int x) { int y = x; return y; } int main(void) { int a = f(1); return f(a); }")
    )
    assert list(program.functions) == ["main"]
    names = [v.name for v in program.main.locals]
    assert names == ["a", "$t1", "f$1.x", "f$1.y", "f$2.x", "f$2.y"]
    shown = [str(e.label) for e in program.main.cfa.edges]
    assert "f$1.x = 1" in shown and "a = f$1.y" in shown and "f$2.x = a" in shown
    assert any(isinstance(e.label, EndScope) for e in program.main.cfa.edges)
    assert run(program, malloc_may_fail=False).status == 1


def test_recursive_functions_stay(tmp_path: Path) -> None:
    text = "int d(int n) { return n; } int r(int n) { return n ? r(n - 1) + d(1) : 0; } int main(void) { return r(3); }"
    program = inline(read(tmp_path, text))
    assert set(program.functions) == {"main", "r"}
    assert program.recursive_functions == {"r"}
    calls = [e.label.function for f in program.functions.values() for e in f.cfa.edges if isinstance(e.label, Call)]
    assert calls == ["r", "r"]
    assert run(program, malloc_may_fail=False).status == 3


def test_calls_through_pointers_become_choices(tmp_path: Path) -> None:
    text = """int a(int x) { return x; } int b(int x) { return x + 1; } int c(void) { return 9; } int (*z)(void) = c;
              int main(int n) { int (*f)(int) = n > 1 ? a : b; return f(4); }"""
    program = inline(read(tmp_path, text))
    assert not any(isinstance(e.label, Call) for e in program.main.cfa.edges)
    assert any(isinstance(e.label, Unsupported) for e in program.main.cfa.edges)
    assert [run(program, [n], malloc_may_fail=False).status for n in (1, 2)] == [5, 4]


def test_too_large(tmp_path: Path) -> None:
    with pytest.raises(LimitReached):
        inline(read(tmp_path, "int f(void) { return 1; } int main(void) { return f() + f() + f(); }"), max_edges=4)


NULL_CALL = CORPUS / "dispatch.c"  # a call through NULL: inlined, it is a pointer to no known function


@pytest.mark.parametrize("path", sorted(set(CORPUS.glob("*.c")) - {NULL_CALL}), ids=lambda path: path.stem)
def test_inlined_programs_have_the_same_errors(path: Path) -> None:
    program = read_program(path)
    bodies = {name: f for name, f in program.functions.items() if not name.startswith(SUMMARY)}
    program = replace(program, functions=bodies)  # summaries of library functions cannot be run
    before, after = explore(program, malloc_may_fail=False), explore(inline(program), malloc_may_fail=False)
    kinds = [
        {(c.fault.kind, c.fault.place.line) for c in r.findings if c.fault.kind != "memory_leak"}
        for r in (before, after)
    ]
    assert kinds[0] == kinds[1], str(after)
    assert after.complete
