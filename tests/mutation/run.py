"""Mutants of the analyser itself: ``python -m tests.mutation.run --seconds 600``.

A mutant that all tests of its module let live is a survivor. It is killed by a new test, or `equivalent.toml` says why
no test can tell it from the module: a row that fits no mutant any more is an error.
"""

from __future__ import annotations

import argparse
import importlib.abc
import importlib.machinery
import importlib.util
import os
import random
import resource
import signal
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import hypothesis
import pytest
import z3
from tests.mutation.mutate import Mutant, mutants
from tests.mutation.table import TESTS

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
KNOWN = HERE / "equivalent.toml"
PATIENCE = 3.0
"""How many times as long as with the module itself the tests may take before a mutant counts as endless."""
LEAST = 20.0
"""Seconds of the processor that tests may take at least."""
ALIVE, KILLED, ENDLESS = "alive", "killed", "endless"
_PRELOADED = (hypothesis, z3)
"""Libraries that take long to import: they are imported once, before the processes for mutants begin."""


@dataclass(frozen=True)
class _Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives one module the text of a mutant."""

    name: str
    path: str
    text: str

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        return (
            importlib.util.spec_from_file_location(fullname, self.path, loader=self) if fullname == self.name else None
        )

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.text, self.path, "exec"), module.__dict__)


def module_file(module: str) -> Path:
    return ROOT / "src" / "kleene" / f"{module}.py"


def run_tests(module: str, text: str, seconds: float) -> tuple[str, float]:
    """What the tests of a module say when it has another text, and the time of the processor that they took."""
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    child = os.fork()
    if child == 0:
        _child(module, text, seconds)
    _, status = os.waitpid(child, 0)
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    taken = end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime
    if os.WIFSIGNALED(status):
        return (ENDLESS if os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL) else KILLED), taken
    return (ALIVE if os.WEXITSTATUS(status) == 0 else KILLED), taken


def _child(module: str, text: str, seconds: float) -> None:
    limit = int(seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    name = "kleene." + module.replace("/", ".")
    for loaded in [key for key in sys.modules if key.split(".")[0] == "kleene"]:
        del sys.modules[loaded]  # else the module would keep the text that it was imported with
    time.monotonic = time.process_time  # limits of tests must not depend on the load of the machine
    sys.meta_path.insert(0, _Changed(name, str(module_file(module)), text))
    code = 1
    try:
        code = int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--no-header", *TESTS[module]]))
    finally:
        os._exit(code)


def known() -> list[dict[str, str]]:
    """The rows of `equivalent.toml`."""
    rows: list[dict[str, str]] = tomllib.loads(KNOWN.read_text(encoding="utf-8")).get("equivalent", [])
    return rows


def is_known(mutant: Mutant, rows: Sequence[dict[str, str]]) -> bool:
    return any(_fits(row, mutant) for row in rows)


def _fits(row: dict[str, str], mutant: Mutant) -> bool:
    wanted = (row["module"], row["function"], row["was"], row["now"])
    return (mutant.module, mutant.function, mutant.was, mutant.now) == wanted


def stale(rows: Sequence[dict[str, str]]) -> list[str]:
    """Rows without a reason, or for which there is no such mutant."""
    made = {row["module"]: mutants(row["module"], module_file(row["module"]).read_text()) for row in rows}
    wrong = [row for row in rows if not row.get("reason") or not any(_fits(row, m) for m in made[row["module"]])]
    return [f"{row['module']}: {row['function']}: {row['was']!r} -> {row['now']!r}" for row in wrong]


def sample(modules: Sequence[str], seed: int) -> list[Mutant]:
    """The mutants of the modules in turn, those of one module in a random order; known ones are left out."""
    rows, chooser = known(), random.Random(seed)
    each = []
    for module in modules:
        made = [m for m in mutants(module, module_file(module).read_text(encoding="utf-8")) if not is_known(m, rows)]
        chooser.shuffle(made)
        each.append(made)
    longest = max(map(len, each))
    return [made[turn] for turn in range(longest) for made in each if turn < len(made)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="how many mutants of the sample to leave out")
    parser.add_argument("--module", action="append", choices=sorted(TESTS), help="only these")
    options = parser.parse_args()
    out = sys.stdout
    problems = stale(known())
    for text in problems:
        out.write(f"no such mutant, or no reason: {text}\n")
    limits: dict[str, float] = {}
    counts: Counter[str] = Counter()
    tried: Counter[str] = Counter()
    end = time.monotonic() + options.seconds
    for mutant in sample(options.module or list(TESTS), options.seed)[options.first :]:
        if time.monotonic() > end:
            break
        if mutant.module not in limits:
            answer, taken = run_tests(mutant.module, module_file(mutant.module).read_text(), 10 * 60)
            assert answer == ALIVE, f"the tests of {mutant.module} fail without any change"
            limits[mutant.module] = max(LEAST, PATIENCE * taken)
            out.write(f"{mutant.module}: tests take {taken:.1f} s\n")
        answer, _ = run_tests(mutant.module, mutant.source, limits[mutant.module])
        counts[answer] += 1
        tried[mutant.module] += 1
        if answer == ALIVE:
            out.write(f"ALIVE {mutant}\n")
        out.flush()
    out.write(f"{counts.total()} mutants: {dict(counts)}; {dict(tried)}\n")
    return 1 if counts[ALIVE] or problems else 0


if __name__ == "__main__":
    sys.exit(main())
