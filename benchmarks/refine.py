"""The paper's Table 1 on our own programs (BHTZ10, section 4): shape classes found, refinements, times.

For each row: the shape class and the predicate families that refinement found, of how many; how often the tracking
definition (td) and the shape-class generator (scg) were refined; seconds of CPU with the maximal shape class, with the
data structure given (--structure-hint), and with explicit heaps; and the ratio of the last to the first. `--rows
NAME...` runs some rows, `--limit` is the time limit of one measurement, `--json FILE` writes the figures.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import replace
from pathlib import Path

from kleene.analysis.c.refinement import Limits, tasks_of
from kleene.c.reader import read_program
from kleene.core.verdict import kinds_of
from kleene.passes.preparation import Prepared
from kleene.refine.classes.library import library
from kleene.refine.loop import SAFE, Refined, Refinement, RefineOptions
from kleene.refine.tracking.explain import PathExplainer
from kleene.transformers.action_programs import shared_parts, shared_precondition

EXAMPLES = Path(__file__).parent.parent / "examples" / "c" / "refine"
ROWS = {
    **{f"{check}_list_{what}": "dll" for check in ("cancel", "acyclic") for what in ("link", "insert_after")},
    **{f"{check}_list_{what}": "dll" for check in ("cancel", "acyclic") for what in ("insert_before", "remove")},
    **{f"bintree_rotate_{way}": "tree" for way in ("left", "right", "left_right")},
    **{f"treep_rotate_{way}": "treep" for way in ("left", "right", "left_right", "three")},
    "scheduler": "dll",
}
"""Programs, with the data structure that the annotation names; the last two are ours."""


def measured(name: str, options: RefineOptions, limit: float) -> tuple[Refined, float]:
    """One run and its CPU time; it starts without the programs that earlier runs have compiled."""
    shared_precondition.cache_clear()
    shared_parts.cache_clear()
    program = read_program([str(EXAMPLES / f"{name}.c")])
    (task,) = tasks_of(Prepared(program), kinds_of(["assert"]), malloc_may_fail=True)
    task = replace(task, check=Limits(limit, 4 << 30))
    loop = Refinement(task, library(), options, explain=PathExplainer(task))
    start = time.process_time()
    result = loop.run()
    return result, time.process_time() - start


def seconds(result: Refined, spent: float, limit: float) -> str:
    if result.outcome == SAFE:
        return f"{spent:.1f}"
    if "structures" in result.reason:
        return f"> {spent:.1f}"
    return f">{limit:.0f}" if "time limit" in result.reason else "no proof"


def row(name: str, hint: str, limit: float) -> dict[str, str]:
    plain = RefineOptions()
    found, spent = measured(name, plain, limit)
    hinted, hinted_spent = measured(name, replace(plain, hint=hint), limit)
    maximal, maximal_spent = measured(name, replace(plain, hint=hint, maximal=True), limit)
    generators = [g for g in found.abstraction.generators if g.families] or list(found.abstraction.generators)
    return {
        "program": name,
        "maximal": seconds(maximal, maximal_spent, limit),
        "scg": ", ".join(f"{g.name} {len(g.families)}/{g.maximum}" for g in generators),
        "families": "; ".join(", ".join(sorted(g.families)) or "none" for g in generators),
        "refinements": f"{found.counts.tracking} td, {found.counts.shape_class} scg",
        "annotation": seconds(hinted, hinted_spent, limit),
        "explicit": seconds(found, spent, limit),
        "ratio": f"{spent / maximal_spent:.1f}" if found.outcome == maximal.outcome == SAFE else "-",
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", nargs="*", default=list(ROWS), choices=list(ROWS), metavar="NAME")
    parser.add_argument("--limit", type=float, default=120.0)
    parser.add_argument("--json")
    given = parser.parse_args()
    names = ("program", "maximal", "scg", "refinements", "annotation", "explicit", "ratio")
    widths = (28, 10, 10, 14, 11, 9, 6)
    measured("cancel_list_link", RefineOptions(), given.limit)  # what is loaded at first use counts for no row
    print("".join(f"{n:<{w}}" for n, w in zip(names, widths, strict=True)))
    rows = []
    for name in given.rows:
        rows.append(row(name, ROWS[name], given.limit))
        print("".join(f"{rows[-1][n]:<{w}}" for n, w in zip(names, widths, strict=True)), flush=True)
    if given.json:
        Path(given.json).write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    return 0 if all(r["explicit"][0].isdigit() for r in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
