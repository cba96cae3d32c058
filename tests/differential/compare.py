"""Whole programs, run by the interpreter and by the machine's compiler with sanitizers: what each of them says.

Run as a script, it generates csmith programs and compares (`--seconds`, `--seed`); every difference is printed.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from kleene.analysis.c.compiled_runs import build, execute
from kleene.c import read_program
from kleene.c.options import ReadOptions
from kleene.domains.explicit.interpreter import run

CSMITH = shutil.which("csmith")
CSMITH_HEADERS = Path("/usr/include/csmith")
STEPS = 400_000
"""Steps of the interpreter; longer runs are not compared."""
SMALL = "--no-argc --no-volatiles --max-funcs 3 --max-block-depth 2 --max-block-size 3 --max-expr-complexity 5"
SMALL += " --max-array-len-per-dim 4 --max-array-dim 2 --no-float --concise --quiet"
VARIANTS = (
    "",
    "--no-arrays",
    "--no-pointers",
    "--no-unions --no-bitfields",
    "--no-bitfields --no-packed-struct",
    "--no-structs --no-unions",
    "--no-safe-math",
    "--no-longlong",
)
"""Options beside SMALL, one set after another."""
_ERRORS = {
    "heap-use-after-free": "dangling_dereference",
    "stack-use-after": "dangling_dereference",
    "buffer-overflow": "out_of_bounds",
    "out of bounds": "out_of_bounds",
    "double-free": "double_free",
    "not malloc": "invalid_free",
    "null pointer": "null_dereference",
    "SEGV": "null_dereference",
    "Assertion": "assertion",
    "runtime error": "undefined",
}
"""What the sanitizers say, and our kinds; `undefined` is what the interpreter does not model, or takes to wrap."""


@dataclass(frozen=True)
class Outcome:
    """How a run ended: `error` is a kind of finding, `undefined`, or "" if there is none."""

    error: str
    status: int
    output: str


def interpreted(path: Path) -> Outcome | str:
    """The run of the interpreter; a text where it does not say what happens."""
    program = read_program([str(path)], ReadOptions(include=(str(CSMITH_HEADERS),)))
    trace = run(program, (), STEPS, malloc_may_fail=False, check_leaks=False)
    if trace.fault is not None:
        return Outcome(trace.fault.kind, 0, trace.output)
    if trace.outcome == "exit" and not trace.tainted and "uninitialized number" not in trace.reasons:
        return Outcome("", trace.status or 0, trace.output)
    return trace.reason or trace.tainted or trace.outcome


def compiled(path: Path, folder: Path) -> Outcome | str:
    """The run of the compiled program; a text if it does not compile or takes too long."""
    try:
        binary = build([str(path)], folder, ("-w", "-I", str(CSMITH_HEADERS)))
        done = execute(binary, inputs=(), malloc_may_fail=False)
    except subprocess.CalledProcessError as failed:
        return f"does not compile: {failed.stderr[:400]}"
    except subprocess.TimeoutExpired:
        return "takes too long"
    error = next((kind for text, kind in _ERRORS.items() if text in done.errors), "")
    return Outcome(error, 0 if error else done.code & 255, done.output)


def difference(path: Path, folder: Path) -> str:
    """What the two say differently; "" if they agree, and a text with `not compared` if one of them says nothing."""
    ours = interpreted(path)
    if isinstance(ours, str):
        return f"not compared: {ours}"
    theirs = compiled(path, folder)
    if isinstance(theirs, str):
        return f"not compared: {theirs}"
    if theirs.error == "undefined" and not ours.error:
        return "not compared: what the compiled run does is undefined"
    same = ours == theirs if not theirs.error else ours.error == theirs.error
    return "" if same else f"interpreted {ours}\ncompiled    {theirs}"


def generate(seed: int, folder: Path) -> Path:
    """A program of csmith; the variant follows from the seed."""
    path = folder / f"csmith{seed}.c"
    options = [*SMALL.split(), *VARIANTS[seed % len(VARIANTS)].split()]
    subprocess.run(
        [str(CSMITH), *options, "--seed", str(seed), "--output", str(path)], check=True, timeout=60, cwd=folder
    )
    return path


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    end, seed = time.monotonic() + given.seconds, given.seed
    counts: dict[str, int] = {}
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        while time.monotonic() < end:
            path = generate(seed, Path(name))
            answer = difference(path, Path(name))
            kind = answer.rpartition(": ")[2][:60] if answer.startswith("not compared") else answer and "DIFFERENT"
            counts[kind or "same"] = counts.get(kind or "same", 0) + 1
            if kind == "DIFFERENT":
                wrong += 1
                print(f"seed {seed}: {answer}")
            for made in Path(name).iterdir():
                made.unlink()
            seed += 1
    for kind, count in sorted(counts.items(), key=lambda item: -item[1]):
        print(f"{count:5} {kind}")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
