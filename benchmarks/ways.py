"""What the ways to fewer structures (slices, calls, parts, no numbers) cost the examples, most with one structure.

Every example is checked with and without them in fresh processes, in alternation; the table has the seconds of the
processor for the examples that they change, the sums, and examples whose verdict differs. The goal is 1.1 for the sums.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from growth import children_seconds
from measure import ROOT, environment

from kleene.report.run.table import align_table

EXAMPLES = ROOT / "examples" / "c"
TIMEOUT = 60.0
"""Seconds for one example."""
GOAL = 1.1
CHANGE_SECONDS = 0.3
"""Seconds of difference from which an example has a row of its own: less is noise."""
WITHOUT = """
from kleene.analysis.c.shape import run
from kleene.passes.facts import calls
from kleene.passes.preparation import Prepared
run.STRUCTURES_BEFORE_PARTS = run.STRUCTURES_BEFORE_PARTS_OF_CALLS = calls.LARGE_EDGES = float("inf")
Prepared.slices = ()
"""
START = "from kleene.cli import main; main()"


def checked(path: Path, *, ways: bool, seconds: float) -> tuple[str, float]:
    """The verdict of a check in a process of its own, and its seconds of the processor."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "out.json"
        code = START if ways else WITHOUT + START
        options = ["--quiet", "--timeout", str(seconds), "--json", str(target)]
        before = children_seconds()
        subprocess.run(
            [sys.executable, "-c", code, "check", str(path), *options], env=environment(None), capture_output=True
        )
        taken = children_seconds() - before
        document = json.loads(target.read_text(encoding="utf-8")) if target.exists() else {}
    return document.get("verdict", "failed"), taken


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", default="", help="part of the names of examples")
    parser.add_argument("--seconds", type=float, default=TIMEOUT)
    options = parser.parse_args()
    rows, sums = [], [0.0, 0.0]
    for path in sorted(EXAMPLES.rglob("*.c")):
        name = str(path.relative_to(EXAMPLES).with_suffix(""))
        text = path.read_text(encoding="utf-8")
        if options.part not in name or "// RUN: kleene check\n" not in text:  # without other options and files
            continue
        (before, off), (after, on) = (checked(path, ways=ways, seconds=options.seconds) for ways in (False, True))
        sums = [sums[0] + off, sums[1] + on]
        print(f"so far {sums[0]:.1f} s without, {sums[1]:.1f} s with: {name}", end="\r", file=sys.stderr)
        if before != after or abs(on - off) > CHANGE_SECONDS:
            rows.append([name, before, f"{off:.2f}", after, f"{on:.2f}", f"{on / off:.2f}"])
            print(*rows[-1], file=sys.stderr)
    rows.append(
        ["all", "", f"{sums[0]:.1f}", "", f"{sums[1]:.1f}", f"{sums[1] / max(sums[0], 1e-9):.2f} (goal {GOAL})"]
    )
    print(align_table(["example", "without", "s", "with", "s", "factor"], rows))


if __name__ == "__main__":
    main()
