"""`make bench`, last part: how the cost of a check grows with the number of independent parts of a program.

The families of programs are in `families.py` and `client_families.py`. The table has the time and the structures for
each size k, and the factor between the sizes that the goals compare. Every program runs in a process of its own. The
seconds are those of the processor, so that other work on the machine counts little.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from client_families import CLIENT_FAMILIES
from families import FAMILIES, SINGLES, single, structures_at_once
from measure import environment

from kleene.report.run.table import align_table

TIMEOUT = 120.0
"""Seconds for one program, if the user gives no other limit: the larger sizes need them on a busy machine."""


@dataclass(frozen=True)
class Cost:
    """What one check needed."""

    verdict: str
    seconds: float
    structures: int

    @property
    def text(self) -> str:
        return f"{self.verdict} {self.seconds:.2f} s {self.structures:,}"


def cost(text: str, seconds: float) -> Cost:
    """Check one program in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "grown.c", Path(folder) / "out.json"
        source.write_text(text, encoding="utf-8")
        command = [sys.executable, "-c", "from kleene.cli import main; main()", "check", str(source), "--quiet"]
        before = children_seconds()
        subprocess.run(
            [*command, "--timeout", str(seconds), "--json", str(target)], env=environment(None), capture_output=True
        )
        taken = children_seconds() - before
        document = json.loads(target.read_text(encoding="utf-8")) if target.exists() else {}
    return Cost(document.get("verdict", "failed"), taken, document.get("statistics", {}).get("structures", 0))


def children_seconds() -> float:
    """Seconds of the processor that all processes started here have used so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    """Print the growth curves; with `--write FOLDER`, write the programs instead."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("family", nargs="?", default="", help="part of a family's name")
    parser.add_argument("--seconds", type=float, default=TIMEOUT)
    parser.add_argument("--sizes", type=int, nargs="+", help="other sizes than the family's")
    parser.add_argument("--write", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    rows = []
    for family in (*FAMILIES, *CLIENT_FAMILIES):
        if options.family not in family.name:
            continue
        costs = {}
        for k in options.sizes or family.sizes:
            if options.write:
                options.write.mkdir(parents=True, exist_ok=True)
                name = family.name.replace(" ", "_")
                (options.write / f"{name}_{k}.c").write_text(family.program(k), encoding="utf-8")
                continue
            costs[k] = cost(family.program(k), options.seconds)
            print(f"{family.name}, k = {k}: {costs[k].text}", file=sys.stderr)
        if {family.small, family.large} <= costs.keys():
            factor = costs[family.large].seconds / costs[family.small].seconds
            rows.append([family.name, f"{family.large} / {family.small}", f"{factor:.1f}", f"{family.goal:.0f}"])
    if options.family in "single programs" and not options.write:
        singles = {name: cost(single(name), options.seconds) for name in SINGLES}
        together = cost(structures_at_once(len(SINGLES)), options.seconds)
        total = sum(c.seconds for c in singles.values())
        for name, c in singles.items():
            print(f"{name}: {c.text}", file=sys.stderr)
        rows.append(["all at once / sum of singles", "", f"{together.seconds / total:.1f}", "3"])
    if rows:
        print(align_table(["family", "sizes", "factor", "goal"], rows))


if __name__ == "__main__":
    main()
