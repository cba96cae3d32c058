"""One check in a separate process: its memory, its time or a crash do not affect other checks."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from kleene.batch.jobs import Job

_START = "from kleene.cli import main; main()"
_GRACE = 10.0
"""Seconds after its limit after which a check is ended from outside."""
_BAD_INPUT = 2


class Worker:
    """A running check."""

    def __init__(self, job: Job, *, timeout: float, memory: int | None) -> None:
        self.job = job
        self._memory = memory
        self._limit = timeout + _GRACE
        self._started = time.monotonic()
        self._folder = tempfile.TemporaryDirectory(prefix="kleene-batch-")
        self._json = Path(self._folder.name) / "result.json"
        self._errors = Path(self._folder.name) / "errors.txt"
        command = [sys.executable, "-c", _START, "check", *map(str, job.files), *job.options]
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                [*command, "--json", str(self._json), "--quiet", "--timeout", f"{timeout:g}"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
                preexec_fn=self._limit_memory,
            )

    def _limit_memory(self) -> None:
        if self._memory is not None:
            resource.setrlimit(resource.RLIMIT_AS, (self._memory << 20, self._memory << 20))

    def poll(self) -> dict[str, Any] | None:
        """The result, if the check has ended; one that does not end is ended."""
        seconds = time.monotonic() - self._started
        if self._process.poll() is None:
            if seconds < self._limit:
                return None
            self._kill()
            return self._close({"verdict": "UNKNOWN", "reason": f"ended after {seconds:.0f} s"}, seconds)
        return self._close(self._read(), seconds)

    def stop(self) -> None:
        """End the check; there is no result."""
        if self._process.poll() is None:
            self._kill()
        self._close({}, 0.0)

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _read(self) -> dict[str, Any]:
        try:
            document: dict[str, Any] = json.loads(self._json.read_text(encoding="utf-8"))
        except (FileNotFoundError, json.JSONDecodeError):
            return {"verdict": "UNKNOWN", **self._failure()}
        return document

    def _failure(self) -> dict[str, Any]:
        """The reason for a missing result; for bad input, its own message."""
        text = self._errors.read_text(encoding="utf-8", errors="replace").strip()
        if self._process.returncode == _BAD_INPUT and text:
            return {"error": text}
        if "MemoryError" in text or "bad_alloc" in text:
            return {"reason": f"the memory limit of {self._memory} MiB was reached"}
        last = text.splitlines()[-1] if text else "no output"
        return {"reason": f"the check ended with code {self._process.returncode}: {last}"}

    def _close(self, result: dict[str, Any], seconds: float) -> dict[str, Any]:
        self._folder.cleanup()
        return {**result, "wall": round(seconds, 3)}
