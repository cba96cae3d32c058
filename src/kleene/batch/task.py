"""One check in a process of its own, on this machine or on a worker: nothing that it does hurts another check.

A task is plain data, so that it can be sent. Its sources are sent along, or lie in a folder that the worker sees too.
The process gets limits of memory and time, and ends itself when its parent dies.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_START = "import sys; from kleene.batch.child import start; start(); from kleene.cli import main; main()"
_GRACE = 10.0
"""Seconds after its limit until a check is killed: it needs some to write its result."""
_BAD_INPUT = 2
_SOURCES = "sources"
"""The folder below the temporary one that sent files are written to."""


@dataclass(frozen=True)
class Limits:
    """The limits of one check: seconds, and MiB of memory."""

    timeout: float = 60.0
    memory: int | None = None


@dataclass(frozen=True)
class Task:
    """A command of this tool with its files. Names in `words` are relative to the folder where it runs."""

    key: str
    words: tuple[str, ...]
    limits: Limits
    folder: str | None = None
    """The folder to run it in; None: a temporary folder that holds `files`."""
    files: tuple[tuple[str, bytes], ...] = ()
    names: tuple[tuple[str, str], ...] = ()
    """Pairs of names of a file here and there, if they differ."""


class Running:
    """The processes of checks that run, so that they can be ended together."""

    def __init__(self) -> None:
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._stopped = False

    def add(self, process: subprocess.Popen[bytes]) -> None:
        with self._lock:
            self._processes.add(process)
            if self._stopped:
                kill(process)

    def remove(self, process: subprocess.Popen[bytes]) -> None:
        with self._lock:
            self._processes.discard(process)

    def stop(self) -> None:
        """End all of them, and each that is added later."""
        with self._lock:
            self._stopped = True
            for process in self._processes:
                kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and its child processes."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def run_task(task: Task, running: Running | None = None) -> dict[str, Any]:
    """The result of a task: the JSON of its check, or the reason for its absence; `wall` is its time in seconds."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="kleene-batch-") as name:
        own = Path(name)
        _write_files(own / _SOURCES, task.files)
        folder = task.folder if task.folder is not None else str(own / _SOURCES)
        ending = _execute(task, own, folder, running or Running())
        result = _rename_files(_result(task, own, ending), dict(task.names))
    assert isinstance(result, dict)
    return {**result, "wall": round(time.monotonic() - started, 3)}


def _execute(task: Task, own: Path, folder: str, running: Running) -> int | None:
    """The exit code; None if the process had to be ended."""
    limits = task.limits
    command = [sys.executable, "-P", "-c", _START, *task.words, "--json", str(own / "result.json"), "--quiet"]
    environment = {**os.environ, "KLEENE_CHILD": f"{os.getpid()}:{limits.memory or 0}"}
    with (own / "errors.txt").open("wb") as errors:
        process = subprocess.Popen(
            [*command, "--timeout", f"{limits.timeout:g}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
            cwd=folder,
            env=environment,
        )
    running.add(process)
    try:
        return process.wait(limits.timeout + _GRACE)
    except subprocess.TimeoutExpired:
        return None
    finally:
        kill(process)  # and its child processes
        process.wait()
        running.remove(process)


def _write_files(folder: Path, files: tuple[tuple[str, bytes], ...]) -> None:
    """Write sent files below a folder, and nowhere else."""
    folder.mkdir()
    for name, content in files:
        target = folder / name
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise ValueError(f"a sent file must lie in its folder, not at {name!r}")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def _result(task: Task, own: Path, ending: int | None) -> dict[str, Any]:
    if ending is None:
        text = f"ended after {task.limits.timeout + _GRACE:.0f} s: it did not keep its own limit"
        return {"verdict": "UNKNOWN", "reason": text}
    try:
        document: dict[str, Any] = json.loads((own / "result.json").read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        errors = (own / "errors.txt").read_text(encoding="utf-8", errors="replace").strip()
        return {"verdict": "UNKNOWN", **_failure(task, ending, errors)}
    return _run_result(document) if task.words[0] == "run" else document


def _failure(task: Task, ending: int, errors: str) -> dict[str, Any]:
    """The reason for a missing result: the message for bad input; a killed process must be tried again."""
    if ending == _BAD_INPUT and errors:
        return {"error": errors}
    if "MemoryError" in errors or "bad_alloc" in errors or "out of memory" in errors:
        return {"reason": f"the memory limit of {task.limits.memory} MiB was reached: give more with --memory"}
    last = errors.splitlines()[-1] if errors else "no output"
    return {"reason": f"the check ended with code {ending}: {last}", "lost": ending < 0}


_VERDICTS = {"verified": "TRUE", "messages": "FALSE", "incomplete": "UNKNOWN"}


def _run_result(document: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a TVP run that a batch keeps: the verdict and the messages, no structures."""
    verdict = _VERDICTS[document["verdict"]]
    messages = [m for location in document["locations"].values() for m in location["messages"]]
    return {
        "schema": document["schema"],
        "verdict": verdict,
        "properties": {"verified": verdict},
        "reason": document["reason"],
        "messages": messages,
        "statistics": {"seconds": document["seconds"]["load"] + document["seconds"]["analysis"]},
    }


def _rename_files(value: Any, names: Mapping[str, str]) -> Any:
    """The same JSON with the files called as they are here."""
    if not names:
        return value
    pattern = re.compile(
        "(?<![\\w/.-])(?:" + "|".join(map(re.escape, sorted(names, key=len, reverse=True))) + ")(?![\\w/-])"
    )

    def visit(part: Any) -> Any:
        if isinstance(part, str):
            return pattern.sub(lambda match: names[match[0]], part)
        if isinstance(part, list):
            return [visit(item) for item in part]
        return {key: visit(item) for key, item in part.items()} if isinstance(part, dict) else part

    return visit(value)
