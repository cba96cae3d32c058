"""Finding input files and writing outputs, with clear errors."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TextIO

import click

from kleene.diagnostics import Diagnostic, UsageError

_KINDS = {".tvp": "a program (TVP)", ".tvs": "a file of structures (TVS)"}
_LOOKED_AT = 4096
_MOST_ERRORS = 20
"""Largest number of printed errors of one input; the rest is counted."""
_NOT_TEXT = frozenset(range(32)) - frozenset(b"\t\n\v\f\r\x1a")


def input_file(name: str, extension: str, include: Sequence[str] = ()) -> Path:
    """The file of that name; the extension may be left out, and include folders are searched too.

    A name without the extension means the file with it, if there is one.
    """
    if not name:
        raise UsageError("the name of a file is empty")
    kind = _KINDS.get(Path(name).suffix)
    if kind and extension in _KINDS and kind != _KINDS[extension]:
        raise UsageError(f"'{name}' is {kind}, where {_KINDS[extension]} is expected")
    for folder in ("", *include):
        path = Path(folder) / name
        with_extension = path.with_name(path.name + extension) if path.name else path
        if path.suffix != extension and with_extension.is_file():
            return _text_file(with_extension)
        if path.is_file():
            return _text_file(path)
    if Path(name).is_dir():
        raise UsageError(f"'{name}' is a folder, not a file")
    if name.endswith(extension):
        raise UsageError(f"there is no file '{name}'")
    raise UsageError(f"there is no file '{name}' or '{name}{extension}'")


def _text_file(path: Path) -> Path:
    with path.open("rb") as file:
        if not _NOT_TEXT.isdisjoint(file.read(_LOOKED_AT)):
            raise UsageError(f"'{path}' is not a text file")
    return path


def check_writable(targets: Sequence[str | None], *, folder: str | None = None) -> None:
    """Complain before a long run about outputs that could not be written after it."""
    if sum(target == "-" for target in targets) > 1:
        raise UsageError("only one output can go to standard output ('-')")
    for target in targets:
        if target is not None and target != "-":
            _check_file(Path(target), target)
    if folder is not None:
        path = Path(folder)
        while not path.exists():
            path = path.parent
        if not path.is_dir():
            raise UsageError(f"'{path}' is a file, so the folder '{folder}' cannot be made")
        if not os.access(path, os.W_OK):
            raise UsageError(f"the folder '{path}' is not writable")


def _check_file(path: Path, target: str) -> None:
    if not target:
        raise UsageError("the name of an output is empty")
    if path.is_dir():
        raise UsageError(f"'{target}' is a folder, not a file to write to")
    if not path.parent.is_dir():
        raise UsageError(f"there is no folder '{path.parent}' to write '{target}' to")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UsageError(f"'{target}' is not writable")


def write_output(target: str, text: str | Iterable[str]) -> None:
    """Write a text, or its parts as they are made, to a file, or to standard output for '-'."""
    parts = [text] if isinstance(text, str) else text
    if target == "-":
        for part in parts:
            sys.stdout.write(part)
        sys.stdout.flush()
        return
    _check_file(Path(target), target)
    try:
        _replace(Path(target), (part.encode("utf-8", "replace") for part in parts))
    except OSError as problem:
        raise UsageError(f"'{target}' could not be written: {problem.strerror or problem}") from problem


def _replace(path: Path, content: Iterable[bytes]) -> None:
    """Write a file at once: on a full disk the old one stays, and no part of a new one. Devices are written to."""
    if path.exists() and not path.is_file():
        with path.open("wb") as device:
            device.writelines(content)
        return
    import tempfile  # with what it imports, a tenth of a start

    real = path.resolve()  # through a link to the file that it stands for
    handle, own = tempfile.mkstemp(prefix=".kleene-", dir=real.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(content)
        os.chmod(own, real.stat().st_mode & 0o777 if real.exists() else 0o666 & ~_umask())
        os.replace(own, real)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(own)
        raise


def _umask() -> int:
    """The permissions that new files do not get; there is no way to ask without setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


class Unread:
    """An output stream whose reader may close (``kleene ... | head``): further output is dropped.

    The command runs to its end, and its exit code is the verdict.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            self._drop()
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except BrokenPipeError:
            self._drop()

    def _drop(self) -> None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def macros_of(definitions: Sequence[str]) -> dict[str, str]:
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


def print_problems(problems: Sequence[Diagnostic]) -> None:
    """Print the errors of an input on standard error, each once, the first ones if there are very many."""
    texts = list(dict.fromkeys(map(str, problems)))
    for text in texts[:_MOST_ERRORS]:
        click.echo(text, err=True)
    more = len(texts) - _MOST_ERRORS
    if more > 0:
        click.echo(f"kleene: {more} more errors are not shown", err=True)
