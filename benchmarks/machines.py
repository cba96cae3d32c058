"""`make bench`, first part: the native machine beside the Python machine (and TVLA 3, if TVLA_HOME is set), in one run.

Every figure is the shortest of several runs. Those of whole processes are seconds of the processor, start and output
included, so that other work on the machine does not count; the others are what the analysis itself reports.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from measure import EXAMPLES, ROOT
from tvla import HOW_TO, command_of, measure_tvla

from kleene.report.run.table import align_table
from kleene.structures.machine import native_is_built

LARGE = (
    ("sorting/insert_sort", ("--order", "tvla", "--join", "rel")),
    ("sorting/bubble_sort", ("--order", "tvla", "--join", "rel")),
    ("sorting/insert_sort", ("--order", "tvla")),
    ("sorting/bubble_sort", ("--order", "tvla")),
)
SMALL = ("sll/reverse", "sll/search", "sll/delete", "sll/merge", "features/tree_insert")
C_PROGRAMS = ("trees/deutsch_schorr_waite", "nested/list_of_lists", "trees/red_black", "sll/bubble_sort")
ONE_C_PROGRAM = "sll/reverse"
FOR_THREADS = "trees/deutsch_schorr_waite"


@dataclass(frozen=True)
class Run:
    """One process: seconds of the processor, of the clock, and what it reported."""

    processor: float
    clock: float
    analysis: float
    structures: int
    verdict: str


def run(arguments: Sequence[str], machine: str, threads: int, repeat: int) -> Run:
    """`kleene ARGUMENTS` on a machine; the run that took the least of the processor."""
    return min((_once(arguments, machine, threads) for _ in range(repeat)), key=lambda r: r.processor)


def _once(arguments: Sequence[str], machine: str, threads: int) -> Run:
    environment = os.environ | {"KLEENE_MACHINE": machine, "KLEENE_THREADS": str(threads), "PYTHONHASHSEED": "0"}
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "out.json"
        command = [sys.executable, "-c", "from kleene.cli import main; main()", *arguments, "--json", str(target)]
        before, start = os.times(), os.times().elapsed
        subprocess.run(command, env=environment, capture_output=True, cwd=ROOT)
        after = os.times()
        spent = after.children_user + after.children_system - before.children_user - before.children_system
        if not target.exists():
            return Run(spent, after.elapsed - start, 0.0, 0, "failed")
        document = json.loads(target.read_text(encoding="utf-8"))
    if "totals" in document:
        found = document["seconds"]["analysis"], document["totals"]["generated"]
    else:
        found = document["statistics"]["seconds"], document["statistics"]["structures"]
    return Run(spent, after.elapsed - start, found[0], found[1], document["verdict"])


def _ratio(slow: float, fast: float) -> str:
    return f"{slow / fast:.1f}x" if fast else "-"


def _print(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    print(f"\n{title}\n\n{align_table(head, rows)}", flush=True)


def large(repeat: int, tvla: list[str] | None) -> None:
    rows, ratios = [], []
    for name, options in LARGE:
        arguments = ["run", str(EXAMPLES / name), "--quiet", *options]
        python, native = (run(arguments, machine, 1, repeat) for machine in ("python", "native"))
        ratios.append(python.analysis / native.analysis if native.analysis else 0.0)
        cells = [f"{name} {' '.join(options)}", f"{native.structures:,}", f"{python.analysis:.3f}"]
        cells += [f"{native.analysis:.3f}", _ratio(python.analysis, native.analysis)]
        cells.append(f"{native.structures / native.analysis:,.0f}" if native.analysis else "-")
        if tvla:
            other = measure_tvla(tvla, name, repeat=1, timeout=300)
            cells.append(other.error or _ratio(other.analysis, native.analysis))
        rows.append(cells)
    head = ["analysis of more than 1,000 structures", "structures", "Python s", "native s", "ratio", "per second"]
    _print("Analysis time, one thread", head + (["TVLA / native"] if tvla else []), rows)
    print(f"median {statistics.median(ratios):.1f}x")


def small(repeat: int, tvla: list[str] | None) -> None:
    rows = []
    for name in SMALL:
        arguments = ["run", str(EXAMPLES / name), "--quiet"]
        python, native = (run(arguments, machine, 1, repeat) for machine in ("python", "native"))
        cells = [name, str(native.structures), f"{python.processor:.2f}", f"{native.processor:.2f}"]
        cells.append(_ratio(python.processor, native.processor))
        if tvla:
            other = measure_tvla(tvla, name, repeat=1, timeout=300)
            cells.append(other.error or _ratio(other.process, native.clock))
        rows.append(cells)
    head = ["small TVP program", "structures", "Python s", "native s", "ratio"]
    _print("Whole process", head + (["TVLA / native"] if tvla else []), rows)


def c_programs(repeat: int) -> None:
    rows = []
    for name in C_PROGRAMS:
        arguments = ["check", str(ROOT / "examples" / "c" / f"{name}.c"), "--timeout", "60"]
        python, native = (run(arguments, machine, 1, repeat) for machine in ("python", "native"))
        rates = [r.structures / r.processor if r.processor else 0.0 for r in (python, native)]
        cells = [name]
        for r in (python, native):
            cells += [r.verdict, f"{r.structures:,}", f"{r.processor:.2f}"]
        rows.append([*cells, _ratio(rates[1], rates[0])])
    head = ("C program", "Python", "structures", "s", "native", "structures", "s", "structures per second")
    _print("kleene check, whole process, one thread", head, rows)
    one = run(["check", str(ROOT / "examples" / "c" / f"{ONE_C_PROGRAM}.c")], "native", 1, repeat)
    print(f"\nkleene check {ONE_C_PROGRAM}.c: {one.processor:.2f} s of the processor, whole process")


def threads(repeat: int) -> None:
    arguments = ["check", str(ROOT / "examples" / "c" / f"{FOR_THREADS}.c"), "--timeout", "60"]
    alone, together = (run(arguments, "native", count, repeat) for count in (1, 2))
    ratio = _ratio(alone.clock, together.clock)
    print(
        f"\n{FOR_THREADS}, {alone.structures:,} structures: {alone.clock:.2f} s of the clock with one thread, ", end=""
    )
    print(f"{together.clock:.2f} s with two: {ratio}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="runs of each (default 3)")
    repeat = parser.parse_args().repeat
    if not native_is_built():
        sys.exit("the native machine is not built: there is nothing to compare")
    home = os.environ.get("TVLA_HOME")
    tvla = command_of(home) if home else None
    large(repeat, tvla)
    small(repeat, tvla)
    c_programs(repeat)
    threads(repeat)
    if not tvla:
        print(f"\n{HOW_TO}")


if __name__ == "__main__":
    main()
