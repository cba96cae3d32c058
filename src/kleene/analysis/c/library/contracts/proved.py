"""Contracts of a library that are proved as they are written: each body alone, by the contracts of what it calls.

What holds of all objects is known from the proof of the client. A contract says less: it has those facts that formulas
can state, and it must be enough for the function. So each is proved where it is to be pasted, before it is written.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from pathlib import Path

from kleene.analysis.c.budget import Budget
from kleene.analysis.c.contracts import CheckedBody, check_bodies
from kleene.analysis.c.options import CheckOptions
from kleene.core.verdict import Verdict
from kleene.results.library import FunctionVerdict, LibraryReport

MOST_SECONDS = 10.0
"""Most seconds for a body: those of lists and trees take 0.1 to 2."""
NOT_PROVED = "the formulas that hold of its objects do not prove it alone: {}"
NO_TIME = "there was no time left"


def prove_contracts(report: LibraryReport, options: CheckOptions) -> None:
    """Keep in a report the contracts that are proved; the other functions get the reason why there is none."""
    budget = Budget(time.monotonic() - report.seconds, options.timeout)
    proved = {f.name: f for f in report.functions if f.verdict is Verdict.TRUE and f.candidates}
    with tempfile.TemporaryDirectory(prefix="kleene-") as folder:
        source = Path(report.file)
        read = replace(options.read, include=(str(source.resolve().parent), *options.read.include))
        pasted = Path(folder) / source.name
        search = _Search(source.read_text(encoding="utf-8", errors="replace"), proved, pasted)
        search.run(replace(options, read=read), budget)
    report.functions = [_with_contract(f, search) for f in report.functions]
    report.seconds = budget.spent


def _with_contract(function: FunctionVerdict, search: _Search) -> FunctionVerdict:
    chosen = search.chosen(function.name)
    if not function.candidates or chosen:
        return replace(function, contract=chosen)
    return replace(function, contract="", no_contract=NOT_PROVED.format(search.reasons[function.name]))


@dataclass
class _Search:
    """For each function the first of its candidates that is proved by those that are chosen for the others."""

    source: str
    functions: Mapping[str, FunctionVerdict]
    pasted: Path
    left: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """What can still be the contract of each function: the first one is, if there is one."""
    reasons: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.left = {name: function.candidates for name, function in self.functions.items()}

    def chosen(self, name: str) -> str:
        """The contract of a function; empty if it has none."""
        return next(iter(self.left.get(name, ())), "")

    def run(self, options: CheckOptions, budget: Budget) -> None:
        """Try the candidates until all that are chosen are proved by one another.

        A contract that is given up changes what its callers rely on: then these are proved again.
        """
        waiting = set(self.functions)
        calls: dict[str, Set[str]] = {}
        while waiting:
            self.pasted.write_text(self._text(), encoding="utf-8")
            each = min(MOST_SECONDS, max(budget.left, 0.0) / len(waiting))
            checked = check_bodies([str(self.pasted)], options, waiting, each) if budget.left > 0 else {}
            calls |= {name: body.calls for name, body in checked.items()}
            failed = {name for name in waiting if name not in checked or checked[name].reason}
            for name in failed:
                self._give_up(name, checked.get(name))
            affected = {name for name in self.functions if name in failed or calls.get(name, frozenset()) & failed}
            waiting = {name for name in affected if self.chosen(name)}

    def _give_up(self, name: str, body: CheckedBody | None) -> None:
        """Another contract for a function whose body was not proved."""
        self.reasons[name] = body.reason.replace(str(self.pasted), self.pasted.name) if body is not None else NO_TIME
        function, rest = self.functions[name], self.left[name][1:]
        is_last = len(self.left[name]) == 1 and self.chosen(name) in function.candidates
        self.left[name] = function.with_assertion if is_last and body is not None and body.fails_assertion else rest

    def _text(self) -> str:
        """The source with the contracts above the functions."""
        lines = self.source.split("\n")
        for name, function in sorted(self.functions.items(), key=lambda item: -item[1].line):
            if contract := self.chosen(name):
                lines.insert(function.line - 1, contract)
        return "\n".join(lines)
