"""TVLA 3 on the same files, if TVLA_HOME points to an installation."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from measure import EXAMPLES

HOW_TO = (
    "TVLA is not compared: set TVLA_HOME to a TVLA 3 installation (a folder with tvla.jar, or with a start script "
    "'tvla' or 'bin/tvla') to run it on the same files and see the ratios."
)
_SECONDS = re.compile(r"analysis time[^\d\n]*([\d.]+)\s*(?:sec|s\b)", re.IGNORECASE)


@dataclass(frozen=True)
class TvlaRun:
    """TVLA's times; `analysis` is the process without its start-up if TVLA does not print it."""

    process: float = 0.0
    analysis: float = 0.0
    error: str = ""


def command_of(home: str) -> list[str] | None:
    """How to start TVLA, or None if nothing is found there."""
    folder = Path(home)
    for jar in (folder / "tvla.jar", folder / "lib" / "tvla.jar"):
        if jar.is_file() and shutil.which("java"):
            return ["java", "-Xmx6g", f"-Dtvla.home={folder}", "-jar", str(jar)]
    for script in (folder / "tvla", folder / "bin" / "tvla"):
        if script.is_file() and os.access(script, os.X_OK):
            return [str(script)]
    return None


def measure_tvla(command: list[str], name: str, *, repeat: int, timeout: float, join: str = "part") -> TvlaRun:
    """The shortest of several runs, in a copy of the examples: TVLA writes beside its input."""
    options = ["-join", join]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "tvp"
        shutil.copytree(EXAMPLES, copy)
        program = copy / name
        whole = [_once(command, program, options, timeout) for _ in range(repeat)]
        best = min(whole, key=lambda run: run[0])
        if best[2]:
            return TvlaRun(error=best[2])
        found = _SECONDS.search(best[1])
        if found:
            return TvlaRun(best[0], float(found[1]))
        start_up = min(_once(command, program, [*options, "-ms", "0"], timeout)[0] for _ in range(repeat))
        return TvlaRun(best[0], max(0.0, best[0] - start_up))


def _once(command: list[str], program: Path, options: list[str], timeout: float) -> tuple[float, str, str]:
    start = time.perf_counter()
    try:
        done = subprocess.run(
            [*command, program.name, program.name, *options],
            cwd=program.parent,
            capture_output=True,
            text=True,
            timeout=timeout,
            env=os.environ,
        )
    except subprocess.TimeoutExpired:
        return timeout, "", f"more than {timeout:.0f} s"
    text = done.stdout + done.stderr
    lines = [line for line in text.splitlines() if re.match(r"\s*(Error|Internal Error|.*Exception)", line)]
    failed = done.returncode != 0 or (lines and "structures" not in text)
    return time.perf_counter() - start, text, (lines or ["failed"])[0][:80] if failed else ""
