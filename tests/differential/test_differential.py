"""The interpreter and the machine's compiler, with sanitizers, agree on whole programs: output, status, error."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from compare import CSMITH, CSMITH_HEADERS, difference, generate, interpreted

from kleene.analysis.c.compiled_runs import compiler

PROGRAMS = Path(__file__).parent / "programs"
FEW = range(1, 9)
"""Seeds of csmith for `make test`: one of each variant."""
MANY = range(1, 201)
"""Seeds of csmith for `make exam`."""

needs_compiler = pytest.mark.skipif(compiler() is None, reason="there is no C compiler")
needs_csmith = pytest.mark.skipif(
    CSMITH is None or not CSMITH_HEADERS.is_dir(), reason="csmith and libcsmith-dev are not installed"
)


@needs_compiler
@pytest.mark.parametrize("name", sorted(path.stem for path in PROGRAMS.glob("*.c")))
def test_written_program(name: str, tmp_path: Path) -> None:
    """Array parameters did not decay, `%lu` of a negative number was cut to 32 bits."""
    assert difference(PROGRAMS / f"{name}.c", tmp_path) == ""


@needs_compiler
@needs_csmith
@pytest.mark.parametrize("seed", MANY if os.environ.get("KLEENE_EXAM") else FEW)
def test_generated_program(seed: int, tmp_path: Path) -> None:
    answer = difference(generate(seed, tmp_path), tmp_path)
    assert not answer or answer.startswith("not compared"), answer


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("int x = 0; return 5 / x;", "division by zero"),
        ("int x = 40; return 1 << x;", "shift by a negative number or by too many bits"),
        (
            "static jmp_buf b; int n = 2, a[n]; if (setjmp(b)) return 0; longjmp(b, 1);",
            "longjmp out of the scope of an array of variable length",
        ),
    ],
)
def test_what_the_interpreter_refuses(body: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text(f"#include <setjmp.h>\nint main(void) {{ {body} }}\n")
    answer = interpreted(path)
    assert isinstance(answer, str) and reason in answer
