"""Lines of source files, for excerpts, carets and fingerprints."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from kleene.diagnostics import Position, lines_in

_KEPT = 64
"""Files whose lines are kept: more than a report of one program names."""


def source_lines(file: str) -> list[str]:
    """The lines of a file as it is now; none if it cannot be read."""
    try:
        status = Path(file).stat()
        return _read(file, status.st_mtime_ns, status.st_size)
    except OSError:
        return []


@lru_cache(maxsize=_KEPT)
def _read(file: str, changed: int, size: int) -> list[str]:
    """The lines of one version of a file, as the compiler counts them: a form feed ends none."""
    return lines_in(Path(file).read_bytes().decode("utf-8", errors="replace"))


def source_line(file: str, line: int) -> str:
    """One line of a file, or nothing."""
    lines = source_lines(file)
    return lines[line - 1] if 0 < line <= len(lines) else ""


def character_column(file: str, line: int, column: int) -> int:
    """The column in characters: clang counts bytes."""
    before = source_line(file, line).encode("utf-8")[: max(0, column - 1)]
    return len(before.decode("utf-8", errors="replace")) + 1 if before else max(1, column)


def position_of(file: str, line: int, column: int) -> Position:
    """The place with its source line, for a message with a caret."""
    return Position(file, line, character_column(file, line, column), source_line(file, line))
