"""A folder in which processes, on one machine or on many, share out programs and leave the results.

A program is *claimed* by creating a file, which only one process can do; the process touches that file
while it works. A claim that nobody has touched for a while was left by a machine that died: one of the others takes it
away, by renaming it, and the program is free again. A result is written under another name and renamed, so that it is
there whole or not at all. Results stay: the same batch, started again, goes on where it was.
"""

from __future__ import annotations

import json
import os
import socket
import uuid
from pathlib import Path
from typing import Any

STALE = 60.0
"""Seconds without a touch after which a claim is abandoned."""
TOUCH = 5.0
"""Seconds between two touches of a claim."""


class SharedFolder:
    """One folder; all times come from its file system, so that clocks need not agree."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._me = f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"

    def result(self, key: str) -> dict[str, Any] | None:
        """The result of a program, if there is one."""
        try:
            found = json.loads((self.folder / f"{key}.json").read_text(encoding="utf-8"))
        except (FileNotFoundError, json.JSONDecodeError):
            return None
        return found if isinstance(found, dict) else None

    def claim(self, key: str) -> bool:
        """Whether the program is ours to do; false if somebody else is at it."""
        self._take_away_if_stale(key)
        try:
            handle = os.open(self._claim_file(key), os.O_CREAT | os.O_EXCL | os.O_WRONLY)
        except FileExistsError:
            return False
        with os.fdopen(handle, "w") as file:
            file.write(self._me + "\n")
        return True

    def touch(self, key: str) -> None:
        """Say that we are still at it."""
        if self._is_ours(key):
            os.utime(self._claim_file(key))

    def release(self, key: str) -> None:
        """Give a program back that was not finished."""
        if self._is_ours(key):
            self._claim_file(key).unlink(missing_ok=True)

    def finish(self, key: str, result: dict[str, Any]) -> None:
        """Leave a result, whole or not at all."""
        written = self.folder / f"{key}.{self._me}.part"
        written.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        written.replace(self.folder / f"{key}.json")
        self.release(key)

    def _claim_file(self, key: str) -> Path:
        return self.folder / f"{key}.claim"

    def _is_ours(self, key: str) -> bool:
        try:
            return self._claim_file(key).read_text(encoding="utf-8").strip() == self._me
        except FileNotFoundError:
            return False

    def _take_away_if_stale(self, key: str) -> None:
        claim = self._claim_file(key)
        try:
            age = self._now() - claim.stat().st_mtime
        except FileNotFoundError:
            return
        if age > STALE:
            taken = self.folder / f"{key}.{self._me}.stale"
            try:
                claim.rename(taken)
            except FileNotFoundError:
                return
            taken.unlink(missing_ok=True)

    def _now(self) -> float:
        """The time of the file system."""
        mark = self.folder / f"{self._me}.now"
        mark.touch()
        now = mark.stat().st_mtime
        mark.unlink(missing_ok=True)
        return now
