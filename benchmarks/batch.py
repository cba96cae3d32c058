"""Throughput of `kleene batch` against `xargs -P` of single checks, and of a local Dask cluster.

    python benchmarks/batch.py [--workers 1 2] [--rounds 3] [--folder examples/c/sll] [--cluster]

The commands alternate, so that other work on the machine hurts all of them alike. Wall seconds are those of the fastest
round; the ratio is xargs over batch, from the same round. Both start each check in a session of its own, because Linux
shares the processor between sessions.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KLEENE = str(Path(sys.executable).parent / "kleene")


def timed(command: Sequence[str], text: str = "") -> tuple[float, float]:
    """Wall and processor seconds of a command with everything that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(command, input=text.encode(), stdout=subprocess.DEVNULL, check=False)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=ROOT / "examples" / "c" / "sll")
    parser.add_argument("--most", type=int, default=12, help="so many programs of the folder")
    parser.add_argument("--cluster", action="store_true", help="also on a local Dask cluster")
    given = parser.parse_args()
    programs = [str(path) for path in sorted(given.folder.glob("*.c"))][: given.most]
    print(f"{len(programs)} programs of {given.folder.name}, {os.cpu_count()} cores")
    for workers in given.workers:
        best: dict[str, tuple[float, float]] = {}
        ratios: list[float] = []
        for _ in range(given.rounds):
            with tempfile.TemporaryDirectory() as output:
                xargs = ["xargs", "-P", str(workers), "-n", "1", "setsid", "-w", KLEENE, "check", "--quiet"]
                commands = {
                    "xargs": (xargs, "\n".join(programs)),
                    "batch": ([KLEENE, "batch", *programs, "--jobs", str(workers), "--output", output], ""),
                }
                if given.cluster:
                    commands["cluster"] = ([KLEENE, "batch", *programs, "--cluster", f"local:{workers}"], "")
                walls = {name: timed(command, text) for name, (command, text) in commands.items()}
            ratios.append(walls["xargs"][0] / walls["batch"][0])
            best = {name: min(best.get(name, wall), wall) for name, wall in walls.items()}
        for name, (wall, cpu) in best.items():
            rate = 60 * len(programs) / wall
            print(f"{workers} workers  {name:<8}{wall:7.2f} s wall {cpu:7.2f} s cpu {rate:7.1f} programs a minute")
        print(
            f"{workers} workers  throughput of batch over xargs: {max(ratios):.2f} (all rounds: "
            f"{', '.join(f'{ratio:.2f}' for ratio in ratios)})"
        )


if __name__ == "__main__":
    main()
