"""Odd but legal C of real builds: GNU extensions, C11, old styles. None ends in an internal error or a wrong verdict.

The first line of each program says what comes: `TRUE`, `FALSE` with the kind of finding, `UNKNOWN` with a part of the
reason, which names the place, or `ERROR` with a part of the message. Those that are TRUE end with status 0 after gcc.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from kleene.analysis.c.check import check
from kleene.analysis.c.options import check_options
from kleene.core.verdict import Verdict
from kleene.diagnostics import InputError

PROGRAMS = {path.stem: path for path in sorted((Path(__file__).parent / "constructs").glob("*.c"))}
GCC = shutil.which("gcc")


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_construct(name: str) -> None:
    path = PROGRAMS[name]
    expected, _, detail = path.read_text().partition("\n")[0].removeprefix("// ").partition(": ")
    if expected == "ERROR":
        with pytest.raises(InputError, match=detail):
            check([str(path)], check_options(timeout=15.0))
        return
    report = check([str(path)], check_options(timeout=15.0))
    assert report.verdict is Verdict[expected], (report.reason, [str(f) for f in report.findings])
    if expected == "UNKNOWN":
        assert detail in report.reason or any(detail in f.message for f in report.findings)
        assert report.reason.startswith(f"{path}:")
    if expected == "FALSE":
        assert detail in {f.kind for f in report.findings if f.confirmed}


@pytest.mark.skipif(GCC is None, reason="there is no gcc")
@pytest.mark.parametrize("name", [n for n, p in PROGRAMS.items() if p.read_text().startswith("// TRUE")])
def test_it_runs_without_an_error(name: str, tmp_path: Path) -> None:
    """Else TRUE would be wrong."""
    binary = tmp_path / "program"
    subprocess.run([str(GCC), "-w", "-std=gnu11", "-o", str(binary), str(PROGRAMS[name])], check=True)
    assert subprocess.run([str(binary)], check=False).returncode == 0
