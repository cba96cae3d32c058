"""Which test executes which lines of the modules: measured once, and kept in a file outside of the repository.

Tests run in children. A test is measured again when its file, or one of the modules, has changed its text; until a
module is measured again, the names of its functions count and not the lines.
"""

from __future__ import annotations

import hashlib
import json
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType

import pytest
from tests.mutation.children import Failures, Work, limit_time, passes, run_all

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
    *,
    kept: Path,
    failures: Failures,
    processes: int,
    say: Callable[[str], None],
) -> dict[str, Measured]:
    """The measured tests by their names; those that the file does not have are measured now."""
    known = _kept(kept)
    texts = {path: digest(path) for path in {item.path for item in items}}
    asked = [item for item in items if item.nodeid not in known or known[item.nodeid].text != texts[item.path]]
    say(f"{len(items)} tests, {len(asked)} of them to be measured")
    jobs = ((item, _work(item, modules, failures)) for item in asked)
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


def _kept(path: Path) -> dict[str, Measured]:
    return {name: Measured(**row) for name, row in json.loads(path.read_text()).items()} if path.exists() else {}


def _work(item: pytest.Item, modules: dict[str, Path], failures: Failures) -> Work:
    def work(tell: Callable[[object], None]) -> None:
        limit_time(SLOWEST)
        lines, functions, begin = _tracer(modules)
        threading.settrace(begin)
        sys.settrace(begin)
        fine = passes(item, None, failures)
        sys.settrace(None)
        rows = {name: sorted(seen) for name, seen in lines.items() if seen}
        tell({"passes": fine, "lines": rows, "functions": {name: sorted(functions[name]) for name in rows}})

    return work


Tracer = Callable[[FrameType, str, object], object]


def _tracer(modules: dict[str, Path]) -> tuple[dict[str, set[int]], dict[str, set[str]], Tracer]:
    lines: dict[str, set[int]] = {module: set() for module in modules}
    functions: dict[str, set[str]] = {module: set() for module in modules}
    wanted = {str(path): (_line_tracer(lines[module]), functions[module]) for module, path in modules.items()}

    def begin(frame: FrameType, event: str, _: object) -> object:
        known = wanted.get(frame.f_code.co_filename)
        if known is None:
            return None
        known[1].add(outermost(frame.f_code.co_qualname))
        return known[0]

    return lines, functions, begin


def _line_tracer(seen: set[int]) -> Tracer:
    def look(frame: FrameType, event: str, _: object) -> object:
        seen.add(frame.f_lineno)
        return look

    return look


def outermost(qualified: str) -> str:
    """`A.f` for `A.f.<locals>.g.<locals>.<lambda>`: the function that is replaced with all that is in it."""
    return qualified.partition(".<locals>")[0]


def covering(
    measured: dict[str, Measured], module: str, lines: Collection[int], function: str, text: str
) -> Iterable[str]:
    """The tests that pass and execute one of the lines of a module with this digest; or else the function."""
    for name, test in measured.items():
        if test.passes and module in test.lines:
            same = test.modules[module] == text
            if not set(lines).isdisjoint(test.lines[module]) if same else function in test.functions[module]:
                yield name
