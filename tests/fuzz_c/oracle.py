"""What real runs show: many programs compiled at once by gcc with its sanitizers, each run on many inputs.

A violation is what AddressSanitizer, an assertion, an error call, LeakSanitizer or the count of blocks shows; it owes
nothing to our reader or our semantics. What `docs/assumptions.md` allows is no violation: signed numbers wrap, the
stack is large enough. A run that divides by zero or shifts too far shows nothing.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tests.fuzz_c.candidates import Candidate, renamed

GCC = shutil.which("gcc")
HARNESS = Path(__file__).parent / "harness" / "runs.c"
HEADERS = (
    "stdlib", "string", "assert", "stddef", "stdint", "stdbool", "limits", "stdio", "setjmp", "alloca", "ctype",
)  # fmt: skip
_SANITIZE = ["-fsanitize=address,integer-divide-by-zero,shift", "-fno-sanitize-recover=all"]
_FLAGS = ["-g0", "-O0", "-w", "-std=gnu11", "-fwrapv", "-fno-strict-aliasing", *_SANITIZE]
_WRAP = "-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free"
_OPTIONS = "symbolize=0:leak_check_at_exit=0:detect_leaks=1:detect_stack_use_after_return=1:handle_abort=0"
_SECONDS = 120
"""Seconds for one call of the compiler, or for all runs of one binary."""
_UNFAILING = frozenset(
    ("stack-overflow", "out-of-memory", "allocator", "allocation-size-too-big", "calloc-overflow", "requested", "FPE",
     "memcpy-param-overlap", "memmove-param-overlap", "rss", "failed")
)  # fmt: skip
"""Reports about what our assumptions allow, or leave open."""
MEMORY, CLEANUP, REACH, ASSERT = "memsafety", "memcleanup", "unreach", "assert"


@dataclass(frozen=True)
class Run:
    """Inputs, and which allocation fails (0: none)."""

    inputs: tuple[int, ...]
    fails: int = 0

    def __str__(self) -> str:
        failing = f", allocation {self.fails} fails" if self.fails else ""
        return f"inputs {' '.join(map(str, self.inputs)) or 'none'}{failing}"


@dataclass
class Shown:
    """The violated properties of a program: the run and the words of its report."""

    candidate: Candidate
    violations: dict[str, tuple[Run, str]] = field(default_factory=dict)


def inputs_for(candidate: Candidate, count: int, seed: int) -> list[Run]:
    """Runs on few and on many inputs, small and extreme, and near the numbers that the program names."""
    chooser = random.Random(f"{seed} {candidate.origin}")
    near = [n + d for n in candidate.numbers for d in (-1, 0, 1)]
    pools = ([0, 1], [0, 1, 1, 1, 2], [0, 1, 2, 3, 5, -1], [0, 1, *near], [1, 1, 1, 2, *near])
    extreme = [0, 1, -1, 2**31 - 1, -(2**31), 2**32 - 1, 65536, 256, *near]
    runs = [Run(()), Run((1,) * 60)]
    while len(runs) < count:
        pool = chooser.choice((*pools, *pools, extreme))
        length = chooser.choice((2, 4, 8, 20, 60))
        fails = chooser.choice((0, 0, 1, 2, 3, 5, 8)) if candidate.malloc_may_fail else 0
        runs.append(Run(tuple(chooser.choice(pool) for _ in range(length)), fails))
    return runs


def judge(candidates: Sequence[Candidate], folder: Path, *, runs: int, seed: int = 0) -> list[Shown]:
    """What real runs show about the programs that the compiler takes."""
    return [shown for part, binary in _compiled(candidates, folder) for shown in _run(part, binary, runs, seed)]


def still_shown(candidate: Candidate, violated: str, run: Run, folder: Path) -> bool:
    """Whether the program still violates the property on the inputs of the run, or on others."""
    return any(
        violated in shown.violations
        for part, binary in _compiled([candidate], folder)
        for shown in _all_runs(part, binary, [[run, *inputs_for(candidate, 8, 0)]])
    )


def _compiled(candidates: Sequence[Candidate], folder: Path) -> Iterator[tuple[Sequence[Candidate], Path]]:
    """Binaries of the programs; where the compiler refuses one, it is looked for by halves."""
    if not candidates:
        return
    binary = _compile(candidates, folder)
    if binary is not None:
        yield candidates, binary
    elif len(candidates) > 1:
        middle = len(candidates) // 2
        yield from _compiled(candidates[:middle], folder)
        yield from _compiled(candidates[middle:], folder)


def _compile(candidates: Sequence[Candidate], folder: Path) -> Path | None:
    source, binary = folder / "programs.c", folder / "programs"
    parts = [f"#include <{name}.h>" for name in HEADERS]
    parts += [renamed(candidate, number) for number, candidate in enumerate(candidates)]
    table = ", ".join(f"(int (*)(int, char **))main_{number}" for number in range(len(candidates)))
    source.write_text("\n".join([*parts, f"int (*fuzz_programs[])(int, char **) = {{ {table} }};", ""]))
    command = [str(GCC), *_FLAGS, str(source), str(_harness(folder)), _WRAP, "-o", str(binary)]
    done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
    return binary if done.returncode == 0 else None


@cache
def _harness(folder: Path) -> Path:
    """The compiled harness, once for each folder."""
    target = folder / "runs.o"
    command = [str(GCC), "-O1", "-g0", "-fsanitize=address", "-c", str(HARNESS), "-o", str(target)]
    subprocess.run(command, check=True, timeout=_SECONDS)
    return target


def _run(candidates: Sequence[Candidate], binary: Path, count: int, seed: int) -> list[Shown]:
    return _all_runs(candidates, binary, [inputs_for(candidate, count, seed) for candidate in candidates])


def _all_runs(candidates: Sequence[Candidate], binary: Path, wanted: Sequence[Sequence[Run]]) -> list[Shown]:
    order = [(number, run) for number, runs in enumerate(wanted) for run in runs]
    lines = [" ".join(map(str, (number, run.fails, len(run.inputs), *run.inputs))) for number, run in order]
    environment = {"ASAN_OPTIONS": _OPTIONS, "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [str(binary)],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        errors="replace",
        timeout=_SECONDS,
        env=environment,
        check=False,
    )
    found = [Shown(candidate) for candidate in candidates]
    reports = re.findall(r"^RUN (\d+) (\d+)\n(.*?)\nEND$", done.stdout, re.DOTALL | re.MULTILINE)
    assert len(reports) == len(order), f"{len(reports)} of {len(order)} runs have a report: {done.stderr[:500]}"
    for (number, run), (_, _, text) in zip(order, reports, strict=True):
        for name in violated_by(text):
            found[number].violations.setdefault(name, (run, _words(text)))
    return found


def violated_by(report: str) -> list[str]:
    """The properties that the report of a run shows to be violated."""
    if "LeakSanitizer: detected" in report:
        return [MEMORY, CLEANUP]
    sanitizer = re.search(r"AddressSanitizer: ([\w-]+)", report)
    if sanitizer:
        return [] if sanitizer[1] in _UNFAILING else [MEMORY]
    if "runtime error" in report:
        return []
    if "ASSERT" in report:
        return [ASSERT]
    if report.startswith("ERROR"):
        return [REACH]
    return [CLEANUP] if "LIVE" in report else []


def _words(report: str) -> str:
    """The line of a report that says what happened."""
    lines = [line for line in report.splitlines() if line.strip("= ")]
    return next((line for line in lines if "Sanitizer" in line), lines[0] if lines else "")[:160]
