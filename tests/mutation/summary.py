"""What became of all mutants, by module: ``python -m tests.mutation.summary [out/mutation/verdicts.jsonl]``.

The last verdict on a mutant counts. A mutant is open if tests let it live, if none executes it, or if the time for it
was over before all tests were asked; it is not run if there is no verdict on it yet.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

from tests.mutation.known import is_known, known
from tests.mutation.mutate import Mutant, mutants
from tests.mutation.table import ROOT, TESTS, module_file

KEPT = ROOT / "out" / "mutation" / "verdicts.jsonl"
DEAD = ("killed", "endless")
Key = tuple[str, str, int, int, str, str]


def key(mutant: Mutant) -> Key:
    return mutant.module, mutant.function, mutant.line, mutant.column, mutant.was, mutant.now


def verdicts(path: Path) -> dict[Key, str]:
    """The last verdict on each mutant in a file of verdicts."""
    last: dict[Key, str] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        last[row["module"], row["function"], row["line"], row["column"], row["was"], row["now"]] = row["answer"]
    return last


def main() -> int:
    last = verdicts(Path(sys.argv[1]) if len(sys.argv) > 1 else KEPT)
    rows, total = known(), Counter[str]()
    sys.stdout.write("| module | mutants | killed | equivalent | open | not run |\n|---|---|---|---|---|---|\n")
    for module in TESTS:
        counts = Counter[str]()
        for mutant in mutants(module, module_file(module).read_text(encoding="utf-8")):
            answer = last.get(key(mutant))
            counts[
                "equivalent" if is_known(mutant, rows) else
                "killed" if answer in DEAD else "open" if answer else "not run"
            ] += 1  # fmt: skip
        total.update(counts)
        sys.stdout.write(_row(f"`{module}`", counts))
    sys.stdout.write(_row("all", total))
    return 0


def _row(name: str, counts: Counter[str]) -> str:
    shown = (counts[column] for column in ("killed", "equivalent", "open", "not run"))
    return f"| {name} | {counts.total()} | {' | '.join(map(str, shown))} |\n"


if __name__ == "__main__":
    sys.exit(main())
