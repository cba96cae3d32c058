"""Forked processes that run collected tests: everything is imported and collected once, before the first fork.

A child has a limit of time and of memory, and a folder of its own, which is removed with it.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import signal
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

import pytest

Tag = TypeVar("Tag")
Work = Callable[[Callable[[object], None]], None]
"""What a child does; it is given the function that tells the parent something."""
WALL = 300.0
"""Seconds after which a child that waits for something is ended; the machine may be busy."""
MEMORY = 3 << 30
"""Bytes that a child may use: a wrong analyser may need all there are."""
POLL = 0.02
"""Seconds between two looks at the children."""


@dataclass
class Child(Generic[Tag]):
    """A process that works on `tag`."""

    tag: Tag
    pid: int
    folder: Path
    since: float = field(default_factory=time.monotonic)


@dataclass(frozen=True)
class Ended(Generic[Tag]):
    """What a child told before it ended, how it ended, and its time of the processor."""

    tag: Tag
    told: list[object]
    signal: int
    """The signal that ended it, or 0."""
    error: str
    """An exception that no test is to blame for."""
    seconds: float


def run_all(jobs: Iterable[tuple[Tag, Work]], processes: int) -> Iterator[Ended[Tag]]:
    """Runs each job in a child, some at once; the answers come as the children end."""
    waiting, running = iter(jobs), list[Child[Tag]]()
    more = True
    try:
        while more or running:
            while more and len(running) < processes:
                job = next(waiting, None)
                more = job is not None
                if job is not None:
                    running.append(_start(*job))
            for child in list(running):
                ended = _look_at(child)
                if ended is not None:
                    running.remove(child)
                    yield ended
            time.sleep(POLL)
    finally:
        for child in running:
            _remove(child)


def _start(tag: Tag, work: Work) -> Child[Tag]:
    folder = Path(tempfile.mkdtemp(prefix="mutant-"))
    pid = os.fork()
    if pid:
        return Child(tag, pid, folder)
    code = 1
    try:
        os.setpgid(0, 0)
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nothing, stream)
        os.environ["PYTEST_DEBUG_TEMPROOT"] = os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
        time.monotonic = time.process_time  # limits of tests must not depend on the load of the machine
        with (folder / "told").open("w", encoding="utf-8") as out:

            def tell(value: object) -> None:
                out.write(json.dumps(value) + "\n")
                out.flush()

            work(tell)
        code = 0
    except BaseException:
        (folder / "error").write_text(traceback.format_exc())
    finally:
        os._exit(code)


def _look_at(child: Child[Tag]) -> Ended[Tag] | None:
    pid, status, usage = os.wait4(child.pid, os.WNOHANG)
    if pid == 0:
        if time.monotonic() - child.since > WALL or _resident(child.pid) > MEMORY:
            os.kill(child.pid, signal.SIGKILL)
        return None
    path = child.folder / "told"
    told = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    error = (child.folder / "error").read_text() if (child.folder / "error").exists() else ""
    _remove(child)
    ended_by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    return Ended(child.tag, told, ended_by, error, usage.ru_utime + usage.ru_stime)


def _resident(pid: int) -> int:
    """Bytes of a process in memory. (A limit on its addresses would end the library of decision diagrams.)"""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize()
    except (OSError, IndexError):
        return 0


def _remove(child: Child[Tag]) -> None:
    """Ends what the child has started and did not end."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    shutil.rmtree(child.folder, ignore_errors=True)


def limit_time(seconds: float) -> None:
    """From now on the process may use this many seconds of the processor."""
    limit = int(time.process_time() + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))


@dataclass(eq=False)
class Failures:
    """A plug-in of pytest that sees failures."""

    failed: bool = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed = self.failed or report.failed


def passes(item: pytest.Item, following: pytest.Item | None, failures: Failures) -> bool:
    """Whether a collected test passes, here and now."""
    failures.failed = False
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
    return not failures.failed
