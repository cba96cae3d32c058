"""The results of a batch in one SQLite file: each is stored at once, and reused while its inputs do not change.

A result is written in one transaction, so a batch that is killed at any moment has every result that it reported. A
result that a limit decided is reused only for limits that are not larger.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from kleene.batch.task import Limits
from kleene.diagnostics import UsageError

DATABASE = "results.sqlite"
_VERSION = 1
"""The form of the table; a database with another one is not used."""
_PATIENCE = 30.0
"""Seconds to wait for another batch that writes to the same folder."""
_TABLE = """
CREATE TABLE IF NOT EXISTS results (
    key TEXT PRIMARY KEY,
    path TEXT NOT NULL,
    timeout REAL NOT NULL,
    memory INTEGER,
    document TEXT NOT NULL
)
"""


class ResultStore:
    """The database in an output folder."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / DATABASE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(self._file, timeout=_PATIENCE)
            with self._connection as connection:
                version = connection.execute("PRAGMA user_version").fetchone()[0]
                if version not in (0, _VERSION):
                    raise UsageError(f"'{self._file}' was written by another version of Kleene: name another folder")
                connection.execute(_TABLE)
                connection.execute(f"PRAGMA user_version = {_VERSION}")
                connection.execute("SELECT count(*) FROM results").fetchone()
        except sqlite3.Error as problem:
            raise self._usage_error(problem) from problem

    def result(self, key: str, limits: Limits) -> dict[str, Any] | None:
        """The stored result of a program, unless these limits could change it."""
        try:
            query = "SELECT document, timeout, memory FROM results WHERE key = ?"
            row = self._connection.execute(query, (key,)).fetchone()
            if row is None:
                return None
            document: dict[str, Any] = json.loads(row[0])
        except sqlite3.Error as problem:
            raise self._usage_error(problem) from problem
        except ValueError as problem:
            raise UsageError(f"'{self._file}' is damaged: move it away, and the checks are made again") from problem
        if document["verdict"] == "UNKNOWN" and not _covers(Limits(row[1], row[2]), limits):
            return None
        return document

    def keep(self, key: str, path: str, limits: Limits, document: Mapping[str, Any]) -> None:
        """Write a result; when this returns, it is on the disk."""
        row = (key, path, limits.timeout, limits.memory, json.dumps(document))
        try:
            with self._connection as connection:
                connection.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?)", row)
        except sqlite3.Error as problem:
            raise self._usage_error(problem) from problem

    def __enter__(self) -> ResultStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def _usage_error(self, problem: sqlite3.Error) -> UsageError:
        if isinstance(problem, sqlite3.OperationalError):  # full disk, no permission, another batch
            return UsageError(f"'{self._file}': {problem}; what is finished is kept")
        return UsageError(f"'{self._file}' is damaged ({problem}): move it away, and the checks are made again")


def _covers(old: Limits, new: Limits) -> bool:
    """Whether a check within the old limits had at least as much time and memory."""
    enough_memory = old.memory is None or (new.memory is not None and old.memory >= new.memory)
    return old.timeout >= new.timeout and enough_memory
