"""Time to read C programs and to explore them: `python benchmarks/c_reader.py [FILE.c ...]`; else the test corpus."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from kleene.c import read_program
from kleene.domains.explicit.explore import explore

CORPUS = Path(__file__).parents[1] / "tests" / "corpus_c"


def main(names: list[str]) -> None:
    paths = [Path(name) for name in names] or sorted(CORPUS.glob("*.c"))
    started = time.perf_counter()
    read_program(CORPUS / "reverse.c")
    print(f"first program, with loading libclang: {(time.perf_counter() - started) * 1000:.0f} ms")
    print(f"{'program':24} {'edges':>6} {'read ms':>8} {'states':>7} {'steps':>8} {'explore ms':>10}  verdict")
    for path in paths:
        started = time.perf_counter()
        program = read_program(path)
        read = time.perf_counter() - started
        result = explore(program, malloc_may_fail=False)
        edges = sum(len(f.cfa.edges) for f in program.functions.values())
        verdict = (
            "proved" if result.proved else f"{len(result.findings)} confirmed" if result.findings else result.reason
        )
        line = f"{path.stem:24} {edges:6} {read * 1000:8.1f} {result.states:7} {result.steps:8}"
        print(f"{line} {result.seconds * 1000:10.1f}  {verdict}")


if __name__ == "__main__":
    main(sys.argv[1:])
