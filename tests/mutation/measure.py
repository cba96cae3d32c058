"""Which test executes which lines of the modules: measured once, and kept in a file outside of the repository.

Tests run in children. A test is measured again when its file, or one of the modules that are asked about and that it
executes, has changed its text; other modules count by the names of their functions until then, not by lines.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import json
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import CodeType, FunctionType

import pytest
from tests.mutation.children import Failures, Work, limit_time, passes, run_all
from tests.mutation.code import Functions, compiled, keep_class
from tests.mutation.mutate import outermost_functions
from tests.mutation.table import module_file

NOTE = "__note_of_mutation__"
"""The name of the function that notes what is executed."""
SLOWEST = 30.0
"""Seconds of the processor after which a test is too slow to be asked about mutants."""


@dataclass(frozen=True)
class Measured:
    """A test: its time, and the lines and functions that it executes, by module."""

    text: str
    """Of the file of the test: a digest."""
    seconds: float
    passes: bool
    lines: dict[str, list[int]]
    functions: dict[str, list[str]]
    modules: dict[str, str]
    """The digests of the modules that it executes."""


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def measure(
    items: Sequence[pytest.Item],
    modules: dict[str, Path],
    functions: Functions,
    *,
    wanted: Collection[str],
    kept: Path,
    failures: Failures,
    processes: int,
    say: Callable[[str], None],
) -> dict[str, Measured]:
    """The measured tests by their names; those are measured now that the file does not have for the wanted modules."""
    known = _kept(kept)
    texts = {path: digest(path) for path in {item.path for item in items}}
    now = {module: digest(modules[module]) for module in wanted}
    asked = [item for item in items if not _holds(known.get(item.nodeid), texts[item.path], now)]
    say(f"{len(items)} tests, {len(asked)} of them to be measured")
    noted = noted_functions(functions) if asked else []
    jobs = ((item, _work(item, noted, failures)) for item in asked)
    start = since = time.monotonic()
    for count, ended in enumerate(run_all(jobs, processes), 1):
        if ended.error:
            raise RuntimeError(ended.error)
        told = ended.told[0] if ended.told else {"passes": False, "lines": {}, "functions": {}}
        assert isinstance(told, dict)
        digests = {module: digest(modules[module]) for module in told["lines"]}
        known[ended.tag.nodeid] = Measured(texts[ended.tag.path], ended.seconds, modules=digests, **told)
        if time.monotonic() - since > 60 or count == len(asked):
            since = time.monotonic()
            say(f"{count} tests measured after {since - start:.0f} s")
            kept.parent.mkdir(parents=True, exist_ok=True)
            together = _kept(kept) | known  # others may have measured other tests
            kept.write_text(json.dumps({name: asdict(row) for name, row in together.items()}))
    return {item.nodeid: known[item.nodeid] for item in items}


def _holds(row: Measured | None, text: str, modules: dict[str, str]) -> bool:
    """Whether a test was measured, and neither its file nor a module that it executes has changed since."""
    return row is not None and row.text == text and all(modules.get(m, d) == d for m, d in row.modules.items())


def _kept(path: Path) -> dict[str, Measured]:
    return {name: Measured(**row) for name, row in json.loads(path.read_text()).items()} if path.exists() else {}


def _work(item: pytest.Item, noted: Noted, failures: Failures) -> Work:
    def work(tell: Callable[[object], None]) -> None:
        limit_time(SLOWEST)
        seen: set[tuple[str, str, int, int]] = set()
        setattr(builtins, NOTE, seen.add)
        for functions, code in noted:
            for function in functions:
                function.__code__ = code
        fine = passes(item, None, failures)
        lines: dict[str, set[int]] = {}
        names: dict[str, set[str]] = {}
        for module, name, first, last in seen:
            lines.setdefault(module, set()).update(range(first, last + 1))
            names.setdefault(module, set()).add(name)
        rows = {module: sorted(known) for module, known in lines.items()}
        tell({"passes": fine, "lines": rows, "functions": {module: sorted(names[module]) for module in rows}})

    return work


Noted = list[tuple[list[FunctionType], CodeType]]
"""Functions, and their code that notes each statement before it is executed."""


def noted_functions(functions: Functions) -> Noted:
    noted: Noted = []
    for module in {module for module, _ in functions}:
        tree = ast.parse(module_file(module).read_text(encoding="utf-8"))
        own = {name: (node, functions[module, name]) for name, node in outermost_functions(tree)}
        for name, (node, same) in own.items():
            node.body = _noted(node.body, module, name)
            keep_class(node, same)
        codes = compiled(tree, module)
        noted += [(same, codes[name]) for name, (_, same) in own.items()]
    return noted


def _noted(body: Sequence[ast.stmt], module: str, name: str) -> list[ast.stmt]:
    noted: list[ast.stmt] = []
    for statement in body:
        for first, last in _spans(statement):
            where = f"{NOTE}(({module!r}, {name!r}, {first}, {last}))"
            noted += [ast.copy_location(note, statement) for note in ast.parse(where).body]
        for part in (statement, *getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
            for inner in ("body", "orelse", "finalbody"):
                if getattr(part, inner, None):
                    setattr(part, inner, _noted(getattr(part, inner), module, name))
        noted.append(statement)
    return noted


def _spans(statement: ast.stmt) -> list[tuple[int, int]]:
    """The first and last lines of what a statement executes before the statements inside it."""
    match statement:
        case ast.If(test=test) | ast.While(test=test):
            parts: list[ast.AST] = [test]
        case ast.For(iter=iterated):
            parts = [iterated]
        case ast.With(items=items):
            parts = [item.context_expr for item in items]
        case ast.Match(subject=subject, cases=cases):
            parts = [subject, *(case.pattern for case in cases), *(case.guard for case in cases if case.guard)]
        case ast.Try() | ast.FunctionDef() | ast.ClassDef():
            parts = []
        case _:
            parts = [statement]
    return [(part.lineno, part.end_lineno) for part in parts]  # type: ignore[attr-defined]


def covering(
    measured: dict[str, Measured], module: str, lines: Collection[int], function: str, text: str
) -> Iterable[str]:
    """The tests that pass and execute one of the lines of a module with this digest; or else the function."""
    for name, test in measured.items():
        if test.passes and module in test.lines:
            same = test.modules[module] == text
            if not set(lines).isdisjoint(test.lines[module]) if same else function in test.functions[module]:
                yield name
