"""A compilation database: `compile_commands.json`, as CMake, Meson, Bear and others write it.

Each entry has a folder, a file and either the words of the command (`arguments`) or its text (`command`).
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from kleene.c.input.compiler_options import CompilerOptions, split_options
from kleene.diagnostics import Diagnostic, InputError, Position, UsageError

NAME = "compile_commands.json"
_C_FILES = (".c", ".i")


@dataclass(frozen=True)
class Entry:
    """How one file is compiled; `file` is relative to the current folder where it is below it."""

    file: str
    options: CompilerOptions


@dataclass(frozen=True)
class Database:
    """The entries of the C files of a database, in its order; `problems` are those of entries that are left out."""

    path: Path
    entries: tuple[Entry, ...]
    problems: tuple[Diagnostic, ...] = ()

    @cached_property
    def _by_path(self) -> dict[Path, Entry]:
        return {Path(entry.file).resolve(): entry for entry in self.entries}

    def flags_of(self, file: str) -> tuple[str, ...]:
        """The options of a file; none if the database does not have it."""
        entry = self._by_path.get(Path(file).resolve())
        return tuple(entry.options.flags) if entry is not None else ()

    def is_32_bit(self, files: Sequence[str]) -> bool:
        """Whether the files are compiled for 32 bits. Raises UsageError if some are and some are not."""
        known = {Path(file).resolve() for file in files}
        wanted = {"--32" in entry.options.others for path, entry in self._by_path.items() if path in known}
        if len(wanted) > 1:
            raise UsageError(f"{self.path} compiles some files with -m32 and some without: give --32 or --64")
        return True in wanted

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(entry.file for entry in self.entries)


@cache
def read_database(folder: str) -> Database:
    """The database of a build folder, or a database given by its own name."""
    path = Path(folder)
    if path.is_dir():
        path /= NAME
    if not path.is_file():
        raise UsageError(f"there is no {NAME} in '{folder}'; CMake writes it with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
    try:
        text = path.read_text(encoding="utf-8")
        document = json.loads(text)
    except json.JSONDecodeError as problem:
        raise _problem(path, problem.doc, problem.lineno, problem.colno, f"not JSON: {problem.msg}") from None
    except UnicodeDecodeError:
        raise _problem(path, "", 1, 1, "not a text file") from None
    if not isinstance(document, list):
        raise _problem(path, text, 1, 1, "not a compilation database: a list of commands is expected")
    entries: dict[str, Entry] = {}
    problems: list[Diagnostic] = []
    for number, item in enumerate(document, 1):
        try:
            entry = _entry(item, path.parent)
            if entry.file.endswith(_C_FILES):
                entries.setdefault(entry.file, entry)
        except (KeyError, TypeError, ValueError, UsageError) as problem:
            what = f"no '{problem.args[0]}'" if isinstance(problem, KeyError) else str(problem)
            line, column = _place_of(text, number)
            problems.append(_diagnostic(path, text, line, column, f"entry {number} is damaged: {what}"))
    if problems and not entries:
        raise InputError(problems)
    return Database(path, tuple(entries.values()), tuple(problems))


def _entry(item: Any, folder: Path) -> Entry:
    if not isinstance(item, dict):
        raise TypeError("an object with 'directory', 'file' and 'command' is expected")
    for name in ("directory", "file", "command"):
        if not isinstance(item.get(name, ""), str):
            raise TypeError(f"'{name}' is no text")
    base = (folder / item["directory"]).resolve()
    words = item["arguments"] if "arguments" in item else shlex.split(item["command"])
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise TypeError("'arguments' is no list of texts")
    file = os.path.normpath(base / item["file"])
    if file.endswith(_C_FILES) and not Path(file).is_file():
        raise ValueError(f"there is no file '{file}'")
    here = os.getcwd()
    shown = os.path.relpath(file, here) if Path(file).is_relative_to(here) else file
    return Entry(shown, split_options(words[1:], base))


def _place_of(text: str, number: int) -> tuple[int, int]:
    """Where entry `number` of the list begins."""
    decoder = json.JSONDecoder()
    at = text.index("[") + 1
    for count in range(1, number + 1):
        while at < len(text) and text[at] in " \t\r\n,":
            at += 1
        if count < number:
            at = decoder.raw_decode(text, at)[1]
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def _problem(path: Path, text: str, line: int, column: int, message: str) -> InputError:
    return InputError([_diagnostic(path, text, line, column, message)])


def _diagnostic(path: Path, text: str, line: int, column: int, message: str) -> Diagnostic:
    lines = text.splitlines()
    shown = lines[line - 1] if line <= len(lines) else ""
    return Diagnostic(message, Position(str(path), line, column, shown))
