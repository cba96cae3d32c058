"""What the coverage of real runs costs: `kleene check` with the default self-check and without it, in one run.

Each program is checked in fresh processes, alternately with and without; the least time of the processor of some
rounds counts, since the machine may be busy. The sum may grow by at most a tenth: more is exit code 1.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "corpus"))

from marks import Program, programs  # noqa: E402

from kleene.report.run.table import align_table  # noqa: E402

_START = "from kleene.cli import main; main()"
MOST = 0.1
"""The share by which the sum of the times may grow."""
LEAST = 30
"""Programs below which a sum says nothing."""


@dataclass
class Cost:
    """One program: seconds of the processor with and without, and what was covered."""

    name: str
    with_runs: float
    without: float
    covered: str


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", default="", metavar="TEXT", help="only programs whose name contains this")
    parser.add_argument("--every", type=int, default=4, metavar="N", help="every N-th program (default: 4)")
    parser.add_argument("--rounds", type=int, default=2, help="times that each is measured (default: 2)")
    parser.add_argument("--timeout", type=float, default=30.0, help="seconds for each program (default: 30)")
    options = parser.parse_args()
    chosen = [p for p in programs() if options.examples in p.name and not p.slow][:: options.every]
    costs = [_cost(program, options.rounds, options.timeout) for program in chosen]
    rows = [[c.name, f"{c.with_runs:.2f}", f"{c.without:.2f}", _grown(c), c.covered] for c in costs]
    whole = Cost(f"{len(costs)} programs", sum(c.with_runs for c in costs), sum(c.without for c in costs), "")
    rows.append([whole.name, f"{whole.with_runs:.2f}", f"{whole.without:.2f}", _grown(whole), ""])
    print(align_table(["program", "CPU s", "without runs", "more", "covered"], rows))
    if len(costs) < LEAST:
        print(f"fewer than {LEAST} programs: no verdict")
        return 0
    return int(whole.with_runs > (1 + MOST) * whole.without)


def _grown(cost: Cost) -> str:
    return f"{100 * (cost.with_runs / cost.without - 1):+.1f} %"


def _cost(program: Program, rounds: int, timeout: float) -> Cost:
    with_runs, without, covered = [], [], "-"
    for _ in range(rounds):
        seconds, document = _checked(program, timeout, [])
        with_runs.append(seconds)
        coverage = document["statistics"].get("coverage")
        covered = f"{coverage['states']} states, {coverage['runs']} runs" if coverage else covered
        without.append(_checked(program, timeout, ["--self-check", "0"])[0])
    return Cost(program.name, min(with_runs), min(without), covered)


def _checked(program: Program, timeout: float, more: list[str]) -> tuple[float, dict[str, Any]]:
    """The seconds of the processor of one check in a process of its own, and its report."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        command = [sys.executable, "-c", _START, "check", *program.files, *program.options, *more]
        command += ["--quiet", "--timeout", str(timeout), "--json", file.name]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        document: dict[str, Any] = json.loads(Path(file.name).read_text(encoding="utf-8"))
    return usage.ru_utime + usage.ru_stime, document


if __name__ == "__main__":
    sys.exit(main())
