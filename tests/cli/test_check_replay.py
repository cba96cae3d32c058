"""`kleene check --replay`: confirmed errors in the compiled program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_samples import Kleene

from kleene.analysis.c import compiled_runs
from kleene.analysis.c.compiled_runs import compiler

NONDET = "#include <stdlib.h>\n#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\n"
USED = "int main(void) { int *p = malloc(4); if (!p) return 0; *p = __VERIFIER_nondet_int();\n"
CASES = [
    (USED + "if (*p == 77) { free(p);\n return *p; } free(p); return 0; }", "heap-use-after-free at line 6"),
    (USED + "if (*p == 7) free(p);\n free(p); return 0; }", "AddressSanitizer reports double-free at line 6"),
    (USED + "p = 0;\n return *p; }", "null pointer"),
    (USED + "assert(*p != 5); free(p); return 0; }", "the assertion fails at line 5"),
    (USED + "if (*p < 9) return 0; free(p); return 0; }", "1 block is not freed"),
    ("void reach_error(void) { }\nint main(void) { if (__VERIFIER_nondet_int() == 3) reach_error(); return 0; }",
     "reach_error was called"),
    ("int main(int n, char **a) { int *q = 0; if (n == 2 && a[1][0] == 'k') *q = 1; return 0; }", "null pointer"),
]  # fmt: skip

needs_compiler = pytest.mark.skipif(compiler() is None, reason="there is no C compiler")


@needs_compiler
@pytest.mark.parametrize(("text", "said"), CASES)
def test_confirmed_errors_are_reproduced(text: str, said: str, kleene: Kleene, tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text(NONDET + text)
    result = kleene("check", str(path), "--replay", "--timeout", "10")
    assert "replayed: " in result.out and said in result.out, result.out
    assert "not reproduced" not in result.out


@needs_compiler
def test_an_entry_that_is_not_main_gets_a_driver(kleene: Kleene, tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text("static int f(int x) { int *q = 0; return x == 9 ? *q : 0; }\nint main(void) { return f(1); }\n")
    result = kleene("check", str(path), "--entry", "f", "--replay", "--json", "-")
    replays = [finding["replay"] for finding in json.loads(result.out)["findings"]]
    assert [replay["status"] for replay in replays] == ["reproduced"]


def test_without_a_compiler_one_line_says_so(kleene: Kleene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_runs, "compiler", lambda: None)
    path = tmp_path / "p.c"
    path.write_text("int main(void) { int *q = 0; return *q; }\n")
    result = kleene("check", str(path), "--replay")
    assert "not replayed: there is no C compiler (gcc or clang) on this machine" in result.out


@needs_compiler
def test_a_program_that_does_not_link_is_not_replayed(kleene: Kleene, tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text("void other(void);\nint main(int n, char **a) { int *q = 0; if (n > 2) other(); return *q; }\n")
    result = kleene("check", str(path), "--replay")
    assert "not replayed: it does not compile or link: " in result.out and "other" in result.out
