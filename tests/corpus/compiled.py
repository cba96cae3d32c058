"""The examples compiled with the sanitizers, as `kleene check --replay` compiles programs."""

from __future__ import annotations

from pathlib import Path

from marks import Program

from kleene.analysis.c.compiled_runs import build, compiler

HAS_COMPILER = compiler() is not None
_WARNINGS = ("-Wall", "-Wno-unknown-pragmas", "-Wno-unused-function", "-Wno-unused-but-set-variable")


def compile_program(program: Program, folder: Path) -> Path:
    """The executable; warnings of the compiler are errors of the example."""
    return build(program.files, folder, ("-w",) if program.buggy else (*_WARNINGS, "-Werror"))
