"""Mutants of the analyser itself: ``python -m tests.mutation.run --seconds 600``.

A mutant that all tests of its module let live is a survivor. It is killed by a new test, or `equivalent.toml` says why
no test can tell it from the module: a row that fits no mutant any more is an error.

The tests are collected once, in a process from which each mutant is forked: the function that it changes gets other
code there, wherever it was imported. Only the tests that execute the line are run, the quickest first, until one fails.
"""

from __future__ import annotations

import argparse
import ast
import functools
import gc
import json
import random
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests import slices
from tests.mutation.children import Ended, Failures, Work, limit_time, passes, run_all
from tests.mutation.code import Functions, functions_of, replace_code
from tests.mutation.known import is_known, known, stale
from tests.mutation.measure import Measured, covering, digest, measure
from tests.mutation.mutate import Mutant, mutants
from tests.mutation.summary import DEAD, RUNS, verdicts
from tests.mutation.table import TESTS, module_file

PATIENCE = 5.0
"""How many times as long as with the module itself a test may take before a mutant counts as endless."""
LEAST = 5.0
"""Seconds of the processor that a test may take at least."""
_NEAR = 4
"""How much more it counts that a test killed a mutant of the same function than one of the same module."""
ALIVE, KILLED, ENDLESS, UNSEEN, PARTLY = "alive", "killed", "endless", "unseen", "partly"
"""All tests let it live; one fails; one does not end; none executes the line; time was over before all were asked."""


@dataclass(frozen=True)
class Verdict:
    """What the tests say of a mutant."""

    mutant: Mutant
    answer: str
    test: str
    """The one that fails."""
    asked: int
    covering: int
    seconds: float

    def __str__(self) -> str:
        by = f" by {self.test}" if self.test else f" ({self.asked} of {self.covering} tests)"
        return f"{self.answer} {self.mutant}{by}"


