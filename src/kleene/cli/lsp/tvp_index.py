"""Where a TVP program declares its predicates, actions, sets and locations, with those of the files that it includes.

The text is scanned by patterns, not parsed: an editor asks while the program is half written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kleene.diagnostics import Position

_DECLARED = re.compile(
    r"%(?:(?P<predicate>[pi])\s+|(?P<action>action)\s+|(?P<set>s)\s+)(?P<name>[A-Za-z_]\w*(?:\s*\[[^\]\n]*\])*)"
)
_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"\n]+)"', re.MULTILINE)
_EDGE = re.compile(r"^\s*(?P<source>[A-Za-z_]\w*)\s+[A-Za-z_]\w*\s*\([^()\n]*\)\s+[A-Za-z_]\w*", re.MULTILINE)
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_]\w*(?:\[[^\]\n]*\])?")
_MOST_FILES = 50
"""Included files that are read: more than any analysis has; a chain of files that include each other ends."""
_MOST_BYTES = 1_000_000
"""The size up to which an included file is read."""


@dataclass(frozen=True)
class Declaration:
    """A name with its kind (`predicate`, `action`, `set` or `location`), its place, and the text of its declaration."""

    name: str
    kind: str
    position: Position
    text: str

    @property
    def base(self) -> str:
        """The name without brackets: ``r`` of ``r[n, z]``."""
        return self.name.partition("[")[0].rstrip()


def declarations(text: str, file: str) -> list[Declaration]:
    """All declarations of a text and of the files that it includes, in order; the first place of each name counts."""
    return list(_declarations(text, Path(file), set()))


def _declarations(text: str, file: Path, seen: set[Path]) -> Iterator[Declaration]:
    seen.add(file)
    plain = _COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), text)
    for include in _INCLUDE.finditer(plain):
        path = file.parent / include[1]
        if path not in seen and len(seen) < _MOST_FILES and path.is_file() and path.stat().st_size <= _MOST_BYTES:
            yield from _declarations(path.read_text(encoding="utf-8", errors="replace"), path, seen)
    for match in _DECLARED.finditer(plain):
        kind = next(k for k in ("predicate", "action", "set") if match[k])
        name = re.sub(r"\s", "", match["name"])
        yield Declaration(name, kind, _position(text, match.start("name"), file), _declaration(text, match.start()))
    edges = plain.rpartition("\n%%")[2] if "\n%%" in plain else ""
    start = len(plain) - len(edges)
    for match in _EDGE.finditer(plain, start):
        yield Declaration(match["source"], "location", _position(text, match.start("source"), file), match[0].strip())


def _position(text: str, offset: int, file: Path) -> Position:
    before = text[:offset]
    line = before.count("\n") + 1
    column = offset - (before.rfind("\n") + 1) + 1
    return Position(str(file), line, column, text.split("\n")[line - 1])


def _declaration(text: str, start: int) -> str:
    """The line of a declaration, or an action to its closing brace."""
    if not text.startswith("%action", start):
        return text[start:].partition("\n")[0].strip()
    depth = 0
    for end in range(start, len(text)):
        depth += (text[end] == "{") - (text[end] == "}")
        if text[end] == "}" and depth == 0:
            return text[start : end + 1]
    return text[start:].partition("\n")[0]


def word_at(line: str, character: int) -> str:
    """The name at a column of a line, from 0; empty if there is none."""
    match = next((m for m in _WORD.finditer(line) if m.start() <= character <= m.end()), None)
    if match is None:
        return ""
    bracket = match[0].find("[")
    inside = bracket >= 0 and character > match.start() + bracket
    if inside:  # in r[n, x] the cursor is on n or x
        return next((m[0] for m in re.finditer(r"\w+", match[0]) if match.start() + m.end() >= character), match[0])
    return match[0]


def declarations_of(word: str, known: list[Declaration]) -> list[Declaration]:
    """The declarations that a name may mean: the name itself, or a family of predicates such as ``r[n, z]``."""
    wanted = re.sub(r"\s", "", word)
    exact = [d for d in known if d.name == wanted]
    return exact or [d for d in known if d.base == wanted.partition("[")[0]]
