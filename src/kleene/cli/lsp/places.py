"""Positions of the analyser as positions of the protocol: lines from 0, columns in units of UTF-16."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types

from kleene.diagnostics import Position


def uri_of(file: str) -> str:
    """The address of a file."""
    return Path(file).resolve().as_uri()


def place_of(line: int, column: int, text: str = "") -> types.Position:
    """A place given in lines and characters from 1, in a line with this text."""
    before = text[: max(0, column - 1)]
    units = len(before.encode("utf-16-le", errors="replace")) // 2 if text else max(0, column - 1)
    return types.Position(max(0, line - 1), units)


def range_of(position: Position | None, length: int = 1) -> types.Range:
    """From a position to the end of the word there; the first line where there is none."""
    if position is None:
        return types.Range(types.Position(0, 0), types.Position(0, 0))
    end = position.column - 1
    text = position.text
    while end < len(text) and (text[end].isalnum() or text[end] in "_[]"):
        end += 1
    end = max(end, position.column - 1 + length)
    return types.Range(
        place_of(position.line, position.column, text), place_of(position.line, end + 1, text or " " * end)
    )