@dataclass(eq=False)
class Server:
    """A plug-in of pytest that, in place of running the collected tests, runs them on mutants."""

    wanted: list[Mutant]
    processes: int
    seconds: float
    each: float
    """Seconds of the processor for the tests of one mutant."""
    say: Callable[[str], None]
    kept: Path = RUNS
    """The file of verdicts; what is measured is kept beside it."""
    verdicts: list[Verdict] = field(default_factory=list)
    failures: Failures = field(default_factory=Failures)
    _killers: defaultdict[tuple[str, str], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:  # a file that cannot be imported would make all its mutants 'unseen'
            raise session.Interrupted(f"{session.testsfailed} errors during collection")
        session.config.pluginmanager.register(self.failures)
        modules = {module: module_file(module) for module in {*TESTS, *(m.module for m in self.wanted)}}
        _forget_answers()
        functions = functions_of(modules)
        gc.freeze()  # children share the memory until they write to it
        measured = measure(
            session.items,
            modules,
            functions,
            wanted={mutant.module for mutant in self.wanted},
            kept=self.kept.parent / "measured.json",
            failures=self.failures,
            processes=self.processes,
            say=self.say,
        )
        left_out = [name for name, row in measured.items() if not row.passes]
        if left_out:
            self.say(f"not asked, since they fail or are too slow: {' '.join(left_out)}")
        items = {item.nodeid: item for item in session.items}
        texts = {module: digest(path) for module, path in modules.items()}
        end = time.monotonic() + self.seconds

        def jobs() -> Iterator[tuple[tuple[Mutant, int], Work]]:
            for mutant in self.wanted:
                if time.monotonic() > end:
                    return
                span = range(mutant.line, mutant.last + 1)
                names = covering(measured, mutant.module, span, mutant.outer, texts[mutant.module])
                order = self._order(mutant, list(names), measured)
                if order:
                    asked = [(items[name], measured[name].seconds) for name in order]
                    yield (mutant, len(order)), self._work(mutant, asked, functions)
                else:
                    self._note(Verdict(mutant, UNSEEN, "", 0, 0, 0.0))

        for ended in run_all(jobs(), self.processes):
            self._note(self._verdict(ended))
        return True

    def _order(self, mutant: Mutant, names: list[str], measured: dict[str, Measured]) -> list[str]:
        """First tests that killed mutants of the function or the module, that execute few other modules, quick ones."""
        near, far = self._killers[mutant.module, mutant.outer], self._killers[mutant.module, ""]

        def worth(name: str) -> tuple[float, str]:
            modules = len(measured[name].lines)
            return measured[name].seconds * modules**2 / (1 + _NEAR * near[name] + far[name]), name

        return sorted(names, key=worth)

    def _work(
        self,
        mutant: Mutant,
        asked: Sequence[tuple[pytest.Item, float]],
        functions: Functions,
    ) -> Work:
        def work(tell: Callable[[object], None]) -> None:
            replace(mutant, functions)
            following = [item for item, _ in asked[1:]] + [None]
            for (item, seconds), after in zip(asked, following, strict=True):
                if time.process_time() > self.each:
                    tell(PARTLY)
                    return
                limit_time(max(LEAST, PATIENCE * seconds))
                tell(item.nodeid)
                if not passes(item, after, self.failures):
                    tell(KILLED)
                    return
            tell(ALIVE)

        return work

    def _verdict(self, ended: Ended[tuple[Mutant, int]]) -> Verdict:
        mutant, count = ended.tag
        answer, told = KILLED, [str(value) for value in ended.told]
        if ended.error and not told:
            raise RuntimeError(f"{mutant}: {ended.error}")
        if told and told[-1] in (ALIVE, PARTLY, KILLED):
            answer = told.pop()
        elif ended.signal in (signal.SIGXCPU, signal.SIGKILL):
            answer = ENDLESS
        elif ended.signal == signal.SIGTERM:  # someone ended the run
            answer = PARTLY
        killer = told[-1] if told and answer in DEAD else ""
        if answer == KILLED:
            self._killers[mutant.module, mutant.outer][killer] += 1
            self._killers[mutant.module, ""][killer] += 1
        return Verdict(mutant, answer, killer, len(told), count, ended.seconds)

    def _note(self, verdict: Verdict) -> None:
        self.verdicts.append(verdict)
        row = {
            "module": verdict.mutant.module,
            "outer": verdict.mutant.outer,
            "text": verdict.mutant.text,
            "number": verdict.mutant.number,
            "function": verdict.mutant.function,
            "line": verdict.mutant.line,
            "column": verdict.mutant.column,
            "kind": verdict.mutant.kind,
            "was": verdict.mutant.was,
            "now": verdict.mutant.now,
            "answer": verdict.answer,
            "test": verdict.test,
            "asked": verdict.asked,
            "covering": verdict.covering,
            "seconds": round(verdict.seconds, 2),
        }
        with self.kept.open("a", encoding="utf-8") as out:
            out.write(json.dumps(row) + "\n")
        if verdict.answer not in DEAD:
            self.say(str(verdict))


def _forget_answers() -> None:
    """Empties what functions remember: a child must compute it anew."""
    for thing in gc.get_objects():
        if isinstance(thing, functools._lru_cache_wrapper):
            thing.cache_clear()


def replace(mutant: Mutant, functions: Functions) -> None:
    """Gives the function of a mutant its other code, in this process."""
    assert functions[mutant.module, mutant.outer], f"no function {mutant.outer}"
    replace_code(ast.parse(mutant.source), mutant.module, mutant.outer, functions[mutant.module, mutant.outer])


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


def serve(server: Server, tests: Sequence[str]) -> int:
    """Collects the tests, and gives them to the server."""
    slices.EXAM = True  # all cases of each test
    plain = ["-q", "-s", "-p", "no:cacheprovider", "-p", "no:xdist", "--no-header", "--assert=plain", "--tb=line"]
    return int(pytest.main([*plain, *tests], plugins=[server]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600, help="of the clock, for mutants (default: 600)")
    parser.add_argument("--each", type=float, default=60, help="of the processor, for one mutant (default: 60)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--module", action="append", choices=sorted(TESTS), help="only these")
    parser.add_argument("--tests", nargs="+", help="ask these only, in place of those of the table")
    parser.add_argument("--again", action="store_true", help="leave out what is killed by the verdicts so far")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the children end too
    out = sys.stdout

    def say(text: str) -> None:
        out.write(text + "\n")
        out.flush()

    problems = stale(known())
    for text in problems:
        say(f"no such mutant, or no reason: {text}")
    chosen = options.module or list(TESTS)
    wanted = sample(chosen, options.seed)
    if options.again:
        wanted = living(wanted)
    server = Server(wanted, options.processes, options.seconds, options.each, say)
    code = serve(server, options.tests or list(dict.fromkeys(test for module in chosen for test in TESTS[module])))
    answers = Counter(verdict.answer for verdict in server.verdicts)
    tried = Counter(verdict.mutant.module for verdict in server.verdicts)
    say(f"{len(server.verdicts)} of {len(wanted)} mutants: {dict(answers)}; {dict(tried)}")
    return 1 if code or problems or answers[ALIVE] or answers[UNSEEN] or answers[PARTLY] else 0


def living(wanted: Sequence[Mutant]) -> list[Mutant]:
    """The mutants that no verdict says are killed: those first that have none."""
    last = verdicts()
    return sorted((m for m in wanted if last.get(m.key) not in DEAD), key=lambda m: m.key in last)


if __name__ == "__main__":
    sys.exit(main())
