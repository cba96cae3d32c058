"""Every attempt alone on programs whose violations real runs show: ``python -m tests.fuzz_c.run --seconds 600``.

A property that a run violates and an attempt calls TRUE is a wrong proof. The program is made smaller and written
into a folder, with the attempt and the inputs in its first lines.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.fuzz_c.attempts import WHOLE, Attempt, attempts_for, prove
from tests.fuzz_c.candidates import Candidate
from tests.fuzz_c.oracle import Run, Shown, judge, still_shown
from tests.fuzz_c.shrink import shrink
from tests.fuzz_c.sources import TOPICS, candidates

BATCH = 40
"""Programs for one call of the compiler."""
RUNS = 14
"""Runs of each program."""


@dataclass
class Tally:
    """What was done, and the wrong proofs."""

    programs: int = 0
    compiled: int = 0
    unsafe: Counter[str] = field(default_factory=Counter)
    violated: Counter[str] = field(default_factory=Counter)
    attempts: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    proved: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    crashes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [
            f"{self.programs} programs, {self.compiled} compiled, {self.unsafe.total()} shown to be unsafe "
            f"({_counts(self.unsafe)}), violating {_counts(self.violated)}",
            f"{self.attempts.total()} attempts, {self.proved.total()} of them prove another property",
            f"{len(self.wrong)} wrong proofs, {len(self.crashes)} crashes",
        ]
        lines += [f"  {count} x {reason}" for reason, count in self.refused.most_common(8)]
        return "\n".join(lines)


def _counts(counter: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counter.items()))


@dataclass
class Runner:
    """Asks attempts about programs, in one folder for temporary files."""

    folder: Path
    each: float
    groups: int = 2
    """From how many groups of attempts one is asked about each program."""
    tally: Tally = field(default_factory=Tally)
    keep: Path | None = None
    """Where wrong proofs are written."""

    def batch(self, programs: list[Candidate], seed: int = 0) -> None:
        """Compile and run the programs; ask attempts about those that are unsafe."""
        self.tally.programs += len(programs)
        for shown in judge(programs, self.folder, runs=RUNS, seed=seed):
            self.tally.compiled += 1
            if shown.violations:
                self._ask(shown)

    def _ask(self, shown: Shown) -> None:
        number = self.tally.unsafe.total()
        self.tally.unsafe[shown.candidate.topic] += 1
        self.tally.violated.update(shown.violations.keys())
        asked = [self._asked(attempt, shown) for attempt in attempts_for(shown.candidate, number, self.groups)]
        if not any(asked):  # none of them applies: then all rows of the shape analysis together
            self._asked(WHOLE[0], shown)

    def _asked(self, attempt: Attempt, shown: Shown) -> bool:
        """Ask one attempt; whether it applies."""
        proved = self._proved(attempt, shown.candidate)
        for name in sorted((proved or frozenset()) & set(shown.violations)):
            self._report(attempt, shown, name)
        return proved is not None

    def _proved(self, attempt: Attempt, candidate: Candidate) -> frozenset[str] | None:
        path = self.folder / "program.c"
        path.write_text(candidate.text, encoding="utf-8")
        try:
            proved, refused = prove(attempt, path, candidate, self.each)
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(last.filename).name}:{last.lineno}: {type(error).__name__}: {str(error)[:100]}"
            self._say(f"CRASH {attempt.name}: {candidate.origin}: {where}")
            self.tally.crashes.append(f"{attempt.name}: {candidate.origin}: {where}")
            self._keep(f"crash-{len(self.tally.crashes)}", f"// {attempt.name}: {where}\n{candidate.text}")
            return frozenset()
        if proved is None:
            return None
        self.tally.attempts[attempt.name] += 1
        if refused:
            self.tally.refused[refused[:90]] += 1
        self.tally.proved[attempt.name] += bool(proved)
        return proved

    def _report(self, attempt: Attempt, shown: Shown, name: str) -> None:
        run, words = shown.violations[name]
        self._say(f"WRONG {name} TRUE by {attempt.name}: {shown.candidate.origin}: {run}: {words}")
        self.tally.wrong.append(f"{name} by {attempt.name}: {shown.candidate.origin}: {run}")
        if self.keep is not None:
            small = self._smaller(attempt, shown.candidate, name, run)
            head = f"// {name} is TRUE by '{attempt.name}'; {run}: {words}\n// {shown.candidate.origin}"
            malloc = "malloc may fail" if shown.candidate.malloc_may_fail else "--malloc-never-fails"
            self._keep(f"wrong-{len(self.tally.wrong)}", f"{head}; {malloc}\n{small}")

    def _smaller(self, attempt: Attempt, candidate: Candidate, name: str, run: Run) -> str:
        def shows(text: str) -> bool:
            less = replace(candidate, text=text)
            return still_shown(less, name, run, self.folder) and name in self._still_proved(attempt, less)

        return shrink(candidate.text, shows)

    def _still_proved(self, attempt: Attempt, candidate: Candidate) -> frozenset[str]:
        path = self.folder / "smaller.c"
        path.write_text(candidate.text, encoding="utf-8")
        try:
            return prove(attempt, path, candidate, self.each)[0] or frozenset()
        except Exception:  # a crash on the way is another matter
            return frozenset()

    def _keep(self, name: str, text: str) -> None:
        if self.keep is not None:
            self.keep.mkdir(parents=True, exist_ok=True)
            (self.keep / f"{name}.c").write_text(text, encoding="utf-8")

    def _say(self, text: str) -> None:
        if self.keep is not None:
            sys.stdout.write(text + "\n")
            sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--each", type=float, default=2, help="seconds of the processor for each attempt")
    parser.add_argument("--groups", type=int, default=2, help="from how many groups of attempts each program gets one")
    parser.add_argument("--topic", action="append", choices=TOPICS, help="only these (default: all in turn)")
    parser.add_argument("--keep", type=Path, default=Path("out/fuzz"), help="where wrong proofs are written")
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    stream = candidates(tuple(options.topic or TOPICS), options.start)
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(Path(folder), options.each, options.groups, keep=options.keep)
        while time.monotonic() < end:
            runner.batch(list(islice(stream, BATCH)), options.start)
            sys.stdout.write(f"{runner.tally}\n")
            sys.stdout.flush()
    return 1 if runner.tally.wrong or runner.tally.crashes else 0


if __name__ == "__main__":
    sys.exit(main())
