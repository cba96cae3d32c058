"""`make bench`, first part: the native machine beside the Python machine (and TVLA 3, if TVLA_HOME is set), in one run.

Every figure is the shortest of several runs. Seconds are those of the processor, so that other work on the machine does
not count; those of whole processes have start and output in them. Only TVLA's ratios are of the clock. The abstract
phase of C programs has two ratios: of the whole phase, in which most of the native time is Python that both machines
share (translation, derivation of updates, the loop), and of what the machines do in it (steps, stores, compilation).
The last table has a line for each goal: the work, the figure, and the goal.
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
    ("sorting/insert_sort", "rel"),
    ("sorting/bubble_sort", "rel"),
    ("sorting/insert_sort", "part"),
    ("sorting/bubble_sort", "part"),
)
"""TVP programs and joins whose analysis has more than 1,000 structures."""
SMALL = ("sll/reverse", "sll/search", "sll/delete", "sll/merge", "features/tree_insert")
C_EXAMPLES = ROOT / "examples" / "c"
CURSORS = ROOT / "benchmarks" / "cursors.c"


@dataclass(frozen=True)
class CProgram:
    """A program of more than 20,000 structures, and after how many an analysis of it ends."""

    path: Path
    most_structures: int = 1_000_000

    @property
    def name(self) -> str:
        return f"{self.path.stem}, {self.most_structures:,}" if self.path == CURSORS else self.path.stem


C_PROGRAMS = (
    CProgram(C_EXAMPLES / "trees/deutsch_schorr_waite.c"),
    CProgram(C_EXAMPLES / "trees/red_black.c"),
    CProgram(C_EXAMPLES / "trees/recursive_order.c"),
    CProgram(CURSORS, 200_000),
)
ONE_C_PROGRAM = "sll/reverse"
FOR_THREADS = (C_PROGRAMS[0], CProgram(CURSORS))
LARGE_RUN = 200_000
"""Structures of a run whose memory has a goal."""
MEBIBYTE = 1 << 20
PHASE = ROOT / "benchmarks" / "phase.py"
PHASE_PARTS = ("steps", "stores", "compilation", "derivation", "translation")
MACHINE_WORK = ("steps", "stores", "compilation")
"""The parts of the abstract phase that a machine does; all others are the same Python on both machines."""


@dataclass(frozen=True)
class Goal:
    """A line of the last table."""

    work: str
    figure: str
    goal: str


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


def abstract_phase(program: CProgram, machine: str, threads: int, repeat: int, *options: str) -> dict[str, float]:
    """The abstract phase of a C program; the run that took the least of the processor."""
    runs = [_phases(program, machine, threads, 1, *options)[0] for _ in range(repeat)]
    return min(runs, key=lambda r: r["processor"])


def _phases(program: CProgram, machine: str, threads: int, processes: int, *options: str) -> list[dict[str, float]]:
    """The abstract phase of a C program, in several processes at the same time."""
    environment = os.environ | {"KLEENE_MACHINE": machine, "KLEENE_THREADS": str(threads), "PYTHONHASHSEED": "0"}
    command = [sys.executable, str(PHASE), str(program.path), str(program.most_structures), *options]
    begun = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, cwd=ROOT) for _ in range(processes)]
    return [json.loads(process.communicate()[0]) for process in begun]


def machine_work(program: CProgram, machine: str) -> tuple[dict[str, float], float]:
    """The parts of the abstract phase of one run, and the seconds of those that the machine does."""
    parts = abstract_phase(program, machine, 1, 1, "--apart")
    return parts, sum(parts.get(part, 0.0) for part in MACHINE_WORK)


def _ratio(slow: float, fast: float) -> str:
    return f"{slow / fast:.1f}x" if fast else "-"


def _print(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    print(f"\n{title}\n\n{align_table(head, rows)}", flush=True)


def large(repeat: int, tvla: list[str] | None) -> list[Goal]:
    rows, ratios, beside = [], [], []
    for name, join in LARGE:
        arguments = ["run", str(EXAMPLES / name), "--quiet", "--order", "tvla", "--join", join]
        python, native = (run(arguments, machine, 1, repeat) for machine in ("python", "native"))
        ratios.append(python.analysis / native.analysis if native.analysis else 0.0)
        cells = [f"{name} --join {join}", f"{native.structures:,}", f"{python.analysis:.3f}"]
        cells += [f"{native.analysis:.3f}", _ratio(python.analysis, native.analysis)]
        cells.append(f"{native.structures / native.analysis:,.0f}" if native.analysis else "-")
        if tvla:
            other = measure_tvla(tvla, name, repeat=1, timeout=300, join=join)
            cells.append(other.error or _ratio(other.analysis, native.analysis))
            beside += [] if other.error or not native.analysis else [other.analysis / native.analysis]
        rows.append(cells)
    head = ["analysis of more than 1,000 structures", "structures", "Python s", "native s", "ratio", "per second"]
    _print("Analysis time, one thread", head + (["TVLA / native"] if tvla else []), rows)
    print(f"median {statistics.median(ratios):.1f}x")
    figure = f"median {statistics.median(beside):.0f}x, least {min(beside):.0f}x" if beside else "no TVLA at hand"
    return [Goal("more than 1,000 structures against TVLA 3, analysis", figure, "median >= 100x, none below 40x")]


def small(repeat: int, tvla: list[str] | None) -> list[Goal]:
    rows, beside = [], []
    for name in SMALL:
        arguments = ["run", str(EXAMPLES / name), "--quiet"]
        python, native = (run(arguments, machine, 1, repeat) for machine in ("python", "native"))
        cells = [name, str(native.structures), f"{python.processor:.2f}", f"{native.processor:.2f}"]
        cells.append(_ratio(python.processor, native.processor))
        if tvla:
            other = measure_tvla(tvla, name, repeat=1, timeout=300)
            cells.append(other.error or _ratio(other.process, native.clock))
            beside += [] if other.error else [other.process / native.clock]
        rows.append(cells)
    head = ["small TVP program", "structures", "Python s", "native s", "ratio"]
    _print("Whole process", head + (["TVLA / native"] if tvla else []), rows)
    figure = f"{min(beside):.1f}x to {max(beside):.1f}x" if beside else "no TVLA at hand"
    return [Goal("fewer than 200 structures against TVLA 3, whole process", figure, ">= 3x")]


def c_programs(repeat: int) -> list[Goal]:
    rows, goals, shares = [], [], []
    for program in C_PROGRAMS:
        python, native = (abstract_phase(program, machine, 1, repeat) for machine in ("python", "native"))
        (_, slow), (parts, fast) = (machine_work(program, machine) for machine in ("python", "native"))
        ratio = _ratio(python["processor"], native["processor"])
        cells = [program.name, f"{native['structures']:,.0f}"]
        cells += [f"{python['processor']:.2f}", f"{native['processor']:.2f}", ratio]
        cells += [f"{slow:.2f}", f"{fast:.2f}", _ratio(slow, fast)]
        cells.append(f"{native['structures'] / native['processor']:,.0f}")
        rows.append([*cells, *(f"{run['memory'] / MEBIBYTE:.0f}" for run in (python, native))])
        named = [parts.get(part, 0.0) for part in PHASE_PARTS]
        shares.append(
            [program.name, *(f"{part / parts['processor']:.0%}" for part in (*named, parts["processor"] - sum(named)))]
        )
        goals.append(Goal(f"native against Python machine, abstract phase of {program.name}", ratio, ">= 20x"))
        goals.append(Goal("  the steps, stores and compilation in it", _ratio(slow, fast), ">= 20x"))
        if native["structures"] >= LARGE_RUN:
            share = f"{native['memory'] / python['memory']:.0%}"
            goals.append(Goal(f"memory of the native against the Python machine, {program.name}", share, "<= 50%"))
    head = ["C program", "structures", "Python s", "native s", "ratio", "machine: Python s", "native s", "ratio"]
    _print("Abstract phase, one thread", [*head, "per second", "Python MiB", "native MiB"], rows)
    _print("Shares of the abstract phase on the native machine", ("C program", *PHASE_PARTS, "the rest"), shares)
    one = run(["check", str(ROOT / "examples" / "c" / f"{ONE_C_PROGRAM}.c")], "native", 1, repeat)
    figure = f"{one.processor:.2f} s"
    return [*goals, Goal(f"kleene check {ONE_C_PROGRAM}.c, processor, whole process", figure, "<= 0.4 s")]


def threads(repeat: int) -> list[Goal]:
    """The clock counts where the machine is idle.

    Elsewhere, what the thread that calls spends shows what a free core would give, and what is not steps or stores
    bounds it (Amdahl). What two processes at the same time reach, which share nothing, bounds it too.
    """
    goals = []
    for program in FOR_THREADS:
        alone, together = (abstract_phase(program, "native", count, repeat) for count in (1, 2))
        clock = _ratio(alone["clock"], together["clock"])
        apart = [max(run["clock"] for run in _phases(program, "native", 1, 2)) for _ in range(repeat)]
        ceiling = _ratio(2 * alone["clock"], min(apart))
        possible = _ratio(alone["processor"], together["thread"])
        parts, _ = machine_work(program, "native")
        serial = 1.0 - (parts["steps"] + parts["stores"]) / parts["processor"]
        figure = f"{clock} of the clock, two processes {ceiling}; {possible} where a core is free; {serial:.0%} serial"
        goals.append(Goal(f"two threads against one, {program.name}", figure, ">= 1.6x"))
    return goals


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="runs of each (default 3)")
    repeat = parser.parse_args().repeat
    if not native_is_built():
        sys.exit("the native machine is not built: there is nothing to compare")
    home = os.environ.get("TVLA_HOME")
    tvla = command_of(home) if home else None
    goals = [*large(repeat, tvla), *small(repeat, tvla), *c_programs(repeat), *threads(repeat)]
    _print("Goals", ("work", "figure", "goal"), [(goal.work, goal.figure, goal.goal) for goal in goals])
    if not tvla:
        print(f"\n{HOW_TO}")


if __name__ == "__main__":
    main()
