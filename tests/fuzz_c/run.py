"""A longer comparison: ``python -m tests.fuzz_c.run --seconds 600 --runs 5``."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.fuzz_c import generate, generate_recursive
from tests.fuzz_c.compare import judge, judge_refinement


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--runs", type=int, default=0)
    parser.add_argument("--each", type=float, default=4)
    parser.add_argument("--recursive", action="store_true", help="programs with recursive functions")
    parser.add_argument("--domain", choices=("shape", "fesa"), default="shape")
    parser.add_argument("--refine", action="store_true", help="with the abstraction found by refinement")
    options = parser.parse_args()
    program = generate_recursive.program if options.recursive else generate.program
    started = time.monotonic()
    totals: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    seed = options.start
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() - started < options.seconds:
            path = Path(folder) / f"p{seed}.c"
            path.write_text(program(seed))
            try:
                if options.refine:
                    found = judge_refinement(path, seed, seconds=options.each, runs=options.runs)
                else:
                    found = judge(path, seed, seconds=options.each, runs=options.runs, domain=options.domain)
            except Exception as error:
                sys.stdout.write(f"seed {seed}: {type(error).__name__}: {error}\n")
                totals["crashed"] += 1
                seed += 1
                continue
            totals["proved" if found.proved else "alarms" if found.complete else "incomplete"] += 1
            totals["confirmed"] += bool(found.confirmed)
            if not found.complete:
                reasons[found.reason[:80]] += 1
            for text in found.contradictions:
                totals["contradictions"] += 1
                sys.stdout.write(f"seed {seed}: {text}\n")
                sys.stdout.flush()
            seed += 1
    sys.stdout.write(f"{seed - options.start} programs: {dict(totals)}\n")
    for reason, count in reasons.most_common(12):
        sys.stdout.write(f"  {count} x {reason}\n")
    return 1 if totals["contradictions"] or totals["crashed"] else 0


if __name__ == "__main__":
    sys.exit(main())
