"""The module for BenchExec, loaded and used by BenchExec itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from kleene.cli import run_main

model = pytest.importorskip("benchexec.model")
from benchexec.tools.template import BaseTool2  # noqa: E402
from benchexec.util import ProcessExitCode  # noqa: E402
from tests.batch.programs import LEAK, SAFE  # noqa: E402

from kleene.benchexec_tool import Tool  # noqa: E402

LIMITS = BaseTool2.ResourceLimits(cputime=100, cputime_hard=None, walltime=None, memory=None, cpu_cores=None)
EXIT = "#include <stdlib.h>\nint *p;\nint main(void) { p = malloc(4); return 0; }\n"
NULL = "int main(void) { int *p = 0; return *p; }\n"


def answer(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, prp: str) -> str:
    """The result that BenchExec reports for a program and a property."""
    (tmp_path / "a.c").write_text(text)
    (tmp_path / "p.prp").write_text(f"CHECK( init(main()), LTL({prp}) )\n")
    task = BaseTool2.Task.with_files(
        [str(tmp_path / "a.c")], property_file=str(tmp_path / "p.prp"), options={"data_model": "ILP32"}
    )
    tool = Tool()
    words = tool.cmdline("kleene", [], task, LIMITS)
    assert words[:3] == ["kleene", "check", "--svcomp"] and "90" in words
    code = run_main(words[1:])
    output = BaseTool2.RunOutput(capsys.readouterr().out.splitlines(keepends=True))
    run = SimpleNamespace(
        cmdline=words,
        exit_code=ProcessExitCode.create(value=code),
        output=output,
        termination_reason=None,
        was_timeout=False,
    )
    return tool.determine_result(run)


@pytest.mark.parametrize(
    ("text", "prp", "wanted"),
    [
        (SAFE, "G valid-free", "true"),
        (LEAK, "G valid-memtrack", "false(valid-memtrack)"),
        (EXIT, "G valid-memcleanup", "false(valid-memcleanup)"),
        (NULL, "G valid-deref", "false(valid-deref)"),
        ("int main( {", "G valid-deref", "ERROR (bad input)"),
    ],
)
def test_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, prp: str, wanted: str) -> None:
    assert answer(tmp_path, capsys, text, prp) == wanted


def test_the_data_model_of_a_task(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--svcomp` means 32 bits: a task of 64 bits had no way to say so."""
    text = "extern void reach_error(void);\nint main(void) { if (sizeof(void *) == 8) reach_error(); return 0; }\n"
    (tmp_path / "a.c").write_text(text)
    for model_name, wanted in (("ILP32", 0), ("LP64", 1)):
        task = BaseTool2.Task.with_files([str(tmp_path / "a.c")], options={"data_model": model_name})
        assert run_main(Tool().cmdline("kleene", ["--property", "unreach"], task, LIMITS)[1:]) == wanted


def test_benchexec_accepts_the_module() -> None:
    """BenchExec's own test of tool-info modules finds the executable and its version."""
    command = [sys.executable, "-m", "benchexec.test_tool_info", "kleene.benchexec_tool", "--no-container"]
    command += ["--tool-directory", str(Path(sys.executable).parent)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    told = done.stdout + done.stderr
    assert "Kleene" in told and "0.1.0" in told
