"""Finding input files and writing outputs, with clear errors."""

from __future__ import annotations

import sys
from pathlib import Path

from kleene.diagnostics import UsageError


def input_file(name: str, extension: str, include: tuple[str, ...] = ()) -> Path:
    """The file of that name; the extension may be left out, and include folders are searched too."""
    for folder in ("", *include):
        path = Path(folder) / name
        if path.is_file():
            return path
        with_extension = path.with_name(path.name + extension)
        if with_extension.is_file():
            return with_extension
    raise UsageError(f"there is no file '{name}' or '{name}{extension}'")


def write_output(target: str, text: str) -> None:
    """Write a text to a file, or to standard output for '-'."""
    if target == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    path = Path(target)
    if path.parent != Path("") and not path.parent.is_dir():
        raise UsageError(f"there is no folder '{path.parent}' to write '{target}' to")
    path.write_text(text, encoding="utf-8")


def macros_of(definitions: tuple[str, ...]) -> dict[str, str]:
    """``NAME``, ``NAME=value`` or TVLA's ``NAME(value)``."""
    macros = {}
    for definition in definitions:
        name, separator, value = definition.partition("=")
        if not separator and definition.endswith(")") and "(" in definition:
            name, _, value = definition[:-1].partition("(")
        if not name.isidentifier():
            raise UsageError(f"a macro is NAME, NAME=value or NAME(value), not '{definition}'")
        macros[name] = value or "1"
    return macros
