"""Measuring one run of the tool: each in a process of its own, so that memory and memos are its own too."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples" / "tvp"
_START = "from kleene.cli import main; main()"
_WITHOUT_INSTALLED = (
    "import sys; sys.meta_path[:] = [f for f in sys.meta_path if 'ScikitBuild' not in type(f).__name__]"
)
"""An editable installation finds its own modules first; another commit's are on the path."""


@dataclass(frozen=True)
class Measurement:
    """What one example needed; the shortest of several runs. `phases` are from a run of their own."""

    name: str
    verdict: str = "failed"
    generated: int = 0
    stored: int = 0
    load: float = 0.0
    analysis: float = 0.0
    process: float = 0.0
    memory: int = 0
    phases: dict[str, float] = field(default_factory=dict)
    error: str = ""

    @property
    def rate(self) -> float:
        return self.generated / self.analysis if self.analysis else 0.0

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"structures_per_second": round(self.rate, 1)}


def examples(pattern: str) -> list[str]:
    """The programs with an input file of their own whose name matches, such as ``sll/reverse``."""
    found = [path for path in sorted(EXAMPLES.rglob("*.tvp")) if path.with_suffix(".tvs").exists()]
    return [name for path in found if Path(name := _name(path)).match(pattern) or pattern in name]


def _name(path: Path) -> str:
    return str(path.relative_to(EXAMPLES).with_suffix(""))


def measure(name: str, *, repeat: int, source: Path | None = None, profile: bool = True) -> Measurement:
    """Run an example with the code under `source` (this tree's if None)."""
    runs = [_run(name, source, []) for _ in range(repeat)]
    good = [run for run in runs if not run.error]
    if not good:
        return runs[0]
    best = min(good, key=lambda run: run.analysis)
    phases = _run(name, source, ["--profile"]).phases if profile else {}
    process = min(_process(name, source) for _ in range(repeat))
    return Measurement(
        name,
        best.verdict,
        best.generated,
        best.stored,
        min(run.load for run in good),
        best.analysis,
        process,
        min(run.memory for run in good),
        phases,
    )


def _command(name: str, source: Path | None) -> list[str]:
    start = _START if source is None else f"{_WITHOUT_INSTALLED}; {_START}"
    return [sys.executable, "-c", start, "run", str(EXAMPLES / name)]


def environment(source: Path | None) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(source or ROOT / "src"), "PYTHONHASHSEED": "0"}


def _run(name: str, source: Path | None, options: list[str]) -> Measurement:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "out.json"
        command = [*_command(name, source), "--quiet", "--json", str(target), *options]
        done = subprocess.run(command, env=environment(source), capture_output=True, text=True)
        if not target.exists():
            return Measurement(name, error=(done.stderr.strip().splitlines() or ["no result"])[0])
        document = json.loads(target.read_text(encoding="utf-8"))
    totals, seconds = document["totals"], document["seconds"]
    return Measurement(
        name,
        document["verdict"],
        totals["generated"],
        totals["stored"],
        seconds["load"],
        seconds["analysis"],
        0.0,
        totals["peak_memory_bytes"],
        {phase: value for phase, value in seconds.items() if phase not in ("load", "analysis")},
    )


def _process(name: str, source: Path | None) -> float:
    """The whole process, from start to end, without any output."""
    start = time.perf_counter()
    subprocess.run([*_command(name, source), "--quiet"], env=environment(source), capture_output=True)
    return time.perf_counter() - start
