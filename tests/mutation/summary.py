"""What became of all mutants, by module: ``python -m tests.mutation.summary``.

The last verdict on a mutant counts. A mutant is open if tests let it live, if none executes it, or if the time for it
was over before all tests were asked; it is not run if there is no verdict on it yet. The verdicts of runs, in the
folder `out/mutation`, are added to `verdicts.txt`, which is kept with the tests: a line for each function with a letter
for each of its mutants. It holds as long as the text of the function is the same.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path

from tests.mutation.known import is_known, known
from tests.mutation.mutate import Key, mutants
from tests.mutation.table import ROOT, TESTS, module_file

RUNS = ROOT / "out" / "mutation" / "verdicts.jsonl"
KEPT = Path(__file__).parent / "verdicts.txt"
DEAD = ("killed", "endless")
LETTERS = {"killed": "K", "endless": "E", "alive": "a", "partly": "p", "unseen": "u"}
"""The letters of verdicts; a mutant that was not run has a dot."""


def verdicts(runs: Path = RUNS, kept: Path = KEPT) -> dict[Key, str]:
    """The last verdict on each mutant: those that are kept, then those of runs."""
    last: dict[Key, str] = {}
    names = {letter: answer for answer, letter in LETTERS.items()}
    for line in kept.read_text(encoding="utf-8").splitlines() if kept.exists() else ():
        module, outer, text, letters = line.split()
        last |= {(module, outer, text, n): names[letter] for n, letter in enumerate(letters) if letter in names}
    for line in runs.read_text(encoding="utf-8").splitlines() if runs.exists() else ():
        row = json.loads(line)
        last[row["module"], row["outer"], row["text"], row["number"]] = row["answer"]
    return last


def keep(last: Mapping[Key, str], path: Path = KEPT) -> None:
    """Writes the verdicts on the mutants that there are."""
    letters: defaultdict[tuple[str, str, str], str] = defaultdict(str)
    for module in TESTS:
        for mutant in mutants(module, module_file(module).read_text(encoding="utf-8")):
            letters[mutant.key[:3]] += LETTERS.get(last.get(mutant.key, ""), ".")
    path.write_text("".join(f"{' '.join(name)} {row}\n" for name, row in letters.items()), encoding="utf-8")


def main() -> int:
    last = verdicts()
    keep(last)
    rows, total = known(), Counter[str]()
    sys.stdout.write("| module | mutants | killed | equivalent | open | not run |\n|---|---|---|---|---|---|\n")
    for module in TESTS:
        counts = Counter[str]()
        for mutant in mutants(module, module_file(module).read_text(encoding="utf-8")):
            answer = last.get(mutant.key)
            counts[
                "killed" if answer in DEAD else
                "equivalent" if is_known(mutant, rows) else "open" if answer else "not run"
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
