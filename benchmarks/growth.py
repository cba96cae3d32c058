"""`make bench`, last part: how the cost of a check grows with the number of independent parts of a program.

The families of programs are in `families.py` and in the modules whose names end in `_families`. The table has the time
and the structures for each size k, and the factor between the sizes that the goals compare. Every program runs in a
process of its own. The seconds are those of the processor, so that other work on the machine counts little. With
`--mutants`, wrong programs of each family are checked instead: none of them may be proved.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from choice_families import CHOICE_FAMILIES
from client_families import CLIENT_FAMILIES
from container_families import CONTAINER_FAMILIES, CONTAINERS, container_alone, containers_at_once
from families import FAMILIES, SINGLES, Family, single, structures_at_once
from grown_families import GROWN_FAMILIES
from measure import environment
from module_families import MODULE_FAMILIES
from part_families import PART_FAMILIES
from structure_families import STRUCTURE_FAMILIES
from user_families import USER_FAMILIES

from kleene.report.run.table import align_table

ALL_FAMILIES = (
    *FAMILIES,
    *CLIENT_FAMILIES,
    *PART_FAMILIES,
    *STRUCTURE_FAMILIES,
    *CONTAINER_FAMILIES,
    *GROWN_FAMILIES,
    *CHOICE_FAMILIES,
    *USER_FAMILIES,
    *MODULE_FAMILIES,
)
MUTATED_SIZE = 3
"""The size of wrong programs: enough for parts, and runs show what is wrong."""
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


def cost(text: str, seconds: float, options: Sequence[str] = ()) -> Cost:
    """Check one program in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "grown.c", Path(folder) / "out.json"
        source.write_text(text, encoding="utf-8")
        command = [sys.executable, "-c", "from kleene.cli import main; main()", "check", str(source), "--quiet"]
        before = children_seconds()
        subprocess.run(
            [*command, "--timeout", str(seconds), "--json", str(target), *options],
            env=environment(None),
            capture_output=True,
        )
        taken = children_seconds() - before
        document = json.loads(target.read_text(encoding="utf-8")) if target.exists() else {}
    return Cost(document.get("verdict", "failed"), taken, document.get("statistics", {}).get("structures", 0))


def children_seconds() -> float:
    """Seconds of the processor that all processes started here have used so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def prove_no_mutant(families: Sequence[Family], seconds: float) -> None:
    """Check wrong programs; ends the process with 1 if one of them is proved."""
    wrong = 0
    for family in families:
        for what, text in family.mutants(MUTATED_SIZE).items():
            verdict = cost(text, seconds).verdict
            wrong += verdict == "TRUE"
            print(f"{family.name}, {what}: {verdict}{' (WRONG)' if verdict == 'TRUE' else ''}", flush=True)
    sys.exit(1 if wrong else 0)


def against_singles(name: str, singles: Sequence[str], together: str, seconds: float) -> list[str]:
    """A row that compares a program with the sum of the programs that have one of its parts each."""
    total = sum(cost(text, seconds).seconds for text in singles)
    whole = cost(together, seconds)
    print(f"{name}: {whole.text}; one by one: {total:.2f} s", file=sys.stderr)
    return [name, "all / sum of singles", f"{whole.seconds / total:.1f}", "3"]


def main() -> None:
    """Print the growth curves; with `--write FOLDER`, write the programs instead."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("family", nargs="?", default="", help="part of a family's name")
    parser.add_argument("--seconds", type=float, default=TIMEOUT)
    parser.add_argument("--sizes", type=int, nargs="+", help="other sizes than the family's")
    parser.add_argument("--self-check", default=None, metavar="SECONDS", help="how long runs test each proof")
    parser.add_argument("--mutants", action="store_true", help="check wrong programs")
    parser.add_argument("--write", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    chosen = [family for family in ALL_FAMILIES if options.family in family.name]
    if options.mutants:
        prove_no_mutant(chosen, options.seconds)
    tested = ("--self-check", options.self_check) if options.self_check else ()
    rows = []
    for family in chosen:
        costs = {}
        for k in options.sizes or family.sizes:
            if options.write:
                options.write.mkdir(parents=True, exist_ok=True)
                name = family.name.replace(" ", "_")
                (options.write / f"{name}_{k}.c").write_text(family.program(k), encoding="utf-8")
                continue
            costs[k] = cost(family.program(k), options.seconds, tested)
            print(f"{family.name}, k = {k}: {costs[k].text}", file=sys.stderr)
        if {family.small, family.large} <= costs.keys():
            factor = costs[family.large].seconds / costs[family.small].seconds
            unproved = "" if all(c.verdict == "TRUE" for c in costs.values()) else " (not all proved)"
            sizes = f"{family.large} / {family.small}"
            rows.append([family.name, sizes, f"{factor:.1f}{unproved}", f"{family.goal:.0f}"])
    if options.family in "single programs" and not options.write:
        singles = [single(name) for name in SINGLES]
        rows.append(against_singles("five structures", singles, structures_at_once(len(SINGLES)), options.seconds))
        alone = [container_alone(number) for number in range(len(CONTAINERS))]
        rows.append(against_singles("six containers", alone, containers_at_once(len(CONTAINERS)), options.seconds))
    if rows:
        print(align_table(["family", "sizes", "factor", "goal"], rows))


if __name__ == "__main__":
    main()
